"""Shell game: what swaps do to balls, what is shown when, and which shows are one problem."""

from dataclasses import replace
from itertools import pairwise

import pytest

from palaestra.envs.memory.shell_game import Show, Shuffle, _ends
from palaestra.envs.memory.shell_game import environment as env

SHOW = Show(4, 1, ("red", "blue"), (0, 2), (((0, 3),), ((2, 3),), ((1, 2),)), 3)  # red ends under 2, blue under 4


def played(state: Shuffle, frames: int) -> Shuffle:
    for _ in range(frames):
        state = env.step(state, "next").state
    return state


def test_a_swap_moves_what_lies_at_both_places_and_nothing_else() -> None:
    assert _ends((0, 2), SHOW.frames) == (1, 3)
    assert _ends((0, 1, 2, 3), (((0, 1), (2, 3)),)) == (1, 0, 3, 2)


@pytest.mark.parametrize(
    ("said", "reward", "events"),
    [
        ((2, 4), 1.0, ("object_tracked", "object_tracked", "memory_used", "parts_all_ok")),
        ((2, 3), 0.25, ("object_tracked", "object_lost", "memory_missed", "parts_some_ok")),
        ((4, 2), 0.0, ("object_lost", "object_lost", "parts_none_ok")),
    ],
)
def test_all_balls_must_be_found_and_some_earn_less_than_half(said, reward: float, events: tuple[str, ...]) -> None:
    step = env.step(played(Shuffle(SHOW), 3), said)
    assert (step.reward, step.done, step.success) == (reward, True, reward == 1)
    assert step.events == events


def test_the_balls_are_shown_at_first_only_and_each_swap_in_its_own_frame_only() -> None:
    captions = [env.view(env.public(played(Shuffle(SHOW), k)), 0).caption for k in range(4)]
    assert ["ball" in caption for caption in captions] == [True, False, False, False]
    assert ["swap of 3 and 4." in caption for caption in captions] == [False, False, True, False]


def test_the_question_is_asked_when_the_last_swap_is_shown() -> None:
    kinds = [env.view(env.public(played(Shuffle(SHOW), k)), 0).answer.kind for k in range(4)]
    assert kinds == ["choice", "choice", "choice", "record"]


def test_an_arc_stands_over_the_two_cups_that_it_joins() -> None:
    state = env.reset(env.spec.instance(5, 0))
    for shown in range(1, state.show.total + 1):
        view = env.view(env.public(played(state, shown)))
        boxes = {element.name: element.box for element in view.scene if element.cell is None}
        for a, b in state.show.frames[shown - 1]:
            left, _, right, _ = boxes[f"swap of {a + 1} and {b + 1}"]
            for end, cup in ((left, a + 1), (right, b + 1)):
                assert abs((boxes[str(cup)][0] + boxes[str(cup)][2]) / 2 - end) < view.image.width / 30


def test_every_ball_is_moved_and_no_pair_is_swapped_twice_in_a_row() -> None:
    for scale in range(len(env.spec.scales)):
        for seed in range(30):
            show = env.reset(env.spec.instance(scale, seed)).show
            assert set(show.starts) <= {place for swaps in show.frames for pair in swaps for place in pair}
            for before, after in pairwise(show.frames):
                assert not {*before} & {*after}


def test_colours_and_the_side_of_the_table_make_no_other_problem() -> None:
    turned = replace(SHOW, balls=("white", "red"), starts=(1, 3), frames=(((0, 3),), ((0, 1),), ((1, 2),)))
    assert env.problem(Shuffle(turned)) == env.problem(Shuffle(SHOW))
    assert env.problem(Shuffle(replace(SHOW, starts=(0, 1)))) != env.problem(Shuffle(SHOW))
    assert env.problem(Shuffle(replace(SHOW, frames=SHOW.frames[::-1]))) != env.problem(Shuffle(SHOW))


def test_whatever_comes_instead_still_moves_every_ball() -> None:
    state = env.reset(env.spec.instance(0, 0))
    for seed in range(60):
        show = env.reseal(state, seed).show
        assert set(show.starts) <= {place for swaps in show.frames for pair in swaps for place in pair}
