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
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from palaestra.core import config
from palaestra.core.codec import cell_from_json, cell_to_json
from palaestra.core.distribution import Distribution
from palaestra.core.engineer import Engineer, Proposal
from palaestra.core.instance import seed_from
from palaestra.core.policy import Policy
from palaestra.core.runfolder import RunFolder
from palaestra.core.ticket import Group, Ticket
from palaestra.core.trainer import Budget, Checkpoint
from palaestra.curriculum.feed import Feed
from palaestra.engineer import log as logs
from palaestra.engineer.chat import LanguageModel
from palaestra.engineer.evidence import cold, evidence
from palaestra.engineer.hand_schedule import HandSchedule
from palaestra.engineer.journal import ADMITTED, Journal
from palaestra.engineer.log import Counts, Log, Record
from palaestra.engineer.probe import Probe
from palaestra.engineer.rails import changes, fell, preserving
from palaestra.engineer.staged import Staged, StagedState
from palaestra.pipeline import course
from palaestra.pipeline.engineering.chats import chat
from palaestra.pipeline.engineering.design import LANGUAGE_MODEL, EngineeringConfig, Ground
from palaestra.pipeline.engineering.exam import PLAY, Exam, Sat
from palaestra.pipeline.experiment.arms import Told, lend
from palaestra.pipeline.experiment.clock import Clock
from palaestra.pipeline.pretrain import CHECKPOINTS
from palaestra.pipeline.propose import named
from palaestra.pipeline.train import resumed
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.backend import Embedded, Round

CONFIG, RESULT = "engineer.toml", "result.json"


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
        for mixture in self.mixtures[self.now.stage :]:
            self.feed.change(lambda own, mixture=mixture: self.staged.next_stage(own, mixture))  # type: ignore[misc]

    @property
    def now(self) -> StagedState:
        """The stage under way."""
        return self.staged.load(self.feed.state["curriculum"])


@dataclass(frozen=True)
class Arm:
    """An arm's run of one seed in a folder, on the ground that all share."""

    name: str
    seed: int
    design: EngineeringConfig
    ground: Ground
    valid: Exam
    test: Exam
    folder: Path

    def run(self, base: Path, before: Mapping[str, Counts], told: Told) -> dict[str, Any]:
        """Run it to its end, or go on with it; return what `result.json` holds.

        Args:
            base: the folder of the base.
            before: what the base did in the exam.
            told: of the updates.

        Raises:
            RunFolderError: the folder cannot be written, holds another run, or a damaged file.
        """
        lend(base, self.folder)
        run = RunFolder.open(self.folder, config.dump(RunConfig(self.name, self.seed, self.design)), CONFIG)
        checkpoints, design, clock = self.folder / CHECKPOINTS, self.design, Clock(self.folder)
        first = stored.found(checkpoints / "base")
        assert first is not None  # it was lent
        last, _ = resumed(run, checkpoints, first)
        journal = Journal(self.folder)
        entries = journal.stages()
        staged = Staged(self.ground.mixture)
        specs = [env.spec for env in self.ground.pool.values()]
        source = Stages(Feed(staged, specs, self.seed), staged, [_mixture(own["mixture"]) for own in entries])

        def heard(round_: Round) -> None:
            learnt = {"groups": len(round_.groups), "live": round_.live, **round_.learnt.json(design.grpo)}
            at = {"updates": round_.updates, "rollouts": round_.rollouts}
            run.log("update", **at, **learnt, cells=course.cells(round_.groups))
            clock.lap(round_.updates)
            if round_.updates % design.every == 0:
                stored.keep(checkpoints, stored.numbered(checkpoints)[-1:])  # with the next one there are two
            told(round_.updates, design.stages * design.updates)

        engine = Embedded(
            checkpoints, self.seed, design.tickets, design.every, design.grpo,
            describe=design.groups.describe, device=design.device, told=heard,
        )  # fmt: skip
        for stage in range(len(entries), design.stages):
            budget = Budget((stage + 1) * design.rollouts, (stage + 1) * design.updates)
            last = engine.train(source, self.ground.pool, budget, last)
            if stage + 1 < design.stages:
                entry = self._between(stage, entries, source.now, engine.policy(last), journal, last)
                journal.write(ADMITTED, **entry)
                entries.append(entry)
                source.mixtures.append(_mixture(entry["mixture"]))
        policy = engine.policy(last)
        settings = entries[-1]["settings"] if entries else self.ground.first
        at_end = Record(settings, _trained(source.now, self.ground), self.valid.sit(policy).counts)
        stored.keep(checkpoints, [last])
        result = {
            "arm": self.name,
            "seed": self.seed,
            "engineer": design.arms[self.name].engineer,
            "stages": [asdict(own) for own in (*map(_record, entries), at_end)],
            "proposals": [{key: own[key] for key in TOLD_OF} for own in entries],
            "before": {part: asdict(own) for part, own in before.items()},
            "after": {part: asdict(own) for part, own in self.test.sit(policy).counts.items()},
            "updates": last.step,
            "rollouts": design.stages * design.rollouts,
            "probed": sum(own["probed"] for own in entries),
            "digest": last.digest,
        }
        run.write_json(RESULT, result)
        return result

    def _between(
        self,
        stage: int,
        entries: Sequence[Mapping[str, Any]],
        now: StagedState,
        policy: Policy,
        journal: Journal,
        trainee: Checkpoint,
    ) -> dict[str, Any]:
        """Return the entry that ends a stage: what it came to, and what comes next."""
        design, space = self.design, self.ground.space
        sat = self.valid.sit(policy)
        settings = entries[-1]["settings"] if entries else self.ground.first
        current = _mixture(entries[-1]["proposed"]) if entries else self.ground.mixture
        record = Record(settings, _trained(now, self.ground), sat.counts)
        log = self._log(stage, [*map(_record, entries), record], sat, entries)
        told = evidence(log, space, design.evidence)
        is_cold = cold(told)
        probe = Probe(
            space, self.ground.pool, design.rails, PLAY, policy, self.valid.digests | self.test.digests,
            seed_from("engineer", self.seed, stage), is_cold,
        )  # fmt: skip
        note, by = "", design.arms[self.name].engineer
        if entries and fell(entries[-1]["won"], sat.won, design.rails):
            earlier = _mixture(entries[-2]["proposed"]) if len(entries) > 1 else self.ground.mixture
            proposal = Proposal(earlier, "sentinels fell: back to the mixture of the stage before")
            note, by = f"rolled back after stage {stage}: fewer of the validation problems were won", "rollback"
        else:
            engineer = self._engineer(probe, journal, trainee)
            if is_cold and getattr(engineer, "reads", True):
                engineer, by, note = (
                    HandSchedule(stages=design.stages),
                    "hand_schedule",
                    "cold start: nothing is won yet",
                )
            proposal = engineer.propose(current, told, space)
            if proposal.distribution != current:
                verdict = probe(proposal.distribution)
                journal.write("verdict", of=by, **verdict.json())
                if not verdict.ok:
                    proposal = replace(proposal, distribution=current)
                    note = "; ".join(filter(None, (note, f"refused, nothing is changed: {verdict.reasons[0]}")))
        after = space.settings(proposal.distribution)
        return {
            "stage": stage + 1,
            "by": by,
            "cold": is_cold,
            "record": asdict(replace(record, note=note)),
            "won": list(sat.won),
            "proposed": _cells(proposal.distribution),
            "mixture": _cells(preserving(current, proposal.distribution, design.rails.keep)),
            "settings": after,
            "diff": changes(space.settings(current), after),
            "rationale": proposal.rationale,
            "summary": proposal.summary,
            "projected": list(proposal.projected),
            "note": note,
            "probed": probe.rollouts,
        }

    def _engineer(self, probe: Probe, journal: Journal, trainee: Checkpoint) -> Engineer:
        """Return the engineer of this arm."""
        arm = self.design.arms[self.name]
        if arm.engineer != LANGUAGE_MODEL:
            return named(arm.engineer, self.seed, **arm.settings)
        rivals = tuple(named(name, self.seed) for name in arm.rivals)
        asked = chat(arm.chat, self.folder, trainee)
        summary = self.design.evidence.summary
        return LanguageModel(asked, probe, rivals, self.design.rails, arm.candidates, summary, journal.write)

    def _log(self, stage: int, records: Sequence[Record], sat: Sat, entries: Sequence[Mapping[str, Any]]) -> Log:
        """Return what evidence is built from."""
        design = self.design
        names = [name for name, _ in self.valid.tickets]
        shown = logs.examples(zip(names, sat.groups, strict=True), design.evidence.examples)
        done = stage + 1
        book = {
            "stage": done,
            "of": design.stages,
            "updates": done * design.updates,
            "rollouts": done * design.rollouts,
        }
        details = {name: value for name, value in asdict(design.grpo).items() if isinstance(value, int | float | str)}
        return Log(tuple(records), shown, entries[-1]["summary"] if entries else "", book, details)


TOLD_OF = ("stage", "by", "cold", "settings", "diff", "rationale", "projected", "note", "probed")
"""What is told of each proposal where the journal is not at hand."""


def _trained(now: StagedState, ground: Ground) -> dict[str, Counts]:
    """Return what the rollouts of a stage came to, by part."""
    found: dict[str, Counts] = {}
    for cell, rate in now.counts.items():
        if (part := ground.space.owner(cell)) is not None:
            before = found.get(part.name, Counts(0, 0))
            found[part.name] = Counts(before.n + rate.n, before.successes + rate.hits)
    return found


def _record(entry: Mapping[str, Any]) -> Record:
    return logs.load({"stages": [entry["record"]]}).stages[0]


def _cells(mixture: Distribution) -> list[list[Any]]:
    return [[cell_to_json(cell), weight] for cell, weight in mixture.weights.items()]


def _mixture(data: Sequence[Sequence[Any]]) -> Distribution:
    return Distribution({cell_from_json(cell): weight for cell, weight in data})
