"""Pictures in half blocks."""

import numpy as np
from rich.color import ColorTriplet

from palaestra.cli.picture import halves
from palaestra.core.observation import Picture


def test_each_character_shows_two_pixels_one_above_the_other():
    pixels = np.array([[[255, 0, 0], [0, 0, 255]], [[0, 255, 0], [9, 9, 9]]], np.uint8)
    text = halves(Picture(pixels), 2)
    assert text.plain == "▀▀"
    colours = [(span.style.color.triplet, span.style.bgcolor.triplet) for span in text.spans]
    assert colours == [(ColorTriplet(*pixels[0, x]), ColorTriplet(*pixels[1, x])) for x in range(2)]


def test_a_wide_picture_takes_fewer_lines():
    picture = Picture(np.zeros((40, 160, 3), np.uint8))
    lines = halves(picture, 32).plain.splitlines()
    assert [len(line) for line in lines] == [32] * 4
