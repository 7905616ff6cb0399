"""Change spotting: what counts as a change, who is misled by scenes between, and what a place may turn into."""

from dataclasses import replace

import pytest

from palaestra.envs.kit import captions
from palaestra.envs.memory.change_spot import NAMES, Shelf
from palaestra.envs.memory.change_spot import environment as env

FIRST, BETWEEN, LAST = (1, 0, 2, 3), (1, 5, 2, 7), (0, 0, 2, 4)  # the last one differs at A1 and B2
SHELF = Shelf(2, 2, 2, 3, (FIRST, BETWEEN, LAST))


def at(frame: int, shelf: Shelf = SHELF) -> Shelf:
    return replace(shelf, at=frame)


@pytest.mark.parametrize(
    ("said", "reward", "events"),
    [
        (("B2", "A1"), 1.0, ("difference_found", "difference_found", "memory_used", "parts_all_ok")),
        (("A1", "B1"), 0.25, ("difference_found", "difference_missed", "false_alarm", "parts_some_ok")),
        (
            ("A2", "B1"),
            0.0,
            ("difference_missed", "difference_missed", "memory_missed", "false_alarm", "parts_none_ok"),
        ),
    ],
)
def test_all_changes_must_be_named_in_any_order(said, reward: float, events: tuple[str, ...]) -> None:
    step = env.step(at(2), said)
    assert (step.reward, step.done, step.success) == (reward, True, reward == 1)
    assert step.events == events


def test_a_place_named_twice_is_illegal() -> None:
    step = env.step(at(2), ("A1", "A1"))
    assert (step.legal, step.state, step.events) == (False, at(2), ("action_illegal",))


def test_one_scene_is_shown_at_a_time_and_the_question_comes_with_the_last() -> None:
    for frame, scene in enumerate((FIRST, BETWEEN, LAST)):
        view = env.view(env.public(at(frame)))
        seen = captions.read(view.caption)
        assert all(seen[NAMES[look], divmod(cell, 2)] == 1 for cell, look in enumerate(scene))
        assert view.answer.kind == ("sequence" if frame == 2 else "choice")
    assert "do not count" in view.rules
    assert "A1 red circle, B1 blue circle, B2 teal circle; all else was empty" in view.state


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_later_scene_differs_from_the_first_at_as_many_places_as_are_said(scale: int) -> None:
    for seed in range(30):
        shelf = env.reset(env.spec.instance(scale, seed))
        for scene in shelf.scenes[1:]:
            assert sum(a != b for a, b in zip(shelf.scenes[0], scene, strict=True)) == shelf.changes


def test_a_thing_keeps_its_colour_or_its_shape_if_it_stays() -> None:
    for seed in range(60):
        first, last = env.reset(env.spec.instance(2, seed)).scenes
        for a, b in zip(first, last, strict=True):
            if a and b:
                assert {*NAMES[a].split()} & {*NAMES[b].split()}


def test_looks_and_sides_make_no_other_problem_but_scenes_between_do() -> None:
    def swapped(scene: tuple[int, ...]) -> tuple[int, ...]:
        return tuple({0: 0}.get(look, 20 - look) for look in scene)

    def turned(scene: tuple[int, ...]) -> tuple[int, ...]:
        return scene[::-1]

    for change in (swapped, turned):
        other = replace(SHELF, scenes=tuple(map(change, SHELF.scenes)))
        assert env.problem(other) == env.problem(SHELF)
    assert env.problem(replace(SHELF, scenes=(FIRST, LAST, LAST))) != env.problem(SHELF)
