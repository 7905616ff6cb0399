"""Connect four: discs fall, lines are seen in every direction, and the opponent keeps to its rule."""

from dataclasses import replace

import pytest

from palaestra.envs.board.connect_four import Game
from palaestra.envs.board.connect_four import environment as env


def game(board: str, line: int = 4, left: int = 3) -> Game:
    """A position that is written out in the signs of the caption."""
    rows = board.split()
    high = len(rows)
    mine, theirs = (
        sum(
            1 << column * (high + 1) + high - 1 - row
            for row, signs in enumerate(rows)
            for column, sign in enumerate(signs)
            if sign == colour
        )
        for colour in "ry"
    )
    return Game(high, len(rows[0]), line, mine, theirs, left)


def signs(state: Game) -> str:
    return " ".join(env.view(state, 0).caption.splitlines()[2:])


@pytest.mark.parametrize(
    ("board", "column"),
    [
        ("..... ..... ..... ..... rrr..", 4),
        ("..... ..... ..... ..... rr.r.", 3),
        ("..... ..... r.... r.... r....", 1),
        ("..... ..... ..ry. .ryy. ryyy.", 4),
        ("..... ..... .yr.. .yyr. .yyyr", 2),
    ],
)
def test_the_last_disc_of_a_line_wins_whatever_its_direction(board: str, column: int) -> None:
    step = env.step(game(board), column)
    assert (step.reward, step.done, step.success, step.events) == (1.0, True, True, ("task_completed",))
    assert env.solve(step.state) == ()


def test_lines_do_not_go_round_the_edge() -> None:
    step = env.step(game(".... .... r... r..."), 4)
    assert not step.success
    assert not env.step(game("r.. r.. y..", line=3), 2).success


def test_the_opponent_wins_before_it_blocks() -> None:
    step = env.step(game("..... ..... ..... y.... yr..r yrr.."), 4)
    assert step.done
    assert not step.success
    assert step.events[-1] == "opponent_won"
    assert env.solve(step.state) is None


def test_the_opponent_blocks_a_line_and_otherwise_plays_left_of_the_middle() -> None:
    blocked = env.step(game("..... ..... ..... rr..."), 3)
    assert signs(blocked.state) == "..... ..... ..... rrry."
    assert "threat_made" in blocked.events
    quiet = env.step(game(".... .... .... ...."), 4)
    assert signs(quiet.state) == ".... .... .... .y.r"


def test_blocking_a_threat_is_said() -> None:
    assert "attack_seen" in env.step(game("..... y.... y...r y..rr"), 1).events


def test_two_threats_at_once_win_and_the_search_finds_them() -> None:
    state = game("...... ...... ...... ..rr..", left=2)
    assert env.solve(state) == ("2", "1")
    step = env.step(state, 2)
    assert step.events == ("threat_made", "moved_closer")
    assert signs(step.state) == "...... ...... ...... .rrry."
    assert env.step(step.state, 1).success


def test_a_move_that_gives_the_win_away_is_a_dead_end() -> None:
    step = env.step(game("...... ...... ...... ..rr..", left=2), 6)
    assert step.events == ("threat_made", "dead_end_entered")
    assert env.solve(step.state) is None


def test_a_full_column_cannot_be_named() -> None:
    state = game("y.... r.... y.... r....")
    step = env.step(state, 1)
    assert not step.legal
    assert step.state is state


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_no_position_is_won_in_fewer_moves_than_its_scale_says(scale: int) -> None:
    wanted = env.spec.scales[scale]["moves"]
    for seed in range(20):
        state = env.reset(env.spec.instance(scale, seed))
        assert len(env.solve(state)) == wanted
        for left in range(int(wanted)):
            assert env.solve(replace(state, left=left)) is None


def test_mirrored_positions_are_one_problem() -> None:
    assert env.problem(game(".... .... y... rr.y")) == env.problem(game(".... .... ...y y.rr"))
    assert env.problem(game(".... .... y... rr.y")) != env.problem(game(".... .... y... rr.y", left=4))
