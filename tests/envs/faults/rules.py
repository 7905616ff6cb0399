"""Faults of the rules: who wins, and what is paid."""

from dataclasses import replace

from tests.envs.faults.planting import planted

from palaestra.core.answer import Choice
from palaestra.core.environment import Step
from palaestra.envs.graph.shortest_path import ShortestPath
from palaestra.envs.grid.frozen_lake import GOAL, FrozenLake
from palaestra.envs.kit.parts import Asked
from palaestra.envs.memory.pair_recall import PairRecall
from palaestra.envs.perception.count_shapes import CountShapes

# Winning


@planted("oracle", "solve gave ()")
class StartsWon(FrozenLake):
    """The walk starts on the goal."""

    def reset(self, instance):
        start = super().reset(instance)
        return replace(start, position=replace(start.position, cell=start.position.lake.cells.index(GOAL)))


@planted("oracle", "ends with success False")
class OnePathOnly(ShortestPath):
    """The grader compares with one stored path; others that cost as little are rejected."""

    def step(self, state, action):
        stored = self.solve(state)[0].split(", ")
        return Step(Asked(state.question, True), float(list(action) == stored), True, list(action) == stored)


@planted("oracle", "solutions never gave two different plans")
class OneSolutionOnly(ShortestPath):
    """Only one of the right answers is found."""

    def solutions(self, state):
        yield next(super().solutions(state))


@planted("oracle", "of the plan")
class PlanLoses(FrozenLake):
    """The plan goes straight at the goal, over holes and without regard to slips."""

    def solve(self, state):
        lake, cell = state.position.lake, state.position.cell
        (row, column), (down, right) = divmod(cell, lake.columns), divmod(lake.cells.index(GOAL), lake.columns)
        down, right = down - row, right - column
        return ["down" if down > 0 else "up"] * abs(down) + ["right" if right > 0 else "left"] * abs(right)


@planted("oracle", "the limit is 2")
class LimitTooShort(FrozenLake):
    """The turn limit does not grow with the board."""

    def horizon(self, state):
        return 2


@planted("oracle", "turns, the limit is")
class PlanWanders(FrozenLake):
    """The plan first runs against the edge until the time is up."""

    def solve(self, state):
        plan = super().solve(state)
        return plan and ["up"] * 72 + list(plan)


@planted("oracle", "is no_answer")
class PlanUnreadable(FrozenLake):
    """The plan is not written as replies are."""

    def solve(self, state):
        plan = super().solve(state)
        return plan and ["north"] * len(plan)


@planted("oracle", "solve is not ()")
class ForgetsItWon(FrozenLake):
    """Solving a position that is won already gives nothing."""

    def solve(self, state):
        return super().solve(state) or None


@planted("oracle", "the guide wins")
class GuideLoses(FrozenLake):
    """The teacher always goes up."""

    def guide(self, public):
        return "up"


@planted("guessing", "random play wins")
class YesOrNo(CountShapes):
    """A question with two answers."""

    def view(self, public, pixels=448):
        kind = Choice(("many", "few"))
        return replace(super().view(public, pixels), answer=kind, task=f"Many or few? {kind.describe()}")

    def step(self, state, action):
        right = [action] == self.solve(state)
        return Step(replace(state, answered=True), float(right), True, right, events=("count_ok",))

    def solve(self, state):
        return () if state.answered else ["many" if len(state.question.pieces) % 2 else "few"]


# Paying


@planted("rewards", "success paid 2.0")
class PaysTwo(FrozenLake):
    """The goal is worth two."""

    def step(self, state, action):
        step = super().step(state, action)
        return replace(step, reward=2 * step.reward)


@planted("rewards", "not finite")
class PaysNaN(FrozenLake):
    """A hole is worth what no number is."""

    def step(self, state, action):
        step = super().step(state, action)
        return replace(step, reward=float("nan")) if "hazard_entered" in step.events else step


@planted("rewards", "success paid 0.9")
class PaysTooLittle(FrozenLake):
    """Success is worth nine tenths."""

    def step(self, state, action):
        step = super().step(state, action)
        return replace(step, reward=0.9 * step.reward)


@planted("rewards", "partial credit stays below 1")
class PartialCreditOfOne(CountShapes):
    """One right count of several is paid in full, without success."""

    def step(self, state, action):
        step = super().step(state, action)
        return replace(step, reward=1.0 if step.reward else 0.0)


@planted("rewards", "the return is")
class PaysForDetours(FrozenLake):
    """Every move is worth a tenth, so walking to and fro is worth more than arriving."""

    def step(self, state, action):
        step = super().step(state, action)
        return step if step.done else replace(step, reward=0.1)


@planted("rewards", "success without the end")
class IllegalSucceeds(PairRecall):
    """A card that cannot be chosen is called a success."""

    def step(self, state, action):
        step = super().step(state, action)
        return replace(step, success=step.success or not step.legal)


@planted("rewards", "success without the end")
class SuccessGoesOn(FrozenLake):
    """The episode goes on after the goal."""

    def step(self, state, action):
        return replace(super().step(state, action), done=False)


@planted("rewards", "success paid 0.0")
class CallsLosingSuccess(FrozenLake):
    """Every end is called a success."""

    def step(self, state, action):
        step = super().step(state, action)
        return replace(step, success=step.done)
