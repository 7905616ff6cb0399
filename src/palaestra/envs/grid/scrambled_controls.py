"""Scrambled controls: find out by trying which coloured button makes which step, and steer to the goal.

Every button has a heading of its own, up, right, down and left among them; at higher scales further buttons go
diagonally. What a button was seen to do stays written on it. The guide concludes as a careful player would: a heading
belongs to one button only, and a press without effect rules out every step that would have had one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import Element, Picture, View
from palaestra.envs.grid import _board
from palaestra.envs.kit import grid, splits, sprites
from palaestra.envs.kit.canvas import Canvas, Pixels

BUTTONS = ("red", "blue", "green", "yellow", "pink", "orange")
HEADINGS = ("up", "up right", "right", "down right", "down", "down left", "left", "up left")
SHIFTS = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))  # rows, columns
STRAIGHT, DIAGONAL = range(0, 8, 2), range(1, 8, 2)  # the headings that have a button each, and the others
UNKNOWN = -1
EDGE, BLOCKED = -1, -2
FLOOR, CRATE, GOAL, YOU, AT_GOAL = range(5)
NAMES = ("floor", "crate", "goal", "you", "you at the goal")
SIGNS = ".#G@!"
SPARE = 10
"""Presses allowed beyond the way: a careful player needs hardly ever more to find out what buttons do."""

TASK = "Press buttons to get to the goal, {} at most. {}"
RULES = (
    "Each button always makes its own one step: {}, no two the same. A step onto a crate or beyond the edge has no "
    "effect."
)
KINDS = {False: "up, right, down and left", True: "up, right, down, left and some diagonal"}
HINT = "Try unknown buttons where there is room on every side; then work out the last ones by elimination."

Possible = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Room:
    """What never moves, row by row, and the presses allowed in all."""

    rows: int
    columns: int
    cells: bytes
    limit: int


@dataclass(frozen=True, slots=True)
class Seen:
    """All that was seen so far: the room, the cell where you stand, for each button the heading of the step that it
    made (UNKNOWN at first), and the headings that each can still have after all that."""

    room: Room
    cell: int
    made: tuple[int, ...]
    possible: Possible


@dataclass(frozen=True, slots=True)
class Controls:
    """What was seen, and the heading of each button."""

    seen: Seen
    headings: tuple[int, ...]


class ScrambledControls:
    """The environment."""

    spec = EnvSpec(
        id="grid/scrambled_controls",
        version=1,
        title="Scrambled controls",
        horizon=20,
        scales=(
            {"rows": 5, "columns": 5, "crates": 0.10, "buttons": 4, "reach": 5},
            {"rows": 6, "columns": 6, "crates": 0.20, "buttons": 4, "reach": 6},
            {"rows": 7, "columns": 7, "crates": 0.20, "buttons": 5, "reach": 7},
            {"rows": 8, "columns": 8, "crates": 0.25, "buttons": 5, "reach": 8},
            {"rows": 9, "columns": 9, "crates": 0.25, "buttons": 6, "reach": 9},
            {"rows": 10, "columns": 10, "crates": 0.28, "buttons": 6, "reach": 10},
        ),
        knobs=(
            Knob("rows", 3, 10, "rows of cells"),
            Knob("columns", 3, 10, "columns of cells"),
            Knob("buttons", 4, 6, "buttons, four of them straight"),
        ),
        clairvoyant=True,
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "hidden", "inferred"}),
    )

    def reset(self, instance: Instance) -> Controls:
        settings = self.spec.settings(instance)
        rows, columns, buttons = (int(settings[name]) for name in ("rows", "columns", "buttons"))
        crates = round(float(settings["crates"]) * rows * columns)
        reach = min(int(settings["reach"]), (rows + columns) // 2)
        every = tuple(STRAIGHT if buttons == len(STRAIGHT) else range(len(HEADINGS)))

        def propose(rng: np.random.Generator) -> Controls | None:
            order = rng.permutation(rows * columns).tolist()
            cells = bytearray(rows * columns)
            for cell in order[:crates]:
                cells[cell] = CRATE
            cells[order[-1]] = GOAL
            way = _way(Room(rows, columns, bytes(cells), 0))
            starts = [cell for cell in order if reach <= way[cell] < reach + 3]
            if not starts or way.count(-1) > len(way) // 2:
                return None
            # a diagonal step could lead into a corner without a way out, so such corners are filled
            filled = bytes(kind if left >= 0 else CRATE for kind, left in zip(cells, way, strict=True))
            diagonals = rng.permutation(DIAGONAL).tolist()[: buttons - len(STRAIGHT)]
            headings = rng.permutation([*STRAIGHT, *diagonals]).tolist()
            room = Room(rows, columns, filled, reach + SPARE)
            return Controls(Seen(room, starts[0], (UNKNOWN,) * buttons, (every,) * buttons), tuple(headings))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Controls) -> int:
        return state.seen.room.limit

    def public(self, state: Controls) -> Seen:
        return state.seen

    def view(self, public: Seen, pixels: int = 448) -> View:
        room, cell, columns = public.room, public.cell, public.room.columns
        goal, answer = room.cells.index(GOAL), Choice(BUTTONS[: len(public.made)])
        content = room.cells[:cell] + bytes([AT_GOAL if cell == goal else YOU]) + room.cells[cell + 1 :]
        said = [(*HEADINGS, "unknown")[heading] for heading in public.made]
        names = [f"{colour} button {word}" for colour, word in zip(BUTTONS, said, strict=False)]
        image, elements = _draw(public, content, names, pixels) if pixels else (None, grid.NOTHING)
        every = STRAIGHT if len(public.made) == len(STRAIGHT) else HEADINGS
        left = [
            f"{colour[0].upper()} {'/'.join([HEADINGS[h] for h in headings]) if len(headings) < len(every) else 'any'}"
            for colour, made, headings in zip(BUTTONS, public.made, public.possible, strict=False)
            if made == UNKNOWN
        ]
        return View(
            answer,
            image,
            TASK.format(room.limit, answer.describe()),
            RULES.format(KINDS[len(public.made) > len(STRAIGHT)]),
            HINT,
            f"You are at row {cell // columns}, column {cell % columns}; the goal is at row {goal // columns}, "
            f"column {goal % columns}. Steps that unknown buttons can still make: {'; '.join(left) or 'none'}.",
            f"{_board.told(NAMES, SIGNS, content, columns)}\nBelow: {'; '.join(names)}.",
            elements,
        )

    def step(self, state: Controls, action: str) -> Step[Controls]:
        seen, room, button = state.seen, state.seen.room, BUTTONS.index(action)
        heading = state.headings[button]
        cell = _target(room, seen.cell, heading)
        if cell >= 0:
            made = (*seen.made[:button], heading, *seen.made[button + 1 :])
            after = Seen(room, cell, made, _concluded(seen.possible, button, (heading,)))
            if room.cells[cell] == GOAL:
                return Step(replace(state, seen=after), 1.0, done=True, success=True, events=("goal_reached",))
        else:
            fits = [other for other in seen.possible[button] if _target(room, seen.cell, other) < 0]
            after = replace(seen, possible=_concluded(seen.possible, button, tuple(fits)))
        nearer = _way(room)[seen.cell] - _way(room)[after.cell]
        bump = "edge_bumped" if cell == EDGE else "obstacle_bumped"
        events = [bump if cell < 0 else _board.moved(nearer)]
        if len(seen.possible[button]) == 1:
            events.append("rule_found" if nearer > 0 else "rule_missed")
        else:
            events.append("trial_redundant" if after.possible == seen.possible else "trial_informative")
        return Step(replace(state, seen=after), events=tuple(events))

    def solve(self, state: Controls) -> Sequence[str] | None:
        """Return a shortest way by straight steps, every heading being known."""
        room, cell, plan = state.seen.room, state.seen.cell, list[str]()
        while heads := _ahead(room, cell):
            plan.append(BUTTONS[state.headings.index(heads[0])])
            cell = _target(room, cell, heads[0])
        return tuple(plan)

    def guide(self, public: Seen) -> str | None:
        """Return a button that is known to step ahead on a straight way, else the one that most likely does."""
        heads = _ahead(public.room, public.cell)
        chances = [sum(heading in heads for heading in headings) / len(headings) for headings in public.possible]
        return BUTTONS[chances.index(max(chances))] if heads else None

    def reseal(self, state: Controls, seed: int) -> Controls:
        """Return unseen buttons with other headings that agree with all that was seen."""
        seen, rng = state.seen, np.random.default_rng(seed)
        straight, diagonal = ([h for h in kinds if h not in seen.made] for kinds in (STRAIGHT, DIAGONAL))
        for _ in range(100):
            others = rng.permutation(diagonal)[: seen.made.count(UNKNOWN) - len(straight)].tolist()
            dealt = iter(rng.permutation([*straight, *others]).tolist())
            headings = tuple([next(dealt) if made == UNKNOWN else made for made in seen.made])
            if all(heading in possible for heading, possible in zip(headings, seen.possible, strict=True)):
                return replace(state, headings=headings)
        return state

    def problem(self, state: Controls) -> bytes:
        """Return room, start and what each button does, all turned and mirrored alike."""
        room, images = state.seen.room, list[bytes]()
        board = np.frombuffer(room.cells, np.uint8).reshape(room.rows, room.columns).copy()
        board[divmod(state.seen.cell, room.columns)] = YOU
        for seen, sign in ((board, 1), (board[:, ::-1], -1)):
            for turn in range(4):
                turned = np.rot90(seen, -turn)
                headings = [(sign * heading + 2 * turn) % len(HEADINGS) for heading in state.headings]
                images.append(bytes([*turned.shape, *headings]) + turned.tobytes())
        return min(images)


def _target(room: Room, cell: int, heading: int) -> int:
    """Return the cell that a step leads to, EDGE or BLOCKED."""
    down, right = SHIFTS[heading]
    row, column = cell // room.columns + down, cell % room.columns + right
    if not (0 <= row < room.rows and 0 <= column < room.columns):
        return EDGE
    target = row * room.columns + column
    return BLOCKED if room.cells[target] == CRATE else target


@lru_cache(maxsize=512)
def _way(room: Room) -> list[int]:
    """Return the fewest straight steps from every cell to the goal, -1 where there is no way."""
    return grid.distances(room.rows, room.columns, room.cells.index(GOAL), lambda cell: room.cells[cell] != CRATE)


def _ahead(room: Room, cell: int) -> list[int]:
    """Return the straight headings that shorten the way."""
    way, targets = _way(room), {heading: _target(room, cell, heading) for heading in STRAIGHT}
    return [heading for heading, target in targets.items() if target >= 0 and way[target] < way[cell]]


def _concluded(possible: Possible, button: int, headings: tuple[int, ...]) -> Possible:
    """Return what headings buttons can still have when one has some of its own: what one must have is no other's."""
    left = [*possible[:button], headings, *possible[button + 1 :]]
    for _ in left:
        for owner, only in enumerate(left):
            if len(only) == 1:
                left = [own if k == owner else tuple(h for h in own if h != only[0]) for k, own in enumerate(left)]
    return tuple(left)


def _draw(seen: Seen, content: bytes, names: Sequence[str], pixels: int) -> tuple[Picture, tuple[Element, ...]]:
    """Return the picture of the room with the buttons below it, and its scene."""
    rows, columns, strip = seen.room.rows, seen.room.columns, pixels // 5
    size = min(pixels // columns, (pixels - strip) // rows)
    board, elements = _board.drawn(NAMES, _tiles, content, columns, size * max(rows, columns))
    canvas = Canvas(size * columns, size * rows + strip)
    if board:
        canvas.pixels[: size * rows] = board.pixels
    share = size * columns // len(names)
    side = min(strip, share) * 9 // 10
    for k, (name, heading) in enumerate(zip(names, seen.made, strict=True)):
        left, top = k * share + (share - side) // 2, size * rows + (strip - side) // 2
        canvas.pixels[top : top + side, left : left + side] = _button(BUTTONS[k], heading, side)
        canvas.element(name, (left, top, left + side, top + side))
    return canvas.picture(), (*elements, *canvas.elements)


@lru_cache(maxsize=512)
def _button(colour: str, heading: int, side: int) -> Pixels:
    """Return a button with the arrow of its step, or a question mark."""
    canvas, ink, middle = Canvas(side, side), "ink" if colour == "yellow" else "white", side / 2
    canvas.shape("square", (middle, middle), side, colour, edge="ink")
    if heading == UNKNOWN:
        canvas.text("?", (middle, middle), round(side * 0.5), ink)
        return canvas.pixels
    y, x = (0.26 * side * part / (1 + heading % 2 * 0.4) for part in SHIFTS[heading])  # diagonals as long as others
    tip, (u, v) = (middle + x, middle + y), (0.7 * x, 0.7 * y)
    head = [(*tip, tip[0] - u + v, tip[1] - v - u), (*tip, tip[0] - u - v, tip[1] - v + u)]
    canvas.segments([(middle - x, middle - y, *tip), *head], max(2, side * 0.1), ink)
    return canvas.pixels


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(name, size) for name in NAMES)


def _tile(name: str, size: int) -> Pixels:
    canvas = _board.floor(size, "mist", "paper")
    if name == "crate":
        canvas.shape("square", (size / 2, size / 2), round(size * 0.98), "sand", edge="brown")
        low, high = size * 0.2, size * 0.8
        canvas.segments([(low, low, high, high), (low, high, high, low)], max(1, size * 0.1), "brown")
    elif name.endswith("goal"):
        sprites.flag(canvas, "purple")
    if name.startswith("you"):
        sprites.walker(canvas, "teal", "deep")
    return canvas.pixels


environment = ScrambledControls()
