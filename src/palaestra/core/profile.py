"""Which abilities an environment exercises.

Source: the meta-ability profiles of Ability-aware Environment Selection: core and soft abilities and the transitions
between them. Departures: frequencies and their support are kept, so that a weight can carry its uncertainty.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AbilityProfile:
    """The abilities seen in one environment's trajectories.

    `core` and `soft` map an ability to the share of trajectories that show it, `edges` an ordered pair of abilities
    to how often the second followed the first; `support` counts the trajectories behind each ability, under "" all of
    them.
    """

    env_id: str
    core: Mapping[str, float]
    soft: Mapping[str, float]
    edges: Mapping[tuple[str, str], int]
    support: Mapping[str, int]

    def weights(self, soft_weight: float = 0.3) -> dict[str, float]:
        """Return the weight of each ability: 1 for core, `soft_weight` for soft (0.3 in the paper).

        >>> AbilityProfile("a/b", {"track": 0.8}, {"plan": 0.2}, {}, {"": 20}).weights()
        {'track': 1.0, 'plan': 0.3}
        """
        return dict.fromkeys(self.core, 1.0) | dict.fromkeys(self.soft, soft_weight)
