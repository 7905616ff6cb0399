"""Stages inside somebody else's training loop: it tells of episodes, and is told between two stages what comes next.

Nothing can be played here, so a proposal is checked for what can be read off it: that its cells are of the space, and
that it is no mixture of all but one part. Part of the mixture before is kept. An engineer that fails changes nothing
and never ends training. All of it is in FOLDER/journal.jsonl, from where a run that is started again goes on.

    retuner = Retuner(space, "thresholds", Path("runs/lake"))

Source: the rounds of LLM-as-Environment-Engineer, for any loop. Departures: no probe and no sentinels, which need a
policy that plays; a stage in which no episode has ended goes on.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from json import dumps
from math import isfinite
from pathlib import Path
from typing import Any, cast

from palaestra.core.codec import mixture_from_json, mixture_to_json
from palaestra.core.distribution import Distribution
from palaestra.core.engineer import Engineer, Proposal, Stage
from palaestra.core.errors import ConfigError, RunFolderError
from palaestra.core.policy import Chat
from palaestra.core.retuning import Episode
from palaestra.core.runfolder import storing
from palaestra.core.space import RUNG, SCALE, Part, Settings, Space
from palaestra.engineer import called, named
from palaestra.engineer.chat import LanguageModel
from palaestra.engineer.evidence import ALL, Modules, cold, evidence
from palaestra.engineer.hand_schedule import HandSchedule
from palaestra.engineer.journal import ADMITTED, Journal
from palaestra.engineer.log import Counts, Log, Record, load
from palaestra.engineer.rails import Rails, Verdict, changes, narrow, preserving
from palaestra.engineer.space import natural, project
from palaestra.engineer.thresholds import Thresholds

BOUNDS = Rails()


class Retuner:
    """A `core.retuning.Retuning` with any engineer.

    Args:
        space: what may be set.
        engineer: one of `ENGINEERS` by name, any other, or a language model to be asked.
        folder: holds the journal; one that holds a journal already is gone on with.
        start: what the first stage plays; by default the easiest values, all parts alike.
        modules: what a language model is told.
        rails: bounds of a proposal; with `keep` = 0 nothing of the mixture before stays.
        seed: of an engineer by name.

    Raises:
        ConfigError: no engineer has this name, or a dial has one that it cannot have here.
        RunFolderError: the folder cannot be written, or its journal is damaged or of another space.
    """

    def __init__(
        self,
        space: Space,
        engineer: str | Engineer | Chat,
        folder: Path,
        *,
        start: Settings | None = None,
        modules: Modules = ALL,
        rails: Rails = BOUNDS,
        seed: int = 0,
    ) -> None:
        if {dial.name for part in space.parts for dial in part.dials} & {SCALE, RUNG}:
            raise ConfigError(f"a dial is called {SCALE} or {RUNG}, which are the house's own; give it another name")
        self.space, self._modules, self._rails = space, modules, rails
        with storing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        self._journal = Journal(folder)
        self._engineer, self._name = self._made(engineer, seed)
        easiest = natural(space, {})
        settings = project(start, space, easiest).settings if start is not None else easiest
        self._proposed = self._mixture = space.distribution(settings)
        self._records: list[Record] = []
        self._summary = ""
        for entry in self._journal.stages():
            self._records.append(load({"stages": [entry["record"]]}).stages[0])
            self._proposed, self._mixture = (mixture_from_json(entry[name]) for name in ("proposed", "mixture"))
            self._summary = entry["summary"]
            if wrong := self._stranger(self._mixture):
                raise RunFolderError(f"{folder}: its journal is of another space ({wrong}); take another folder")
        self._episodes: dict[str, list[Episode]] = {}

    @property
    def mixture(self) -> Distribution:
        """What is played now."""
        return self._mixture

    @property
    def stages(self) -> tuple[Stage, ...]:
        """All stages, the one under way last, with what they were set to and what came of it."""
        return tuple(own.stage for own in (*self._records, self._record()))

    def ended(self, episode: Episode) -> None:
        """Count one episode as it was set; one in a cell of a mixture before, kept or gone, is not counted.

        Raises:
            ConfigError: it does not say in which of several parts it was played.
        """
        if (part := self._part(episode)) is not None:
            self._episodes.setdefault(part.name, []).append(episode)

    def next_stage(self, **facts: Any) -> Distribution:
        """End the stage, ask the engineer, write all of it down, and return what the next stage plays.

        Raises:
            RunFolderError: the journal cannot be written.
        """
        if not self._episodes:
            return self._mixture
        current, record = self._proposed, self._record()
        told = evidence(Log((*self._records, record), (), self._summary, self._told(facts)), self.space, self._modules)
        engineer, by, note = self._engineer, self._name, ""
        if is_cold := cold(told) and bool(getattr(engineer, "reads", False)):
            engineer, by, note = HandSchedule(), "hand_schedule", "cold start: nothing is won yet"
        try:
            proposal = engineer.propose(current, told, self.space)
            reasons = self._judge(proposal.distribution).reasons if proposal.distribution != current else ()
            dumps(self._entry(proposal), allow_nan=False)
        except Exception as error:  # whatever an engineer does, training goes on
            proposal, reasons = Proposal(current, ""), (f"{type(error).__name__}: {error}",)
        if reasons:
            proposal = replace(proposal, distribution=current)
            note = f"{note}; nothing is changed: {reasons[0]}".removeprefix("; ")
        told_of = self._entry(proposal)
        ended = replace(record, note=note)
        stage = len(self._records) + 1
        by = proposal.by or by
        self._journal.write(ADMITTED, stage=stage, by=by, cold=is_cold, record=asdict(ended), **told_of, note=note)
        self._records.append(ended)
        self._proposed, self._mixture = proposal.distribution, mixture_from_json(told_of["mixture"])
        self._summary, self._episodes = told_of["summary"], {}
        return self._mixture

    def _entry(self, proposal: Proposal) -> dict[str, Any]:
        """Return what the journal says of a proposal, and the mixture that it comes to."""
        before, after = (self.space.settings(own) for own in (self._proposed, proposal.distribution))
        return {
            "proposed": mixture_to_json(proposal.distribution),
            "mixture": mixture_to_json(preserving(self._mixture, proposal.distribution, self._rails.keep)),
            "settings": after,
            "diff": changes(before, after),
            "rationale": str(proposal.rationale),
            "summary": str(proposal.summary or self._summary),
            "projected": [*map(str, proposal.projected)],
        }

    def _made(self, engineer: str | Engineer | Chat, seed: int) -> tuple[Engineer, str]:
        """Return an engineer and what it is called."""
        if isinstance(engineer, str):
            return named(engineer, seed), engineer
        if hasattr(engineer, "propose"):
            return (own := cast(Engineer, engineer)), called(own)
        write, summary = self._journal.write, self._modules.summary
        model = LanguageModel(engineer, self._judge, (Thresholds(),), self._rails, 1, summary, write)
        return model, "language_model"

    def _judge(self, mixture: Distribution) -> Verdict:
        """Return the verdict on what can be read off a mixture."""
        stranger = self._stranger(mixture)
        return Verdict((stranger,) if stranger else narrow(mixture, self.space, self._rails))

    def _stranger(self, mixture: Distribution) -> str:
        """Return which cell is not of the space, in words; empty where all are."""
        found = (cell for cell, weight in mixture.weights.items() if weight and self.space.owner(cell) is None)
        return next((f"{cell.env_id} with {dict(cell.knobs)} is not in the space" for cell in found), "")

    def _part(self, episode: Episode) -> Part | None:
        if episode.cell is not None:
            return self.space.owner(episode.cell) if self._proposed.weights.get(episode.cell) else None
        if len(self.space.parts) > 1:
            raise ConfigError(
                f"an episode does not say which of {len(self.space.parts)} parts it was played in; "
                "wrap the environment in palaestra.integrations.gymnasium.retuned"
            )
        return self.space.parts[0]

    def _record(self) -> Record:
        counts = {part: _counts(episodes) for part, episodes in self._episodes.items()}
        return Record(self.space.settings(self._proposed), counts)

    def _told(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the bookkeeping: the stage, what the loop says, and mean returns."""
        returns = {f"mean return of {part}": mean for part, own in self._episodes.items()
                   if (mean := _mean(e.ret for e in own)) is not None}  # fmt: skip
        return {"stage": len(self._records) + 1, **facts, **returns}


def _counts(episodes: Sequence[Episode]) -> Counts:
    failures = Counter(episode.failure for episode in episodes if not episode.success)
    won, turns = len(episodes) - failures.total(), sum(episode.steps for episode in episodes) / len(episodes)
    return Counts(len(episodes), won, failures=dict(failures), turns=round(turns, 2))


def _mean(returns: Iterable[float | None]) -> float | None:
    known = [ret for ret in returns if ret is not None and isfinite(ret)]
    return round(sum(known) / len(known), 4) if known else None
