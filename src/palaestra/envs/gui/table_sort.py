"""Table sort: find the row that is so many-th by a column in a long table shown page by page, select it and confirm.

A click on a header sorts the whole table, another one turns the order round; only the current page is shown. Who sorts
by the column asked for needs no memory: the row is then at a known place, or the first from the town asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.gui import _widgets
from palaestra.envs.gui._widgets import Widget
from palaestra.envs.kit import splits

NAMES = (
    "Ada", "Alma", "Anna", "Ben", "Bo", "Carl", "Cleo", "Dina", "Dora", "Ed", "Ella", "Emil", "Eva", "Finn", "Gina",
    "Gus", "Hal", "Hugo", "Ida", "Ines", "Iris", "Ivan", "Jan", "Joan", "Jude", "Kai", "Kim", "Lara", "Lena", "Leo",
    "Lou", "Luis", "Max", "Mia", "Mona", "Nora", "Nils", "Olga", "Otto", "Paul", "Pia", "Ravi", "Rosa", "Ruth", "Sam",
    "Tara", "Theo", "Tim", "Uma", "Vera", "Will", "Yara", "Zoe", "Zoran",
)  # fmt: skip
TOWNS = ("Bern", "Cork", "Lima", "Oslo", "Rome", "Kyoto")
MEASURES = ("Score", "Price", "Mass", "Time")
VALUES = range(100, 1000)

TASK = "Select the row with the {} {}{} and confirm with OK."
RULES = (
    "A click on a header sorts the whole table, upwards first; another click on it turns the order round. Previous and "
    "Next turn pages. A click on a row selects it, OK ends the task."
)
HINT = "Sort so that the rows asked for come first, then count on through the pages."


class Row(NamedTuple):
    """One row: a name of its own, a town, and a value for each measure."""

    name: str
    town: str
    values: tuple[int, ...]

    def key(self, column: int) -> tuple[str, int]:
        """Return what a column sorts by."""
        return (self[:2][column], 0) if column < 2 else ("", self.values[column - 2])


@dataclass(frozen=True, slots=True)
class Question:
    """The `rank`-th by a column, from the highest or from the lowest, of all rows or of those from a town."""

    column: int
    highest: bool
    rank: int
    town: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """What is shown: the columns and how they stand from left to right, the order of rows (-1: none), one page of them,
    and the name that is selected.

    `passed` is how many of the first pages in this order were seen to hold nobody from the town asked for.
    """

    columns: tuple[str, ...]
    across: tuple[int, ...]
    question: Question
    size: int
    pages: int
    rows: tuple[Row, ...] = ()
    number: int = 0
    order: int = -1
    descending: bool = False
    selected: str = ""
    passed: int = 0
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The page shown and all rows, in their first order."""

    page: Page
    rows: tuple[Row, ...]


class TableSort:
    """The environment."""

    spec = EnvSpec(
        id="gui/table_sort",
        version=1,
        title="Table sort",
        horizon=28,
        scales=(
            {"rows": 6, "size": 3, "measures": 2, "rank": 3, "towns": 0},
            {"rows": 10, "size": 4, "measures": 2, "rank": 6, "towns": 0},
            {"rows": 18, "size": 5, "measures": 3, "rank": 10, "towns": 0},
            {"rows": 24, "size": 5, "measures": 3, "rank": 5, "towns": 1},
            {"rows": 36, "size": 6, "measures": 3, "rank": 20, "towns": 0},
            {"rows": 50, "size": 6, "measures": 3, "rank": 30, "towns": 1},
        ),
        knobs=(
            Knob("rows", 4, 50, "rows of the table"),
            Knob("size", 3, 8, "rows shown at a time"),
            Knob("rank", 1, 30, "largest rank asked for"),
            Knob("towns", 0, 1, "whether some questions are about the rows from one town"),
        ),
        clairvoyant=True,
        tags=frozenset({"multi_turn", "hidden"}),
    )

    def reset(self, instance: Instance) -> Table:
        settings = self.spec.settings(instance)
        count, size, measures, rank = (int(settings[name]) for name in ("rows", "size", "measures", "rank"))

        def propose(rng: np.random.Generator) -> Table:
            names = [NAMES[k] for k in rng.permutation(len(NAMES))[:count].tolist()]
            homes = [TOWNS[k] for k in rng.integers(len(TOWNS), size=count).tolist()]
            values = [(VALUES[0] + rng.permutation(len(VALUES))[:count]).tolist() for _ in range(measures)]
            rows = tuple(map(Row, names, homes, zip(*values, strict=True)))
            column = 2 + int(rng.integers(measures))
            highest = bool(rng.integers(2))
            if settings["towns"] and rng.random() < 0.5:
                question = Question(column, highest, 1, homes[0])
            else:
                # the far half of the ranks: the first few need no search
                question = Question(column, highest, min(count, int(rng.integers(rank // 2, rank)) + 1))
            headers = ("Name", "Town", *(MEASURES[k] for k in rng.permutation(len(MEASURES))[:measures].tolist()))
            across = tuple(rng.permutation(len(headers)).tolist())
            order = int(rng.integers(-1, len(headers)))
            # never sorted as the question needs it
            down = not highest if order == column else order >= 0 and bool(rng.integers(2))
            return _turned(Table(Page(headers, across, question, size, -(-count // size), (), 0, order, down), rows))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Table) -> int:
        return state.page.pages * 2 + 6

    def public(self, state: Table) -> Page:
        return state.page

    def view(self, public: Page, pixels: int = 448) -> View:
        widgets = _layout(public)
        image, scene = _widgets.draw(widgets, pixels)
        ask = public.question
        end = "highest" if ask.highest else "lowest"
        order = f"{_ordinal(ask.rank)} {end}" if ask.rank > 1 else end
        place = f" of those from {ask.town}" if ask.town else ""
        first = public.number * public.size + 1
        matches = f"; from {ask.town}: {sum(row.town == ask.town for row in public.rows)}" if ask.town else ""
        return View(
            _widgets.CLICK,
            image,
            f"{TASK.format(order, public.columns[ask.column], place)} {_widgets.CLICK.describe()}",
            RULES,
            HINT,
            f"Rows {first} to {first + len(public.rows) - 1} of this order are shown{matches}.",
            _widgets.tree(widgets),
            scene,
        )

    def step(self, state: Table, action: tuple[float, float]) -> Step[Table]:
        page, goal = state.page, _goal(state)
        target = _widgets.hit(_layout(page), action)
        if target is None:
            return Step(state, events=("click_missed",))
        if target.kind == "header":
            column = page.columns.index(target.text)
            useful = column == page.question.column and not _sorted(page)
            down = page.order == column and not page.descending
            after = replace(state, page=replace(page, order=column, descending=down, number=0, passed=0))
            return Step(_turned(after), events=("control_right" if useful else "control_wrong",))
        if target.kind == "row":
            selected = next(row.name for k, row in enumerate(page.rows) if _row(page, k) == target)
            after = replace(state, page=replace(page, selected=selected))
            return Step(after, events=("target_located" if selected == goal else "target_missed",))
        if target.text == "OK":
            return _widgets.committed(replace(state, page=replace(page, confirmed=True)), page.selected == goal)
        number = page.number + (1 if target.text == "Next" else -1)
        if not 0 <= number < page.pages:
            return Step(state, events=("edge_bumped",))
        where = [row.name for row in _ordered(state)].index(goal) // page.size
        nearer = abs(where - number) < abs(where - page.number)
        after = _turned(replace(state, page=replace(page, number=number)))
        return Step(after, events=("moved_closer" if nearer else "moved_away",))

    def solve(self, state: Table) -> Sequence[str] | None:
        """Return the clicks that turn to the page where the row is, knowing it, then select and confirm."""
        page, goal = state.page, _goal(state)
        if page.confirmed:
            return () if page.selected == goal else None
        ok = _button(page, "OK").centre
        if page.selected == goal:
            return (ok,)
        where = [row.name for row in _ordered(state)].index(goal)
        away = where // page.size - page.number
        turns = [_button(page, "Next" if away > 0 else "Previous").centre] * abs(away)
        there = _turned(replace(state, page=replace(page, number=where // page.size))).page
        return (*turns, _row(there, where % page.size).centre, ok)

    def guide(self, public: Page) -> str | None:
        """Return the next click of who sorts, then goes through the pages until the row is there."""
        ask = public.question
        if public.confirmed:
            return None
        if not _sorted(public):
            return _header(public, ask.column).centre
        where, place = divmod(ask.rank - 1, public.size)
        if ask.town:
            where, place = public.passed, next((k for k, row in enumerate(public.rows) if row.town == ask.town), 0)
        if away := where - public.number:
            return _button(public, "Next" if away > 0 else "Previous").centre
        return (_button(public, "OK") if public.rows[place].name == public.selected else _row(public, place)).centre

    def reseal(self, state: Table, seed: int) -> Table:
        """Return a table with other values on pages that were not passed, except in the column that it is sorted by."""
        rng = np.random.default_rng(seed)
        passed = _ordered(state)[: state.page.passed * state.page.size]
        shown = {row.name for row in (*state.page.rows, *passed)}
        hidden = [k for k, row in enumerate(state.rows) if row.name not in shown]
        columns = [list(column) for column in zip(*((*row[:2], *row.values) for row in state.rows), strict=True)]
        for k, column in enumerate(columns):
            dealt = [column[row] for row in rng.permutation(hidden).tolist()]
            for row, value in zip(hidden, dealt if k != state.page.order else [], strict=False):
                column[row] = value
        return replace(state, rows=tuple(Row(row[0], row[1], tuple(row[2:])) for row in zip(*columns, strict=True)))

    def problem(self, state: Table) -> bytes:
        """Return towns and values in any order, and the question; names of rows and measures do not matter."""
        return repr((sorted(row[1:] for row in state.rows), state.page.question)).encode()


def _goal(table: Table) -> str:
    """Return the name of the row asked for."""
    ask = table.page.question
    rows = [row for row in table.rows if ask.town in ("", row.town)]
    return sorted(rows, key=lambda row: row.key(ask.column), reverse=ask.highest)[ask.rank - 1].name


def _ordered(table: Table) -> Sequence[Row]:
    order, down = table.page.order, table.page.descending
    return table.rows if order < 0 else sorted(table.rows, key=lambda row: row.key(order), reverse=down)


def _turned(table: Table) -> Table:
    """Return the table with the rows on its page that belong there."""
    page = table.page
    rows = tuple(_ordered(table)[page.number * page.size :][: page.size])
    passed = page.passed + (page.number == page.passed and page.question.town not in {row.town for row in rows})
    return replace(table, page=replace(page, rows=rows, passed=passed))


def _sorted(page: Page) -> bool:
    """Return whether the rows asked for come first."""
    return (page.order, page.descending) == (page.question.column, page.question.highest)


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _header(page: Page, column: int) -> Widget:
    mark = ("descending" if page.descending else "ascending") if column == page.order else ""
    box = _widgets.split(_widgets.line(page.size + 4, 1), len(page.columns), page.across.index(column), 4)
    return Widget("header", page.columns[column], box, mark)


def _row(page: Page, place: int) -> Widget:
    row = page.rows[place]
    mark = "selected" if row.name == page.selected else ""
    cells = (row.name, row.town, *map(str, row.values))
    text = " | ".join(cells[column] for column in page.across)
    return Widget("row", text, _widgets.line(page.size + 4, place + 2), mark, 2)


def _button(page: Page, name: str) -> Widget:
    box = _widgets.line(page.size + 4, page.size + 3)
    return Widget("button", name, _widgets.split(box, 3, ("Previous", "Next", "OK").index(name)))


def _layout(page: Page) -> Sequence[Widget]:
    """Return headers, the rows of the page, what is told below them, and the buttons."""
    below = _widgets.line(page.size + 4, page.size + 2)
    told = (f"Page {page.number + 1} of {page.pages}", f"Selected {page.selected or 'none'}")
    return [
        _widgets.window("Members", page.size + 4),
        *(_header(page, column) for column in page.across),
        *(_row(page, place) for place in range(len(page.rows))),
        *(Widget("text", text, _widgets.split(below, 3, 2 * k)) for k, text in enumerate(told)),
        *(_button(page, name) for name in ("Previous", "Next", "OK")),
    ]


environment = TableSort()
