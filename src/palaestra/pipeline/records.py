"""`selection.json`, `curriculum.json` and `evaluation.json` as values: whole, or refused by name."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf, isfinite, nan
from pathlib import Path
from typing import Any, TypeVar

from palaestra.core.codec import cell_from_json
from palaestra.core.distribution import Cell
from palaestra.core.errors import RunFolderError
from palaestra.core.rate import Rate
from palaestra.core.selection import Pick
from palaestra.evaluation.blind import Probe
from palaestra.evaluation.compare import Difference
from palaestra.evaluation.figures.curriculum import Moment, Share
from palaestra.evaluation.figures.selection import Chosen, Verdict
from palaestra.evaluation.interval import Interval
from palaestra.evaluation.judged import Judged, Judgement
from palaestra.evaluation.metrics import Gain
from palaestra.evaluation.suite import LeftOut

T = TypeVar("T")

TERMS = ("coverage", "redundancy", "conflict", "gain")
GROUPS = ("id_single_turn", "id_multi_turn", "ood", "id", "selected")


@dataclass(frozen=True, slots=True)
class Course:
    """What a curriculum did: its history, and the cells it ended with by their weight."""

    name: str
    environments: tuple[str, ...]
    history: tuple[Moment, ...]
    final: Mapping[Cell, float]


def stored(path: Path, read: Callable[[Any], T]) -> T | None:
    """Return what `read` makes of a JSON file, None where there is no such file.

    Raises:
        RunFolderError: the file is damaged.
    """
    with damaged(path):
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        return read(json.loads(text))


@contextmanager
def damaged(path: Path) -> Iterator[None]:
    """Turn whatever a file's contents provoke while the block runs into an error that names the file.

    Raises:
        RunFolderError: the block raised.
    """
    try:
        yield
    except RunFolderError:
        raise
    except OSError as error:
        raise RunFolderError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        found = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise RunFolderError(f"{path} is damaged: {found}; make it anew, or move it away") from error


def chosen(data: Any) -> Chosen:
    """Return what a method chose; an older version did not tell why, nor over how many draws."""
    picks, rejected = (tuple(map(_verdict, own)) for own in (data["picks"], data.get("rejected", ())))
    found = Chosen(_text(data["method"]), picks, rejected, _count(data.get("draws", 0)))
    if len(set(found.env_ids)) < len(picks):
        raise ValueError("an environment is picked twice")
    return found


def course(data: Any) -> Course:
    """Return what a curriculum did."""
    history = tuple(_moment(entry) for entry in data["history"])
    updates = [moment.updates for moment in history]
    if not updates or updates != sorted(updates):
        raise ValueError(f"the history has the updates {updates}; it has one entry at least, in their order")
    env_ids = tuple(map(_text, data["environments"]))
    if not env_ids:
        raise ValueError("it names no environment")
    final = {
        cell_from_json({k: v for k, v in cell.items() if k != "weight"}): _number(cell["weight"])
        for cell in data["final"]
    }
    return Course(_text(data["curriculum"]), env_ids, history, final)


def judged(data: Any) -> Judged:
    """Return what an evaluation found."""
    return Judged(
        _text(data["suite"]),
        _count(data["seed"]),
        _count(data["problems"]),
        tuple(LeftOut(_text(env_id), _count(scale), _text(why)) for env_id, scale, why in data["left_out"]),
        _judgement(data["base"]),
        _optional(data["trained"], _judgement),
        {name: _difference(found) for name, found in (data["differences"] or {}).items() if found is not None},
        _optional(data["gain"], _gain),
    )


def _verdict(data: Any) -> Verdict:
    coverage, redundancy, conflict, gain = (_number(data[term]) for term in TERMS)
    inclusion = _optional(data.get("inclusion"), _number)
    pick = Pick(_text(data["id"]), coverage, redundancy, conflict, gain, inclusion)
    return Verdict(pick, _text(data.get("why", "")))


def _moment(data: Any) -> Moment:
    environments = {
        _text(env_id): Share(
            _number(own["share"]),
            {_text(name): _number(share) for name, share in own["harness"].items()},
            {int(scale): _number(share) for scale, share in own["scale"].items()},
        )
        for env_id, own in data["environments"].items()
    }
    played = {env_id: _rate(own) for env_id, own in data["played"].items()}
    return Moment(_count(data["updates"]), _count(data["rollouts"]), environments, played)


def _rate(data: Any) -> Rate:
    hits, n = _count(data["successes"]), _count(data["rollouts"])
    if hits > n:
        raise ValueError(f"{hits} successes in {n} rollouts")
    return Rate(hits, n)


def _judgement(data: Any) -> Judgement:
    return Judgement(
        _count(data["step"]),
        {name: _interval(data[name]) for name in GROUPS if data[name] is not None and data[name]["value"] is not None},
        {
            _text(env_id): _interval(own)
            for env_id, own in data["environments"].items()
            if own is not None and own["value"] is not None
        },
        {name: Probe(_difference(own)) for name, own in (data["probe"] or {}).items() if own is not None},
    )


def _gain(data: Any) -> Gain:
    never = tuple(map(_text, data["base_zero"]))
    return Gain(_interval(data["macro_mean"]), _interval(data["ratio_of_means"]), never)


def _difference(data: Any) -> Difference:
    return Difference(_interval(data["difference"]), _count(data["differing"]), _count(data["missing"]))


def _interval(data: Any) -> Interval:
    value, low, high = (_optional(data[name], _number) for name in ("value", "low", "high"))
    return Interval(
        nan if value is None else value, -inf if low is None else low, inf if high is None else high, _count(data["n"])
    )


def _optional(data: Any, read: Callable[[Any], T]) -> T | None:
    return None if data is None else read(data)


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise TypeError(f"found {data!r:.80}; wanted a text")
    return data


def _number(data: Any) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float) or not isfinite(data):
        raise TypeError(f"found {data!r:.80}; wanted a number")
    return data


def _count(data: Any) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or data < 0:
        raise TypeError(f"found {data!r:.80}; wanted a whole number that is not negative")
    return data
