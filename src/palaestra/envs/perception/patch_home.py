"""Patch home: which of the patches below was cut out of each hole of a tiled picture.

The picture repeats a block of tiles, plainly or every other time as its mirror image, and every tile in a hole has a
copy in sight; so what a hole held can be read off elsewhere. Patches that belong nowhere differ from one that does in a
single tile.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from palaestra.core.answer import Choice, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.parts import Asked, scored

TILES = (
    ("o", "disc", "circle", "blue", "sky"),
    ("x", "cross", "cross", "red", "rose"),
    ("d", "diamond", "diamond", "brown", "sand"),
    ("s", "square", "square", "green", "mint"),
    ("t", "triangle", "triangle", "purple", "mist"),
    ("w", "star", "star", "yellow", "navy"),
)  # sign, name, shape, colour, ground
SIGNS = "".join(sign for sign, *_ in TILES)
MOST = 6  # holes, so that all have numbers
TRIES = 20
LEGEND = {sign: name for sign, name, *_ in TILES} | {"_": "gap"} | {str(k + 1): f"hole {k + 1}" for k in range(MOST)}
NAMES = tuple(LEGEND.values())
GAP = SIGNS.index("w") + 1  # the content of a hole's cell; its first cell shows the number
LETTERS = "ABCDEFGHJKLM"  # no I, which is a mere stroke

PLAIN = "The picture repeats one block of tiles across and down. Patches fit as they are."
MIRRORED = "The picture repeats one block of tiles across and down, each time mirrored. Patches fit as they are."
HINT = "Follow a row past the hole to where it comes round again, and compare tile by tile."

Patch = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Puzzle:
    """One question: the board with gaps, the first cell of each hole, the patches, and how the picture was made."""

    board: Patch
    holes: tuple[tuple[int, int], ...]
    patches: tuple[Patch, ...]
    block: tuple[int, int]
    mirrored: bool

    def home(self) -> tuple[str, ...]:
        """Return the letter of each hole's patch, read off tiles in sight."""
        rows = _fold(len(self.board), self.block[0], self.mirrored)
        columns = _fold(len(self.board[0]), self.block[1], self.mirrored)
        known = {
            (r, c): kind
            for r, line in zip(rows, self.board, strict=True)
            for c, kind in zip(columns, line, strict=True)
            if kind != GAP
        }
        size = range(len(self.patches[0]))
        held = [tuple(tuple(known[rows[r + i], columns[c + j]] for j in size) for i in size) for r, c in self.holes]
        return tuple(LETTERS[self.patches.index(patch)] for patch in held)


class PatchHome:
    """The environment."""

    spec = EnvSpec(
        id="perception/patch_home",
        version=1,
        title="Patch home",
        horizon=1,
        scales=(
            {"rows": 4, "columns": 6, "block": 2, "mirrored": 0, "hole": 1, "holes": 2, "decoys": 1},
            {"rows": 5, "columns": 9, "block": 2, "mirrored": 0, "hole": 2, "holes": 2, "decoys": 2},
            {"rows": 7, "columns": 10, "block": 3, "mirrored": 0, "hole": 2, "holes": 3, "decoys": 3},
            {"rows": 8, "columns": 12, "block": 3, "mirrored": 0, "hole": 2, "holes": 3, "decoys": 4},
            {"rows": 8, "columns": 12, "block": 3, "mirrored": 1, "hole": 2, "holes": 4, "decoys": 4},
            {"rows": 10, "columns": 15, "block": 4, "mirrored": 1, "hole": 2, "holes": 5, "decoys": 5},
        ),
        knobs=(
            Knob("block", 2, 4, "rows of the block that is repeated; it has one column more"),
            Knob("mirrored", 0, 1, "whether the block is mirrored each time"),
            Knob("holes", 2, 6, "holes in the picture"),
            Knob("decoys", 0, 5, "patches that belong nowhere"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn"}),
    )

    def reset(self, instance: Instance) -> Asked[Puzzle]:
        settings = self.spec.settings(instance)
        rows, columns, size = (int(settings[name]) for name in ("rows", "columns", "hole"))
        holes, decoys, mirrored = int(settings["holes"]), int(settings["decoys"]), bool(settings["mirrored"])
        block = (int(settings["block"]), int(settings["block"]) + 1)
        fold = np.ix_(_fold(rows, block[0], mirrored), _fold(columns, block[1], mirrored))

        def propose(rng: np.random.Generator) -> Asked[Puzzle] | None:
            drawn = rng.integers(len(TILES), size=block)
            board = drawn[fold]
            places = _places(rows - size + 1, columns - size + 1, size, holes, rng)
            patches = [_patch(board[r : r + size, c : c + size]) for r, c in places]
            for r, c in places:
                board[r : r + size, c : c + size] = GAP
            seen = np.zeros(block, bool)
            seen[tuple(axis[board != GAP] for axis in np.broadcast_arrays(*fold))] = True
            if len(set(patches)) < holes or not seen.all():
                return None
            likened = rng.permutation(holes).tolist()  # else what most patches resemble would be known to fit hole 1
            for k in range(decoys):
                other = _altered(patches[likened[k % holes]], patches, drawn.ravel(), rng)
                if other is None:
                    return None
                patches.append(other)
            order = rng.permutation(len(patches)).tolist()
            return Asked(Puzzle(_patch(board), places, tuple(patches[k] for k in order), block, mirrored))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Puzzle]) -> int:
        return 1

    def public(self, state: Asked[Puzzle]) -> Puzzle:
        return state.question

    def view(self, public: Puzzle, pixels: int = 448) -> View:
        kind = _answer(len(public.holes), len(public.patches))
        kinds = _kinds(public)
        canvas = _draw(public, kinds, pixels) if pixels else None
        signs = "".join(map("".join(LEGEND).__getitem__, kinds.ravel().tolist()))
        shown = [f"{letter} {_name(patch)}" for letter, patch in zip(LETTERS, public.patches, strict=False)]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"Tell which patch was cut out of each hole. {kind.describe()}",
            rules=MIRRORED if public.mirrored else PLAIN,
            hint=HINT,
            state=f"The block is {public.block[0]} tiles high and {public.block[1]} wide.",
            caption=f"{captions.board(LEGEND, signs, kinds.shape[1])}\nPatches by rows: {'; '.join(shown)}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Puzzle], action: tuple[str, ...]) -> Step[Asked[Puzzle]]:
        puzzle = state.question
        home = puzzle.home()
        events: list[str] = []
        for said, true in zip(action, home, strict=True):
            events.append("piece_placed" if said == true else "piece_misplaced")
            if said not in home:
                taken, missed = (np.array(puzzle.patches[LETTERS.index(letter)]) for letter in (said, true))
                events += ["lookalike_taken"] if np.count_nonzero(taken != missed) == 1 else []
        return scored(Asked(puzzle, answered=True), events.count("piece_placed"), len(home), events)

    def solve(self, state: Asked[Puzzle]) -> Sequence[str] | None:
        puzzle = state.question
        return () if state.answered else [_answer(len(puzzle.holes), len(puzzle.patches)).format(puzzle.home())]

    def problem(self, state: Asked[Puzzle]) -> bytes:
        """Return board and patches up to mirror images of both, with tiles numbered as they come up."""
        puzzle = state.question
        size = len(puzzle.patches[0])
        board, patches = np.array(puzzle.board, np.uint8), np.array(puzzle.patches, np.uint8)
        images = []
        for down, across in product((1, -1), repeat=2):
            drawn = board[::down, ::across]
            names = bytes(dict.fromkeys(drawn.tobytes() + bytes(range(GAP))))
            renamed = np.argsort(np.frombuffer(names, np.uint8)).astype(np.uint8)
            cut = sorted(renamed[patch[::down, ::across]].tobytes() for patch in patches)
            images.append(renamed[drawn].tobytes() + b"".join(cut))
        return bytes([*board.shape, size]) + min(images)


def _fold(length: int, block: int, mirrored: bool) -> list[int]:
    """Return which line of the block each line of the picture shows."""
    order = [*range(block), *range(block)[::-1]] if mirrored else [*range(block)]
    return [order[k % len(order)] for k in range(length)]


def _patch(cells: NDArray[np.int64]) -> Patch:
    return tuple(map(tuple, cells.tolist()))


def _places(rows: int, columns: int, size: int, count: int, rng: np.random.Generator) -> tuple[tuple[int, int], ...]:
    """Return first cells of holes that do not touch, from the top; fewer where there is no room."""
    places: list[tuple[int, int]] = []
    for cell in rng.permutation(rows * columns).tolist():
        r, c = divmod(cell, columns)
        if len(places) < count and all(max(abs(r - i), abs(c - j)) > size for i, j in places):
            places.append((r, c))
    return tuple(sorted(places))


def _altered(patch: Patch, known: Sequence[Patch], kinds: NDArray[np.int64], rng: np.random.Generator) -> Patch | None:
    """Return a patch with one tile exchanged, unlike all known ones; None when none was found."""
    for r, c, k in rng.integers((len(patch), len(patch), len(kinds)), size=(TRIES, 3)).tolist():
        cells = np.array(patch)
        cells[r, c] = kinds[k]
        if (other := _patch(cells)) not in known:
            return other
    return None


def _name(patch: Patch) -> str:
    """Return what captions and scenes call a patch, such as "ox dd"."""
    return " ".join("".join(SIGNS[kind] for kind in line) for line in patch)


def _kinds(puzzle: Puzzle) -> NDArray[np.intp]:
    """Return the board as tiles to draw, with the numbers of the holes."""
    kinds = np.array(puzzle.board, np.intp)
    for k, place in enumerate(puzzle.holes):
        kinds[place] = GAP + 1 + k
    return kinds


def _draw(puzzle: Puzzle, kinds: NDArray[np.intp], pixels: int) -> Canvas:
    """Draw the board and, below it, the patches in lines, each with its letter to its left."""
    (rows, columns), size = kinds.shape, len(puzzle.patches[0])
    lines = -(-len(puzzle.patches) // (columns // (size + 1)))
    in_line = -(-len(puzzle.patches) // lines)
    cell = min(pixels // columns, int(pixels / (rows + lines * (size + 0.5) + 0.5)))
    tiles, glyph, gap = _tiles(cell), max(7, min(cell // 2, pixels // 24)), cell // 2
    canvas = Canvas(columns * cell, rows * cell + lines * (size * cell + gap) + gap)
    canvas.pixels[: rows * cell] = grid.paint(kinds, tiles).pixels
    canvas.elements += [
        element._replace(glyph=glyph if element.name[:4] == "hole" else 0)
        for element in grid.scene(NAMES, kinds.ravel().tolist(), rows, columns, cell)
    ]
    for k, (letter, patch) in enumerate(zip(LETTERS, puzzle.patches, strict=False)):
        line, place = divmod(k, in_line)
        top, side = rows * cell + gap + line * (size * cell + gap), size * cell
        left = round((place + 0.5) * columns * cell / in_line - side / 2 + 0.65 * glyph)
        left = min(left, columns * cell - side)
        canvas.pixels[top : top + side, left : left + side] = grid.paint(np.array(patch), tiles).pixels
        canvas.element(_name(patch), (left, top, left + side, top + side))
        canvas.element(letter, canvas.text(letter, (left - 0.75 * glyph, top + side / 2), glyph), glyph=glyph)
    return canvas


@lru_cache(maxsize=32)
def _tiles(size: int) -> grid.Tiles:
    """Return the tiles of a size: those of pictures, a gap, and a gap with each number."""
    joint = max(1, size // 24)
    drawn = []
    for _, _, shape, colour, ground in TILES:
        canvas = Canvas(size, size, "white")
        canvas.rectangle((0, 0, size - joint, size - joint), ground)
        canvas.shape(shape, ((size - joint) / 2, (size - joint) / 2), round(0.74 * size), colour)
        drawn.append(canvas.pixels)
    for label in ("", *map(str, range(1, MOST + 1))):
        canvas = Canvas(size, size, "silver")
        canvas.rectangle((0, 0, size - joint, size - joint), "slate")
        if label:
            canvas.text(label, ((size - joint) / 2, (size - joint) / 2), max(7, round(0.55 * size)), "white")
        drawn.append(canvas.pixels)
    return grid.stack(drawn)


@lru_cache(maxsize=64)
def _answer(holes: int, patches: int) -> Record:
    return Record(tuple((f"hole {k + 1}", Choice(tuple(LETTERS[:patches]))) for k in range(holes)))


environment = PatchHome()
