"""N-back: what repeats what, how a wrong reply is told apart, and that no constant reply wins."""

import pytest

from palaestra.envs.kit import captions
from palaestra.envs.memory.n_back import Stream
from palaestra.envs.memory.n_back import environment as env

SHAPE, COLOUR, PLACE = range(3)
CARDS = ((0, 0, 0), (1, 0, 4), (0, 1, 4), (2, 0, 4), (1, 1, 4))


def stream(back: int, *asked: int) -> Stream:
    return Stream(back, asked, 0.5, len(CARDS), CARDS)


def after(state: Stream, *replies: str) -> Stream:
    for reply in replies:
        state = env.step(state, reply).state
    return state


@pytest.mark.parametrize(
    ("state", "plan"),
    [
        (stream(1, SHAPE), ("next", "other", "other", "other", "other")),
        (stream(2, SHAPE), ("next", "next", "same", "other", "other")),
        (stream(2, SHAPE, COLOUR), ("next", "next", "shape", "colour", "colour")),
        (stream(1, COLOUR, PLACE), ("next", "colour", "place", "place", "place")),
        (stream(3, SHAPE, COLOUR), ("next", "next", "next", "colour", "shape")),
    ],
)
def test_a_card_is_held_against_the_one_so_many_frames_earlier(state: Stream, plan: tuple[str, ...]) -> None:
    assert env.solve(state) == plan
    last = env.step(after(state, *plan[:-1]), plan[-1])
    assert (last.success, last.events[-1]) == (True, "task_completed")


def test_the_first_wrong_reply_ends_it_and_what_was_right_keeps_less_than_half() -> None:
    state = after(stream(2, SHAPE), "next", "next")
    first = env.step(state, "same")
    assert (first.reward, first.done, first.events) == (pytest.approx(1 / 6), False, ("pair_matched",))
    second = env.step(first.state, "same")
    assert (second.reward, second.done, second.success) == (0.0, True, False)
    assert env.solve(second.state) is None


def test_a_missed_repeat_a_lure_and_a_false_alarm_are_told_apart() -> None:
    assert env.step(after(stream(2, SHAPE), "next", "next"), "other").events == ("memory_missed",)
    assert env.step(after(stream(2, SHAPE), "next", "next", "same"), "same").events == ("false_alarm",)
    lured = after(stream(2, SHAPE), "next", "next", "same", "other")  # the shape of the card three frames earlier
    assert env.step(lured, "same").events == ("lookalike_taken",)
    both = after(stream(2, SHAPE, COLOUR), "next", "next")
    assert env.step(both, "neither").events == ("memory_missed", "memory_used")


def test_a_frame_shows_its_own_card_and_the_state_the_ones_to_be_remembered() -> None:
    view = env.view(env.public(after(stream(2, SHAPE), "next", "next")), 0)
    assert captions.read(view.caption)["blue circle", (1, 1)] == 1
    assert "Card 3 of 5. Before it: red circle in row 0, column 0; red square in row 1, column 1." in view.state


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_asked_feature_repeats_in_a_third_of_the_cards_and_does_not_in_another(scale: int) -> None:
    for seed in range(40):
        state = env.reset(env.spec.instance(scale, seed))
        plan = env.solve(state)[state.back :]
        for number, feature in enumerate(state.asked):
            name = "same" if len(state.asked) == 1 else ("shape", "colour", "place")[feature]
            repeats = sum(reply in (name, "both") for reply in plan)
            assert len(plan) // 3 <= repeats <= len(plan) - len(plan) // 3, number


def test_other_looks_make_no_other_problem_but_other_repeats_do() -> None:
    renamed = tuple((4 - shape, 1 - colour, 8 - place) for shape, colour, place in CARDS)
    other = (*CARDS[:4], (1, 2, 4))
    assert env.problem(Stream(2, (0,), 0.5, 5, renamed)) == env.problem(stream(2, SHAPE))
    assert env.problem(Stream(2, (0,), 0.5, 5, other)) != env.problem(stream(2, SHAPE))
    assert env.problem(stream(1, SHAPE)) != env.problem(stream(2, SHAPE))


def test_whatever_comes_instead_is_no_less_fair() -> None:
    state = env.reset(env.spec.instance(2, 0))
    for seed in range(40):
        replies = (env.solve(env.reseal(state, seed)) or ())[state.back :]
        assert len(replies) // 3 <= replies.count("same") <= len(replies) - len(replies) // 3
