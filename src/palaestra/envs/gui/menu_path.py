"""Menu path: find commands in nested menus and click on them in order; the first wrong command ends the task.

The menu bar names what a command acts on, the task tells what it does in other words. Where in a menu it stands, beside
the others or in one of the submenus, is seen only when that is opened: who opens all of a menu, part by part, finds it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.gui import _widgets
from palaestra.envs.gui._widgets import Widget
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Box

Path = tuple[str, ...]
Contents = tuple[tuple[Path, tuple[str, ...]], ...]

MENUS = ("Page", "Picture", "Table", "Chart", "Note", "Map")
SUBMENUS = ("Basic", "More", "Custom", "Expert", "Quick", "Special", "Classic", "Extra")
COMMANDS = {
    "Mirror": "flip the {} left to right",
    "Rotate": "turn the {} by a quarter",
    "Export": "write the {} to a file of another type",
    "Lock": "protect the {} against changes",
    "Hide": "make the {} invisible",
    "Scale": "make the {} larger or smaller",
    "Duplicate": "make a second {} of the same kind",
    "Delete": "throw the {} away",
    "Rename": "call the {} something else",
    "Recolour": "give the {} another tint",
    "Compare": "see how the {} differs from an older one",
    "Print": "put the {} on paper",
    "Share": "send the {} to other people",
    "Translate": "put the {} into another language",
    "Frame": "draw a border around the {}",
    "Centre": "move the {} to the middle",
    "Magnify": "look at the {} more closely",
    "Describe": "add a caption to the {}",
    "Archive": "store the {} for later years",
    "Restore": "bring back an earlier {}",
    "Measure": "find out how wide the {} is",
    "Crop": "cut the edges off the {}",
}

ROWS, TOP = 8, 125
"""How many rows a window has, and how high each is."""
LEFT, RIGHT, WIDE = 20, 980, 240
"""Where menus may lie, and how wide they are: three stand side by side wherever the first of them is."""

TASK = "Find commands in the menus and click on them in order: {}."
RULES = (
    "A click on a menu opens it alone, on a submenu beside what is open; a click on a command gives it and closes all "
    "menus, one elsewhere closes them. A wrong command ends the task."
)
HINT = "The menu bar says what a command acts on. Open one submenu after the other until you see what you need."


@dataclass(frozen=True, slots=True)
class Menus:
    """All that was shown so far: the bar, what was seen in opened menus, the way that is open, and the commands."""

    bar: tuple[str, ...]
    seen: Contents
    open: Path
    wanted: tuple[Path, ...]
    given: int = 0
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """The menus as seen, and what all of them hold."""

    menus: Menus
    contents: Contents


class MenuPath:
    """The environment."""

    spec = EnvSpec(
        id="gui/menu_path",
        version=1,
        title="Menu path",
        horizon=44,
        scales=(
            {"menus": 3, "entries": 2, "branches": 2, "depth": 2, "commands": 1},
            {"menus": 3, "entries": 2, "branches": 2, "depth": 2, "commands": 2},
            {"menus": 4, "entries": 3, "branches": 2, "depth": 2, "commands": 3},
            {"menus": 4, "entries": 2, "branches": 2, "depth": 3, "commands": 3},
            {"menus": 5, "entries": 3, "branches": 2, "depth": 3, "commands": 3},
            {"menus": 6, "entries": 3, "branches": 2, "depth": 3, "commands": 4},
        ),
        knobs=(
            Knob("menus", 2, 6, "menus of the bar"),
            Knob("entries", 2, 3, "commands of each menu and submenu"),
            Knob("depth", 1, 3, "levels of menus"),
            Knob("commands", 1, 4, "commands to give"),
        ),
        memory=8,
        clairvoyant=True,
        tags=frozenset({"multi_turn", "hidden"}),
    )

    def reset(self, instance: Instance) -> Program:
        settings = self.spec.settings(instance)
        names = ("menus", "entries", "branches", "depth", "commands")
        menus, entries, branches, depth, commands = (int(settings[name]) for name in names)

        def propose(rng: np.random.Generator) -> Program:
            bar = tuple(MENUS[k] for k in rng.permutation(len(MENUS))[:menus].tolist())
            contents: list[tuple[Path, tuple[str, ...]]] = []
            for menu in bar:
                verbs = iter([list(COMMANDS)[k] for k in rng.permutation(len(COMMANDS)).tolist()])
                parts = iter([SUBMENUS[k] for k in rng.permutation(len(SUBMENUS)).tolist()])
                level: list[Path] = [(menu,)]
                for left in reversed(range(depth)):
                    below: list[Path] = []
                    for path in level:
                        inside = [next(parts) for _ in range(branches if left else 0)]
                        items = [*(next(verbs) for _ in range(entries)), *inside]
                        contents.append((path, tuple(items[k] for k in rng.permutation(len(items)).tolist())))
                        below += [(*path, part) for part in inside]
                    level = below
            leaves = [(path[0], item) for path, items in contents for item in items if item in COMMANDS]
            wanted = tuple(leaves[k] for k in rng.permutation(len(leaves))[:commands].tolist())
            return Program(Menus(bar, (), (), wanted), tuple(contents))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Program) -> int:
        """Return the turns of a search through a whole menu for each command, and a few to spare."""
        menus = state.menus
        depth = max(len(path) for path, _ in state.contents)
        return len(menus.wanted) * (len(state.contents) // len(menus.bar) + depth) + 4

    def public(self, state: Program) -> Menus:
        return state.menus

    def view(self, public: Menus, pixels: int = 448) -> View:
        widgets = _layout(public)
        image, scene = _widgets.draw(widgets, pixels)
        told = [COMMANDS[command].format(menu.lower()) for menu, command in public.wanted]
        parts = [item for _, items in public.seen for item in items if item not in COMMANDS]
        unopened = len(public.bar) + len(parts) - len(public.seen)
        return View(
            _widgets.CLICK,
            image,
            f"{TASK.format(', then '.join(told))} {_widgets.CLICK.describe()}",
            RULES,
            HINT,
            f"Commands given: {public.given}. Menus opened: {len(public.seen)}; seen but never opened: {unopened}.",
            _widgets.tree(widgets),
            scene,
        )

    def step(self, state: Program, action: tuple[float, float]) -> Step[Program]:
        menus = state.menus
        target = _widgets.hit(_layout(menus), action)
        if target is None:
            return Step(replace(state, menus=replace(menus, open=())), events=("click_missed",))
        menu, command = menus.wanted[menus.given]
        if target.kind == "entry":
            if (menus.open[0], target.text) != (menu, command):
                after = replace(state, menus=replace(menus, open=(), failed=True))
                return Step(after, done=True, events=("control_wrong", "committed_early"))
            given, share = menus.given + 1, 0.5 / len(menus.wanted)
            after = replace(state, menus=replace(menus, open=(), given=given))
            if given < len(menus.wanted):
                return Step(after, share, events=("control_right", "subgoal_reached"))
            events = ("control_right", "committed_ready", "task_completed")
            return Step(after, 0.5 + share, done=True, success=True, events=events)
        path = _opened(menus, target.text)
        known = dict(menus.seen)
        way = _place(state.contents, menu, command)
        seen = menus.seen if path in known else (*menus.seen, (path, dict(state.contents)[path]))
        events = (
            "way_opened",
            "seen_revisited" if path in known else "unseen_explored",
            "control_right" if way[: len(path)] == path and path != menus.open else "control_wrong",
        )
        return Step(replace(state, menus=replace(menus, open=path, seen=seen)), events=events)

    def solve(self, state: Program) -> Sequence[str] | None:
        """Return the way to each command that is left, the first from what is open."""
        menus = state.menus
        if menus.failed:
            return None
        plan: list[str] = []
        shown = replace(menus, seen=state.contents)
        for menu, command in menus.wanted[menus.given :]:
            for name in _way(shown.open, _place(state.contents, menu, command)):
                plan.append(_at(shown, name))
                shown = replace(shown, open=_opened(shown, name))
            plan.append(_at(shown, command))
            shown = replace(shown, open=())
        return tuple(plan)

    def guide(self, public: Menus) -> str | None:
        """Return the next click on the way to the command if it was seen, else to the nearest part not yet opened."""
        if public.failed or public.given == len(public.wanted):
            return None
        menu, command = public.wanted[public.given]
        target = _place(public.seen, menu, command)
        if not target:
            parts = [(*path, item) for path, items in public.seen for item in items if item not in COMMANDS]
            known = dict(public.seen)
            unopened = [path for path in ((menu,), *parts) if path[0] == menu and path not in known]
            target = min(unopened, key=lambda path: len(_way(public.open, path)))
        return _at(public, (*_way(public.open, target), command)[0])

    def reseal(self, state: Program, seed: int) -> Program:
        """Return a program in which the commands that were not seen are dealt anew, menu by menu."""
        rng = np.random.default_rng(seed)
        known = dict(state.menus.seen)
        contents = dict(state.contents)
        for menu in state.menus.bar:
            unseen = [path for path in contents if path[0] == menu and path not in known]
            commands = [item for path in unseen for item in contents[path] if item in COMMANDS]
            dealt = iter([commands[k] for k in rng.permutation(len(commands)).tolist()])
            for path in unseen:
                contents[path] = tuple(next(dealt) if item in COMMANDS else item for item in contents[path])
        return replace(state, contents=tuple(contents.items()))

    def problem(self, state: Program) -> bytes:
        """Return what all menus hold, whatever the order, and the commands wanted."""
        return repr((sorted((path, sorted(items)) for path, items in state.contents), state.menus.wanted)).encode()


def _place(contents: Contents, menu: str, command: str) -> Path:
    """Return the menu or submenu that holds a command, () where it is not to be found."""
    return next((path for path, items in contents if path[0] == menu and command in items), ())


def _opened(menus: Menus, name: str) -> Path:
    """Return what a click on a menu or submenu opens: it stands in the bar or in something that is open."""
    if name in menus.bar:
        return (name,)
    known = dict(menus.seen)
    levels = range(1, len(menus.open) + 1)
    return next((*menus.open[:k], name) for k in levels if name in known[menus.open[:k]])


def _way(opened: Path, target: Path) -> Path:
    """Return the names to open one after the other from what is open to a target; all levels above stay in sight."""
    shared = next((k for k, pair in enumerate(zip(opened, target, strict=False)) if pair[0] != pair[1]), len(opened))
    return target[min(shared, len(target)) :]


def _at(menus: Menus, name: str) -> str:
    """Return the click on something that is in sight."""
    return next(w.centre for w in _layout(menus) if w.text == name and w.kind not in _widgets.PASSIVE)


def _columns(left: int, levels: int) -> list[int]:
    """Return the left sides of a menu and of what is open in it, to its right as far as there is room."""
    columns = [min(left, RIGHT - WIDE)]
    while len(columns) < levels:
        right = max(columns) + WIDE
        columns.append(right if right + WIDE <= RIGHT else min(columns) - WIDE)
    return columns


def _layout(menus: Menus) -> Sequence[Widget]:
    """Return the bar, what is open below it, and the views of the document that this leaves free."""
    known, listed = dict(menus.seen), list[Widget]()
    widgets = [_widgets.window("Studio", ROWS)]
    for k, menu in enumerate(menus.bar):
        box = _widgets.split((0, TOP, _widgets.FRAME, 2 * TOP), len(menus.bar), k, 0)
        widgets.append(Widget("menu", menu, box, "open" if menu in menus.open else ""))
        if menu in menus.open:
            for level, left in enumerate(_columns(max(box[0], LEFT), len(menus.open)), 1):
                for row, item in enumerate(known[menus.open[:level]], 2):
                    kind = "entry" if item in COMMANDS else "submenu"
                    state = "open" if item in menus.open[level:] else ""
                    listed.append(Widget(kind, item, (left, TOP * row, left + WIDE, TOP * (row + 1)), state, level + 1))
            widgets += listed
    for k, thing in enumerate(MENUS):
        top = (2 + 3 * (k // 3)) * TOP
        box = _widgets.split((LEFT, top + 20, RIGHT, top + 3 * TOP - 20), 3, k % 3)
        if not any(_over(box, item.box) for item in listed):
            widgets.append(Widget("view", thing, box))
    return widgets


def _over(a: Box, b: Box) -> bool:
    return max(a[0], b[0]) < min(a[2], b[2]) and max(a[1], b[1]) < min(a[3], b[3])


environment = MenuPath()
