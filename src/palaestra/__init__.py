"""Palaestra designs the distribution of training environments for multimodal agents.

One noun, the *distribution*: what to train on now. One loop: play, measure, select, distribute, train, judge.
A package imports only from floors below its own, and never a sibling (`docs/decisions/0001-the-house.md`):

    floor 5   cli          the command `palaestra`, one verb per stage
    floor 4   pipeline     one file per stage; knows every package
    floor 3   training     the embedded engine: a tiny policy, its warm start, its GRPO
              evaluation   which problems are judged, and how far a number can be trusted
    floor 2   envs         worlds: one file each, and the file's path is the environment's id
              rollout      conversations, policies, the loop that plays them, the store of what was played
              measure      which abilities an environment exercises, in which direction its gradient pulls
              selection    which environments to train on
              curriculum   how the distribution of tickets changes with results
    floor 1   core         the values all others exchange; imports nothing of ours

`integrations`, `serve` and `engineer` are planned in that decision and do not exist yet.

This module re-exports nothing, so that importing it costs nothing: import from the package that owns a name,
as in ``from palaestra.core.instance import Instance``.
"""

__version__ = "0.1.0"
