"""Scrambled controls: find out by trying which coloured button makes which move, and steer to the goal.

Every button has a heading of its own; at higher scales some buttons jump two cells or move like a knight. What a button
was seen to do stays written on it. The guide draws the conclusions that a careful player would: a heading belongs to
one button only, and a press without effect rules out every move that would have had one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.grid import _board
from palaestra.envs.grid.scrambled_controls import drawing, rules
from palaestra.envs.grid.scrambled_controls.rules import BUTTONS, CRATE, EDGE, GOAL, UNKNOWN, Room, Seen
from palaestra.envs.kit import grid, splits

T = TypeVar("T")

YOU, AT_GOAL = 3, 4
SIGNS = ".#G@!"
SPARE = 14
"""Presses allowed beyond the least plan: a careful player needs hardly ever more to find out what buttons do."""

ANSWER = Choice(BUTTONS)
TASK = "Press buttons to get to the goal, {} at most. {}"
RULES = (
    "Each button always makes the same move: {}. No two start in the same direction. A move that would end on a "
    "crate or beyond the edge has no effect."
)
TOLD = (
    "one step",
    "one step or a jump of two cells",
    "one step or a knight's move",
    "one step, a jump of two cells or a knight's move",
)
HINT = "Try unknown buttons where there is room on every side; then work out the last ones by elimination."


@dataclass(frozen=True, slots=True)
class Controls:
    """What was seen, and the move of each button."""

    seen: Seen
    moves: tuple[str, ...]


class ScrambledControls:
    """The environment."""

    spec = EnvSpec(
        id="grid/scrambled_controls",
        version=1,
        title="Scrambled controls",
        horizon=24,
        scales=(
            {"rows": 5, "columns": 5, "crates": 0.10, "jumps": 0, "knights": 0, "reach": 5},
            {"rows": 6, "columns": 6, "crates": 0.20, "jumps": 0, "knights": 0, "reach": 6},
            {"rows": 7, "columns": 7, "crates": 0.20, "jumps": 1, "knights": 0, "reach": 7},
            {"rows": 8, "columns": 8, "crates": 0.25, "jumps": 1, "knights": 1, "reach": 8},
            {"rows": 9, "columns": 9, "crates": 0.30, "jumps": 0, "knights": 2, "reach": 9},
            {"rows": 10, "columns": 10, "crates": 0.30, "jumps": 1, "knights": 2, "reach": 10},
        ),
        knobs=(
            Knob("rows", 3, 10, "rows of cells"),
            Knob("columns", 3, 10, "columns of cells"),
            Knob("jumps", 0, 2, "buttons that jump two cells"),
            Knob("knights", 0, 2, "buttons that move like a knight"),
        ),
        clairvoyant=True,
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "hidden", "inferred"}),
    )

    def reset(self, instance: Instance) -> Controls:
        settings = self.spec.settings(instance)
        rows, columns, jumps, knights = (int(settings[name]) for name in ("rows", "columns", "jumps", "knights"))
        crates = round(float(settings["crates"]) * rows * columns)
        reach = min(int(settings["reach"]), (rows + columns) // 2)
        families = (0, *((1,) if jumps else ()), *((2,) if knights else ()))

        def propose(rng: np.random.Generator) -> Controls | None:
            order = rng.permutation(rows * columns).tolist()
            cells = bytearray(rows * columns)
            for cell in order[1 : 1 + crates]:
                cells[cell] = CRATE
            cells[order[0]] = GOAL
            room = Room(rows, columns, bytes(cells), families, reach + SPARE)
            moves = rules.wired(jumps, knights, rng)
            way = rules.way(room, moves)
            for start in order[1 + crates :]:
                if reach <= way[start] < reach + 3:
                    held = any(way[cell] < 0 for cell in rules.presses(room, dict(enumerate(moves)), start))
                    return None if held else Controls(Seen(room, start), moves)
            return None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Controls) -> int:
        return state.seen.room.limit

    def public(self, state: Controls) -> Seen:
        return state.seen

    def view(self, public: Seen, pixels: int = 448) -> View:
        room, cell, columns = public.room, public.cell, public.room.columns
        goal = room.cells.index(GOAL)
        content = room.cells[:cell] + bytes([AT_GOAL if cell == goal else YOU]) + room.cells[cell + 1 :]
        names = [f"{colour} button {move or 'unknown'}" for colour, move in zip(BUTTONS, public.moves, strict=True)]
        image, elements = drawing.draw(content, columns, names, pixels) if pixels else (None, grid.NOTHING)
        idle = [
            f"{colour[0].upper()} at {', '.join(f'{c // columns},{c % columns}' for c in sorted(cells))}"
            for colour, cells, move in zip(BUTTONS, public.idle, public.moves, strict=True)
            if cells and not move
        ]
        return View(
            ANSWER,
            image,
            TASK.format(room.limit, ANSWER.describe()),
            RULES.format(TOLD[(1 in room.families) + 2 * (2 in room.families)]),
            HINT,
            f"You are at row {cell // columns}, column {cell % columns}; the goal is at row {goal // columns}, "
            f"column {goal % columns}. Unknown buttons: {public.moves.count(UNKNOWN)}. "
            f"Unknown and without effect: {'; '.join(idle) or 'none'}.",
            f"{_board.told(drawing.NAMES, SIGNS, content, columns)}\nBelow: {'; '.join(names)}.",
            elements,
        )

    def step(self, state: Controls, action: str) -> Step[Controls]:
        seen, room, button = state.seen, state.seen.room, BUTTONS.index(action)
        cell = rules.targets(room, state.moves[button])[seen.cell]
        if cell < 0:
            idle = _with(seen.idle, button, seen.idle[button] | {seen.cell})
            after = replace(state, seen=replace(seen, idle=idle))
        else:
            after = replace(state, seen=replace(seen, cell=cell, moves=_with(seen.moves, button, state.moves[button])))
            if room.cells[cell] == GOAL:
                return Step(after, 1.0, done=True, success=True, events=("goal_reached",))
        way, nearer = rules.way(room, state.moves), 0
        if cell < 0:
            events = ["edge_bumped" if cell == EDGE else "obstacle_bumped"]
        else:
            nearer = way[seen.cell] - way[cell]
            events = ["moved_closer" if nearer > 0 else "moved_away" if nearer < 0 else "moved_level"]
        if len(rules.candidates(seen)[button]) == 1:
            events.append("control_right" if nearer > 0 else "control_wrong")
        else:
            learnt = rules.candidates(after.seen)[button] != rules.candidates(seen)[button]
            events.append("trial_informative" if learnt else "trial_redundant")
        return Step(after, events=tuple(events))

    def solve(self, state: Controls) -> Sequence[str] | None:
        """Return the fewest presses, every move being known."""
        room, cell, plan = state.seen.room, state.seen.cell, list[str]()
        way = rules.way(room, state.moves)
        if way[cell] < 0:
            return None
        while left := way[cell]:
            targets = [rules.targets(room, move)[cell] for move in state.moves]
            button = next(b for b, target in enumerate(targets) if target >= 0 and way[target] == left - 1)
            plan.append(BUTTONS[button])
            cell = targets[button]
        return tuple(plan)

    def guide(self, public: Seen) -> str | None:
        """Return a press on the shortest known way to the goal, else on the one to the nearest cell where an unknown
        button may have an effect, else that button."""
        room, candidates = public.room, rules.candidates(public)
        if room.cells[public.cell] == GOAL:
            return None
        known = {button: moves[0] for button, moves in enumerate(candidates) if len(moves) == 1}
        first = rules.presses(room, known, public.cell)
        goal = room.cells.index(GOAL)
        if goal in first:
            return BUTTONS[first[goal]]
        for cell, press in first.items():
            hopes = [sum(rules.targets(room, move)[cell] >= 0 for move in moves) / len(moves) for moves in candidates]
            tries = [button for button in range(len(BUTTONS)) if button not in known and hopes[button]]
            if tries:
                return BUTTONS[press if cell != public.cell else max(tries, key=lambda button: hopes[button])]
        return None

    def reseal(self, state: Controls, seed: int) -> Controls:
        """Return the unseen moves dealt to other buttons, as far as what was seen allows it."""
        seen, rng = state.seen, np.random.default_rng(seed)
        unseen = [button for button, move in enumerate(seen.moves) if move == UNKNOWN]
        for _ in range(20):
            moves = list(state.moves)
            for button, source in zip(unseen, rng.permutation(unseen).tolist(), strict=True):
                moves[button] = state.moves[source]
            if all(move in candidates for move, candidates in zip(moves, rules.candidates(seen), strict=True)):
                return replace(state, moves=tuple(moves))
        return state

    def problem(self, state: Controls) -> bytes:
        """Return room, start and what each button does, all turned and mirrored alike."""
        room = state.seen.room
        board = np.frombuffer(room.cells, np.uint8).reshape(room.rows, room.columns).copy()
        board[divmod(state.seen.cell, room.columns)] = YOU
        shifts = np.array([rules.shift(move) for move in state.moves])
        images = []
        for down in (1, -1):
            for right in (1, -1):
                turned, moved = board[::down, ::right], (shifts * (down, right) + 2).astype(np.uint8)
                images.append(bytes(turned.shape) + turned.tobytes() + moved.tobytes())
                images.append(bytes(turned.T.shape) + turned.T.tobytes() + moved[:, ::-1].tobytes())
        return min(images)


def _with(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])


environment = ScrambledControls()
