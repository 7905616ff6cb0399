"""Bar reading: what is near enough, and that bars are drawn as high as they are worth."""

from dataclasses import replace

import pytest

from palaestra.envs.charts.bar_reading import Chart
from palaestra.envs.charts.bar_reading import environment as env
from palaestra.envs.kit.parts import Asked

CHART = Chart(
    values=((37, 20), (8, 50)),
    colours=("red", "teal"),
    ticks=5,
    distance=10,
    asked=((0, 0), (1, 1)),
    tolerance=3,
    lined=True,
    between=True,
)
ASKED = Asked(CHART)


@pytest.mark.parametrize("said", [(37, 50), (34, 47), (40, 50)])
def test_every_value_within_the_tolerance_wins(said: tuple[int, int]) -> None:
    step = env.step(ASKED, said)
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("value_ok", "value_ok", "parts_all_ok")


@pytest.mark.parametrize(("said", "reward"), [((33, 50), 0.25), ((41, 50), 0.25), ((30, 40), 0.0)])
def test_a_value_beyond_the_tolerance_is_off_and_a_part_earns_less_than_half(said, reward: float) -> None:
    step = env.step(ASKED, said)
    assert (step.reward, step.success) == (reward, False)
    assert "value_off" in step.events


def test_the_caption_names_axis_legend_and_every_bar_with_its_value() -> None:
    caption = env.view(CHART, 0).caption
    assert "Axis 0 10 20 30 40 50. North is red. South is teal." in caption
    assert "A North 37; A South 20; B North 8; B South 50." in caption


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
@pytest.mark.parametrize("pixels", [448, 700])
def test_a_bar_reads_on_the_axis_as_what_it_is_worth(scale: int, pixels: int) -> None:
    for seed in range(5):
        chart = env.reset(env.spec.instance(scale, seed)).question
        boxes = {element.name: element.box for element in env.view(chart, pixels).scene}
        zero, top = ((boxes[name][1] + boxes[name][3]) / 2 for name in ("0", str(chart.top)))
        for category, values in enumerate(chart.values):
            for series, value in enumerate(values):
                box = boxes[f"{chart.label(category, series)} {value}"]
                read = (zero - box[1]) / (zero - top) * chart.top
                assert abs(read - value) < max(0.15 * chart.distance, 1)


def test_bars_of_the_first_scale_end_at_ticks() -> None:
    for seed in range(20):
        chart = env.reset(env.spec.instance(0, seed)).question
        assert all(value % chart.distance == 0 for values in chart.values for value in values)


def test_colours_names_of_series_and_the_side_it_is_read_from_make_no_other_problem() -> None:
    other = replace(CHART, values=((50, 8), (20, 37)), colours=("blue", "red"), asked=((0, 0), (1, 1)))
    assert env.problem(Asked(other)) == env.problem(ASKED)
    assert env.problem(Asked(replace(CHART, asked=((0, 0), (1, 0))))) != env.problem(ASKED)
    assert env.problem(Asked(replace(CHART, tolerance=2))) != env.problem(ASKED)
