"""Matchsticks: an equation of matches is false; move some of them, and no more, to make it true.

Digits have seven places for sticks, signs have two. All true equations of a layout are known as sets of places, so the
fewest moves from any arrangement, digits or not, are the sticks that the nearest of them with as many sticks lacks.

Source: the matchstick equations of puzzle books. Departures: digits of seven segments, and the equals sign stays.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from palaestra.core.answer import Sequence as InOrder
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import Element, Picture, View
from palaestra.envs.kit import bits, captions, grid, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.palette import PALETTE

PLACES = 7  # of a symbol, a bit for each
DIGITS = ("123567", "36", "13457", "13467", "2346", "12467", "124567", "136", "1234567", "123467")
PLUS, MINUS = "12", "1"
LETTERS = "ABCDEFG"
UNDO = "undo"
LAYOUTS = {3: ((1, 1, 1),), 4: ((1, 1, 2), (2, 1, 1)), 5: ((1, 2, 2), (2, 1, 2), (2, 2, 1)), 6: ((2, 2, 2),)}

TASK = (
    "Make the equation true: name the place of a stick and the empty place it goes to, or {} a move. Moves: {} of {}."
)
RULES = "Digits look as on a calculator; no 0 begins a number of two. Once all moves are made, only undo is left."
HINT = "Look which digits differ by one stick more or less, and which by the place of one."
PLACED = (
    "Places in a digit: 1 top, 2 upper left, 3 upper right, 4 middle, 5 lower left, 6 lower right, 7 bottom; in a "
    "sign: 1 level, 2 upright, see the key. Sticks lie at:"
)

Layout = tuple[int, int, int]
Move = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Equation:
    """All there is to see: the digits of the three numbers, sticks as a bit for each place, moves to make and made."""

    layout: Layout
    sticks: int
    wanted: int
    moves: tuple[Move, ...] = ()


class Matchsticks:
    """The environment."""

    spec = EnvSpec(
        id="puzzle/matchsticks",
        version=1,
        title="Matchsticks",
        horizon=15,
        scales=(
            {"digits": 3, "moves": 1},
            {"digits": 5, "moves": 1},
            {"digits": 5, "moves": 2},
            {"digits": 6, "moves": 2},
            {"digits": 5, "moves": 3},
            {"digits": 6, "moves": 4},
        ),
        knobs=(
            Knob("digits", 3, 6, "digits of the three numbers together"),
            Knob("moves", 1, 4, "moves that are needed"),
        ),
        train_only=frozenset({0}),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "planted"}),
        source="matchstick equations",
    )

    def reset(self, instance: Instance) -> Equation:
        settings = self.spec.settings(instance)
        layouts, moves = LAYOUTS[int(settings["digits"])], int(settings["moves"])

        def propose(rng: np.random.Generator) -> Equation | None:
            layout = layouts[int(rng.integers(len(layouts)))]
            numbers = [int(rng.integers(_range(size).start, _range(size).stop)) for size in layout]
            equation = Equation(layout, _laid(numbers, layout, PLUS if rng.random() < 0.5 else MINUS), moves)
            return equation if _left(equation) == moves else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Equation) -> int:
        return 3 * state.wanted + 3

    def public(self, state: Equation) -> Equation:
        return state

    def view(self, public: Equation, pixels: int = 448) -> View:
        kind = _answer(public.layout)
        words, readings = _words(public)
        image, elements = _drawn(public, words, pixels) if pixels else (None, grid.NOTHING)
        task = f"{TASK.format(UNDO, len(public.moves), public.wanted)} {kind.describe()}"
        state = f"It reads {' '.join(readings)}; moves left: {public.wanted - len(public.moves)}."
        letters = " ".join(LETTERS[: sum(public.layout) + 1])
        caption = f"Symbols {letters} and =. {PLACED}\n{captions.rows(words, len(words))}"
        return View(kind, image, task, RULES, HINT, state, caption, elements)

    def step(self, state: Equation, action: tuple[str, ...]) -> Step[Equation]:
        if action == (UNDO,) and state.moves:
            return Step(_moved(state, *state.moves[-1][::-1], state.moves[:-1]), events=("move_undone",))
        if len(action) < 2 or UNDO in action or len(state.moves) == state.wanted:
            return Step(state, legal=False, events=("action_illegal",))
        one, other = (_places(state.layout)[name] for name in action)
        if not state.sticks >> one & ~state.sticks >> other & 1:
            return Step(state, legal=False, events=("action_illegal",))
        after = _moved(state, one, other, (*state.moves, (one, other)))
        left, before = _left(after), _left(state)
        events = ["moved_closer" if left < before else "moved_away" if left > before else "moved_level"]
        events += ["resource_wasted"] if left >= before else []
        if (other, one) == (state.moves or ((),))[-1]:
            events.append("path_reversed")
        if left:
            return Step(after, events=tuple(events))
        return Step(after, 1.0, done=True, success=True, events=(*events, "task_completed"))

    def solve(self, state: Equation) -> Sequence[str] | None:
        """Return the moves to the nearest true equation, after as many are undone as were wasted."""
        plan: list[str] = []
        while _left(state) > state.wanted - len(state.moves):
            plan.append(UNDO)
            state = self.step(state, (UNDO,)).state
        goal = _nearest(state.layout, state.sticks)[1]
        names = {place: name for name, place in _places(state.layout).items()}
        pairs = zip(bits.cells(state.sticks & ~goal), bits.cells(goal & ~state.sticks), strict=True)
        return (*plan, *(f"{names[one]}, {names[other]}" for one, other in pairs))

    def problem(self, state: Equation) -> bytes:
        return bytes([*state.layout, state.wanted]) + state.sticks.to_bytes(8, "little")


def _moved(equation: Equation, one: int, other: int, moves: tuple[Move, ...]) -> Equation:
    return replace(equation, sticks=equation.sticks ^ 1 << one ^ 1 << other, moves=moves)


def _range(digits: int) -> range:
    return range(10) if digits == 1 else range(10, 100)


def _shape(segments: str) -> int:
    return sum(1 << int(segment) - 1 for segment in segments)


def _laid(numbers: Sequence[int], layout: Layout, sign: str) -> int:
    """Return the sticks of an equation, symbol by symbol from the left."""
    shapes = [_shape(DIGITS[int(digit)]) for number in numbers for digit in str(number)]
    shapes.insert(layout[0], _shape(sign))
    return sum(shape << PLACES * symbol for symbol, shape in enumerate(shapes))


@lru_cache(maxsize=16)
def _true(layout: Layout) -> Mapping[int, NDArray[np.uint64]]:
    """Return all true equations of a layout by the number of their sticks."""
    first, second, third = map(_range, layout)
    found: dict[int, list[int]] = {}
    for a, b, sign in product(first, second, (PLUS, MINUS)):
        c = a + b if sign == PLUS else a - b
        if c in third:
            sticks = _laid((a, b, c), layout, sign)
            found.setdefault(sticks.bit_count(), []).append(sticks)
    return {count: np.array(some, np.uint64) for count, some in found.items()}


@lru_cache(maxsize=4096)
def _nearest(layout: Layout, sticks: int) -> tuple[int, int]:
    """Return the fewest moves to a true equation, with that equation; more moves than there are places if none is."""
    goals = _true(layout).get(sticks.bit_count())
    if goals is None:
        return 64, 0
    missing = np.bitwise_count(goals & ~np.uint64(sticks))
    best = int(missing.argmin())
    return int(missing[best]), int(goals[best])


def _left(equation: Equation) -> int:
    return _nearest(equation.layout, equation.sticks)[0]


@lru_cache(maxsize=16)
def _places(layout: Layout) -> Mapping[str, int]:
    """Return every place by its name."""
    symbols = range(sum(layout) + 1)
    sizes = [2 if symbol == layout[0] else PLACES for symbol in symbols]
    return {f"{LETTERS[s]}{place + 1}": PLACES * s + place for s in symbols for place in range(sizes[s])}


@lru_cache(maxsize=16)
def _answer(layout: Layout) -> InOrder:
    return InOrder((*_places(layout), UNDO), 1, 2)


def _words(equation: Equation) -> tuple[list[str], list[str]]:
    """Return for each symbol, the equals sign included, the places of its sticks, and what it reads as."""
    words, readings = [], []
    for symbol in range(sum(equation.layout) + 1):
        shape = equation.sticks >> PLACES * symbol & (1 << PLACES) - 1
        places = "".join(str(place + 1) for place in bits.cells(shape)) or "none"
        if symbol == equation.layout[0]:
            words.append(f"sign:{places}")
            readings.append({PLUS: "+", MINUS: "-"}.get(places, "?"))
        else:
            words.append(places)
            readings.append(str(DIGITS.index(places)) if places in DIGITS else "?")
    equals = sum(equation.layout[:2]) + 1
    return [*words[:equals], "=", *words[equals:]], [*readings[:equals], "=", *readings[equals:]]


def _drawn(equation: Equation, words: Sequence[str], pixels: int) -> tuple[Picture, tuple[Element, ...]]:
    """Draw the symbols between their letters and the key to their places."""
    width = pixels // len(words)
    frame, heads, top = _frame(equation.layout, len(words), pixels)
    height, drawn = width * 9 // 5, frame.copy()
    elements = list(heads)
    for column, word in enumerate(words):
        kind = "equals" if word == "=" else "sign" if ":" in word else "digit"
        places = "12" if word == "=" else "" if word.endswith("none") else word.removeprefix("sign:")
        left = column * width
        drawn[top : top + height, left : left + width] = _symbol(kind, places, width, height)
        elements.append(Element(word, (0, column), (left, top, left + width, top + height)))
    return Picture(drawn, PALETTE), tuple(elements)


@lru_cache(maxsize=64)
def _frame(layout: Layout, columns: int, pixels: int) -> tuple[Pixels, Sequence[Element], int]:
    """Return the ground with letters and key, what they are, and where the symbols begin."""
    width, top, size = pixels // columns, max(9, pixels // 12), round(pixels * 0.36)
    glyph, below = max(6, pixels // 24), top + width * 9 // 5 + pixels // 48
    canvas = Canvas(width * columns, below + size, "deep")
    named = [column for column in range(columns) if column != sum(layout[:2]) + 1]
    for letter, column in zip(LETTERS, named, strict=False):
        box = canvas.text(letter, ((column + 0.5) * width, top / 2), glyph, "white")
        canvas.element(letter, box, glyph=glyph)
    wide, middle, numeral = round(size * 0.66), width * columns // 2, max(6, size // 9)
    canvas.rectangle((middle - wide, below, middle + wide, below + size), "mist")
    for left, kind in ((middle - wide, "digit"), (middle, "sign")):
        for place, shares in enumerate(_LINES[kind], 1):
            x0, x1 = (left + wide * share for share in shares[::2])
            y0, y1 = (below + size * (0.06 + 0.88 * share) for share in shares[1::2])
            canvas.segments([(x0, y0, x1, y1)], max(1, size // 24), "silver")
            at = (x0, y0) if kind == "sign" else ((x0 + x1) / 2, (y0 + y1) / 2)
            canvas.shape("circle", at, round(numeral * 1.4), "mist")
            canvas.text(str(place), at, numeral)
    canvas.element("key", (middle - wide, below, middle + wide, below + size), glyph=numeral)
    return canvas.pixels, canvas.elements, top


_LINES = {
    "digit": (
        (0.2, 0.08, 0.8, 0.08), (0.2, 0.08, 0.2, 0.5), (0.8, 0.08, 0.8, 0.5), (0.2, 0.5, 0.8, 0.5),
        (0.2, 0.5, 0.2, 0.92), (0.8, 0.5, 0.8, 0.92), (0.2, 0.92, 0.8, 0.92),
    ),
    "sign": ((0.14, 0.5, 0.86, 0.5), (0.5, 0.3, 0.5, 0.7)),
    "equals": ((0.14, 0.41, 0.86, 0.41), (0.14, 0.59, 0.86, 0.59)),
}  # fmt: skip
"""The places of a symbol in order, as lines (x0, y0, x1, y1) in shares of its width and height."""


@lru_cache(maxsize=2048)
def _symbol(kind: str, places: str, width: int, height: int) -> Pixels:
    """Return a symbol with sticks on some of its places and traces of the others."""
    canvas = Canvas(width, height, "deep")
    thick = max(2, round(width * 0.13))
    for place, line in enumerate(_LINES[kind], 1):
        stick = str(place) in places
        weight, inset = thick if stick else max(1, thick // 3), round(thick * 0.6)
        x0, y0, x1, y1 = (round(share * side) for share, side in zip(line, (width, height) * 2, strict=True))
        left, top = (x0 + inset, y0 - weight // 2) if y0 == y1 else (x0 - weight // 2, y0 + inset)
        right, bottom = (x1 - inset, top + weight) if y0 == y1 else (left + weight, y1 - inset)
        canvas.rectangle((left, top, right, bottom), "sand" if stick else "grey")
        if stick:
            canvas.shape("circle", (left + weight / 2, top + weight / 2), round(thick * 1.4), "red")
    return canvas.pixels


environment = Matchsticks()
