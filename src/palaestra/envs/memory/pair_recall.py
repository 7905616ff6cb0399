"""Pair recall: cards lie face down, two are turned over each turn, and equal ones are taken.

What was turned over is shown once. Equal cards have equal backs, and at most six cards share a back: who works back by
back needs to remember the last four observations and no more. The turn limit suffices for such a player, whatever the
layout: two unknown cards, two more, and a pair is known; at most two turns for each pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, headings, splits
from palaestra.envs.kit.canvas import Canvas, Pixels

SHAPES = ("circle", "square", "triangle", "star", "cross", "diamond")
COLOURS = ("red", "blue", "green", "orange", "purple")
LOOKS = tuple(f"{colour} {shape}" for shape in SHAPES for colour in COLOURS)
BACKS = ("blue", "red", "green", "purple", "brown")
FACES = ("taken", *(f"{back} back" for back in BACKS), *LOOKS)
SHARED = 3  # pairs that share a back, at most
UNKNOWN, GAP = -1, -2

TASK = "Take all pairs of equal cards by turning over two cards at a time."
RULES = "Equal cards have equal backs. They are taken, others are turned back once you saw them."
HINT = "Finish one colour of backs first. If you know two equal cards, take them; otherwise turn over unseen ones."


@dataclass(frozen=True, slots=True)
class Table:
    """All that was shown so far.

    `backs` is the back of each card, `seen` the look seen there (UNKNOWN, or GAP where no card lies), `taken` the cells
    whose cards are gone, `up` those that lie face up now.
    """

    rows: int
    columns: int
    backs: tuple[int, ...]
    seen: tuple[int, ...]
    taken: frozenset[int]
    up: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """The table, the look of every card, and the turns beyond two for each pair."""

    table: Table
    looks: tuple[int, ...]
    slack: int


class PairRecall:
    """The environment."""

    spec = EnvSpec(
        id="memory/pair_recall",
        version=1,
        title="Pair recall",
        horizon=36,
        scales=(
            {"rows": 2, "columns": 3, "slack": 1},
            {"rows": 2, "columns": 4, "slack": 1},
            {"rows": 3, "columns": 4, "slack": 1},
            {"rows": 4, "columns": 4, "slack": 2},
            {"rows": 4, "columns": 5, "slack": 3},
            {"rows": 4, "columns": 6, "slack": 3},
        ),
        knobs=(
            Knob("rows", 2, 5, "rows of cards; an odd table leaves its middle free"),
            Knob("columns", 2, 6, "columns of cards"),
            Knob("slack", 0, 6, "turns beyond two for each pair"),
        ),
        memory=4,
        clairvoyant=True,
        train_only=frozenset({0, 1}),
        embedded_scales=(0, 1, 2),
        tags=frozenset({"multi_turn", "hidden"}),
    )

    def reset(self, instance: Instance) -> Layout:
        settings = self.spec.settings(instance)
        rows, columns, slack = (int(settings[name]) for name in ("rows", "columns", "slack"))
        cells = list(range(rows * columns))
        gaps = [cells.pop(len(cells) // 2)] if len(cells) % 2 else []
        seen = tuple(GAP if cell in gaps else UNKNOWN for cell in range(rows * columns))

        pairs = len(cells) // 2
        groups = -(-pairs // SHARED)

        def propose(rng: np.random.Generator) -> Layout:
            looks, backs = list(seen), [0] * len(seen)
            faces = rng.permutation(len(LOOKS))[:pairs].tolist()
            colours = rng.permutation(len(BACKS))[:groups].tolist()
            order = rng.permutation(cells).tolist()
            for k, face in enumerate(faces):
                for cell in order[2 * k : 2 * k + 2]:
                    looks[cell], backs[cell] = face, colours[k % groups]
            return Layout(Table(rows, columns, tuple(backs), seen, frozenset(gaps)), tuple(looks), slack)

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Layout) -> int:
        return 2 * (len(state.looks) // 2) + state.slack

    def public(self, state: Layout) -> Table:
        return state.table

    def view(self, public: Table, pixels: int = 448) -> View:
        rows, columns = public.rows, public.columns
        kind = _answer(rows, columns)
        names = [_name(public, cell) for cell in range(rows * columns)]
        signs, legend = _signs(names)
        known = [
            f"{headings.label(cell, columns)} {LOOKS[look]}"
            for cell, look in enumerate(public.seen)
            if look >= 0 and cell not in public.taken
        ]
        pairs_left = (rows * columns - len(public.taken)) // 2
        image, scene = None, grid.NOTHING
        if pixels:
            kinds = np.array([FACES.index(name) for name in names]).reshape(rows, columns)
            image, scene = headings.draw(names, kinds, _tiles, pixels, "mint")
        return View(
            answer=kind,
            image=image,
            task=f"{TASK} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Pairs left: {pairs_left}. Cards seen: {'; '.join(known) or 'none'}.",
            caption=f"{headings.told(rows, columns)}\n{captions.board(legend, signs, columns)}",
            scene=scene,
        )

    def step(self, state: Layout, action: tuple[str, ...]) -> Step[Layout]:
        table = state.table
        first, second = (headings.cell_of(label, table.columns) for label in action)
        if first == second or first in table.taken or second in table.taken:
            return Step(state, legal=False, events=("action_illegal",))
        known = _known_pair(table)
        unseen = sum(table.seen[cell] == UNKNOWN for cell in (first, second))
        events = ["unseen_explored"] if unseen else ["seen_revisited"]
        look, other = state.looks[first], state.looks[second]
        seen = list(table.seen)
        seen[first], seen[second] = look, other
        taken = table.taken | {first, second} if look == other else table.taken
        after = replace(state, table=replace(table, seen=tuple(seen), taken=taken, up=tuple(sorted((first, second)))))
        events.append("pair_matched" if look == other else "pair_mismatched")
        if known is not None:
            events.append("memory_used" if look == other and unseen == 0 else "memory_missed")
        if look != other:
            return Step(after, events=tuple(events))
        share = 0.5 / (len(state.looks) // 2)
        if len(taken) < len(state.looks):
            return Step(after, share, events=tuple(events))
        return Step(after, share + 0.5, done=True, success=True, events=(*events, "task_completed"))

    def solve(self, state: Layout) -> Sequence[str] | None:
        """Return the pairs that are left, in the order of their first cards."""
        where: dict[int, list[int]] = {}
        for cell, look in enumerate(state.looks):
            if cell not in state.table.taken:
                where.setdefault(look, []).append(cell)
        return tuple(_reply(state.table, *cells) for cells in where.values())

    def guide(self, public: Table) -> str | None:
        """Return a known pair, else two unseen cards of the back in work, else the last of these with what is left."""
        known = _known_pair(public)
        if known is not None:
            return _reply(public, *known)
        down = [cell for cell in range(len(public.seen)) if cell not in public.taken]
        if not down:
            return None
        begun = [cell for cell in down if public.seen[cell] != UNKNOWN]
        back = public.backs[(begun or down)[0]]
        same = [cell for cell in down if public.backs[cell] == back]
        same.sort(key=lambda cell: public.seen[cell] != UNKNOWN)
        return _reply(public, *same[:2])

    def reseal(self, state: Layout, seed: int) -> Layout:
        """Return the table with the cards that were never seen laid in another order, each under its back."""
        table, looks, rng = state.table, list(state.looks), np.random.default_rng(seed)
        for back in range(len(BACKS)):
            unseen = [cell for cell, look in enumerate(table.seen) if look == UNKNOWN and table.backs[cell] == back]
            for cell, source in zip(unseen, rng.permutation(unseen).tolist(), strict=True):
                looks[cell] = state.looks[source]
        return replace(state, looks=tuple(looks))

    def problem(self, state: Layout) -> bytes:
        """Return which cells belong together and which share a back, not what cards and backs look like."""
        table = state.table
        codes = [look + 1 + 32 * back for look, back in zip(state.looks, table.backs, strict=True)]
        content = np.array(
            [0 if look == GAP else code for look, code in zip(state.looks, codes, strict=True)], np.uint8
        )
        return grid.canonical(table.rows, table.columns, content, _renamed)


def _reply(table: Table, first: int, second: int) -> str:
    columns = table.columns
    return _answer(table.rows, columns).format((headings.label(first, columns), headings.label(second, columns)))


def _name(table: Table, cell: int) -> str:
    """Return what lies at a cell, as captions and scenes name it."""
    if cell in table.up:
        return LOOKS[table.seen[cell]]
    return "taken" if cell in table.taken else f"{BACKS[table.backs[cell]]} back"


def _signs(names: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return one sign for each cell, and what the signs mean: capitals for backs, x and y for what lies face up."""
    sign = {"taken": "-"} | {f"{back} back": key for back, key in zip(BACKS, "BRGPN", strict=True)}
    for name in names:
        if name not in sign:
            sign[name] = "y" if "x" in sign.values() else "x"
    legend = {key: name for name, key in sign.items()}
    return "".join(sign[name] for name in names), legend


def _known_pair(table: Table) -> tuple[int, int] | None:
    """Return the first two cards on the table that are known to be equal."""
    where: dict[int, int] = {}
    for cell, look in enumerate(table.seen):
        if look >= 0 and cell not in table.taken:
            if look in where:
                return where[look], cell
            where[look] = cell
    return None


def _renamed(content: bytes) -> bytes:
    """Return looks and backs numbered in the order in which they first occur."""
    looks: dict[int, int] = {}
    backs: dict[int, int] = {}
    return bytes(
        n for code in content for n in (looks.setdefault(code, len(looks)), backs.setdefault(code >> 5, len(backs)))
    )


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(name, size) for name in FACES)


def _tile(name: str, size: int) -> Pixels:
    """Return one place on the table: a card's back, a look, or the bare table where it was taken."""
    canvas = Canvas(size, size, "mint")
    middle, card = (size / 2, size / 2), size - 2 * max(1, size // 16)
    colour, _, shape = name.partition(" ")
    canvas.shape("square", middle, card, "mint" if name == "taken" else colour if shape == "back" else "white", "slate")
    if shape == "back":
        canvas.shape("diamond", middle, round(card * 0.5), "white", edge="slate")
    elif name != "taken":
        canvas.shape(shape, middle, round(card * 0.66), colour, edge="ink")
    return canvas.pixels


@lru_cache(maxsize=32)
def _answer(rows: int, columns: int) -> answer.Sequence:
    labels = tuple(headings.label(cell, columns) for cell in range(rows * columns))
    return answer.Sequence(labels, shortest=2, longest=2)


environment = PairRecall()
