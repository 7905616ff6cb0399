"""Line crossings: what crosses, what a wrong part is called, and that lines are drawn where their values are."""

from dataclasses import replace

import numpy as np
import pytest

from palaestra.envs.charts.line_crossings import HIGHEST, NAMES, Chart
from palaestra.envs.charts.line_crossings import environment as env
from palaestra.envs.kit.palette import PALETTE, colour
from palaestra.envs.kit.parts import Asked

CHART = Chart(
    values=((10, 60, 20, 30), (40, 30, 50, 90), (95, 80, 75, 60)),
    colours=("red", "blue", "green"),
    pairs=((0, 1), (1, 2)),
    tops=(0, 3),
)
ASKED = Asked(CHART)


def test_lines_cross_where_the_upper_one_becomes_the_lower_one() -> None:
    assert CHART.crossings((0, 1)) == ["A", "B"]
    assert CHART.crossings((1, 2)) == ["C"]
    assert CHART.crossings((0, 2)) == []
    step = env.step(ASKED, (2, "A", 1, "C", "Eva", "Ben"))
    assert (step.reward, step.done, step.success) == (1.0, True, True)


@pytest.mark.parametrize(
    ("said", "event"),
    [
        ((3, "A", 1, "C", "Eva", "Ben"), "count_over"),
        ((1, "A", 1, "C", "Eva", "Ben"), "count_under"),
        ((1, "A", 1, "C", "Eva", "Ben"), "count_off_by_one"),
        ((2, "B", 1, "C", "Eva", "Ben"), "crossing_missed"),
        ((2, "A", 1, "C", "Eva", "Ada"), "largest_missed"),
    ],
)
def test_one_wrong_part_is_named_and_leaves_less_than_half(said: tuple[int | str, ...], event: str) -> None:
    step = env.step(ASKED, said)
    assert event in step.events
    assert (step.reward, step.done, step.success) == (0.5 * 5 / 6, True, False)


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_lines_stay_apart_at_letters_and_every_pair_asked_for_crosses(scale: int) -> None:
    for seed in range(20):
        chart = env.reset(env.spec.instance(scale, seed)).question
        values = np.sort(np.array(chart.values), axis=0)
        assert values.min() >= 0
        assert values.max() <= HIGHEST
        assert np.diff(values, axis=0).min() >= env.spec.scales[scale]["gap"]
        assert all(chart.crossings(pair) for pair in chart.pairs)


@pytest.mark.parametrize("pixels", [448, 700])
def test_a_line_passes_its_letter_as_high_as_it_is_worth(pixels: int) -> None:
    view = env.view(CHART, pixels)
    boxes = {element.name: element.box for element in view.scene}
    zero, top = ((boxes[tick][1] + boxes[tick][3]) / 2 for tick in ("0", "100"))
    assert view.image is not None
    rgb = view.image.rgb()
    for name, values, shade in zip(NAMES, CHART.values, CHART.colours, strict=False):
        for letter, value in zip(CHART.letters, values, strict=True):
            (box,) = [boxes[said] for said in boxes if said.startswith(f"{letter} ") and f"{name} {value}" in said]
            y, x = round(zero - (zero - top) * value / 100), (box[0] + box[2]) // 2
            assert (rgb[y, x] == PALETTE[colour(shade)]).all()


def test_colours_and_the_order_of_lines_make_no_other_problem() -> None:
    other = Chart(CHART.values[::-1], ("teal", "red", "blue"), ((0, 1), (1, 2)), CHART.tops)
    assert env.problem(Asked(other)) == env.problem(ASKED)
    assert env.problem(Asked(replace(CHART, pairs=((0, 1), (0, 2))))) != env.problem(ASKED)
    assert env.problem(Asked(replace(CHART, tops=(0, 2)))) != env.problem(ASKED)


def test_every_line_has_marks_of_its_own_for_those_who_do_not_see_its_colour() -> None:
    image = (view := env.view(Chart(((50, 50),) * 5, ("blue",) * 5, (), (0,)), 448)).image
    assert image is not None
    boxes = [element.box for element in view.scene if element.name == "blue"]
    marks = {image.rgb()[top:bottom, left:right].tobytes() for left, top, right, bottom in boxes}
    assert len(marks) == len(NAMES)
