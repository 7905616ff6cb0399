"""Who labels the trajectories of a run: one maker for each kind of labeler, `MAKERS`, behind one configuration.

A maker reads what the user gave, loads what has to be loaded, and returns what labels a run; nothing is asked and
nothing written before that is called. To add a kind, give it a name in `By` and a maker.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palaestra.core.environment import Environment, Pool
from palaestra.core.errors import BadMeasurement, ConfigError, ExtraMissing
from palaestra.core.observation import H0, H4, Observation
from palaestra.core.policy import Thinker
from palaestra.core.runfolder import RunFolder
from palaestra.core.trajectory import Trajectory
from palaestra.integrations import minilm
from palaestra.integrations.openai import Endpoint, EndpointConfig
from palaestra.measure import activations
from palaestra.measure.agreement import Agreement
from palaestra.measure.annotator import Annotator
from palaestra.measure.dictionary import ALIKE, Dictionary, normalised, words_alike
from palaestra.measure.labelers import EventLabeler, Labeler, Labels
from palaestra.measure.scoring import ScoringLabeler
from palaestra.pipeline import labels, players
from palaestra.pipeline.agreement import Overlap, compared
from palaestra.pipeline.kept import Kept
from palaestra.pipeline.labels import EVENTS, FOLDER, HOUSE, Groups, members
from palaestra.rollout.messages import conversation
from palaestra.rollout.replay import views

Progress = Callable[[int, int], None]

TINY = "tiny"
"""The name of the base that comes with the package."""


class By(StrEnum):
    """Who labels."""

    EVENTS = EVENTS
    LLM = "llm"
    IMPORT = "import"
    LOCAL = "local"
    ACTIVATIONS = "activations"
    SELF = "self"


class Alike(StrEnum):
    """How names are found to be alike: by the words they share, or by an embedding that knows synonyms."""

    WORDS = "words"
    MINILM = "minilm"


@dataclass(frozen=True)
class LabelerConfig:
    """Who labels, and under which `name` the labels are kept.

    `import` reads `file`. `llm` asks `endpoint` for abilities in words of its own, of `coined` members of each group;
    one that fewer than `least` trajectories show is dropped, and what remains joins the names of the house, synonyms
    merged; then it asks of all trajectories for abilities of that list. `self` does the same with the language model
    that is the policy, `model`, and with its own words alone. `local` lets `model`, a file or a name, score the names
    of `dictionary`, or else of the house. `activations` sorts what the checkpoint `model`, or else the base of the
    package, makes of each turn into `clusters`.

    `pictures` is their width, 0 shows captions alone; `dictionary` is the file of another run to begin with, `alike`
    tells how synonyms are found.
    """

    by: By = By.EVENTS
    name: str = ""
    file: str | None = None
    endpoint: EndpointConfig | None = None
    model: str | None = None
    pictures: int = 448
    coined: int = 1
    least: int = 2
    clusters: int = 32
    dictionary: str | None = None
    alike: Alike = Alike.WORDS

    def __post_init__(self) -> None:
        if (self.file is not None) != (self.by is By.IMPORT):
            raise ConfigError("a file of labels and the labeler import belong together; give both or neither")
        if (self.endpoint is not None) != (self.by is By.LLM):
            raise ConfigError("an endpoint (its url and its model) and the labeler llm belong together; give both")
        if self.by is By.LOCAL and not self.model:
            raise ConfigError("the labeler local needs a model: local:smollm2, or local:FILE.gguf")
        if self.model is not None and self.by in (By.EVENTS, By.LLM, By.IMPORT):
            raise ConfigError(f"the labeler {self.by} takes no model {self.model!r}; local, activations and self do")
        if self.kept == EVENTS and self.by is not By.EVENTS:
            raise ConfigError(
                f"the labeler {self.by} cannot keep its labels under the name {EVENTS!r}: those by events stand there, "
                "and others are compared with them; choose another name"
            )
        if self.kept != normalised(self.kept):
            raise ConfigError(f"labels cannot be kept under the name {self.kept!r}; use small letters and underscores")
        least = min(self.coined, self.least - 1, self.pictures, self.clusters - 1)
        if least < 0 or (self.by is By.SELF and not self.coined):
            raise ConfigError(
                f"coined = {self.coined}, least = {self.least}, pictures = {self.pictures}, "
                f"clusters = {self.clusters}; none is less, and the labeler self has no words but those it coins"
            )

    @property
    def kept(self) -> str:
        """The name under which labels are kept."""
        return self.name or self.by.value


@dataclass(frozen=True, slots=True)
class Labelled:
    """Labels of a run: what was found, how many answers of a model were sound, repaired or given up for events, what
    was asked of it, how far all labelers of this run agree, by ability, and how far AES would, by labeler."""

    labels: Labels
    by: str
    counts: Mapping[str, int] = field(default_factory=dict)
    cost: Mapping[str, Any] = field(default_factory=dict)
    agreement: Mapping[str, Agreement] = field(default_factory=dict)
    overlap: Mapping[str, Overlap] = field(default_factory=dict)


Work = Callable[[RunFolder, Pool, Groups, Progress | None], Labelled]
"""Labels every judged trajectory of a pool, and goes on after a kill."""


def prepared(how: LabelerConfig) -> Work:
    """Return what labels a run and keeps the labels in its folder, beside those of events, which cost nothing and are
    what others are compared with; nothing is asked and nothing written yet.

    What is returned raises `BadMeasurement` for an import of another run and for a model without a word, `PolicyFailed`
    where a local model cannot score, and `EndpointFailed`.

    Raises:
        ConfigError: a file cannot be read, or a model cannot be asked.
        ExtraMissing: what tells how alike names are, runs a model, or holds its weights is not installed.
        PolicyFailed: a model cannot be loaded.
        RunFolderError: a folder holds no checkpoint.
    """
    work, events = MAKERS[how.by](how), _events(LabelerConfig())

    def labelled(folder: RunFolder, pool: Pool, groups: Groups, progress: Progress | None = None) -> Labelled:
        found = work(folder, pool, groups, progress)
        labels.write(folder, EVENTS, events(folder, pool, groups, None).labels)
        labels.write(folder, how.kept, found.labels)
        agreed, apart = compared(folder, pool, groups)
        return replace(found, agreement=agreed, overlap=apart)

    return labelled


def _events(how: LabelerConfig) -> Work:
    events = EventLabeler()
    return lambda folder, pool, groups, _: Labelled(
        {at: events(one) for env_id in pool for at, one in members(groups(env_id))}, how.kept
    )


def _import(how: LabelerConfig) -> Work:
    assert how.file is not None
    file, given = how.file, labels.read(Path(how.file))

    def work(folder: RunFolder, pool: Pool, groups: Groups, progress: Progress | None) -> Labelled:
        labels.fitting(given, file, pool, groups)
        return Labelled({at: line.abilities for at, line in given.items()}, how.kept)

    return work


def _llm(how: LabelerConfig) -> Work:
    assert how.endpoint is not None
    plan = how.endpoint
    return _two_passes(how, lambda replies: Endpoint(plan, replies), HOUSE)


def _self(how: LabelerConfig) -> Work:
    return _two_passes(how, players.chat(how.model or ""), Dictionary())


def _two_passes(how: LabelerConfig, opened: Callable[[Path], Endpoint | Kept], house: Dictionary) -> Work:
    """Label by a language model: words of its own from a few trajectories, which join those of the house where there
    are any, then one list for all. While it coins, it is offered another run's words at most, never the house's, which
    that run may have kept."""
    begun = labels.dictionary(Path(how.dictionary)) if how.dictionary is not None else Dictionary()
    offered = Dictionary({name: also for name, also in begun.abilities.items() if name not in HOUSE.abilities})
    alike, threshold = (minilm.similarity(), minilm.ALIKE) if how.alike is Alike.MINILM else (words_alike, ALIKE)

    def work(folder: RunFolder, pool: Pool, groups: Groups, progress: Progress | None) -> Labelled:
        chat = opened(folder.path / FOLDER / "replies")

        def shown(played: Trajectory) -> Iterator[Observation]:
            return (H0.show(view) for view in views(pool[played.instance.env_id], played, how.pictures))

        def passed(labeler: Labeler, most: int | None) -> Iterator[tuple[tuple[int, int], Trajectory, Sequence[str]]]:
            for done, env_id in enumerate(pool, 1):
                chosen = [(at, one) for at, one in members(groups(env_id)) if most is None or at[1] < most]
                named = chat.each(lambda item: labeler(item[1]), chosen)
                yield from ((at, one, names) for (at, one), names in zip(chosen, named, strict=True))
                if progress is not None:
                    progress(done, len(pool))

        open_ = Annotator(chat, offered, closed=False, shown=shown)
        coined: dict[str, list[Sequence[str]]] = {}  # by instance, which both players meet
        for _, one, names in passed(open_, how.coined) if how.coined else ():
            coined.setdefault(one.instance.key(), []).append(names)
        known = Dictionary({**house.abilities, **begun.abilities}, begun.version)
        dictionary = known.extended([*coined.values()], alike, threshold, how.least)
        if not dictionary.abilities:
            raise BadMeasurement(
                f"{how.model} coined no ability that {how.least} trajectories show ({dict(open_.counts)}); "
                "take a stronger model, or set labeler.least=1"
            )
        labels.keep(folder, how.kept, dictionary)
        closed = Annotator(chat, dictionary, shown=shown)
        named = {at: names for at, _, names in passed(closed, None)}
        return Labelled(named, how.kept, Counter(open_.counts) + closed.counts, chat.cost.json())

    return work


def _local(how: LabelerConfig) -> Work:
    names = labels.dictionary(Path(how.dictionary)) if how.dictionary is not None else HOUSE
    if not names.abilities:
        raise ConfigError(f"dictionary {how.dictionary}: no ability stands in it, and one has to be chosen")
    opened = players.chat(f"local:{how.model}")

    def work(folder: RunFolder, pool: Pool, groups: Groups, progress: Progress | None) -> Labelled:
        scorer = opened(folder.path / FOLDER / "replies")
        assert isinstance(scorer, Kept)

        def shown(played: Trajectory) -> Iterator[Observation]:
            return (H0.show(view) for view in views(pool[played.instance.env_id], played))

        labeler = ScoringLabeler(scorer, tuple(names.abilities), shown)
        found: dict[tuple[int, int], Sequence[str]] = {}
        for done, env_id in enumerate(pool, 1):
            found |= {at: labeler(one) for at, one in members(groups(env_id))}
            if progress is not None:
                progress(done, len(pool))
        labels.keep(folder, how.kept, names)
        return Labelled(found, how.kept, {}, scorer.cost.json())

    return work


def _activations(how: LabelerConfig) -> Work:
    thinker, pixels = _embedded(how.model or TINY)

    def work(folder: RunFolder, pool: Pool, groups: Groups, progress: Progress | None) -> Labelled:
        states: dict[tuple[int, int], Sequence[NDArray[np.float32]]] = {}
        for done, env_id in enumerate(pool, 1):
            states |= {at: _thought(thinker, pool[env_id], one, pixels) for at, one in members(groups(env_id))}
            if progress is not None:
                progress(done, len(pool))
        return Labelled(activations.labels(states, how.clusters), how.kept)

    return work


def _thought(
    thinker: Thinker, env: Environment[Any, Any], played: Trajectory, pixels: int
) -> Sequence[NDArray[np.float32]]:
    """Return the hidden state of each turn, as the policy would have met it at H4."""
    seen = [
        replace(turn, observation=H4.show(view))
        for turn, view in zip(played.turns, views(env, played, pixels), strict=False)
    ]
    talks = [conversation(seen[:n], turn.observation, env.spec.memory) for n, turn in enumerate(seen)]
    return thinker.states(talks, [turn.completion.text for turn in seen])


def _embedded(checkpoint: str) -> tuple[Thinker, int]:
    """Return the policy of a checkpoint, and the width of pictures that it looks at; another engine's goes here."""
    try:
        from palaestra.training.embedded.checkpoint import SHIPPED
        from palaestra.training.embedded.gradients import EmbeddedGradients
        from palaestra.training.embedded.prompt import PIXELS
    except ImportError as error:
        raise ExtraMissing("activations are those of a torch network: pip install 'palaestra[cpu]'") from error
    return EmbeddedGradients.read(SHIPPED if checkpoint == TINY else Path(checkpoint), {}).policy, PIXELS


MAKERS: Mapping[By, Callable[[LabelerConfig], Work]] = {
    By.EVENTS: _events,
    By.LLM: _llm,
    By.IMPORT: _import,
    By.LOCAL: _local,
    By.ACTIVATIONS: _activations,
    By.SELF: _self,
}
