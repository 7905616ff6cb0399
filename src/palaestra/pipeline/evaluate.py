"""Stage "evaluate": the base and the last checkpoint of a run on the same problems that neither ever met.

    RUN/evaluation.json   success of both by group and by environment, their difference, and whether they look

ID is the test split of every environment that may be trained on, whatever was; OOD are those held out. All are shown
at H4, at the scales that a tiny policy can read. Both play the suite once more with grey pictures (`evaluation.blind`).
The result follows from the checkpoints and the configuration, so an evaluation that was stopped starts again.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palaestra.core import config
from palaestra.core.environment import Pool
from palaestra.core.errors import ConfigError, RunFolderError
from palaestra.core.policy import Insider, Policy
from palaestra.core.runfolder import RunFolder
from palaestra.core.ticket import Group, Ticket
from palaestra.core.trainer import Device
from palaestra.envs import held_out, registry
from palaestra.evaluation.blind import Blindfolded, Probe
from palaestra.evaluation.compare import Difference, compare
from palaestra.evaluation.metrics import mean, relative_gain, returned, success_rate
from palaestra.evaluation.scores import Scores, SeededPlay, judge
from palaestra.evaluation.suite import HELD_OUT, MULTI_TURN, SINGLE_TURN, Suite
from palaestra.rollout.play import play

NAME = "evaluation.json"
"""The file in a run folder."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class EvaluateConfig:
    """Which problems: so many `per_scale`, drawn by `seed`, of the `environments` named, or of all there are; and on
    which `device` the policies play them."""

    environments: tuple[str, ...] = ()
    per_scale: int = 20
    seed: int = 0
    device: Device = Device.AUTO

    def __post_init__(self) -> None:
        if self.per_scale < 1 or not 0 <= self.seed < 2**63:
            raise ConfigError(f"per_scale = {self.per_scale}, seed = {self.seed}; from 1 on, and from 0 on")


@dataclass(frozen=True, slots=True)
class Played:
    """What one checkpoint scored on the suite, with its pictures and with grey ones."""

    step: int
    seen: Scores
    blind: Scores

    def json(self, groups: Mapping[str, Collection[str]]) -> dict[str, Any]:
        """Return all of it as JSON data."""
        ids = dict.fromkeys(row.env_id for row in self.seen.rows)
        return {
            "step": self.step,
            **{name: success(self.seen.only(own)) for name, own in groups.items()},
            "environments": {env_id: success(self.seen.only([env_id])) for env_id in ids},
            "probe": {name: self._probe(groups[name]) for name in ("id", "ood")},
            "scores": self.seen.dump(),
        }

    def _probe(self, env_ids: Collection[str]) -> dict[str, Any] | None:
        seen, blind = self.seen.only(env_ids), self.blind.only(env_ids)
        return Probe(compare(seen, blind, returned, seed=seen.seed)).json() if seen.judged else None


def evaluate(plan: EvaluateConfig, run: Path, progress: Progress | None = None) -> dict[str, Any]:
    """Judge a run folder, write `evaluation.json` there, and return what it holds.

    Args:
        progress: told how many episodes of how many are played.

    Raises:
        UnknownEnvironment: the plan names one that does not exist.
        RunFolderError: there is no base, or a file is damaged.
        ConfigError: the environments named have no problem to judge, or the device is not there.
    """
    from palaestra.pipeline.pretrain import CHECKPOINTS
    from palaestra.pipeline.train import NAME as TRAINING
    from palaestra.pipeline.train import TrainConfig
    from palaestra.training.embedded import checkpoint as stored
    from palaestra.training.embedded.backend import Embedded
    from palaestra.training.embedded.prompt import PIXELS
    from palaestra.training.embedded.scales import read_scales

    pool = registry.pool(dict.fromkeys(plan.environments or registry.ids()))
    base = stored.found(run / CHECKPOINTS / "base")
    if base is None:
        raise RunFolderError(
            f"{run} holds no checkpoint to judge; palaestra pretrain CONFIG --out {run} makes the base, "
            f"palaestra train CONFIG --out {run} trains from it"
        )
    training = config.load(run / TRAINING, TrainConfig) if (run / TRAINING).exists() else None
    selected, describe = (training.environments, training.groups.describe) if training else ((), False)
    checkpoints = [base, *stored.numbered(run / CHECKPOINTS)[-1:]]
    engine = Embedded(run / CHECKPOINTS, describe=describe, device=plan.device)
    policies = [engine.policy(one) for one in checkpoints]  # read at once: a training run may go on meanwhile
    scales = read_scales(pool, stored.read(base)[0].tokenizer).kept
    ood = held_out.HELD_OUT & pool.keys()
    suite = Suite.draw(pool, ood, per_scale=plan.per_scale, seed=plan.seed, scales=scales)
    if not suite.tickets:
        raise ConfigError(f"no problem to judge in {', '.join(pool)}: {suite.left_out[0].why}")
    counted = counting(2 * len(policies) * len(suite.tickets), PIXELS, progress)
    played = [
        Played(one.step, *(judge(player, suite, pool, counted, plan.seed) for player in (policy, Blindfolded(policy))))
        for one, policy in zip(checkpoints, policies, strict=True)
    ]
    found = _found(suite, plan.seed, _groups(suite, selected), played)
    RunFolder(run).write_json(NAME, found)
    return found


def counting(total: int, pixels: int, progress: Progress | None) -> SeededPlay:
    """Return `play` with pictures of a width, which tells how many episodes of how many are played."""
    done = 0

    def counted(tickets: Sequence[Ticket], pool: Pool, policy: Policy | Insider, *, seed: int) -> list[Group]:
        nonlocal done
        groups = play(tickets, pool, policy, seed=seed, pixels=pixels)
        done += len(groups)
        if progress is not None:
            progress(done, total)
        return groups

    return counted


def success(scores: Scores) -> dict[str, Any] | None:
    """Return the macro mean of success with its interval as JSON data, None where nothing was judged.

    Problems that all end alike give the interval of a mean no width; the rate's own is told then.
    """
    outcomes = {row.success for row in scores.judged}
    if not outcomes:
        return None
    return (mean(scores, seed=scores.seed) if len(outcomes) > 1 else success_rate(scores)).json()


def _groups(suite: Suite, selected: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the environments that each number is about."""
    single, multi = suite.groups[SINGLE_TURN], suite.groups[MULTI_TURN]
    id_ = (*single, *multi)
    ours = tuple(env_id for env_id in id_ if env_id in selected)
    return {
        "id_single_turn": single, "id_multi_turn": multi, "ood": suite.groups[HELD_OUT], "id": id_, "selected": ours,
    }  # fmt: skip


def _found(suite: Suite, seed: int, groups: Mapping[str, Collection[str]], played: Sequence[Played]) -> dict[str, Any]:
    base, *trained = played
    found = {
        "suite": suite.digest,
        "seed": seed,
        "problems": len(suite.tickets),
        "left_out": [list(left) for left in suite.left_out],
        "base": base.json(groups),
        "trained": None,
        "differences": None,
        "gain": None,
    }
    for last in trained:
        gain = relative_gain(last.seen.only(groups["id"]), base.seen.only(groups["id"]), seed=seed)
        apart = {name: compare(last.seen.only(ids), base.seen.only(ids), seed=seed) for name, ids in groups.items()}
        found["trained"] = last.json(groups)
        found["differences"] = {name: _told(difference) for name, difference in apart.items()}
        found["gain"] = gain.json() if groups["id"] else None
    return found


def _told(difference: Difference) -> dict[str, Any] | None:
    return difference.json() if difference.value.n else None
