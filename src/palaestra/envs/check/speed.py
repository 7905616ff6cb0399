"""speed: a reset with its picture takes under 20 ms at the top scale."""

from collections.abc import Iterator
from statistics import median
from time import thread_time

from palaestra.envs.check.case import Case

LIMIT = 0.020  # seconds of processor time, so that a busy machine does not fail an environment


def speed(case: Case) -> Iterator[str]:
    """The median over fresh instances of the top scale, picture of 448 pixels included."""
    seconds = []
    for instance in case.instances(case.scales[-1], 21):
        begun = thread_time()
        case.view(case.env.reset(instance), 448)
        seconds.append(thread_time() - begun)
    if median(seconds) > LIMIT:
        yield f"reset and view take {1000 * median(seconds):.1f} ms at the top scale; allowed are {1000 * LIMIT:.0f} ms"
