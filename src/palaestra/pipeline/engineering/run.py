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
from pathlib import Path
from typing import Any

from palaestra.core import config
from palaestra.core.instance import Split
from palaestra.core.runfolder import RunFolder
from palaestra.core.trainer import Checkpoint
from palaestra.engineer import space as spaces
from palaestra.engineer.log import Counts
from palaestra.pipeline import records
from palaestra.pipeline.engineering.arm import CONFIG, RESULT, Run
from palaestra.pipeline.engineering.chats import chat
from palaestra.pipeline.engineering.design import LANGUAGE_MODEL, Arm, EngineeringConfig, ground
from palaestra.pipeline.engineering.exam import Exam, exam
from palaestra.pipeline.engineering.outcome import NAME, outcome
from palaestra.pipeline.experiment.arms import Told
from palaestra.pipeline.pretrain import CHECKPOINTS, pretrain
from palaestra.pipeline.propose import named
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.backend import Embedded

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
) -> Engineered:
    """Make the runs that are missing, and tell what all of them came to.

    Args:
        design: what is compared.
        out: the folder.
        told: what begins; what it returns is told how much of how much is done.
        arms: those to make now, without any all of them.
        seeds: how many of each arm's seeds to make now, None for all.

    Raises:
        ConfigError: an arm does not exist, settings are not legal, or a part has too few problems.
        ExtraMissing: an engineer needs a package that is not installed.
        UnknownEnvironment: the design names one that does not exist.
        RunFolderError: the folder cannot be written, or holds another comparison.
    """
    wanted, shared = design.chosen(tuple(arms)), ground(design)
    valid, test = (exam(shared, design.exam, split) for split in (Split.VALID, Split.TEST))
    folder = RunFolder.open(out, config.dump(design), CONFIG)
    folder.write_json(SPACE, spaces.schema(shared.space))
    base = out / "base"
    pretrain(design.base, base, told("base"))
    first = stored.found(base / CHECKPOINTS / "base")
    assert first is not None  # it was made just now
    for name in wanted:
        _ready(design.arms[name], out / "runs" / name, first)
    before, made = _before(design, base, first, test), 0
    # seed by seed: a part is a comparison already
    for seed in range(max(len(design.runs(arm)) for arm in design.arms)):
        for name in wanted:
            own = out / "runs" / name / str(seed)
            if seed in design.runs(name) and (seeds is None or seed < seeds) and not (own / RESULT).exists():
                run = Run(name, seed, design, shared, valid, test, own)
                run.made(base, before, told(f"{name}, seed {seed}"))
                made += 1
    found = outcome(design, {name: _results(out / "runs" / name, design.runs(name)) for name in design.arms}, out)
    folder.write_json(NAME, found)
    return Engineered(found, made)


def _ready(arm: Arm, folder: Path, trainee: Checkpoint) -> None:
    """Raise what an arm lacks, an extra or a model, before anything expensive starts."""
    if arm.engineer != LANGUAGE_MODEL:
        named(arm.engineer, **arm.settings)
        return
    chat(arm.chat, folder, trainee)
    for rival in arm.rivals:
        named(rival)


def _before(design: EngineeringConfig, base: Path, first: Checkpoint, test: Exam) -> Mapping[str, Counts]:
    """Return what the base does in the exam, after finding out where that is not known yet."""
    known = records.stored(base / BEFORE, lambda data: {part: Counts(**own) for part, own in data.items()})
    if known is not None:
        return known
    engine = Embedded(base / CHECKPOINTS, describe=design.groups.describe, device=design.device)
    counts = test.sit(engine.policy(first)).counts
    RunFolder(base).write_json(BEFORE, {part: asdict(own) for part, own in counts.items()})
    return counts


def _results(folder: Path, seeds: range) -> dict[int, dict[str, Any]]:
    found = {seed: records.stored(folder / str(seed) / RESULT, dict) for seed in seeds}
    return {seed: own for seed, own in found.items() if own is not None}
