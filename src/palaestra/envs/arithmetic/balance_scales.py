"""Balance scales: several balances are level; find the weight of each coloured shape that lies on them.

A balance is an equation between shapes and known weights. There are as many balances as kinds of shapes, and
elimination shows that only one weight for each kind keeps all of them level.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations

import numpy as np

from palaestra.core.answer import Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.arithmetic import _balance
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.parts import Asked, scored

COLOURS = ("red", "blue", "green", "yellow", "purple", "orange")
SHAPES = ("circle", "square", "triangle", "star", "cross", "diamond", "hexagon")
LETTERS = "ABCDE"

TASK = "Every balance is level; grey weights say what they weigh. Find what each shape weighs."
RULES = "Both pans of a balance weigh the same, and equal shapes weigh the same, wherever they lie."
HINT = "Begin with a balance of one kind, or combine two balances so that a kind falls out."


@dataclass(frozen=True, slots=True)
class Balance:
    """How often each kind lies on it, negative on the right pan, and its known weight, negative on the left pan.

    So the counts times what the kinds weigh sum up to the known weight.
    """

    counts: tuple[int, ...]
    known: int

    def pan(self, side: int) -> list[int]:
        """Return the kinds on the left pan (0) or on the right one (1), each as often as it lies there."""
        return [kind for kind, count in enumerate(self.counts) for _ in range((count, -count)[side])]

    def known_on(self, side: int) -> int:
        """Return the known weight on a pan, 0 when there is none."""
        return max((-self.known, self.known)[side], 0)


@dataclass(frozen=True, slots=True)
class Scales:
    """One question: what the kinds look like, the balances, the most a shape may weigh, the most pieces on a pan."""

    kinds: tuple[str, ...]
    balances: tuple[Balance, ...]
    heaviest: int
    pieces: int


class BalanceScales:
    """The environment."""

    spec = EnvSpec(
        id="arithmetic/balance_scales",
        version=1,
        title="Balance scales",
        horizon=1,
        scales=(
            {"kinds": 2, "plain": 1, "mixed": 2, "heaviest": 9, "pieces": 4},
            {"kinds": 3, "plain": 1, "mixed": 2, "heaviest": 9, "pieces": 4},
            {"kinds": 3, "plain": 0, "mixed": 2, "heaviest": 12, "pieces": 5},
            {"kinds": 4, "plain": 0, "mixed": 2, "heaviest": 12, "pieces": 5},
            {"kinds": 4, "plain": 0, "mixed": 3, "heaviest": 15, "pieces": 5},
            {"kinds": 5, "plain": 0, "mixed": 3, "heaviest": 20, "pieces": 5},
        ),
        knobs=(
            Knob("kinds", 2, 5, "kinds of shapes, and balances"),
            Knob("plain", 0, 2, "balances with shapes of one kind only"),
            Knob("heaviest", 6, 20, "the most that a shape may weigh"),
            Knob("pieces", 4, 6, "the most pieces on a pan"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "lines"}),
    )

    def reset(self, instance: Instance) -> Asked[Scales]:
        settings = self.spec.settings(instance)
        kinds, plain, mixed, heaviest, pieces = (int(value) for value in settings.values())

        def propose(rng: np.random.Generator) -> Asked[Scales] | None:
            weights = rng.integers(1, heaviest + 1, kinds).tolist()
            balances = []
            for b in range(kinds):
                counts = [0] * kinds
                for kind in rng.permutation(kinds)[: 1 if b < plain else mixed].tolist():
                    counts[kind] = int(rng.integers(1, 4) * rng.choice((-1, 1)))
                balance = Balance(tuple(counts), sum(c * w for c, w in zip(counts, weights, strict=True)))
                if max(len(balance.pan(side)) + bool(balance.known_on(side)) for side in (0, 1)) > pieces:
                    return None
                balances.append(balance)
            if _weights(tuple(balances)) is None:
                return None
            looks = zip(rng.permutation(COLOURS).tolist(), rng.permutation(SHAPES).tolist(), strict=False)
            names = tuple(f"{colour} {shape}" for colour, shape in looks)[:kinds]
            order = rng.permutation(kinds).tolist()
            return Asked(Scales(names, tuple(balances[b] for b in order), heaviest, pieces))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Scales]) -> int:
        return 1

    def public(self, state: Asked[Scales]) -> Scales:
        return state.question

    def view(self, public: Scales, pixels: int = 448) -> View:
        kind = _answer(public.kinds, public.heaviest)
        canvas = _draw(public, pixels) if pixels else None
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"{TASK} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"One of each shape weighs {sum(_weights(public.balances) or ())} together.",
            caption="; ".join(_told(public)) + ".",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Scales], action: tuple[int, ...]) -> Step[Asked[Scales]]:
        scales = state.question
        level = [sum(c * w for c, w in zip(b.counts, action, strict=True)) == b.known for b in scales.balances]
        true = _weights(scales.balances) or ()
        right = [said == weight for said, weight in zip(action, true, strict=True)]
        events = ["constraint_kept" if kept else "constraint_broken" for kept in level]
        events += ["value_ok" if ok else "value_off" for ok in right]
        return scored(Asked(scales, answered=True), sum(right), len(right), events)

    def solve(self, state: Asked[Scales]) -> Sequence[str] | None:
        if state.answered:
            return ()
        scales = state.question
        return [_answer(scales.kinds, scales.heaviest).format(_weights(scales.balances))]

    def problem(self, state: Asked[Scales]) -> bytes:
        """Return the equations in any order, with their pans exchanged and whatever the kinds look like."""
        balances = state.question.balances
        return repr(min(_sorted(balances, order) for order in permutations(range(len(balances))))).encode()


def _sorted(balances: Sequence[Balance], order: Sequence[int]) -> list[tuple[int, ...]]:
    rows = [(*(b.counts[k] for k in order), b.known) for b in balances]
    return sorted(max(row, tuple(-value for value in row)) for row in rows)


@lru_cache(maxsize=512)
def _weights(balances: tuple[Balance, ...]) -> tuple[int, ...] | None:
    """Return what the kinds weigh by elimination, None where the balances leave it open."""
    rows = [[Fraction(value) for value in (*b.counts, b.known)] for b in balances]
    for k in range(len(rows)):
        at = next((r for r in range(k, len(rows)) if rows[r][k]), None)
        if at is None:
            return None
        rows[k], rows[at] = rows[at], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for r, row in enumerate(rows):
            if r != k and row[k]:
                rows[r] = [a - row[k] * b for a, b in zip(row, rows[k], strict=True)]
    return tuple(int(row[-1]) for row in rows)


def _told(scales: Scales) -> Iterator[str]:
    """Yield the balances as equations, such as "A: 2 red star + weight 3 = 1 blue cross"."""
    for letter, balance in zip(LETTERS, scales.balances, strict=False):
        pans = []
        for side in (0, 1):
            on = balance.pan(side)
            parts = [f"{on.count(kind)} {scales.kinds[kind]}" for kind in sorted(set(on))]
            known = balance.known_on(side)
            pans.append(" + ".join([*parts, f"weight {known}"] if known else parts))
        yield f"{letter}: {' = '.join(pans)}"


def _draw(scales: Scales, pixels: int) -> Canvas:
    """Draw the balances one below the other, with their letters between the pans."""
    high = min(pixels // len(scales.balances), round(pixels * 0.3))
    canvas = Canvas(pixels, high * len(scales.balances))
    slot = min(pixels * _balance.PAN / scales.pieces, high * 0.6)
    size, glyph = int(slot * 0.96) if slot > 20 else int(slot), max(7, pixels // 32)
    for row, balance in enumerate(scales.balances):
        top = row * high
        canvas.pixels[top : top + high] = _balance.balance(pixels, high)
        name = LETTERS[row]
        canvas.element(name, canvas.text(name, (pixels / 2, top + high * 0.4), glyph), glyph=glyph)
        for side in (0, 1):
            middle, surface = _balance.pan(pixels, high, 0, side)
            known = balance.known_on(side)
            pieces = [scales.kinds[kind] for kind in balance.pan(side)] + ([f"weight {known}"] if known else [])
            for k, piece in enumerate(pieces):
                place = (middle + (k + 0.5 - len(pieces) / 2) * slot, top + surface - size / 2 - 1)
                if piece.startswith("weight"):
                    digits = max(6, round(size * 0.4))
                    box = canvas.shape("square", place, size, "silver", "slate", str(known), digits, "black")
                    canvas.element(piece, box, glyph=digits)
                else:
                    colour, shape = piece.split()
                    canvas.element(piece, canvas.shape(shape, place, size, colour, edge="ink"))
    return canvas


@lru_cache(maxsize=512)
def _answer(kinds: tuple[str, ...], heaviest: int) -> Record:
    return Record(tuple((name, Integer(1, heaviest)) for name in kinds))


environment = BalanceScales()
