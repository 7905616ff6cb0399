"""Queens in regions: that one placement fits, what each fault is called, and that regions hold together."""

import numpy as np
import pytest

from palaestra.envs.kit import bits
from palaestra.envs.kit.parts import Asked
from palaestra.envs.logic.queens_regions import LONE, Board, Placing, _fits, _grown, _lone, _only, _ways
from palaestra.envs.logic.queens_regions import environment as env

# aabbb
# aabbc
# aacbc
# adccc
# eeeec
REGIONS = bytes([0, 0, 1, 1, 1, 0, 0, 1, 1, 2, 0, 0, 2, 1, 2, 0, 3, 2, 2, 2, 4, 4, 4, 4, 2])
ASKED = Asked(Placing(Board(REGIONS, (0, 1, 2, 3, 4)), (3, 0, 2, 1, 4)))  # its queens do not matter: the rules judge


def test_a_queen_keeps_its_constraints_or_says_which_it_breaks() -> None:
    touching = env.step(ASKED, ("1", "2", "4", "3", "5"))
    assert touching.events.count("attack_overlooked") == 4
    assert touching.events.count("constraint_broken") == 4  # two of "a", two of "c", and no column twice
    same = env.step(ASKED, ("3", "1", "3", "1", "5"))
    assert same.events.count("constraint_broken") == 5


def test_queens_without_a_fault_earn_parts_and_all_of_them_win() -> None:
    asked = env.reset(env.spec.instance(0, 0))
    right = tuple(str(column + 1) for column in asked.question.queens)
    won = env.step(asked, right)
    assert (won.reward, won.success) == (1.0, True)
    assert won.events == ("constraint_kept",) * 5 + ("parts_all_ok",)
    wrong = env.step(asked, (right[0], *right[2:], right[0]))
    assert wrong.reward < 0.5
    assert not wrong.success


@pytest.mark.parametrize(("side", "count"), [(4, 2), (5, 14), (6, 90), (7, 646), (8, 5242)])
def test_there_are_as_many_placements_without_touching_as_is_known(side: int, count: int) -> None:
    assert _ways(side).shape == (side, count)  # OEIS A002464


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_board_has_one_solution_and_regions_in_one_piece(scale: int) -> None:
    for seed in range(5):
        asked = env.reset(env.spec.instance(scale, seed))
        side, ways = len(asked.question.queens), _ways(len(asked.question.queens))
        (only,) = np.flatnonzero(_fits(list(asked.question.board.regions), ways)).tolist()
        assert tuple((ways[:, only] % side).tolist()) == asked.question.queens
        for region in range(side):
            cells = bits.where(asked.question.board.regions, bytes([region]))
            assert cells == bits.flood(side, side, cells, cells & -cells)
        assert _lone(asked.question.board.regions) <= LONE


def test_other_solutions_are_ruled_out_one_by_one() -> None:
    rng, ways, planted = np.random.default_rng(0), _ways(7), 40
    grown = [_grown(ways[:, planted].tolist(), 1.0, rng) for _ in range(20)]
    assert max(int(_fits(regions, ways).sum()) for regions in grown) > 5
    mended = [regions for regions in (_only(regions, planted, rng) for regions in grown) if regions]
    assert len(mended) > 3
    assert all(np.flatnonzero(_fits(list(regions), ways)).tolist() == [planted] for regions in mended)


def test_colours_and_mirrors_make_no_other_problem() -> None:
    mirrored = bytes(REGIONS[row * 5 + 4 - column] for row in range(5) for column in range(5))
    other = Asked(Placing(Board(mirrored, (4, 2, 0, 1, 3)), (1, 4, 2, 3, 0)))
    assert env.problem(other) == env.problem(ASKED)
    changed = Placing(Board(REGIONS[::-1][:24] + b"\1", (0, 1, 2, 3, 4)), ASKED.question.queens)
    assert env.problem(Asked(changed)) != env.problem(ASKED)


def test_cells_are_painted_in_the_colour_that_the_caption_names() -> None:
    view = env.view(ASKED.question.board, 448)
    assert view.image is not None
    rgb = view.image.rgb()
    centres = {e.name: rgb[(e.box[1] + e.box[3]) // 2, (e.box[0] + e.box[2]) // 2].tolist() for e in view.scene[5:]}
    assert centres["red"] == [255, 153, 153]
    assert view.caption.endswith("rrooo\nrrooy\nrryoy\nrgyyy\nttttY".lower())
