"""Rotate pipes: how tiles turn, where water flows, and that any sound network wins."""

import pytest

from palaestra.envs.kit import headings
from palaestra.envs.puzzle.rotate_pipes import ENDS, Board, Plumbing
from palaestra.envs.puzzle.rotate_pipes import environment as env


def board(text: str) -> Board:
    """A board that is written out as the caption does, rows apart by a slash."""
    rows = [row.split() for row in text.lower().split("/")]
    words = [word for row in rows for word in row]
    pipes = bytes(sum(1 << ENDS.index(end) for end in word.strip("*")) for word in words)
    return Board(len(rows), len(rows[0]), pipes, next(k for k, word in enumerate(words) if word[0] == "*"))


def plumbing(text: str, grown: str) -> Plumbing:
    return Plumbing(board(text), board(grown).pipes)


def told(state: Plumbing) -> str:
    return env.view(state.board, 0).caption.rpartition("Rows: ")[2].rstrip(".").replace(";", " /")


def test_a_tile_turns_a_quarter_clockwise_and_water_follows() -> None:
    state = plumbing("*rd l / d l", "*rd l / ur l")
    assert told(state) == "*RD L / d l"
    step = env.step(env.step(state, "A1").state, "A1")
    assert told(step.state) == "*UL l / d l"


def test_water_needs_both_ends_to_meet() -> None:
    assert told(plumbing("*rd d / ur l", "*rd d / ur l")) == "*RD d / UR L"


def test_turning_a_fitting_tile_is_wrong_and_making_it_fit_is_right() -> None:
    state = plumbing("*rd d / ur l", "*rd l / ur l")
    assert env.step(state, "B1").events == ("moved_away", "turn_wrong")
    assert env.step(state, "A2").events == ("moved_closer", "turn_right", "task_completed")
    assert env.step(plumbing("*r u / u u", "*r l / r l"), "A2").events == ("moved_closer",)


def test_any_sound_network_wins_not_only_the_one_that_was_grown() -> None:
    state = plumbing("*rd d / ur l", grown="*rd u / ur u")
    step = env.step(state, "A2")
    assert (step.reward, step.success) == (1.0, True)
    assert env.solve(step.state) == ()


def test_two_closed_networks_do_not_win() -> None:
    step = env.step(plumbing("*r l / u l", "*r l / r l"), "B1")
    assert step.events == ("moved_closer", "turn_right")
    assert not step.done


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_what_is_grown_is_a_tree_over_all_tiles_and_the_asked_number_of_tiles_is_turned(scale: int) -> None:
    for seed in range(10):
        state = env.reset(env.spec.instance(scale, seed))
        assert sum(ends.bit_count() for ends in state.grown) == 2 * (len(state.grown) - 1)
        wrong = [now != then for now, then in zip(state.board.pipes, state.grown, strict=True)]
        assert sum(wrong) == env.spec.scales[scale]["turned"]
        assert len(set(env.solve(state))) == sum(wrong)


def test_a_board_turned_or_mirrored_with_its_pipes_is_the_same_problem() -> None:
    one, mirrored, crossed = (plumbing(text, "*rd l / ur l") for text in ("*rd l / d l", "r *ld / r d", "*rd r / u u"))
    assert env.problem(one) == env.problem(mirrored) == env.problem(crossed)
    assert env.problem(one) != env.problem(plumbing("rd *l / d l", "*rd l / ur l"))
    assert env.problem(one) != env.problem(plumbing("l *rd / l d", "*rd l / ur l"))


def test_wet_and_dry_pipes_are_drawn_in_their_colours_at_their_cells() -> None:
    view = env.view(board("*rd d / ur l"), 448)
    colours = {}
    for element in view.scene[4:]:
        left, top, right, bottom = element.box
        crop = view.image.rgb()[top:bottom, left:right].reshape(-1, 3)
        colours[headings.label(2 * element.cell[0] + element.cell[1], 2)] = (crop == (42, 100, 214)).all(axis=1).any()
    assert colours == {"A1": True, "A2": False, "B1": True, "B2": True}
