"""Zoom order: one chain of pictures, what an answer out of order is called, and that frames show what they hold."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from palaestra.envs.kit.palette import colour
from palaestra.envs.kit.parts import Asked
from palaestra.envs.perception.zoom_order import FRAME, KINDS, NOTHING, Level, Sheet
from palaestra.envs.perception.zoom_order import environment as env

LEVELS: tuple[Level, ...] = ((0, 1, 2, 7), (7, 1, 2, 3), (0, 7, 4, 4), (5, 5, 5, 7))
WIDE, MIDDLE, CLOSE = ((LEVELS[k], LEVELS[k + 1]) for k in range(3))
SHEET = Sheet(2, (CLOSE, WIDE, MIDDLE))
ASKED = Asked(SHEET)
STRANGE = ((0, 1, 7, 2), (7, 1, 3, 3))


def test_the_order_follows_the_frames() -> None:
    assert SHEET.order() == (1, 2, 0)
    step = env.step(ASKED, ("B", "C", "A"))
    assert (step.reward, step.success) == (1.0, True)
    assert step.events == ("order_right",) * 3 + ("start_right", "end_right", "parts_all_ok")


@pytest.mark.parametrize(
    ("said", "events"),
    [
        (("C", "B", "A"), ("order_adjacent_swapped", "end_right")),
        (("A", "C", "B"), ()),
        (("B", "B", "A"), ("start_right", "end_right", "part_left_out", "symbol_repeated")),
    ],
)
def test_a_wrong_order_says_what_is_wrong_with_it(said: tuple[str, ...], events: tuple[str, ...]) -> None:
    step = env.step(ASKED, said)
    assert (step.success, step.events[3:-1]) == (False, events)
    assert step.reward < 0.5


def test_pictures_of_other_scenes_are_left_out() -> None:
    sheet = replace(SHEET, pictures=(*SHEET.pictures, STRANGE))
    assert env.step(Asked(sheet), ("B", "C", "A")).success
    longer = env.step(Asked(sheet), ("B", "C", "A", "D"))
    assert (longer.reward, longer.success) == (0.375, False)
    assert "part_superfluous" in longer.events
    assert "part_left_out" in env.step(Asked(sheet), ("B", "C")).events
    assert "leave out" in env.view(sheet, 0).task
    assert "leave out" not in env.view(SHEET, 0).task


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_there_is_one_chain_and_no_other_picture_joins_it(scale: int) -> None:
    settings = env.spec.scales[scale]
    for seed in range(20):
        sheet = env.reset(env.spec.instance(scale, seed)).question
        assert len(sheet.order()) == settings["pictures"]
        assert len(sheet.pictures) == int(settings["pictures"]) + int(settings["others"])
        shown = [level for picture in sheet.pictures for level in picture]
        assert len(set(shown)) == len(shown) - int(settings["pictures"]) + 1
        assert all(level.count(FRAME) == 1 for level in shown)


def test_the_state_tells_nothing_of_what_is_in_the_frames() -> None:
    assert env.view(SHEET, 0).state == "Different large things: A 2, B 3, C 3."


def test_alike_pictures_differ_from_the_next_wider_one_in_two_places_at_most() -> None:
    for seed in range(20):
        sheet = env.reset(env.spec.instance(5, seed)).question
        for place in sheet.order():
            large, framed = sheet.pictures[place]
            assert sum(a != b for a, b in zip(large, framed, strict=True)) <= 2


def test_the_frame_is_drawn_in_the_colours_of_what_it_holds() -> None:
    colours = [colour(name) for _, _, name in KINDS]
    for seed in range(10):
        sheet = env.reset(env.spec.instance(3, seed)).question
        view = env.view(sheet, 700)
        assert view.image is not None
        for (large, framed), (_, _, (left, top, right, bottom), _) in zip(sheet.pictures, view.scene, strict=True):
            tile = view.image.pixels[top:bottom, left:right]
            rows, columns = np.nonzero(tile == colour("white"))  # only frames are white inside
            inside = tile[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
            assert [c in inside for c in colours] == [k in framed for k in range(NOTHING)]
            assert [c in tile for c in colours] == [k in large + framed for k in range(NOTHING)]


def _each(change: Callable[[Level], Level]) -> Sheet:
    return Sheet(2, tuple((change(large), change(framed)) for large, framed in SHEET.pictures))


def test_symmetries_names_and_the_order_shown_make_no_other_problem() -> None:
    assert env.problem(Asked(Sheet(2, (WIDE, MIDDLE, CLOSE)))) == env.problem(ASKED)
    mirrored = _each(lambda level: (level[2], level[3], level[0], level[1]))
    renamed = _each(lambda level: tuple(5 - kind if kind < NOTHING else kind for kind in level))
    assert env.problem(Asked(mirrored)) == env.problem(ASKED)
    assert env.problem(Asked(renamed)) == env.problem(ASKED)
    assert env.problem(Asked(replace(SHEET, pictures=(*SHEET.pictures, STRANGE)))) != env.problem(ASKED)
