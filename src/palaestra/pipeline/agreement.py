"""How far all labelers of a run agree, and whether it matters: by ability, and by the environments that AES would pick.

    RUN/agreement.json   by ability, Krippendorff's alpha of those who had a word for it
    RUN/overlap.json     by labeler, how many of its picks are those of the event labels

Labelers with words of their own cannot agree by name; their picks can. Picks are those of AES from profiles alone,
until every core ability is covered. `chance` is the overlap that two random sets of these sizes would have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import comb

from palaestra.core.environment import Pool
from palaestra.core.runfolder import RunFolder
from palaestra.measure.agreement import Agreement, agreement
from palaestra.measure.labelers import Labels
from palaestra.measure.profiles import label, profile
from palaestra.pipeline import labels
from palaestra.pipeline.labels import DICTIONARY, EVENTS, FOLDER, HOUSE, Groups
from palaestra.selection.aes import aes


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many environments AES picks by a labeler's profiles, how many of them by the event labels' too, and the
    Jaccard index of both sets: as it is, and as it would be by chance."""

    picks: int
    shared: int
    jaccard: float
    chance: float


def compared(folder: RunFolder, pool: Pool, groups: Groups) -> tuple[dict[str, Agreement], dict[str, Overlap]]:
    """Return how far all labelers of a run agree, and what it does to the selection, and keep both; nothing where there
    is one labeler alone."""
    stored = {
        path.stem: {at: line.abilities for at, line in labels.read(path).items()}
        for path in sorted((folder.path / FOLDER).glob("*.jsonl"))
    }
    if len(stored) < 2:
        return {}, {}
    labelled: dict[str, list[list[Sequence[str]]]] = {name: [] for name in stored}
    for env_id in pool:
        own = groups(env_id)
        for name, found in stored.items():
            labelled[name] += label(env_id, own, found)
    agreed = agreement(labelled, {name: _words(folder, name, found) for name, found in stored.items()})
    picks = {name: _picks(pool, groups, found) for name, found in stored.items()}
    apart = {
        name: overlap(own, picks[EVENTS], len(pool))
        for name, own in picks.items()
        if name != EVENTS and EVENTS in picks
    }
    folder.write_json("agreement.json", {ability: asdict(one) for ability, one in agreed.items()})
    folder.write_json("overlap.json", {name: asdict(one) for name, one in apart.items()})
    return agreed, apart


def overlap(one: frozenset[str], other: frozenset[str], pool: int) -> Overlap:
    """Return how far two sets of picks from a pool of so many overlap.

    >>> overlap(frozenset("ab"), frozenset("bc"), 4)
    Overlap(picks=2, shared=1, jaccard=0.3333333333333333, chance=0.38888888888888884)
    """
    a, b, both = len(one), len(other), len(one & other)
    chance = sum(
        comb(b, n) * comb(pool - b, a - n) / comb(pool, a) * _jaccard(n, a, b) for n in range(min(a, b) + 1) if a >= n
    )
    return Overlap(a, both, _jaccard(both, a, b), chance)


def _jaccard(both: int, a: int, b: int) -> float:
    """Return the Jaccard index of two sets by their sizes; 1 when both are empty."""
    return both / (a + b - both) if a or b else 1.0


def _words(folder: RunFolder, name: str, found: Labels) -> frozenset[str]:
    """Return the abilities that a labeler names or could have named."""
    held = folder.path / FOLDER / f"{name}{DICTIONARY}"
    could = HOUSE.abilities if name == EVENTS else labels.dictionary(held).abilities if held.exists() else {}
    return frozenset({*could, *(ability for names in found.values() for ability in names)})


def _picks(pool: Pool, groups: Groups, found: Mapping[tuple[int, int], Sequence[str]]) -> frozenset[str]:
    """Return what AES picks by these labels; nothing where no ability is core."""
    made = [profile(env_id, groups(env_id), found) for env_id in pool]
    return frozenset(aes(made, {}).env_ids if any(own.core for own in made) else ())
