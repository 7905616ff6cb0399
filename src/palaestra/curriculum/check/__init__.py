"""The published conformance suite: every curriculum passes it, those of other packages too.

    from palaestra.curriculum.check import CHECKS, run
    failures = run(MyRule())                            # all checks, or run(rule, ["replay", "resume"])

==============  ======================================================================================
``suite``       the list of checks, and the one loop that runs them
``case``        one curriculum under test: the updates of a run that a simulated learner drives
``weights``     distribution, cells, replay: what is drawn from, and what updates say has changed
``repetition``  determinism, resume: the same again, and the same after a restart
``scores``      admission, missing, lag, success: what results may and may not do
``starvation``  starvation: under `Guarded` every environment keeps its share, and comes up in time
==============  ======================================================================================

A check is a function from a `Case` to the details of what it found wrong. To add one, write it where its question
belongs, list it in ``suite.CHECKS``, and plant a faulty curriculum that only it catches into the mutation tests.
"""

from palaestra.curriculum.check.case import POOL, Case
from palaestra.curriculum.check.suite import CHECKS, Failure, run

__all__ = ["CHECKS", "POOL", "Case", "Failure", "run"]
