"""Weigh odd: find the false coin among equal ones, and whether it is heavy or light, in a few weighings.

Some weighings have been made already and stay drawn, as do all that follow. What they leave possible is worth a search,
and the weighings left suffice for a player who always parts it as evenly as can be. At high scales two coins are false,
both heavy or both light.

Source: the problem of the twelve coins. Departures: the first weighings are given; one weighing to spare.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.arithmetic import _balance
from palaestra.envs.arithmetic.weigh_odd import rules
from palaestra.envs.arithmetic.weigh_odd.rules import KINDS, LETTERS, VERSUS, Case, Record, Weighing
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas

TRIES = 60  # weighings drawn until there are enough that leave enough open
OUTCOMES = {1: "heavier than", 0: "level with", -1: "lighter than"}

GOALS = {
    1: "One coin is false: heavier or lighter than the others. Name it",
    2: "Two coins are false: both heavier or both lighter than the others. Name both",
}
TASK = "{}, then heavy or light; or first weigh some coins against as many others, with vs between them. {}"
RULES = (
    "True coins weigh the same. The lower pan is heavier. Empty balances are weighings left. A name ends the search."
)
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
            {"coins": 5, "false": 1, "given": 1, "open": 4, "spare": 1},
            {"coins": 7, "false": 1, "given": 1, "open": 6, "spare": 1},
            {"coins": 9, "false": 1, "given": 2, "open": 6, "spare": 1},
            {"coins": 12, "false": 1, "given": 3, "open": 8, "spare": 1},
            {"coins": 10, "false": 2, "given": 3, "open": 12, "spare": 1},
            {"coins": 12, "false": 2, "given": 4, "open": 16, "spare": 1},
        ),
        knobs=(
            Knob("coins", 5, 12, "coins, false ones included"),
            Knob("given", 1, 4, "weighings made before the first turn"),
            Knob("spare", 1, 3, "weighings beyond the least that could do"),
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
            record = Record(coins, false, (), 0)
            for _ in range(TRIES):
                size, order = int(rng.integers(1, coins // 2 + 1)), rng.permutation(coins).tolist()
                left, right = (tuple(sorted(pan)) for pan in (order[:size], order[size : 2 * size]))
                weighing = Weighing(left, right, truth.outcome(left, right))
                more = replace(record, weighings=(*record.weighings, weighing))
                if len(rules.possible(more)) >= least:
                    record = more
                if len(record.weighings) == given:
                    possible = len(rules.possible(record))
                    enough = next(n for n in range(possible) if 3**n >= possible)
                    return Search(replace(record, left=enough + spare), truth)
            return None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Search) -> int:
        return state.record.left + 1

    def public(self, state: Search) -> Record:
        return state.record

    def view(self, public: Record, pixels: int = 448) -> View:
        kind = _answer(public.coins)
        canvas = _draw(public, pixels) if pixels else None
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=TASK.format(GOALS[public.false], kind.describe()),
            rules=RULES,
            hint=HINT,
            state=f"Possibilities that agree with the weighings: {len(rules.possible(public))}.",
            caption="\n".join(_told(public)),
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Search, action: tuple[str, ...]) -> Step[Search]:
        record, said = state.record, rules.read(action)
        if said is None or (len(said.coins) != record.false if isinstance(said, Case) else not record.left):
            return Step(state, legal=False, events=("action_illegal",))
        before = rules.possible(record)
        if isinstance(said, Case):
            events = ["guess_consistent" if said in before else "guess_contradicted"]
            if len(before) > 1 and record.left:
                events.append("risk_taken")
            elif before == (said,):
                events.append("certain_step_taken")
            right = said == state.truth
            events.append("odd_found" if right else "odd_missed")
            return Step(replace(state, named=said), float(right), done=True, success=right, events=tuple(events))
        after = _weighed(state, said.left, said.right)
        informative = len(rules.possible(after.record)) < len(before)
        return Step(after, events=("trial_informative" if informative else "trial_redundant",))

    def solve(self, state: Search) -> Sequence[str] | None:
        """Return the guide's weighings and then the truth."""
        if state.named is not None:
            return () if state.named == state.truth else None
        plan = []
        while state.record.left and len(rules.possible(state.record)) > 1:
            pans = rules.best(state.record)
            plan.append(_weigh(state.record, *pans))
            state = _weighed(state, *pans)
        return [*plan, _name(state.record, state.truth)]

    def guide(self, public: Record) -> str | None:
        """Return the weighing that parts what is possible most evenly, or the name when only one is left."""
        possible = rules.possible(public)
        return _weigh(public, *rules.best(public)) if public.left and len(possible) > 1 else _name(public, possible[0])

    def reseal(self, state: Search, seed: int) -> Search:
        """Return the same record with another truth that agrees with it."""
        possible = rules.possible(state.record)
        return replace(state, truth=possible[np.random.default_rng(seed).integers(len(possible))])

    def problem(self, state: Search) -> bytes:
        """Return the truth and where each coin lay, for any names of coins, order of weighings, exchange of pans."""
        record, truth = state.record, state.truth
        sides = np.zeros((len(record.weighings), record.coins), np.int16)
        for row, weighing in zip(sides, record.weighings, strict=True):
            row[list(weighing.left)], row[list(weighing.right)] = 1, -1
        codes = rules.images(len(sides)) @ sides
        codes[:, list(truth.coins)] += 1000
        codes.sort(axis=1)
        shape = repr((len(sides), record.coins, truth.kind, record.left)).encode()
        return shape + bytes(min(image.tobytes() for image in codes))


def _weighed(state: Search, left: Sequence[int], right: Sequence[int]) -> Search:
    """Return the state after a weighing."""
    record, shown = state.record, Weighing(tuple(left), tuple(right), state.truth.outcome(left, right))
    return replace(state, record=replace(record, weighings=(*record.weighings, shown), left=record.left - 1))


def _weigh(record: Record, left: Sequence[int], right: Sequence[int]) -> str:
    pans = ([LETTERS[coin] for coin in pan] for pan in (left, right))
    return _answer(record.coins).format((*next(pans), VERSUS, *next(pans)))


def _name(record: Record, case: Case) -> str:
    return _answer(record.coins).format((*(LETTERS[coin] for coin in case.coins), KINDS[case.kind]))


def _told(record: Record) -> Iterator[str]:
    yield f"Coins {' '.join(LETTERS[: record.coins])}; weighings left: {record.left}."
    for left, right, outcome in record.weighings:
        names = [" ".join(LETTERS[coin] for coin in pan) for pan in (left, right)]
        yield f"{names[0]} {OUTCOMES[outcome]} {names[1]}."


def _draw(record: Record, pixels: int) -> Canvas:
    """Draw the coins in a row, below it the weighings made, and empty balances for those left."""
    rows = len(record.weighings) + record.left
    high = pixels // (rows + 1)
    canvas = Canvas(pixels, high * (rows + 1))
    slot = min(pixels * _balance.PAN / (record.coins // 2), pixels / record.coins, high * 0.6)
    size = round(slot * 0.96)
    glyph = max(6, round(size * 0.5))

    def lay(coins: Sequence[int], middle: float, bottom: float) -> None:
        for k, coin in enumerate(coins):
            centre = (middle + (k + 0.5 - len(coins) / 2) * slot, bottom - size / 2)
            box = canvas.shape("circle", centre, size, "gold", "ink", LETTERS[coin], glyph)
            canvas.element(LETTERS[coin], box, glyph=glyph)

    lay(range(record.coins), pixels / 2, high * 0.8)
    made = [*record.weighings, *[Weighing((), (), 0)] * record.left]
    for row, weighing in enumerate(made, 1):
        top = row * high
        canvas.pixels[top : top + high] = _balance.balance(pixels, high, weighing.outcome)
        for side, pan in enumerate(weighing[:2]):
            middle, surface = _balance.pan(pixels, high, weighing.outcome, side)
            lay(pan, middle, top + surface)
    return canvas


@lru_cache(maxsize=16)
def _answer(coins: int) -> answer.Sequence:
    items = (*LETTERS[:coins], VERSUS, *KINDS.values())
    return answer.Sequence(items, shortest=2, longest=coins // 2 * 2 + 1)


environment = WeighOdd()
