"""Menu path: what opens what, what ends the task, and that a search finds every command."""

from dataclasses import replace

import pytest

from palaestra.envs.gui.menu_path import COMMANDS, Menus, Program, _layout
from palaestra.envs.gui.menu_path import environment as env

CONTENTS = (
    (("Page",), ("Print", "Basic", "Extra")),
    (("Page", "Basic"), ("Lock", "Hide")),
    (("Page", "Extra"), ("Share", "Scale")),
    (("Map",), ("Share", "Crop")),
)
START = Program(Menus(("Page", "Map"), (), (), (("Page", "Share"), ("Map", "Crop"))), CONTENTS)


def after(state: Program, *names: str) -> Program:
    for name in names:
        assert name in env.view(env.public(state), 0).answer.wanted()
        state = env.step(state, name).state
    return state


def shown(state: Program) -> list[str]:
    return [widget.text for widget in _layout(state.menus)[1:]]


def test_what_a_menu_holds_is_shown_when_it_is_open() -> None:
    assert shown(START) == ["Page", "Map"]
    assert shown(after(START, "Page")) == ["Page", "Print", "Basic", "Extra", "Map"]
    assert shown(after(START, "Page", "Basic")) == ["Page", "Print", "Basic", "Extra", "Lock", "Hide", "Map"]
    assert shown(after(START, "Page", "Basic", "Map")) == ["Page", "Map", "Share", "Crop"]


def test_events_tell_new_from_known_and_the_way_from_a_detour() -> None:
    assert env.step(START, "Page").events == ("way_opened", "unseen_explored", "control_right")
    assert env.step(START, "Map").events == ("way_opened", "unseen_explored", "control_wrong")
    again = env.step(after(START, "Map", "Page", "Basic"), "Map")
    assert again.events == ("way_opened", "seen_revisited", "control_wrong")


def test_a_command_of_the_same_name_in_another_menu_ends_the_task() -> None:
    wrong = env.step(after(START, "Map"), "Share")
    assert (wrong.done, wrong.success, wrong.events) == (True, False, ("control_wrong", "committed_early"))
    assert env.solve(wrong.state) is None
    assert env.guide(wrong.state.menus) is None


def test_commands_are_given_in_their_order() -> None:
    assert not env.step(after(START, "Map"), "Crop").success
    first = env.step(after(START, "Page", "Extra"), "Share")
    assert (first.reward, first.done, first.events) == (0.25, False, ("control_right", "subgoal_reached"))
    assert first.state.menus.open == ()
    last = env.step(after(first.state, "Map"), "Crop")
    assert (last.reward, last.success) == (0.75, True)
    assert env.solve(last.state) == ()


def test_the_guide_goes_straight_to_what_it_has_seen_and_searches_otherwise() -> None:
    assert env.guide(START.menus) == "Page"
    assert env.guide(after(START, "Page").menus) == "Basic"
    seen = after(START, "Page", "Extra", "Map")
    assert env.guide(seen.menus) == "Page"
    assert env.guide(after(seen, "Page").menus) == "Extra"
    assert env.guide(after(seen, "Page", "Extra").menus) == "Share"


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_a_search_always_ends_within_the_turn_limit(scale: int) -> None:
    for seed in range(50):
        state = env.reset(env.spec.instance(scale, seed))
        turns = 0
        while (name := env.guide(state.menus)) is not None:
            state = env.step(state, name).state
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
