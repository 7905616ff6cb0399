"""What was played: turns and trajectories, complete enough to replay, to label and to learn from."""

from dataclasses import dataclass
from enum import StrEnum

from palaestra.core.answer import Parsed
from palaestra.core.instance import Instance
from palaestra.core.observation import Harness, Observation
from palaestra.core.policy import Completion


class Stop(StrEnum):
    """Why an episode ended.

    >>> Stop("horizon")
    <Stop.HORIZON: 'horizon'>
    """

    DONE = "done"  # the environment ended it, won or lost
    HORIZON = "horizon"  # the turn limit was reached
    ILLEGAL = "illegal"  # too many unreadable or illegal replies
    TOKENS = "tokens"  # the policy ran out of tokens
    ERROR = "error"  # the environment failed; `Trajectory.error` says how


@dataclass(frozen=True, slots=True)
class Turn:
    """One observation and what came of it. `learnt` is the observation the update sees, when it is another one.

    >>> from palaestra.core.answer import Choice
    >>> moves = Choice(("left", "right"))
    >>> seen, said = Observation(None, "Go.", moves), Completion("go left")
    >>> Turn(seen, said, moves.parse(said.text), legal=True, reward=1.0).parsed.value
    'left'
    """

    observation: Observation
    completion: Completion
    parsed: Parsed
    legal: bool
    reward: float
    events: tuple[str, ...] = ()
    learnt: Observation | None = None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One episode under the harness that the player saw.

    `score` is the return of an episode whose turns are not at hand, as in the logs of another engine.

    >>> from palaestra.core.observation import H4
    >>> lost = Trajectory(Instance("grid/frozen_lake", 1, 0, 7), H4, (), success=False, stop=Stop.HORIZON)
    >>> lost.ret, lost.key
    (0, 'grid/frozen_lake.v1@0#7:train')
    """

    instance: Instance
    harness: Harness
    turns: tuple[Turn, ...]
    success: bool
    stop: Stop
    error: str = ""
    score: float | None = None

    @property
    def ret(self) -> float:
        """The return: the sum of the rewards of all turns, or `score` where the turns were not kept."""
        return sum(turn.reward for turn in self.turns) if self.score is None else self.score

    @property
    def key(self) -> str:
        """The name of the problem that was played."""
        return self.instance.key()
