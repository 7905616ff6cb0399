"""A trajectory becomes the sequence of abilities it shows; by default from the events of its turns, without a model.

Source: Ability-aware Environment Selection cuts a trajectory into segments and names an ability for each. Departures:
it asks a language model; the events that environments report need none, cost nothing and never disagree with
themselves.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby

from palaestra.core.trajectory import Trajectory
from palaestra.measure.vocabulary import ABILITY, SILENT

Labeler = Callable[[Trajectory], Sequence[str]]
"""Names the abilities that a trajectory shows, segment by segment, in order."""

Labels = Mapping[tuple[int, int], Sequence[str]]
"""Labels that are at hand: the abilities of each trajectory by its ticket and member, in order."""


@dataclass(frozen=True)
class EventLabeler:
    """Reads abilities off `Turn.events`: silent events are skipped, a run of one ability is one segment.

    >>> from palaestra.core.answer import Choice
    >>> from palaestra.core.instance import Instance
    >>> from palaestra.core.observation import H4, Observation
    >>> from palaestra.core.policy import Completion
    >>> from palaestra.core.trajectory import Stop, Turn
    >>> moves = Choice(("left", "right"))
    >>> def turn(*events):
    ...     return Turn(Observation(None, "Go.", moves), Completion("left"), moves.parse("left"), True, 0.0, events)
    >>> turns = turn("moved_closer"), turn("moved_away", "hazard_skirted"), turn("bell_rung", "goal_reached")
    >>> EventLabeler()(Trajectory(Instance("a/b", 1, 0, 7), H4, turns, True, Stop.DONE))
    ('navigate_to_goal', 'avoid_hazard', 'bell_rung')
    """

    abilities: Mapping[str, str] = field(default_factory=lambda: ABILITY)
    silent: Set[str] = SILENT

    def __call__(self, trajectory: Trajectory) -> Sequence[str]:
        """Return the abilities of one trajectory, in order."""
        events = (event for turn in trajectory.turns for event in turn.events if event not in self.silent)
        return runs(self.abilities.get(event, event) for event in events)


def runs(abilities: Iterable[str]) -> tuple[str, ...]:
    """Return abilities with each run of one of them as one segment."""
    return tuple(ability for ability, _ in groupby(abilities))
