"""What a method of selection is, and what it may be told beyond profiles and conflict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Selection
from palaestra.selection.conflict import Conflict, Gradients


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What only some rivals look at, by environment: what it tells a player, its program, and its mean gradient."""

    descriptions: Mapping[str, str] = field(default_factory=dict)
    code: Mapping[str, str] = field(default_factory=dict)
    gradients: Gradients | None = None


NOTHING = Evidence()


class Method(Protocol):
    """Any way of choosing. `k` is how many (None: the method decides), `seed` settles what is left to chance."""

    def __call__(
        self,
        profiles: Sequence[AbilityProfile],
        conflict: Conflict,
        k: int | None = None,
        seed: int = 0,
        evidence: Evidence = NOTHING,
    ) -> Selection:
        """Return the chosen environments, in order."""
