"""TPE: a tree-structured Parzen estimator searches settings for the largest gain of a stage.

Every stage is a trial: its settings, and by how much the mean success on the validation problems rose in it. The
estimator is told all of them anew each time, so it holds no state and a resumed run asks the same.

Source: Bergstra et al. 2011, as in Optuna. Departures: what is searched is itself moving, for the policy learns.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar

from palaestra.core.distribution import Distribution
from palaestra.core.engineer import Evidence, Proposal
from palaestra.core.errors import ExtraMissing
from palaestra.core.instance import Setting, seed_from
from palaestra.core.space import WEIGHT, Space


@dataclass(frozen=True)
class TPE:
    """Searches weights and dials together, at random for the first `startup` stages.

    Raises:
        ExtraMissing: Optuna is not installed.
    """

    reads: ClassVar[bool] = True
    seed: int = 0
    startup: int = 2

    def __post_init__(self) -> None:
        if find_spec("optuna") is None:  # said before a stage is trained, not after it
            raise ExtraMissing("the engineer tpe needs Optuna: pip install 'palaestra[optuna]'")

    def propose(self, current: Distribution, evidence: Evidence, space: Space) -> Proposal:
        """Return what the estimator asks to be tried next."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        axes: dict[str, Any] = {}
        for part in space.parts:
            axes[f"{part.name}/{WEIGHT}"] = optuna.distributions.FloatDistribution(0.01, 1.0)
            for dial in part.dials:
                axes[f"{part.name}/{dial.name}"] = optuna.distributions.IntDistribution(0, len(dial.values) - 1)
        seed = seed_from("tpe", self.seed, len(evidence.stages)) % 2**32
        sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=self.startup)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        before: float | None = None
        for stage in evidence.stages:
            score = stage.score
            if score is not None and stage.settings.keys() >= {part.name for part in space.parts}:
                gain = score - (score if before is None else before)
                study.add_trial(optuna.trial.create_trial(params=_taken(stage, space), distributions=axes, value=gain))
            before = score if score is not None else before
        asked = study.ask(axes).params
        settings: dict[str, dict[str, Setting]] = {}
        for part in space.parts:
            own: dict[str, Setting] = {d.name: d.values[asked[f"{part.name}/{d.name}"]] for d in part.dials}
            settings[part.name] = {WEIGHT: round(asked[f"{part.name}/{WEIGHT}"], 4), **part.within(own)}
        return Proposal(space.distribution(settings), f"asked for after {len(study.trials) - 1} stages")


def _taken(stage: Any, space: Space) -> dict[str, float | int]:
    """Return the settings of a stage as the estimator's parameters."""
    taken: dict[str, float | int] = {}
    for part in space.parts:
        own = stage.settings[part.name]
        taken[f"{part.name}/{WEIGHT}"] = min(1.0, max(0.01, float(own[WEIGHT])))
        for dial in part.dials:
            taken[f"{part.name}/{dial.name}"] = dial.values.index(own[dial.name])
    return taken
