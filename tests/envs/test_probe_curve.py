"""Probe curve: what a probe tells, when a claim is right, and that the curve keeps what it has shown."""

from dataclasses import replace

import numpy as np
import pytest

from palaestra.core.environment import turn
from palaestra.core.instance import knobs
from palaestra.envs.charts.probe_curve import Plot, Search
from palaestra.envs.charts.probe_curve import environment as env
from palaestra.envs.kit.palette import PALETTE, colour

TENT = tuple(900 - 20 * abs(x - 30) for x in range(61))
START = Search(Plot(60, 3), TENT, 30, 9)


def probed(*places: int) -> Search:
    state = START
    for x in places:
        state = env.step(state, (x, "no")).state
    return state


def test_a_probe_shows_the_height_there_and_nothing_else() -> None:
    assert probed(20, 45).plot.points == ((20, 700), (45, 600))
    assert not env.step(START, (30, "no")).done


@pytest.mark.parametrize(
    ("places", "bracket"),
    [((), (0, 60)), ((20,), (0, 60)), ((20, 45), (0, 44)), ((20, 45, 10), (11, 44)), ((20, 40), (20, 40))],
)
def test_the_peak_lies_between_the_neighbours_of_the_highest_point(
    places: tuple[int, ...], bracket: tuple[int, int]
) -> None:
    assert probed(*places).plot.bracket() == bracket


def test_a_probe_outside_of_what_is_left_or_for_the_second_time_is_redundant() -> None:
    state = probed(20, 45, 10)
    for x, event in ((50, "trial_redundant"), (20, "trial_redundant"), (30, "trial_informative")):
        assert env.step(state, (x, "no")).events == (event,)


@pytest.mark.parametrize(
    ("places", "x", "events"),
    [
        ((27, 34), 33, ("committed_early", "guess_consistent", "target_located")),
        ((27, 29, 32), 30, ("committed_ready", "guess_consistent", "target_located")),
        ((), 36, ("committed_early", "guess_consistent", "target_near")),
        ((20, 45), 50, ("committed_early", "guess_contradicted", "target_missed")),
    ],
)
def test_a_claim_ends_the_search_and_is_right_within_the_tolerance(
    places: tuple[int, ...], x: int, events: tuple[str, ...]
) -> None:
    step = env.step(probed(*places), (x, "yes"))
    assert step.done
    assert step.events == events
    assert (step.success, step.reward) == ((True, 1.0) if abs(x - 30) <= 3 else (False, 0.0))


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_a_curve_has_one_peak_and_other_secrets_agree_with_all_that_was_shown(scale: int) -> None:
    rng = np.random.default_rng(scale)
    for seed in range(10):
        state = env.reset(env.spec.instance(scale, seed))
        for k in range(6):
            for other in (state, env.reseal(state, k)):
                heights = np.array(other.curve)
                assert (np.diff(heights[: other.peak + 1]) > 0).all()
                assert (np.diff(heights[other.peak :]) < 0).all()
                assert all(other.curve[x] == y for x, y in state.plot.points)
            state = env.step(state, (int(rng.integers(state.plot.length + 1)), "no")).state


@pytest.mark.parametrize(("length", "tolerance"), [(60, 8), (100, 4), (237, 2), (400, 2), (400, 8)])
def test_golden_section_search_never_needs_slack(length: int, tolerance: int) -> None:
    settings = knobs({"length": length, "tolerance": tolerance, "slack": 0})
    for seed in range(40):
        state = env.reset(env.spec.instance(0, seed, knobs=settings))
        for _ in range(env.horizon(state)):
            if state.claimed is None:
                reply = env.guide(env.public(state))
                assert reply is not None
                state = turn(env, state, env.view(env.public(state), 0), reply)[1].state
        assert env.solve(state) == ()


@pytest.mark.parametrize("pixels", [448, 700])
def test_points_are_drawn_where_the_caption_says_and_the_last_is_orange(pixels: int) -> None:
    view = env.view(probed(15, 45, 30).plot, pixels)
    assert "Points by x, y: 15 600; 45 600; 30 900. The last one is orange, others are blue." in view.caption
    assert view.caption.endswith("Above the plot: last 30 900, top 30 900.")
    assert view.image is not None
    (plot,) = [element.box for element in view.scene if element.name.startswith("Points")]
    ticks = {element.name: (element.box[1] + element.box[3]) / 2 for element in view.scene if element.glyph}
    for x, y, shade in ((15, 600, "blue"), (45, 600, "blue"), (30, 900, "orange")):
        row = round(ticks["500"] - (ticks["500"] - ticks["1000"]) * (y - 500) / 500)
        column = round(plot[0] + (plot[2] - plot[0]) * x / 60)
        assert (view.image.rgb()[row, column] == PALETTE[colour(shade)]).all()


def test_the_side_it_is_seen_from_makes_no_other_problem() -> None:
    lopsided = replace(START, curve=(*TENT[3:], 300, 290, 280))
    assert env.problem(replace(lopsided, curve=lopsided.curve[::-1])) == env.problem(lopsided)
    assert env.problem(lopsided) != env.problem(START)


@pytest.mark.parametrize(("pixels", "heads"), [(448, {"last 45 600", "top 20 700"}), (96, {"600", "700"})])
def test_the_heights_to_decide_between_are_written_out_and_before_the_first_probe_the_want_of_them(
    pixels: int, heads: set[str]
) -> None:
    assert heads <= {element.name for element in env.view(probed(20, 45).plot, pixels).scene}
    assert "nothing probed" in {element.name for element in env.view(probed().plot, pixels).scene}
