"""Clusters of hidden states as abilities: planted ones are found, and nothing hangs on order or chance."""

import numpy as np
import pytest

from palaestra.measure.activations import WIDEST, labels

DRAW = np.random.default_rng(7)
CENTRES = DRAW.standard_normal((4, 40))


def turns(*kinds: int, width: int = 40) -> list[np.ndarray]:
    noisy = [CENTRES[kind] + 0.2 * DRAW.standard_normal(40) for kind in kinds]
    return [np.pad(one, (0, width - 40)).astype(np.float32) * DRAW.uniform(1, 9) for one in noisy]


@pytest.mark.parametrize("width", [40, 3 * WIDEST])
def test_planted_clusters_are_found_whatever_the_length_and_width_of_states(width: int) -> None:
    played = {(n, 0): [0, 0, 0, 1 + n % 3] for n in range(12)}
    found = labels({at: turns(*kinds, width=width) for at, kinds in played.items()}, clusters=4)
    assert {names[0] for names in found.values()} == {"state_00"}  # the commonest
    assert all(len(names) == 2 for names in found.values())
    second = {kind: {found[at][1] for at, kinds in played.items() if kinds[3] == kind} for kind in (1, 2, 3)}
    assert sorted(name for names in second.values() for name in names) == ["state_01", "state_02", "state_03"]


def test_the_same_states_and_seed_give_the_same_labels_and_fewer_clusters_where_fewer_turns_differ() -> None:
    states = {(n, 0): turns(n % 4, (n + 1) % 4) for n in range(8)}
    assert labels(states, 3) == labels(states, 3)
    same = {(n, 0): [CENTRES[n % 2].astype(np.float32)] for n in range(6)}
    assert {name for names in labels(same, 32).values() for name in names} == {"state_00", "state_01"}


def test_a_long_episode_weighs_no_more_than_a_short_one() -> None:
    found = labels({(0, 0): turns(*[0] * 50)} | {(n, 0): turns(1) for n in range(1, 4)}, 2)
    assert (found[0, 0], found[1, 0]) == (("state_01",), ("state_00",))


def test_an_episode_without_turns_shows_nothing() -> None:
    assert labels({(0, 0): []}, 4) == {(0, 0): ()}
    assert labels({(0, 0): [], (1, 0): turns(0)}, 4) == {(0, 0): (), (1, 0): ("state_00",)}
