"""The pool: one folder for each family, one file for each environment; the path is the id.

==============  ======================================================================================
``registry``    finds environments: by walking this folder, and by entry points of other packages
``held_out``    the one list of environments that are never used to profile, select or train
``kit``         what environments are made from: drawing, boards, graphs, splits, events
``check``       the published conformance suite
families        one folder each: ``board``, ``charts``, ``grid`` and so on
==============  ======================================================================================

To add an environment, write ``FAMILY/NAME.py`` with a class and one line ``environment = Name()``; nothing else is to
be registered. A file whose name starts with ``_`` is code that a family shares. ``palaestra check FAMILY/NAME`` says
what is missing. Another package publishes its own through the entry-point group ``palaestra.environments``: the name
is the id, the value ``module:environment``.
"""
