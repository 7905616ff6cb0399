"""Pie shares: what is near enough, sums of two, and that slices take as much of the picture as they are worth."""

from dataclasses import replace

import numpy as np
import pytest

from palaestra.envs.charts.pie_shares import COLOURS, LEAST, Pie, Slice
from palaestra.envs.charts.pie_shares import environment as env
from palaestra.envs.kit.palette import PALETTE, colour
from palaestra.envs.kit.parts import Asked

PIE = Pie(
    slices=(Slice("Oak", "blue", 50), Slice("Elm", "red", 30), Slice("Fir", "green", 13), Slice("Yew", "pink", 7)),
    start=0,
    ring=False,
    asked=((0,), (1, 3)),
    tolerance=3,
)
ASKED = Asked(PIE)


@pytest.mark.parametrize("said", [(50, 37), (47, 40), (53, 34)])
def test_every_share_within_the_tolerance_wins(said: tuple[int, int]) -> None:
    step = env.step(ASKED, said)
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("value_ok", "sum_ok", "parts_all_ok")


@pytest.mark.parametrize(
    ("said", "events", "reward"),
    [
        ((54, 37), ("value_off", "value_near", "sum_ok", "parts_some_ok"), 0.25),
        ((50, 30), ("value_ok", "sum_off", "parts_some_ok"), 0.25),
        ((56, 31), ("value_off", "sum_off", "parts_none_ok"), 0.0),
    ],
)
def test_a_share_beyond_the_tolerance_is_off(said: tuple[int, int], events: tuple[str, ...], reward: float) -> None:
    step = env.step(ASKED, said)
    assert (step.events, step.reward, step.success) == (events, reward, False)


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_slices_make_a_whole_and_take_as_many_pixels_as_they_are_worth(scale: int) -> None:
    for seed in range(5):
        pie = env.reset(env.spec.instance(scale, seed)).question
        assert sum(share for _, _, share in pie.slices) == 100
        assert min(share for _, _, share in pie.slices) >= LEAST
        view = env.view(pie, 448)
        assert view.image is not None
        left, top, right, bottom = next(element.box for element in view.scene if element.name == pie.said)
        disc = view.image.rgb()[top:bottom, left:right]
        seen = np.array([(disc == PALETTE[colour(fill)]).all(axis=2).sum() for _, fill, _ in pie.slices])
        assert np.abs(100 * seen / seen.sum() - [share for _, _, share in pie.slices]).max() < 1.5


def test_plain_pies_begin_at_the_top_with_the_largest_slice() -> None:
    for seed in range(10):
        pie = env.reset(env.spec.instance(0, seed)).question
        shares = [share for _, _, share in pie.slices]
        assert pie.start == 0
        assert shares == sorted(shares, reverse=True)


def test_turning_reflecting_and_renaming_make_no_other_problem() -> None:
    turned = replace(PIE, slices=(*PIE.slices[1:], PIE.slices[0]), asked=((3,), (0, 2)), start=500, ring=True)
    reflected = replace(PIE, slices=PIE.slices[::-1], asked=((3,), (0, 2)))
    renamed = replace(PIE, slices=tuple(Slice(n, "teal", s.share) for n, s in zip("ABCD", PIE.slices, strict=True)))
    assert {env.problem(Asked(pie)) for pie in (turned, reflected, renamed)} == {env.problem(ASKED)}
    assert env.problem(Asked(replace(PIE, asked=((0,), (1, 2))))) != env.problem(ASKED)
    assert env.problem(Asked(replace(PIE, tolerance=2))) != env.problem(ASKED)


def test_the_colour_blind_tell_all_colours_apart() -> None:
    """Machado et al. (2009), severity 1: protanopia and deuteranopia, on linear light."""
    rgb = np.array([PALETTE[colour(name)] for name in COLOURS]) / 255
    light = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    for seen in (
        [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
        [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    ):
        shown = 255 * np.clip(light @ np.array(seen).T, 0, 1) ** (1 / 2.2)
        apart = np.abs(shown[:, None] - shown).sum(axis=2)
        assert apart[~np.eye(len(COLOURS), dtype=bool)].min() > 30


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_same_share_for_all_slices_seldom_wins(scale: int) -> None:
    pies = [env.reset(env.spec.instance(scale, seed)).question for seed in range(100)]
    wins = [sum(all(abs(true - said) <= pie.tolerance for true in pie.truth) for pie in pies) for said in range(100)]
    assert max(wins) <= 20
