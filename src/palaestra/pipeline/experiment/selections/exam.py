"""``base.json``: what the base scores on the test problems that judge every run, and what guessing earns there.

The problems are those of the test split of the whole pool (ID) and of held-out environments (OOD), at H4, at every
scale that the base can read; they are the same for every arm, whatever it was trained on.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from palaestra.core.environment import Pool
from palaestra.core.errors import ConfigError
from palaestra.core.observation import SYMBOLIC
from palaestra.core.runfolder import RunFolder
from palaestra.core.trainer import Checkpoint, Device
from palaestra.envs import registry
from palaestra.evaluation.reference import Reference
from palaestra.evaluation.scores import Scores, judge
from palaestra.evaluation.suite import HELD_OUT, MULTI_TURN, SINGLE_TURN, Suite
from palaestra.pipeline import records
from palaestra.pipeline.evaluate import counting
from palaestra.pipeline.experiment.run import Told
from palaestra.pipeline.experiment.selections.design import SelectionsConfig
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.backend import Embedded
from palaestra.training.embedded.prompt import PIXELS
from palaestra.training.embedded.scales import read_scales

NAME = "base.json"


@dataclass(frozen=True, eq=False)
class Exam:
    """The suite, the environments that each number is about, and the seed that replies are drawn with."""

    pool: Pool
    suite: Suite
    groups: Mapping[str, tuple[str, ...]]
    seed: int

    @staticmethod
    def draw(design: SelectionsConfig, base: Checkpoint) -> "Exam":
        """Return the exam of a design, at the scales that a base can read.

        Raises:
            ConfigError: no environment of the pool can be judged, so that nothing could be compared.
        """
        pool = registry.pool([*design.pool, *sorted(design.ood)])
        scales = read_scales(pool, stored.read(base)[0].tokenizer).kept
        judging = design.judging
        suite = Suite.draw(pool, design.ood, per_scale=judging.per_scale, seed=judging.seed, scales=scales)
        if not set(design.pool).difference(suite.unjudged):
            left = next(one for one in suite.left_out if one.env_id in design.pool)
            raise ConfigError(
                f"judging: none of the {len(design.pool)} environments of the pool can be judged ({left.env_id} at "
                f"scale {left.scale}: {left.why}); lower judging.per_scale, or choose other environments"
            )
        single, multi, ood = (suite.groups[name] for name in (SINGLE_TURN, MULTI_TURN, HELD_OUT))
        one = tuple(env_id for env_id in ood if SINGLE_TURN in pool[env_id].spec.tags)
        groups = {
            "id_single_turn": single, "id_multi_turn": multi, "id": (*single, *multi),
            "ood_single_turn": one, "ood_multi_turn": tuple(id_ for id_ in ood if id_ not in one), "ood": ood,
        }  # fmt: skip
        return Exam(pool, suite, groups, judging.seed)

    def sit(self, checkpoint: Checkpoint, device: Device, told: Callable[[int, int], None]) -> Scores:
        """Return what a checkpoint scores."""
        policy = Embedded(checkpoint.path.parent, device=device).policy(checkpoint)
        return judge(policy, self.suite, self.pool, counting(len(self.suite.tickets), PIXELS, told), self.seed)


@dataclass(frozen=True, slots=True)
class Base:
    """What the base scores, and what guessing and the best play earn."""

    scores: Scores
    reference: Reference


def base(exam: Exam, checkpoint: Checkpoint, device: Device, out: Path, told: Told) -> Base:
    """Return what the base scores on an exam, after playing it where that is missing.

    Raises:
        RunFolderError: the folder cannot be written, or the file is damaged.
    """
    found = records.stored(
        out / NAME, lambda data: Base(Scores.load(data["scores"]), Reference.load(data["reference"]))
    )
    if found is None:
        scores = exam.sit(checkpoint, device, told("judging the base"))
        blind = exam.suite.under(SYMBOLIC)  # who guesses needs no picture drawn
        found = Base(scores, Reference.measure(blind, exam.pool, counting(0, 0, None)))
        RunFolder(out).write_json(NAME, {"scores": scores.dump(), "reference": found.reference.dump()})
    return found
