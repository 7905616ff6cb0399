"""Names of abilities: which become one, which stay two, and that it hangs on nothing else."""

from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from named_pairs import DIFFERENT, SAME, pairs

from palaestra.integrations import minilm
from palaestra.measure.dictionary import Dictionary, normalised, words_alike

NAMES = st.sampled_from(["count_things", "count_objects", "counting_objects", "avoid_wall", "avoid_hazard", "read_map"])
LABELLED = st.lists(st.lists(st.lists(NAMES, max_size=4), max_size=3), max_size=4)


def labelled(*instances: str) -> list[list[list[str]]]:
    """Instances of one trajectory for each comma; its names are separated by spaces."""
    return [[labels.split() for labels in instance.split(",")] for instance in instances]


def test_one_cause_in_three_wordings_is_one_ability_named_by_the_most_frequent() -> None:
    found = Dictionary().extended(labelled("count_objects,Count-objects", "counting_objects", "countTheObjects"))
    assert found.abilities == {"count_objects": ("counting_objects",)}
    assert found.version == 1


def test_names_that_share_most_words_are_one_where_they_share_their_instances_too() -> None:
    one, other = "count_hidden_things", "count_hidden_objects"
    found = Dictionary().extended(labelled(f"{one},{other}", f"{other},{one}"))
    assert found.abilities == {other: (one,)}
    assert len(Dictionary().extended(labelled(one, other)).abilities) == 2


def merged(text: str, shown: str, *rule) -> int:
    """How many pairs become one, shown as a pattern says: by one instance, or by two."""
    both = [labelled(*shown.format(*pair).split()) for pair in pairs(text)]
    return sum(len(Dictionary().extended(one, *rule).abilities) == 1 for one in both)


@pytest.mark.parametrize(("shown", "right"), [("{},{}", 16), ("{} {}", 14)])
def test_on_pairs_written_by_hand_it_merges_what_the_module_says_and_nothing_wrong(shown, right) -> None:
    assert (merged(SAME, shown), merged(DIFFERENT, shown)) == (right, 0)


@pytest.mark.skipif(find_spec(minilm.PACKAGE) is None, reason="the weights are not installed")
@pytest.mark.parametrize(("shown", "right", "wrong"), [("{},{}", 33, 5), ("{} {}", 20, 1)])
def test_on_the_same_pairs_minilm_merges_what_the_module_says(shown, right, wrong) -> None:
    rule = minilm.similarity(), minilm.ALIKE
    assert (merged(SAME, shown, *rule), merged(DIFFERENT, shown, *rule)) == (right, wrong)


def test_three_causes_with_one_beginning_are_three_where_a_trajectory_tells_them_apart() -> None:
    names = "avoid_wall avoid_hazard avoid_opponent"
    assert len(Dictionary().extended(labelled(names, names)).abilities) == 3


def test_names_of_different_worlds_are_two_though_they_share_a_word() -> None:
    assert len(Dictionary().extended(labelled("count_cards", "count_steps")).abilities) == 2


def test_no_chain_of_likenesses_joins_what_is_unlike() -> None:
    chain = np.array([[1, 0.9, 0.1], [0.9, 1, 0.8], [0.1, 0.8, 1]])
    found = Dictionary().extended(labelled("x_x", "y_y", "z_z"), alike=lambda names: chain)
    assert found.abilities == {"x_x": ("y_y",), "z_z": ()}  # y fits both, but z does not fit x


def test_a_version_grows_only_with_what_is_new_and_known_names_never_merge_or_move() -> None:
    first = Dictionary({"count_things": (), "count_objects": ("tell_number",)}, version=3)
    assert first.extended(labelled("count_things,tell_number", "count_objects")) == first
    second = first.extended(labelled(*["counting_thing"] * 9))
    assert second.version == 4
    assert second.abilities == {"count_things": ("counting_thing",), "count_objects": ("tell_number",)}
    assert (second.ability("Counting thing"), second.ability("tell_number")) == ("count_things", "count_objects")
    assert second.ability("read_map") is None


@given(LABELLED, st.randoms())
def test_the_order_of_instances_and_labels_does_not_matter_and_nothing_is_lost(shown, chance) -> None:
    found = Dictionary().extended(shown)
    mixed = [[chance.sample(labels, len(labels)) for labels in members] for members in shown]
    assert Dictionary().extended(chance.sample(mixed, len(mixed))) == found
    assert {name for members in shown for labels in members for name in labels} == {
        name for ability, also in found.abilities.items() for name in (ability, *also)
    }
    assert found.extended(shown) == found


@given(st.text())
def test_normalising_is_done_at_once(text) -> None:
    assert normalised(normalised(text)) == normalised(text)


def test_a_word_of_endings_only_still_counts_as_itself() -> None:
    assert words_alike(["see_es", "see_ing"])[0, 1] == 0.5
