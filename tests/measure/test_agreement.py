"""Agreement: the published number, its ends, and how sure it is."""

import pytest

from palaestra.core.errors import BadMeasurement
from palaestra.measure.agreement import agreement


def voted(votes: str, members: int = 1) -> list[list[list[str]]]:
    """The labels of one labeler, so many trajectories an instance: `look` where it votes 1."""
    labels = [["look"] if vote == "1" else [] for vote in votes]
    return [labels[start : start + members] for start in range(0, len(labels), members)]


def test_krippendorffs_own_example_has_his_alpha() -> None:
    found = agreement({"one": voted("0100000010"), "other": voted("1110010000")})["look"]
    assert found.alpha == pytest.approx(0.095, abs=5e-4)
    assert found.shown == {"one": 2, "other": 4}
    assert found.low < 0.095 < found.high


def test_labelers_who_agree_have_alpha_1_and_those_who_contradict_each_other_a_negative_one() -> None:
    assert agreement({"one": voted("0110"), "other": voted("0110"), "third": voted("0110")})["look"].alpha == 1
    assert agreement({"one": voted("0101"), "other": voted("1010")})["look"].alpha < 0


def test_where_nothing_varies_alpha_is_unknown_and_not_full() -> None:
    found = agreement({"one": voted("1111"), "other": voted("1111")})["look"]
    assert (found.alpha, found.low, found.high, found.trajectories) == (None, None, None, 4)


def test_like_trajectories_of_few_instances_are_less_sure_than_the_same_votes_spread_out() -> None:
    one, other = "1" * 8 + "0" * 8 + "1" * 8 + "0" * 8, "1" * 8 + "0" * 8 + "0" * 8 + "0" * 8
    few = agreement({"one": voted(one, 8), "other": voted(other, 8)})["look"]
    many = agreement({"one": voted(one), "other": voted(other)})["look"]
    assert few.alpha == many.alpha
    assert few.high - few.low > many.high - many.low


@pytest.mark.parametrize("labelled", [{}, {"one": voted("01")}, {"one": voted("01"), "other": voted("011")}])
def test_fewer_than_two_labelers_or_other_trajectories_are_refused(labelled) -> None:
    with pytest.raises(BadMeasurement, match="give two labelers or more, of the same trajectories"):
        agreement(labelled)


def test_nothing_labelled_is_nothing_agreed_on() -> None:
    assert agreement({"one": [], "other": []}) == {}


def test_a_labeler_without_a_word_for_an_ability_has_no_say_on_it():
    labelled = {"one": [[["a"], []]], "other": [[["a"], []]], "third": [[["x"], ["x"]]]}
    words = {"one": {"a"}, "other": {"a"}, "third": {"x"}}
    found = agreement(labelled, words)
    assert found["a"].alpha == 1
    assert found["a"].shown == {"one": 1, "other": 1}
    assert (found["x"].alpha, found["x"].low, found["x"].shown) == (None, None, {"third": 2})
    assert agreement(labelled)["a"].alpha < 1
