"""Rotate and match: turns are clockwise, mirror images and moved blocks are none."""

import itertools

import pytest

from palaestra.envs.geometry.rotate_match import Sheet
from palaestra.envs.geometry.rotate_match import environment as env
from palaestra.envs.kit.parts import Asked


def shape(rows: str):
    """The shape whose rows are written with # for a block."""
    return tuple((r, c) for r, row in enumerate(rows.split()) for c, sign in enumerate(row) if sign == "#")


SAMPLE = shape("#... ####")
QUARTER = shape("## #. #. #.")
HALF = shape("#### ...#")
THREE = shape(".# .# .# ##")
MIRROR = shape("...# ####")
MOVED = shape(".#.. ####")
ASKED = Asked(Sheet(SAMPLE, (HALF, MIRROR, QUARTER, MOVED, THREE)))


def test_turns_are_told_by_their_degrees_clockwise_and_everything_else_by_none() -> None:
    assert env.solve(ASKED) == ["180, none, 90, none, 270"]
    step = env.step(ASKED, ("180", "none", "90", "none", "270"))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events.count("value_ok") == 5
    assert step.events.count("rotation_seen") == 3


def test_a_mirror_image_taken_for_a_turn_is_named_so_and_a_moved_block_is_not() -> None:
    step = env.step(ASKED, ("180", "90", "90", "none", "270"))
    assert step.events[2:5] == ("value_off", "pair_mismatched", "mirror_mistaken")
    assert (step.reward, step.success) == (0.5 * 4 / 5, False)
    other = env.step(ASKED, ("180", "none", "90", "90", "270"))
    assert "pair_mismatched" in other.events
    assert "mirror_mistaken" not in other.events


def test_a_turn_found_with_a_wrong_angle_is_matched_and_its_value_is_off() -> None:
    assert env.step(ASKED, ("90", "none", "90", "none", "270")).events[:2] == ("value_off", "rotation_seen")


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_no_two_shapes_are_alike_and_all_have_as_many_blocks(scale: int) -> None:
    for seed in range(50):
        sheet = env.reset(env.spec.instance(scale, seed)).question
        shapes = (sheet.sample, *sheet.candidates)
        assert len(set(shapes)) == len(shapes) == env.spec.scales[scale]["candidates"] + 1
        assert {len(cells) for cells in shapes} == {env.spec.scales[scale]["blocks"]}


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_right_answer_is_that_of_turning_the_cells_one_by_one(scale: int) -> None:
    for seed in range(50):
        state = env.reset(env.spec.instance(scale, seed))
        said = env.solve(state)[0].split(", ")
        for cells, answer in zip(state.question.candidates, said, strict=True):
            complex_cells = [complex(c, -r) for r, c in state.question.sample]
            turns = {
                angle: [z * (-1j) ** k for z in complex_cells] for k, angle in enumerate(("0", "90", "180", "270"))
            }
            fits = [
                angle for angle, turned in turns.items() if moved(turned) == moved([complex(c, -r) for r, c in cells])
            ]
            assert fits == ([] if answer == "none" else [answer])


def moved(cells: list[complex]) -> set[tuple[int, int]]:
    """The cells pushed into the corner."""
    left, low = min(z.real for z in cells), min(z.imag for z in cells)
    return {(round(z.real - left), round(z.imag - low)) for z in cells}


def test_turning_or_mirroring_the_whole_sheet_and_another_order_make_the_same_problem() -> None:
    mirrored = Sheet(
        MIRROR, (shape("#### #..."), SAMPLE, shape("## .# .# .#"), shape("..#. ####"), shape("#. #. #. ##"))
    )
    assert env.problem(Asked(mirrored)) == env.problem(ASKED)
    for candidates in itertools.islice(itertools.permutations(ASKED.question.candidates), 10):
        assert env.problem(Asked(Sheet(SAMPLE, candidates))) == env.problem(ASKED)
    assert env.problem(Asked(Sheet(QUARTER, ASKED.question.candidates))) != env.problem(ASKED)


def test_the_caption_writes_every_shape_row_by_row() -> None:
    caption = env.view(ASKED.question, 0).caption
    assert "blue 1000 1111 at 0,0; A orange 1111 0001 at 0,1" in caption
