"""Part of stage "measure": in which direction a checkpoint's policy gradient pulls on each environment.

    RUN/gradients/DIGEST/      what a checkpoint played and found; DIGEST names it and all settings but the pool
    RUN/sketches.safetensors   the sketched batch gradients, for `select`
    RUN/gradients.json         where and how well each environment was measured, and what it cost
    RUN/drift.json             once two checkpoints were measured alike: how far conflict moved (`pipeline.drift`)

The policy plays disjoint batches of groups; each batch becomes one gradient and one sketch. Batches are added in rounds
until cosines are sharp (`measure.sampling`). Everything is made of what was stored and of nothing else, so a run that
was killed goes on to the same bytes, and so does one in several processes. What a batch plays does not depend on the
other environments; how many batches there are does, unless their number is fixed. Another checkpoint, or other
settings, find their own place beside the first and replace the files of the run.

A group in which all earned alike has a zero gradient, and it is averaged in as that: a batch of such groups alone is a
zero vector, which is what it measured. Cross-fitted norms shrink by the same share as products do, so cosines stay
where they are; an environment without a single live group is unmeasured.

Source: Ability-aware Environment Selection: 10 batches of 10 samples. Departures: a sample is a group of 16 rollouts,
5 a batch, and the number of batches follows the noise; in guided groups a share of the members acts under all help and
the group is learnt without it, for policies that never succeed unaided: its ratio is not corrected, so it is the pull
of guided training that is measured.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import reduce
from hashlib import sha256
from multiprocessing import get_context
from operator import add
from pathlib import Path
from typing import Any

import numpy as np

from palaestra.core import config
from palaestra.core.gradient import GradientSketch
from palaestra.core.runfolder import RunFolder
from palaestra.measure.conflict import CosineMatrix, cosines
from palaestra.measure.fisher import Overlap, overlap
from palaestra.measure.hashing import CountSketch
from palaestra.measure.sampling import SHARP, Stopped, further, sharp
from palaestra.pipeline import learner, sketches
from palaestra.pipeline.batches import Batches, Cost, Order, Site, elsewhere
from palaestra.pipeline.estimator import GradientConfig, Metric
from palaestra.pipeline.hands import hand
from palaestra.pipeline.learner import Learner
from palaestra.rollout.record import Summary

NAME = "gradients.json"
"""The file in a run folder."""

FEW = "{} problems are too few for {} disjoint batches"
UNREADABLE = "it has no scale that the policy can read"

Run = Callable[[Sequence[Order]], Iterator[tuple[Order, Batches]]]


@dataclass(frozen=True)
class _Settings:
    """All that decides what a folder of gradients holds."""

    checkpoint: str
    seed: int
    gradients: GradientConfig


@dataclass(frozen=True, slots=True)
class Gradients:
    """What was found: by environment its batches and why there are no more of them, or why it was skipped.

    `cosines` and `overlap` are None where nothing was measured. `sharp` names the environments whose cosines have the
    error that is asked for.
    """

    batches: Mapping[str, Batches]
    stopped: Mapping[str, str]
    skipped: Mapping[str, str]
    sketches: tuple[GradientSketch, ...]
    cosines: CosineMatrix | None
    overlap: Overlap | None
    sharp: frozenset[str]

    @property
    def cost(self) -> Cost:
        """What all environments took together."""
        return reduce(add, (own.cost for own in self.batches.values()), Cost())

    @property
    def played(self) -> Summary:
        """What was played in all environments."""
        return reduce(add, (own.played for own in self.batches.values()), Summary())

    @property
    def reliability(self) -> Mapping[str, float]:
        """The share of each mean gradient that is signal."""
        return dict(zip(self.cosines.env_ids, self.cosines.reliability_E.tolist(), strict=True)) if self.cosines else {}

    def json(self) -> dict[str, Any]:
        """Return it as JSON data, but for the gradients themselves; what is not known is null."""
        found, shared = self.cosines, self.overlap
        environments = {env_id: self._described(env_id) for env_id in self.batches}
        if found is None or shared is None:
            return {"environments": environments, "skipped": dict(self.skipped), "cost": asdict(self.cost)}
        return {
            "environments": environments,
            "skipped": dict(self.skipped),
            "metric": found.metric,
            "effective_dimension": _known(found.dimension),
            "pairs": len(found.env_ids) * (len(found.env_ids) - 1) // 2,
            "measured_pairs": int(found.pairs.sum()) // 2,
            "sharp_pairs": int((found.pairs & (found.se_EE <= SHARP)).sum()) // 2,
            "reached_se": len(self.sharp),
            "fisher_overlap": {
                "pairs": shared.pairs,
                "spearman_cosine": shared.with_cosine,
                "spearman_size": shared.with_size,
            },
            "cost": asdict(self.cost),
        }

    def _described(self, env_id: str) -> dict[str, Any]:
        own, found = self.batches[env_id], self.cosines
        where = {
            "rung": own.place.rung,
            "scales": list(own.place.scales),
            "pilot": own.place.success and own.place.success.json(),
            "batches": len(own.rows_MK),
            "live_groups": own.live_groups,
            "problems": own.problems,
        }
        if found is None or env_id not in found.env_ids:
            return {**where, "reliability": None, "measured": False}
        e = found.env_ids.index(env_id)
        groups, errors = own.groups, found.se_EE[e][found.pairs[e]]
        reliability = float(found.reliability_E[e])
        return {
            **where,
            "groups": groups,
            "reliability": reliability,
            "reliability_se": float(found.reliability_se_E[e]),
            "measured": bool(found.measured_E[e]),
            "noise_scale": (1 / reliability - 1) * groups if reliability > 0 else None,
            "effective_dimension": _known(found.dimension_E[e]),
            "se": float(np.median(errors)) if len(errors) else None,
            "reached_se": env_id in self.sharp,
            "stopped": self.stopped[env_id],
        }


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def gradients(
    plan: GradientConfig,
    source: Learner,
    out: Path,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    workers: int = 1,
) -> Gradients:
    """Sketch the gradients of a policy on its pool into a run folder; the same call goes on after a kill.

    Args:
        out: the run folder.
        progress: told how many batches of how many are there; more may be asked for later.
        workers: how many processes share the work, with the same result; with several, environments are those of the
            registry.

    Raises:
        RunFolderError: the folder cannot be written.
        BadMeasurement: a gradient is not finite.
    """
    settings = config.dump(_Settings(source.digest, seed, plan))
    folder = RunFolder.open(out / "gradients" / sha256(settings.encode()).hexdigest()[:12], settings)
    metric = plan.metric if plan.metric is not Metric.AUTO else Metric.ADAM if source.stepped else Metric.RAW
    site = Site(plan, metric, seed, folder.path, settings, scales := learner.readable(source))
    readable = [env_id for env_id in source.pool if env_id in scales]
    held: dict[str, Batches] = {}
    dry: set[str] = set()
    stopped: dict[str, str] = {}
    orders = [Order(env_id, 0, plan.first) for env_id in readable]
    with _together(site, source, workers) as run:
        while orders:
            planned = sum(order.last - order.first for order in orders) + sum(len(o.rows_MK) for o in held.values())
            for order, found in run(orders):
                held[order.env_id] = held[order.env_id] + found if order.env_id in held else found
                if len(found.rows_MK) < order.last - order.first:
                    dry.add(order.env_id)
                if progress is not None:
                    progress(sum(len(own.rows_MK) for own in held.values()), planned)
            orders, stopped = _further(plan, _sketches(site, readable, held), held, dry)
    made = _sketches(site, readable, held)
    matrix = cosines(made) if made else None
    skipped = dict.fromkeys(source.pool.keys() - readable, UNREADABLE) | {
        env_id: FEW.format(own.problems, plan.first) for env_id, own in held.items() if not len(own.rows_MK)
    }
    found_all = Gradients(
        {env_id: held[env_id] for env_id in readable},
        stopped,
        {env_id: skipped[env_id] for env_id in source.pool if env_id in skipped},
        tuple(made),
        matrix,
        overlap({own.env_id: held[own.env_id].root_K for own in made}, matrix) if matrix else None,
        frozenset(env_id for env_id, yes in zip(matrix.env_ids, sharp(matrix), strict=True) if yes)
        if matrix
        else frozenset(),
    )
    known = found_all.overlap.overlap if found_all.overlap else {}
    shared = [[*pair, round(value, 4)] for pair, value in sorted(known.items())]
    for place in (folder, RunFolder(out)):
        sketches.write(place, made)
        at = {"checkpoint": source.digest, "updates": source.step, "folder": folder.path.name}
        place.write_json(NAME, {**at, **found_all.json(), "overlaps": shared})
    return found_all


def _further(
    plan: GradientConfig, made: Sequence[GradientSketch], held: Mapping[str, Batches], dry: Collection[str]
) -> tuple[list[Order], dict[str, str]]:
    """Return what is to be done next, and why environments that are left out are."""
    if plan.batches is not None or not made:
        return [], {own.env_id: "fixed" for own in made}
    size = {own.env_id: len(own.batches_MK) for own in made}
    course = further(cosines(made), {env_id: M if env_id in dry else plan.most for env_id, M in size.items()})
    ends = {
        env_id: "problems" if env_id in dry and why == Stopped.CAP else str(why)
        for env_id, why in course.stopped.items()
    }
    orders = [Order(e, size[e], last, root=not held[e].root_K.any()) for e, last in course.batches.items()]
    return orders, ends


def _sketches(site: Site, env_ids: Sequence[str], held: Mapping[str, Batches]) -> list[GradientSketch]:
    """Return the sketches of the environments that have batches, in the order of the pool."""
    how = str(CountSketch(k=site.plan.k))
    return [
        GradientSketch(env_id, held[env_id].rows_MK.astype(np.float32), held[env_id].live_groups, site.metric, how)
        for env_id in env_ids
        if len(held[env_id].rows_MK)
    ]


@contextmanager
def _together(site: Site, source: Learner, workers: int) -> Iterator[Run]:
    """Let orders be done here, or side by side in other processes; the results are the same."""
    if workers == 1:
        yield lambda orders: ((order, site.batches(source, order)) for order in orders)
        return
    hands = ProcessPoolExecutor(workers, get_context("spawn"), hand)

    def run(orders: Sequence[Order]) -> Iterator[tuple[Order, Batches]]:
        asked = {hands.submit(elsewhere, site, source.folder, source.digest, order): order for order in orders}
        for done in as_completed(asked):
            yield asked[done], done.result()

    try:
        yield run
    finally:
        hands.shutdown(cancel_futures=True)
