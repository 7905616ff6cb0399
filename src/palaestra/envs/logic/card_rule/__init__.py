"""Card rule: a secret rule sorts cards into two piles; find it by where cards went, then sort the last ones rightly.

Rules ask for features, compare a card with the one before, or join two such conditions. What counts is certain from
what was shown before, so the guide, who goes by the majority of the rules that fit, needs no luck.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, splits
from palaestra.envs.logic.card_rule.drawing import draw
from palaestra.envs.logic.card_rule.rules import CARDS, KINDS, Bits, deal, fitting, look, piles, rules

PILES = ("left", "right")

ANSWER = Choice(PILES)
TASK = "Put the next card on the pile where a secret rule wants it. The last {} cards must all be put rightly."
RULES = (
    "After each reply the card goes where it belongs; the start card is on no pile. The rule asks for {}. What it asks "
    "for goes left in some games and right in others."
)
HINT = "What do all cards of a pile share, and which nearly equal cards lie on different piles?"
HINT_BEFORE = "Compare each card with the one before it too."
ORDER = "Cards in order of play: start is the start card, left and right are piles, down lies face down, star counts."


@dataclass(frozen=True, slots=True)
class Table:
    """All that was shown so far.

    The level up to which there may be rules, how many cards come to learn from and how many that count, the cards in
    order, whether each went left (the first one and the next one have no pile), whether one that counts was missed.
    """

    level: int
    learn: int
    exam: int
    cards: tuple[int, ...]
    left: tuple[bool, ...] = ()
    missed: bool = False

    @property
    def over(self) -> bool:
        """Whether no card is left to put, or nothing can be won any more."""
        return self.missed or len(self.left) == self.learn + self.exam

    def fitting(self) -> NDArray[np.intp]:
        """Return the rules that sent all cards to their piles."""
        return fitting(self.level, self.cards, self.left)

    def votes(self) -> Bits:
        """Return which of these rules send the next card left."""
        votes: Bits = rules().left[self.fitting(), self.cards[-2], self.cards[-1]]
        return votes


@dataclass(frozen=True, slots=True)
class Game:
    """The table, the whole deck, and the number of the rule."""

    table: Table
    deck: tuple[int, ...]
    rule: int


class CardRule:
    """The environment."""

    spec = EnvSpec(
        id="logic/card_rule",
        version=1,
        title="Card rule",
        horizon=24,
        scales=(
            {"level": 0, "learn": 5, "exam": 3},
            {"level": 1, "learn": 9, "exam": 5},
            {"level": 2, "learn": 9, "exam": 6},
            {"level": 3, "learn": 12, "exam": 7},
            {"level": 4, "learn": 14, "exam": 7},
            {"level": 5, "learn": 16, "exam": 8},
        ),
        knobs=(
            Knob("level", 0, 5, "which kind of rule it is; a player must reckon with those below it too"),
            Knob("learn", 5, 16, "cards that only teach"),
            Knob("exam", 3, 8, "cards that count"),
        ),
        clairvoyant=True,
        embedded_scales=(0,),
        tags=frozenset({"multi_turn", "hidden", "inferred"}),
    )

    def reset(self, instance: Instance) -> Game:
        settings = self.spec.settings(instance)
        level, learn, exam = (int(settings[name]) for name in ("level", "learn", "exam"))

        def propose(rng: np.random.Generator) -> Game | None:
            dealt = deal(level, learn, exam, rng)
            if dealt is None:
                return None
            rule, deck = dealt
            return Game(Table(level, learn, exam, deck[:2]), deck, rule)

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Game) -> int:
        return state.table.learn + state.table.exam

    def public(self, state: Game) -> Table:
        return state.table

    def view(self, public: Table, pixels: int = 448) -> View:
        names = _names(public)
        columns = isqrt(len(names) - 1) + 1
        canvas = draw(names, columns, pixels) if pixels else None
        left = public.learn + public.exam - len(public.left)
        return View(
            answer=ANSWER,
            image=canvas.picture() if canvas else None,
            task=f"{TASK.format(public.exam)} {ANSWER.describe()}",
            rules=RULES.format("; or for ".join(KINDS[: public.level + 1])),
            hint=HINT if public.level < 3 else f"{HINT} {HINT_BEFORE}",
            state=f"Rules that fit so far: {len(public.fitting())}. "
            f"To put: {max(left - public.exam, 0)} cards to learn from, {min(left, public.exam)} that count.",
            caption=f"{ORDER}\n{captions.rows(names, columns)}",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Game, action: str) -> Step[Game]:
        table, turn = state.table, len(state.table.left)
        votes, left = table.votes(), bool(piles(state.rule, table.cards[-2:])[0])
        right, counts = (action == "left") == left, turn >= table.learn
        events = ["guess_consistent"]
        if votes.all() or not votes.any():
            events = ["certain_step_taken" if right else "guess_contradicted"]
        if counts:
            events.append("rule_found" if right else "rule_missed")
        table = replace(table, left=(*table.left, left), missed=counts and not right)
        if not table.over:
            table = replace(table, cards=state.deck[: turn + 3])
        won = table.over and not table.missed
        return Step(
            replace(state, table=table),
            (0.5 / table.exam if counts and right else 0.0) + 0.5 * won,
            done=table.over,
            success=won,
            events=(*events, "task_completed") if won else tuple(events),
        )

    def solve(self, state: Game) -> Sequence[str] | None:
        table = state.table
        if table.over:
            return None if table.missed else ()
        return [PILES[not left] for left in piles(state.rule, state.deck[len(table.left) :]).tolist()]

    def guide(self, public: Table) -> str | None:
        """Return the pile that most of the rules want that fit so far."""
        return None if public.over else PILES[bool(2 * public.votes().sum() < len(public.fitting()))]

    def reseal(self, state: Game, seed: int) -> Game:
        """Return the table under another rule that fits, over the same deck."""
        return replace(state, rule=int(np.random.default_rng(seed).choice(state.table.fitting())))

    def problem(self, state: Game) -> bytes:
        """Return the deck and its piles, up to the names of piles, fillings, colours, shapes, and of these features."""
        table, left = state.table, piles(state.rule, state.deck)
        numbers, *looks = CARDS[:, state.deck].tolist()
        same = (left == left[0]).tolist()
        return bytes((table.level, table.learn, table.exam, *numbers, *same)) + b"".join(sorted(map(_renamed, looks)))


def _renamed(values: Sequence[int]) -> bytes:
    """Return the values of a feature numbered in the order in which they first occur."""
    names: dict[int, int] = {}
    return bytes(names.setdefault(value, len(names)) for value in values)


def _names(table: Table) -> list[str]:
    """Return what lies at each place of the table, in the order of play."""
    places = ["start", *(PILES[not left] for left in table.left), "next"]
    shown = [f"{place}-{look(card)}" for place, card in zip(places, table.cards, strict=False)]
    return shown + (["down"] * table.learn + ["star"] * table.exam)[len(shown) - 1 :]


environment = CardRule()
