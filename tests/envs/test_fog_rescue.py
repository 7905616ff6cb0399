"""Fog rescue, searched by hand."""

from dataclasses import replace

import pytest

from palaestra.core.environment import Step
from palaestra.core.instance import knobs
from palaestra.envs.grid.fog_rescue import FOG, HIKER, ROCK, SIGNS, SNOW, Known, Search
from palaestra.envs.grid.fog_rescue import environment as env


def search(board: str, radius: int = 1) -> Search:
    """A search from the hut, written out in the signs of the caption; nothing was seen yet but the hut itself."""
    rows = board.split()
    terrain = bytes(SIGNS.index(sign) for sign in "".join(rows))
    start = "".join(rows).index("H")
    cells = bytes(kind if cell == start else FOG for cell, kind in enumerate(terrain))
    return Search(Known(len(rows), len(rows[0]), radius, cells, start), terrain)


def steps(state: Search, moves: str) -> list[Step[Search]]:
    """Every step of a search, its moves named by their first letters."""
    names = {"u": "up", "r": "right", "d": "down", "l": "left"}
    made = []
    for move in moves:
        made.append(env.step(state, names[move]))
        state = made[-1].state
    return made


def test_the_hiker_is_taken_home() -> None:
    made = steps(search("H..X"), "rrrlll")
    assert [step.events for step in made] == [
        ("unseen_explored",),
        ("unseen_explored",),
        ("cargo_taken",),
        ("moved_closer", "path_reversed"),
        ("moved_closer",),
        ("cargo_delivered", "task_completed"),
    ]
    assert [step.reward for step in made] == [0, 0, 0.5, 0, 0, 0.5]
    assert [step.done for step in made] == [step.success for step in made] == [False] * 5 + [True]
    assert env.solve(made[-1].state) == ()
    assert env.guide(made[-1].state.known) is None


def test_the_hut_alone_ends_nothing() -> None:
    made = steps(search("H...X"), "rl")
    assert made[-1].events == ("seen_revisited", "path_reversed")
    assert not made[-1].done


def test_what_was_seen_stays_known_and_what_was_not_is_fog() -> None:
    state = steps(search("H.... ..... ....^ ....X"), "rrrr")[-1].state
    assert "".join(SIGNS[kind] for kind in state.known.cells) == "H.........??????????"
    view = env.view(steps(search("H.... ..^.. ....X"), "r")[0].state.known, 200)
    assert view.caption == "Map (. snow, H hut, ^ rock, ? fog, @ you):\nH@.??\n..^??\n?????"
    assert [element.name for element in view.scene[2:5]] == ["snow", "fog", "fog"]


@pytest.mark.parametrize(("board", "event"), [("H^X", "obstacle"), ("H~X", "obstacle"), ("X.H", "edge")])
def test_rocks_crevasses_and_the_edge_stop_without_harm(board: str, event: str) -> None:
    state = search(board)
    step = env.step(state, "right")
    assert (step.state, step.events, step.legal) == (state, (f"{event}_bumped",), True)


def test_the_guide_turns_to_the_hiker_as_soon_as_they_are_seen() -> None:
    state = steps(search("H.... ...X. ....."), "r")[0].state
    assert HIKER not in state.known.cells
    state = steps(state, "r")[0].state
    assert HIKER in state.known.cells
    assert env.guide(state.known) in {"right", "down"}
    assert "The hiker is at row 1, column 3" in env.view(state.known, 0).state


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_guide_sees_no_hiker_at_first_and_always_comes_home_in_time(scale: int) -> None:
    for seed in range(60):
        state, won, turns = env.reset(env.spec.instance(scale, seed)), False, 0
        assert HIKER not in state.known.cells
        while not won:
            step = env.step(state, str(env.guide(state.known)))
            state, won, turns = step.state, step.success, turns + 1
            assert turns <= env.horizon(state)


def test_another_secret_has_the_same_terrain_in_another_order_and_a_way() -> None:
    state = env.reset(env.spec.instance(4, 1))
    others = {env.reseal(state, seed).terrain for seed in range(8)}
    assert len(others) > 4
    for terrain in others:
        assert sorted(terrain) == sorted(state.terrain)
        assert env.solve(replace(state, terrain=terrain))


def test_who_sees_far_has_less_fog_and_the_same_problem() -> None:
    near, far = (env.reset(env.spec.instance(3, 0, knobs=knobs({"rough": 0.0, "radius": r}))) for r in (1, 3))
    assert near.known.cells.count(FOG) > far.known.cells.count(FOG)
    assert set(near.terrain) & {ROCK, SNOW} == {SNOW}
    assert (
        env.problem(search("H..X ^..~", 1)) == env.problem(search("~..~ X..H", 3)) != env.problem(search("H..X .~.~"))
    )
