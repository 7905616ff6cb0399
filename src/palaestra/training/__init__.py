"""Learning: what every engine shares, and the engine that runs in this process.

=============  ======================================================================================
``advantage``  group-relative advantages; groups without a signal are skipped and counted
``embedded``   a compact vision-language policy in torch, its warm start and its GRPO, on one CPU thread
=============  ======================================================================================

An engine implements `core.trainer.TrainerBackend`. To add one, give it a folder here, or a file in ``integrations``
when it is somebody else's.
"""
