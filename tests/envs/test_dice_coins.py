"""Dice and coins: what each total counts, partly covered pieces that stay readable, and what makes no other problem."""

from dataclasses import replace
from itertools import combinations

import pytest

from palaestra.envs.arithmetic.dice_coins import DICE, DIE, PIP, PIPS, SIZES, Piece, Table
from palaestra.envs.arithmetic.dice_coins import environment as env
from palaestra.envs.kit.palette import PALETTE, colour, luminance
from palaestra.envs.kit.parts import Asked

TABLE = Table(
    2,
    (
        Piece("red", 5, 0, 0.5, 0.5),
        Piece("blue", 2, 1, 1.5, 0.5),
        Piece("coin", 20, 2, 0.5, 1.5),
        Piece("red", 1, 3, 1.5, 1.5),
    ),
    5,
)
ASKED = Asked(TABLE)


def test_all_totals_right_win() -> None:
    step = env.step(ASKED, (6, 20, 2, 2, 1))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("sum_ok", "sum_ok", "count_ok", "sum_ok", "count_ok", "parts_all_ok")


def test_wrong_totals_are_told_apart_and_right_ones_earn_less_than_half() -> None:
    step = env.step(ASKED, (8, 20, 3, 2, 4))
    assert step.events == (
        *("sum_off", "sum_ok", "count_over", "count_off_by_one", "sum_ok", "count_over"),
        "parts_some_ok",
    )
    assert (step.reward, step.success) == (pytest.approx(0.2), False)


def test_only_what_is_asked_for_counts() -> None:
    assert env.step(Asked(replace(TABLE, asked=2)), (6, 20)).success


def test_a_count_of_nothing_is_right_too() -> None:
    without = replace(TABLE, pieces=(Piece("red", 2, 0, 0.5, 0.5), Piece("coin", 5, 2, 0.5, 1.5)))
    assert env.step(Asked(without), (2, 5, 0, 0, 0)).events.count("count_zero_ok") == 2


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_no_piece_covers_the_pips_or_the_numeral_of_another(scale: int) -> None:
    overlaps = 0
    for seed in range(20):
        for a, b in combinations(env.reset(env.spec.instance(scale, seed)).question.pieces, 2):
            apart = max(abs(a.x - b.x), abs(a.y - b.y))
            marks, rims = zip(*map(_reach, (a, b)), strict=True)
            assert apart >= max(marks[0] + rims[1], marks[1] + rims[0])
            overlaps += apart < sum(rims)
    assert (overlaps > 0) == (scale > 0)


def _reach(piece: Piece) -> tuple[float, float]:
    """Return how far marks and rim of a piece reach from its middle."""
    if piece.colour != "coin":
        return DIE * (PIPS + PIP / 2), DIE * 0.44
    return SIZES[piece.value] * 0.3, SIZES[piece.value] / 2


def test_dice_that_are_summed_are_darker_than_all_others_so_that_no_hue_is_needed() -> None:
    light = {name: luminance(PALETTE[colour(name)]) for name in DICE}
    assert max(light["red"], light["blue"]) + 0.3 < min(light["yellow"], light["white"])


def test_every_piece_is_drawn_and_listed_where_it_lies() -> None:
    view = env.view(TABLE, 448)
    assert "red die 5 at 0,0; blue die 2 at 0,1; coin 20 at 1,0; red die 1 at 1,1" in view.caption
    assert [element.name for element in view.scene] == ["red die 5", "blue die 2", "coin 20", "red die 1"]


def test_turns_and_colours_that_no_total_asks_for_make_no_other_problem() -> None:
    few = replace(TABLE, asked=3)
    yellow = Piece("yellow", 2, 1, 1.5, 0.5)
    other = replace(few, pieces=(few.pieces[0], yellow, *few.pieces[2:]))
    assert env.problem(Asked(other)) == env.problem(Asked(few))
    assert env.problem(Asked(replace(other, asked=5))) != env.problem(ASKED)
    mirrored = replace(TABLE, pieces=tuple(piece._replace(cell=piece.cell ^ 1) for piece in TABLE.pieces))
    assert env.problem(Asked(mirrored)) == env.problem(ASKED)
