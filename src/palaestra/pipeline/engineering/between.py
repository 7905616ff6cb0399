"""What happens between two stages: validate, build evidence, propose, probe, admit; as one entry of the journal.

An entry holds what the stage came to (`record`, `won`), what was proposed and what is trained on (`mixture`, which
keeps some of the one before), who proposed it and why. Later stages and resumed runs read all they need from entries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from palaestra.core.codec import mixture_from_json, mixture_to_json
from palaestra.core.distribution import Distribution
from palaestra.core.engineer import Engineer, Evidence, Proposal
from palaestra.core.instance import seed_from
from palaestra.core.policy import Completion, Conversation, Policy
from palaestra.core.space import Settings
from palaestra.core.trainer import Checkpoint
from palaestra.engineer import log as logs
from palaestra.engineer import named
from palaestra.engineer.chat import LanguageModel
from palaestra.engineer.evidence import cold, evidence
from palaestra.engineer.hand_schedule import HandSchedule
from palaestra.engineer.journal import Journal
from palaestra.engineer.log import Counts, Log, Record
from palaestra.engineer.probe import Probe
from palaestra.engineer.rails import changes, fell, preserving
from palaestra.engineer.staged import StagedState
from palaestra.pipeline import engines
from palaestra.pipeline.engineering.chats import Opened
from palaestra.pipeline.engineering.design import Arm, EngineeringConfig, Ground
from palaestra.pipeline.engineering.exam import Exam, Sat
from palaestra.rollout.play import play

Entry = Mapping[str, Any]

ROLLBACK = "rollback"
"""Who makes a proposal that only goes back by one."""


@dataclass(frozen=True)
class Between:
    """An arm's engineer and all that it is given, for the run of one seed; `chat` opens what a language model is."""

    arm: Arm
    seed: int
    design: EngineeringConfig
    ground: Ground
    valid: Exam
    evaluated: frozenset[str]
    journal: Journal
    folder: Path
    chat: Opened | None = None

    def entry(self, entries: Sequence[Entry], now: StagedState, policy: Policy, trainee: Checkpoint) -> dict[str, Any]:
        """Return the entry that ends a stage.

        Args:
            entries: those of the stages before.
            now: the mixture of this stage, and what its rollouts came to.
            policy: what the stage has trained.
            trainee: the same as a checkpoint.
        """
        stage, space, rails = len(entries), self.ground.space, self.design.rails
        sat = self.valid.sit(policy)
        record = self.record(entries, now, sat)
        told = evidence(self._log(entries, record, sat), space, self.design.evidence)
        at = seed_from("engineer", self.seed, stage)
        shown = partial(play, pixels=self.valid.pixels)
        probe = Probe(space, self.ground.pool, rails, shown, policy, self.evaluated, at, cold(told))
        current = self._proposed_in(entries)
        earlier = self._proposed_in(entries[:-1])
        # who has just gone back is asked again: the mixture before is the one that was blamed
        back = entries and entries[-1]["by"] != ROLLBACK and earlier != current
        if back and fell(entries[-1]["won"], sat.won, rails):
            proposal, trained = Proposal(earlier, "the sentinels fell", by=ROLLBACK), earlier
            note = f"rolled back after stage {stage + 1}: fewer of the validation problems were won"
        else:
            proposal, note = self._proposed(current, told, probe, trainee)
            before = mixture_from_json(entries[-1]["mixture"]) if entries else self.ground.mixture
            trained = preserving(before, proposal.distribution, rails.keep)
        after = space.settings(proposal.distribution)
        summary = proposal.summary or (entries[-1]["summary"] if entries else "")
        return {
            "stage": stage + 1,
            "by": proposal.by,
            "cold": probe.cold,
            "record": asdict(replace(record, note=note)),
            "won": list(sat.won),
            "proposed": mixture_to_json(proposal.distribution),
            "mixture": mixture_to_json(trained),
            "settings": after,
            "diff": changes(space.settings(current), after),
            "rationale": proposal.rationale,
            "summary": summary,
            "projected": list(proposal.projected),
            "note": note,
            "probed": probe.rollouts,
        }

    def record(self, entries: Sequence[Entry], now: StagedState, sat: Sat) -> Record:
        """Return what a stage came to as it was set; rollouts of what was kept from before tell of older settings."""
        settings: Settings = entries[-1]["settings"] if entries else self.ground.first
        proposed = self._proposed_in(entries).weights
        trained: dict[str, Counts] = {}
        for cell, rate in now.counts.items():
            if proposed.get(cell) and (part := self.ground.space.owner(cell)) is not None:
                before = trained.get(part.name, Counts(0, 0))
                trained[part.name] = Counts(before.n + rate.n, before.successes + rate.hits)
        return Record(settings, trained, sat.counts)

    def _proposed_in(self, entries: Sequence[Entry]) -> Distribution:
        """Return what the last of some entries proposed, the first mixture where there is none."""
        return mixture_from_json(entries[-1]["proposed"]) if entries else self.ground.mixture

    def _proposed(
        self, current: Distribution, told: Evidence, probe: Probe, trainee: Checkpoint
    ) -> tuple[Proposal, str]:
        """Return an admitted proposal, and what else is to be said of it."""
        engineer, by, notes = self._engineer(probe, trainee), self.arm.engineer, list[str]()
        if probe.cold and getattr(engineer, "reads", False):
            engineer, by = HandSchedule(stages=self.design.stages), "hand_schedule"
            notes.append("cold start: nothing is won yet")
        proposal = engineer.propose(current, told, self.ground.space)
        if proposal.distribution != current:
            verdict, space = probe(proposal.distribution), self.ground.space
            diff = changes(space.settings(current), space.settings(proposal.distribution))
            self.journal.write("verdict", of=proposal.by or by, diff=diff, **verdict.json())
            if not verdict.ok:
                proposal = replace(proposal, distribution=current)
                notes.append(f"refused, nothing is changed: {verdict.reasons[0]}")
        return replace(proposal, by=proposal.by or by), "; ".join(notes)

    def _engineer(self, probe: Probe, trainee: Checkpoint) -> Engineer:
        """Return the engineer of this arm."""
        if self.chat is None:
            return named(self.arm.engineer, self.seed, self.arm.settings)
        rivals = tuple(named(name, self.seed) for name in self.arm.rivals)
        opened, told = cache(partial(self.chat, self.folder, trainee)), self.journal.write

        def asked(messages: Conversation, schema: Mapping[str, Any] | None = None) -> Completion:
            return opened()(messages, schema)  # opened here, a model that cannot be loaded is one that gave no answer

        summary = self.design.evidence.summary
        return LanguageModel(asked, probe, rivals, self.design.rails, self.arm.candidates, summary, told)

    def _log(self, entries: Sequence[Entry], record: Record, sat: Sat) -> Log:
        """Return what evidence is built from."""
        design, done = self.design, len(entries) + 1
        names = [name for name, _ in self.valid.tickets]
        shown = logs.examples(zip(names, sat.groups, strict=True), design.evidence.examples)
        counts = {"updates": done * design.updates, "rollouts": done * design.rollouts}
        details = {name: own for name, own in engines.grpo(design).items() if isinstance(own, int | float | str)}
        summary = entries[-1]["summary"] if entries else ""
        book = {"stage": done, "of": design.stages, **counts}
        return Log((*map(stored_record, entries), record), shown, summary, book, details)


def stored_record(entry: Entry) -> Record:
    """Return what the stage of an entry came to."""
    return logs.load({"stages": [entry["record"]]}).stages[0]
