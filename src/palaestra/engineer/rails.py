"""Rails: what every proposal must pass, and how far a model may move at once.

- *Reach.* Only cells of the space are drawn from, whatever was said; rewards, verifiers and evaluation are no dials.
- *Change budget.* What a model wrote moves each dial a few values at most, and few dials; rules that are published stay
  as published.
- *Preserve.* At least `keep` of the mixture before, as it was trained on, stays in the next one.
- *No degenerate mixture.* So many parts at least, in effect; the rest is for the probe (`engineer.probe`) to find out.
- *Sentinels.* When problems that stay the same are surely won less often than a stage before, the mixture goes back.

Source: ours, against what is told of such loops: difficulty that kills the signal, mixtures that forget, and models
that reach for the reward.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import comb, exp, log
from typing import Any

from palaestra.core.distribution import Cell, Distribution
from palaestra.core.environment import EnvSpec
from palaestra.core.errors import BadInstance, ConfigError
from palaestra.core.instance import Setting
from palaestra.core.rate import Rate
from palaestra.core.space import WEIGHT, Settings, Space


@dataclass(frozen=True)
class Rails:
    """The bounds: `dials` may move `steps` values each; `breadth` is a share of all parts; the probe plays so many
    `instances`, of which a share must come into being and be solvable, and wants success surely neither below `never`
    nor above `always`; a drop of the sentinels by more than `drop`, beyond chance, takes a mixture back."""

    dials: int = 8
    steps: int = 2
    keep: float = 0.3
    breadth: float = 0.25
    instances: int = 208
    least_yield: float = 0.5
    least_solvable: float = 0.9
    never: float = 0.02
    always: float = 0.98
    drop: float = 0.05

    def __post_init__(self) -> None:
        shares = (self.keep, self.breadth, self.least_yield, self.least_solvable, self.never, self.always, self.drop)
        if self.instances < 64 or min(self.dials, self.steps) < 0 or not all(0 <= share <= 1 for share in shares):
            raise ConfigError(
                f"rails: instances = {self.instances}, dials = {self.dials}, steps = {self.steps}; a probe has 64 "
                "instances at least, counts are not negative, and all else is a share in [0, 1]"
            )
        none, every = Rate(0, self.instances).high, Rate(self.instances, self.instances).low
        if 0 < self.never < none or every < self.always < 1:
            raise ConfigError(
                f"rails: a probe of {self.instances} instances cannot tell success below never = {self.never} or above "
                f"always = {self.always}; {none:.3f} and {every:.3f} are the nearest it can, or take more instances"
            )


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a mixture is refused, in words that an engineer can act on, and what was found out about it.

    `worth` is how much its groups would have to teach: p (1 - p), over its cells.
    """

    reasons: tuple[str, ...] = ()
    worth: float = 0.0
    found: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether it is admitted."""
        return not self.reasons

    def json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {"ok": self.ok, "reasons": list(self.reasons), "worth": self.worth, **self.found}


def budgeted(
    settings: Settings, current: Settings, space: Space, rails: Rails
) -> tuple[dict[str, dict[str, Setting]], tuple[str, ...]]:
    """Return settings within the change budget, and what was held back; of many dials those of heavy parts move."""
    found = {name: dict(own) for name, own in settings.items()}
    notes: list[str] = []
    left = rails.dials
    for part in sorted(space.parts, key=lambda part: -float(settings[part.name][WEIGHT])):
        own, before = found[part.name], current[part.name]
        for dial in part.dials:
            asked, stood = dial.values.index(own[dial.name]), dial.values.index(before[dial.name])
            if asked == stood:
                continue
            reach = rails.steps if left else 0
            left -= bool(left)
            own[dial.name] = dial.values[min(stood + reach, max(stood - reach, asked))]
            if own[dial.name] != dial.values[asked]:
                notes.append(f"{part.name}: {dial.name} {dial.values[asked]} is too far at once: {own[dial.name]}")
        found[part.name] = part.within(own)
    return found, tuple(notes)


def preserving(previous: Distribution, proposed: Distribution, keep: float) -> Distribution:
    """Return the proposed mixture with as much of the previous one as makes `keep` of it stay; itself, if it does.

    >>> from palaestra.core.observation import H4
    >>> one, other = (Distribution({Cell("a/b", scale, H4): 1.0}) for scale in (0, 1))
    >>> preserving(one, other, 0.3).marginal("scale"), preserving(one, one, 0.3) is one
    ({1: 0.7, 0: 0.3}, True)
    """
    before, after = previous.probabilities(), proposed.probabilities()
    if sum(min(share, after.get(cell, 0.0)) for cell, share in before.items()) >= keep:
        return proposed
    cells = dict.fromkeys((*proposed.weights, *(cell for cell, share in before.items() if share)))
    mixed = {cell: (1 - keep) * after.get(cell, 0.0) + keep * before.get(cell, 0.0) for cell in cells}
    return Distribution(mixed)


def reachable(mixture: Distribution, space: Space, specs: Mapping[str, EnvSpec]) -> tuple[str, ...]:
    """Return what is wrong with a mixture before anything is drawn: cells that are not legal, or not playable."""
    wrong: list[str] = []
    for cell, weight in mixture.weights.items():
        if weight and space.owner(cell) is None:
            wrong.append(f"{_name(cell)} is not in the space")
        elif weight and cell.env_id not in specs:
            wrong.append(f"there is no environment {cell.env_id}")
        elif weight:
            try:
                specs[cell.env_id].instance(cell.scale, 0, knobs=cell.knobs)
            except BadInstance as error:
                wrong.append(str(error))
    return tuple(wrong)


def narrow(mixture: Distribution, space: Space, rails: Rails) -> tuple[str, ...]:
    """Return what is wrong with a mixture that is all but one part: its parts in effect are exp of the entropy."""
    weights = [float(own[WEIGHT]) for own in space.settings(mixture).values()]
    effective = exp(-sum(w * log(w) for w in weights if w > 0))
    least = max(1.0, rails.breadth * len(space.parts))
    if effective >= least - 1e-6:
        return ()
    return (f"the weights amount to {effective:.1f} parts; spread them over {least:.1f} at least",)


def fell(before: Sequence[bool | None], after: Sequence[bool | None], rails: Rails) -> bool:
    """Return whether the same problems are surely won less often: a drop of more than allowed, and an exact sign test
    (one-sided, at 2.5 %). A problem that could not be judged, None, is left out.

    >>> fell([True] * 20 + [False] * 20, [True] * 8 + [False] * 32, Rails())
    True
    >>> fell([True] * 5 + [None], [False] * 5 + [True], Rails())  # 1 of 32 by chance
    False
    """
    pairs = [(was, now) for was, now in zip(before, after, strict=True) if was is not None and now is not None]
    lost = sum(was and not now for was, now in pairs)
    won = sum(now and not was for was, now in pairs)
    chance = sum(comb(lost + won, k) for k in range(won + 1)) / 2 ** (lost + won)
    return lost - won > rails.drop * len(pairs) and chance <= 0.025


def changes(before: Settings, after: Settings) -> list[str]:
    """Return what is different, in words."""
    return [
        f"{part} {name}: {before.get(part, {}).get(name)} -> {value}"
        for part, own in after.items()
        for name, value in own.items()
        if before.get(part, {}).get(name) != value
    ]


def _name(cell: Cell) -> str:
    return f"{cell.env_id} at scale {cell.scale} under {cell.harness.name} with {dict(cell.knobs)}"
