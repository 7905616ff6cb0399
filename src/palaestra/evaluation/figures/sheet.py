"""A sheet to draw on: matplotlib without its global state, laid out in pixels, saved as SVG for the inside of a page.

Colours are names that the page's style gives a value, so one drawing serves light and dark. Text stays text: it is
laid out in a wide typeface, and browsers with a narrower one cut nothing. The same drawing gives the same bytes.
"""

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palaestra.core.errors import ExtraMissing

Axes = Any  # matplotlib's own; only this file imports it
Floats = NDArray[np.float64]

INK, MUTED, LINE, MAIN, ON_MAIN, PAPER = (f"#01010{n}" for n in range(6))
"""Colours that are no colours yet: what stands in the drawing until `Sheet.svg` puts the style's names there."""

_NAMES = ("ink", "muted", "line", "main", "on-main", "paper")
TEXT, SMALL = 12, 10
"""Sizes of type [pixels]."""

TELEPHONE, SHRINKS, KEEPS = 400, 0.7, 0.93
"""A drawing shrinks so far if it then fits a telephone [pixels]; one that must scroll there keeps nearly its size."""

RAMP = "viridis"
"""From little to much: light grows evenly, also for the colour-blind."""

LONGEST = 34
"""Characters of a label; what is longer loses its middle."""

_RC: Any = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a label may say anything
    "font.family": "DejaVu Sans",
    "font.size": TEXT,
    "text.color": INK,
    "hatch.linewidth": 0.6,
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """A drawing under way, `width` times `height` pixels, measured from its top left corner."""

    figure: Any
    width: float
    height: float

    def panel(self, left: float, top: float, width: float, height: float) -> Axes:
        """Return empty axes on a part of the sheet, without frame, ticks or ground."""
        bottom = self.height - top - height
        place = (left / self.width, bottom / self.height, width / self.width, height / self.height)
        axes = self.figure.add_axes(place, facecolor="none")
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0, colors=INK, labelsize=TEXT, pad=6)
        axes.set(xticks=[], yticks=[])
        return axes

    def text(self, left: float, top: float, words: str, **style: Any) -> None:
        """Write words whose left end, or what `ha` says, is `left`, and whose middle is `top`."""
        self.figure.text(left / self.width, 1 - top / self.height, words, **{"va": "center", **style})

    def box(self, left: float, top: float, size: float, **style: Any) -> None:
        """Draw a square as a legend shows it."""
        squares(self.panel(left, top, size, size), [(0.5, 0.5)], [1.0], **style)

    def line(self, left: float, top: float, width: float, **style: Any) -> None:
        """Draw a level line as a legend shows it."""
        axes = self.panel(left, top - 5, width, 10)
        axes.set(xlim=(0, 1), ylim=(0, 1))
        axes.plot([0, 1], [0.5, 0.5], **style)

    def svg(self, name: str, title: str, alt: str) -> str:
        """Return the drawing as an SVG element; `name` keeps its ids apart from those of others on one page."""
        import matplotlib
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        text = StringIO()
        canvas: Any = FigureCanvasSVG(self.figure)
        with matplotlib.rc_context({"svg.hashsalt": name}):
            canvas.print_svg(text, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
        body = text.getvalue().partition("<svg")[2].partition(">")[2]
        body = re.sub(r"<defs>\s*<style.*?</defs>", "", body, count=1, flags=re.DOTALL)  # would style the whole page
        body = re.sub(r"; font-family: [^;\"<]*", "", body)  # the page's own
        body = re.sub(r"#01010([0-5])", lambda found: f"var(--{_NAMES[int(found[1])]})", body)
        asked = set(re.findall(r'(?:href="|url\()#([^")]+)', body))
        body = re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in asked else "", body)
        body = re.sub(r'(\bid="|href="#|url\(#)', rf"\1{name}-", body)
        body = re.sub(r"\s*\n\s*", " ", body).replace("base64, ", "base64,")
        least = self.width * (SHRINKS if SHRINKS * self.width <= TELEPHONE else KEEPS)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
            f'aria-labelledby="{name}-title {name}-alt" width="{self.width:g}" height="{self.height:g}" '
            f'viewBox="0 0 {self.width:g} {self.height:g}" style="min-width: {least:.0f}px">'
        )
        said = f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-alt">{escape(alt)}</desc>'
        return head + said + body


@contextmanager
def sheet(width: float, height: float) -> Iterator[Sheet]:
    """Give a sheet to draw on and to take the drawing from, while the block runs.

    Raises:
        ExtraMissing: matplotlib is not installed.
    """
    with _quietly():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width / 72, height / 72), dpi=72)
        figure.patch.set_visible(False)
        yield Sheet(figure, width, height)


@contextmanager
def _quietly() -> Iterator[None]:
    """Set what drawing needs, and put it back; a glyph that is missing here the browser finds in another typeface."""
    try:
        import matplotlib
    except ImportError as error:
        raise ExtraMissing("figures are drawn with matplotlib: pip install 'palaestra[report]'") from error
    with matplotlib.rc_context(_RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        yield


def label(words: str) -> str:
    """Return words as a label: on one line, printable, and not too long.

    >>> label("grid/frozen_lake"), label("a\\nb")
    ('grid/frozen_lake', 'a b')
    """
    plain = "".join(letter if letter.isprintable() else " " for letter in words)
    half = LONGEST // 2
    return plain if len(plain) <= LONGEST else f"{plain[: half - 1]}\N{HORIZONTAL ELLIPSIS}{plain[-half:]}"


def widest(labels: Iterable[str], size: float = TEXT, weight: str = "normal") -> float:
    """Return the width of the widest label [pixels].

    Raises:
        ExtraMissing: matplotlib is not installed.
    """
    with _quietly():
        from matplotlib.font_manager import FontProperties
        from matplotlib.textpath import TextToPath

        typeface, measured = FontProperties(family="DejaVu Sans", size=size, weight=weight), TextToPath()
        return max((measured.get_text_width_height_descent(each, typeface, False)[0] for each in labels), default=0.0)


def squares(axes: Axes, centres: Sequence[tuple[float, float]], sides: Sequence[float], **style: Any) -> None:
    """Draw squares in the units of some axes, all of them as one path."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    corners_4X = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)])
    if len(centres):
        codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
        points = [np.asarray(centre) + side * corners_4X for centre, side in zip(centres, sides, strict=True)]
        path = Path(np.concatenate(points), codes * len(centres))
        axes.add_patch(PathPatch(path, **{"linewidth": 0, "clip_on": False, **style}))


def ramp(values: Floats, low: float, high: float) -> Floats:
    """Return the colours [..., 4] of some values; one that is no number has none."""
    from matplotlib import colormaps

    share = np.clip((values - low) / ((high - low) or 1.0), 0.0, 1.0)
    colours = np.array(colormaps[RAMP](np.nan_to_num(share)), float)
    colours[..., 3] = np.isfinite(values)
    return colours


def raster(axes: Axes, colours_RCX: Floats, extent: tuple[float, float, float, float]) -> None:
    """Show colours [rows, columns, 4] as sharp-edged pixels on (left, right, bottom, top)."""
    axes.imshow(colours_RCX, interpolation="none", extent=extent, aspect="auto")


def ticks(axis: Any, most: int, whole: bool = False) -> None:
    """Put a few numbers along one axis, on a line if it is the lower one."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(most, integer=whole))
    axis.set_tick_params(labelsize=SMALL, labelcolor=MUTED, color=LINE, pad=4)
    if axis.axis_name == "x":
        axis.set_tick_params(length=3)
        axis.axes.spines["bottom"].set(visible=True, color=LINE)
