"""One run: a policy is trained stage by stage, and between two of them an engineer sets what comes next.

    RUN/engineer.toml    what decides the run
    RUN/checkpoints/     the base, and the last two of the rest
    RUN/events.jsonl     one line for each update
    RUN/journal.jsonl    every prompt, reply, verdict and change; what each stage came to and which mixture the next has
    RUN/clock.json       processor seconds of each update; the first of a stage includes what came before it
    RUN/result.json      all stages, and the exam before and after: a run that has it is done

The journal decides the mixture: a run that is resumed takes it from there, and ends with the same numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from palaestra.core import config
from palaestra.core.codec import mixture_from_json
from palaestra.core.distribution import Distribution
from palaestra.core.runfolder import RunFolder
from palaestra.core.ticket import Group, Ticket
from palaestra.core.trainer import Budget
from palaestra.curriculum.feed import Feed
from palaestra.engineer.journal import ADMITTED, Journal
from palaestra.engineer.log import Counts
from palaestra.engineer.staged import Staged, StagedState
from palaestra.pipeline import course, engines
from palaestra.pipeline.engineering.between import Between, stored_record
from palaestra.pipeline.engineering.chats import Opened
from palaestra.pipeline.engineering.design import EngineeringConfig, Ground
from palaestra.pipeline.engineering.exam import Exam
from palaestra.pipeline.experiment.arms import lend
from palaestra.pipeline.experiment.clock import Clock
from palaestra.pipeline.hands import Told
from palaestra.pipeline.pretrain import CHECKPOINTS
from palaestra.pipeline.train import resumed
from palaestra.training import checkpoints as stored

CONFIG, RESULT = "engineer.toml", "result.json"

TOLD_OF = ("stage", "by", "cold", "settings", "diff", "rationale", "projected", "note", "probed")
"""What is told of each proposal where the journal is not at hand."""


@dataclass(frozen=True)
class RunConfig:
    """Which run of a design."""

    arm: str
    seed: int
    design: EngineeringConfig


@dataclass
class Stages:
    """A feed that is at the stage that the journal says, also after it was restored from an earlier checkpoint."""

    feed: Feed[StagedState]
    staged: Staged
    mixtures: list[Distribution]

    def draws(self, n: int) -> Sequence[Ticket]:
        """Return the next n tickets."""
        return self.feed.draws(n)

    def report(self, groups: Sequence[Group]) -> Sequence[float]:
        """Take results in."""
        return self.feed.report(groups)

    @property
    def state(self) -> Mapping[str, Any]:
        """The feed's."""
        return self.feed.state

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state, and begin the stages that it does not know of."""
        self.feed.restore(state)
        for following in self.mixtures[self.now.stage :]:
            self.feed.change(lambda own, following=following: self.staged.next_stage(own, following))  # type: ignore[misc]

    @property
    def now(self) -> StagedState:
        """The stage under way."""
        return self.staged.load(self.feed.state["curriculum"])


@dataclass(frozen=True)
class Run:
    """An arm's run of one seed in a folder, on the ground that all share; `chat` opens what a language model is."""

    arm: str
    seed: int
    design: EngineeringConfig
    ground: Ground
    valid: Exam
    test: Exam
    folder: Path
    chat: Opened | None = None

    def made(self, base: Path, before: Mapping[str, Counts], told: Told) -> dict[str, Any]:
        """Run it to its end, or go on with it; return what `result.json` holds.

        Args:
            base: the folder of the base.
            before: what the base did in the exam.
            told: of the updates.

        Raises:
            RunFolderError: the folder cannot be written, holds another run, or a damaged file.
        """
        folder = RunFolder.open(self.folder, config.dump(RunConfig(self.arm, self.seed, self.design)), CONFIG)
        lend(base, self.folder)
        checkpoints, design, clock = self.folder / CHECKPOINTS, self.design, Clock(self.folder)
        first = stored.found(checkpoints / "base")
        assert first is not None  # it was lent
        last, _ = resumed(folder, checkpoints, first)
        journal = Journal(self.folder)
        entries = journal.stages()
        staged = Staged(self.ground.mixture)
        specs = [env.spec for env in self.ground.pool.values()]
        source = Stages(Feed(staged, specs, self.seed), staged, [mixture_from_json(own["mixture"]) for own in entries])

        arm, evaluated = design.arms[self.arm], self.valid.digests | self.test.digests
        between = Between(
            arm, self.seed, design, self.ground, self.valid, evaluated, journal, self.folder, self.chat
        )  # fmt: skip

        def heard(round_: engines.Round) -> None:
            learnt = {"groups": len(round_.groups), "live": round_.live, **round_.learnt}
            at = {"updates": round_.updates, "rollouts": round_.rollouts}
            folder.log("update", **at, **learnt, cells=course.cells(round_.groups))
            clock.lap(round_.updates)
            if round_.updates % design.every == 0:
                stored.keep(checkpoints, stored.numbered(checkpoints)[-1:])  # with the next one there are two
            told(round_.updates, design.stages * design.updates)

        engine = engines.engine(design, checkpoints, self.seed, heard)
        for stage in range(len(entries), design.stages):
            budget = Budget((stage + 1) * design.rollouts, (stage + 1) * design.updates)
            last = engine.train(source, self.ground.pool, budget, last)
            if stage + 1 < design.stages:
                entry = between.entry(entries, source.now, engine.policy(last), last)
                journal.write(ADMITTED, **entry)
                entries.append(entry)
                source.mixtures.append(mixture_from_json(entry["mixture"]))
        policy = engine.policy(last)
        at_end = between.record(entries, source.now, self.valid.sit(policy))
        stored.keep(checkpoints, [last])
        result = {
            "arm": self.arm,
            "seed": self.seed,
            "engineer": arm.engineer,
            "stages": [asdict(own) for own in (*map(stored_record, entries), at_end)],
            "proposals": [{key: own[key] for key in TOLD_OF} for own in entries],
            "before": {part: asdict(own) for part, own in before.items()},
            "after": {part: asdict(own) for part, own in self.test.sit(policy).counts.items()},
            "updates": last.step,
            "rollouts": design.stages * design.rollouts,
            "probed": sum(own["probed"] for own in entries),
            "digest": last.digest,
        }
        folder.write_json(RESULT, result)
        return result
