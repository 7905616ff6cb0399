"""How widgets look: each is drawn once, as a tile, and then copied to wherever it stands."""

from functools import lru_cache
from typing import NamedTuple

from palaestra.envs.kit import masks
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.palette import colour

MARKED = frozenset({"selected", "open"})
"""The marks that fill a widget with another colour."""


class Style(NamedTuple):
    """How a kind of widget is told and coloured, what stands beside its text, and where the parts of a text begin, in
    shares of the width; evenly where nothing is said."""

    form: str
    fill: str = "white"
    edge: str = ""
    ink: str = "ink"
    icon: str = ""
    centred: bool = False
    columns: tuple[float, ...] = ()


STYLES = {
    "window": Style('window "{}"', "navy", ink="white"),
    "text": Style("text {}"),
    "head": Style("{}", centred=True),
    "label": Style("text {}", centred=True),
    "button": Style("button [{}]", "sky", "blue", "navy", centred=True),
    "check": Style("check box {}", icon="check"),
    "radio": Style("radio {}", icon="radio"),
    "list": Style("list <{}>", edge="grey", icon="list"),
    "option": Style("option -{}", "mist", "grey"),
    "menu": Style("menu /{}/", "mist", centred=True),
    "view": Style("view of {}", edge="silver", centred=True),
    "submenu": Style("submenu {}", edge="silver", icon="next"),
    "entry": Style("entry {}", edge="silver"),
    "slider": Style("slider {}"),
    "header": Style("header |{}|", "mist", icon="sort"),
    "row": Style("row {}", edge="mist"),
    "day": Style("{}", edge="mist", centred=True),
    "folder": Style("folder {}/", icon="folder"),
    "file": Style("file {}", icon="file", columns=(0.0, 0.55, 0.8)),
    "cell": Style("{}", edge="silver", centred=True),
    "formula": Style("{}", "ice", "grey", centred=True),
}


_DOWN = ((-0.6, -0.3), (0.0, 0.3), (0.6, -0.3))
STROKES = {
    "list": _DOWN,
    "list open": _DOWN,
    "sort descending": _DOWN,
    "sort ascending": ((-0.6, 0.3), (0.0, -0.3), (0.6, 0.3)),
    "next": ((-0.3, -0.6), (0.3, 0.0), (-0.3, 0.6)),
    "next open": ((-0.3, -0.6), (0.3, 0.0), (-0.3, 0.6)),
    "check on": ((-0.6, 0.0), (-0.15, 0.5), (0.65, -0.5)),
}
"""Signs of two strokes in a square -1 .. 1, by icon and mark."""


@lru_cache(maxsize=8192)
def tile(kind: str, text: str, mark: str, width: int, height: int, largest: int, indent: int) -> tuple[Pixels, int]:
    """Return the drawing of a widget [height, width], and the height of its capitals (0 where nothing is written)."""
    style = STYLES[kind]
    fill = "frost" if mark in MARKED else style.fill
    canvas = Canvas(width, height, fill)
    if style.edge:
        _panel(canvas, fill, style.edge)
    if kind == "slider":
        _slider(canvas, mark)
        return canvas.pixels, 0
    if kind == "view":
        glyph = max(6, min(largest, round(0.12 * height)))
        canvas.text(text, (width / 2, height - 1.2 * glyph), glyph)
        _view(canvas, text, min(width, height - 2 * glyph) * 0.36, width / 2, height / 2 - glyph)
        return canvas.pixels, glyph
    lines = text.split(" = ")  # a formula stands above its result
    glyph = max(6, min(largest, round(0.55 * height / len(lines))))
    pad = 1 if style.centred else round(0.4 * glyph) if style.edge or style.fill != "white" else round(0.15 * glyph)
    left, right = pad + round(1.2 * glyph * indent), width - pad
    if style.icon in ("list", "next", "sort"):
        right -= round(1.2 * glyph)
        _icon(canvas, style.icon, mark, right + 0.4 * glyph, glyph)
    elif style.icon:
        _icon(canvas, style.icon, mark, left + 0.75 * glyph, glyph)
        left += 2 * glyph
    parts = text.split(" | ")
    starts = style.columns or [k / len(parts) for k in range(len(parts))]  # as headers stand above a row
    begins = [left, *(round(width * start) + pad for start in starts[1 : len(parts)])]
    ends = [*(begin - pad for begin in begins[1:]), right]
    spots = list(zip(parts, begins, ends, strict=True)) if len(lines) == 1 else [(line, left, right) for line in lines]
    while glyph > 5 and any(masks.text(part, glyph).width > end - begin for part, begin, end in spots):
        glyph -= 1
    for k, (part, begin, _) in enumerate(spots):
        mask = masks.text(part, glyph)
        x = (width - mask.width) // 2 if style.centred else begin
        y = (2 * k + 1) * height // (2 * len(lines)) if len(lines) > 1 else height // 2
        canvas.stamp(mask, x, y - glyph // 2, style.ink)
    if kind == "window":
        for k, light in enumerate(("green", "yellow", "red")):
            canvas.shape("circle", (width - (k + 1) * 1.3 * glyph, height / 2), round(0.8 * glyph), light)
    canvas.pixels.setflags(write=False)
    return canvas.pixels, glyph


def _panel(canvas: Canvas, fill: str, edge: str) -> None:
    """Fill a canvas with a bordered panel, its corners taken off."""
    height, width = canvas.pixels.shape
    rim = max(1, min(2, height // 30))
    canvas.rectangle((0, 0, width, height), edge)
    canvas.rectangle((rim, rim, width - rim, height - rim), fill)
    canvas.pixels[:: height - 1, :: width - 1] = colour("white")


def _icon(canvas: Canvas, icon: str, mark: str, x: float, glyph: int) -> None:
    """Draw what stands beside a text, around the middle of a line at x."""
    y, r = canvas.pixels.shape[0] / 2, 0.7 * glyph
    left, top, right, bottom = (round(side) for side in (x - r, y - r, x + r, y + r))
    rim = max(1, glyph // 8)
    on = mark == "on"
    if icon == "check":
        canvas.rectangle((left, top, right, bottom), "blue" if on else "slate")
        if not on:
            canvas.rectangle((left + rim, top + rim, right - rim, bottom - rim), "white")
    elif icon == "radio":
        size = right - left
        canvas.shape("circle", (x, y), size, "white", edge="blue" if on else "slate")
        if on:
            canvas.shape("circle", (x, y), size - 2 * max(2, size // 4), "blue")
    elif icon == "folder":
        canvas.rectangle((left, top + rim, round(x), bottom), "gold")
        canvas.rectangle((left, top + 3 * rim, right, bottom), "gold" if mark else "yellow")
        if mark:
            canvas.rectangle((left + 2 * rim, round(y) - rim, right + 2 * rim, bottom), "yellow")
    elif icon == "file":
        canvas.rectangle((left + rim, top, right - rim, bottom), "slate")
        canvas.rectangle((left + 2 * rim, top + rim, right - 2 * rim, bottom - rim), "white")
        canvas.rectangle((left + 3 * rim, round(y) - rim, right - 3 * rim, round(y)), "slate")
    if stroke := STROKES.get(f"{icon} {mark}" if mark else icon):
        (x0, y0), (x1, y1), (x2, y2) = ((x + r * across, y + r * down) for across, down in stroke)
        canvas.segments([(x0, y0, x1, y1), (x1, y1, x2, y2)], rim + 1, "white" if icon == "check" else "slate")


def _slider(canvas: Canvas, mark: str) -> None:
    """Draw a track with eleven ticks, and the thumb at a value: `mark` is as "40 of 0 to 100"."""
    value, low, high = (int(word) for word in mark.split()[::2])
    height, width = canvas.pixels.shape
    rail, middle = max(1, height // 13), height // 2
    thumb = round((width - 1) * (value - low) / (high - low))
    for tick in range(11):
        x = round((width - 1 - rail) * tick / 10)
        canvas.rectangle((x, middle, x + rail, middle + (height // 3 if tick % 5 else height // 2)), "grey")
    canvas.rectangle((0, middle - rail, width, middle + rail), "silver")
    canvas.rectangle((0, middle - rail, thumb, middle + rail), "blue")
    half = max(3, height // 6)
    canvas.rectangle((thumb - half, height // 8, thumb + half, height - height // 4), "blue")
    canvas.rectangle((thumb - half + rail, height // 8 + rail, thumb + half - rail, height - height // 4 - rail), "sky")


def _view(canvas: Canvas, thing: str, r: float, x: float, y: float) -> None:
    """Draw what a document may hold, in a square of the half side r around (x, y)."""

    def box(left: float, top: float, right: float, bottom: float, fill: str) -> None:
        canvas.rectangle((round(x + r * left), round(y + r * top), round(x + r * right), round(y + r * bottom)), fill)

    def line(x0: float, y0: float, x1: float, y1: float, fill: str) -> None:
        canvas.segments([(x + r * x0, y + r * y0, x + r * x1, y + r * y1)], max(1, r / 12), fill)

    ground = {"Picture": "ice", "Note": "yellow", "Map": "grass"}.get(thing, "white")
    box(-1, -0.8, 1, 0.8, "grey" if ground == "white" else ground)
    box(-0.97, -0.76, 0.97, 0.76, ground)
    if thing == "Picture":
        canvas.shape("circle", (x + 0.5 * r, y - 0.35 * r), round(0.5 * r), "yellow")
        for left, size in ((-0.45, 1.0), (0.4, 0.7)):
            canvas.shape("triangle", (x + left * r, y + (0.8 - 0.46 * size) * r), round(size * r), "green")
    elif thing == "Table":
        box(-0.97, -0.76, 0.97, -0.4, "frost")
        for k in range(4):
            line(-1, 0.4 * (k - 1), 1, 0.4 * (k - 1), "grey")
        for across in (-0.3, 0.35):
            line(across, -0.8, across, 0.8, "grey")
    elif thing == "Chart":
        for k, (high, fill) in enumerate(((0.5, "blue"), (1.2, "teal"), (0.8, "orange"), (1.4, "blue"))):
            box(-0.8 + 0.43 * k, 0.76 - high, -0.5 + 0.43 * k, 0.76, fill)
    elif thing == "Map":
        for x0, y0, x1, y1 in ((-1, 0.5, -0.3, 0.1), (-0.3, 0.1, 0.2, 0.3), (0.2, 0.3, 1, -0.4)):
            line(x0, y0, x1, y1, "blue")
        canvas.shape("circle", (x - 0.4 * r, y - 0.3 * r), round(0.35 * r), "red")
    else:
        for k, long in enumerate((0.7, 0.7, 0.5, 0.7, 0.3)):
            box(-0.7, -0.55 + 0.27 * k, long, -0.45 + 0.27 * k, "slate" if thing == "Note" else "silver")
