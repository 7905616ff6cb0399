"""Views, harnesses, pictures."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from palaestra.core.answer import Integer
from palaestra.core.errors import EnvironmentFailed
from palaestra.core.observation import H0, H4, HARNESSES, LADDER, SYMBOLIC, VISUAL, Harness, Picture, View

PICTURE = Picture(np.full((4, 6, 3), 9, np.uint8))
VIEW = View(Integer(0, 9), PICTURE, "task", "rules", "hint", "state", "caption")


def test_the_ladder_withdraws_caption_then_state_then_hint_then_rules() -> None:
    withdrawn = [next(iter(upper.channels - lower.channels)) for upper, lower in pairwise(LADDER)]
    assert withdrawn == ["caption", "state", "hint", "rules"]
    assert all(lower.channels < upper.channels for upper, lower in pairwise(LADDER))
    assert H4.channels == VISUAL.channels == {"task", "image"}


def test_an_observation_holds_the_shown_channels_in_reading_order() -> None:
    assert H0.show(VIEW).text.splitlines() == ["task", "rules", "hint", "state", "caption"]
    assert H4.show(VIEW).text == "task"
    assert SYMBOLIC.show(VIEW).image is None
    assert SYMBOLIC.show(VIEW).text == "task\ncaption"


def test_further_channels_are_shown_by_harnesses_that_name_them() -> None:
    layer = Picture(np.zeros((4, 6, 3), np.uint8))
    layer.pixels[0, 0] = 200
    view = replace(VIEW, extra=(("grid", "lines at 10"), ("marks", layer)))
    marked = Harness("mine", frozenset({"task", "image", "grid", "marks"})).show(view)
    assert marked.text == "task\nlines at 10"
    assert marked.image is not None
    assert marked.image.pixels[0, 0, 0] == 200
    assert marked.image.pixels[1, 1, 0] == 9
    assert H4.show(view).image == PICTURE


def test_an_overlay_of_another_size_is_its_authors_failure() -> None:
    view = replace(VIEW, extra=(("marks", Picture(np.zeros((2, 2, 3), np.uint8))),))
    with pytest.raises(EnvironmentFailed, match="2x2 over 6x4"):
        Harness("mine", frozenset({"image", "marks"})).show(view)


def test_palette_and_rgb_pictures_of_the_same_pixels_are_equal() -> None:
    palette = np.zeros((256, 3), np.uint8)
    palette[1] = (9, 9, 9)
    indexed = Picture(np.ones((4, 6), np.uint8), palette)
    assert indexed == PICTURE
    assert hash(indexed) == hash(PICTURE)
    assert Picture.from_png(indexed.png()) == Picture.from_png(PICTURE.png()) == PICTURE
    assert (indexed.width, indexed.height) == (6, 4)


@pytest.mark.parametrize("pixels", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3), np.float32), np.zeros(4, np.uint8)])
def test_pixels_of_another_shape_or_kind_are_refused(pixels: np.ndarray) -> None:
    with pytest.raises(EnvironmentFailed, match="uint8"):
        Picture(pixels)


def test_every_named_harness_is_found_by_its_name() -> None:
    assert all(HARNESSES[harness.name] is harness for harness in (*LADDER, SYMBOLIC, VISUAL))


def test_only_png_bytes_are_opened_as_pictures() -> None:
    from io import BytesIO

    from PIL import Image, UnidentifiedImageError

    buffer = BytesIO()
    Image.fromarray(PICTURE.pixels).save(buffer, "BMP")
    with pytest.raises(UnidentifiedImageError):
        Picture.from_png(buffer.getvalue())
