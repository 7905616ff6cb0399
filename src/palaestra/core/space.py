"""What an engineer may set: the parts of a mixture, the dials of each, and nothing else.

A part is one environment with some knobs fixed; its dials are further knobs, its scale or its rung, each with the
values it may take, the easiest first. Settings give every part a weight and every dial a value: that is a
`Distribution` with one cell for each part, and any distribution over such cells reads back as settings.

Source: LLM-as-Environment-Engineer, whose configuration (data, hole and wait ratio for each of eight sizes) is a space
of eight parts. Departures: any environments, scales, rungs and knobs; values lie on a grid, so that all can be named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palaestra.core.distribution import Cell, Distribution
from palaestra.core.errors import BadDistribution, nearest
from palaestra.core.instance import Knobs, Setting, knobs
from palaestra.core.observation import HARNESSES, Harness

WEIGHT, SCALE, RUNG = "weight", "scale", "rung"
"""Names that are no knobs: the share of a part, and what else of a cell a dial may set."""

Settings = Mapping[str, Mapping[str, Setting]]
"""By part: its weight, and what its dials are set to."""


@dataclass(frozen=True, slots=True)
class Dial:
    """One thing that may be set, to one of some values, the easiest first.

    >>> holes = Dial.stepped("holes", 0.0, 0.4, 0.1)
    >>> holes.values, holes.nearest(0.17), holes.moved(0.1, 2), holes.place(0.1), holes.at(0.9)
    ((0.0, 0.1, 0.2, 0.3, 0.4), 0.2, 0.3, 0.25, 0.4)
    """

    name: str
    values: tuple[Setting, ...]
    doc: str = ""

    def __post_init__(self) -> None:
        words = any(isinstance(value, str) for value in self.values)
        if not self.values or len(set(self.values)) < len(self.values):
            raise BadDistribution(f"dial {self.name}: values {list(self.values)}; give one at least, each once")
        if self.name == WEIGHT or (words and not all(isinstance(value, str) for value in self.values)):
            raise BadDistribution(f"dial {self.name}: values are all texts or all numbers, and {WEIGHT!r} is no dial")

    @staticmethod
    def stepped(name: str, low: float, high: float, step: float, doc: str = "") -> "Dial":
        """Return the dial of the values from `low` to `high`; whole ends and a whole step give whole values."""
        if not low <= high or not step > 0:
            raise BadDistribution(f"dial {name}: from {low} to {high} by {step}; the ends in order, the step above 0")
        return Dial(name, tuple(round(low + k * step, 10) for k in range(int((high - low) / step + 1e-9) + 1)), doc)

    def nearest(self, value: float) -> Setting:
        """Return the value next to a number, for a dial of numbers."""
        return min(self.values, key=lambda own: abs(float(own) - value))

    def place(self, value: Setting) -> float:
        """Return where a value stands, 0 for the easiest and 1 for the hardest."""
        return self.values.index(value) / max(1, len(self.values) - 1)

    def at(self, place: float) -> Setting:
        """Return the value that stands nearest to a place in [0, 1]."""
        return self.values[round(min(1.0, max(0.0, place)) * (len(self.values) - 1))]

    def moved(self, value: Setting, steps: int) -> Setting:
        """Return the value so many steps harder, the last one where they end."""
        return self.values[min(len(self.values) - 1, max(0, self.values.index(value) + steps))]


@dataclass(frozen=True, slots=True)
class Limit:
    """A dependency: where every number of `when` lies in its range [low, high], those of `then` lie in theirs."""

    when: Mapping[str, tuple[float, float]]
    then: Mapping[str, tuple[float, float]]

    def applies(self, own: Mapping[str, Setting]) -> bool:
        """Return whether some values meet the condition."""
        return all(isinstance(own.get(name), int | float) and low <= float(own[name]) <= high
                   for name, (low, high) in self.when.items())  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """One environment with some knobs fixed; `scale` and `rung` hold where no dial of this name sets them.

    >>> lake = Part("lake", "grid/frozen_lake", (Dial("size", (4, 5, 6)),), knobs=(("holes", 0.2),))
    >>> cell = lake.cell({"size": 5})
    >>> cell.knobs, lake.owns(cell), lake.read(cell)
    ((('holes', 0.2), ('size', 5)), True, {'size': 5})
    """

    name: str
    env_id: str
    dials: tuple[Dial, ...] = ()
    knobs: Knobs = ()
    scale: int = 0
    rung: str = "H4"
    limits: tuple[Limit, ...] = ()

    def __post_init__(self) -> None:
        names = [dial.name for dial in self.dials]
        if len(set(names)) < len(names) or not {name for name, _ in self.knobs}.isdisjoint(names):
            raise BadDistribution(f"part {self.name}: a dial is named twice, or fixed as a knob too: {names}")
        rungs = next((dial.values for dial in self.dials if dial.name == RUNG), (self.rung,))
        if unknown := [rung for rung in rungs if rung not in HARNESSES]:
            raise BadDistribution(
                f"part {self.name}: no rung is called {unknown[0]!r}{nearest(str(unknown[0]), HARNESSES)}"
            )

    @property
    def fixed(self) -> dict[str, Setting]:
        """What no dial sets: knobs, scale and rung."""
        own = {SCALE: self.scale, RUNG: self.rung, **dict(self.knobs)}
        return {name: value for name, value in own.items() if name not in {dial.name for dial in self.dials}}

    def cell(self, settings: Mapping[str, Setting]) -> Cell:
        """Return the cell of some settings, with groups of the default size."""
        own = {**self.fixed, **{dial.name: settings[dial.name] for dial in self.dials}}
        scale, rung = own.pop(SCALE), own.pop(RUNG)
        return Cell(self.env_id, int(scale), HARNESSES[str(rung)], knobs(own))

    def read(self, cell: Cell) -> dict[str, Setting]:
        """Return what the dials are set to in a cell of this part."""
        own = _values(cell)
        return {dial.name: own[dial.name] for dial in self.dials}

    def owns(self, cell: Cell) -> bool:
        """Return whether a cell is one of this part's."""
        own, allowed = _values(cell), self.allowed
        return cell.env_id == self.env_id and own.keys() == allowed.keys() and all(own[n] in allowed[n] for n in own)

    @property
    def allowed(self) -> dict[str, tuple[Setting, ...]]:
        """The values that everything of a cell may take."""
        return {name: (value,) for name, value in self.fixed.items()} | {d.name: d.values for d in self.dials}

    def within(self, settings: Mapping[str, Setting]) -> dict[str, Setting]:
        """Return settings that keep the limits: a dial beyond one goes to the nearest value inside, if there is one."""
        own = dict(settings)
        for limit in self.limits:
            for dial in self.dials if limit.applies({**self.fixed, **own}) else ():
                low, high = limit.then.get(dial.name, (float("-inf"), float("inf")))
                inside = [value for value in dial.values if isinstance(value, str) or low <= value <= high]
                if own[dial.name] not in inside and inside:
                    own[dial.name] = Dial(dial.name, tuple(inside)).nearest(float(own[dial.name]))
        return own


@dataclass(frozen=True, slots=True)
class Space:
    """All that an engineer may set, part by part, the easiest first; and how the groups of its cells are played.

    >>> space = Space((Part("small", "a/b", scale=0), Part("large", "a/b", scale=1)))
    >>> mixture = space.distribution({"small": {"weight": 0.5}, "large": {"weight": 1.5}})
    >>> mixture.marginal("scale"), space.settings(mixture)
    ({0: 0.25, 1: 0.75}, {'small': {'weight': 0.25}, 'large': {'weight': 0.75}})
    """

    parts: tuple[Part, ...]
    rollouts: int = 16
    learn: Harness | None = None
    guided: float = 1.0

    def __post_init__(self) -> None:
        if not self.parts:
            raise BadDistribution("a space without parts leaves nothing to set; name an environment")
        for k, part in enumerate(self.parts):
            for other in self.parts[:k]:
                if part.name == other.name or _overlap(part, other):
                    raise BadDistribution(
                        f"parts {other.name!r} and {part.name!r} have one name or can be one cell; fix different "
                        "scales or knobs"
                    )

    def owner(self, cell: Cell) -> Part | None:
        """Return the part that a cell belongs to, None for a stranger."""
        return next((part for part in self.parts if part.owns(cell)), None)

    def distribution(self, settings: Settings) -> Distribution:
        """Return the mixture of some settings; a part of weight 0 keeps its cell.

        Raises:
            BadDistribution: no weight is positive, or one is negative.
        """
        return Distribution({self.cell(part, settings[part.name]): float(settings[part.name][WEIGHT])
                             for part in self.parts})  # fmt: skip

    def cell(self, part: Part, settings: Mapping[str, Setting]) -> Cell:
        """Return the cell of a part, played as this space says."""
        own = part.cell(settings)
        return Cell(own.env_id, own.scale, own.harness, own.knobs, None, self.learn, self.guided, self.rollouts)

    def settings(self, mixture: Distribution) -> dict[str, dict[str, Setting]]:
        """Return a mixture as settings: a part's weight is its share, a dial stands where its cells do on average."""
        owned: dict[str, list[tuple[Cell, float]]] = {part.name: [] for part in self.parts}
        for cell, share in mixture.probabilities().items():
            if (part := self.owner(cell)) is not None:
                owned[part.name].append((cell, share))
        return {part.name: _mean(part, owned[part.name]) for part in self.parts}


def _mean(part: Part, cells: Sequence[tuple[Cell, float]]) -> dict[str, Setting]:
    total = sum(share for _, share in cells)
    own: dict[str, Setting] = {WEIGHT: round(total, 4)}
    read = [(part.read(cell), share if total else 1.0) for cell, share in cells]
    for dial in part.dials:
        places = [(dial.place(found[dial.name]), share) for found, share in read]
        whole = sum(share for _, share in places)
        own[dial.name] = dial.at(sum(place * share for place, share in places) / whole if whole else 0.0)
    return own


def _values(cell: Cell) -> dict[str, Setting]:
    return {SCALE: cell.scale, RUNG: cell.harness.name, **dict(cell.knobs)}


def _overlap(one: Part, other: Part) -> bool:
    a, b = one.allowed, other.allowed
    return one.env_id == other.env_id and a.keys() == b.keys() and all(set(a[n]) & set(b[n]) for n in a)
