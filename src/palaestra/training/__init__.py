"""Learning: what every engine shares, and the engine that runs in this process.

================  ======================================================================================
``advantage``     group-relative advantages; groups without a signal are skipped and counted
``checkpoints``   the folders of checkpoints, whichever engine wrote them
``rounds``        what an engine tells of each update
``moments``       an optimiser's second moments, for the metric of gradients
``embedded``      a compact vision-language policy in torch, its warm start and its GRPO, on one CPU thread
``hugging_face``  a Hugging Face language model, with or without eyes, with LoRA or chosen layers
================  ======================================================================================

An engine implements `core.trainer.TrainerBackend`. To add one, give it a folder here, or a file in ``integrations``
when it is somebody else's.
"""
