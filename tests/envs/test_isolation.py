"""Isolation: where one may step, who has lost, and that a game is won by exactly the moves that keep it won."""

import pytest

from palaestra.envs.board.isolation import STEPS, Game
from palaestra.envs.board.isolation import environment as env


def game(board: str) -> Game:
    """A game that is written out in the signs of the caption."""
    rows = board.split()
    signs = "".join(rows)
    stones = sum(1 << cell for cell, sign in enumerate(signs) if sign == ".")
    return Game(len(rows), len(rows[0]), stones, signs.index("@"), signs.index("X"))


def signs(state: Game) -> str:
    return " ".join(env.view(state, 0).caption.splitlines()[1:])


@pytest.mark.parametrize("step", ["up", "left", "right", "down"])
def test_one_steps_neither_off_the_board_nor_into_water_nor_onto_the_opponent(step: str) -> None:
    state = game("@X.. ~..~")
    result = env.step(state, step)
    assert not result.legal
    assert result.state is state


def test_the_stone_that_was_left_sinks_for_both() -> None:
    state = env.step(game("@... ~... .X.."), "right").state
    assert signs(state).count("~") == 3
    assert not env.step(state, "left").legal


def test_who_cannot_move_has_lost() -> None:
    lost = env.step(game("@.~. ~~~X"), "right")
    assert (lost.reward, lost.done, lost.success, lost.events) == (0, True, False, ("moved_level", "opponent_won"))
    assert env.solve(lost.state) is None


def test_taking_the_last_stone_beside_the_opponent_wins() -> None:
    step = env.step(game("@~~ ~.X .~~"), "down-right")
    assert (step.reward, step.done, step.success, step.events) == (1.0, True, True, ("win_kept", "task_completed"))
    assert env.solve(step.state) == ()


def test_an_opponent_without_a_win_goes_where_most_stones_are() -> None:
    state = game("@.... ~~~~~ .X..~ ~~~..")
    assert signs(env.step(state, "right").state) == "~@... ~~~~~ .~X.~ ~~~.."


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_game_can_be_won_and_be_slipped(scale: int) -> None:
    for seed in range(10):
        state = env.reset(env.spec.instance(scale, seed))
        steps = [step for name in STEPS if (step := env.step(state, name)).legal]
        kept = [step for step in steps if step.events[0] == "win_kept"]
        assert 0 < len(kept) <= len(steps) / 2
        for step in steps:
            assert (env.solve(step.state) is not None) == (step.events[0] == "win_kept")


def _wins(state: Game) -> bool:
    """Whether who is to move wins, by trying every move."""
    after = []
    for down, across in STEPS.values():
        row, column = state.you // state.columns + down, state.you % state.columns + across
        cell = row * state.columns + column
        if 0 <= row < state.rows and 0 <= column < state.columns and state.stones >> cell & 1:
            after.append(Game(state.rows, state.columns, state.stones ^ 1 << cell, state.opponent, cell))
    return not all(_wins(other) for other in after)


@pytest.mark.parametrize("board", ["@... .... ...X", "@.. ... ..X", ".@. .~. .X.", "@.~ .X. ...", "X@.. .~.. ...."])
def test_the_search_agrees_with_trying_every_move(board: str) -> None:
    assert (env.solve(game(board)) is not None) == _wins(game(board))


def test_turns_and_mirrors_make_no_other_problem() -> None:
    assert env.problem(game("@.. ~.X")) == env.problem(game("..@ X.~"))
    assert env.problem(game("@.. ~.X")) == env.problem(game("~@ .. X."))
    assert env.problem(game("@.. ~.X")) != env.problem(game("X.. ~.@"))


@pytest.mark.parametrize("scale", [3, 4, 5])
def test_from_the_middle_scales_on_the_step_to_where_most_stones_are_beside_loses(scale: int) -> None:
    for seed in range(10):
        state = env.reset(env.spec.instance(scale, seed))
        after: dict[int, set[str]] = {}
        for step in STEPS:
            taken = env.step(state, step)
            if taken.legal:
                row, column = (at + by for at, by in zip(divmod(state.you, state.columns), STEPS[step], strict=True))
                cells = (divmod(k, state.columns) for k in range(state.rows * state.columns) if state.stones >> k & 1)
                beside = sum(max(abs(r - row), abs(c - column)) == 1 for r, c in cells)
                after.setdefault(beside, set()).add(taken.events[0])
        assert after[max(after)] == {"win_given_away"}
