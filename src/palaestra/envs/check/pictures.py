"""picture: what is drawn is named, legible, and what the caption says."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palaestra.core.instance import Instance, knobs
from palaestra.core.observation import Element, View
from palaestra.envs.check.case import Case
from palaestra.envs.kit import captions
from palaestra.envs.kit.palette import luminance, nearest_name

LARGE, SMALL = 448, 96
"""Pixels at which every scale, and the embedded scales, are looked at."""

LEAST_GLYPH = {LARGE: 9, SMALL: 6}
LEAST_SIDE = {LARGE: 12, SMALL: 8}
LEAST_CONTRAST = 3.0  # of text, as the ratio of WCAG 2
DISTINCT = 60  # summed difference of the RGB bytes of two colours that a reader tells apart
OVERLAP = 0.05  # largest share of a box under another one, where occlusion is no part of the task
PACK = np.array([1 << 16, 1 << 8, 1])  # turns the bytes of a colour into one number
ON_THE_LINE = 90  # how far a soft pixel may be from the mixture of ground and line


def picture(case: Case) -> Iterator[str]:
    """At 448 pixels on every scale, at 96 on the embedded ones, and on boards that are not square."""
    for instance, state in _looked_at(case):
        for pixels in (LARGE, SMALL):
            if pixels == LARGE or (instance.scale in case.env.spec.embedded_scales and not instance.knobs):
                view = case.view(state, pixels)
                for fault in _faults(case, view, pixels):
                    set_ = "".join(f", {name} {value}" for name, value in instance.knobs)
                    yield f"scale {instance.scale}, seed {instance.seed}{set_}, {pixels} pixels: {fault}"


def _looked_at(case: Case) -> Iterator[tuple[Instance, Any]]:
    for scale in case.scales:
        for instance in case.instances(scale, 3):
            yield instance, case.state(instance)
            moments = case.episode(case.state(instance), case.best)
            yield from ((instance, moment.step.state) for moment in moments[:: max(1, len(moments) // 2)])
    known = {knob.name: knob for knob in case.env.spec.knobs}
    if {"rows", "columns"} <= known.keys():
        for rows, columns in ((3, 7), (5, 4)):
            wanted = {"rows": rows, "columns": columns}
            size = {name: min(max(n, int(known[name].low)), int(known[name].high)) for name, n in wanted.items()}
            instance = case.env.spec.instance(1, 3, knobs=knobs(size))
            yield instance, case.env.reset(instance)


def _faults(case: Case, view: View, pixels: int) -> Iterator[str]:
    image = view.image
    if image is None:
        yield "no picture"
        return
    if max(image.width, image.height) > pixels or max(image.width, image.height) < 0.75 * pixels:
        yield f"the picture is {image.width} x {image.height}; draw natively at the asked size"
    rgb = image.rgb().astype(np.int16)
    if not view.scene:
        yield "the scene names nothing"
        return
    yield from _clipped(view.scene, image.width, image.height)
    yield from _too_small(view.scene, pixels)
    yield from _overlapping(view.scene, "occlusion" in case.env.spec.tags)
    yield from _out_of_order(view.scene)
    yield from _captioned(view)
    yield from _looks(view.scene, rgb)
    yield from _untold_colours(view, rgb)
    yield from _unnamed_ink(view.scene, rgb, "lines" in case.env.spec.tags)


def _clipped(scene: Sequence[Element], width: int, height: int) -> Iterator[str]:
    for name, _, (left, top, right, bottom), _ in scene:
        if not (0 <= left < right <= width and 0 <= top < bottom <= height):
            yield f"{name!r} at {(left, top, right, bottom)} is cut by the picture's edge {width} x {height}"


def _too_small(scene: Sequence[Element], pixels: int) -> Iterator[str]:
    for name, _, (left, top, right, bottom), glyph in scene:
        if glyph and glyph < LEAST_GLYPH[pixels]:
            yield f"the letters of {name!r} are {glyph} pixels high; {LEAST_GLYPH[pixels]} at least"
        if glyph > bottom - top:
            yield f"{name!r} claims letters of {glyph} pixels in a box of {bottom - top}"
        if not glyph and min(right - left, bottom - top) < LEAST_SIDE[pixels]:
            yield f"{name!r} is {right - left} x {bottom - top} pixels; {LEAST_SIDE[pixels]} at least"


def _shared(a: Element, b: Element) -> float:
    """Return the share of the smaller box that lies under both."""
    wide = min(a.box[2], b.box[2]) - max(a.box[0], b.box[0])
    high = min(a.box[3], b.box[3]) - max(a.box[1], b.box[1])
    areas = [(e.box[2] - e.box[0]) * (e.box[3] - e.box[1]) for e in (a, b)]
    return max(wide, 0) * max(high, 0) / min(areas)


def _overlapping(scene: Sequence[Element], allowed: bool) -> Iterator[str]:
    for a, b in combinations(scene, 2):
        if _shared(a, b) > (0.8 if allowed else OVERLAP):
            yield f"{a.name!r} and {b.name!r} lie over one another"


def _out_of_order(scene: Sequence[Element]) -> Iterator[str]:
    """Rows run down and columns run right: a cell further on is drawn further on."""
    placed = [element for element in scene if element.cell is not None]
    for axis, name in ((0, "row"), (1, "column")):
        middles: dict[int, list[float]] = defaultdict(list)
        for element in placed:
            middles[element.cell[axis]].append((element.box[1 - axis] + element.box[3 - axis]) / 2)  # type: ignore[index]
        order = sorted(middles)
        if any(max(middles[a]) >= min(middles[b]) for a, b in pairwise(order)):
            yield f"boxes do not follow the {name}s of their cells"


def _captioned(view: View) -> Iterator[str]:
    said = captions.read(view.caption)
    drawn = Counter((element.name, element.cell) for element in view.scene if element.cell is not None)
    if said != drawn:
        only_said, only_drawn = sorted((said - drawn).elements()), sorted((drawn - said).elements())
        yield f"caption and scene differ: only said {only_said[:2]}, only drawn {only_drawn[:2]}"
    for element in view.scene:
        if element.cell is None and not re.search(rf"(?<!\w){re.escape(element.name)}(?!\w)", view.caption):
            yield f"{element.name!r} is drawn but the caption does not name it"


def _looks(scene: Sequence[Element], rgb: NDArray[np.int16]) -> Iterator[str]:
    """Equal names look alike and different ones do not, every element stands out, every letter has contrast."""
    alone = [e for e in scene if not any(_shared(e, other) for other in scene if other is not e)]
    crops: dict[tuple[str, tuple[int, ...]], NDArray[np.int16]] = {}
    floor = Counter(element.name for element in scene).most_common(1)[0][0]
    for element in alone:
        left, top, right, bottom = element.box
        crop = rgb[top:bottom, left:right]
        if element.cell is not None and not np.array_equal(crops.setdefault((element.name, crop.shape), crop), crop):
            yield f"two of {element.name!r} look different: something is drawn that the scene does not name"
        if element.name != floor and int(np.ptp(crop.reshape(-1, 3), axis=0).sum()) < DISTINCT:
            yield (
                f"{element.name!r} cannot be told from its ground: only the commonest thing of a scene, here "
                f"{floor!r}, may be of one plain colour; give it a rim or a pattern"
            )
        if element.glyph:
            light = luminance(crop.astype(np.uint8))
            if (light.max() + 0.05) / (light.min() + 0.05) < LEAST_CONTRAST:
                yield f"the letters of {element.name!r} have too little contrast"
    for (name, shape), crop in crops.items():
        for (other, other_shape), other_crop in crops.items():
            if name < other and shape == other_shape:
                apart = np.abs(crop - other_crop).sum(axis=2) >= DISTINCT
                if apart.mean() < 0.03:
                    yield f"{name!r} and {other!r} look alike"


def _untold_colours(view: View, rgb: NDArray[np.int16]) -> Iterator[str]:
    """Of things labelled alike, one that is filled with another colour than most has it told in the caption."""
    fills: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, cell, (left, top, right, bottom), glyph in view.scene:
        if cell is None and 0 < glyph < 0.7 * (bottom - top):  # bare letters have no filling
            values, counts = np.unique(rgb[top:bottom, left:right].reshape(-1, 3) @ PACK, return_counts=True)
            most = int(values[counts.argmax()])
            fill = nearest_name((most >> 16, most >> 8 & 255, most & 255))
            fills[re.sub(r"\w+", "x", name)].append((name, fill))
    clauses = re.split(r"[.,;\n]\s*", view.caption)
    for things in fills.values():
        usual = Counter(fill for _, fill in things).most_common(1)[0][0]
        for name, fill in things:
            if fill != usual and not any({name, fill} <= set(clause.split()) for clause in clauses):
                yield f"{name!r} is filled with {fill}, most others with {usual}, and the caption does not say so"


def _unnamed_ink(scene: Sequence[Element], rgb: NDArray[np.int16], lines: bool) -> Iterator[str]:
    """Outside all boxes there is one ground colour, and in worlds of lines one line colour and their mixtures."""
    outside = np.ones(rgb.shape[:2], bool)
    for _, _, (left, top, right, bottom), _ in scene:
        outside[max(top, 0) : bottom, max(left, 0) : right] = False
    packed, counts = np.unique(rgb[outside] @ PACK, return_counts=True)
    colours = np.stack([packed >> 16, packed >> 8 & 255, packed & 255], axis=1)
    order = np.argsort(-counts)
    if len(order) < 2:
        return
    ground = colours[order[0]].astype(float)
    line = colours[np.abs(colours - ground).sum(axis=1).argmax()].astype(float)
    along = np.clip((colours - ground) @ (line - ground) / max(((line - ground) ** 2).sum(), 1), 0, 1)
    beside = np.abs(colours - (ground + along[:, None] * (line - ground))).sum(axis=1) > ON_THE_LINE
    if not lines:
        yield f"{int(counts[order[1:]].sum())} pixels outside every element are not ground: name what is drawn"
    elif counts[beside].sum() > 0.002 * outside.size:
        yield "lines of a second colour are drawn outside every element: name what they mean, or do not draw it"
