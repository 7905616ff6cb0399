"""The stages, one file each: the only place that knows every package.

==============  ==========================================================================================
``measure``     a pool played by a weak and a strong player, into profiles with their stability
``gradients``   a checkpoint's policy gradients on that pool, as sketches with their reliability
``select``      profiles, and sketches when there are any, into the environments to train on
``pretrain``    the base: a network that has imitated oracles and guides (needs the extra ``cpu``)
``train``       a curriculum draws, the embedded engine plays and learns (needs the extra ``cpu``)
``evaluate``    the base and the last checkpoint on problems that neither ever met (needs the extra ``cpu``)
``judge``       any one policy on such problems, with help and without (needs the extra ``cpu``)
``mapf``        a policy, or replies that exist, on the fixed boards of the multi-agent benchmark
``report``      whatever a run holds, as one page and as Markdown (needs the extra ``report``)
``demo``        all of these in one folder, as ``demo.toml`` says
``experiment``  arms against a baseline on the same problems, as a design says (needs the extra ``cpu``)
``card``        the model card of a base: what was measured, and what its files say
``found``       what a run folder holds, read whole
``records``     ``selection.json``, ``curriculum.json`` and ``evaluation.json`` as values
``curricula``   curricula by name, from the tables of a configuration
``course``      ``curriculum.json``: what a curriculum did, as a fold over the events of a run
``standing``    how a training run stands, for whoever watches it
``tracking``    the events of a run as numbers for experiment trackers
``profiles``    ``profiles.json``: how measuring and choosing meet, whoever measured
``sketches``    ``sketches.safetensors``: the same for gradients (needs the extra ``run``)
``evidence``    what selection looks at beside profiles, where it is there
==============  ==========================================================================================

A stage reads what earlier ones left in a run folder and adds its own file; nothing else passes between them, so that
each can be another process, another day, or another engine's.

To add one, write a file that holds a frozen configuration for `core.config`, if the stage has settings that decide what
is computed, and one function from it and a folder to a value; then give it a verb in ``cli/``.
"""
