"""The stages, one file each: the only place that knows every package.

==============  ==========================================================================================
``measure``     a pool played by a weak and a strong player, into profiles with their stability
``select``      profiles, and sketches when there are any, into the environments to train on
``profiles``    ``profiles.json``: how measuring and choosing meet, whoever measured
``sketches``    ``sketches.safetensors``: the same for gradients (needs the extra ``run``)
==============  ==========================================================================================

A stage reads what earlier ones left in a run folder and adds its own file; nothing else passes between them, so that
each can be another process, another day, or another engine's.

To add one, write a file that holds a frozen configuration for `core.config`, if the stage has settings that decide what
is computed, and one function from it and a folder to a value; then give it a verb in ``cli/``.
"""
