"""Patch home: what a hole held can be read off elsewhere, by the rule that the picture follows."""

from dataclasses import replace

import numpy as np
import pytest

from palaestra.envs.kit.parts import Asked
from palaestra.envs.perception.patch_home import GAP, LETTERS, Puzzle
from palaestra.envs.perception.patch_home import environment as env

# a block of 2 x 3 tiles, twice across: 0 1 2 above 3 4 5
PUZZLE = Puzzle(
    board=((0, 1, 2, GAP, 1, 2), (3, 4, 5, 3, 4, GAP), (0, 1, 2, 0, 1, 2)),
    holes=((0, 3), (1, 5)),
    patches=(((5,),), ((0,),), ((1,),)),
    block=(2, 3),
    mirrored=False,
)
ASKED = Asked(PUZZLE)


def test_each_patch_in_its_hole_wins() -> None:
    assert PUZZLE.home() == ("B", "A")
    assert env.step(ASKED, ("B", "A")).success


def test_a_mirrored_picture_is_read_the_other_way_round() -> None:
    mirrored = replace(PUZZLE, board=((0, 1, 2, 2, 1, GAP), (3, 4, 5, GAP, 4, 3), (3, 4, 5, 5, 4, 3)), mirrored=True)
    assert replace(mirrored, holes=((0, 5), (1, 3))).home() == ("B", "A")


def test_exchanged_patches_are_told_from_one_that_belongs_nowhere() -> None:
    step = env.step(ASKED, ("A", "B"))
    assert (step.reward, step.success) == (0.0, False)
    assert step.events == ("piece_misplaced", "piece_misplaced", "parts_none_ok")
    step = env.step(ASKED, ("C", "A"))
    assert (step.reward, step.success) == (0.25, False)
    assert step.events == ("piece_misplaced", "lookalike_taken", "piece_placed", "parts_some_ok")


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_filling_the_holes_with_their_patches_gives_a_picture_of_repeated_blocks(scale: int) -> None:
    for seed in range(20):
        puzzle = env.reset(env.spec.instance(scale, seed)).question
        board, size = np.array(puzzle.board), len(puzzle.patches[0])
        assert len(puzzle.holes) == env.spec.scales[scale]["holes"]
        for (r, c), letter in zip(puzzle.holes, puzzle.home(), strict=True):
            assert (board[r : r + size, c : c + size] == GAP).all()
            board[r : r + size, c : c + size] = puzzle.patches[LETTERS.index(letter)]
        assert (board != GAP).all()
        p, q = puzzle.block
        if puzzle.mirrored:
            assert (board[p : 2 * p] == board[p - 1 :: -1][: len(board) - p]).all()
            assert (board[:, q : 2 * q] == board[:, q - 1 :: -1][:, : board.shape[1] - q]).all()
        else:
            assert (board[p:] == board[:-p]).all()
            assert (board[:, q:] == board[:, :-q]).all()


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_patches_differ_and_decoys_are_one_tile_from_a_right_one(scale: int) -> None:
    for seed in range(20):
        puzzle = env.reset(env.spec.instance(scale, seed)).question
        home = [np.array(puzzle.patches[LETTERS.index(letter)]) for letter in puzzle.home()]
        assert len(set(puzzle.patches)) == len(puzzle.patches)
        assert len({*puzzle.home()}) == len(home)
        assert all(min((patch != right).sum() for right in home) <= 1 for patch in map(np.array, puzzle.patches))


def test_which_patch_has_most_lookalikes_tells_no_hole() -> None:
    places = set()
    for seed in range(40):
        puzzle = env.reset(env.spec.instance(3, seed)).question  # three holes, four decoys
        patches = [np.array(patch) for patch in puzzle.patches]
        alike = [sum((patch != other).sum() == 1 for other in patches) for patch in patches]
        places |= {k for k, letter in enumerate(puzzle.home()) if alike[LETTERS.index(letter)] == max(alike)}
        assert len(patches) - len(puzzle.holes) >= len(puzzle.holes)  # a decoy for each
    assert places == {0, 1, 2}


def test_a_patch_is_drawn_as_the_tiles_that_it_has_in_the_picture() -> None:
    puzzle = env.reset(env.spec.instance(0, 0)).question
    view = env.view(puzzle, 448)
    assert view.image is not None
    crops = [view.image.pixels[top:bottom, left:right] for _, _, (left, top, right, bottom), _ in view.scene]
    board, patches = crops[: 4 * 6], crops[4 * 6 :: 2]
    for letter in puzzle.home():
        assert any(np.array_equal(patches[LETTERS.index(letter)], tile) for tile in board)


def test_mirror_images_other_tiles_and_the_order_of_patches_make_no_other_problem() -> None:
    flipped = replace(PUZZLE, board=tuple(line[::-1] for line in PUZZLE.board), holes=((0, 2), (1, 0)))
    assert env.problem(Asked(flipped)) == env.problem(ASKED)
    assert env.problem(Asked(replace(PUZZLE, patches=PUZZLE.patches[::-1]))) == env.problem(ASKED)
    renamed = replace(
        PUZZLE,
        board=tuple(tuple(kind if kind == GAP else 5 - kind for kind in line) for line in PUZZLE.board),
        patches=tuple(((5 - patch[0][0],),) for patch in PUZZLE.patches),
    )
    assert env.problem(Asked(renamed)) == env.problem(ASKED)
    assert env.problem(Asked(replace(PUZZLE, patches=(((5,),), ((0,),), ((2,),))))) != env.problem(ASKED)
