"""ALP-GMM: settings are drawn where success has been changing, up or down: absolute learning progress.

A point is a part with its settings as they were at one stage; its progress is how much its success differs from that of
the nearest point of the stages before. A mixture of Gaussians is fitted to points and progress together, Gaussians are
drawn in proportion to their mean progress, points from these, and a share of them from anywhere.

Source: Portelas et al. 2019: mixtures of 2 to 10 Gaussians chosen by Akaike's criterion, 20 % drawn at random.
Departures: fitted at the end of a stage, to parts instead of episodes; a part's place in the order is one coordinate;
of what is drawn, counts become weights and the mean of a part's settings becomes its own.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from palaestra.core.distribution import Distribution
from palaestra.core.engineer import Evidence, Proposal
from palaestra.core.errors import ConfigError
from palaestra.core.instance import Setting, seed_from
from palaestra.core.space import WEIGHT, Space
from palaestra.engineer.mixture import Floats, best


@dataclass(frozen=True)
class ALPGMM:
    """Draws so many points, `anywhere` of them at random."""

    reads: ClassVar[bool] = True
    seed: int = 0
    draws: int = 256
    anywhere: float = 0.2
    largest: int = 10

    def __post_init__(self) -> None:
        if self.draws < 1 or self.largest < 2 or not 0 <= self.anywhere <= 1:
            raise ConfigError(
                f"ALP-GMM: draws = {self.draws}, largest = {self.largest}, anywhere = {self.anywhere}; points start at "
                "1, Gaussians at 2, and anywhere is a share"
            )

    def propose(self, current: Distribution, evidence: Evidence, space: Space) -> Proposal:
        """Return the settings of the points drawn; everywhere alike until a second stage has shown some progress."""
        rng = np.random.default_rng(seed_from("alp-gmm", self.seed, len(evidence.stages)))
        points_ND = progress(evidence, space)
        width = 1 + max(len(part.dials) for part in space.parts)
        drawn_MD = rng.random((self.draws, width))
        if len(points_ND) > 1 and points_ND[:, -1].max() > 0:
            found = best(points_ND, range(2, self.largest + 1), rng)
            worth_K = np.maximum(found.means_KD[:, -1], 1e-9)
            chosen_M = rng.choice(len(worth_K), self.draws, p=worth_K / worth_K.sum())
            for m in np.flatnonzero(rng.random(self.draws) >= self.anywhere):
                k = chosen_M[m]
                point_D = rng.multivariate_normal(found.means_KD[k], found.covariances_KDD[k], method="cholesky")
                drawn_MD[m] = np.clip(point_D[:-1], 0, 1)
        return Proposal(space.distribution(_settings(drawn_MD, current, space)), f"progress of {len(points_ND)} points")


def progress(evidence: Evidence, space: Space) -> Floats:
    """Return all points of the later stages with their absolute progress as the last coordinate [N, 1 + dials + 1]."""
    past: list[tuple[Floats, float]] = []
    found: list[Floats] = []
    width = 1 + max(len(part.dials) for part in space.parts)
    for stage in evidence.stages:
        now: list[tuple[Floats, float]] = []
        for k, part in enumerate(space.parts):
            if (rate := stage.success(part.name)).n and part.name in stage.settings:
                own = stage.settings[part.name]
                point_D = np.full(width, 0.5)
                point_D[0] = k / max(1, len(space.parts) - 1)
                point_D[1 : 1 + len(part.dials)] = [dial.place(own[dial.name]) for dial in part.dials]
                now.append((point_D, rate.value))
                if past:
                    nearest = min(past, key=lambda old: float(np.linalg.norm(old[0] - point_D)))
                    found.append(np.append(point_D, abs(rate.value - nearest[1])))
        past += now
    return np.array(found).reshape(-1, width + 1)


def _settings(drawn_MD: Floats, current: Distribution, space: Space) -> dict[str, dict[str, Setting]]:
    settings: dict[str, dict[str, Setting]] = space.settings(current)
    owner_M = np.rint(drawn_MD[:, 0] * (len(space.parts) - 1))
    for k, part in enumerate(space.parts):
        mine = drawn_MD[owner_M == k]
        if len(mine):
            means = mine.mean(axis=0)
            own: dict[str, Setting] = {dial.name: dial.at(float(means[1 + d])) for d, dial in enumerate(part.dials)}
            settings[part.name] = {**settings[part.name], **part.within(own)}
        settings[part.name][WEIGHT] = round(len(mine) / len(drawn_MD), 4)
    return settings
