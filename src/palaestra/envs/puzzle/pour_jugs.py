"""Pour jugs: pour from jug to jug until they hold the amounts asked for.

A pour ends only when one jug is empty or the other full, so only some amounts can be measured out. What can be reached
is searched once for a problem; the amounts asked for are exactly `pours` away.

Source: the three-jug problem (Tartaglia, 1556). Departures: any number of jugs, any amounts at the start.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, splits
from palaestra.envs.kit.canvas import Canvas, Pixels

JUGS = "ABCDE"
ANY = -1

TASK = "Pour until the jugs hold the amounts asked for."
RULES = "A pour goes on until the first jug is empty or the second is full. Nothing is added or spilt."
HINT = "A full jug poured into a smaller one leaves their difference: such remainders are what you measure with."

Amounts = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """All there is to see, jug by jug: what it can hold, what is asked of it (`ANY`: nothing), what it holds."""

    capacities: Amounts
    asked: Amounts
    amounts: Amounts


@dataclass(frozen=True, slots=True)
class Pouring:
    """The table, the amounts at the start, and those before the last pour."""

    table: Table
    start: Amounts
    before: Amounts = ()


class PourJugs:
    """The environment."""

    spec = EnvSpec(
        id="puzzle/pour_jugs",
        version=1,
        title="Pour jugs",
        horizon=14,
        scales=(
            {"jugs": 3, "largest": 8, "asked": 1, "pours": 3},
            {"jugs": 3, "largest": 9, "asked": 2, "pours": 4},
            {"jugs": 4, "largest": 9, "asked": 2, "pours": 4},
            {"jugs": 4, "largest": 10, "asked": 2, "pours": 5},
            {"jugs": 4, "largest": 11, "asked": 3, "pours": 6},
            {"jugs": 4, "largest": 12, "asked": 3, "pours": 8},
        ),
        knobs=(
            Knob("jugs", 3, 5, "jugs"),
            Knob("largest", 6, 14, "litres that a jug holds at most"),
            Knob("asked", 1, 3, "jugs of which an amount is asked"),
            Knob("pours", 2, 8, "fewest pours that reach the amounts"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn"}),
        source="the three-jug problem",
    )

    def reset(self, instance: Instance) -> Pouring:
        settings = self.spec.settings(instance)
        jugs, largest, asked, pours = (int(settings[name]) for name in ("jugs", "largest", "asked", "pours"))

        def propose(rng: np.random.Generator) -> Pouring | None:
            capacities = tuple((2 + rng.permutation(largest - 1)[:jugs]).tolist())
            start = tuple(rng.integers(0, np.array(capacities) + 1).tolist())
            chosen = rng.permutation(jugs)[:asked].tolist()
            depths: dict[Amounts, int] = {}
            for amounts, depth in _reached(capacities, start, pours).items():
                depths.setdefault(tuple(amounts[jug] if jug in chosen else ANY for jug in range(jugs)), depth)
            goals = [goal for goal, depth in depths.items() if depth == pours]
            if not goals:
                return None
            return Pouring(Table(capacities, goals[int(rng.integers(len(goals)))], start), start)

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Pouring) -> int:
        return _left(state) * 3 // 2 + 2

    def public(self, state: Pouring) -> Table:
        return state.table

    def view(self, public: Table, pixels: int = 448) -> View:
        jugs = len(public.capacities)
        kind = _answer(jugs)
        held = [f"{amount}/{capacity}" for amount, capacity in zip(public.amounts, public.capacities, strict=True)]
        asked = ["any" if amount == ANY else str(amount) for amount in public.asked]
        canvas = _draw(public, held, asked, pixels) if pixels else None
        caption = (
            f"Jugs {' '.join(JUGS[:jugs])}: litres held/capacity; below, the amount asked for.\n"
            f"{captions.rows([*held, *asked], jugs)}"
        )
        room = [f"{name} {c - a}" for name, c, a in zip(JUGS, public.capacities, public.amounts, strict=False)]
        done = sum(want in {ANY, amount} for want, amount in zip(public.asked, public.amounts, strict=True))
        state = f"Room left: {', '.join(room)}. Jugs as asked: {done} of {jugs}."
        image, elements = (canvas.picture(), tuple(canvas.elements)) if canvas else (None, ())
        return View(kind, image, f"{TASK} {kind.describe()}", RULES, HINT, state, caption, elements)

    def step(self, state: Pouring, action: str) -> Step[Pouring]:
        table = state.table
        amounts = _poured(table.capacities, table.amounts, JUGS.index(action[0]), JUGS.index(action[-1]))
        if amounts == table.amounts:
            return Step(state, legal=False, events=("action_illegal",))
        after = Pouring(Table(table.capacities, table.asked, amounts), state.start, table.amounts)
        left, before = _left(after), _left(state)
        if left < 0:
            events = ["dead_end_entered" if before >= 0 else "moved_level"]
        else:
            events = ["moved_closer" if left < before else "moved_away" if left > before else "moved_level"]
        for want, was, now in zip(table.asked, table.amounts, amounts, strict=True):
            events += ["subgoal_reached"] * (was != want == now) + ["subgoal_undone"] * (was == want != now)
        if amounts == state.before:
            events.append("path_reversed")
        if left:
            return Step(after, events=tuple(events))
        return Step(after, 1.0, done=True, success=True, events=(*events, "task_completed"))

    def solve(self, state: Pouring) -> Sequence[str] | None:
        """Return the fewest pours."""
        if _left(state) < 0:
            return None
        plan: list[str] = []
        while left := _left(state):
            steps = ((action, self.step(state, action).state) for action in _answer(len(state.start)).options)
            action, state = next((action, after) for action, after in steps if _left(after) == left - 1)
            plan.append(action)
        return tuple(plan)

    def problem(self, state: Pouring) -> bytes:
        """Return the jugs in an order of their own: a table is one problem however they stand."""
        table = state.table
        return repr(sorted(zip(table.capacities, table.amounts, table.asked, strict=True))).encode()


def _poured(capacities: Amounts, amounts: Amounts, one: int, other: int) -> Amounts:
    """Return the amounts after one jug was poured into another."""
    moved = min(amounts[one], capacities[other] - amounts[other])
    poured = list(amounts)
    poured[one] -= moved
    poured[other] += moved
    return tuple(poured)


def _reached(capacities: Amounts, start: Amounts, pours: int) -> dict[Amounts, int]:
    """Return all that can be reached by some pours at most, with the fewest that reach it."""
    depths = {start: 0}
    queue = deque([start])
    pairs = tuple(permutations(range(len(start)), 2))
    while queue and depths[queue[0]] < pours:
        amounts = queue.popleft()
        for one, other in pairs:
            if amounts[one] and amounts[other] < capacities[other]:
                poured = _poured(capacities, amounts, one, other)
                if poured not in depths:
                    depths[poured] = depths[amounts] + 1
                    queue.append(poured)
    return depths


@lru_cache(maxsize=256)
def _lefts(capacities: Amounts, asked: Amounts, start: Amounts) -> Mapping[Amounts, int]:
    """Return the fewest pours left wherever pours lead from a start and the amounts can still be reached."""
    sources: dict[Amounts, list[Amounts]] = {}
    pairs = tuple(permutations(range(len(start)), 2))
    reached = _reached(capacities, start, sum(capacities) ** 2)
    for amounts in reached:
        for one, other in pairs:
            sources.setdefault(_poured(capacities, amounts, one, other), []).append(amounts)
    goals = [a for a in reached if all(want in {ANY, amount} for want, amount in zip(asked, a, strict=True))]
    left = dict.fromkeys(goals, 0)
    queue = deque(goals)
    while queue:
        amounts = queue.popleft()
        for source in sources.get(amounts, ()):
            if source not in left:
                left[source] = left[amounts] + 1
                queue.append(source)
    return left


def _left(state: Pouring) -> int:
    """Return the fewest pours left, -1 when the amounts cannot be reached any more."""
    table = state.table
    return _lefts(table.capacities, table.asked, state.start).get(table.amounts, -1)


@lru_cache(maxsize=8)
def _answer(jugs: int) -> Choice:
    return Choice(tuple(f"{one} to {other}" for one, other in permutations(JUGS[:jugs], 2)))


def _draw(table: Table, held: Sequence[str], asked: Sequence[str], pixels: int) -> Canvas:
    """Draw the jugs side by side on one scale, their letters below, and what is asked for on cards."""
    width, height, line = pixels // len(held), round(pixels * 0.7), round(pixels * 0.11)
    canvas = Canvas(width * len(held), height + 2 * line, "paper")
    unit = (height - pixels // 28) / max(table.capacities)
    letter, figure = max(6, pixels // 24), max(7, pixels // 15)
    for jug, (amount, capacity) in enumerate(zip(table.amounts, table.capacities, strict=True)):
        left, middle = jug * width, jug * width + width // 2
        canvas.pixels[:height, left : left + width] = _jug(amount, capacity, unit, width, height)
        canvas.element(held[jug], (left, 0, left + width, height), (0, jug), _numeral(unit))
        canvas.element(JUGS[jug], canvas.text(JUGS[jug], (middle, height + line // 2), letter), glyph=letter)
        glyph = figure if asked[jug] != "any" else max(6, figure // 2)
        card = (middle - width // 3, height + line, middle + width // 3, height + 2 * line - 2)
        canvas.rectangle(card, "gold" if asked[jug] != "any" else "mist")
        for bold in (0, 1):
            canvas.text(asked[jug], (middle + bold + 0.2, height + line * 3 // 2), glyph)  # no half pixels
        canvas.element(asked[jug], card, (1, jug), glyph)
    return canvas


def _numeral(unit: float) -> int:
    """Return the height of the numerals on a scale of some pixels for each litre."""
    return min(16, max(6, round(unit * 0.42)))


@lru_cache(maxsize=4096)
def _jug(amount: int, capacity: int, unit: float, width: int, height: int) -> Pixels:
    """Return a graduated jug with what it holds."""
    canvas = Canvas(width, height, "paper")
    rim = max(1, width // 36)
    left, right, bottom = width // 6, width - width // 4, height - rim
    top = round(bottom - capacity * unit)
    ring = round(min(0.42 * width, 0.7 * (bottom - top)))
    for size, fill in ((ring, "slate"), (ring - 4 * rim, "paper")):
        canvas.shape("circle", (right, (top + bottom) / 2), size, fill)
    canvas.rectangle((left - 2 * rim, top - rim, left + rim, top + rim), "slate")
    canvas.rectangle((left - rim, top - rim, right + rim, bottom + rim), "slate")
    canvas.rectangle((left, top - rim, right, bottom), "sky")
    surface = round(bottom - amount * unit)
    canvas.rectangle((left, surface, right, bottom), "blue")
    for litre in range(1, capacity + 1):
        y, ink = round(bottom - litre * unit), "white" if litre <= amount else "ink"
        canvas.rectangle((left, y, left + (right - left) // 4, y + rim), ink)
        canvas.text(str(litre), ((left + right) / 2, y + unit / 2), _numeral(unit), ink)
    return canvas.pixels


environment = PourJugs()
