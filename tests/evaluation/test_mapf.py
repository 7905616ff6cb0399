"""Joint plans judged: rates, what is unmeasured, and failures by kind."""

from palaestra.evaluation.mapf import UNMEASURED, Failure, Verdict, by_size, rates

GOOD = Verdict("a", 3, 3, makespan=4, cost=9, least=4, cheapest=9)
LATE = Verdict("b", 3, 3, makespan=5, cost=9, least=4, cheapest=9)
SPOILT = Verdict("c", 4, 3, Failure("swap_conflict", 2, (1, 1), (0, 1)), least=4, cheapest=9)


def test_optimal_given_valid_counts_the_valid_ones_only() -> None:
    found = rates([GOOD, LATE, SPOILT])
    assert [found[name]["n"] for name in ("valid", "optimal", "optimal_given_valid")] == [3, 3, 2]
    assert [round(found[name]["value"], 3) for name in ("valid", "optimal", "optimal_given_valid")] == [
        0.667,
        0.333,
        0.5,
    ]
    assert found["cheapest"]["value"] == 2 / 3
    assert found["failures"] == {"swap_conflict": 1}


def test_rates_are_told_by_size() -> None:
    found = by_size([SPOILT, GOOD, LATE])
    assert list(found) == ["3", "4"]
    assert found["4"]["valid"]["value"] == 0


def test_where_an_optimum_is_unknown_the_rate_is_unmeasured_and_valid_is_not() -> None:
    unknown = Verdict("d", 3, 3, makespan=4, cost=9)
    found = rates([GOOD, unknown])
    assert found["optimal"] == found["optimal_given_valid"] == UNMEASURED
    assert found["valid"]["value"] == 1
    assert unknown.json()["optimal"] == UNMEASURED
