"""Guarded: keeps any curriculum from starving, from standing where nobody succeeds, and from failing in silence.

- *Floor.* A share `floor` of all tickets goes evenly to the environments at the final harness, evenly over their
  allowed scales, whatever the rule wants: what is to be forgotten last is practised always. The rule shares the rest.
  The final harness shows picture and task alone, so under any rule this is the least share of image-only tickets.
- *Demotion.* Every `least` judged groups at an environment's frontier are looked at together. When the upper Wilson
  bound of their success rate, groups being the trials, lies under `demote`, the rule takes that environment one step
  back. It concerns rules with a `Frontier`; 0 never demotes. By default: 16 groups in which nobody succeeded.
- *Alarms.* Derived from the state at any time: an environment is *starved* when more than `starved` groups per
  environment came back since its last judged one, and *silent* when `silent` of its groups in a row agreed, all
  members successful or none, which teaches a group-relative learner nothing.

Source: ours, against the most repeated complaints about stateful difficulty pools (one-way drain, silent starvation,
thresholds that never demote).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from typing import Any, Generic, TypeVar

from palaestra.core.curriculum import Curriculum, Update
from palaestra.core.distribution import Cell, Distribution
from palaestra.core.environment import EnvSpec
from palaestra.core.errors import BadDistribution
from palaestra.core.observation import H4, Harness
from palaestra.core.ticket import Group
from palaestra.curriculum.frontier import Frontier
from palaestra.curriculum.tally import Tally
from palaestra.curriculum.template import PLAIN, Template
from palaestra.curriculum.watch import Alarm, Watch

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class GuardedState(Generic[S]):
    """The rule's own state, one watch for each environment, groups reported, and each environment's floor weight."""

    inner: S
    watches: tuple[Watch, ...]
    reported: int
    share: float


@dataclass(frozen=True, slots=True)
class Guarded(Generic[S]):
    """A curriculum around a curriculum. Floor cells are made by the rule's own template unless another is given.

    >>> from palaestra.curriculum.hdc import HDC
    >>> spec = EnvSpec("toy/walk", 1, "Walk", 9, ({"size": 3}, {"size": 5}))
    >>> guarded = Guarded(HDC(), floor=0.2)
    >>> rungs = guarded.distribution(guarded.start([spec])).marginal("harness")
    >>> {rung.name: round(share, 6) for rung, share in rungs.items()}
    {'H0': 0.8, 'H4': 0.2}
    """

    curriculum: Curriculum[S]
    floor: float = 0.1
    demote: float = 0.2
    least: int = 16
    starved: int = 50
    silent: int = 64
    harness: Harness = H4
    template: Template | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.floor < 1 or not 0 <= self.demote <= 1 or min(self.least, self.starved, self.silent) < 1:
            raise BadDistribution(
                f"Guarded: floor {self.floor}, demote {self.demote}, least {self.least}, starved {self.starved}, "
                f"silent {self.silent}; floor lies in [0, 1), demote in [0, 1], the counts start at 1"
            )

    def start(self, specs: Sequence[EnvSpec]) -> GuardedState[S]:
        """Return the rule's start, with nothing heard of any environment."""
        inner = self.curriculum.start(specs)
        watches = tuple(Watch(env_id, scales) for env_id, scales in self._template.roster(specs))
        return GuardedState(inner, watches, 0, self._share(self.curriculum.distribution(inner).weights, watches))

    def distribution(self, state: GuardedState[S]) -> Distribution:
        """Return the rule's own weights, with the floor added."""
        own, floor = self.curriculum.distribution(state.inner).weights, self._floor(state.watches, state.share)
        return Distribution(
            own if not self.floor else {c: own.get(c, 0.0) + floor.get(c, 0.0) for c in {**own, **floor}}
        )

    def update(self, state: GuardedState[S], groups: Sequence[Group]) -> Update[GuardedState[S]]:
        """Let the rule learn, then take the environments back whose frontier has collapsed."""
        played = {group.ticket.cell.env_id for group in groups}
        before = self._frontier(state.inner, played)
        update = self.curriculum.update(state.inner, groups)
        after = self._frontier(update.state, played)
        watches = {watch.env_id: watch for watch in state.watches}
        for number, group in enumerate(groups, state.reported + 1):
            cell = group.ticket.cell
            if cell.env_id in watches:
                watches[cell.env_id] = watches[cell.env_id].hear(group, number, before.get(cell.env_id) == cell)
        moved = [env_id for env_id in before if before[env_id] != after[env_id]]
        full = [w.env_id for w in watches.values() if w.tally.groups >= self.least and w.env_id not in moved]
        fallen = [env_id for env_id in full if watches[env_id].tally.rate.high < self.demote]
        for env_id in (*moved, *full):  # results at a frontier that was left say nothing of the next one
            watches[env_id] = watches[env_id].judge(collapsed=env_id in fallen)
        changes = update.changes
        if fallen and isinstance(self.curriculum, Frontier):
            update = self.curriculum.retreat(update.state, fallen)
            changes = {**changes, **update.changes}
        return self._floored(state, update.state, tuple(watches.values()), state.reported + len(groups), changes)

    def admit(self, state: GuardedState[S], group: Group) -> float:
        """Return what the rule admits."""
        return self.curriculum.admit(state.inner, group)

    def alarms(self, state: GuardedState[S]) -> list[Alarm]:
        """Return the environments that are starved or silent."""
        unheard = {watch.env_id: state.reported - watch.heard for watch in state.watches}
        limit = self.starved * len(state.watches)
        starved = [Alarm(env_id, "starved", groups) for env_id, groups in unheard.items() if groups > limit]
        return starved + [Alarm(w.env_id, "silent", w.flat) for w in state.watches if w.flat >= self.silent]

    def dump(self, state: GuardedState[S]) -> Mapping[str, Any]:
        """Return the state as JSON data, the rule's own under "inner"."""
        watches = [asdict(watch) for watch in state.watches]
        inner = self.curriculum.dump(state.inner)
        return {"inner": inner, "watches": watches, "reported": state.reported, "share": state.share}

    def load(self, data: Mapping[str, Any]) -> GuardedState[S]:
        """Return the state that was dumped."""
        watches = tuple(
            Watch(**{**watch, "scales": tuple(watch["scales"]), "tally": Tally(*watch["tally"])})
            for watch in data["watches"]
        )
        return GuardedState(self.curriculum.load(data["inner"]), watches, data["reported"], data["share"])

    def _floored(
        self, state: GuardedState[S], inner: S, watches: tuple[Watch, ...], reported: int, changes: Mapping[Cell, float]
    ) -> Update[GuardedState[S]]:
        """Add the floor to the rule's changes; when the rule's total weight changed, the whole floor changes too."""
        share = state.share
        if changes and self.floor:
            own = self.curriculum.distribution(inner).weights
            share = self._share(own, watches)
            floor = self._floor(watches, share)
            touched = changes if share == state.share else {**changes, **floor}
            changes = {cell: own.get(cell, 0.0) + floor.get(cell, 0.0) for cell in touched}
        return Update(GuardedState(inner, watches, reported, share), changes)

    def _share(self, own: Mapping[Cell, float], watches: tuple[Watch, ...]) -> float:
        total = fsum(own.values())  # to nine digits: rounding must not pass for a change of the total
        return self.floor / (1 - self.floor) * float(f"{total:.9g}") / len(watches)

    def _floor(self, watches: tuple[Watch, ...], share: float) -> dict[Cell, float]:
        return {
            self._template.cell(watch.env_id, scale, self.harness): share / len(watch.scales)
            for watch in watches
            for scale in watch.scales
        }

    @property
    def _template(self) -> Template:
        own: Template = getattr(self.curriculum, "template", PLAIN)
        return self.template or own

    def _frontier(self, inner: S, env_ids: Collection[str]) -> Mapping[str, Cell]:
        return self.curriculum.frontier(inner, env_ids) if isinstance(self.curriculum, Frontier) else {}
