"""The embedded engine: a policy small enough for one CPU thread, honest enough to debug a whole pipeline with.

=============  =====================================================================================
``tokenizer``  phrases to read and words to say, learnt from the pool's texts, stored in checkpoints
``prompt``     a conversation as token ids and pictures
``scales``     which scales have prompts that fit; the others are skipped by name
``pictures``   pictures as tokens, each looked at once
``model``      the network: a stem that mixes places, a causal decoder, packed replies
``sampler``    the network as a `Policy` and a `Scorer`
``batch``      trajectories as rows: one context, all replies to it, exact
``describing`` two passes: the policy says what it sees, then acts
``lessons``    what an update learns beside the rewards: captions, and acting without help
``pretrain``   the warm start: oracle and guide play, with and without help
``grpo``       group-relative policy optimisation
``gradients``  the policy gradient of some groups, for sketches and conflict
``checkpoint`` everything of one instant in one folder
``device``     CPU or CUDA, and in which precision
``backend``    all of it as a `TrainerBackend`
=============  =====================================================================================

It needs the extra ``cpu``. What was measured when it was designed: one thread beats two, fp32 beats bf16 at these
sizes, a convolutional stem beats linear patches, and the loss is normalised per environment because gradient norms
differ up to forty times. Where it departs from the first plan, `docs/decisions/0005-embedded-engine.md` says why.
"""

from importlib.util import find_spec

from palaestra.core.errors import ExtraMissing

if missing := [name for name in ("torch", "safetensors") if find_spec(name) is None]:
    raise ExtraMissing(f"the embedded engine needs {' and '.join(missing)}: pip install 'palaestra[cpu]'")
