"""A filled board."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from palaestra.core.answer.base import Answer, check_whole
from palaestra.core.answer.extract import Found
from palaestra.core.answer.names import check, fold, table
from palaestra.core.answer.parsed import ILLEGAL, Illegal
from palaestra.core.errors import BadAnswerKind

Row = tuple[str, ...]
Rows = tuple[Row, ...]

_RESERVED = re.compile(r"[\s,;|\[\]\"'`]")  # these separate or enclose cells
_ENCLOSING = " \t\r,;|[]\"'`"
_LABEL = re.compile(r"\s*[A-Za-z][\w ]{0,20}:\s")
_RULE = re.compile(r"[\s|:]*-{3,}[\s|:-]*")  # under the head of a markdown table
_NESTED = re.compile(r"(\]\s*,\s*(?=\[)|\[(?=\s*\[[^\[])|\](?=\s*\])|;)")


LARGEST = 10_000
"""Symbols at most: a kind may come from a file, and nothing that it says may fill the memory."""


@dataclass(frozen=True, slots=True)
class Grid(Answer):
    """A board of `rows` x `columns` cells, each one of the symbols; its value is a tuple of rows.

    >>> Grid(2, 2, ("0", "1")).parse("It must be:\\n0 1\\n1 0\\nDone.").value
    (('0', '1'), ('1', '0'))
    """

    kind: ClassVar[str] = "grid"
    multiline: ClassVar[bool] = True
    rows: int
    columns: int
    symbols: tuple[str, ...]

    def __post_init__(self) -> None:
        check(self.symbols, "symbol")
        check_whole(self.kind, rows=self.rows, columns=self.columns)
        if self.rows * self.columns > LARGEST:
            raise BadAnswerKind(f"grid: asked for {self.rows} x {self.columns} symbols; {LARGEST} at most")
        if self.rows < 1 or self.columns < 1:
            raise BadAnswerKind(f"grid: asked for {self.rows} x {self.columns} cells; give at least 1 x 1")
        for symbol in self.symbols:
            row = (symbol,) * self.columns
            if _RESERVED.search(symbol) or self._row(" ".join(row)) != row:
                raise BadAnswerKind(f"symbol {symbol!r} could not be read back from a row; rename it")

    def sample(self, rng: np.random.Generator) -> str:
        """Return any board, each as likely."""
        drawn = rng.integers(len(self.symbols), size=(self.rows, self.columns)).tolist()
        return "\n".join([" ".join([self.symbols[i] for i in row]) for row in drawn])

    def format(self, value: Any) -> str:
        """Return the rows as lines, the cells separated by spaces."""
        legal = (
            isinstance(value, tuple)
            and len(value) == self.rows
            and all(isinstance(row, tuple) and len(row) == self.columns for row in value)
            and all(cell in self.symbols for row in value for cell in row)
        )
        if not legal:
            raise self.refusal(value)
        return "\n".join(" ".join(row) for row in value)

    def wanted(self) -> str:
        """Return the size and the symbols."""
        return f"{self.rows} lines of {self.columns} symbols ({' '.join(self.symbols)}), separated by spaces"

    def read(self, text: str) -> None:
        """Return None: prose around a board is harmless, so that `find` reads every text."""
        return

    def find(self, text: str, marked: bool) -> Iterator[Found]:
        """Yield the boards in a text; blank lines and rules part two boards, unless that leaves none."""
        lines = _NESTED.sub(r"\1\n", text).split("\n")
        rows = {line: self._row(line) for line in set(lines)}
        boards = self._boards([rows[line] for line in lines])
        if set(boards) == {ILLEGAL}:
            filled = [line for line in lines if rows[line] or (line.strip() and not _RULE.fullmatch(line))]
            boards = self._boards([rows[line] for line in filled])
        for board in boards:
            yield Found(-1, -1, board)

    def _boards(self, rows: list[Row | Illegal | None]) -> list[Rows | Illegal]:
        """Return what each block of consecutive rows is."""
        boards: list[Rows | Illegal] = []
        block: list[Row] = []
        broken = False
        for row in [*rows, None]:
            if row is None:
                if block or broken:
                    boards.append(ILLEGAL if broken or len(block) != self.rows else tuple(block))
                block, broken = [], False
            elif row is ILLEGAL:
                broken = True
            else:
                block.append(row)
        return boards

    def _row(self, line: str) -> Row | Illegal | None:
        """Return the cells of a line; None: the line is no row of a board."""
        meant = table(self.symbols)
        unlabelled = _LABEL.sub("", line, count=1)
        bare = unlabelled.rstrip().removesuffix(".")
        cells: list[str] = []
        known: dict[str, str | None] = {}
        for text in (line, unlabelled, bare):
            cells = self._cells(text)
            known = {cell: meant.get(fold(cell)) for cell in set(cells)}
            row = tuple(symbol for cell in cells if (symbol := known[cell]))
            if len(cells) == len(row) == self.columns:
                return row
        if len(cells) != self.columns or self.columns == 1:
            return ILLEGAL if cells and all(known.values()) else None
        spelt = "".join(cells) == bare.strip()  # perhaps just a word of the right length
        widest = max(map(len, self.symbols))
        likely = 2 * sum(bool(known[cell]) for cell in cells) >= len(cells) if spelt else True
        return ILLEGAL if likely and all(len(cell) <= widest for cell in cells) else None

    def _cells(self, line: str) -> list[str]:
        """Return the parts of a line, split at commas or bars, or at spaces, or into characters."""
        line = line.strip(_ENCLOSING)
        if "," in line or "|" in line:
            return [cell.strip(_ENCLOSING) for cell in re.split("[,|]", line)]
        cells = line.split()
        if len(cells) == 1 and max(map(len, self.symbols)) == 1:
            return list(line)
        return cells
