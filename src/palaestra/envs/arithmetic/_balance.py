"""Drawn balances: a beam on a foot with two pans, level or tilted, all in one colour of line."""

from functools import lru_cache

from palaestra.envs.kit.canvas import Canvas, Pixels

LINE = "slate"
PAN = 0.42  # width of a pan, as a share of the balance's


def pan(width: int, height: int, tilt: int, side: int) -> tuple[float, float]:
    """Return the middle x and the surface y of a pan: side 0 is the left one, which is low where `tilt` is 1."""
    return width * (0.25, 0.75)[side], round(height * (0.66 + 0.09 * tilt * (1, -1)[side]))


@lru_cache(maxsize=64)
def balance(width: int, height: int, tilt: int = 0) -> Pixels:
    """Return a balance with empty pans: its left one is low (1), its right one (-1), or neither (0)."""
    canvas = Canvas(width, height)
    line = max(1, round(height / 26))
    half, rise, post = width * PAN / 2, height * 0.08, round(height * 0.14)
    middle = round(height * 0.66) + post
    strokes, ends = list[tuple[float, float, float, float]](), list[float]()
    for side in (0, 1):
        x, y = pan(width, height, tilt, side)
        y += line // 2
        strokes += [(x - half, y, x + half, y), (x, y, x, y + post)]
        strokes += [(x - end, y, x - end * 1.06, y - rise) for end in (half, -half)]
        ends += [x, y + post]
    strokes.append((ends[0], ends[1], ends[2], ends[3]))
    canvas.segments(strokes, line, LINE)
    foot = round((height - middle) * 0.9)
    canvas.shape("triangle", (width / 2, middle + foot / 2), foot, LINE)
    canvas.pixels.setflags(write=False)
    return canvas.pixels
