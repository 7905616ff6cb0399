"""Form fill: what clicks set, what a list covers, and when saving wins."""

from dataclasses import replace

from palaestra.envs.gui import _widgets
from palaestra.envs.gui.form_fill import Field, Form, _layout
from palaestra.envs.gui.form_fill import environment as env

FORM = Form(
    (
        Field("Font", "list", ("Serif", "Sans", "Mono"), 0, 2, True),
        Field("Size", "radio", ("Small", "Medium", "Large"), 1, 0, True),
        Field("Grid", "check", ("off", "on"), 1, 1, False),
    )
)


def click(form: Form, name: str) -> tuple[float, float]:
    """The middle of the widget that a caption calls so."""
    (widget,) = [widget for widget in _layout(form) if widget.name == name]
    place = _widgets.CLICK.parse(widget.centre).value
    assert isinstance(place, tuple)
    return place


def names(form: Form) -> list[str]:
    return [widget.name for widget in _layout(form)]


def test_a_list_opens_and_an_option_sets_it() -> None:
    opened = env.step(FORM, click(FORM, "list <Serif>"))
    assert opened.events == ("way_opened", "control_right")
    assert {"option -Serif", "option -Sans", "option -Mono"} <= set(names(opened.state))
    chosen = env.step(opened.state, click(opened.state, "option -Mono"))
    assert (chosen.state.fields[0].value, chosen.state.open, chosen.events) == (2, -1, ("field_set",))


def test_an_open_list_covers_what_lies_below_and_a_click_elsewhere_closes_it() -> None:
    opened = env.step(FORM, click(FORM, "list <Serif>")).state
    assert "check box Grid: on" not in names(opened)
    closed = env.step(opened, (5.0, 500.0))
    assert closed.state == FORM
    assert closed.events == ("click_missed",)


def test_choosing_what_is_chosen_already_sets_nothing() -> None:
    again = env.step(FORM, click(FORM, "radio Medium: on"))
    assert (again.state, again.events) == (FORM, ("control_wrong",))


def test_every_list_has_room_for_its_options() -> None:
    for scale in range(len(env.spec.scales)):
        form = env.reset(env.spec.instance(scale, 5))
        for k, field in enumerate(form.fields):
            if field.kind == "list":
                shown = _layout(replace(form, open=k))
                assert all(widget.box[1] > 0 and widget.box[3] <= 1000 for widget in shown[1:])


def test_check_boxes_switch_and_of_radio_buttons_one_is_on() -> None:
    off = env.step(FORM, click(FORM, "check box Grid: on"))
    assert off.events == ("field_missed",)
    assert "check box Grid: off" in names(off.state)
    small = env.step(FORM, click(FORM, "radio Small: off")).state
    assert {"radio Small: on", "radio Medium: off", "radio Large: off"} <= set(names(small))


def test_saving_wins_only_when_everything_is_as_told_and_the_rest_untouched() -> None:
    early = env.step(FORM, click(FORM, "button [Save]"))
    assert (early.done, early.success, early.reward, early.events) == (True, False, 0.0, ("committed_early",))
    assert env.solve(early.state) is None
    fields = tuple(replace(field, value=field.wanted) for field in FORM.fields)
    spoilt = Form((*fields[:2], replace(fields[2], value=0)))
    assert not env.step(spoilt, click(spoilt, "button [Save]")).success
    saved = env.step(Form(fields), click(Form(fields), "button [Save]"))
    assert (saved.reward, saved.success) == (1.0, True)
    assert saved.events == ("committed_ready", "task_completed")


def test_the_task_names_what_is_told_only() -> None:
    task = env.view(FORM, 0).task
    assert "Font to Mono, Size to Small;" in task
    assert "Grid" not in task


def test_the_order_of_the_fields_makes_no_other_problem() -> None:
    assert env.problem(FORM) == env.problem(Form(FORM.fields[::-1]))
    assert env.problem(FORM) != env.problem(Form((*FORM.fields[:2], replace(FORM.fields[2], wanted=0))))
