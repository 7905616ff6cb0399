"""Pair matching: give every person a job that they are joined to, and no job to two.

Whoever hands out jobs one by one soon leaves somebody with none. Often several matchings are perfect, and every one of
them is right.

Source: the assignment problem on bipartite graphs (König 1931).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.graph._nodes import Node, draw
from palaestra.envs.kit import graphs, splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.parts import Asked, scored

TASK = "Give every person (letter) a job (number) that a line joins to them, and no job to two."
RULES = "A line says that a person can do a job. Each job goes to one person only, so that all jobs are given."
HINT = "Begin with whoever has one line left, person or job, settle that pair and strike out its other lines."


@dataclass(frozen=True, slots=True)
class Office:
    """One question: people and jobs as drawn, first all people, and the pairs (person, job) that a line joins.

    Both are counted from 0.
    """

    layout: graphs.Layout
    lines: tuple[tuple[int, int], ...]

    @property
    def people(self) -> int:
        """How many people there are, and as many jobs."""
        return len(self.layout.cells) // 2

    @property
    def able(self) -> list[list[int]]:
        """The jobs that each person can do."""
        return [[job for able, job in self.lines if able == person] for person in range(self.people)]


class PairMatching:
    """The environment."""

    spec = EnvSpec(
        id="graph/pair_matching",
        version=1,
        title="Pair matching",
        horizon=1,
        scales=(
            {"rows": 3, "columns": 4, "people": 4, "share": 0.9},
            {"rows": 3, "columns": 4, "people": 5, "share": 0.85},
            {"rows": 3, "columns": 4, "people": 6, "share": 0.9},
            {"rows": 4, "columns": 4, "people": 8, "share": 0.95},
            {"rows": 4, "columns": 5, "people": 10, "share": 0.95},
            {"rows": 4, "columns": 6, "people": 12, "share": 1.0},
        ),
        knobs=(
            Knob("people", 4, 12, "people, and as many jobs; the lattice grows when they do not fit"),
            Knob("share", 0.75, 1.0, "share of the possible lines that exist"),
        ),
        embedded_scales=(0,),
        tags=frozenset({"single_turn", "many_right", "lines"}),
        source="bipartite matching (König 1931)",
    )

    def reset(self, instance: Instance) -> Asked[Office]:
        settings = self.spec.settings(instance)
        rows, columns, people = (int(settings[name]) for name in ("rows", "columns", "people"))
        share = float(settings["share"])

        def propose(rng: np.random.Generator) -> Asked[Office] | None:
            layout = graphs.scatter(rows, columns, 2 * people, rng)
            edges = graphs.connect(layout, share, 1, rng)
            office = Office(layout, tuple((a, b - people) for a, b, _ in edges if a < people <= b))
            return Asked(office) if any(_matchings(office.able)) else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Office]) -> int:
        return 1

    def public(self, state: Asked[Office]) -> Office:
        return state.question

    def view(self, public: Office, pixels: int = 448) -> View:
        people = public.people
        kind = _answer(people)
        drawn = _draw(public, pixels) if pixels else None
        names, jobs = graphs.NAMES[:people], [str(job + 1) for job in range(people)]
        able = [" ".join(jobs[job] for job in able) for able in public.able]
        skills, wanted = (Counter(line[end] for line in public.lines) for end in (0, 1))
        return View(
            answer=kind,
            image=drawn.picture() if drawn else None,
            task=f"{TASK} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Jobs open to each person: {', '.join(f'{name} {skills[k]}' for k, name in enumerate(names))}. "
            f"People for each job: {', '.join(f'{job} {wanted[k]}' for k, job in enumerate(jobs))}.",
            caption=f"People {' '.join(names)} are blue. Jobs {' '.join(jobs)} are gold. "
            f"Lines: {'; '.join(f'{name} to {to}' for name, to in zip(names, able, strict=True))}.",
            scene=tuple(drawn.elements) if drawn else (),
        )

    def step(self, state: Asked[Office], action: tuple[int, ...]) -> Step[Asked[Office]]:
        lines, given = set(state.question.lines), Counter(action)
        joined = [(person, job - 1) in lines for person, job in enumerate(action)]
        kept = [line and given[job] == 1 for line, job in zip(joined, action, strict=True)]
        events = ["constraint_kept" if ok else "symbol_repeated" if line else "step_disconnected"
                  for ok, line in zip(kept, joined, strict=True)]  # fmt: skip
        after = Asked(state.question, answered=True)
        return scored(after, sum(kept), len(kept), events)

    def solve(self, state: Asked[Office]) -> Sequence[str] | None:
        return () if state.answered else next(self.solutions(state), None)

    def solutions(self, state: Asked[Office]) -> Iterator[Sequence[str]]:
        office = state.question
        for jobs in _matchings(office.able):
            yield [_answer(office.people).format(tuple(jobs[person] + 1 for person in range(office.people)))]

    def problem(self, state: Asked[Office]) -> bytes:
        """Return the lines on the lattice, whichever ends are the people, without names and jitter."""
        layout, people = state.question.layout, state.question.people
        images = [
            sorted((at[person], at[people + job])[::way] for person, job in state.question.lines)
            for at in graphs.images(layout)
            for way in (1, -1)
        ]
        return repr((layout.rows, layout.columns, min(images))).encode()


def _matchings(able: Sequence[Sequence[int]]) -> Iterator[dict[int, int]]:
    """Yield every way to give each person a job of theirs, those with the fewest jobs left first."""

    def extend(given: dict[int, int]) -> Iterator[dict[int, int]]:
        waiting = [person for person in range(len(able)) if person not in given]
        if not waiting:
            yield given
            return
        left = {person: [job for job in able[person] if job not in given.values()] for person in waiting}
        person = min(waiting, key=lambda person: len(left[person]))
        for job in left[person]:
            yield from extend({**given, person: job})

    yield from extend({})


def _draw(office: Office, pixels: int) -> Canvas:
    """Draw people as circles and jobs as squares, with lines between those who fit."""
    layout, people = office.layout, office.people
    nodes = {
        node: Node(graphs.NAMES[node], place, "circle", "blue")
        if node < people
        else Node(str(node - people + 1), place, "square", "gold")
        for node, place in enumerate(layout.places)
    }
    lines = [(person, people + job) for person, job in office.lines]
    return draw(layout.rows, layout.columns, nodes, lines, pixels, "paper")


@lru_cache(maxsize=16)
def _answer(people: int) -> Record:
    return Record(tuple((name, Integer(1, people)) for name in graphs.NAMES[:people]))


environment = PairMatching()
