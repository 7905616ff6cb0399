"""HDC, the Hierarchical Difficulty Curriculum: text help is withdrawn rung by rung, and on each rung the scale grows.

An environment e stands at a frontier rung r_e of the ladder and a largest scale u_e. Its tickets draw the harness from
D(h | r_e): the frontier rung with p_current, the rest over earlier rungs by exp(-alpha (r_e - h)); and the scale evenly
from the window l_e .. u_e. Success above tau_scale raises u_e; at the target scale, success above tau_harness raises
r_e and starts u_e anew. So an environment walks one path, rung by rung and scale by scale, and its `position` on that
path is all there is to know. Environments weigh the same and advance independently.

Source: the AES + HDC paper, sections on the outer (harness) and the inner (scale) curriculum.

Departures: no rule of the paper is changed. What it leaves open is chosen here, as parameters or as stated:

- tau_scale, tau_harness, the width of the window and `least`, the groups before a check, are RLVE's 0.9, 4 and 8;
  p_current 0.7 and alpha 1 are ours.
- As in RLVE only results at the frontier cell (r_e, u_e) count, and the counters start anew after every check, passed
  or not. A check follows the group that completes it, so that batching changes nothing.
- l_e = u_e - width + 1, within the allowed scales; the target is the last allowed scale; u_e restarts at the first.
- Success means judged members: in guided groups those that acted without help.
- `retreat`, one step back along the path, is not in the paper and is never taken unless `Guarded` asks for it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import exp, inf
from typing import Any

from palaestra.core.curriculum import Update
from palaestra.core.distribution import Cell, Distribution
from palaestra.core.environment import EnvSpec
from palaestra.core.errors import BadDistribution
from palaestra.core.observation import LADDER, Harness
from palaestra.core.ticket import Group
from palaestra.curriculum.changes import changed
from palaestra.curriculum.tally import NOTHING, Tally
from palaestra.curriculum.template import PLAIN, Template


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one environment is: its position counts (rung, scale) pairs, scales fastest."""

    env_id: str
    scales: tuple[int, ...]
    position: int = 0
    tally: Tally = NOTHING

    @property
    def rung(self) -> int:
        """The frontier rung r_e."""
        return self.position // len(self.scales)

    @property
    def top(self) -> int:
        """Where the largest scale u_e stands among the allowed scales."""
        return self.position % len(self.scales)


HDCState = tuple[Progress, ...]


@dataclass(frozen=True, slots=True)
class HDC:
    """The rule and its constants: thresholds tau, p_current (p_cur), alpha, window `width` (Delta_d), `least` groups.

    >>> [round(share, 3) for share in HDC().harness_shares(3)]  # D(h | r = 3)
    [0.027, 0.073, 0.2, 0.7]
    """

    tau_scale: float = 0.9
    tau_harness: float = 0.9
    p_current: float = 0.7
    alpha: float = 1.0
    width: int = 4
    least: int = 8
    ladder: tuple[Harness, ...] = tuple(LADDER)
    template: Template = PLAIN

    def __post_init__(self) -> None:
        if not (0 <= self.tau_scale <= 1 and 0 <= self.tau_harness <= 1):
            raise BadDistribution(
                f"HDC: tau_scale {self.tau_scale}, tau_harness {self.tau_harness}; a gate opens above its share of "
                "successes, which lies in [0, 1]"
            )
        if not 0 < self.p_current <= 1 or not 0 <= self.alpha < inf or self.width < 1 or self.least < 1:
            raise BadDistribution(
                f"HDC: p_current {self.p_current}, alpha {self.alpha}, width {self.width}, least {self.least}; "
                "p_current lies in (0, 1], alpha is finite and not negative, width and least start at 1"
            )
        if not self.ladder or len(set(self.ladder)) < len(self.ladder):
            raise BadDistribution(f"HDC: ladder {[rung.name for rung in self.ladder]}; name some rungs, each once")
        cells = [self.template.cell("", 0, rung) for rung in self.ladder]
        if any(cell.learn is not None and cell.helped == cell.rollouts for cell in cells):
            raise BadDistribution(
                f"HDC: guided {self.template.guided} of {self.template.rollouts} rollouts leaves nobody to judge; "
                "lower it, or no gate ever opens"
            )

    def start(self, specs: Sequence[EnvSpec]) -> HDCState:
        """Return every environment at the first rung and its smallest scale."""
        return tuple(Progress(env_id, scales) for env_id, scales in self.template.roster(specs))

    def harness_shares(self, rung: int) -> list[float]:
        """Return D(h | r) for h = 0 .. r."""
        earlier = [exp(-self.alpha * (rung - 1 - h)) for h in range(rung)]  # r - 1: the same shares, never all 0
        return [(1 - self.p_current) * weight / sum(earlier) for weight in earlier] + [self.p_current if rung else 1.0]

    def distribution(self, state: HDCState) -> Distribution:
        """Return weight 1 for each environment, shared by rungs and scales."""
        return Distribution({cell: weight for at in state for cell, weight in self._weights(at).items()})

    def update(self, state: HDCState, groups: Sequence[Group]) -> Update[HDCState]:
        """Credit groups to their cells; those at a frontier may move it."""
        after = {at.env_id: at for at in state}
        for group in groups:
            at = after.get(group.ticket.cell.env_id)
            if at is not None and group.ticket.cell == self._frontier(at):
                after[at.env_id] = self._checked(replace(at, tally=at.tally.plus(group)))
        return self._moved(state, tuple(after.values()))

    def admit(self, state: HDCState, group: Group) -> float:
        """Admit every group in full: the rule decides what is drawn, not what is learnt."""
        return 1.0

    def frontier(self, state: HDCState, env_ids: Collection[str]) -> Mapping[str, Cell]:
        """Return the cell (r_e, u_e) of each of these environments."""
        return {at.env_id: self._frontier(at) for at in state if at.env_id in env_ids}

    def retreat(self, state: HDCState, env_ids: Collection[str]) -> Update[HDCState]:
        """Take environments one step back along the path: the inverse of an advance."""
        after = {at.env_id: at for at in state}
        for at in state:
            if at.env_id in env_ids and at.position:
                after[at.env_id] = replace(at, position=at.position - 1, tally=NOTHING)
        return self._moved(state, tuple(after.values()))

    def dump(self, state: HDCState) -> Mapping[str, Any]:
        """Return the progress of every environment."""
        return {"environments": [asdict(at) for at in state]}

    def load(self, data: Mapping[str, Any]) -> HDCState:
        """Return the state that was dumped."""
        return tuple(
            Progress(at["env_id"], tuple(at["scales"]), at["position"], Tally(*at["tally"]))
            for at in data["environments"]
        )

    def _weights(self, at: Progress) -> dict[Cell, float]:
        window = at.scales[max(0, at.top - self.width + 1) : at.top + 1]
        return {
            self.template.cell(at.env_id, scale, harness): share / len(window)
            for harness, share in zip(self.ladder, self.harness_shares(at.rung), strict=False)
            for scale in window
            if share > 0
        }

    def _frontier(self, at: Progress) -> Cell:
        return self.template.cell(at.env_id, at.scales[at.top], self.ladder[at.rung])

    def _checked(self, at: Progress) -> Progress:
        if at.tally.groups < self.least:
            return at
        tau = self.tau_harness if at.top + 1 == len(at.scales) else self.tau_scale
        end = len(self.ladder) * len(at.scales) - 1
        return replace(at, position=min(end, at.position + (at.tally.success > tau)), tally=NOTHING)

    def _moved(self, before: HDCState, after: HDCState) -> Update[HDCState]:
        changes: dict[Cell, float] = {}
        for old, new in zip(before, after, strict=True):
            if old.position != new.position:
                changes |= changed(self._weights(old), self._weights(new))
        return Update(after, changes)
