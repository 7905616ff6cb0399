"""Pictures in a terminal: every character is an upper half block, so that it shows two pixels, one above the other."""

from rich.color import Color
from rich.console import Console, RenderableType
from rich.style import Style
from rich.text import Text

from palaestra.core.observation import Picture

COLUMNS = 64


def shown(picture: Picture, console: Console) -> RenderableType:
    """Return a picture drawn with half blocks where a terminal has colours, else its size and digest."""
    if console.is_terminal and console.color_system is not None:
        return halves(picture, min(COLUMNS, console.width - 4))
    return Text(f"{picture.width} x {picture.height} pixels, sha256 {picture.sha256}")


def halves(picture: Picture, columns: int = COLUMNS) -> Text:
    """Return a picture as lines of half blocks, scaled to a width in columns."""
    from PIL import Image

    lines = max(1, round(columns * picture.height / picture.width / 2))
    small = Image.fromarray(picture.rgb()).resize((columns, 2 * lines), Image.Resampling.BOX)
    rows = [[Color.from_rgb(*small.getpixel((x, y))) for x in range(columns)] for y in range(2 * lines)]  # type: ignore[misc]
    text = Text(end="")
    for upper, lower in zip(rows[::2], rows[1::2], strict=True):
        for above, below in zip(upper, lower, strict=True):
            text.append("▀", Style(color=above, bgcolor=below))
        text.append("\n")
    text.rstrip()
    return text
