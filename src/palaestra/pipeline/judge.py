"""Stage "judge": one policy on problems that it never met, with help and without, beside guessing and beside grey.

    OUT/judgement.json   success by environment, rung and scale, what of it is above chance, and whether it looks

The same problems are played under every rung that is asked for, at H4 in any case, once more at H4 with grey pictures,
and at random. Scales whose prompts would not fit are skipped by name. Dials are set on the split `valid`.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from palaestra.core import config
from palaestra.core.errors import ConfigError, RunFolderError, nearest
from palaestra.core.instance import Split
from palaestra.core.observation import H0, H4, LADDER, SYMBOLIC
from palaestra.core.rate import Rate
from palaestra.core.runfolder import RunFolder
from palaestra.core.trainer import Checkpoint
from palaestra.envs import held_out, registry
from palaestra.evaluation import scores
from palaestra.evaluation.blind import Blindfolded, Probe
from palaestra.evaluation.compare import Difference, compare
from palaestra.evaluation.interval import Interval
from palaestra.evaluation.metrics import above_chance, rates, returned
from palaestra.evaluation.scores import Scores
from palaestra.evaluation.suite import HELD_OUT, MULTI_TURN, SINGLE_TURN, UNREADABLE, LeftOut, Suite
from palaestra.pipeline.evaluate import EvaluateConfig, Progress, counting, success
from palaestra.rollout.policies import Random

NAME = "judgement.json"

GROUPS = {"id_single_turn": SINGLE_TURN, "id_multi_turn": MULTI_TURN, "ood": HELD_OUT}

BAND = (0.03, 0.30)
"""Between these shares of what guessing leaves a base wins enough to learn from, and leaves enough to be learnt."""


@dataclass(frozen=True)
class JudgeConfig(EvaluateConfig):
    """Which problems, of which `split`, and under which `rungs`; H4 is always one of them."""

    rungs: tuple[str, ...] = tuple(rung.name for rung in LADDER)
    split: Split = Split.TEST

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [rung.name for rung in LADDER]
        for name in self.rungs:
            if name not in names:
                raise ConfigError(f"rungs: the ladder has no {name!r}{nearest(name, names)}")
        if self.split is Split.TRAIN:
            raise ConfigError("split = 'train': a policy has learnt from these problems; judge it on valid or test")


@dataclass(frozen=True, slots=True)
class Played:
    """What one policy scored by the name of a rung, with grey pictures at H4, and what guessing scores."""

    rungs: Mapping[str, Scores]
    grey: Scores
    random: Scores

    @property
    def every(self) -> dict[str, Scores]:
        """All of them by name."""
        return {"random": self.random, **self.rungs, "grey": self.grey}

    def by_rung(self, value: Callable[[Scores], Any], env_ids: Collection[str]) -> dict[str, Any]:
        """Return a value of some environments' scores for each rung."""
        return {name: value(own.only(env_ids)) for name, own in self.rungs.items()}

    def help(self, env_id: str) -> Difference | None:
        """Return what all help is worth in an environment, H0 less H4; None where H0 was not played."""
        helped, alone = (self.rungs.get(rung.name) for rung in (H0, H4))
        if helped is None or alone is None:
            return None
        return compare(helped.only([env_id]), alone.only([env_id]), seed=alone.seed)


def judge(plan: JudgeConfig, policy: str, out: Path | None = None, progress: Progress | None = None) -> dict[str, Any]:
    """Judge a policy, and return what `judgement.json` holds; with `out` it is written there.

    Args:
        policy: "tiny" for the base that comes with the package, a checkpoint's folder, or a run folder for its last.
        progress: told how many episodes of how many are played.

    Raises:
        UnknownEnvironment: the plan names one that does not exist.
        RunFolderError: there is no such policy, a file is damaged, or `out` cannot be written.
        ConfigError: the environments named have no problem to judge.
    """
    from palaestra.pipeline.train import NAME as TRAINING
    from palaestra.pipeline.train import TrainConfig
    from palaestra.training.embedded import checkpoint as stored
    from palaestra.training.embedded.backend import Embedded
    from palaestra.training.embedded.prompt import PIXELS
    from palaestra.training.embedded.scales import read_scales

    pool = registry.pool(dict.fromkeys(plan.environments or registry.ids()))
    found = checkpoint(policy)
    training = found.path.parents[1] / TRAINING
    describe = config.load(training, TrainConfig).groups.describe if training.exists() else False
    player = Embedded(found.path.parent, describe=describe, device=plan.device).policy(found)
    read = read_scales(pool, stored.read(found)[0].tokenizer)
    ood = held_out.HELD_OUT & pool.keys()
    suite = Suite.draw(pool, ood, per_scale=plan.per_scale, seed=plan.seed, scales=read.kept, split=plan.split)
    skipped = [LeftOut(*own) for own in read.skipped] + [own for own in suite.left_out if own.why != UNREADABLE]
    if not suite.tickets:
        raise ConfigError(f"no problem to judge in {', '.join(pool)}: {skipped[0].why}")
    rungs = [rung for rung in LADDER if rung.name in plan.rungs or rung is H4]
    play = counting((len(rungs) + 2) * len(suite.tickets), PIXELS, progress)
    played = Played(
        {rung.name: scores.judge(player, suite.under(rung), pool, play, plan.seed) for rung in rungs},
        scores.judge(Blindfolded(player), suite, pool, play, plan.seed),
        scores.judge(Random(), suite.under(SYMBOLIC), pool, play, plan.seed),  # who guesses needs no picture drawn
    )
    told = {
        "policy": policy,
        "digest": found.digest,
        "updates": found.step,
        "split": str(plan.split),
        "seed": plan.seed,
        "per_scale": plan.per_scale,
        "suite": suite.digest,
        "problems": len(suite.tickets),
        **_told(suite, played, set(pool) - ood - {ticket.cell.env_id for ticket in suite.tickets}),
        "skipped": [{"env_id": env_id, "scale": scale, "why": why} for env_id, scale, why in sorted(skipped)],
    }
    if out is not None:
        RunFolder(out).write_json(NAME, told)
    return told


def checkpoint(policy: str) -> Checkpoint:
    """Return the checkpoint of a policy: the one that is shipped, that of a folder, or the last one of a run.

    Raises:
        RunFolderError: there is none.
    """
    from palaestra.pipeline.pretrain import CHECKPOINTS, TINY
    from palaestra.training.embedded import checkpoint as stored

    folder = stored.SHIPPED if policy == TINY else Path(policy)
    run = folder / CHECKPOINTS
    found = stored.found(folder) or next(reversed(stored.numbered(run)), None) or stored.found(run / "base")
    if found is not None:
        return found
    raise RunFolderError(
        f"--policy {policy}: found no checkpoint there; name the folder of one, a run folder that has one, or {TINY}"
    )


def _told(suite: Suite, played: Played, unjudged: Collection[str]) -> dict[str, Any]:
    """Return every number as JSON data; of `unjudged` training environments there is none."""
    ids = sorted(env_id for group in suite.groups.values() for env_id in group)
    alone, random = played.rungs[H4.name], played.random
    above = {env_id: played.by_rung(partial(_above, random), [env_id]) for env_id in ids}
    helps = {env_id: worth for env_id in ids if (worth := played.help(env_id)) is not None}
    training = {env_id: above[env_id][H4.name] for env_id in ids if env_id not in suite.groups[HELD_OUT]}
    return {
        "environments": {env_id: played.by_rung(success, [env_id]) for env_id in ids},
        **{name: played.by_rung(success, suite.groups[group]) for name, group in GROUPS.items()},
        "random": {env_id: success(random.only([env_id])) for env_id in ids},
        "grey": {env_id: success(played.grey.only([env_id])) for env_id in ids},
        "normalised": {env_id: {rung: own.json() for rung, own in rungs.items()} for env_id, rungs in above.items()},
        "help": {env_id: own.json() for env_id, own in helps.items()},
        "scales": _by_scale(played),
        "probe": Probe(compare(alone, played.grey, returned, seed=alone.seed)).json(),
        "quality": _quality(training, helps) | {"unjudged": sorted(unjudged)},
        "errors": dict(Counter(row.error for own in played.every.values() for row in own.missing)),
    }


def _above(random: Scores, own: Scores) -> Interval:
    return above_chance(own, random.only({row.env_id for row in own.rows}), seed=own.seed)


def _by_scale(played: Played) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the success rate of every player at each scale of each environment."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for name, own in played.every.items():
        for (env_id, scale), rate in rates(own).items():
            found.setdefault(env_id, {}).setdefault(str(scale), {})[name] = rate.json()
    return found


def _quality(alone: Mapping[str, Interval], helps: Mapping[str, Difference]) -> dict[str, Any]:
    """Return what is asked of a base: how many training environments it wins now and then, and oftener with help."""
    low, high = BAND
    helped = [env_id for env_id in alone if env_id in helps and helps[env_id].beyond and helps[env_id].value.low > 0]
    return {
        "band": list(BAND),
        "environments": len(alone),
        "within": Rate(sum(low <= own.value <= high for own in alone.values()), len(alone)).json(),
        "below": [env_id for env_id, own in alone.items() if own.value < low],
        "above": [env_id for env_id, own in alone.items() if own.value > high],
        "helped": Rate(len(helped), len(alone)).json() | {"ids": helped} if helps else None,
    }
