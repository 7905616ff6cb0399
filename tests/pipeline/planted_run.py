"""A run folder with every file that a report reads, of any size, as the stages would have written it."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from palaestra.core.codec import cell_to_json
from palaestra.core.distribution import Cell
from palaestra.core.gradient import GradientSketch
from palaestra.core.observation import H4, LADDER
from palaestra.core.profile import AbilityProfile
from palaestra.core.runfolder import RunFolder
from palaestra.envs import held_out, registry
from palaestra.evaluation.compare import Difference
from palaestra.evaluation.interval import Interval
from palaestra.evaluation.metrics import Gain
from palaestra.pipeline import profiles, sketches
from palaestra.pipeline.select import select

CONFIG = 'environments = ["grid/frozen_lake"]\ninstances = 5\nseed = 0\n'


def planted(path: Path, environments: int = 12, abilities: int = 22, trained: bool = True) -> Path:
    """Write a whole run; environments beyond the registry's are strangers."""
    rng, folder = np.random.default_rng(0), RunFolder(path)
    known = [env_id for env_id in registry.ids() if env_id not in held_out.HELD_OUT]
    env_ids = [*known, *(f"stranger/environment_{n}" for n in range(environments))][:environments]
    folder.write("config.toml", CONFIG.encode())
    profiles.write(folder, [_profile(rng, env_id, abilities) for env_id in env_ids])
    sketches.write(folder, _sketches(rng, env_ids))
    for method in ("random_k", "coverage_only", "without_conflict", "facility_location"):
        select(path, method, min(15, environments))
    chosen = select(path).json()
    for verdict in (*chosen["picks"], *chosen["rejected"]):  # there are no trajectories to resample
        verdict["inclusion"] = int(rng.binomial(100, 0.8 if verdict in chosen["picks"] else 0.2)) / 100
    folder.write_json("selection.json", {**chosen, "draws": 100})
    picked = [pick["id"] for pick in chosen["picks"]]
    folder.write_json("curriculum.json", course(rng, picked))
    folder.write_json("evaluation.json", evaluation(rng, [*env_ids, *sorted(held_out.HELD_OUT)], picked, trained))
    return path


def _profile(rng: np.random.Generator, env_id: str, abilities: int) -> AbilityProfile:
    names = [f"{verb}_{noun}" for noun in NOUNS for verb in VERBS][:abilities]
    shares = {name: round(float(rng.uniform(0.1, 1)), 3) for name in names if rng.random() < 4 / abilities**0.8}
    core = {name: share for name, share in shares.items() if share > 0.4}
    soft = {name: share for name, share in shares.items() if share <= 0.4}
    return AbilityProfile(
        env_id, core, soft, {}, {"": 40, **{name: round(40 * share) for name, share in shares.items()}}
    )


VERBS = ("avoid", "count", "navigate", "recall", "estimate")
NOUNS = ("hazard", "things", "to_goal", "earlier_turns", "value", "seen_area", "constraint", "obstacle", "unseen_area")


def _sketches(rng: np.random.Generator, env_ids: list[str]) -> list[GradientSketch]:
    """Gradients of three directions that partly oppose one another; one in six is noise alone."""
    directions_3K = rng.standard_normal((3, 1024))
    directions_3K[1] -= 0.5 * directions_3K[0]
    found = []
    for n, env_id in enumerate(env_ids):
        mean_K = directions_3K[n % 3] * (n % 6 != 5) + 0.7 * rng.standard_normal(1024) * (n % 6 != 5)
        batches_MK = mean_K + 3 * rng.standard_normal((10, 1024))
        found.append(GradientSketch(env_id, batches_MK.astype(np.float32), 10, "adam", "count sketch, k 1024, seed 0"))
    return found


def course(rng: np.random.Generator, env_ids: list[str], entries: int = 21, every: int = 10) -> dict[str, Any]:
    """A curriculum that withdraws help and raises scales, at another pace in each environment."""
    pace = rng.uniform(0.3, 1.2, len(env_ids))
    history: list[dict[str, Any]] = []
    for entry in range(entries):
        ladder, scales, played = {}, {}, {}
        for env_id, own in zip(env_ids, pace, strict=True):
            ladder[env_id] = _spread(4 * min(1, own * entry / entries), [rung.name for rung in LADDER])
            scales[env_id] = _spread(3 * min(1, own * own * entry / entries), ["0", "1", "2", "3", "4"])
            share = np.clip(0.2 + 0.5 * own * entry / entries + rng.normal(0, 0.06), 0, 1)
            rollouts = 64 if entry else 0
            played[env_id] = {"rollouts": rollouts, "successes": int(rng.binomial(rollouts, share))}
        environments = {
            env_id: {"share": 1 / len(env_ids), "harness": ladder[env_id], "scale": scales[env_id]}
            for env_id in env_ids
        }
        at = {"updates": entry * every, "rollouts": 64 * entry * len(env_ids)}
        history.append({**at, "environments": environments, "played": played})
    final = [
        {**cell_to_json(Cell(env_id, 2, LADDER[3], learn=H4, guided=0.5)), "weight": 1 / len(env_ids)}
        for env_id in env_ids
    ]
    return {"curriculum": "guarded hdc", "environments": env_ids, "history": history, "final": final}


def _spread(mean: float, names: list[str]) -> dict[str, float]:
    low = int(mean)
    share = {names[low]: 1 - (mean - low), names[min(low + 1, len(names) - 1)]: mean - low}
    return {name: value for name, value in share.items() if value} if len(share) > 1 else {names[low]: 1.0}


def evaluation(rng: np.random.Generator, env_ids: list[str], picked: list[str], trained: bool = True) -> dict[str, Any]:
    """An evaluation in which most environments gain, and held-out ones hardly."""
    held = [env_id for env_id in env_ids if env_id in held_out.HELD_OUT]
    base = {env_id: float(rng.uniform(0, 0.35)) for env_id in env_ids}
    better = {env_id: float(rng.uniform(0, 0.3) if env_id in picked else rng.normal(0.02, 0.04)) for env_id in env_ids}
    after = {env_id: min(1.0, max(0.0, base[env_id] + better[env_id])) for env_id in env_ids}
    groups = {
        "id_single_turn": [env_id for env_id in env_ids if env_id not in held][::2],
        "id_multi_turn": [env_id for env_id in env_ids if env_id not in held][1::2],
        "ood": held,
        "id": [env_id for env_id in env_ids if env_id not in held],
        "selected": picked,
    }

    def mean(values: dict[str, float], own: list[str]) -> float:
        return sum(values[env_id] for env_id in own) / len(own)

    def judged(step: int, values: dict[str, float]) -> dict[str, Any]:
        told = {name: _interval(mean(values, own), 60 * len(own)) if own else None for name, own in groups.items()}
        worth = {"id": mean(values, groups["id"]) / 2, "ood": 0.01 if held else None}
        probes = {
            name: None if value is None else {**_difference(value, 300), "warning": "" if value > 0.03 else "blind"}
            for name, value in worth.items()
        }
        environments = {env_id: _interval(value, 60) for env_id, value in values.items()}
        return {"step": step, **told, "environments": environments, "probe": probes, "scores": {}}

    changes = {name: mean(after, own) - mean(base, own) for name, own in groups.items() if own}
    gain = Gain(Interval(1.2, 0.7, 1.9, 600), Interval(0.8, 0.6, 1.1, 600), (env_ids[0],)).json()
    return {
        "suite": "0123456789abcdef",
        "seed": 0,
        "problems": 60 * len(env_ids),
        "left_out": [[env_ids[0], 4, "not among the scales that the policy can read"]],
        "base": judged(0, base),
        "trained": judged(200, after) if trained else None,
        "differences": {name: _difference(value, 300) for name, value in changes.items()} if trained else None,
        "gain": gain if trained else None,
    }


def _interval(value: float, n: int) -> dict[str, Any]:
    half = 1.96 * (max(value * (1 - value), 0.01) / n) ** 0.5
    return Interval(value, max(0.0, value - half), min(1.0, value + half), n).json()


def _difference(value: float, n: int) -> dict[str, Any]:
    return Difference(Interval(value, value - 0.03, value + 0.03, n), differing=round(n / 4), seeds=(0, 0, 0)).json()


def write(path: Path, name: str, data: Any) -> None:
    """Write one file of a run by hand, whatever it says."""
    (path / name).write_text(json.dumps(data))
