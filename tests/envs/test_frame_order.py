"""Frame order: which thing tells the order, what a wrong order is worth, and that frames show what they say."""

from dataclasses import replace

import pytest

from palaestra.envs.memory.frame_order import Film
from palaestra.envs.memory.frame_order import environment as env

FILM = Film(("tower", "jug"), 1, 10, 4, ((5, 1), (2, 4), (9, 2), (3, 3)), at=3)  # B D A C; the jug says A C D B
DAYS = Film(("candle", "sun"), 2, 10, 4, ((5, 3), (7, 8), (5, 1), (7, 2)), at=3)


def test_what_grows_and_what_burns_down_tell_the_order() -> None:
    assert env.solve(FILM) == ["B, D, A, C"]
    assert env.solve(replace(FILM, things=("candle", "jug"))) == ["C, A, D, B"]


def test_in_a_film_of_several_days_the_sun_orders_the_frames_of_each() -> None:
    assert env.solve(DAYS) == ["D, B, C, A"]
    task = env.view(DAYS, 0).task
    assert "In it the candle burns down from day to day, and every day the sun goes from left to right." in task


@pytest.mark.parametrize(
    ("said", "reward", "events"),
    [
        ("BDAC", 1.0, {"order_right", "parts_all_ok", "memory_used"}),
        ("DBAC", 0.25, {"order_right", "order_wrong", "order_adjacent_swapped", "parts_some_ok"}),
        ("ACDB", 0.0, {"order_wrong", "series_confused", "parts_none_ok"}),
    ],
)
def test_every_letter_must_stand_at_its_place(said: str, reward: float, events: set[str]) -> None:
    step = env.step(FILM, tuple(said))
    assert (step.reward, step.done, step.success) == (reward, True, reward == 1)
    assert {*step.events} == events


def test_a_letter_said_twice_is_illegal() -> None:
    step = env.step(FILM, tuple("BDAA"))
    assert (step.legal, step.state, step.events) == (False, FILM, ("action_illegal",))


def test_a_frame_shows_itself_only_and_the_state_what_counted_in_those_before() -> None:
    view = env.view(env.public(replace(FILM, at=1)), 0)
    assert view.caption.startswith("Frame B of 4: jug 4, tower 2.")
    assert view.state == "Frames before: A tower 5."
    assert view.answer.kind == "choice"
    assert env.view(FILM, 0).answer.kind == "sequence"


@pytest.mark.parametrize("thing", ["tower", "candle", "jug", "sun"])
@pytest.mark.parametrize("pixels", [96, 448])
def test_no_two_states_of_a_thing_look_alike(thing: str, pixels: int) -> None:
    films = [Film((thing, "jug"), 1, 12, 1, ((value, 1),)) for value in range(1, 13)]
    assert len({env.view(film, pixels).image for film in films}) == 12


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_no_two_frames_tie_and_no_other_thing_follows_the_order(scale: int) -> None:
    for seed in range(40):
        film = env.reset(env.spec.instance(scale, seed))
        assert len({values[: film.keys] for values in film.values}) == film.total
        true = film.order(0, film.keys)
        assert all(film.order(k, k + 1) not in (true, true[::-1]) for k in range(film.keys, len(film.things)))


def test_what_the_things_are_makes_no_other_problem_but_how_far_they_are_does() -> None:
    candle = replace(FILM, things=("candle", "sun"), values=tuple((11 - a, b) for a, b in FILM.values))
    assert env.problem(candle) == env.problem(FILM)
    assert env.problem(replace(FILM, values=FILM.values[::-1])) != env.problem(FILM)
    assert env.problem(replace(FILM, things=("jug", "tower"))) == env.problem(FILM)


def test_a_film_has_as_many_states_as_frames_at_least() -> None:
    film = env.reset(env.spec.instance(0, 0, knobs=(("frames", 10),)))
    assert (film.total, film.levels) == (10, 10)


@pytest.mark.parametrize("scale", [0, 3, 5])
def test_other_frames_to_come_make_a_film_of_the_same_days(scale: int) -> None:
    state = replace(env.reset(env.spec.instance(scale, 0)), at=2)
    for seed in range(20):
        film = env.reseal(state, seed)
        assert film.values[:3] == state.values[:3]
        columns = [set(column) for column in zip(*film.values, strict=True)]
        assert len(columns[0]) == (film.days if film.days > 1 else film.total)
        assert all(len(column) == film.total for column in columns[film.keys - 1 :])
