"""N-back: cards come one a frame, and of each one must say what it has in common with the card some frames earlier.

Every card has a shape, a colour and a place, and only one or two of these count. Each asked feature repeats at times
and at times does not, so no constant reply wins; lures repeat the card one frame too late or too early.

Source: the n-back task (Kirchner 1958), with two features the dual task (Jaeggi et al. 2008). Departures: the first
wrong reply ends it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.memory._frames import NEXT

SIDE = 3  # cells of the table
FEATURES = ("shape", "colour", "place")
SHAPES = ("circle", "square", "triangle", "star", "cross")
COLOURS = ("red", "blue", "yellow", "teal", "black")  # told apart by colour-blind people too
VALUES = (len(SHAPES), len(COLOURS), SIDE * SIDE)
LOOKS = tuple(f"{colour} {shape}" for shape in SHAPES for colour in COLOURS)
NAMES = ("empty", *LOOKS)
REPEATS = 0.45  # share of cards that repeat a feature
EARLIER = ("", "one frame", "two frames", "three frames", "four frames")

ONE = "Say of each card whether its {} is the same as that of the card {} earlier, or another."
TWO = "Say of each card in which of {} and {} it equals the card {} earlier."
RULES = "A card shows a coloured shape at a place. The first wrong reply ends the game."
HINT = "Keep the latest cards in mind in their order; at every frame the oldest of them may be forgotten."

Card = tuple[int, ...]
"""The value of each feature."""


@dataclass(frozen=True, slots=True)
class Stream:
    """Cards of which those up to `at` were shown (the public part holds no others), and whether a reply was wrong."""

    back: int
    asked: tuple[int, ...]
    lures: float
    total: int
    cards: tuple[Card, ...]
    at: int = 0
    lost: bool = False

    def repeats(self) -> tuple[bool, ...]:
        """Return which of the asked features the present card repeats."""
        return _repeats(self.cards, self.asked, self.at, self.back)


class NBack:
    """The environment."""

    spec = EnvSpec(
        id="memory/n_back",
        version=1,
        title="N-back",
        horizon=16,
        scales=(
            {"back": 1, "cards": 6, "asked": 1, "lures": 0.0},
            {"back": 2, "cards": 8, "asked": 1, "lures": 0.2},
            {"back": 2, "cards": 10, "asked": 1, "lures": 0.4},
            {"back": 2, "cards": 11, "asked": 2, "lures": 0.4},
            {"back": 3, "cards": 13, "asked": 2, "lures": 0.6},
            {"back": 4, "cards": 16, "asked": 2, "lures": 0.6},
        ),
        knobs=(
            Knob("back", 1, 4, "how many frames earlier the card is that counts"),
            Knob("cards", 6, 16, "cards in all"),
            Knob("asked", 1, 2, "features asked for"),
            Knob("lures", 0.0, 1.0, "share of other features that repeat a card one frame off"),
        ),
        memory=5,
        clairvoyant=True,
        embedded_scales=(0, 1, 2),
        tags=frozenset({"multi_turn", "hidden"}),
        source="Kirchner 1958; Jaeggi et al. 2008",
    )

    def reset(self, instance: Instance) -> Stream:
        settings = self.spec.settings(instance)
        back, total, asked = (int(settings[name]) for name in ("back", "cards", "asked"))
        lures = float(settings["lures"])

        def propose(rng: np.random.Generator) -> Stream | None:
            chosen = tuple(sorted(rng.permutation(len(FEATURES))[:asked].tolist()))
            cards = _cards(rng, back, lures, total)
            return Stream(back, chosen, lures, total, cards) if _fair(cards, chosen, back) else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Stream) -> int:
        return state.total

    def public(self, state: Stream) -> Stream:
        return replace(state, cards=state.cards[: state.at + 1])

    def view(self, public: Stream, pixels: int = 448) -> View:
        kind = _answer(public.asked) if public.at >= public.back else NEXT
        shape, colour, place = public.cards[-1]
        content = bytearray(SIDE * SIDE)
        content[place] = look = 1 + len(COLOURS) * shape + colour
        image, elements = None, grid.NOTHING
        if pixels:
            size = pixels // SIDE
            image = grid.paint(np.frombuffer(content, np.uint8).astype(np.intp).reshape(SIDE, SIDE), _tiles(size))
            elements = grid.scene(NAMES, content, SIDE, SIDE, size)
        names = [FEATURES[feature] for feature in public.asked]
        before = [_told(card) for card in public.cards[:-1][-public.back :]]
        return View(
            answer=kind,
            image=image,
            task=f"{(ONE, TWO)[len(names) - 1].format(*names, EARLIER[public.back])} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Card {len(public.cards)} of {public.total}. Before it: {'; '.join(before) or 'none'}.",
            caption=captions.board(
                {".": "empty", "x": NAMES[look]}, "".join(".x"[value > 0] for value in content), SIDE
            ),
            scene=elements,
        )

    def step(self, state: Stream, action: str) -> Step[Stream]:
        if state.at < state.back:
            return Step(replace(state, at=state.at + 1), events=("unseen_explored",))
        number, true = _answer(state.asked).options.index(action), state.repeats()
        said = tuple(bool(number >> k & 1) for k in range(len(true)))
        events: list[str] = []
        for feature, claimed, repeated in zip(state.asked, said, true, strict=True):
            if claimed == repeated:
                events.append("pair_matched" if repeated else "memory_used")
            elif repeated:
                events.append("memory_missed")
            else:
                near = _near(state.cards, state.at, state.back)
                lured = state.cards[state.at][feature] in [card[feature] for card in near]
                events.append("lookalike_taken" if lured else "false_alarm")
        if said != true:
            return Step(replace(state, lost=True), done=True, events=tuple(events))
        after, share = replace(state, at=state.at + 1), 0.5 / (state.total - state.back)
        if after.at < state.total:
            return Step(after, share, events=tuple(events))
        return Step(after, share + 0.5, done=True, success=True, events=(*events, "task_completed"))

    def solve(self, state: Stream) -> Sequence[str] | None:
        if state.lost:
            return None
        replies = (self.guide(self.public(replace(state, at=at))) for at in range(state.at, state.total))
        return tuple(reply for reply in replies if reply is not None)

    def guide(self, public: Stream) -> str | None:
        """Return what the cards shown so far say."""
        if public.lost or public.at == public.total:
            return None
        if public.at < public.back:
            return NEXT.options[0]
        return _answer(public.asked).options[sum(repeated << k for k, repeated in enumerate(public.repeats()))]

    def reseal(self, state: Stream, seed: int) -> Stream:
        """Return the stream with other cards to come, no less fair."""
        rng, shown = np.random.default_rng(seed), state.cards[: state.at + 1]
        while not _fair(cards := _cards(rng, state.back, state.lures, state.total, shown), state.asked, state.back):
            pass
        return replace(state, cards=cards)

    def problem(self, state: Stream) -> bytes:
        """Return what is asked, and each feature with its values numbered in the order in which they first occur."""
        columns = zip(*state.cards, strict=True)
        renamed = [[column.index(value) for value in column] for column in columns]
        return repr((state.back, state.asked, renamed)).encode()


def _cards(
    rng: np.random.Generator, back: int, lures: float, total: int, begun: tuple[Card, ...] = ()
) -> tuple[Card, ...]:
    """Return a stream of cards that begins with some."""
    cards = list(begun)
    for at in range(len(cards), total):
        cards.append(_card(rng, cards[at - back] if at >= back else None, _near(cards, at, back), lures))
    return tuple(cards)


def _card(rng: np.random.Generator, target: Card | None, near: Sequence[Card], lures: float) -> Card:
    """Return a card of which each feature repeats the target's, or, as a lure, that of a card near it, or neither."""
    card = []
    for feature, values in enumerate(VALUES):
        repeat, lure = rng.random(2).tolist()
        if target and repeat < REPEATS:
            card.append(target[feature])
            continue
        others = [value for value in range(values) if not target or value != target[feature]]
        lured = [other[feature] for other in near if other[feature] in others] if lure < lures else []
        pool = lured or others
        card.append(pool[rng.integers(len(pool))])
    return tuple(card)


def _near(cards: Sequence[Card], at: int, back: int) -> list[Card]:
    """Return the cards one frame off the one that counts."""
    return [cards[k] for k in (at - back - 1, at - back + 1) if 0 <= k < at]


def _repeats(cards: Sequence[Card], asked: tuple[int, ...], at: int, back: int) -> tuple[bool, ...]:
    return tuple(cards[at][feature] == cards[at - back][feature] for feature in asked)


def _fair(cards: Sequence[Card], asked: tuple[int, ...], back: int) -> bool:
    """Return whether each asked feature repeats in a third of the cards at least, and does not in another third."""
    repeated = np.array([_repeats(cards, asked, at, back) for at in range(back, len(cards))])
    counts, least = repeated.sum(0), max(1, len(repeated) // 3)
    return bool(least <= counts.min() and counts.max() <= len(repeated) - least)


@lru_cache(maxsize=16)
def _answer(asked: tuple[int, ...]) -> Choice:
    """Return the options in an order in which the bits of an option's number tell which features repeat."""
    if len(asked) == 1:
        return Choice(("other", "same"))
    return Choice(("neither", *(FEATURES[feature] for feature in asked), "both"))


def _told(card: Card) -> str:
    shape, colour, place = card
    return f"{COLOURS[colour]} {SHAPES[shape]} in row {place // SIDE}, column {place % SIDE}"


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(name, size) for name in NAMES)


def _tile(name: str, size: int) -> Pixels:
    """Return one place of the table, with or without a card."""
    canvas, middle = Canvas(size, size, "mint"), (size / 2, size / 2)
    colour, _, shape = name.partition(" ")
    if shape:
        canvas.shape("square", middle, size - 2 * max(1, size // 24), "white", edge="slate")
        canvas.shape(shape, middle, round(size * 0.62), colour, edge="ink")
    else:
        canvas.shape("square", middle, round(size * 0.8), "grass")
    return canvas.pixels


environment = NBack()
