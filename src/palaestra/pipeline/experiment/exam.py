"""The test problems that every arm of an experiment is judged on: one environment, one scale, all of them different."""

from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean

from palaestra.core.environment import Pool
from palaestra.core.errors import ConfigError
from palaestra.core.observation import H4, Harness
from palaestra.core.policy import Insider, Policy
from palaestra.envs import registry
from palaestra.evaluation.scores import Scores, judge
from palaestra.evaluation.suite import Suite
from palaestra.pipeline.experiment.design import Judging, Problem
from palaestra.rollout.play import play
from palaestra.training.embedded.prompt import PIXELS

PLAY = partial(play, pixels=PIXELS)


@dataclass(frozen=True, eq=False)
class Exam:
    """Test problems, and the seed that all replies to them are drawn with."""

    pool: Pool
    suite: Suite
    seed: int

    @staticmethod
    def draw(problem: Problem, judging: Judging) -> "Exam":
        """Return the exam of a problem.

        Raises:
            ConfigError: it has too few test problems.
        """
        pool, scales = registry.pool([problem.environment]), {problem.environment: (problem.scale,)}
        suite = Suite.draw(pool, per_scale=judging.at_end, seed=judging.seed, scales=scales)
        if not suite.tickets:
            why = next(left.why for left in suite.left_out if left.scale == problem.scale)
            raise ConfigError(
                f"{problem.environment} at scale {problem.scale} has not {judging.at_end} test problems: {why}; "
                "lower judging.at_end, or take another scale"
            )
        return Exam(pool, suite, judging.seed)

    def at(self, harness: Harness, problems: int | None = None) -> Suite:
        """Return the problems, or the first few, as they are shown under a harness."""
        tickets = (replace(ticket, cell=replace(ticket.cell, harness=harness)) for ticket in self.suite.tickets)
        return replace(self.suite, tickets=tuple(tickets)[:problems], harness=harness)

    def sit(self, policy: Policy | Insider, harness: Harness = H4, problems: int | None = None) -> Scores:
        """Return what a policy scores on the problems, or on the first few."""
        return judge(policy, self.at(harness, problems), self.pool, PLAY, self.seed)

    def contexts(self, policy: Policy | Insider, rollouts: int, groups: int) -> float:
        """Return how many different observations a group of so many rollouts without help meets, on average."""
        asked = self.at(H4, groups).tickets
        tickets = [replace(ticket, cell=replace(ticket.cell, rollouts=rollouts)) for ticket in asked]
        played = PLAY(tickets, self.pool, policy, seed=self.seed)
        return fmean(
            len({turn.observation for member in group.trajectories for turn in member.turns}) for group in played
        )
