"""Distribution, cells, replay: what is drawn from, and what updates say has changed."""

from collections.abc import Iterator, Mapping
from math import isfinite

from palaestra.core.distribution import Cell
from palaestra.core.errors import PalaestraError
from palaestra.curriculum.check.case import Case


def distribution(case: Case) -> Iterator[str]:
    """Yield times at which the weights are no distribution."""
    for number, state in case.states():
        weights = case.curriculum.distribution(state).weights.values()
        if not all(isfinite(weight) and weight >= 0 for weight in weights):
            yield f"after {number} updates: a weight is negative or not finite"
        if abs(sum(case.curriculum.distribution(state).probabilities().values()) - 1) > 1e-9:
            yield f"after {number} updates: the shares do not sum to one"


def cells(case: Case) -> Iterator[str]:
    """Yield cells that cannot be played."""
    specs = {spec.id: spec for spec in case.specs}
    for number, state in case.states():
        for cell in case.curriculum.distribution(state).weights:
            if cell.env_id not in specs:
                yield f"after {number} updates: {cell.env_id} is not among the environments"
                continue
            try:
                specs[cell.env_id].instance(cell.scale, cell.seed or 0, knobs=cell.knobs)
            except PalaestraError as error:
                yield f"after {number} updates: {error}"


def replay(case: Case) -> Iterator[str]:
    """Yield times at which the replayed changes differ from the distribution, and changes that change nothing."""
    held = _positive(case.curriculum.distribution(case.curriculum.start(case.specs)).weights)
    for moment in case.run():
        for cell, weight in moment.update.changes.items():
            if held.get(cell, 0.0) == weight:
                yield f"update {moment.number}: names {cell} as changed, whose weight stays {weight}"
        held = _positive({**held, **moment.update.changes})
        told = _positive(case.curriculum.distribution(moment.update.state).weights)
        if wrong := [cell for cell in {**held, **told} if held.get(cell) != told.get(cell)]:
            weights = f"{held.get(wrong[0], 0.0)} by its changes and {told.get(wrong[0], 0.0)} by its distribution"
            yield f"update {moment.number}: {wrong[0]} weighs {weights}"
            return


def _positive(weights: Mapping[Cell, float]) -> dict[Cell, float]:
    return {cell: weight for cell, weight in weights.items() if weight}
