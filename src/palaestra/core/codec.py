"""Harnesses, cells and tickets as JSON data, for the states and the files that hold them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from palaestra.core.distribution import Cell, Distribution
from palaestra.core.instance import Instance, Knobs, Split
from palaestra.core.observation import HARNESSES, Harness
from palaestra.core.ticket import Ticket


def cell_to_json(cell: Cell) -> dict[str, Any]:
    """Return a cell as JSON data; a harness of the house is its name.

    >>> from palaestra.core.observation import H1, H4
    >>> cell = Cell("a/b", 2, H1, learn=H4, guided=0.5)
    >>> cell_to_json(cell)["harness"], cell_from_json(cell_to_json(cell)) == cell
    ('H1', True)
    """
    return {
        "env_id": cell.env_id,
        "scale": cell.scale,
        "harness": harness_to_json(cell.harness),
        "knobs": list(cell.knobs),
        "seed": cell.seed,
        "learn": None if cell.learn is None else harness_to_json(cell.learn),
        "guided": cell.guided,
        "rollouts": cell.rollouts,
        "policy": cell.policy,
    }


def cell_from_json(data: Mapping[str, Any]) -> Cell:
    """Return the cell of some JSON data."""
    learn = None if data["learn"] is None else harness_from_json(data["learn"])
    harness = harness_from_json(data["harness"])
    return Cell(**{**data, "harness": harness, "learn": learn, "knobs": knobs_from_json(data["knobs"])})


def mixture_to_json(mixture: Distribution) -> list[list[Any]]:
    """Return a distribution as JSON data: its cells, each with its weight."""
    return [[cell_to_json(cell), weight] for cell, weight in mixture.weights.items()]


def mixture_from_json(data: Iterable[Sequence[Any]]) -> Distribution:
    """Return the distribution of some JSON data."""
    return Distribution({cell_from_json(cell): weight for cell, weight in data})


def ticket_to_json(ticket: Ticket) -> dict[str, Any]:
    """Return a ticket as JSON data; environment and scale of its instance are the cell's."""
    played = ticket.instance
    named = {"version": played.version, "seed": played.seed, "split": str(played.split), "knobs": list(played.knobs)}
    return {"id": ticket.id, "issued_at": ticket.issued_at, "cell": cell_to_json(ticket.cell), "instance": named}


def ticket_from_json(data: Mapping[str, Any]) -> Ticket:
    """Return the ticket of some JSON data."""
    cell, named = cell_from_json(data["cell"]), data["instance"]
    of_split = (Split(named["split"]), knobs_from_json(named["knobs"]))
    instance = Instance(cell.env_id, named["version"], cell.scale, named["seed"], *of_split)
    return Ticket(data["id"], cell, instance, data["issued_at"])


def knobs_from_json(data: Iterable[Sequence[Any]]) -> Knobs:
    """Return the knobs of some JSON data."""
    return tuple((name, value) for name, value in data)


def harness_to_json(harness: Harness) -> Any:
    """Return a harness as its name where the house has it, else as what it shows."""
    if HARNESSES.get(harness.name) == harness:
        return harness.name
    return {"name": harness.name, "channels": sorted(harness.channels)}


def harness_from_json(data: Any) -> Harness:
    """Return the harness of some JSON data."""
    return HARNESSES[data] if isinstance(data, str) else Harness(data["name"], frozenset(data["channels"]))
