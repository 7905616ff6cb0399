"""The Fenwick tree equals the plain cumulative sum, whatever was done to it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from palaestra.curriculum.fenwick import Fenwick

WEIGHTS = st.lists(st.integers(0, 2**40), min_size=1, max_size=70).filter(any)


def plain(weights: list[int], point: int) -> int:
    return int(np.searchsorted(np.cumsum(weights), point, side="right"))


@given(WEIGHTS, st.floats(0, 1, exclude_max=True))
def test_a_draw_equals_the_plain_one_for_the_same_uniform_number(weights: list[int], uniform: float) -> None:
    tree = Fenwick(weights)
    point = int(uniform * tree.total)
    assert tree.find(point) == plain(weights, point)


@given(WEIGHTS, st.lists(st.tuples(st.integers(0, 99), st.integers(0, 2**40)), max_size=30), st.data())
def test_a_tree_that_was_changed_equals_one_built_anew(
    weights: list[int], steps: list[tuple[int, int]], data: st.DataObject
) -> None:
    tree = Fenwick(weights)
    for index, weight in steps:
        if index < len(weights):
            tree[index] = weights[index] = weight
        else:
            tree.append(weight)
            weights.append(weight)
    assert tree.total == sum(weights)
    assert [tree[index] for index in range(len(tree))] == weights
    if tree.total:
        point = data.draw(st.integers(0, tree.total - 1))
        assert tree.find(point) == Fenwick(weights).find(point) == plain(weights, point)


@given(WEIGHTS)
def test_both_ends_of_every_weight_find_it_and_nothing_weightless_is_found(weights: list[int]) -> None:
    tree, below = Fenwick(weights), 0
    for index, weight in enumerate(weights):
        if weight:
            assert tree.find(below) == tree.find(below + weight - 1) == index
        below += weight
