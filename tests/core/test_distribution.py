"""Cells, distributions, groups, budgets."""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaestra.core.distribution import Cell, Distribution
from palaestra.core.errors import BadDistribution
from palaestra.core.instance import Instance
from palaestra.core.observation import H0, H2, H4, LADDER
from palaestra.core.ticket import Group, Ticket
from palaestra.core.trainer import Budget
from palaestra.core.trajectory import Stop, Trajectory

cells = st.builds(Cell, st.sampled_from(["a/a", "b/b"]), st.integers(0, 5), st.sampled_from(list(LADDER)))
mixtures = st.dictionaries(cells, st.floats(0, 1e6), min_size=1).filter(lambda weights: sum(weights.values()) > 0)


@given(mixtures, st.sampled_from(["env_id", "scale", "harness"]))
def test_probabilities_and_every_marginal_sum_to_one(weights: dict[Cell, float], axis: str) -> None:
    mixture = Distribution(weights)
    assert sum(mixture.probabilities().values()) == pytest.approx(1)
    assert sum(mixture.marginal(axis).values()) == pytest.approx(1)


@given(mixtures, st.integers(0, 1000))
def test_a_sampled_cell_has_a_positive_weight(weights: dict[Cell, float], seed: int) -> None:
    assert weights[Distribution(weights).sample(np.random.default_rng(seed))] > 0


def test_sampling_follows_the_weights() -> None:
    easy, hard = Cell("a/a", 0, H0), Cell("a/a", 1, H4)
    rng = np.random.default_rng(0)
    draws = [Distribution({easy: 3, hard: 1}).sample(rng) for _ in range(4000)]
    assert 0.72 < draws.count(easy) / 4000 < 0.78


@pytest.mark.parametrize("weights", [{}, {Cell("a/a", 0, H0): 0.0}, {Cell("a/a", 0, H0): -1.0}])
@pytest.mark.parametrize("further", [None, nan, inf])
def test_weights_that_are_no_mixture_are_refused(weights: dict[Cell, float], further: float | None) -> None:
    with pytest.raises(BadDistribution, match="distribution: found"):
        Distribution(weights if further is None else {**weights, Cell("b/b", 0, H0): further})


def test_an_unknown_axis_is_refused_with_the_nearest() -> None:
    with pytest.raises(BadDistribution, match="did you mean 'scale'"):
        Distribution({Cell("a/a", 0, H0): 1.0}).marginal("scales")


def test_in_a_guided_group_the_first_members_see_help_and_only_the_others_are_judged() -> None:
    cell = Cell("a/a", 0, H2, learn=H4, guided=0.5, rollouts=4)
    shown = [cell.shown_to(member) for member in range(4)]
    assert shown == [H2, H2, H4, H4]
    instance = Instance("a/a", 1, 0, 0)
    members = tuple(Trajectory(instance, harness, (), True, Stop.DONE) for harness in shown[:3])
    failed = Trajectory(instance, H4, (), False, Stop.ERROR, "ValueError: x")
    assert Group(Ticket(0, cell, instance), (*members, failed)).judged() == members[2:]


def test_without_another_harness_to_learn_every_member_is_judged() -> None:
    cell = Cell("a/a", 0, H2, rollouts=2, guided=0.5)
    members = tuple(Trajectory(Instance("a/a", 1, 0, 0), H2, (), False, Stop.HORIZON) for _ in range(2))
    assert Group(Ticket(0, cell, members[0].instance), members).judged() == members


@pytest.mark.parametrize("fields", [{"guided": 1.5}, {"guided": nan}, {"rollouts": 0}, {"scale": -1}])
def test_a_cell_that_makes_no_sense_is_refused(fields: dict[str, float]) -> None:
    with pytest.raises(BadDistribution, match="cell of a/a"):
        Cell(**{"env_id": "a/a", "scale": 0, "harness": H0, **fields})  # type: ignore[arg-type]


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(BadDistribution, match="neither may be negative"):
        Budget(rollouts=-1, updates=0)


def test_to_learn_what_is_shown_is_said_in_one_way() -> None:
    assert Cell("a/a", 0, H2, learn=H2, guided=0.5) == Cell("a/a", 0, H2)
    assert Cell("a/a", 0, H2, learn=H2, guided=0.5).helped == 16
