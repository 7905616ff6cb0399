"""The stages, one file each: the only place that knows every package.

==============  ==========================================================================================
``measure``     a pool played by a weak and a strong player, into profiles with their stability
``gradients``   a checkpoint's policy gradients on that pool, as sketches with their reliability
``estimator``   how gradients are measured: rung, batches, cap, metric
``batches``     one environment's batches: where it is measured, what it plays, what its gradients are
``learner``     the policy whose gradients these are, whichever engine wrote it, and the scales that it reads
``drift``       how far conflict moved between checkpoints that were measured alike
``cost``        ``cost.json``: what measuring took
``select``      profiles, and sketches when there are any, into the environments to train on
``pretrain``    the base: a network that has imitated oracles and guides (needs the extra ``cpu``)
``train``       a curriculum draws, the embedded engine plays and learns (needs the extra ``cpu``)
``evaluate``    the base and the last checkpoint on problems that neither ever met (needs the extra ``cpu``)
``judge``       any one policy on such problems, with help and without (needs the extra ``cpu``)
``mapf``        a policy, or replies that exist, on the fixed boards of the multi-agent benchmark
``report``      whatever a run holds, as one page and as Markdown (needs the extra ``report``)
``demo``        all of these in one folder, as ``demo.toml`` says
``experiment``  arms against a baseline on the same problems, as a design says (needs the extra ``cpu``)
``engineering`` stages with an engineer between, arm against arm (needs the extra ``cpu``)
``hands``       other processes as the hands of this one, for jobs side by side
``propose``     one proposal of an engineer, from anybody's log and space
``card``        the model card of a base: what was measured, and what its files say
``found``       what a run folder holds, read whole
``records``     ``selection.json``, ``curriculum.json`` and ``evaluation.json`` as values
``curricula``   curricula by name, from the tables of a configuration
``course``      ``curriculum.json``: what a curriculum did, as a fold over the events of a run
``standing``    how a training run stands, for whoever watches it
``tracking``    the events of a run as numbers for experiment trackers
``labelers``    who names the abilities: events, a model, its activations, or a file
``labels``      their labels, as JSON lines
``kept``        a local model that is asked nothing twice
``agreement``   ``agreement.json`` and ``overlap.json``: how far labelers agree, and whether it matters
``players``     who plays and who is asked, by name
``profiles``    ``profiles.json``: how measuring and choosing meet, whoever measured
``sketches``    ``sketches.safetensors``: the same for gradients (needs the extra ``run``)
``evidence``    what selection looks at beside profiles, where it is there
==============  ==========================================================================================

A stage reads what earlier ones left in a run folder and adds its own file; nothing else passes between them, so that
each can be another process, another day, or another engine's.

To add one, write a file that holds a frozen configuration for `core.config`, if the stage has settings that decide what
is computed, and one function from it and a folder to a value; then give it a verb in ``cli/``.
"""
