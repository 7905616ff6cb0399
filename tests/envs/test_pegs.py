"""Pegs: what a jump does, when a game is lost, and that the search and the witness agree."""

import pytest

from palaestra.envs.kit import headings
from palaestra.envs.puzzle.pegs import Board, Game, Position
from palaestra.envs.puzzle.pegs import environment as env


def game(text: str) -> Game:
    """A game that is written out in the signs of the caption, without a witness."""
    rows = text.split()
    signs = "".join(rows)
    holes, pegs = (sum(1 << cell for cell, sign in enumerate(signs) if sign in some) for some in ("o*", "*"))
    return Game(Position(Board(len(rows), len(rows[0]), holes), pegs), ())


def signs(state: Game) -> str:
    return " ".join(env.view(state.position, 0).caption.splitlines()[2:])


def test_a_jump_empties_two_holes_and_fills_a_third() -> None:
    step = env.step(game("**oo* ooooo"), ("A1", "right"))
    assert signs(step.state) == "oo*o* ooooo"
    assert step.events[0] == "capture_made"


@pytest.mark.parametrize("text", ["oooo* ***oo", "***oo oooo*", "**-oo oooo*", "*o*oo oooo*", "-*ooo oooo*"])
def test_a_jump_needs_a_peg_a_neighbour_and_an_empty_hole_behind(text: str) -> None:
    state = game(text)
    step = env.step(state, ("A1", "right"))
    assert not step.legal
    assert step.state is state


def test_no_peg_jumps_round_the_edge() -> None:
    assert not env.step(game("ooo** oo*oo"), ("A4", "right")).legal
    assert not env.step(game("ooo oo* oo*"), ("B3", "down")).legal


def test_the_last_peg_wins_wherever_it_stands() -> None:
    step = env.step(game("o**o oooo"), ("A2", "right"))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("capture_made", "task_completed")
    assert env.solve(step.state) == ()


def test_a_game_without_a_jump_is_over_and_a_lost_one_goes_on() -> None:
    stuck = env.step(game("**oo* ooooo"), ("A1", "right"))
    assert (stuck.done, stuck.success, stuck.reward) == (True, False, 0)
    state = game("**o** ooooo ooooo *oooo")
    assert env.solve(state) is None
    assert env.step(state, ("A1", "right")).events == ("capture_made", "moved_level")


def test_the_jump_that_loses_is_told_from_the_one_that_wins() -> None:
    state = game("o**o ooo* oooo")
    assert env.solve(state) == ("peg: A2\ndirection: right", "peg: A4\ndirection: down")
    assert env.step(state, ("A3", "left")).events == ("capture_made", "dead_end_entered")
    assert env.step(state, ("A2", "right")).events == ("capture_made", "moved_closer")


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_a_search_without_the_witness_finds_a_way_too(scale: int) -> None:
    for seed in range(6):
        state = env.reset(env.spec.instance(scale, seed))
        while state.position.pegs.bit_count() > 12:
            cell, way = state.witness[0]
            state = env.step(state, (headings.label(cell, state.position.board.columns), way)).state
        state = Game(state.position, ())
        plan = env.solve(state)
        assert len(plan) == state.position.pegs.bit_count() - 1
        for reply in plan:
            step = env.step(state, env.view(state.position, 0).answer.parse(reply).value)
            state = step.state
        assert step.success


def test_a_search_that_is_too_much_gives_up() -> None:
    state = env.reset(env.spec.instance(5, 0))
    assert env.solve(Game(state.position, ())) is None
    assert len(env.solve(state)) == 25


def test_turned_games_are_one_problem_and_another_outline_is_another() -> None:
    assert env.problem(game("**o ooo")) == env.problem(game("ooo o**")) == env.problem(game("oo *o *o"))
    assert env.problem(game("**o ooo")) != env.problem(game("**o oo-"))
