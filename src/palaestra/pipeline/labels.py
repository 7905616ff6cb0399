"""Labels of stored trajectories as JSON lines, whoever wrote them.

    {"ticket": 7, "member": 0, "abilities": ["plan_path", "avoid_hazard"]}

`ticket` and `member` are the columns of a stored run that name a trajectory; a `key` beside them is its problem, and
must fit. Every trajectory that no error ended has one line, with an empty list where it shows nothing. What a labeler
found is written in the same form, so labels of one run are corrected, compared and imported as files:

    RUN/labels/events.jsonl, llm.jsonl, ...   the labels of each labeler that was asked
    RUN/labels/llm.dictionary.json            the abilities that one was held to, with their aliases
    RUN/labels/replies/                       what models answered, never asked for twice
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from palaestra.core import config
from palaestra.core.environment import Pool
from palaestra.core.errors import BadMeasurement, ConfigError
from palaestra.core.runfolder import RunFolder
from palaestra.core.ticket import Group
from palaestra.core.trajectory import Trajectory
from palaestra.measure.dictionary import Dictionary, normalised
from palaestra.measure.labelers import Labels
from palaestra.measure.profiles import judged
from palaestra.measure.vocabulary import ABILITY

FOLDER = "labels"
"""The folder in a run folder."""

DICTIONARY = ".dictionary.json"
"""What follows a labeler's name in the name of its dictionary's file."""

EVENTS = "events"
"""The name under which labels by events are kept: what others are compared with."""

HOUSE = Dictionary(dict.fromkeys(sorted({*ABILITY.values()}), ()))
"""The names of the house, as a closed set."""

Groups = Callable[[str], list[Group]]
"""Reads the groups of one environment."""


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


def keep(folder: RunFolder, name: str, held: Dictionary) -> None:
    """Keep the dictionary that a labeler was held to."""
    folder.write_json(f"{FOLDER}/{name}{DICTIONARY}", asdict(held))


def members(groups: Sequence[Group]) -> Iterator[tuple[tuple[int, int], Trajectory]]:
    """Yield each judged trajectory under its ticket and member."""
    for group in groups:
        for member in judged(group):
            yield (group.ticket.id, member), group.trajectories[member]


def fitting(given: Mapping[tuple[int, int], Line], file: str, pool: Pool, groups: Groups) -> None:
    """Refuse labels that are not those of a run's trajectories.

    Raises:
        BadMeasurement: one of them is of none, or one of these has none.
    """
    keys = {at: one.key for env_id in pool for at, one in members(groups(env_id))}
    for at, line in given.items():
        if at not in keys or line.key not in (None, keys[at]):
            found = f"is {keys[at]}, not {line.key}" if at in keys else "is none that was played to its end here"
            raise BadMeasurement(f"labels {file}: ticket {at[0]}, member {at[1]} {found}; give the labels of this run")
    if missing := sorted(keys.keys() - given.keys()):
        raise BadMeasurement(
            f"labels {file}: ticket {missing[0][0]}, member {missing[0][1]} has no line, and {len(missing) - 1} others "
            "have none; where a trajectory shows nothing, abilities are []"
        )


def dictionary(path: Path) -> Dictionary:
    """Return a dictionary that a run keeps.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return config.build(json.loads(path.read_bytes()), Dictionary, f"dictionary {path}")
    except ConfigError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"dictionary {path}: cannot be read ({error}); give one that a run keeps") from error
