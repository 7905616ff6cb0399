"""What an evaluation found, as values: success by group and by environment, before training and after it."""

from collections.abc import Mapping
from dataclasses import dataclass

from palaestra.evaluation.blind import Probe
from palaestra.evaluation.compare import Difference
from palaestra.evaluation.interval import Interval
from palaestra.evaluation.metrics import Gain
from palaestra.evaluation.suite import LeftOut


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judged checkpoint: its success by group and by environment, and what its pictures are worth.

    A group or an environment without any problem is missing.
    """

    step: int
    groups: Mapping[str, Interval]
    environments: Mapping[str, Interval]
    probes: Mapping[str, Probe]


@dataclass(frozen=True, slots=True)
class Judged:
    """The base and the trained checkpoint on one suite; `trained` and `gain` are None where there was only a base."""

    suite: str
    seed: int
    problems: int
    left_out: tuple[LeftOut, ...]
    base: Judgement
    trained: Judgement | None
    differences: Mapping[str, Difference]
    gain: Gain | None
