"""Odd patches: one of a row is odd, in one feature, and by little where rows are hard."""

from itertools import combinations

import numpy as np
import pytest

from palaestra.core.instance import knobs
from palaestra.envs.kit.palette import PALETTE, colour
from palaestra.envs.kit.parts import Asked
from palaestra.envs.perception.odd_patches import COLOURS, FEATURES, Patch, Sheet, odd
from palaestra.envs.perception.odd_patches import environment as env

FIRST = (Patch(0, 0, 0), Patch(0, 0, 0), Patch(3, 0, 0), Patch(0, 0, 0))  # one red circle, but four in the third
SECOND = (Patch(1, 0, 2), Patch(2, 4, 2), Patch(1, 4, 2), Patch(2, 0, 5))  # numbers and colours occur twice each
ASKED = Asked(Sheet((FIRST, SECOND), varied=True))


def test_the_odd_patch_is_told_by_the_feature_in_which_all_others_agree() -> None:
    assert odd(FIRST) == (2, FEATURES.index("number"))
    assert odd(SECOND) == (3, FEATURES.index("shape"))


def test_all_rows_win_and_one_of_two_earns_a_quarter() -> None:
    assert env.step(ASKED, (3, 4)).success
    step = env.step(ASKED, (3, 1))
    assert (step.reward, step.done, step.success) == (0.25, True, False)
    assert step.events == ("difference_found", "difference_missed", "parts_some_ok")
    assert env.step(ASKED, (1, 1)).events == ("difference_missed", "difference_missed", "parts_none_ok")


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_exactly_one_patch_of_a_row_is_odd_and_in_one_feature_only(scale: int) -> None:
    for seed in range(40):
        for row in env.reset(env.spec.instance(scale, seed)).question.rows:
            counts = [[values.count(value) for value in values] for values in zip(*row, strict=True)]
            assert [once for values in counts for once in values].count(1) == 1
            place, feature = odd(row)
            assert counts[feature][place] == 1
            assert set(counts[feature]) == {1, len(row) - 1}


def test_the_odd_value_is_a_neighbour_in_striped_rows_and_no_neighbour_in_plain_ones() -> None:
    for scale, striped in ((1, False), (3, True)):
        for seed in range(40):
            for row in env.reset(env.spec.instance(scale, seed)).question.rows:
                place, feature = odd(row)
                away = abs(row[place][feature] - row[place - 1][feature])
                if FEATURES[feature] in ("number", "spacing"):
                    assert (away == 1) == striped
                assert FEATURES[feature] != "turn" or away in (1, 3)


def test_as_many_features_vary_as_the_scale_says() -> None:
    for scale, settings in enumerate(env.spec.scales):
        for row in env.reset(env.spec.instance(scale, 1)).question.rows:
            assert sum(len(set(values)) > 1 for values in zip(*row, strict=True)) == int(settings["varied"]) + 1
    short = env.reset(env.spec.instance(2, 1, knobs=knobs({"columns": 3}))).question
    assert not short.varied


def test_every_patch_is_drawn_in_its_colour_only() -> None:
    sheet = env.reset(env.spec.instance(5, 2)).question
    view = env.view(sheet, 448)
    patches = [patch for row in sheet.rows for patch in row]
    tiles = [element for element in view.scene if element.cell is not None]
    assert view.image is not None
    for patch, (_, _, (left, top, right, bottom), _) in zip(patches, tiles, strict=True):
        seen = np.isin(list(map(colour, COLOURS)), view.image.pixels[top:bottom, left:right])
        assert np.flatnonzero(seen).tolist() == [patch.colour]


def test_who_tells_red_from_green_by_brightness_only_tells_all_colours_apart() -> None:
    seen = [
        (0.35 * red + 0.65 * green, blue) for red, green, blue in (PALETTE[colour(name)].tolist() for name in COLOURS)
    ]
    assert all(max(abs(a[0] - b[0]), abs(a[1] - b[1])) > 50 for a, b in combinations(seen, 2))


def test_the_order_of_rows_and_patches_makes_no_other_problem() -> None:
    assert env.problem(Asked(Sheet((SECOND[::-1], FIRST), varied=True))) == env.problem(ASKED)
    assert env.problem(Asked(Sheet((SECOND, (*FIRST[:3], Patch(3, 0, 0))), varied=True))) != env.problem(ASKED)
