"""The list of checks, and the one loop that runs them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from traceback import extract_tb
from types import MappingProxyType
from typing import Any

from palaestra.core.environment import Environment
from palaestra.core.errors import ConfigError, nearest
from palaestra.envs.check import (
    channels,
    declaration,
    pictures,
    problems,
    repetition,
    replies,
    secrecy,
    speed,
    winning,
)
from palaestra.envs.check.case import QUICK, Case, Effort, Failure

CHECKS: Mapping[str, Callable[[Case], Iterator[str]]] = MappingProxyType({
    "spec": declaration.spec,
    "oracle": winning.oracle,
    "rewards": winning.rewards,
    "guessing": winning.guessing,
    "replies": replies.replies,
    "determinism": repetition.determinism,
    "purity": repetition.purity,
    "events": repetition.events,
    "splits": problems.splits,
    "difficulty": problems.difficulty,
    "knobs": problems.knobs_act,
    "ladder": channels.ladder,
    "picture": pictures.picture,
    "secrecy": secrecy.secrecy,
    "speed": speed.speed,
})  # fmt: skip
"""Every check by name. A check yields the details of what it found wrong, and nothing when all is well."""

MOST = 3
"""Details kept for each check: the first ones tell the fault, the hundredth only repeats it."""


def run(
    env: Environment[Any, Any],
    checks: Sequence[str] | None = None,
    effort: Effort = QUICK,
    progress: Callable[[str], None] = lambda name: None,
) -> list[Failure]:
    """Run checks on an environment, all of them unless some are named; an empty list means that it passed.

    An exception that a check meets is a failure of that check; the others go on.
    """
    unknown = [name for name in checks or () if name not in CHECKS]
    if unknown:
        raise ConfigError(f"no check {unknown[0]!r}{nearest(unknown[0], CHECKS)}")
    failures: list[Failure] = []
    case = Case(env, effort)
    for name in CHECKS if checks is None else checks:
        progress(name)
        details: list[str] = []
        try:
            for detail in CHECKS[name](case):
                if detail not in details:
                    details.append(detail)
                if len(details) == MOST:
                    break
        except Exception as error:
            details.append(f"raised {type(error).__name__}: {error}{_place(error)}")
        failures += [Failure(env.spec.id, name, detail) for detail in details]
    return failures


def _place(error: BaseException) -> str:
    """Return where an error was raised, so that an author finds the line."""
    frames = extract_tb((error.__cause__ or error).__traceback__)
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
