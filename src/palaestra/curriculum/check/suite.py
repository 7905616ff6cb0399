"""The list of checks, and the one loop that runs them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

from palaestra.core.curriculum import Curriculum
from palaestra.core.environment import EnvSpec
from palaestra.core.errors import ConfigError, nearest
from palaestra.curriculum.check import repetition, scores, starvation, weights
from palaestra.curriculum.check.case import POOL, Case

MOST = 3
"""Details kept for each check: the first ones tell the fault, the hundredth only repeats it."""


class Failure(NamedTuple):
    """What a check found wrong with a curriculum."""

    check: str
    detail: str


CHECKS: Mapping[str, Callable[[Case], Iterator[str]]] = MappingProxyType({
    "distribution": weights.distribution,
    "cells": weights.cells,
    "replay": weights.replay,
    "determinism": repetition.determinism,
    "resume": repetition.resume,
    "admission": scores.admission,
    "missing": scores.missing,
    "lag": scores.lag,
    "success": scores.success,
    "starvation": starvation.starvation,
})  # fmt: skip
"""Every check by name."""


def run(
    curriculum: Curriculum[Any], checks: Sequence[str] | None = None, specs: Sequence[EnvSpec] = POOL
) -> list[Failure]:
    """Run checks on a curriculum, all of them unless some are named; an empty list means that it passed.

    An exception that a check meets is a failure of that check; the others go on.
    """
    unknown = [name for name in checks or () if name not in CHECKS]
    if unknown:
        raise ConfigError(f"no check {unknown[0]!r}{nearest(unknown[0], CHECKS)}")
    failures: list[Failure] = []
    for name in CHECKS if checks is None else checks:
        details: list[str] = []
        try:
            details += islice(CHECKS[name](Case(curriculum, specs)), MOST)
        except Exception as error:
            details.append(f"raised {type(error).__name__}: {error}")
        failures += [Failure(name, detail) for detail in details]
    return failures
