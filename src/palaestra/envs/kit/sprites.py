"""Figures that several worlds place on their tiles: drawn once, in any colour of the palette."""

from palaestra.envs.kit.canvas import Canvas


def ice(size: int) -> Canvas:
    """Return a tile of ice with its share of the line between tiles."""
    canvas = Canvas(size, size, "frost")
    line = max(1, size // 40)
    canvas.rectangle((line, line, size - line, size - line), "ice")
    return canvas


def hole(canvas: Canvas) -> None:
    """Draw a hole that fills most of a tile."""
    size = canvas.pixels.shape[0]
    canvas.shape("circle", (size / 2, size / 2), round(size * 0.8), "deep", edge="navy")


def flag(canvas: Canvas, colour: str) -> None:
    """Draw a flag: somebody's goal."""
    size = canvas.pixels.shape[0]
    canvas.shape("flag", (size * 0.54, size * 0.48), round(size * 0.72), colour)


def walker(canvas: Canvas, colour: str, edge: str = "ink", x: float = 0.5) -> None:
    """Draw a figure from above, its middle at a share of the tile's width: shoulders in its colour and a head."""
    size = canvas.pixels.shape[0]
    canvas.shape("circle", (size * x, size * 0.64), round(size * 0.52), colour, edge=edge)
    canvas.shape("circle", (size * x, size * 0.34), round(size * 0.34), "sand", edge=edge)


def bricks(canvas: Canvas, colour: str, mortar: str) -> None:
    """Fill a tile with three courses of bricks that go on in its neighbours."""
    size = canvas.pixels.shape[0]
    line = max(1, size // 40)
    canvas.rectangle((0, 0, size, size), mortar)
    for course in range(3):
        top, bottom = round(course * size / 3) + line, round((course + 1) * size / 3) - line
        for left in (0.0, 0.5) if course % 2 == 0 else (-0.25, 0.25, 0.75):
            canvas.rectangle((round(left * size) + line, top, round((left + 0.5) * size) - line, bottom), colour)


def key(canvas: Canvas, colour: str, ground: str, x: float = 0.5, length: float = 0.8) -> None:
    """Draw an upright key, in shares of the tile: a ring through which the ground shows, a shaft, two teeth."""
    size = canvas.pixels.shape[0]
    x, y, length = size * x, size / 2, size * length
    low = y + length * 0.46
    teeth = [(x, low - rise * length, x + length * 0.26, low - rise * length) for rise in (0.06, 0.28)]
    canvas.segments([(x, y - length * 0.1, x, low), *teeth], length * 0.16, colour)
    canvas.shape("circle", (x, y - length * 0.22), round(length * 0.5), colour)
    canvas.shape("circle", (x, y - length * 0.22), round(length * 0.2), ground)
