"""Best joint plans by satisfiability: the least makespan, the least sum of costs, and whether a plan must wait.

For each walker and time there is one variable for every cell where it can then be on its way, and one for *arrived*.
What is true at one time leads to something true at the next; that two do not meet is added only where a model lets
them, so most boards need few clauses. Makespans, or costs, are tried one by one from the bound that walkers alone give.

Source: the encodings of Surynek (2016; lazily 2019). Departures: walkers may be at several places in a model, as any of
its paths is as good.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product

from palaestra.core.errors import ExtraMissing
from palaestra.integrations.mapf.joint import MOVES, Board, Plan, around, steps_to

ARRIVED = -1
SOLVER = "minicard"  # the one that counts by itself

Walk = list[int]


def earliest(board: Board, *, waits: bool = True, within: int = 0) -> Plan | None:
    """Return a plan of the least makespan, None when none is within the limit of moves.

    Args:
        waits: whether walkers may wait before they arrive.
        within: a makespan that suffices, tried at once, instead of the least.
    """
    roads = _Roads(board)
    spans = [within] if within else range(roads.soonest, board.longest + 1)
    return (
        next(filter(None, (roads.plan([span] * len(board.goals), waits) for span in spans)), None)
        if roads.open
        else None
    )


def cheapest(board: Board) -> Plan | None:
    """Return a plan of the least sum of costs, None when none is within the limit of moves."""
    roads = _Roads(board)
    if not roads.open:
        return None
    for extra in range(len(board.goals) * board.longest):
        spans = [min(fewest + extra, board.longest) for fewest in roads.fewest]
        if (plan := roads.plan(spans, waits=True, extra=extra)) is not None:
            return plan
        if min(spans) == board.longest and extra > sum(board.longest - fewest for fewest in roads.fewest):
            break
    return None


class _Roads:
    """What is known of a board before any solver starts: ways, and distances from each start and to each goal."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.ways = [[other for other in four if other >= 0] for four in around(board.size, board.cells)]
        self.from_start = [steps_to(start, self.ways) for start in board.starts]
        self.to_goal = [steps_to(goal, self.ways) for goal in board.goals]
        self.fewest = [steps[start] for steps, start in zip(self.to_goal, board.starts, strict=True)]
        self.open = min(self.fewest) >= 0
        self.soonest = max(self.fewest)

    def plan(self, spans: Sequence[int], waits: bool, extra: int | None = None) -> Plan | None:
        """Return a plan in which each walker arrives within its span, and all together cost so much beyond alone."""
        formula = _Formula(self, spans, waits, extra)
        try:
            return formula.solved()
        finally:
            formula.solver.delete()


class _Formula:
    """One question to a solver; `number[walker][time]` has the variable of each place."""

    def __init__(self, roads: _Roads, spans: Sequence[int], waits: bool, extra: int | None) -> None:
        try:
            from pysat.solvers import Solver
        except ImportError as error:
            raise ExtraMissing("joint plans are decided with python-sat: pip install 'palaestra[mapf]'") from error
        self.solver = Solver(SOLVER)
        self.roads, self.goals, self.last = roads, roads.board.goals, max(spans)
        self.names = 0
        self.number = [
            [{place: self._name() for place in self._places(k, time, span, waits)} for time in range(self.last + 1)]
            for k, span in enumerate(spans)
        ]
        for k, times in enumerate(self.number):
            self.solver.add_clause([times[0][place] for place in self._first(k) if place in times[0]])
            for time in range(self.last):
                after = times[time + 1]
                for place, name in times[time].items():
                    onto = [after[other] for other in self._onto(k, place, waits) if other in after]
                    self.solver.add_clause([-name, *onto])
        if extra is not None:
            self._bounded(spans, extra)

    def _name(self) -> int:
        self.names += 1
        return self.names

    def _first(self, k: int) -> tuple[int, ...]:
        """Return where a walker may begin: on its goal it may stay, or make room and come again."""
        start = self.roads.board.starts[k]
        return (start,) if self.roads.fewest[k] else (ARRIVED, start)

    def _places(self, k: int, time: int, span: int, waits: bool) -> Iterator[int]:
        """Yield where a walker can be at a time and still arrive within its span."""
        goal, away = self.goals[k], self.roads.from_start[k]
        for cell, left in enumerate(self.roads.to_goal[k]):
            needed = left if cell != goal else 2  # who is there and has not arrived must leave and come again
            if 0 <= needed <= span - time and 0 <= away[cell] <= time and (waits or (time - away[cell]) % 2 == 0):
                yield cell
        if time >= self.roads.fewest[k]:
            yield ARRIVED

    def _onto(self, k: int, place: int, waits: bool) -> Iterator[int]:
        """Yield the places that one step leads to, arriving first."""
        if place == ARRIVED or self.goals[k] in self.roads.ways[place]:
            yield ARRIVED
        if place != ARRIVED:
            yield from self.roads.ways[place]
            if waits:
                yield place

    def _bounded(self, spans: Sequence[int], extra: int) -> None:
        """Count each time that a walker is still on its way although it might have arrived."""
        late = []
        for k, span in enumerate(spans):
            for time in range(self.roads.fewest[k], span):
                late.append(self._name())
                for place, name in self.number[k][time].items():
                    if place != ARRIVED:
                        self.solver.add_clause([-name, late[-1]])
        if late:
            self.solver.add_atmost(late, extra)

    def solved(self) -> Plan | None:
        """Return a plan that solves the formula; what is met on the way is forbidden."""
        while self.solver.solve():
            model = self.solver.get_model()
            true = {name for name in model if name > 0}
            walks = [self._walk(k, true) for k in range(len(self.goals))]
            if not self._forbid(walks):
                return tuple(self._told(k, walk) for k, walk in enumerate(walks))
        return None

    def _walk(self, k: int, true: set[int]) -> Walk:
        """Return the places of a walker along one path of a model."""
        times = self.number[k]
        walk = [next(place for place in self._first(k) if times[0].get(place) in true)]
        for after in times[1:]:
            walk.append(next(p for p in self._onto(k, walk[-1], True) if after.get(p) in true))
        return walk

    def _forbid(self, walks: Sequence[Walk]) -> bool:
        """Add that no two may do what some here do; return whether there was anything."""
        cells = [[goal if p == ARRIVED else p for p in walk] for walk, goal in zip(walks, self.goals, strict=True)]
        met = False
        for (a, one), (b, two) in combinations(enumerate(cells), 2):
            for time in range(1, self.last + 1):
                if one[time] == two[time]:
                    met = True
                    for first, second in combinations(range(len(cells)), 2):
                        self._never((first, time, one[time]), (second, time, one[time]))
                elif one[time] == two[time - 1] and two[time] == one[time - 1]:
                    met = True
                    here, there = one[time - 1], one[time]
                    self._never((a, time - 1, here), (a, time, there), (b, time - 1, there), (b, time, here))
        return met

    def _never(self, *events: tuple[int, int, int]) -> None:
        """Forbid that walkers are at times in cells, whether on their way or arrived."""
        named = [
            [
                self.number[k][t][p]
                for p in (cell, ARRIVED)
                if p in self.number[k][t] and (p >= 0 or cell == self.goals[k])
            ]
            for k, t, cell in events
        ]
        for names in product(*named):
            self.solver.add_clause([-name for name in names])

    def _told(self, k: int, walk: Walk) -> tuple[str, ...]:
        """Return the moves up to the arrival."""
        size, moves = self.roads.board.size, []
        for here, place in pairwise(walk):
            if here == ARRIVED:
                break
            there = self.goals[k] if place == ARRIVED else place
            moves.append(MOVES[{-size: 0, 1: 1, size: 2, -1: 3, 0: 4}[there - here]])
        return tuple(moves)
