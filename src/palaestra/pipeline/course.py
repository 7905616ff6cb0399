"""What a curriculum did over a run, as `curriculum.json` tells it: a fold over the run's events.

An event "update" counts what came back, by environment and by kind of ticket; every few of them also say what was drawn
from by then. So the events are the one record, and a run that goes on after a kill tells the same course.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from palaestra.core.codec import cell_to_json
from palaestra.core.distribution import Distribution
from palaestra.core.ticket import Group

NAME = "curriculum.json"
"""The file in a run folder."""

Played = dict[str, dict[str, int]]
"""Judged rollouts and their successes, by environment."""

CELL = ("env_id", "harness", "scale", "rollouts", "successes")
"""What an event tells of each kind of ticket; the harness is the ticket's, which only its helped members see."""


def shares(distribution: Distribution) -> dict[str, Any]:
    """Return each environment's share, and within it those of harnesses and scales.

    >>> from palaestra.core.distribution import Cell
    >>> from palaestra.core.observation import H0
    >>> shares(Distribution({Cell("a/b", 0, H0): 2.0, Cell("a/c", 1, H0): 6.0}))["a/c"]
    {'share': 0.75, 'harness': {'H0': 1.0}, 'scale': {'1': 1.0}}
    """
    own: dict[str, dict[Any, float]] = {}
    for cell, probability in distribution.probabilities().items():
        own.setdefault(cell.env_id, {})[cell] = probability
    totals = {env_id: sum(cells.values()) for env_id, cells in own.items()}
    return {
        env_id: {
            "share": totals[env_id],
            **{axis: _within(Distribution(cells), axis) for axis in ("harness", "scale")},
        }
        for env_id, cells in own.items()
        if totals[env_id] > 0
    }


def played(groups: Iterable[Group], env_ids: Iterable[str]) -> Played:
    """Return what came back of the members that are judged."""
    counts = _nothing(env_ids)
    for group in groups:
        judged, count = group.judged(), counts[group.ticket.cell.env_id]
        count["rollouts"] += len(judged)
        count["successes"] += sum(member.success for member in judged)
    return counts


def cells(groups: Iterable[Group]) -> list[dict[str, Any]]:
    """Return the same by the kind of ticket: environment, rung and scale, in the order of play."""
    counts: dict[tuple[str, str, int], list[int]] = {}
    for group in groups:
        cell, judged = group.ticket.cell, group.judged()
        count = counts.setdefault((cell.env_id, cell.harness.name, cell.scale), [0, 0])
        count[0] += len(judged)
        count[1] += sum(member.success for member in judged)
    return [dict(zip(CELL, (*key, *count), strict=True)) for key, count in counts.items()]


def course(
    name: str,
    env_ids: Sequence[str],
    first: Mapping[str, Any],
    updates: Iterable[Mapping[str, Any]],
    now: Distribution,
) -> dict[str, Any]:
    """Return the course of a run as JSON data.

    Args:
        name: of the curriculum.
        env_ids: in the order of training.
        first: the shares before the first update.
        updates: the events so far.
        now: what is drawn from by now.
    """
    history = [{"updates": 0, "rollouts": 0, "environments": first, "played": _nothing(env_ids)}]
    since = _nothing(env_ids)
    for event in updates:
        for env_id, counts in event["environments"].items():
            for what, count in counts.items():
                since[env_id][what] += count
        if "shares" in event:
            at = {what: event[what] for what in ("updates", "rollouts")}
            history.append({**at, "environments": event["shares"], "played": since})
            since = _nothing(env_ids)
    final = [{**cell_to_json(cell), "weight": weight} for cell, weight in now.probabilities().items() if weight]
    return {"curriculum": name, "environments": list(env_ids), "history": history, "final": final}


def _nothing(env_ids: Iterable[str]) -> Played:
    return {env_id: {"rollouts": 0, "successes": 0} for env_id in env_ids}


def _within(distribution: Distribution, axis: str) -> dict[str, float]:
    return {getattr(value, "name", str(value)): share for value, share in distribution.marginal(axis).items()}
