"""A Hugging Face language model, with or without eyes, as policy, learner, gradient source and chat.

================  =====================================================================================
``settings``      what a configuration says of all below; needs no package
``model``         weights, tokenizer, processor: the one file that imports transformers
``prompt``        a conversation by the model's own chat template, and prompts as tensors
``recompute``     what memory does not hold on the way to a gradient
``context``       contexts that were read once, and what is said after them
``sampler``       the model as a `Policy`, a `Scorer` and a `Chat`
``schema``        replies held to a JSON schema, token by token
``lora``          what is trained: low-rank adapters, or chosen layers themselves
``rows``          trajectories as rows: one context, all replies to it
``imitation``     what a base learns from oracles and guides before it
``grpo``          group-relative policy optimisation, token by token
``gradients``     the policy gradient of some groups, for sketches and conflict
``checkpoint``    what is trained, optimiser, generator and ticket source in one folder
``backend``       all of it as a `TrainerBackend`
================  =====================================================================================

It needs the extra ``hf``. Weights are read from safetensors only, and no code of a model's author is run. LoRA is made
by hand rather than taken from peft: it is a file of eighty lines, the adapters are float32 whatever the model, and a
checkpoint stays two files of ours.
"""
