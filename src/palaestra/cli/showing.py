"""``palaestra show``: one instance as a player under some rung first sees it, channel by channel."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.panel import Panel
from rich.text import Text

from palaestra.cli.console import OUT, emit, say
from palaestra.cli.options import Json, KnobSettings, Seed, knob_settings, picture_width, rung
from palaestra.cli.picture import drawn
from palaestra.core.answer import to_json
from palaestra.core.environment import Environment
from palaestra.core.errors import ConfigError, EnvironmentFailed, PalaestraError
from palaestra.core.instance import Instance, Split, knobs
from palaestra.core.observation import CAPTION, HINT, RULES, STATE, TASK, Harness, Picture, View
from palaestra.core.runfolder import write_atomic
from palaestra.envs import registry

CHANNELS = (TASK, RULES, HINT, STATE, CAPTION)


def show(
    env_id: Annotated[str, typer.Argument(metavar="ID", help="An id, a module or a .py file.")],
    scale: Annotated[int, typer.Option(min=0, help="The scale: how difficult.")] = 0,
    seed: Seed = 0,
    split: Annotated[Split, typer.Option(help="The split that the problem belongs to.")] = Split.TRAIN,
    knob: KnobSettings = None,
    rung_name: Annotated[str, typer.Option("--rung", help="What is shown: H0 (all) to H4, SYMBOLIC, VISUAL.")] = "H0",
    pixels: Annotated[int, typer.Option(help="Width of the picture; 0 draws none.")] = 448,
    png: Annotated[Path | None, typer.Option(help="Also write the picture to this file.")] = None,
    json: Json = False,
) -> None:
    """Show one instance: what each channel says, and its picture."""
    env, harness = registry.find(env_id), rung(rung_name)
    instance = env.spec.instance(scale, seed, split, knobs(knob_settings(knob)))
    view = _first_view(env, instance, picture_width(pixels))
    image = harness.show(view).image
    if png is not None:
        if image is None:
            raise ConfigError(
                f"--png {png}: rung {harness.name} shows no picture here; ask for H4 and more than 0 pixels"
            )
        write_atomic(png, image.png())
        say(f"wrote {png}")
    if json:
        emit(_described(instance, harness, view, image))
    else:
        _print(instance, harness, view, image)


def _first_view(env: Environment[Any, Any], instance: Instance, pixels: int) -> View:
    try:
        return env.view(env.public(env.reset(instance)), pixels)
    except PalaestraError:
        raise
    except Exception as error:
        what = f"{instance.key()} at {pixels} pixels: {type(error).__name__}: {error}"
        raise EnvironmentFailed(f"{what}; palaestra check {env.spec.id} may tell why") from error


def _described(instance: Instance, harness: Harness, view: View, image: Picture | None) -> dict[str, Any]:
    texts = view.texts()
    return {
        "key": instance.key(),
        **{channel: texts[channel] if channel in harness.channels else None for channel in CHANNELS},
        "answer": to_json(view.answer),
        "image": {"width": image.width, "height": image.height, "sha256": image.sha256} if image else None,
    }


def _print(instance: Instance, harness: Harness, view: View, image: Picture | None) -> None:
    OUT.print(Text.assemble((instance.key(), "bold cyan"), (f"  under {harness.name}", "dim")))
    for channel, text in view.texts().items():
        if text and channel in harness.channels:
            OUT.print(_panel(channel, Text(text)))
    OUT.print(_panel("answer", Text(view.answer.describe())))
    if image is not None:
        digest = Text(f"{image.width} x {image.height} pixels\nsha256 {image.sha256}\n--png FILE writes it")
        OUT.print(_panel("image", drawn(image, OUT) or digest))


def _panel(title: str, content: RenderableType) -> Panel:
    """Return one channel in a frame as wide as its content."""
    return Panel(content, title=Text(title, "dim"), title_align="left", border_style="dim", expand=False)
