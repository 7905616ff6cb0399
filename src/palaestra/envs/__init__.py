"""The pool: one folder for each family, one file for each environment; the path is the id.

==============  ======================================================================================
``registry``    finds environments: by walking this folder, and by entry points of other packages
``held_out``    the one list of environments that are never used to profile, select or train
``skeleton``    a whole small world, commented: what ``palaestra new`` starts a new one from
``admission``   how a file that somebody proposes enters a pool: checked in a process with limits, or not at all
``kit``         what environments are made from: drawing, boards, graphs, splits, events
``check``       the published conformance suite
families        one folder each: ``board``, ``charts``, ``grid`` and so on
==============  ======================================================================================

To add an environment, ``palaestra new FAMILY/NAME`` writes a file to start from; as ``FAMILY/NAME.py`` here it is found
by its path, and nothing else is to be registered. A file whose name starts with ``_`` is code that a family shares.
``palaestra check FAMILY/NAME`` says what is missing. A folder of your own, named by ``PALAESTRA_POOL`` and laid out as
this one, is found in the same way. Another package publishes its own through the entry-point group
``palaestra.environments``: the name is the id, the value ``module:environment``.
"""
