"""Slider set: where clicks move sliders, what is near enough, and how values are told."""

from dataclasses import replace

import numpy as np

from palaestra.core.answer import Point
from palaestra.envs.gui.slider_set import LEFT, RIGHT, Panel, Slider, _layout
from palaestra.envs.gui.slider_set import environment as env
from palaestra.envs.kit.palette import colour

PANEL = Panel(
    (
        Slider("Bass", 0, 100, 20, 60, told=True),
        Slider("Tint", -50, 50, 0, 30, told=True, base=0),
        Slider("Echo", 10, 40, 25, 25, told=False),
    ),
    tolerance=4,
)


def track(k: int) -> float:
    """The middle, from the top, of a slider's track."""
    tracks = [widget.box for widget in _layout(PANEL) if widget.kind == "slider"]
    return (tracks[k][1] + tracks[k][3]) / 2


def apply(panel: Panel) -> tuple[float, float]:
    place = Point().parse(_layout(panel)[-1].centre).value
    assert isinstance(place, tuple)
    return place


def test_a_click_moves_the_slider_to_its_share_of_the_scale() -> None:
    for share, values in ((0.0, (0, -50, 10)), (0.5, (50, 0, 25)), (0.9, (90, 40, 37))):
        for k, value in enumerate(values):
            after = env.step(PANEL, (LEFT + share * (RIGHT - LEFT), track(k))).state
            assert after.sliders[k].value == value


def test_events_tell_right_near_and_far_values() -> None:
    for value, events in (
        (60, ("field_set",)),
        (64, ("field_set",)),
        (66, ("field_missed", "value_near")),
        (90, ("field_missed", "value_off")),
    ):
        assert env.step(PANEL, (PANEL.sliders[0].x(value), track(0))).events == events
    assert env.step(PANEL, (PANEL.sliders[2].x(35), track(2))).events == ("field_missed",)


def test_a_click_beside_the_tracks_changes_nothing() -> None:
    step = env.step(PANEL, (LEFT - 20.0, track(0)))
    assert step.legal
    assert (step.state, step.events) == (PANEL, ("click_missed",))


def test_applying_wins_only_when_all_are_right_and_the_unnamed_untouched() -> None:
    early = env.step(PANEL, apply(PANEL))
    assert (early.done, early.success, early.events) == (True, False, ("committed_early",))
    assert env.solve(early.state) is None
    right = replace(PANEL, sliders=tuple(replace(s, value=s.wanted) for s in PANEL.sliders))
    spoilt = replace(right, sliders=(*right.sliders[:2], replace(right.sliders[2], value=30)))
    assert not env.step(spoilt, apply(spoilt)).success
    done = env.step(right, apply(right))
    assert (done.reward, done.success, env.solve(done.state)) == (1.0, True, ())


def test_values_are_told_plainly_or_by_another_slider() -> None:
    assert "Set Bass to 60, Tint to 30 less than Bass, then apply." in env.view(PANEL, 0).task
    same = replace(PANEL, sliders=(PANEL.sliders[0], replace(PANEL.sliders[1], low=0, high=100, wanted=60)))
    assert "Tint to the same value as Bass" in env.view(same, 0).task


def test_nobody_is_told_a_value_by_a_circle_of_others() -> None:
    for seed in range(100):
        sliders = env.reset(env.spec.instance(5, seed)).sliders
        assert sum(slider.base < 0 for slider in sliders) == 2
        for k in range(len(sliders)):
            for _ in range(len(sliders)):
                k = sliders[k].base if k >= 0 else k
            assert k < 0


def test_the_thumb_is_drawn_at_the_value() -> None:
    image = env.view(PANEL, 448).image
    assert image is not None
    row = image.pixels[round(track(0) * 0.448) - 4]
    (thumb,) = np.flatnonzero(row == colour("sky")).mean(keepdims=True)
    assert abs(thumb / 0.448 - PANEL.sliders[0].x(20)) < 8


def test_order_and_tolerance_make_no_other_problem() -> None:
    turned = Panel((PANEL.sliders[2], PANEL.sliders[0], replace(PANEL.sliders[1], base=1)), 2)
    assert env.problem(turned) == env.problem(PANEL)
    assert env.problem(replace(PANEL, sliders=PANEL.sliders[:2])) != env.problem(PANEL)


def test_the_caption_tells_where_tracks_begin_and_end() -> None:
    y = round(track(0))
    assert f"slider Bass: 20 of 0 to 100 from ({LEFT}, {y}) to ({RIGHT}, {y})" in env.view(PANEL, 0).caption
