"""Patrol dodge, walked by hand."""

from dataclasses import replace

import pytest

from palaestra.core.environment import Step
from palaestra.core.instance import knobs
from palaestra.envs.grid.patrol_dodge import EXIT, FLOOR, GUARD, PATH, SIGNS, YOU, Walk, Yard
from palaestra.envs.grid.patrol_dodge import environment as env
from palaestra.envs.kit import bits, grid


def yard(board: str) -> Walk:
    """A yard that is written out in the signs of the caption, you being @ on the floor."""
    rows = board.split()
    kinds = [SIGNS.index(sign) for sign in "".join(rows)]
    guards = tuple(cell for cell, kind in enumerate(kinds) if GUARD <= kind < YOU)
    cells = bytes(FLOOR if kind == YOU else kind - GUARD + PATH if kind >= GUARD else kind for kind in kinds)
    return Walk(Yard(len(rows), len(rows[0]), cells), kinds.index(YOU), guards)


def steps(state: Walk, moves: str) -> list[Step[Walk]]:
    """Every step of a walk, its moves named by their first letters."""
    names = {"u": "up", "r": "right", "d": "down", "l": "left", "w": "wait"}
    made = []
    for move in moves:
        made.append(env.step(state, names[move]))
        state = made[-1].state
    return made


ROUND = "@>vE .^L."
"""A round of four cells between start and exit, its guard at the lower right, heading left."""


def test_one_waits_until_the_guard_has_passed_and_goes_behind_it() -> None:
    made = steps(yard(ROUND), "wwwrrr")
    assert [step.events for step in made] == [
        ("turn_waited",),
        ("turn_waited", "hazard_skirted"),
        ("turn_waited",),
        ("moved_closer",),
        ("moved_closer",),
        ("goal_reached",),
    ]
    assert (made[-1].reward, made[-1].done, made[-1].success) == (1, True, True)
    assert env.solve(made[-1].state) == ()


@pytest.mark.parametrize(("cell", "guard", "move"), [(0, 1, "r"), (0, 5, "r"), (2, 1, "l"), (1, 5, "w"), (1, 5, "u")])
def test_a_guard_is_met_where_it_stands_and_where_it_goes_next(cell: int, guard: int, move: str) -> None:
    (step,) = steps(Walk(yard(ROUND).yard, cell, (guard,)), move)
    assert step.events[-1] == ("agents_swapped" if (cell, guard) == (2, 1) else "agents_collided")
    assert (step.reward, step.done, step.success) == (0, True, False)
    assert env.solve(step.state) is None
    assert "X you caught" in env.view(step.state, 0).caption


def test_guards_walk_on_when_you_bump() -> None:
    (step,) = steps(yard(ROUND), "l")
    assert step.events == ("edge_bumped",)
    assert (step.state.cell, step.state.guards) == (0, (5,))
    assert steps(yard("@#>v E.^L"), "r")[0].events == ("obstacle_bumped",)


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_exit_is_reached_only_along_the_rounds(scale: int) -> None:
    for seed in range(30):
        state = env.reset(env.spec.instance(scale, seed))
        rows, columns, cells = state.yard.rows, state.yard.columns, state.yard.cells
        inside = bits.flood(rows, columns, bits.where(cells, bytes([FLOOR, EXIT])), 1 << state.cell)
        assert not inside >> cells.index(EXIT) & 1
        rounds = {cell for cell, kind in enumerate(cells) if kind >= PATH}
        assert {grid.neighbours(rows, columns)[cell][cells[cell] - PATH] for cell in rounds} == rounds


@pytest.mark.parametrize("scale", range(1, len(env.spec.scales)))
def test_who_does_not_look_at_the_guards_is_caught_on_every_shortest_way(scale: int) -> None:
    for seed in range(20):
        state = env.reset(env.spec.instance(scale, seed))
        way = len(env.solve(replace(state, guards=())) or ())
        assert len(env.solve(state) or ()) >= way + int(env.spec.scales[scale]["delay"]) > way


def test_two_guards_are_twice_as_many() -> None:
    one, two = (env.reset(env.spec.instance(3, 0, knobs=knobs({"guards": n}))) for n in (1, 2))
    assert 2 * len(one.guards) == len(two.guards) == len(set(two.guards))


def test_a_mirrored_yard_is_the_same_problem_and_guards_that_turn_round_make_another() -> None:
    assert env.problem(yard(ROUND)) == env.problem(yard("Ev<@ .R^."))
    assert env.problem(yard(ROUND)) != env.problem(yard("@v<E .>U."))


def test_who_stands_on_a_round_is_seen_with_its_arrow() -> None:
    view = env.view(steps(yard("@>vE .UL."), "w")[0].state, 200)
    assert view.caption.splitlines()[1:] == ["@RvE", ".U<."]
    assert view.scene[1].name == "guard right"
    seen = env.view(Walk(yard(ROUND).yard, 1, (6,)), 200)
    assert seen.scene[1].name == "you on path right"
