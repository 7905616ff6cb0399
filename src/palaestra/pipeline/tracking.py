"""The events of a run as numbers for experiment trackers, which can fail without harm to the run.

A step is an update. At each start a tracker is told every update from the first on, those of earlier starts out of
`events.jsonl`, so that a run killed and resumed, or tracked only later, looks like one that nothing happened to; their
clock time is then that of the start.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from palaestra.core.errors import ConfigError, nearest
from palaestra.core.tracker import Tracker

TRACKERS: Mapping[str, str] = MappingProxyType(
    {name: f"palaestra.integrations.{name}" for name in ("tensorboard", "wandb")}
)
"""The module of every tracker, by name."""

Opener = Callable[[Path], Tracker]
"""Opens a tracker in a run folder."""


def openers(names: Sequence[str]) -> dict[str, Opener]:
    """Return what opens the trackers of some names; nothing is written yet.

    Raises:
        ConfigError: no tracker has the name.
        ExtraMissing: what it needs is not installed.
    """
    for name in names:
        if name not in TRACKERS:
            raise ConfigError(f"no tracker is called {name!r}{nearest(name, TRACKERS)}")
    return {name: import_module(TRACKERS[name]).tracker() for name in names}


@contextmanager
def tracked(
    trackers: Mapping[str, Opener], run: Path, warn: Callable[[str], None]
) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Open trackers while the block runs; it tells events through the value.

    One that fails is told nothing more, `warn` says so once, and the block goes on.
    """
    following: dict[str, Tracker] = {}

    @contextmanager
    def harmless(name: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # whatever other people's programs raise
            following.pop(name, None)
            warn(f"the tracker {name} failed and is told nothing more: {type(error).__name__}: {error}")

    def told(event: Mapping[str, Any]) -> None:
        for name, tracker in list(following.items()):
            with harmless(name):
                tracker.log(event["updates"], numbers(event))

    for name, opener in trackers.items():
        with harmless(name):
            following[name] = opener(run)
    try:
        yield told
    finally:
        for name, tracker in list(following.items()):
            with harmless(name):
                tracker.close()


MEASURED = (
    "replies", "tokens", "gradient_norm", "clipped_above", "clipped_below", "helped_ess", "kl", "entropy", "caption",
)  # fmt: skip
"""What an update may tell of itself."""


def numbers(event: Mapping[str, Any]) -> dict[str, float]:
    """Return what is logged of an event "update"; what was not played in it has no success.

    >>> counts = {"rollouts": 4, "successes": 1}
    >>> event = {"rollouts": 8, "groups": 2, "live": 1, "clipped_above": 0.0, "environments": {"a/b": counts}}
    >>> cell = {"env_id": "a/b", "harness": "H1", "scale": 2, **counts}
    >>> told = numbers({**event, "cells": [cell]})
    >>> told["update/live_groups"], told["success_by_environment/a/b"], told["success_by_rung/H1"]
    (0.5, 0.25, 0.25)
    """
    told = {
        "update/rollouts": float(event["rollouts"]),
        "update/live_groups": event["live"] / event["groups"],
    }
    told |= {f"update/{name}": float(event[name]) for name in MEASURED if event.get(name) is not None}
    environments = [{"env_id": env_id, **count} for env_id, count in event["environments"].items()]
    told |= _success("update/success", environments, lambda count: "")
    told |= _success("success_by_environment/", environments, lambda count: count["env_id"])
    told |= _success("success_by_rung/", event.get("cells", ()), lambda count: count["harness"])
    told |= _success("success_by_scale/", event.get("cells", ()), lambda count: count["scale"])
    for env_id, own in event.get("shares", {}).items():
        told[f"share_by_environment/{env_id}"] = own["share"]
        for axis, title in (("harness", "rung"), ("scale", "scale")):
            for name, share in own[axis].items():
                key = f"share_by_{title}/{name}"
                told[key] = told.get(key, 0.0) + own["share"] * share
    return told


def _success(
    title: str, counts: Sequence[Mapping[str, Any]], part: Callable[[Mapping[str, Any]], object]
) -> dict[str, float]:
    """Return the success of some counts, by a part of them."""
    sums: dict[str, list[int]] = {}
    for count in counts:
        own = sums.setdefault(f"{title}{part(count)}", [0, 0])
        own[0] += count["successes"]
        own[1] += count["rollouts"]
    return {name: hits / n for name, (hits, n) in sums.items() if n}
