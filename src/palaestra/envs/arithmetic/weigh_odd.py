"""Weigh odd: find the false coin among equal ones, and whether it is heavy or light, in a few weighings.

Some weighings have been made already and stay drawn, as do all that follow. The weighings left suffice for a player who
always parts what is possible as evenly as can be. At high scales two coins are false, both heavy or both light.

Source: the problem of the twelve coins. Departures: the first weighings are given.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.arithmetic import _balance
from palaestra.envs.arithmetic._coins import (
    KINDS,
    Case,
    Record,
    Weighing,
    agree,
    best,
    needed,
    possible,
    signs,
    weighed,
)
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas

LETTERS = "ABCDEFGHJKLM"
VERSUS = "vs"
OUTCOMES = {1: "heavier than", 0: "level with", -1: "lighter than"}

GOALS = {
    1: "One coin is false: heavier or lighter than the others. Name it",
    2: "Two coins are false: both heavier or both lighter than the others. Name both",
}
TASK = "{}, then heavy or light; or first weigh coins, as many on either side of vs. Empty balances: weighings left. {}"
RULES = "True coins weigh the same. The lower pan is heavier. A name ends the search."
HINT = "Weigh so that each of the three outcomes would leave about a third of what is possible."


@dataclass(frozen=True, slots=True)
class Search:
    """The record, the truth, and what was named at last."""

    record: Record
    truth: Case
    named: Case | None = None


class WeighOdd:
    """The environment."""

    spec = EnvSpec(
        id="arithmetic/weigh_odd",
        version=1,
        title="Weigh odd",
        horizon=6,
        scales=(
            {"coins": 6, "false": 1, "given": 2, "open": 3, "spare": 1},
            {"coins": 8, "false": 1, "given": 2, "open": 5, "spare": 0},
            {"coins": 9, "false": 1, "given": 3, "open": 6, "spare": 0},
            {"coins": 12, "false": 1, "given": 3, "open": 9, "spare": 0},
            {"coins": 10, "false": 2, "given": 3, "open": 12, "spare": 0},
            {"coins": 11, "false": 2, "given": 4, "open": 15, "spare": 0},
        ),
        knobs=(
            Knob("coins", 5, 12, "coins, false ones included"),
            Knob("given", 1, 4, "weighings made before the first turn"),
            Knob("spare", 0, 3, "weighings beyond those that the guide needs"),
        ),
        clairvoyant=True,
        train_only=frozenset({0, 1, 2, 3}),
        embedded_scales=(0,),
        tags=frozenset({"multi_turn", "hidden", "inferred", "lines"}),
        source="the problem of the twelve coins",
    )

    def reset(self, instance: Instance) -> Search:
        settings = self.spec.settings(instance)
        coins, false, given, least, spare = (int(value) for value in settings.values())
        least = min(least, coins * false - 1)

        def propose(rng: np.random.Generator) -> Search | None:
            truth = Case(tuple(sorted(rng.permutation(coins)[:false].tolist())), int(rng.choice((-1, 1))))
            weighings, cases = list[Weighing](), signs(coins, false)
            for _ in range(20):  # tries to find weighings that leave enough open
                size, order = int(rng.integers(1, coins // 2 + 1)), rng.permutation(coins).tolist()
                shown = truth.weighed(order[:size], order[size : 2 * size])
                after = cases[agree(cases, shown)]
                if len(after) >= least:
                    weighings, cases = [*weighings, shown], after
                if len(weighings) == given:
                    return Search(Record(coins, false, tuple(weighings), 0), truth)
            return None

        drawn = splits.draw(instance, propose, self.problem)
        return replace(drawn, record=replace(drawn.record, left=needed(drawn.record) + spare))

    def horizon(self, state: Search) -> int:
        return state.record.left + 1

    def public(self, state: Search) -> Record:
        return state.record

    def view(self, public: Record, pixels: int = 448) -> View:
        kind = _answer(public.coins)
        canvas = _draw(public, pixels) if pixels else None
        told = [f"Coins {' '.join(LETTERS[: public.coins])}; weighings left: {public.left}."]
        for left, right, outcome in public.weighings:
            told.append(f"{' '.join(_letters(left))} {OUTCOMES[outcome]} {' '.join(_letters(right))}.")
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=TASK.format(GOALS[public.false], kind.describe()),
            rules=RULES,
            hint=HINT,
            state=f"Possibilities that agree with the weighings: {len(possible(public))}.",
            caption="\n".join(told),
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Search, action: tuple[str, ...]) -> Step[Search]:
        record, said = state.record, _read(action)
        if said is None or (len(said.coins) != record.false if isinstance(said, Case) else not record.left):
            return Step(state, legal=False, events=("action_illegal",))
        before = possible(record)
        if isinstance(said, Case):
            right = said == state.truth
            events = ["guess_consistent" if said in before else "guess_contradicted"]
            if before == (said,) or (len(before) > 1 and record.left):  # without weighings left no step is certain
                events.append("risk_taken" if before[1:] else "certain_step_taken")
            events.append("difference_found" if right else "difference_missed")
            return Step(replace(state, named=said), float(right), done=True, success=right, events=tuple(events))
        after = weighed(record, state.truth, said.left, said.right)
        event = "trial_informative" if len(possible(after)) < len(before) else "trial_redundant"
        return Step(replace(state, record=after), events=(event,))

    def solve(self, state: Search) -> Sequence[str] | None:
        """Return the guide's weighings and then the truth."""
        if state.named is not None:
            return () if state.named == state.truth else None
        record, (coins, kind), plan = state.record, state.truth, list[str]()
        while VERSUS in (reply := self.guide(record)):
            plan.append(reply)
            record = weighed(record, state.truth, *best(record))
        return [*plan, _answer(record.coins).format((*_letters(coins), KINDS[kind]))]

    def guide(self, public: Record) -> str:
        """Return the weighing that parts what is possible most evenly, or the name when only one is left."""
        case, *others = possible(public)
        if not (others and public.left):
            return _answer(public.coins).format((*_letters(case.coins), KINDS[case.kind]))
        left, right = map(_letters, best(public))
        return _answer(public.coins).format((*left, VERSUS, *right))

    def reseal(self, state: Search, seed: int) -> Search:
        """Return the same record with another truth that agrees with it."""
        cases = possible(state.record)
        return replace(state, truth=cases[np.random.default_rng(seed).integers(len(cases))])

    def problem(self, state: Search) -> bytes:
        """Return the truth and where each coin lay, for any names of coins, order of weighings, exchange of pans."""
        record, truth = state.record, state.truth
        sides = np.zeros((len(record.weighings), record.coins), np.int16)
        for row, weighing in zip(sides, record.weighings, strict=True):
            row[list(weighing.left)], row[list(weighing.right)] = 1, -1
        codes = _images(len(sides)) @ sides
        codes[:, list(truth.coins)] += 1000
        codes.sort(axis=1)
        return repr((len(sides), record.coins, truth.kind)).encode() + bytes(min(image.tobytes() for image in codes))


def _read(action: tuple[str, ...]) -> Weighing | Case | None:
    """Return the weighing or the name that a reply says, None when it is neither."""
    kind = next((sign for sign, word in KINDS.items() if word == action[-1]), 0)
    at = len(action) - 1 if kind else action.index(VERSUS) if VERSUS in action else 0
    first, second = (tuple(sorted(map(LETTERS.find, part))) for part in (action[:at], action[at + 1 :]))
    if -1 in first + second or len({*first, *second}) < len(action) - 1:
        return None
    return Case(first, kind) if kind else Weighing(first, second, 0) if len(first) == len(second) else None


@lru_cache(maxsize=8)
def _images(weighings: int) -> NDArray[np.int16]:
    """Return what weighings count for in a coin's code [images, weighings]: in any order, pans exchanged or not."""
    orders, flips = permutations(3**k for k in range(weighings)), tuple(product((-1, 1), repeat=weighings))
    return np.array([np.multiply(order, flip) for order in orders for flip in flips], np.int16)


def _letters(coins: Sequence[int]) -> list[str]:
    return [LETTERS[coin] for coin in coins]


def _draw(record: Record, pixels: int) -> Canvas:
    """Draw the coins in a row, below it the weighings made, and a small empty balance for each one left."""
    small = pixels // 8
    wide = min(pixels * _balance.PAN / (record.coins // 2), pixels / (record.coins + 0.5))
    high = int(min((pixels - small) / (len(record.weighings) + 0.8), 2 * wide))
    slot = min(wide, high * 0.6)
    size, glyph, head = round(slot * 0.96), max(6, round(slot * 0.48)), round(slot * 1.3)
    canvas = Canvas(pixels, head + high * len(record.weighings) + small)

    def lay(coins: Sequence[int], middle: float, bottom: float) -> None:
        for k, coin in enumerate(coins):
            centre = (middle + (k + 0.5 - len(coins) / 2) * slot, bottom - size / 2)
            box = canvas.shape("circle", centre, size, "gold", "ink", LETTERS[coin], glyph)
            canvas.element(LETTERS[coin], box, glyph=glyph)

    lay(range(record.coins), pixels / 2, head - slot * 0.1)
    for top, weighing in zip(range(head, canvas.pixels.shape[0], high), record.weighings, strict=False):
        canvas.pixels[top : top + high] = _balance.balance(pixels, high, weighing.outcome)
        for side, pan in enumerate(weighing[:2]):
            middle, surface = _balance.pan(pixels, high, weighing.outcome, side)
            lay(pan, middle, top + surface)
    for k in range(record.left):
        left = round(pixels / 2 + (k - record.left / 2) * small + small / 14)
        canvas.pixels[-small:, left : left + small - small // 7] = _balance.balance(small - small // 7, small)
    return canvas


@lru_cache(maxsize=16)
def _answer(coins: int) -> answer.Sequence:
    return answer.Sequence((*LETTERS[:coins], VERSUS, *KINDS.values()), shortest=2, longest=coins // 2 * 2 + 1)


environment = WeighOdd()
