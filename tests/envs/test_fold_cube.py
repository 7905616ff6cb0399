"""Folding a cube: what ends opposite and on the right, and which questions are the same."""

from dataclasses import replace

import pytest

from palaestra.core.instance import Split
from palaestra.envs.geometry.fold_cube import NETS, Net, _folded, _moved
from palaestra.envs.geometry.fold_cube import environment as env
from palaestra.envs.kit.parts import Asked

#      star
# flag cross circle square
#      arrow
CELLS = ((0, 1), (1, 0), (1, 1), (1, 2), (1, 3), (2, 1))
NET = Net(CELLS, ("star", "flag", "cross", "circle", "square", "arrow"), opposite=(0, 1), turned=((2, 0), (3, 2)))
ASKED = Asked(NET)
RIGHT = ("arrow", "circle", "circle", "star")  # the last: a quarter clockwise brings the cross up, the star right


def test_the_right_marks_win() -> None:
    step = env.step(ASKED, RIGHT)
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("pair_matched", "pair_matched", "rotation_seen", "rotation_seen", "parts_all_ok")


def test_the_face_on_the_left_is_the_far_side_taken_for_the_near_one() -> None:
    step = env.step(ASKED, ("arrow", "square", "flag", "square"))
    assert (step.reward, step.success) == (0.125, False)
    assert step.events[:2] == ("pair_matched", "pair_mismatched")
    assert step.events[2:] == ("rotation_mistaken", "lookalike_taken", "rotation_mistaken", "parts_some_ok")


@pytest.mark.parametrize("net", NETS)
def test_each_of_the_eleven_nets_covers_all_six_sides(net) -> None:
    assert sorted(_folded(net)) == sorted([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)])


def test_the_eleven_nets_are_different() -> None:
    assert len({min(tuple(sorted(_moved(net, k))) for k in range(8)) for net in NETS}) == 11


def test_a_mirrored_net_turns_right_into_left() -> None:
    mirrored = Asked(replace(NET, cells=_moved(CELLS, 4), opposite=()))
    assert env.solve(mirrored) == ["cross front star top: flag\ncircle front cross top: arrow"]


def test_a_turn_and_other_marks_make_no_other_problem() -> None:
    turned = replace(NET, cells=_moved(CELLS, 1), marks=("arrow", "circle", "star", "flag", "triangle", "cross"))
    assert env.problem(Asked(turned)) == env.problem(ASKED)
    assert env.problem(Asked(replace(NET, cells=_moved(CELLS, 4)))) != env.problem(ASKED)
    only = replace(NET, turned=())
    assert env.problem(Asked(replace(only, cells=_moved(CELLS, 4)))) == env.problem(Asked(only))


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_no_two_opposites_are_asked_of_one_pair_and_no_face_stands_on_itself(scale: int) -> None:
    for seed in range(20):
        net = env.reset(env.spec.instance(scale, seed)).question
        normals = _folded(net.cells)
        assert len({tuple(map(abs, normals[face])) for face in net.opposite}) == len(net.opposite)
        assert all(tuple(map(abs, normals[a])) != tuple(map(abs, normals[b])) for a, b in net.turned)


def test_every_face_is_drawn_where_the_caption_says() -> None:
    view = env.view(NET)
    assert view.caption == ("Net: star at 0,1; flag at 1,0; cross at 1,1; circle at 1,2; square at 1,3; arrow at 2,1.")
    assert [(element.name, element.cell) for element in view.scene] == list(zip(NET.marks, CELLS, strict=True))


def test_every_scale_but_the_first_has_problems_to_hold_out() -> None:
    for scale in range(1, len(env.spec.scales)):
        env.reset(env.spec.instance(scale, 0, Split.TEST))
