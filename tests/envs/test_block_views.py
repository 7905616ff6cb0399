"""Block views: what hides what, what is seen from where, and that a picture tells every height."""

from itertools import product

import pytest

from palaestra.envs.geometry.block_views import Pile, _least
from palaestra.envs.geometry.block_views import environment as env
from palaestra.envs.kit.palette import PALETTE, nearest_name
from palaestra.envs.kit.parts import Asked

# a tower stands behind low stacks; the nearest corner is the end of the first row
PILE = Pile(((1, 0, 0), (0, 3, 1)), highest=3)
ASKED = Asked(PILE)


def test_both_outlines_and_the_number_of_cubes_win() -> None:
    step = env.step(ASKED, (("1", "3", "1"), ("1", "3"), 5))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events[:5] == (
        "value_ok",
        "count_occluded_ok",
        "count_occluded_ok",
        "count_occluded_ok",
        "count_occluded_ok",
    )
    assert step.events[5:] == ("count_occluded_ok", "parts_all_ok")


def test_who_looks_at_the_nearest_stacks_only_misses_the_depth() -> None:
    step = env.step(ASKED, (("1", "0", "0"), ("0", "1"), 4))
    assert step.reward == pytest.approx(0.5 / 6)
    assert step.events[:5] == (
        "value_ok",
        "count_occluded_missed",
        "count_occluded_missed",
        "count_occluded_missed",
        "count_occluded_missed",
    )
    assert step.events[5:] == ("count_occluded_missed", "count_off_by_one", "parts_some_ok")


def test_a_stack_hides_the_half_beside_it_and_all_that_is_in_line_with_it() -> None:
    assert _least(((2, 0), (0, 0)), 1, 0) == (2, 0)  # before it: the left half shows from height 2 on
    assert _least(((0, 0), (0, 2)), 1, 0) == (0, 2)
    assert _least(((0, 2), (0, 0)), 1, 0) == (2, 2)
    assert _least(((0, 0, 3), (0, 0, 0), (0, 0, 0)), 2, 0) == (2, 2)  # one step further off hides one less


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_drawing_shows_every_half_of_a_top_that_is_in_sight(scale: int) -> None:
    for seed in range(5):
        pile = env.reset(env.spec.instance(scale, seed)).question
        view = env.view(pile, 448)
        assert view.image is not None
        for element in view.scene:
            if element.glyph:
                continue
            place, height = element.name.split()
            row, column = "ABCDEF".index(place[0]), int(place[1]) - 1
            left, top, right, bottom = element.box
            deep = (bottom - top) / (2 + 2 * int(height))  # half a tile
            halves = _least(pile.heights, row, column)
            assert min(halves) <= int(height) == pile.heights[row][column]
            for share, least in zip((0.3, 0.7), halves, strict=True):
                pixel = view.image.pixels[round(top + deep), round(left + share * (right - left))]
                flat = nearest_name(PALETTE[pixel].tolist()) == ("yellow" if int(height) else "mist")
                assert flat or int(height) < least


def test_no_two_piles_with_every_top_in_sight_look_alike() -> None:
    piles = [((a, b), (c, d)) for a, b, c, d in product(range(4), repeat=4)]
    told = [h for h in piles if all(min(_least(h, r, c)) <= h[r][c] for r, c in product(range(2), repeat=2))]
    pictures = {env.view(Pile(heights, 3), 200).image for heights in told}
    assert len(pictures) == len(told) > 100


def test_a_pile_and_its_mirror_image_are_one_problem() -> None:
    mirrored = Pile(((1, 0), (3, 0), (0, 1)), highest=3)
    assert env.problem(Asked(mirrored)) == env.problem(ASKED)
    front, side = (env.solve(asked)[0].splitlines()[:2] for asked in (ASKED, Asked(mirrored)))
    assert (front, side) == (["front: 1, 3, 1", "side: 1, 3"], ["front: 3, 1", "side: 1, 3, 1"])
    assert env.problem(Asked(Pile(PILE.heights[::-1], 3))) != env.problem(ASKED)


def test_the_task_alone_tells_what_front_and_side_list() -> None:
    assert "highest stack of each column (front: 1 first) and row (side: A first)" in env.view(PILE, 0).task
