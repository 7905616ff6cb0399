"""The gallery: a page on every environment, with what it looks like, what it says at each rung, and who wins it.

    OUT/index.html              all of them, on one page that needs nothing else
    OUT/README.md, FAMILY.md    the same to be read beside the code
    OUT/pictures/               one strip for each environment: its scales from left to right

Each entry ends with a digest of what the environment shows. A page whose digests are no longer those of the pool is
stale: `stale` names the environments that changed, came or went.
"""

import inspect
import re
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from palaestra.core.distribution import Cell
from palaestra.core.environment import Environment, Guided, Pool
from palaestra.core.errors import RunFolderError
from palaestra.core.observation import H4, LADDER, TASK, Picture
from palaestra.core.policy import Insider, Policy
from palaestra.core.rate import Rate
from palaestra.core.runfolder import write_atomic
from palaestra.core.ticket import Ticket
from palaestra.envs import held_out
from palaestra.envs.digest import digest
from palaestra.evaluation.report import Block, Code, Figure, Section, Table, markdown, page
from palaestra.rollout.play import play
from palaestra.rollout.policies import Guide, Oracle, Random

PIXELS, SHOWN = 448, 224
"""Widths at which a scale is drawn, and at which a strip shows it."""
GAP = 8
EPISODES = {"random": 100, "guide": 20, "oracle": 20}
"""Episodes of each player at each scale, every one on an instance of its own."""
INDEX, PICTURES = "README.md", "pictures"

_SPEED = re.compile(r"when this page was made: (\S+)\n- Digest of what it shows: (\S+) ([0-9a-f]{16})$", re.MULTILINE)
_TOLD = re.compile(r"^- Digest of what it shows: (\S+) ([0-9a-f]{16})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What the gallery has to tell of one environment."""

    env_id: str
    title: str
    line: str
    picture: bytes
    blocks: tuple[Block, ...]


def gallery(
    pool: Pool,
    out: Path,
    speed: Callable[[Environment[Any, Any]], float],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Path]:
    """Write the gallery of a pool into a folder, and return its pages.

    Args:
        speed: measures resets with a picture, a second; asked only for what is not shown yet as it is.
        progress: told how many environments of how many are done.

    Raises:
        RunFolderError: the folder cannot be written.
    """
    shown: dict[str, list[Exhibit]] = {}
    known = _speeds(out)
    for done, env in enumerate(pool.values()):
        progress(done, len(pool))
        mark = _digest(env)
        resets_per_s = known.get((env.spec.id, mark)) or f"{speed(env):,.0f}"
        shown.setdefault(env.spec.family, []).append(exhibit(env, mark, resets_per_s))
    pages = {
        "index.html": page("The pool", [_section(own, inline=True) for family in shown.values() for own in family]),
        INDEX: _contents(shown),
    }
    for family, own in shown.items():
        pages[f"{family}.md"] = markdown(f"Family {family}", [_section(one, inline=False) for one in own])
    try:
        (out / PICTURES).mkdir(parents=True, exist_ok=True)
        for one in (one for own in shown.values() for one in own):
            write_atomic(out / _place(one.env_id), one.picture)
        for name, text in pages.items():
            write_atomic(out / name, text.encode())
    except OSError as error:
        raise RunFolderError(f"{out}: cannot be written ({error}); name another folder with --out") from error
    return [out / name for name in pages]


def stale(pool: Pool, folder: Path) -> list[str]:
    """Return the environments of which a gallery does not show what they show now, and those it shows no more."""
    told = dict(_TOLD.findall("\n".join(path.read_text("utf-8") for path in sorted(folder.glob("*.md")))))
    now = {env_id: _digest(env) for env_id, env in pool.items()}
    return sorted(env_id for env_id in now.keys() | told.keys() if now.get(env_id) != told.get(env_id))


def _speeds(folder: Path) -> dict[tuple[str, str], str]:
    """Return the speeds that the pages of a folder tell, by environment and digest."""
    text = "\n".join(path.read_text("utf-8") for path in sorted(folder.glob("*.md")))
    return {(env_id, mark): told for told, env_id, mark in _SPEED.findall(text)}


def _digest(env: Environment[Any, Any]) -> str:
    return digest(env, range(len(env.spec.scales)), SHOWN)


def exhibit(env: Environment[Any, Any], mark: str, resets_per_s: str) -> Exhibit:
    """Return what there is to tell of one environment, after playing it."""
    spec = env.spec
    views = [env.view(env.public(env.reset(spec.instance(scale, 0))), PIXELS) for scale in range(len(spec.scales))]
    pictures = [view.image for view in views if view.image is not None]
    words = inspect.getdoc(sys.modules[type(env).__module__]) or spec.title
    facts = (
        f"Answer: {views[0].answer.describe()}",
        f"Tags: {', '.join(sorted(spec.tags))}{'; held out' * (spec.id in held_out.HELD_OUT)}",
        *(f"Knob {knob.name}, {knob.low} to {knob.high}: {knob.doc}" for knob in spec.knobs),
        f"Resets a second of one core with a picture of {PIXELS} pixels, when this page was made: {resets_per_s}",
        f"Digest of what it shows: {spec.id} {mark}",
    )
    texts = views[0].texts()
    said: list[Block] = [Code("Every rung shows the task", texts[TASK])]
    for lower, upper in pairwise(reversed(LADDER)):
        (more,) = upper.channels - lower.channels
        said.append(Code(f"{upper.name} adds the {more}", texts[more]))
    blocks: tuple[Block, ...] = (words.split("\n\n")[0], facts, _scores(env), *said)
    return Exhibit(spec.id, spec.title, " ".join(words.split("\n\n")[0].split()), _strip(pictures), blocks)


def _scores(env: Environment[Any, Any]) -> Table:
    """Return who wins how often at each scale."""
    players: dict[str, Policy | Insider] = {"random": Random(), "oracle": Oracle()}
    if isinstance(env, Guided):
        players["guide"] = Guide()
    rows = []
    for scale, settings in enumerate(env.spec.scales):
        told = ", ".join(f"{name} {value}" for name, value in settings.items())
        wins = (str(_wins(env, scale, player, EPISODES[name])) for name, player in players.items())
        rows.append((str(scale), told, *wins))
    return Table("Success by scale", ("scale", "parameters", *players), tuple(rows), opened=True)


def _wins(env: Environment[Any, Any], scale: int, player: Policy | Insider, episodes: int) -> Rate:
    cell = Cell(env.spec.id, scale, H4, rollouts=1)
    tickets = [Ticket(seed, cell, env.spec.instance(scale, seed)) for seed in range(episodes)]
    groups = play(tickets, {env.spec.id: env}, player, pixels=0)
    return Rate(sum(member.success for group in groups for member in group.trajectories), episodes)


def _strip(pictures: Iterable[Picture]) -> bytes:
    """Return pictures side by side as a PNG file, each as wide as a strip shows it."""
    from PIL import Image

    small = []
    for picture in pictures:
        size = (SHOWN, max(1, round(SHOWN * picture.height / picture.width)))
        small.append(Image.fromarray(np.asarray(picture.rgb())).resize(size, Image.Resampling.LANCZOS))
    width = len(small) * (SHOWN + GAP) - GAP
    strip = Image.new("RGB", (width, max(image.height for image in small)), "white")
    for place, image in enumerate(small):
        strip.paste(image, (place * (SHOWN + GAP), 0))
    buffer = BytesIO()
    strip.quantize(96, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _place(env_id: str) -> str:
    return f"{PICTURES}/{env_id.replace('/', '.')}.png"


def _section(one: Exhibit, *, inline: bool) -> Section:
    source = f"data:image/png;base64,{b64encode(one.picture).decode()}" if inline else _place(one.env_id)
    figure = Figure(
        f'<img src="{source}" alt="{escape(one.title)}">',
        "Seed 0 at every scale, the easiest first.",
        _place(one.env_id),
    )
    words, *rest = one.blocks
    return Section(one.env_id.replace("/", "-"), f"{one.title} ({one.env_id})", (words, figure, *rest))


def _contents(shown: Mapping[str, list[Exhibit]]) -> str:
    """Return the index as Markdown: one line for each environment."""
    parts = ["# The pool", f"{sum(map(len, shown.values()))} environments in {len(shown)} families."]
    for family, own in shown.items():
        parts += [
            f"## [{family}]({family}.md)",
            *(f"![{one.title}]({_place(one.env_id)})\n\n{one.line}" for one in own),
        ]
    return "\n\n".join(parts) + "\n"
