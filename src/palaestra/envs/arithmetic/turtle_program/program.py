"""Programs of a turtle: how they are written, told and run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np


class Line(NamedTuple):
    """One line of a program: how deep it is indented, its word, and its number (0 for turns)."""

    depth: int
    word: str
    number: int = 0

    @property
    def text(self) -> str:
        """What is written, such as "go 3"."""
        return f"{self.word} {self.number}" if self.number else self.word


Program = tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop while a program is written: how often it runs, and what."""

    rounds: int
    body: Sequence["Line | Loop"]


def written(lines: int, loops: int, nested: bool, rng: np.random.Generator) -> Program | None:
    """Return a program of so many lines: steps and turns by turns, runs of two to four of which become loops.

    A nested program has its last loop made around another one; None when no run is left that could become a loop.
    """
    first = int(rng.integers(2))
    body: list[Line | Loop] = []
    for k in range(lines - loops):
        go = (k + first) % 2
        body.append(Line(0, "go", int(rng.integers(1, 4))) if go else Line(0, ("left", "right")[rng.integers(2)]))
    for loop in range(loops):
        outer, size = nested and loop == loops - 1, int(rng.integers(2, 5))
        runs = [body[at : at + size] for at in range(len(body) - size + 1)]
        starts = [at for at, run in enumerate(runs) if any(isinstance(item, Loop) for item in run) == outer]
        if not starts:
            return None
        at = starts[rng.integers(len(starts))]
        body[at : at + size] = [Loop(int(rng.integers(2, 3 if outer else 4)), runs[at])]
    return tuple(_indented(body, 0))


def _indented(body: Sequence["Line | Loop"], depth: int) -> Iterator[Line]:
    for item in body:
        if isinstance(item, Loop):
            yield Line(depth, "repeat", item.rounds)
            yield from _indented(item.body, depth + 1)
        else:
            yield item._replace(depth=depth)


def _expanded(program: Program) -> Iterator[Line]:
    """Yield the lines in the order in which they run, loops unrolled."""
    k = 0
    while k < len(program):
        line = program[k]
        body = next((n for n in range(k + 1, len(program)) if program[n].depth <= line.depth), len(program))
        if line.word == "repeat":
            for _ in range(line.number):
                yield from _expanded(program[k + 1 : body])
            k = body
        else:
            yield line
            k += 1


@lru_cache(maxsize=512)
def walked(program: Program, heading: int) -> tuple[tuple[int, int, int, bool], ...]:
    """Return row, column and heading after each step or turn, from 0, 0, and whether it was a step."""
    row = column = 0
    walk: list[tuple[int, int, int, bool]] = []
    for line in _expanded(program):
        if line.word != "go":
            heading = (heading + (1 if line.word == "right" else -1)) % 4
            walk.append((row, column, heading, False))
        for _ in range(line.number):
            row += (-1, 0, 1, 0)[heading]
            column += (0, 1, 0, -1)[heading]
            walk.append((row, column, heading, True))
    return tuple(walk)


def told(program: Program) -> str:
    """Return a program in one line, with the lines of loops in brackets."""
    told, depth = "", 0
    for line in program:
        told += ")" * (depth - line.depth) + (" (" if line.depth > depth else ", " if told else "") + line.text
        depth = line.depth
    return told + ")" * depth
