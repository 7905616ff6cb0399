"""The stage: the folder of a comparison of engineers, and the runs that are missing in it.

    FOLDER/engineer.toml     the effective configuration
    FOLDER/base/             the base that every run starts from, and what it does in the exam
    FOLDER/space.json        what may be set, as JSON Schema
    FOLDER/runs/             a run folder for each arm and seed (`arm`)
    FOLDER/engineer.json     all figures, with counts, intervals and seeds (`outcome`)

Runs that are done are kept and never made again, one that was killed goes on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from palaestra.core import config
from palaestra.core.instance import Split
from palaestra.core.runfolder import RunFolder
from palaestra.core.ticket import Ticket
from palaestra.curriculum.feed import Feed
from palaestra.engineer import named
from palaestra.engineer import space as spaces
from palaestra.engineer.log import Counts
from palaestra.engineer.staged import Staged
from palaestra.pipeline import engines, hands, records
from palaestra.pipeline.engineering import chats
from palaestra.pipeline.engineering.arm import CONFIG, RESULT, Run
from palaestra.pipeline.engineering.chats import Opened
from palaestra.pipeline.engineering.design import LANGUAGE_MODEL, EngineeringConfig, ground
from palaestra.pipeline.engineering.exam import Exam, exam
from palaestra.pipeline.engineering.outcome import NAME, outcome
from palaestra.pipeline.hands import Told
from palaestra.pipeline.pretrain import CHECKPOINTS
from palaestra.training import checkpoints as stored

SPACE, BEFORE = "space.json", "exam.json"


@dataclass(frozen=True, slots=True)
class Engineered:
    """What `engineer.json` holds, and how many runs this call made."""

    outcome: dict[str, Any]
    made: int


def engineer(
    design: EngineeringConfig,
    out: Path,
    told: Callable[[str], Told],
    arms: Sequence[str] = (),
    seeds: int | None = None,
    workers: int = 1,
) -> Engineered:
    """Make the runs that are missing, and tell what all of them came to.

    Args:
        design: what is compared.
        out: the folder.
        told: what begins; what it returns is told how much of how much is done.
        arms: those to make now, without any all of them.
        seeds: how many of each arm's seeds to make now, None for all.
        workers: how many processes make runs side by side, with the same result; language models stay in this one.

    Raises:
        ConfigError: an arm does not exist, settings are not legal, or a part has too few problems.
        ExtraMissing: an engineer needs a package that is not installed.
        UnknownEnvironment: the design names one that does not exist.
        RunFolderError: the folder cannot be written, or holds another comparison.
    """
    wanted, shared = design.chosen(tuple(arms)), ground(design)
    engines.prepared(design, design.learnt)  # what is missing is said before anything expensive starts
    opened: dict[str, Opened] = {}
    for name in wanted:
        arm = design.arms[name]
        if arm.engineer == LANGUAGE_MODEL:
            opened[name] = chats.read(arm.chat, design.device)()
            _ = [named(rival) for rival in arm.rivals]
        else:
            named(arm.engineer, settings=arm.settings)
    shown = engines.pixels(design)
    valid, test = (exam(shared, design.exam, split, shown) for split in (Split.VALID, Split.TEST))
    folder = RunFolder.open(out, config.dump(design), CONFIG)
    folder.write_json(SPACE, spaces.schema(shared.space))
    base = out / "base"
    step = told("base")

    def lessons(n: int) -> Sequence[Ticket]:
        specs = [env.spec for env in shared.pool.values()]
        return Feed(Staged(shared.mixture), specs, first_seed=engines.LESSONS).draws(n)

    engines.base(design, shared.pool, base, CONFIG, lessons, progress=lambda done, total, losses: step(done, total))
    before = _before(design, base, test)
    here: dict[str, Callable[[Told], object]] = {}
    anywhere: dict[str, Callable[[Told], object]] = {}
    # seed by seed: a part is a comparison already
    for seed in range(max(len(design.runs(arm)) for arm in design.arms)):
        for name in wanted:
            own = out / "runs" / name / str(seed)
            if seed in design.runs(name) and (seeds is None or seed < seeds) and not (own / RESULT).exists():
                run = Run(name, seed, design, shared, valid, test, own, opened.get(name))
                jobs = here if run.chat or workers == 1 else anywhere
                jobs[f"{name}, seed {seed}"] = partial(run.made, base, before)
    hands.done(anywhere, told, workers)
    hands.done(here, told)
    found = outcome(design, {name: _results(out / "runs" / name, design.runs(name)) for name in design.arms}, out)
    folder.write_json(NAME, found)
    return Engineered(found, len(here) + len(anywhere))


def _before(design: EngineeringConfig, base: Path, test: Exam) -> Mapping[str, Counts]:
    """Return what the base does in the exam, after finding out where that is not known yet."""
    known = records.stored(base / BEFORE, lambda data: {part: Counts(**own) for part, own in data.items()})
    if known is not None:
        return known
    first = stored.found(base / CHECKPOINTS / "base")
    assert first is not None  # it was made just now
    counts = test.sit(engines.engine(design, base / CHECKPOINTS).policy(first)).counts
    RunFolder(base).write_json(BEFORE, {part: asdict(own) for part, own in counts.items()})
    return counts


def _results(folder: Path, seeds: range) -> dict[int, dict[str, Any]]:
    found = {seed: records.stored(folder / str(seed) / RESULT, dict) for seed in seeds}
    return {seed: own for seed, own in found.items() if own is not None}
