"""How a training run stands, for whoever watches it: what is drawn from now, and what came of the last updates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaestra.core.rate import Rate

RECENT = 10
"""How many updates the success that is told of a run under way goes back."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A run under way: how many updates of how many are made, and the judged rollouts of the last `RECENT` of them, all
    together and by environment, rung and scale of the ticket; `shares`, as in `curriculum.json`, are drawn from now."""

    done: int
    total: int
    success: Rate
    cells: Mapping[tuple[str, str, int], Rate]
    shares: Mapping[str, Mapping[str, Any]]


Progress = Callable[[Standing], None]
"""Told how a run stands after each update."""


def standing(updates: Sequence[Mapping[str, Any]], total: int, shares: Mapping[str, Mapping[str, Any]]) -> Standing:
    """Return how a run stands after some events."""
    cells: dict[tuple[str, str, int], Rate] = {}
    for event in updates[-RECENT:]:
        for cell in event.get("cells", ()):  # an older version did not tell them
            key = cell["env_id"], cell["harness"], cell["scale"]
            before = cells.get(key, Rate(0, 0))
            cells[key] = Rate(before.hits + cell["successes"], before.n + cell["rollouts"])
    return Standing(len(updates), total, success(updates), cells, shares)


def success(updates: Sequence[Mapping[str, Any]]) -> Rate:
    """Return the success of the judged rollouts of the last updates."""
    counts = [count for event in updates[-RECENT:] for count in event["environments"].values()]
    return Rate(sum(count["successes"] for count in counts), sum(count["rollouts"] for count in counts))
