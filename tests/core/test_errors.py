"""Every error refines a builtin, survives pickling, and is a `PalaestraError`."""

import inspect
import pickle

import pytest

from palaestra.core import errors
from palaestra.core.errors import PalaestraError
from palaestra.core.rate import Rate

ALL = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, PalaestraError)]


@pytest.mark.parametrize("cls", ALL)
def test_an_error_travels_between_processes(cls: type[PalaestraError]) -> None:
    error = cls("asked, found, to do")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is cls
    assert str(again) == str(error) == "asked, found, to do"


@pytest.mark.parametrize("cls", [cls for cls in ALL if cls is not PalaestraError])
def test_an_error_refines_a_builtin(cls: type[PalaestraError]) -> None:
    assert any(issubclass(cls, builtin) for builtin in (ValueError, LookupError, RuntimeError, OSError, ImportError))


@pytest.mark.parametrize(("hits", "n"), [(0, 0), (0, 10), (10, 10), (3, 7), (1, 4000)])
def test_a_rate_lies_inside_its_interval(hits: int, n: int) -> None:
    rate = Rate(hits, n)
    assert 0 <= rate.low <= rate.value <= rate.high <= 1
    assert rate.json() == {"value": rate.value, "low": rate.low, "high": rate.high, "n": n}


def test_the_wilson_interval_has_its_published_values() -> None:
    rate = Rate(10, 20)  # by hand: centre 0.5, half width 0.2013
    assert (round(rate.low, 4), round(rate.high, 4)) == (0.2993, 0.7007)
