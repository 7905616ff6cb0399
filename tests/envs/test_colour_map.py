"""Colour map: what a border is, and that every colouring that keeps all of them wins."""

from dataclasses import replace
from itertools import product

import pytest

from palaestra.envs.graph.colour_map import COLOURS, Window
from palaestra.envs.graph.colour_map import environment as env
from palaestra.envs.kit.graphs import NAMES
from palaestra.envs.kit.parts import Asked

# A A B    A is red and D is blue; A and D meet in a corner only, and so do B and C.
# A A B
# C C D
PANES = ((0, 0, 2, 2), (2, 0, 3, 2), (0, 2, 2, 3), (2, 2, 3, 3))
WINDOW = Window(3, PANES, (0, -1, -1, 2), palette=4)
ASKED = Asked(WINDOW)


@pytest.mark.parametrize("said", [("green", "green"), ("yellow", "green"), ("green", "yellow")])
def test_panes_that_meet_in_a_corner_may_be_alike_and_every_such_colouring_wins(said: tuple[str, str]) -> None:
    step = env.step(ASKED, said)
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("constraint_kept", "constraint_kept", "parts_all_ok")
    assert env.solve(step.state) == ()


@pytest.mark.parametrize(
    ("said", "reward", "last"),
    [(("red", "green"), 0.25, "parts_some_ok"), (("red", "blue"), 0.0, "parts_none_ok")],
)
def test_a_pane_alike_to_a_neighbour_earns_nothing_and_the_others_less_than_half(said, reward, last) -> None:
    step = env.step(ASKED, said)
    assert (step.reward, step.success, step.done) == (reward, False, True)
    assert step.events.count("constraint_broken") == said.count("red") + said.count("blue")
    assert step.events[-1] == last


def test_exactly_the_colourings_that_win_are_found() -> None:
    found = {tuple(line.split(": ")[1] for line in reply.splitlines()) for (reply,) in env.solutions(ASKED)}
    assert found == {said for said in product(COLOURS, repeat=2) if env.step(ASKED, said).success}
    assert len(found) == 4
    assert list(env.solutions(Asked(replace(WINDOW, palette=3)))) == [["B: yellow\nC: yellow"]]


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_panes_tile_the_window_without_gap_or_overlap(scale: int) -> None:
    for seed in range(20):
        window = env.reset(env.spec.instance(scale, seed)).question
        covered = [(x, y) for left, top, right, bottom in window.panes
                   for x in range(left, right) for y in range(top, bottom)]  # fmt: skip
        assert sorted(covered) == [(x, y) for x in range(window.side) for y in range(window.side)]
        assert len(window.panes) == env.spec.scales[scale]["panes"]


def test_the_picture_fills_each_pane_with_its_colour_and_the_caption_says_so() -> None:
    view = env.view(WINDOW, 448)
    corner = {element.name: tuple(view.image.rgb()[element.box[1] + 2, element.box[0] + 2]) for element in view.scene}
    assert (corner["A"], corner["B"], corner["D"]) == ((214, 54, 56), (255, 255, 255), (42, 100, 214))
    assert view.caption == "A is red, D is blue. Borders: A-B, A-C, B-D, C-D."
    assert sorted(corner) == list(NAMES[:4])


def test_other_colours_and_a_turned_window_make_no_other_problem_and_one_more_given_does() -> None:
    recoloured = replace(WINDOW, colours=(2, -1, -1, 1))
    turned = Window(3, tuple((top, left, bottom, right) for left, top, right, bottom in PANES), WINDOW.colours, 4)
    assert env.problem(Asked(recoloured)) == env.problem(Asked(turned)) == env.problem(ASKED)
    assert env.problem(Asked(replace(WINDOW, colours=(0, 3, -1, 2)))) != env.problem(ASKED)
    assert env.problem(Asked(replace(WINDOW, palette=3))) != env.problem(ASKED)
