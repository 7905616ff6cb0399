"""Table lookup: answer several questions on the rows of a table that keep a condition, all answers right at once.

Whoever ignores a condition goes wrong: the largest and the smallest of a whole column never keep it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from palaestra.core.answer import Choice, Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import masks, splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.parts import Asked, scored

NAMES = ("Ada", "Ben", "Eva", "Ida", "Joe", "Kim", "Leo", "Max", "Mia", "Sam", "Tom", "Zoe")
CITIES = ("Rome", "Oslo", "Lima", "Bonn")
HEADS = ("Age", "Fee", "Tip", "Tax")
KINDS = ("largest", "sum", "count", "smallest", "total")
LOWEST, HIGHEST = 10, 99  # of all numbers
BOUNDS = range(20, 95, 5)

RULES = "Over a number means larger than it. All answers must be right."
HINT = "First find the rows that keep the condition, then look along the column that is asked for."


class Question(NamedTuple):
    """What is asked: a kind and a column, of the rows from a city and, if there is one, over a bound in another column.

    A sum takes two cells (row, column) instead.
    """

    kind: str
    column: int = 0
    city: str = ""
    over: tuple[int, int] | None = None
    cells: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """One question: the rows (name, city, numbers), and what is asked."""

    names: tuple[str, ...]
    cities: tuple[str, ...]
    values: tuple[tuple[int, ...], ...]
    asked: tuple[Question, ...] = ()

    def kept(self, question: Question) -> list[int]:
        """Return the rows that keep the condition of a question."""
        column, bound = question.over or (0, 0)
        return [
            row
            for row, (city, values) in enumerate(zip(self.cities, self.values, strict=True))
            if question.city in ("", city) and values[column] > bound
        ]

    def extreme(self, question: Question, rows: Sequence[int]) -> int:
        """Return which of some rows has the largest or the smallest number in the column of a question."""
        sign = 1 if question.kind == "largest" else -1
        return max(rows, key=lambda row: sign * self.values[row][question.column])

    def truth(self, question: Question) -> int | str:
        """Return the right answer to a question."""
        rows = self.kept(question)
        match question.kind:
            case "sum":
                return sum(self.values[row][column] for row, column in question.cells)
            case "count":
                return len(rows)
            case "total":
                return sum(self.values[row][question.column] for row in rows)
            case _:
                return self.names[self.extreme(question, rows)]

    def misleads(self, question: Question) -> bool:
        """Return whether a question is sound: some rows are kept, not all, and not the extreme one of all."""
        rows, everyone = self.kept(question), range(len(self.names))
        if question.kind in ("largest", "smallest"):
            return len(rows) > 1 and self.extreme(question, everyone) not in rows
        return question.kind == "sum" or 0 < len(rows) < len(self.names)

    def condition(self, question: Question) -> str:
        """Return the condition of a question in words, such as "from Rome"."""
        from_ = f"from {question.city}" if question.city else ""
        over = f"with {HEADS[question.over[0]]} over {question.over[1]}" if question.over else ""
        return f"{from_} {over}".strip()

    def words(self, question: Question) -> str:
        """Return a question in words."""
        head, who = HEADS[question.column], self.condition(question)
        match question.kind:
            case "sum":
                return " plus ".join(f"{HEADS[column]} of {self.names[row]}" for row, column in question.cells)
            case "count":
                return f"how many are {who}"
            case "total":
                return f"{head} of all {who}, added up"
            case kind:
                return f"who {who} has the {kind} {head}"


class TableLookup:
    """The environment."""

    spec = EnvSpec(
        id="charts/table_lookup",
        version=1,
        title="Table lookup",
        horizon=1,
        scales=(
            {"rows": 4, "numbers": 2, "questions": 2, "cities": 2},
            {"rows": 5, "numbers": 2, "questions": 3, "cities": 2},
            {"rows": 6, "numbers": 2, "questions": 4, "cities": 2},
            {"rows": 8, "numbers": 3, "questions": 4, "cities": 3},
            {"rows": 10, "numbers": 3, "questions": 5, "cities": 3},
            {"rows": 12, "numbers": 4, "questions": 5, "cities": 4},
        ),
        knobs=(
            Knob("rows", 4, 12, "rows below the head"),
            Knob("numbers", 2, 4, "columns of numbers, besides those of names and cities"),
            Knob("questions", 2, 5, "what is asked: of largest, sum, count, smallest, total the first ones"),
            Knob("cities", 2, 4, "different cities; half as many as rows at most"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "lines"}),
    )

    def reset(self, instance: Instance) -> Asked[Table]:
        settings = self.spec.settings(instance)
        rows, numbers, questions, cities = (int(settings[k]) for k in ("rows", "numbers", "questions", "cities"))

        def propose(rng: np.random.Generator) -> Asked[Table] | None:
            values = np.stack([rng.permutation(np.arange(LOWEST, HIGHEST + 1))[:rows] for _ in range(numbers)], axis=1)
            towns = np.arange(rows) % min(cities, rows // 2)
            table = Table(
                names=tuple(NAMES[k] for k in rng.permutation(len(NAMES))[:rows].tolist()),
                cities=tuple(CITIES[k] for k in rng.permutation(towns).tolist()),
                values=tuple(map(tuple, values.tolist())),
            )
            asked = []
            for kind in KINDS[:questions]:
                question = next((q for _ in range(20) if table.misleads(q := _ask(table, kind, rng))), None)
                if question is None:
                    return None
                asked.append(question)
            return Asked(Table(table.names, table.cities, table.values, tuple(asked)))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Table]) -> int:
        return 1

    def public(self, state: Asked[Table]) -> Table:
        return state.question

    def view(self, public: Table, pixels: int = 448) -> View:
        kind = _answer(public)
        canvas = _draw(public, pixels) if pixels else None
        wanted = "; ".join(f"{question.kind}: {public.words(question)}" for question in public.asked)
        kept = [
            f"Rows {public.condition(q)}: {' '.join(public.names[row] for row in public.kept(q))}."
            for q in public.asked
            if q.kind not in ("sum", "count")
        ]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"Answer from the table. {wanted}. {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=" ".join(dict.fromkeys(kept)),
            caption="\n".join(map(" ".join, _cells(public))),
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Table], action: tuple[int | str, ...]) -> Step[Asked[Table]]:
        table, events, right = state.question, [], 0
        for question, said in zip(table.asked, action, strict=True):
            true = table.truth(question)
            right += said == true
            if isinstance(said, str):
                events.append("largest_found" if said == true else "largest_missed")
                everyone = range(len(table.names))
                events += ["lookalike_taken"] if said == table.names[table.extreme(question, everyone)] else []
            elif question.kind != "count":
                events.append("sum_ok" if said == true else "sum_off")
            else:
                over = said - int(true)
                events.append("count_over" if over > 0 else "count_under" if over else "count_ok")
                events += ["count_off_by_one"] if abs(over) == 1 else []
        return scored(Asked(table, answered=True), right, len(action), events)

    def solve(self, state: Asked[Table]) -> Sequence[str] | None:
        table = state.question
        return () if state.answered else [_answer(table).format(tuple(map(table.truth, table.asked)))]

    def problem(self, state: Asked[Table]) -> bytes:
        """Return the numbers and what is asked of which rows, in any order of rows and columns and without names."""
        table = state.question
        columns = sorted(range(len(table.values[0])), key=lambda c: sorted(values[c] for values in table.values))
        rows = sorted(range(len(table.names)), key=lambda r: [table.values[r][c] for c in columns])
        content = [[table.values[row][column] for column in columns] for row in rows]
        asked = []
        for question in table.asked:
            cells = question.cells or [(row, question.column) for row in table.kept(question)]
            asked.append((question.kind, sorted((rows.index(row), columns.index(column)) for row, column in cells)))
        return repr((content, asked)).encode()


def _ask(table: Table, kind: str, rng: np.random.Generator) -> Question:
    """Draw a question of a kind."""
    column, other = rng.permutation(len(table.values[0]))[:2].tolist()
    city, bound = table.cities[rng.integers(len(table.cities))], BOUNDS[rng.integers(len(BOUNDS))]
    match kind:
        case "sum":
            first, second = rng.permutation(len(table.names))[:2].tolist()
            return Question(kind, cells=((first, column), (second, other)))
        case "smallest":
            return Question(kind, column, over=(other, bound))
        case "count":
            return Question(kind, city=city, over=(other, bound))
        case _:
            return Question(kind, column, city)


def _cells(table: Table) -> list[list[str]]:
    """Return what is written in the table, row by row."""
    rows = zip(table.names, table.cities, table.values, strict=True)
    head = ["Who", "City", *HEADS[: len(table.values[0])]]
    return [head, *([name, city, *map(str, values)] for name, city, values in rows)]


def _draw(table: Table, pixels: int) -> Canvas:
    """Draw words to the left of their columns and numbers to the right, every other row on a coloured ground; columns
    are as wide as what is written in them, with equal gaps between."""
    cells = _cells(table)
    high = min(pixels // len(cells), max(13, pixels // 9))
    glyph = max(7, min(round(0.4 * high), pixels // 28))
    canvas = Canvas(pixels, high * len(cells))
    widths = [max(masks.text(word, glyph).width for word in column) for column in zip(*cells, strict=True)]
    gap = (pixels - sum(widths)) / len(widths)
    lefts = [gap * (column + 0.5) + sum(widths[:column]) for column in range(len(widths))]
    for row, words in enumerate(cells):
        fill = "navy" if row == 0 else "paper" if row % 2 else "sky"
        canvas.rectangle((0, row * high, pixels, (row + 1) * high), fill)
        for column, word in enumerate(words):
            mask = masks.text(word, glyph)
            left = lefts[column] + (0 if column < 2 else widths[column] - mask.width)
            box = canvas.stamp(mask, round(left), row * high + (high - glyph) // 2, "ink" if row else "white")
            canvas.element(word, box, glyph=glyph)
    return canvas


def _answer(table: Table) -> Record:
    return _kind(tuple(sorted(table.names)), len(table.asked))


@lru_cache(maxsize=512)
def _kind(names: tuple[str, ...], questions: int) -> Record:
    everyone, many = Choice(names), Integer(0, len(names))
    total = Integer(0, HIGHEST * len(names))
    kinds = {"largest": everyone, "sum": Integer(0, 2 * HIGHEST), "count": many, "smallest": everyone, "total": total}
    return Record(tuple((kind, kinds[kind]) for kind in KINDS[:questions]))


environment = TableLookup()
