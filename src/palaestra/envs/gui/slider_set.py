"""Slider set: bring sliders to the values told by clicking on their tracks, then apply.

Scales begin and end elsewhere for each slider, some values are told as so much more or less than another slider's, and
sliders that the task does not name stay where they are. Applying ends the episode, right or wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.gui import _widgets
from palaestra.envs.gui._widgets import Widget
from palaestra.envs.kit import splits

LABELS = ("Volume", "Bass", "Treble", "Balance", "Light", "Contrast", "Tint", "Speed", "Tempo", "Echo", "Zoom", "Blur")
RANGES = ((0, 100), (0, 50), (20, 80), (-50, 50), (100, 500), (10, 40))
LEFT, RIGHT = 200, 800
"""Where tracks begin and end."""
MARGIN = 0.06  # share of a track at either end where no value is wanted: its thumb would be cut

TASK = "Set {}, then apply."
RULES = (
    "A click on a track moves its slider there; tracks go from x = {} to x = {}. A value is right within {} % of its "
    "scale; one told by another slider counts from the value that the task gives that one. Sliders that are not named "
    "must stay as they are. Applying ends the task."
)
HINT = "The share of the track to the left of your click should be the share of the scale below the value."


@dataclass(frozen=True, slots=True)
class Slider:
    """A slider from `low` to `high`; `base` is the one its wanted value is told by, -1 where it is told plainly."""

    label: str
    low: int
    high: int
    value: int
    wanted: int
    told: bool
    base: int = -1

    def x(self, value: int) -> int:
        """Return where a value is on the track."""
        return round(LEFT + (RIGHT - LEFT) * (value - self.low) / (self.high - self.low))

    def off(self, value: int) -> float:
        """Return how far a value is from the wanted one, in hundredths of the scale."""
        return 100 * abs(value - self.wanted) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Panel:
    """The sliders from top to bottom, what is allowed (in hundredths of a scale), and whether they were applied."""

    sliders: tuple[Slider, ...]
    tolerance: int
    applied: bool = False


class SliderSet:
    """The environment."""

    spec = EnvSpec(
        id="gui/slider_set",
        version=1,
        title="Slider set",
        horizon=22,
        scales=(
            {"sliders": 2, "told": 1, "related": 0, "tolerance": 5},
            {"sliders": 3, "told": 2, "related": 0, "tolerance": 4},
            {"sliders": 4, "told": 3, "related": 1, "tolerance": 4},
            {"sliders": 4, "told": 4, "related": 2, "tolerance": 3},
            {"sliders": 5, "told": 5, "related": 3, "tolerance": 3},
            {"sliders": 6, "told": 6, "related": 4, "tolerance": 2},
        ),
        knobs=(
            Knob("sliders", 1, 7, "sliders of the panel"),
            Knob("told", 1, 7, "sliders that the task names, all at most"),
            Knob("related", 0, 6, "of these, sliders told by the value of another"),
            Knob("tolerance", 2, 8, "hundredths of a scale that a value may be off"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "continuous"}),
    )

    def reset(self, instance: Instance) -> Panel:
        settings = self.spec.settings(instance)
        count, told, related, tolerance = (int(settings[name]) for name in ("sliders", "told", "related", "tolerance"))
        told = min(told, count)

        def propose(rng: np.random.Generator) -> Panel:
            labels = rng.permutation(len(LABELS))[:count].tolist()
            roles = rng.permutation(count).tolist()
            sliders: list[Slider] = []
            for k, (label, low, high) in enumerate(_scales(rng, labels)):
                edge = max(1, round(MARGIN * (high - low)))
                value, wanted = rng.integers(low + edge, high - edge + 1, size=2).tolist()
                while abs(value - wanted) * 100 <= 3 * tolerance * (high - low):
                    wanted = int(rng.integers(low + edge, high - edge + 1))
                named = roles[k] < told
                base = roles.index(roles[k] - 1) if named and 0 < roles[k] <= related else -1
                sliders.append(Slider(LABELS[label], low, high, value, wanted if named else value, named, base))
            return Panel(tuple(sliders), tolerance)

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Panel) -> int:
        return 3 * len(state.sliders) + 1

    def public(self, state: Panel) -> Panel:
        return state

    def view(self, public: Panel, pixels: int = 448) -> View:
        widgets = _layout(public)
        image, scene = _widgets.draw(widgets, pixels)
        told = ", ".join(_told(public, slider) for slider in public.sliders if slider.told)
        return View(
            _widgets.CLICK,
            image,
            f"{TASK.format(told)} {_widgets.CLICK.describe()}",
            RULES.format(LEFT, RIGHT, public.tolerance),
            HINT,
            f"Sliders that are not yet right: {len(_wrong(public))} of {len(public.sliders)}.",
            _widgets.tree(widgets),
            scene,
        )

    def step(self, state: Panel, action: tuple[float, float]) -> Step[Panel]:
        widgets = _layout(state)
        target = _widgets.hit(widgets, action)
        if target is None:
            return Step(state, events=("click_missed",))
        if target.kind == "button":
            return _widgets.committed(replace(state, applied=True), not _wrong(state))
        k = [widget for widget in widgets if widget.kind == "slider"].index(target)
        slider = state.sliders[k]
        value = round(slider.low + (slider.high - slider.low) * (action[0] - LEFT) / (RIGHT - LEFT))
        sliders = (*state.sliders[:k], replace(slider, value=value), *state.sliders[k + 1 :])
        off = slider.off(value)
        events = ["field_set" if off <= state.tolerance else "field_missed"]
        if slider.told and off > state.tolerance:
            events.append("value_near" if off < 2 * state.tolerance else "value_off")
        return Step(replace(state, sliders=sliders), events=tuple(events))

    def solve(self, state: Panel) -> Sequence[str] | None:
        """Return a click on each track whose slider is off, then the one that applies."""
        wrong = _wrong(state)
        if state.applied:
            return None if wrong else ()
        *_, button = widgets = _layout(state)
        tracks = [widget for widget in widgets if widget.kind == "slider"]
        clicks = [(state.sliders[k].x(state.sliders[k].wanted), sum(tracks[k].box[1::2]) // 2) for k in wrong]
        return (*(_widgets.CLICK.format(click) for click in clicks), button.centre)

    def problem(self, state: Panel) -> bytes:
        """Return scales, labels and values, whatever the order of the sliders and the tolerance."""
        sliders = [replace(slider, base=-1) for slider in state.sliders]
        told = [_told(state, slider) for slider in state.sliders]
        return repr(sorted(zip(map(repr, sliders), told, strict=True))).encode()


def _scales(rng: np.random.Generator, labels: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return each label with the ends of a scale, drawn for each."""
    return [(label, *RANGES[k]) for label, k in zip(labels, rng.integers(len(RANGES), size=len(labels)), strict=True)]


def _told(panel: Panel, slider: Slider) -> str:
    """Return how the task tells the value of a slider."""
    if slider.base < 0:
        return f"{slider.label} to {slider.wanted}"
    base = panel.sliders[slider.base]
    more = slider.wanted - base.wanted
    if not more:
        return f"{slider.label} to the same value as {base.label}"
    return f"{slider.label} to {abs(more)} {'more' if more > 0 else 'less'} than {base.label}"


def _wrong(panel: Panel) -> list[int]:
    """Return the sliders that are not where they should be."""
    return [k for k, slider in enumerate(panel.sliders) if slider.off(slider.value) > panel.tolerance]


def _layout(panel: Panel) -> Sequence[Widget]:
    """Return for each slider its label and, below it, its track between the ends of its scale; the button last."""
    rows = 2 * len(panel.sliders) + 2
    widgets = [_widgets.window("Mixer", rows)]
    for k, slider in enumerate(panel.sliders):
        mark = f"{slider.value} of {slider.low} to {slider.high}"
        below = 2 * k + 2
        widgets += [
            Widget("text", slider.label, _widgets.line(rows, below - 1)),
            Widget("label", str(slider.low), _widgets.line(rows, below, 30, LEFT - 10), depth=2),
            Widget("slider", slider.label, _widgets.line(rows, below, LEFT, RIGHT), mark, 2),
            Widget("label", str(slider.high), _widgets.line(rows, below, RIGHT + 10, 970), depth=2),
        ]
    return [*widgets, Widget("button", "Apply", _widgets.line(rows, rows - 1, 350, 650))]


environment = SliderSet()
