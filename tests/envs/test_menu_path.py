"""Menu path: what opens what, what ends the task, and that a search finds every command."""

from dataclasses import replace

import pytest

from palaestra.core.environment import Step
from palaestra.envs.gui import _widgets
from palaestra.envs.gui.menu_path import COMMANDS, LEFT, RIGHT, WIDE, Menus, Program, _at, _columns, _layout
from palaestra.envs.gui.menu_path import environment as env

CONTENTS = (
    (("Page",), ("Print", "Basic", "Extra")),
    (("Page", "Basic"), ("Lock", "Hide")),
    (("Page", "Extra"), ("Share", "Scale")),
    (("Map",), ("Share", "Crop")),
)
START = Program(Menus(("Page", "Map"), (), (), (("Page", "Share"), ("Map", "Crop"))), CONTENTS)


def place(reply: str | None) -> tuple[float, float]:
    found = _widgets.CLICK.parse(reply or "").value
    assert isinstance(found, tuple)
    return found


def give(state: Program, name: str) -> Step[Program]:
    return env.step(state, place(_at(state.menus, name)))


def after(state: Program, *names: str) -> Program:
    for name in names:
        state = give(state, name).state
    return state


def shown(state: Program) -> list[str]:
    return [widget.text for widget in _layout(state.menus)[1:] if widget.kind != "view"]


def guided(state: Program) -> str:
    """What the guide clicks on."""
    target = _widgets.hit(_layout(state.menus), place(env.guide(state.menus)))
    assert target
    return target.text


def test_what_a_menu_holds_is_shown_when_it_is_open() -> None:
    assert shown(START) == ["Page", "Map"]
    assert shown(after(START, "Page")) == ["Page", "Print", "Basic", "Extra", "Map"]
    assert shown(after(START, "Page", "Basic")) == ["Page", "Print", "Basic", "Extra", "Lock", "Hide", "Map"]
    assert shown(after(START, "Page", "Basic", "Map")) == ["Page", "Map", "Share", "Crop"]


def test_events_tell_new_from_known_and_the_way_from_a_detour() -> None:
    assert give(START, "Page").events == ("way_opened", "unseen_explored", "control_right")
    assert give(START, "Map").events == ("way_opened", "unseen_explored", "control_wrong")
    again = give(after(START, "Map", "Page", "Basic"), "Map")
    assert again.events == ("way_opened", "seen_revisited", "control_wrong")


def test_a_click_beside_the_menus_closes_them() -> None:
    missed = env.step(after(START, "Page", "Basic"), (500.0, 990.0))
    assert (missed.events, missed.state.menus.open) == (("click_missed",), ())


@pytest.mark.parametrize("left", range(LEFT, RIGHT, 40))
def test_three_menus_stand_side_by_side_within_the_window(left: int) -> None:
    columns = sorted(_columns(left, 3))
    assert columns[0] >= LEFT
    assert [column - columns[0] for column in columns] == [0, WIDE, 2 * WIDE]
    assert columns[-1] + WIDE <= RIGHT


def test_an_open_menu_hides_the_views_that_lie_under_it() -> None:
    views = [[w.text for w in _layout(state.menus) if w.kind == "view"] for state in (START, after(START, "Map"))]
    assert len(views[0]) == 6
    assert views[1] == ["Page", "Chart", "Note", "Map"]


def test_a_command_of_the_same_name_in_another_menu_ends_the_task() -> None:
    wrong = give(after(START, "Map"), "Share")
    assert (wrong.done, wrong.success, wrong.events) == (True, False, ("control_wrong", "committed_early"))
    assert env.solve(wrong.state) is None
    assert env.guide(wrong.state.menus) is None


def test_commands_are_given_in_their_order() -> None:
    assert not give(after(START, "Map"), "Crop").success
    first = give(after(START, "Page", "Extra"), "Share")
    assert (first.reward, first.done, first.events) == (0.25, False, ("control_right", "subgoal_reached"))
    assert first.state.menus.open == ()
    last = give(after(first.state, "Map"), "Crop")
    assert (last.reward, last.success) == (0.75, True)
    assert env.solve(last.state) == ()


def test_the_guide_goes_straight_to_what_it_has_seen_and_searches_otherwise() -> None:
    assert guided(START) == "Page"
    assert guided(after(START, "Page")) == "Basic"
    seen = after(START, "Page", "Extra", "Map")
    assert guided(seen) == "Page"
    assert guided(after(seen, "Page")) == "Extra"
    assert guided(after(seen, "Page", "Extra")) == "Share"


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_a_search_always_ends_within_the_turn_limit(scale: int) -> None:
    for seed in range(50):
        state = env.reset(env.spec.instance(scale, seed))
        turns = 0
        while (reply := env.guide(state.menus)) is not None:
            state = env.step(state, place(reply)).state
            turns += 1
        assert env.solve(state) == ()
        assert turns <= env.horizon(state)


def test_what_was_seen_stays_when_the_rest_is_dealt_anew() -> None:
    state = after(START, "Page")
    others = {env.reseal(state, seed).contents for seed in range(20)}
    assert len(others) > 1
    for contents in others:
        assert dict(contents)["Page",] == dict(CONTENTS)["Page",]
        assert sorted(dict(contents)["Map",]) == ["Crop", "Share"]


def test_the_order_of_entries_makes_no_other_problem() -> None:
    turned = tuple((path, items[::-1]) for path, items in CONTENTS[::-1])
    assert env.problem(replace(START, contents=turned)) == env.problem(START)
    other = replace(START, menus=replace(START.menus, wanted=START.menus.wanted[::-1]))
    assert env.problem(other) != env.problem(START)


def test_no_description_names_its_command() -> None:
    assert not [verb for verb, told in COMMANDS.items() if verb.lower() in told]
