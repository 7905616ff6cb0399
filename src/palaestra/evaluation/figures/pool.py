"""Pictures of the pool: what a player sees of each environment at the start of one instance."""

import re
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO

from palaestra.core.environment import Pool
from palaestra.evaluation.report import Figure, Section, Table, printable

PIXELS = 160
"""The width of a picture; it is shown a little smaller."""

TITLE = "Pictures of the pool"

CAPTION = (
    "The start of one training instance of each environment, seed 0, at the largest scale that is legible in a small "
    "picture, or the easiest where none is named: what a player sees under harness H4, beside the task."
)


@dataclass(frozen=True, slots=True)
class Card:
    """One environment: its picture as PNG bytes, or why there is none."""

    env_id: str
    title: str = ""
    scales: int = 0
    scale: int = 0
    png: bytes = b""
    why: str = ""


def cards(env_ids: Sequence[str], pool: Pool, absent: Mapping[str, str]) -> list[Card]:
    """Return a card of each environment; one that is not in the pool says why it is `absent`."""
    return [_card(env_id, pool) if env_id in pool else Card(env_id, why=absent[env_id]) for env_id in env_ids]


def pictures(shown: Sequence[Card], picked: Sequence[str], held_out: Collection[str]) -> Section:
    """Return the section that shows some cards, picked and held-out ones marked."""
    place = {env_id: n for n, env_id in enumerate(picked, 1)}
    marks = {own.env_id: _marks(own.env_id, place, held_out) for own in shown}
    grid = "\n".join(_markup(own, marks[own.env_id]) for own in shown if own.png)
    blank = sum(not own.png for own in shown)
    without = [f"Without a picture: {blank} of {len(shown)} environments; the table says why."] if blank else []
    rows = (
        (
            own.env_id,
            own.title,
            f"0 to {own.scales - 1}" if own.scales else "",
            ", ".join(marks[own.env_id].values()),
            own.why or f"scale {own.scale}",
        )
        for own in shown
    )
    table = Table("The environments as a table", ("environment", "title", "scales", "part", "picture"), tuple(rows))
    drawn = [Figure(f'<div class="cards">{grid}</div>', CAPTION)] if grid else []
    return Section("pool", TITLE, (*drawn, *without, table))


def _card(env_id: str, pool: Pool) -> Card:
    env = pool[env_id]
    spec = env.spec
    scale = max(spec.embedded_scales, default=0)
    try:
        picture = env.view(env.public(env.reset(spec.instance(scale, 0))), PIXELS).image
    except Exception as error:  # its author's to mend; the report goes on
        return Card(env_id, spec.title, len(spec.scales), scale, why=f"drawing failed: {type(error).__name__}")
    png, why = (b"", "it draws no picture") if picture is None else (_small(picture.png()), "")
    return Card(env_id, spec.title, len(spec.scales), scale, png, why)


def _small(png: bytes) -> bytes:
    """Return a PNG file again, small rather than fast."""
    from PIL import Image

    buffer = BytesIO()
    Image.open(BytesIO(png)).save(buffer, "PNG", optimize=True)
    return buffer.getvalue() if buffer.tell() < len(png) else png


def _marks(env_id: str, place: Mapping[str, int], held_out: Collection[str]) -> dict[str, str]:
    """Return the words that say which part an environment has, by the class of their style."""
    picked = {"picked": f"pick {place[env_id]}"} if env_id in place else {}
    return picked | ({"held-out": "held out"} if env_id in held_out else {})


def _markup(own: Card, marks: Mapping[str, str]) -> str:
    env_id, title = (escape(printable(words)) for words in (own.env_id, own.title))
    source = f"data:image/png;base64,{b64encode(own.png).decode()}"
    seen = f'<img width="{PIXELS}" height="{PIXELS}" src="{source}" alt="{title} at scale {own.scale}, seed 0">'
    tags = "".join(f'<span class="tag {kind}">{words}</span>' for kind, words in marks.items())
    scales = f'<span class="scales">scales 0 to {own.scales - 1}, here {own.scale}</span>'
    env_id = re.sub("([/_])", r"\1<wbr>", env_id)
    name = f'<b>{title}</b><span class="id">{env_id}</span>'
    return f'<div class="card">{seen}{name}{scales}<span class="tags">{tags}</span></div>'
