"""What choosing from a large pool takes: seconds of processor time, and the peak memory of a process of its own.

Pools are planted: two to eight of 200 abilities in each environment, half of them core; gradients in eight common
directions with noise of twice their size. The clock starts when profiles and sketches are in memory.

Another package is given the same similarities or weights and the same number to choose. Where it is not installed, or
not as it was, it is `not comparable`, and why; where it picks one environment twice, the worse one first, or a worse
set, `wrong` says so.
"""

import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palaestra.core.gradient import GradientSketch
from palaestra.core.profile import AbilityProfile
from palaestra.measure.conflict import cosines
from palaestra.selection.aes import aes
from palaestra.selection.conflict import Gradients
from palaestra.selection.coverage_only import COVERAGE
from palaestra.selection.facility_location import Facilities
from palaestra.selection.greedy import lazy, plain
from palaestra.selection.margins import Margins
from palaestra.selection.terms import Terms

ABILITIES, DIRECTIONS, NOISE, BATCHES, SKETCH = 200, 8, 2.0, 10, 8192
BLOCKS = 5
"""How often both sides choose, in turns; a ratio is the median."""

_CHILD = "import sys; from palaestra.cli.bench import choosing; choosing.child(*sys.argv[1:])"


def profiles(environments: int, seed: int) -> list[AbilityProfile]:
    """Return the profiles of a planted pool."""
    rng, found = np.random.default_rng(seed), []
    for e in range(environments):
        names = [f"ability_{a}" for a in rng.choice(ABILITIES, rng.integers(2, 9), replace=False)]
        half = (len(names) + 1) // 2
        core, soft = dict.fromkeys(names[:half], 0.8), dict.fromkeys(names[half:], 0.2)
        found.append(AbilityProfile(f"planted/{e:05}", core, soft, {}, {"": 40}))
    return found


def pulls(environments: int, batches: int, seed: int) -> NDArray[np.float32]:
    """Return planted gradients [environments, batches, SKETCH]; in how many batches, the mean is as noisy."""
    rng = np.random.default_rng([seed, 1])
    common = rng.standard_normal((DIRECTIONS, SKETCH), dtype=np.float32)
    mean_EK = rng.standard_normal((environments, DIRECTIONS), dtype=np.float32) @ common
    drawn = rng.standard_normal((environments, batches, SKETCH), dtype=np.float32)
    drawn *= np.float32(NOISE * batches**0.5)
    drawn += mean_EK[:, None]
    return drawn


def taken(part: str, environments: int, k: int, seed: int) -> dict[str, float]:
    """Return what a part takes in a process of its own."""
    words = [sys.executable, "-c", _CHILD, part, str(environments), str(k), str(seed)]
    found: dict[str, float] = json.loads(subprocess.check_output(words))
    return found


def child(part: str, *numbers: str) -> None:
    """Print what a part takes, as JSON: `posterior` from batches of sketches, `naive` from mean sketches."""
    environments, k, seed = map(int, numbers)
    pool, begun = profiles(environments, seed), 0.0
    if part == "naive":
        gradients = Gradients([own.env_id for own in pool], pulls(environments, 1, seed)[:, 0])
        begun = process_time()
        aes(pool, gradients, k)
    else:
        batches_EMK = pulls(environments, BATCHES, seed)
        sketched = [GradientSketch(own.env_id, one, 50, "raw") for own, one in zip(pool, batches_EMK, strict=True)]
        begun = process_time()
        aes(pool, cosines(sketched).conflict(), k)
    print(json.dumps({"seconds": round(process_time() - begun, 2), "peak_gib": round(_peak() / 2**30, 2)}))


def against_plain(environments: int, k: int, seed: int) -> dict[str, Any]:
    """Return how many times faster lazy greedy is than plain greedy, which picks the same."""
    pool = profiles(environments, seed)
    terms = Terms.of(pool, Gradients([own.env_id for own in pool], pulls(environments, 1, seed)[:, 0]))
    return _ratio(lambda: lazy(Margins(terms), _up_to(k)), lambda: plain(Margins(terms), _up_to(k)))


def against_apricot(environments: int, k: int, seed: int) -> dict[str, dict[str, Any]]:
    """Return how many times faster we choose by facility location and by coverage, and what is wrong with theirs."""
    terms = Terms.of(profiles(environments, seed), {})
    core = replace(terms, weight_EA=(terms.weight_EA >= 1).astype(float)).by(COVERAGE)
    return {
        "apricot": _apricot(
            "FacilityLocationSelection",
            {"metric": "precomputed"},
            np.array(terms.similarity(slice(None), slice(None))),
            lambda: lazy(Facilities(terms), _up_to(k)),
        ),
        "apricot_coverage": _apricot(
            "MaxCoverageSelection", {}, core.weight_EA, lambda: lazy(Margins(core), _up_to(k))
        ),
    }


def _apricot(
    selector: str, settings: Mapping[str, str], worth: NDArray[np.float64], ours: Callable[[], list[int]]
) -> dict[str, Any]:
    peer = "apricot-select"
    try:
        with warnings.catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            warnings.simplefilter("ignore")
            import apricot

            k, kind = len(ours()), getattr(apricot, selector)

            def theirs() -> list[int]:
                return [int(e) for e in kind(k, optimizer="lazy", **settings).fit(worth).ranking]

            said = {"peer": f"{peer} {version(peer)}", "wrong": wrong(worth, ours(), theirs())}  # compiles theirs
            return {**said, **_ratio(ours, theirs)}
    except ImportError as error:
        why = f"{peer} is not installed ({error})"
    except Exception as error:  # another release of a peer may do anything
        why = f"{peer}: {type(error).__name__}: {error}"
    return {"peer": peer, "ratio": "not comparable", "why": why}


def wrong(worth: NDArray[np.float64], ours: Sequence[int], theirs: Sequence[int]) -> str:
    """Return what is wrong with another greedy choice, beside ours; nothing where it is as good.

    A set is worth the sum over the columns of the largest number in its rows.

    >>> wrong(np.eye(3), [0, 1], [2, 2]), wrong(np.eye(3), [0, 1], [2, 1])
    ('1 of 2 picked twice; their set is worth 1.00, ours 2.00', '')
    >>> wrong(np.diag([1.0, 2.0]), [1, 0], [0, 1])
    'a gain rises 1 times, so a better one was passed over'
    """
    said, twice = [], len(theirs) - len({*theirs})
    if twice:
        said.append(f"{twice} of {len(theirs)} picked twice")
    values = np.maximum.accumulate(worth[[*theirs]]).sum(axis=1)
    if rises := int((np.diff(np.diff(values, prepend=0.0)) > 1e-6).sum()):
        said.append(f"a gain rises {rises} times, so a better one was passed over")
    if (own := worth[[*ours]].max(axis=0).sum()) > values[-1] + 1e-6:
        said.append(f"their set is worth {values[-1]:.2f}, ours {own:.2f}")
    return "; ".join(said)


def _up_to(k: int) -> Callable[[Sequence[int]], bool]:
    return lambda chosen: len(chosen) == k


def _ratio(ours: Callable[[], object], theirs: Callable[[], object]) -> dict[str, Any]:
    """Return the processor time of both sides, and how many times ours theirs is."""
    pairs = [(_seconds(ours), _seconds(theirs)) for _ in range(BLOCKS)]
    own, other = (median(side) for side in zip(*pairs, strict=True))
    return {
        "ratio": round(median(b / a for a, b in pairs), 2),
        "ours_s": round(own, 4),
        "theirs_s": round(other, 4),
    }


def _seconds(work: Callable[[], object]) -> float:
    begun = process_time()
    work()
    return process_time() - begun


def _peak() -> int:
    """Return the peak memory of this process [bytes]; Linux counts the parent's in `getrusage`, so ask elsewhere."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
