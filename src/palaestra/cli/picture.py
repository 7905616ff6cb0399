"""Pictures in a terminal: every character is an upper half block, so that it shows two pixels, one above the other."""

from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.text import Text

from palaestra.core.observation import Picture

COLUMNS = 64


def drawn(picture: Picture, console: Console) -> Text | None:
    """Return a picture as lines of half blocks; None where the console is no terminal, or has no colours."""
    if not console.is_terminal or console.color_system is None:
        return None
    return halves(picture, min(COLUMNS, console.width - 4))


def halves(picture: Picture, columns: int = COLUMNS) -> Text:
    """Return a picture as lines of half blocks, scaled to a width in columns."""
    from PIL import Image

    lines = max(1, round(columns * picture.height / picture.width / 2))
    small = Image.fromarray(picture.rgb()).resize((columns, 2 * lines), Image.Resampling.BOX)
    rows = [[Color.from_rgb(*small.getpixel((x, y))) for x in range(columns)] for y in range(2 * lines)]  # type: ignore[misc]
    blocks = [
        Text.assemble(*(("▀", Style(color=above, bgcolor=below)) for above, below in zip(upper, lower, strict=True)))
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    ]
    return Text("\n").join(blocks)
