"""The published conformance suite: every environment passes it, those of other packages too.

    from palaestra.envs.check import CHECKS, run
    failures = run(my_environment)                      # all checks, or run(env, ["oracle", "ladder"])

=================  ===================================================================================
``suite``          the list of checks, and the one loop that runs them
``case``           one environment under test: its instances, its episodes, how much effort is spent
``declaration``    spec: what an environment says of itself holds together
``winning``        oracle, rewards, guessing: who wins, and what winning pays
``replies``        replies: silence, noise, thirty wordings of right and wrong answers
``repetition``     determinism, purity, events: the same again, in a fresh process too
``problems``       splits, difficulty, knobs: which problems there are
``channels``       ladder: help withdraws rung by rung, and none of it holds the answer
``pictures``       picture: what is drawn is named, legible, and what the caption says
``secrecy``        secrecy: another secret under the same public part changes nothing that is shown
``speed``          speed: a reset with its picture takes under 20 ms
``sandbox``        checks a file that is not trusted, in a process with limits
``fingerprint``    what the fresh process prints
=================  ===================================================================================

A check is a function from a `Case` to the details of what it found wrong. To add one, write it where its question
belongs, list it in ``suite.CHECKS``, and plant a fault that only it catches into the mutation tests.
"""

from palaestra.envs.check.case import QUICK, THOROUGH, Case, Effort, Failure
from palaestra.envs.check.suite import CHECKS, run

__all__ = ["CHECKS", "QUICK", "THOROUGH", "Case", "Effort", "Failure", "run"]
