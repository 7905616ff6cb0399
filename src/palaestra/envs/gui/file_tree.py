"""File tree: open folders until the files asked for are known, select them, and open them.

A file is asked for by its name, as the largest or the newest of its type, or all of a type are. What a folder holds is
seen while it is open; who has opened all of them sees everything at once. The Open button ends the task.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.gui import _widgets
from palaestra.envs.gui._widgets import Widget
from palaestra.envs.kit import splits

FOLDERS = ("Work", "Home", "Music", "Trips", "Mail", "Plans", "School", "Garden", "Backup", "Club")
FILES = ("Letter", "List", "Photo", "Song", "Report", "Map", "Recipe", "Note", "Budget", "Ticket", "Poem", "Logo",
         "Diary", "Script", "Chart", "Menu", "Sketch", "Speech")  # fmt: skip
TYPES = ("txt", "png", "mp3", "csv")

TASK = "Select {} and nothing else, then press Open."
RULES = (
    "A click on a folder opens or closes it, a click on a file selects it or not. Each file has its size in KB and its "
    "year. Closing a folder unselects what is in it. Open ends the task."
)
HINT = "Files may lie in any folder: open those that are closed, then compare all files of the type."


class Node(NamedTuple):
    """A folder, without a type, or a file; those below it follow at greater depth."""

    name: str
    depth: int
    type: str = ""
    size: int = 0
    year: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """One file by its name, or the first of a type in an order (size or year, "" for all of the type)."""

    name: str
    type: str
    order: str = ""
    most: bool = False

    @property
    def words(self) -> str:
        """How the task tells it."""
        if self.name:
            return f"the file {self.name}.{self.type}"
        if not self.order:
            return f"all {self.type} files"
        words = ("largest", "smallest") if self.order == "size" else ("newest", "oldest")
        return f"the {words[0 if self.most else 1]} {self.type} file"

    def wanted(self, nodes: Sequence[Node]) -> list[int]:
        """Return which of some nodes are asked for, as far as these go."""
        found = [k for k, node in enumerate(nodes) if node.type == self.type and self.name in ("", node.name)]
        if not self.order:
            return found
        ranked = sorted(found, key=lambda k: nodes[k].size if self.order == "size" else nodes[k].year)
        return ranked[-1:] if self.most else ranked[:1]


@dataclass(frozen=True, slots=True)
class Listing:
    """What is shown: nodes in their order, which folders among them are open, which files selected."""

    question: Question
    room: int
    shown: tuple[Node, ...]
    open: tuple[int, ...] = ()
    selected: tuple[int, ...] = ()
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Disk:
    """All nodes, those that are open or selected, and what is asked for."""

    nodes: tuple[Node, ...]
    question: Question
    room: int
    open: frozenset[int] = frozenset()
    selected: frozenset[int] = frozenset()
    ended: bool = False

    def shown(self) -> list[int]:
        """Return the nodes that lie in open folders only."""
        found, closed = [], len(self.nodes)
        for k, node in enumerate(self.nodes):
            if node.depth <= closed:
                found.append(k)
                closed = node.depth if not node.type and k not in self.open else len(self.nodes)
        return found

    def ready(self) -> bool:
        """Return whether exactly what is asked for is selected."""
        return self.selected == set(self.question.wanted(self.nodes))


class FileTree:
    """The environment."""

    spec = EnvSpec(
        id="gui/file_tree",
        version=1,
        title="File tree",
        horizon=26,
        scales=(
            {"folders": 3, "files": 6, "depth": 1, "question": 0},
            {"folders": 3, "files": 7, "depth": 1, "question": 1},
            {"folders": 4, "files": 8, "depth": 2, "question": 1},
            {"folders": 5, "files": 9, "depth": 2, "question": 2},
            {"folders": 6, "files": 10, "depth": 3, "question": 2},
            {"folders": 7, "files": 11, "depth": 4, "question": 2},
        ),
        knobs=(
            Knob("folders", 1, 8, "folders in all"),
            Knob("files", 3, 12, "files in all, one in each innermost folder at least"),
            Knob("depth", 1, 4, "folders inside one another"),
            Knob("question", 0, 2, "0: a name, 1: also an extreme of a type, 2: also all of a type"),
        ),
        clairvoyant=True,
        tags=frozenset({"multi_turn", "hidden"}),
    )

    def reset(self, instance: Instance) -> Disk:
        settings = self.spec.settings(instance)
        folders, files, depth, kinds = (int(settings[name]) for name in ("folders", "files", "depth", "question"))

        def propose(rng: np.random.Generator) -> Disk | None:
            nodes = tuple(_tree(rng, folders, max(files, folders), depth))
            target = [node for node in nodes if node.type][int(rng.integers(max(files, folders)))]
            question = _question(rng, target, int(rng.integers(max(0, kinds - 1), kinds + 1)))
            disk = Disk(nodes, question, len(nodes) + 2)
            hidden = set(question.wanted(nodes)).isdisjoint(disk.shown())
            rivals = sum(node.type == target.type for node in nodes) > 1
            return disk if hidden and (rivals or question.name) else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Disk) -> int:
        return len(state.nodes) + 6

    def public(self, state: Disk) -> Listing:
        shown = state.shown()
        opened, selected = (
            tuple(k for k, node in enumerate(shown) if node in some) for some in (state.open, state.selected)
        )
        return Listing(state.question, state.room, tuple(state.nodes[k] for k in shown), opened, selected, state.ended)

    def view(self, public: Listing, pixels: int = 448) -> View:
        widgets = _layout(public)
        image, scene = _widgets.draw(widgets, pixels)
        alike = sum(node.type == public.question.type for node in public.shown)
        closed = sum(not node.type for node in public.shown) - len(public.open)
        return View(
            _widgets.CLICK,
            image,
            f"{TASK.format(public.question.words)} {_widgets.CLICK.describe()}",
            RULES,
            HINT,
            f"In sight: {closed} closed folders, {alike} files of the type asked for. "
            f"Selected: {len(public.selected)}.",
            _widgets.tree(widgets),
            scene,
        )

    def step(self, state: Disk, action: tuple[float, float]) -> Step[Disk]:
        widgets = _layout(self.public(state))
        target = _widgets.hit(widgets, action)
        if target is None:
            return Step(state, events=("click_missed",))
        if target.kind == "button":
            return _widgets.committed(replace(state, ended=True), state.ready())
        k = state.shown()[widgets.index(target) - 1]
        wanted = state.question.wanted(state.nodes)
        if target.kind == "folder":
            after = replace(state, open=state.open ^ {k})
            after = replace(after, selected=state.selected.intersection(after.shown()))
            return Step(after, events=("way_opened" if k in after.open else "control_wrong",))
        after = replace(state, selected=state.selected ^ {k})
        if k in state.selected:
            return Step(after, events=("subgoal_undone" if k in wanted else "move_undone",))
        alike = state.nodes[k].type == state.question.type
        event = "target_located" if k in wanted else "lookalike_taken" if alike else "target_missed"
        return Step(after, events=(event,))

    def solve(self, state: Disk) -> Sequence[str] | None:
        """Return the clicks that unselect what is wrong, and open the way to each file wanted and select it."""
        if state.ended:
            return () if state.ready() else None
        plan: list[str] = []
        wanted = set(state.question.wanted(state.nodes))
        while not state.ready():
            shown = state.shown()
            wrong = [k for k in shown if k in state.selected ^ wanted and state.nodes[k].type]
            # else a closed folder that holds one: the last one in sight that comes before it
            k = wrong[0] if wrong else max(k for k in shown if k < min(wanted - set(shown)))
            plan.append(_layout(self.public(state))[1 + shown.index(k)].centre)
            state = replace(state, selected=state.selected ^ {k}) if wrong else replace(state, open=state.open | {k})
        return (*plan, _layout(self.public(state))[-1].centre)

    def guide(self, public: Listing) -> str | None:
        """Return the click that opens the first closed folder unless a name is in sight, then those that select."""
        if public.ended:
            return None
        widgets = _layout(public)
        wrong = set(public.question.wanted(public.shown)) ^ set(public.selected)
        closed = [k for k, node in enumerate(public.shown) if not node.type and k not in public.open]
        known = public.question.name and public.question.wanted(public.shown)
        if closed and not known:
            return widgets[1 + closed[0]].centre
        return widgets[1 + min(wrong) if wrong else -1].centre

    def reseal(self, state: Disk, seed: int) -> Disk:
        """Return a disk in which the files that are out of sight have changed places."""
        rng = np.random.default_rng(seed)
        shown = set(state.shown())
        hidden = [k for k, node in enumerate(state.nodes) if node.type and k not in shown]
        nodes = list(state.nodes)
        for k, other in zip(hidden, rng.permutation(hidden).tolist(), strict=True):
            nodes[k] = state.nodes[other]._replace(depth=state.nodes[k].depth)
        return replace(state, nodes=tuple(nodes))

    def problem(self, state: Disk) -> bytes:
        """Return what is asked for, and every file with its way from the top, whatever the order."""
        way: list[str] = []
        found = []
        for node in state.nodes:
            way[node.depth - 1 :] = [node.name]
            found.append((tuple(way), node[2:]))
        return repr((sorted(found), state.question.words)).encode()


def _question(rng: np.random.Generator, target: Node, kind: int) -> Question:
    if kind == 0:
        return Question(target.name, target.type)
    if kind == 2:
        return Question("", target.type)
    return Question("", target.type, ("size", "year")[rng.integers(2)], bool(rng.integers(2)))


def _tree(rng: np.random.Generator, folders: int, files: int, depth: int) -> Iterator[Node]:
    """Yield a tree of folders, none of them empty: each goes into one of those before it that has room below."""
    inside: list[list[int]] = [[] for _ in range(folders + 1)]
    level = [0] * (folders + 1)
    for folder in range(1, folders + 1):
        places = [k for k in range(folder) if level[k] < depth]
        # the deepest place now and then, so that the depth is reached
        parent = places[-1] if rng.random() < 0.5 else places[int(rng.integers(len(places)))]
        inside[parent].append(folder)
        level[folder] = level[parent] + 1
    homes = [k for k in range(1, folders + 1) if not inside[k]]
    homes += rng.integers(folders + 1, size=files - len(homes)).tolist()
    for number, home in enumerate(homes):
        inside[home].append(folders + 1 + number)
    names = [FOLDERS[k] for k in rng.permutation(len(FOLDERS)).tolist()]
    stems = [FILES[k] for k in rng.permutation(len(FILES)).tolist()]
    sizes, years = (10 + rng.permutation(990)).tolist(), (1990 + rng.permutation(40)).tolist()
    types = rng.integers(len(TYPES), size=files).tolist()

    def walk(folder: int) -> Iterator[Node]:
        for k in rng.permutation(inside[folder]).tolist():
            if k <= folders:
                yield Node(names[k - 1], level[folder] + 1)
                yield from walk(k)
            else:
                n = k - folders - 1
                yield Node(stems[n], level[folder] + 1, TYPES[types[n]], sizes[n], years[n])

    return walk(0)


def _layout(listing: Listing) -> Sequence[Widget]:
    """Return the nodes in sight line by line, and the button below them."""
    rows = listing.room
    widgets = [_widgets.window("Files", rows)]
    for k, node in enumerate(listing.shown):
        mark = "selected" if k in listing.selected else "unfolded" if k in listing.open else ""
        kind, text = "folder", node.name
        if node.type:
            kind, text = "file", f"{node.name}.{node.type} | {node.size} KB | {node.year}"
        widgets.append(Widget(kind, text, _widgets.line(rows, k + 1, 20, 980), mark, node.depth))
    return [*widgets, Widget("button", "Open", _widgets.line(rows, rows - 1, 680, 980))]


environment = FileTree()
