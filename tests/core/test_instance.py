"""Instances: names, streams, and what is refused."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaestra.core.errors import BadInstance
from palaestra.core.instance import Instance, Split, knobs

LAKE = Instance("grid/frozen_lake", 1, 2, 7)


def test_a_key_names_every_field_and_a_digest_of_the_knobs_only_when_any_is_set() -> None:
    assert LAKE.key() == "grid/frozen_lake.v1@2#7:train"
    mended = Instance("grid/frozen_lake", 2, 0, 7, Split.TEST, knobs({"rows": 3}))
    assert mended.key().startswith("grid/frozen_lake.v2@0#7:test+")
    assert len(mended.key().partition("+")[2]) == 12


@given(st.integers(0, 2**40), st.integers(0, 2**40))
def test_different_seeds_share_no_stream(first: int, second: int) -> None:
    draws = [Instance("a/b", 1, 0, seed).rng().random(4).tolist() for seed in (first, second)]
    assert (draws[0] == draws[1]) == (first == second)


def test_every_field_and_the_stream_change_the_randomness() -> None:
    others = [
        Instance("grid/frozen_lakes", 1, 2, 7),
        Instance("grid/frozen_lake", 2, 2, 7),
        Instance("grid/frozen_lake", 1, 3, 7),
        Instance("grid/frozen_lake", 1, 2, 8),
        Instance("grid/frozen_lake", 1, 2, 7, Split.VALID),
        Instance("grid/frozen_lake", 1, 2, 7, knobs=knobs({"rows": 3})),
    ]
    draws = [LAKE.rng(), LAKE.rng("chance"), *(other.rng() for other in others)]
    assert len({tuple(rng.integers(0, 2**63, 2).tolist()) for rng in draws}) == len(draws)


def test_a_stream_is_the_same_in_a_fresh_process_with_another_hash_seed() -> None:
    code = (
        "from palaestra.core.instance import Instance;"
        "print(Instance('grid/frozen_lake', 1, 2, 7).rng().integers(0, 2**63, 3).tolist())"
    )
    there = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join(sys.path)}, capture_output=True
    )
    assert there.stdout.decode().strip() == str(LAKE.rng().integers(0, 2**63, 3).tolist())


def test_neighbouring_seeds_are_not_correlated() -> None:
    draws = np.array([Instance("a/b", 1, 0, seed).rng().random() for seed in range(2000)])
    assert abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) < 0.08
    assert abs(draws.mean() - 0.5) < 0.03


@pytest.mark.parametrize("fields", [{"scale": -1}, {"seed": -1}, {"knobs": (("b", 1), ("a", 1))}])
def test_negative_numbers_and_unsorted_knobs_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(BadInstance):
        Instance(**{"env_id": "a/b", "version": 1, "scale": 0, "seed": 0, **fields})  # type: ignore[arg-type]
