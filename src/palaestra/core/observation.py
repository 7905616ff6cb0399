"""What a player is shown: views with every channel, and harnesses that choose among the channels.

A *view* is everything an environment can show of a position. A *harness* (here: text beside an observation; elsewhere
the word means the program that drives a model) is a set of channels. The ladder H0 .. H4 withdraws text rung by rung.

Source: the harness levels of Hierarchical Difficulty Curriculum, table 7 (text observation, state, hint, rules
withdrawn in this order). Departures: what each channel holds is our own definition, as the paper gives none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palaestra.core.answer import Answer
from palaestra.core.errors import EnvironmentFailed

Channel = str
IMAGE: Channel = "image"
TASK: Channel = "task"
RULES: Channel = "rules"
HINT: Channel = "hint"
STATE: Channel = "state"
CAPTION: Channel = "caption"


@dataclass(frozen=True, eq=False)
class Picture:
    """An image as an array [height, width] of palette indices with a palette [256, 3], or [height, width, 3] of RGB
    bytes.

    Palette pictures are a third of the size and encode several times faster; two pictures are equal when their decoded
    pixels are.

    >>> black = Picture(np.zeros((2, 3, 3), np.uint8))
    >>> black.width, black.height, Picture.from_png(black.png()) == black
    (3, 2, True)
    """

    pixels: NDArray[np.uint8]
    palette: NDArray[np.uint8] | None = None

    def __post_init__(self) -> None:
        shape = self.pixels.shape
        right = len(shape) == 2 if self.palette is not None else len(shape) == 3 and shape[2] == 3
        if not right or self.pixels.dtype != np.uint8:
            raise EnvironmentFailed(
                f"picture: found {self.pixels.dtype} of shape {self.pixels.shape}; give uint8 [height, width] with a "
                "palette or uint8 [height, width, 3]"
            )

    @property
    def height(self) -> int:
        """Rows of pixels."""
        return int(self.pixels.shape[0])

    @property
    def width(self) -> int:
        """Columns of pixels."""
        return int(self.pixels.shape[1])

    def rgb(self) -> NDArray[np.uint8]:
        """Return the decoded pixels [height, width, 3]."""
        return self.pixels if self.palette is None else np.take(self.palette, self.pixels, axis=0)

    @cached_property
    def sha256(self) -> str:
        """Digest of the decoded pixels and their shape: independent of how the file is encoded."""
        return sha256(f"{self.height}x{self.width}:".encode() + self.rgb().tobytes()).hexdigest()

    def png(self) -> bytes:
        """Return the picture as a PNG file, fast rather than small."""
        from PIL import Image  # a training process that never stores pictures never loads the codec

        image = Image.fromarray(self.pixels)
        if self.palette is not None:
            image.putpalette(self.palette.tobytes())
        buffer = BytesIO()
        image.save(buffer, "PNG", compress_level=1)
        return buffer.getvalue()

    @staticmethod
    def from_png(data: bytes) -> "Picture":
        """Return the picture in a PNG file's bytes, decoded to RGB."""
        from PIL import Image

        return Picture(np.asarray(Image.open(BytesIO(data), formats=("PNG",)).convert("RGB")))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Picture) and self.sha256 == other.sha256

    def __hash__(self) -> int:
        return hash(self.sha256)


class Element(NamedTuple):
    """One thing that an image shows.

    `cell` is its (row, column) in the caption's coordinates when it has one, `box` its (left, top, right, bottom) in
    pixels, `glyph` the height in pixels of the text inside it (0 when there is none).

    >>> Element("hole", (0, 1), (20, 0, 40, 20)).cell
    (0, 1)
    """

    name: str
    cell: tuple[int, int] | None
    box: tuple[int, int, int, int]
    glyph: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """Everything a position shows, channel by channel; a harness decides how much of it a player gets.

    `task` is the goal and the answer format, `rules` how this world changes and what it rewards, `hint` advice that
    never names the next action, `state` facts a player would have to compute or remember, `caption` all that the
    image shows.
    `scene` lists what the image shows with its places; `extra` holds further channels as text or as an overlay picture.

    >>> from palaestra.core.answer import Integer
    >>> View(Integer(0, 9), task="Count.", extra=(("grid", "lines at 10, 20"),)).texts()["grid"]
    'lines at 10, 20'
    """

    answer: Answer
    image: Picture | None = None
    task: str = ""
    rules: str = ""
    hint: str = ""
    state: str = ""
    caption: str = ""
    scene: tuple[Element, ...] = ()
    extra: tuple[tuple[Channel, str | Picture], ...] = ()

    def texts(self) -> Mapping[Channel, str]:
        """Return the text channels in reading order: task, rules, hint, state, caption, further ones."""
        own = {TASK: self.task, RULES: self.rules, HINT: self.hint, STATE: self.state, CAPTION: self.caption}
        return own | {name: value for name, value in self.extra if isinstance(value, str)}


@dataclass(frozen=True, slots=True)
class Observation:
    """What one player got at one turn: an image or none, one text, and what a reply may say.

    >>> from palaestra.core.answer import Integer
    >>> H4.show(View(Integer(0, 9), task="Count.", hint="Go row by row."))
    Observation(image=None, text='Count.', answer=Integer(low=0, high=9))
    """

    image: Picture | None
    text: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class Harness:
    """A named set of channels: how much of a view is shown.

    >>> sorted(H4.channels)
    ['image', 'task']
    >>> from palaestra.core.answer import Integer
    >>> H3.show(View(Integer(0, 9), task="Count.", rules="All count.", hint="Go row by row.")).text
    'Count.\\nAll count.'
    """

    name: str
    channels: frozenset[Channel]

    def show(self, view: View) -> Observation:
        """Return what a player under this harness sees of a view."""
        text = "\n".join(text for name, text in view.texts().items() if text and name in self.channels)
        image = view.image if IMAGE in self.channels else None
        for name, layer in view.extra:
            if name in self.channels and isinstance(layer, Picture):
                image = _laid_over(image, layer)
        return Observation(image, text, view.answer)


def _laid_over(image: Picture | None, layer: Picture) -> Picture:
    """Lay a picture over another of the same size: its black pixels are transparent."""
    if image is None:
        return layer
    if image.pixels.shape[:2] != layer.pixels.shape[:2]:
        raise EnvironmentFailed(
            f"overlay: {layer.width}x{layer.height} over {image.width}x{image.height}; make them equal"
        )
    over = layer.rgb()
    return Picture(np.where(over.any(axis=2, keepdims=True), over, image.rgb()))


H0 = Harness("H0", frozenset({TASK, IMAGE, RULES, HINT, STATE, CAPTION}))
H1 = Harness("H1", frozenset({TASK, IMAGE, RULES, HINT, STATE}))
H2 = Harness("H2", frozenset({TASK, IMAGE, RULES, HINT}))
H3 = Harness("H3", frozenset({TASK, IMAGE, RULES}))
H4 = Harness("H4", frozenset({TASK, IMAGE}))
LADDER: Sequence[Harness] = (H0, H1, H2, H3, H4)
SYMBOLIC = Harness("SYMBOLIC", frozenset({TASK, CAPTION}))
VISUAL = Harness("VISUAL", H4.channels)
HARNESSES: Mapping[str, Harness] = MappingProxyType({h.name: h for h in (*LADDER, SYMBOLIC, VISUAL)})
"""The named harnesses, for configurations and stored trajectories."""
