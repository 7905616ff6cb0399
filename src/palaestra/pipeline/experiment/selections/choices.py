"""``choices.json``: what each arm trains on with each seed, and what it cost to know. Written once, before any run.

A method that can choose nothing from what was measured is refused with its words, and the other arms go on without it.

POOL/...   the run folder in which the base measured the pool, and its selections
"""

from pathlib import Path
from typing import Any

from palaestra.core.errors import BadCandidates
from palaestra.core.runfolder import RunFolder
from palaestra.pipeline import records
from palaestra.pipeline.experiment.clock import Spent
from palaestra.pipeline.experiment.run import Told
from palaestra.pipeline.experiment.selections.design import SelectionsConfig
from palaestra.pipeline.measure import measure
from palaestra.pipeline.select import select

NAME, POOL = "choices.json", "pool"


def choices(design: SelectionsConfig, base: Path, out: Path, told: Told) -> dict[str, Any]:
    """Return the choices of an experiment, after measuring the pool and choosing where that is missing.

    Args:
        design: what is compared.
        base: the folder of the checkpoint whose gradients are measured.
        out: the experiment's folder.
        told: that measuring begins; then how many episodes, and gradients, of how many are there.

    Raises:
        ConfigError: the base cannot be measured as is asked for.
        RunFolderError: the folder cannot be written, or a file is damaged.
    """
    found = records.stored(out / NAME, dict)
    if found is None:
        run, spent, step = out / POOL, Spent(out / "measuring.json"), told("measuring")

        def counted(done: int, total: int) -> None:
            spent.keep()
            step(done, total)

        measured = measure(design.measured(base), run, counted)
        pulls = measured.gradients
        assert pulls is not None  # a checkpoint was named
        arms: dict[str, dict[str, list[str]]] = {}
        refused: dict[str, str] = {}
        for method in design.methods:
            try:
                arms[method] = {str(seed): _chosen(design, method, seed, run) for seed in range(design.seeds)}
            except BadCandidates as error:
                refused[method] = str(error)
        cost = {
            "rollouts": measured.played.episodes,
            "gradient_rollouts": pulls.played.episodes,
            "gradients": pulls.cost.backward_passes,
            "seconds": spent.keep(),
        }
        reliable = int(pulls.cosines.measured_E.sum()) if pulls.cosines else 0
        pool = {"environments": len(design.pool), "reliable": reliable}
        found = {"arms": arms, "refused": refused, "cost": cost, "measured": pool}
        RunFolder(out).write_json(NAME, found)
    return found


def _chosen(design: SelectionsConfig, method: str, seed: int, run: Path) -> list[str]:
    made = select(run, method, design.size(method), seed, conflict=design.conflict, draws=0)
    return list(made.selection.env_ids)
