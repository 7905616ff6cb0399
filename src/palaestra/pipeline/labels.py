"""Labels of stored trajectories as JSON lines, by an event table, a language model, or whoever wrote them already.

    {"ticket": 7, "member": 0, "abilities": ["plan_path", "avoid_hazard"]}

`ticket` and `member` are the columns of a stored run that name a trajectory; a `key` beside them is its problem, and
must fit. Every trajectory that no error ended has one line, with an empty list where it shows nothing. What a labeler
found is written in the same form, so labels of one run are corrected, compared and imported as files:

    RUN/labels/events.jsonl, llm.jsonl, ...   the labels of each labeler that was asked
    RUN/labels/dictionary.json                the abilities that a language model was held to, with their aliases
    RUN/labels/replies/                       what its server answered, never asked for twice
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from palaestra.core import config
from palaestra.core.environment import Pool
from palaestra.core.errors import BadMeasurement, ConfigError
from palaestra.core.observation import H0, Observation
from palaestra.core.runfolder import RunFolder
from palaestra.core.ticket import Group
from palaestra.core.trajectory import Trajectory
from palaestra.integrations import minilm
from palaestra.integrations.openai import Endpoint, EndpointConfig
from palaestra.measure.agreement import Agreement, agreement
from palaestra.measure.annotator import Annotator
from palaestra.measure.dictionary import Dictionary, Similarity, normalised, words_alike
from palaestra.measure.labelers import EventLabeler, Labeler, Labels
from palaestra.measure.profiles import judged, label
from palaestra.measure.vocabulary import ABILITY
from palaestra.rollout.replay import views

FOLDER = "labels"
"""The folder in a run folder."""

Groups = Callable[[str], list[Group]]
"""Reads the groups of one environment."""

Progress = Callable[[int, int], None]


class By(StrEnum):
    """Who labels."""

    EVENTS = "events"
    LLM = "llm"
    IMPORT = "import"


class Alike(StrEnum):
    """How names are found to be alike: by the words they share, or by an embedding that knows synonyms."""

    WORDS = "words"
    MINILM = "minilm"


@dataclass(frozen=True)
class LabelerConfig:
    """Who labels, and under which `name` the labels are kept.

    `import` reads `file`. `llm` asks `endpoint`: first, of `coined` members of each group, for abilities in words of
    its own beside those of the house; a new one that fewer than `least` trajectories show is dropped, synonyms are
    merged; then of all trajectories for abilities of that list. `pictures` is their width, 0 shows captions alone;
    `dictionary` is the file of another run to begin with, `alike` tells how synonyms are found.
    """

    by: By = By.EVENTS
    name: str = ""
    file: str | None = None
    endpoint: EndpointConfig | None = None
    pictures: int = 448
    coined: int = 1
    least: int = 2
    dictionary: str | None = None
    alike: Alike = Alike.WORDS

    def __post_init__(self) -> None:
        if (self.file is not None) != (self.by is By.IMPORT):
            raise ConfigError("a file of labels and the labeler import belong together; give both or neither")
        if (self.endpoint is not None) != (self.by is By.LLM):
            raise ConfigError("an endpoint (its url and its model) and the labeler llm belong together; give both")
        if self.kept != normalised(self.kept):
            raise ConfigError(f"labels cannot be kept under the name {self.kept!r}; use small letters and underscores")
        if self.coined < 0 or self.least < 1 or self.pictures < 0:
            raise ConfigError(f"coined = {self.coined}, least = {self.least}, pictures = {self.pictures}; none is less")

    @property
    def kept(self) -> str:
        """The name under which labels are kept."""
        return self.name or self.by.value


@dataclass(frozen=True, slots=True)
class Labelled:
    """Labels of a run: what was found, how many answers of a model were sound, repaired or given up for events, what
    was asked of its server, and how far all labelers of this run agree, by ability."""

    labels: Labels
    by: str
    counts: Mapping[str, int] = field(default_factory=dict)
    cost: Mapping[str, Any] = field(default_factory=dict)
    agreement: Mapping[str, Agreement] = field(default_factory=dict)


def prepared(how: LabelerConfig) -> Callable[[RunFolder, Pool, Groups, Progress | None], Labelled]:
    """Return what labels a run, after reading what the user gave; nothing is asked and nothing written yet.

    What is returned labels every judged trajectory of a pool, keeps the labels in the folder, and goes on after a kill;
    it raises `BadMeasurement` for an import of another run, and `EndpointFailed`.

    Raises:
        ConfigError: a file cannot be read.
        ExtraMissing: what tells how alike names are is not installed.
    """
    given = read(Path(how.file)) if how.file is not None else {}
    begun = _dictionary(Path(how.dictionary)) if how.dictionary is not None else Dictionary()
    alike = minilm.similarity() if how.alike is Alike.MINILM else words_alike
    known = Dictionary({**dict.fromkeys(sorted({*ABILITY.values()}), ()), **begun.abilities}, begun.version)

    def labelled(folder: RunFolder, pool: Pool, groups: Groups, progress: Progress | None = None) -> Labelled:
        if how.endpoint is not None:
            found = _asked(how, how.endpoint, known, alike, folder, pool, groups, progress)
        elif how.file is not None:
            found = Labelled({key: line.abilities for key, line in given.items()}, how.kept)
            _fitting(given, how.file, pool, groups)
        else:
            events = EventLabeler()
            found = Labelled({at: events(one) for env_id in pool for at, one in _members(groups(env_id))}, how.kept)
        write(folder, how.kept, found.labels)
        agreed = _agreement(folder, pool, groups)
        return Labelled(found.labels, how.kept, found.counts, found.cost, agreed)

    return labelled


@dataclass(frozen=True)
class Line:
    """The labels of one trajectory as they stand in a file."""

    ticket: int
    member: int
    abilities: tuple[str, ...]
    key: str | None = None


def read(path: Path) -> dict[tuple[int, int], Line]:
    """Return a file of labels by ticket and member, names normalised.

    Raises:
        ConfigError: it cannot be read, or a line does not hold; the line is named.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"labels {path}: cannot be read ({error}); give a file of JSON lines") from error
    found: dict[tuple[int, int], Line] = {}
    for number, text in enumerate(lines, 1):
        where = f"labels {path}, line {number}"
        try:
            line = config.build(json.loads(text), Line, where)
        except ConfigError:
            raise
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{where}: no JSON ({error}); each line is one trajectory") from error
        names = tuple(map(normalised, line.abilities))
        if not all(names):
            raise ConfigError(f"{where}: {line.abilities!r}; an ability is a name of letters, as in avoid_hazard")
        if (line.ticket, line.member) in found:
            raise ConfigError(f"{where}: ticket {line.ticket}, member {line.member} was labelled before; keep one line")
        found[line.ticket, line.member] = Line(line.ticket, line.member, names, line.key)
    return found


def write(folder: RunFolder, name: str, labels: Labels) -> None:
    """Keep labels in a run; equal labels give equal bytes."""
    lines = (
        json.dumps({"ticket": ticket, "member": member, "abilities": [*labels[ticket, member]]}) + "\n"
        for ticket, member in sorted(labels)
    )
    folder.write(f"{FOLDER}/{name}.jsonl", "".join(lines).encode())


def _members(groups: Sequence[Group]) -> Iterator[tuple[tuple[int, int], Trajectory]]:
    """Yield each judged trajectory under its ticket and member."""
    for group in groups:
        for member in judged(group):
            yield (group.ticket.id, member), group.trajectories[member]


def _asked(
    how: LabelerConfig,
    plan: EndpointConfig,
    known: Dictionary,
    alike: Similarity,
    folder: RunFolder,
    pool: Pool,
    groups: Groups,
    progress: Progress | None,
) -> Labelled:
    """Label by a language model in two passes: words of its own from a few trajectories, then one list for all."""
    endpoint = Endpoint(plan, folder.path / FOLDER / "replies")

    def shown(played: Trajectory) -> Iterator[Observation]:
        return (H0.show(view) for view in views(pool[played.instance.env_id], played, how.pictures))

    def passed(labeler: Labeler, members: int | None) -> Iterator[tuple[str, Labels]]:
        for done, env_id in enumerate(pool, 1):
            chosen = [(at, one) for at, one in _members(groups(env_id)) if members is None or at[1] < members]
            named = endpoint.each(lambda item: labeler(item[1]), chosen)
            yield env_id, {at: names for (at, _), names in zip(chosen, named, strict=True)}
            if progress is not None:
                progress(done, len(pool))

    opened = Annotator(endpoint, known, closed=False, shown=shown)
    coined = [[*labels.values()] for _, labels in passed(opened, how.coined)] if how.coined else []
    dictionary = known.extended(coined, alike, least=how.least)
    folder.write_json(f"{FOLDER}/dictionary.json", asdict(dictionary))
    closed = Annotator(endpoint, dictionary, shown=shown)
    labels = {at: names for _, found in passed(closed, None) for at, names in found.items()}
    return Labelled(labels, how.kept, Counter(opened.counts) + closed.counts, endpoint.cost.json())


def _fitting(given: Mapping[tuple[int, int], Line], file: str, pool: Pool, groups: Groups) -> None:
    """Refuse labels that are not those of a run's trajectories."""
    keys = {at: one.key for env_id in pool for at, one in _members(groups(env_id))}
    for at, line in given.items():
        if at not in keys or line.key not in (None, keys[at]):
            found = f"is {keys[at]}, not {line.key}" if at in keys else "is none that was played to its end here"
            raise BadMeasurement(f"labels {file}: ticket {at[0]}, member {at[1]} {found}; give the labels of this run")
    if missing := sorted(keys.keys() - given.keys()):
        raise BadMeasurement(
            f"labels {file}: ticket {missing[0][0]}, member {missing[0][1]} has no line, and {len(missing) - 1} others "
            "have none; where a trajectory shows nothing, abilities are []"
        )


def _agreement(folder: RunFolder, pool: Pool, groups: Groups) -> dict[str, Agreement]:
    """Return how far all labelers of a run agree, and keep it; nothing where there is one alone."""
    files = sorted((folder.path / FOLDER).glob("*.jsonl"))
    if len(files) < 2:
        return {}
    stored = {path.stem: {at: line.abilities for at, line in read(path).items()} for path in files}
    labelled: dict[str, list[list[Sequence[str]]]] = {name: [] for name in stored}
    for env_id in pool:
        own = groups(env_id)
        for name, labels in stored.items():
            labelled[name] += label(env_id, own, labels)
    found = agreement(labelled)
    folder.write_json("agreement.json", {ability: asdict(one) for ability, one in found.items()})
    return found


def _dictionary(path: Path) -> Dictionary:
    """Read a dictionary of another run."""
    try:
        return config.build(json.loads(path.read_bytes()), Dictionary, f"dictionary {path}")
    except ConfigError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"dictionary {path}: cannot be read ({error}); give the dictionary.json of a run") from error
