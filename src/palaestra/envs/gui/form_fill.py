"""Form fill: set lists, check boxes and radio buttons of a form as told, then save it.

What is told is less than what the form holds: the rest stays as it is, and some of what is told is set already.
Saving ends the episode, right or wrong.
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

LISTS = {
    "Font": ("Serif", "Sans", "Mono"),
    "Zoom": ("50 %", "75 %", "100 %"),
    "Colour": ("Red", "Green", "Blue"),
    "Unit": ("Inch", "Metre", "Yard"),
    "Day": ("Monday", "Friday", "Sunday"),
    "Language": ("Greek", "Polish", "Welsh"),
}
RADIOS = {
    "Paper": ("A3", "A4", "A5"),
    "Size": ("Small", "Medium", "Large"),
    "Side": ("Left", "Middle", "Right"),
    "Speed": ("Slow", "Normal", "Fast"),
    "Order": ("Name", "Date", "Type"),
    "Theme": ("Light", "Dark", "Warm"),
}
CHECKS = ("Grid", "Sound", "Ruler", "Shadow", "Backup", "Preview", "Border", "Alarm")
KINDS = (
    *((label, "list", options) for label, options in LISTS.items()),
    *((label, "radio", options) for label, options in RADIOS.items()),
    *((label, "check", ("off", "on")) for label in CHECKS),
)

TASK = "Set {}; leave everything else as it is, and save."
RULES = (
    "A click on a list opens it, on an option chooses it. Check boxes switch, of radio buttons one is on. "
    "Saving ends the task."
)
HINT = "Compare each control with what is asked for; save when nothing is left to change."


@dataclass(frozen=True, slots=True)
class Field:
    """A control with its options, the one that is set, and the one wanted; `told` says whether the task names it."""

    label: str
    kind: str
    options: tuple[str, ...]
    value: int
    wanted: int
    told: bool


@dataclass(frozen=True, slots=True)
class Form:
    """The fields from top to bottom, the one whose list is open (-1: none), and whether the form was saved."""

    fields: tuple[Field, ...]
    open: int = -1
    saved: bool = False


class FormFill:
    """The environment."""

    spec = EnvSpec(
        id="gui/form_fill",
        version=1,
        title="Form fill",
        horizon=40,
        scales=(
            {"fields": 4, "told": 2, "changes": 2},
            {"fields": 5, "told": 3, "changes": 3},
            {"fields": 6, "told": 5, "changes": 4},
            {"fields": 7, "told": 6, "changes": 5},
            {"fields": 8, "told": 8, "changes": 7},
            {"fields": 10, "told": 10, "changes": 9},
        ),
        knobs=(
            Knob("fields", 3, 12, "controls of the form"),
            Knob("told", 2, 12, "controls that the task names, all at most"),
            Knob("changes", 1, 12, "of these, those that are set to something else at first"),
        ),
        tags=frozenset({"multi_turn"}),
    )

    def reset(self, instance: Instance) -> Form:
        settings = self.spec.settings(instance)
        count = int(settings["fields"])
        told = min(int(settings["told"]), count)
        changes = min(int(settings["changes"]), told)

        def propose(rng: np.random.Generator) -> Form:
            fields = []
            roles = rng.permutation(count).tolist()
            for pick, role in zip(rng.permutation(len(KINDS)).tolist(), roles, strict=False):
                label, kind, options = KINDS[pick]
                wanted = int(rng.integers(len(options)))
                other = (wanted + 1 + int(rng.integers(len(options) - 1))) % len(options)
                fields.append(Field(label, kind, options, other if role < changes else wanted, wanted, role < told))
            return Form(tuple(fields))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Form) -> int:
        return 3 * len(state.fields) + 4

    def public(self, state: Form) -> Form:
        return state

    def view(self, public: Form, pixels: int = 448) -> View:
        widgets = _layout(public)
        image, scene = _widgets.draw(widgets, pixels)
        told = ", ".join(f"{field.label} to {field.options[field.wanted]}" for field in public.fields if field.told)
        left = sum(field.value != field.wanted for field in public.fields)
        return View(
            _widgets.CLICK,
            image,
            f"{TASK.format(told)} {_widgets.CLICK.describe()}",
            RULES,
            HINT,
            f"Controls still to be changed: {left}. Lists open: {int(public.open >= 0)}.",
            _widgets.tree(widgets),
            scene,
        )

    def step(self, state: Form, action: tuple[float, float]) -> Step[Form]:
        target = _widgets.hit(_layout(state), action)
        if target is None:
            return Step(replace(state, open=-1), events=("click_missed",))
        if target.kind == "button":
            return _widgets.committed(replace(state, open=-1, saved=True), _ready(state))
        k = next((k for k in range(len(state.fields)) if target in _controls(state, k)), state.open)
        field = state.fields[k]
        if target.kind == "list":
            useful = field.value != field.wanted and state.open != k
            after = replace(state, open=-1 if state.open == k else k)
            return Step(after, events=("way_opened", "control_right") if useful else ("control_wrong",))
        value = 1 - field.value if target.kind == "check" else field.options.index(target.text)
        fields = (*state.fields[:k], replace(field, value=value), *state.fields[k + 1 :])
        if value == field.value:
            return Step(Form(fields), events=("control_wrong",))
        return Step(Form(fields), events=("field_set" if value == field.wanted else "field_missed",))

    def solve(self, state: Form) -> Sequence[str] | None:
        """Return the clicks that set each field, the one whose list is open first, then the one that saves."""
        if state.saved:
            return () if _ready(state) else None
        plan: list[str] = []
        for k in sorted(range(len(state.fields)), key=lambda k: k != state.open):
            field, controls = state.fields[k], _controls(state, k)
            if field.kind == "list" and (k == state.open or field.value != field.wanted):
                plan += [controls[0].centre] * (k != state.open)
                plan.append(_options(state, k)[field.wanted].centre)
            elif field.value != field.wanted:
                plan.append(controls[field.wanted if field.kind == "radio" else 0].centre)
        return (*plan, _button(state).centre)

    def problem(self, state: Form) -> bytes:
        """Return the fields without their order; the words are part of it, for the task is to find them."""
        return repr(sorted((f.label, f.options[f.value], f.options[f.wanted], f.told) for f in state.fields)).encode()


def _ready(form: Form) -> bool:
    return all(field.value == field.wanted for field in form.fields)


def _rows(form: Form) -> int:
    return max(7, len(form.fields) + 2)  # an open list has room below or above itself


def _controls(form: Form, k: int) -> Sequence[Widget]:
    """Return what is clicked to set a field."""
    field, box = form.fields[k], _widgets.line(_rows(form), k + 1, 270)
    value = field.options[field.value]
    if field.kind == "list":
        return (Widget("list", value, box, "open" if form.open == k else "", 2),)
    if field.kind == "check":
        return (Widget("check", field.label, box, value),)
    return [
        Widget("radio", option, _widgets.split(box, len(field.options), n), "on" if option == value else "off", 2)
        for n, option in enumerate(field.options)
    ]


def _options(form: Form, k: int) -> Sequence[Widget]:
    """Return what a list shows when it is open, below it or, near the bottom, above it."""
    options, rows = form.fields[k].options, _rows(form)
    first = k + 2 if k + 2 + len(options) <= rows else k + 1 - len(options)
    boxes = [_widgets.line(rows, first + n, 270) for n in range(len(options))]
    return [Widget("option", option, box, depth=3) for option, box in zip(options, boxes, strict=True)]


def _button(form: Form) -> Widget:
    rows = _rows(form)
    return Widget("button", "Save", _widgets.line(rows, rows - 1, 270, 560))


def _layout(form: Form) -> Sequence[Widget]:
    """Return what is seen: an open list covers what lies under its options."""
    rows = _rows(form)
    widgets = [_widgets.window("Settings", rows)]
    options = [] if form.open < 0 else _options(form, form.open)
    covered = {option.box[1] for option in options}
    for k, field in enumerate(form.fields):
        if field.kind != "check":
            widgets.append(Widget("text", field.label, _widgets.line(rows, k + 1, 40, 260)))
        widgets += [control for control in _controls(form, k) if control.box[1] not in covered]
        widgets += options if k == form.open else []
    return widgets + [button for button in (_button(form),) if button.box[1] not in covered]


environment = FormFill()
