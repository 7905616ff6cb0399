"""Evidence: what an engineer is told of the stages that are over, in seven modules that can be switched one by one.

Which ones matters more than anything else in the paper: with failures alone its engineer was worse than none, with a
summary by itself or with all training details too. The defaults are its best setting, and two modules of ours.

Source: LLM-as-Environment-Engineer (failure breakdown, guideline, history with or without the default round, summary,
training details). Departures: the texts are ours, theirs are unpublished; behaviour and environment are modules too.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from palaestra.core.engineer import Evidence, Stage
from palaestra.core.rate import Rate
from palaestra.core.space import Part, Settings, Space
from palaestra.engineer.log import Counts, Facts, Log

SIGNAL = 0.02
"""While no part has a success rate surely above this, there is nothing to read off: the hand schedule proposes."""

SHOWN = 400
"""Characters of an example or a summary that are shown: both may hold anything, at any length."""


class Training(StrEnum):
    """How much is told of training itself.

    >>> Training("bookkeeping")
    <Training.BOOKKEEPING: 'bookkeeping'>
    """

    NONE = "none"
    BOOKKEEPING = "bookkeeping"
    FULL = "full"


@dataclass(frozen=True)
class Modules:
    """Which modules are shown; `first_round` keeps the default settings of the first stage in the history."""

    failures: bool = True
    examples: int = 2
    behaviour: bool = True
    environment: bool = True
    guideline: bool = True
    history: bool = True
    first_round: bool = False
    summary: bool = False
    training: Training = Training.BOOKKEEPING


ALL = Modules()


def evidence(log: Log, space: Space, modules: Modules = ALL) -> Evidence:
    """Return the evidence of a log: the texts of the modules that are on, and all numbers.

    >>> told = evidence(Log(), Space((Part("lake", "grid/frozen_lake"),)))
    >>> told.failures, told.guideline.splitlines()[0], cold(told)
    ('', 'You set what an agent is trained on next: for each part its weight, and its dials.', True)
    """
    last = log.stages[-1] if log.stages else None
    counts = (last.validated or last.trained) if last else {}
    return Evidence(
        failures=_failures(counts, log.examples[: modules.examples]) if modules.failures else "",
        behaviour=_lines(counts, _behaviour) if modules.behaviour else "",
        environment=_environment(last.settings, last.trained or last.validated, space)
        if modules.environment and last
        else "",
        guideline=_guideline(space) if modules.guideline else "",
        history=_history(log, modules.first_round) if modules.history else "",
        summary=log.summary[:SHOWN] if modules.summary else "",
        training=_training(log, modules.training),
        stages=tuple(own.stage for own in log.stages),
    )


def cold(told: Evidence) -> bool:
    """Return whether nothing is known yet that an engineer could read off."""
    return not any(map(signal, told.stages[-1:]))


def signal(stage: Stage) -> bool:
    """Return whether some part was surely won now and then."""
    return any(rate.low > SIGNAL for side in (stage.trained, stage.validated) for rate in side.values())


def _failures(counts: Mapping[str, Counts], examples: Iterable[str]) -> str:
    shown = [f"failed: {own[:SHOWN]}" for own in examples]
    return "\n".join([*([_lines(counts, _broken_down)] if counts else []), *shown])


def _broken_down(own: Counts) -> str:
    optimal = "" if own.optimal is None else f", optimal {Rate(own.optimal, own.n)}"
    return f"success {own.rate}{optimal}; failures: {_shares(own.failures, own.n - own.successes) or 'none'}"


def _behaviour(own: Counts) -> str:
    parts = (
        f"replies of {own.length:.0f} characters" if own.length else "",
        f"{own.turns:.1f} turns" if own.turns else "",
        f"actions: {_shares(own.actions, sum(own.actions.values()))}" if own.actions else "",
        f"conflicts: {own.failures.get('conflict', 0)} of {own.n}" if own.failures else "",
        f"events: {_shares(own.events, own.n)}" if own.events else "",
    )
    return "; ".join(part for part in parts if part)


def _environment(settings: Settings, counts: Mapping[str, Counts], space: Space) -> str:
    """Return what was played: environments, what is fixed, what was set, and how much came of it."""
    lines = []
    for part in space.parts:
        own, played = settings.get(part.name, {}), counts.get(part.name)
        fixed = ", ".join(f"{name} {value}" for name, value in part.fixed.items())
        many = f"; {played.n} episodes on {played.problems or played.n} problems" if played else "; not played"
        lines.append(f"{part.name}: {part.env_id} ({fixed}), {_settings(own)}{many}")
    return "\n".join(lines)


def _guideline(space: Space) -> str:
    return "\n".join(
        [
            "You set what an agent is trained on next: for each part its weight, and its dials.",
            "Weights are shares of the training tickets, from 0 to 1. Dials take these values, the easiest first:",
            *(f"- {part.name}: {_dials(part)}" for part in space.parts),
            "Training learns from a part whose success is neither near 0 nor near 1.",
            "Change few things by small steps, where the evidence points; keep what works; take weight from parts",
            "without any success, and do not simply make everything harder.",
        ]
    )


def _dials(part: Part) -> str:
    def told(values: tuple[object, ...]) -> str:
        return ", ".join(map(str, values)) if len(values) < 6 else f"{values[0]}, {values[1]} ... {values[-1]}"

    dials = (f"{d.name} ({d.doc or 'a dial'}): {told(d.values)}" for d in part.dials)
    return "; ".join(["weight", *dials])


def _history(log: Log, first_round: bool) -> str:
    stages = [(k, own) for k, own in enumerate(log.stages, start=1) if k > 1 or first_round]
    return "\n".join(
        f"stage {k}, {part}: {_settings(own.settings[part])} -> success "
        f"{own.stage.success(part) if part not in own.validated else own.validated[part].rate}"
        + (f" ({own.note})" if own.note else "")
        for k, own in stages
        for part in own.settings
    )


def _training(log: Log, shown: Training) -> str:
    facts: dict[str, Facts] = {
        Training.NONE: {},
        Training.BOOKKEEPING: log.bookkeeping,
        Training.FULL: {**log.bookkeeping, **log.details},
    }
    return ", ".join(f"{name} {value}" for name, value in facts[shown].items())


def _lines(counts: Mapping[str, Counts], told: Callable[[Counts], str]) -> str:
    return "\n".join(f"{part}: {text}" for part, own in counts.items() if (text := told(own)))


def _settings(own: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in own.items()) or "not set"


def _shares(counts: Mapping[str, int], of: int) -> str:
    top = sorted(counts.items(), key=lambda item: -item[1])[:8]
    return ", ".join(f"{name} {number / max(1, of):.0%}" for name, number in top)
