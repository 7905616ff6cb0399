"""Table sort: what clicks do to the order, which row is asked for, and what stays unseen."""

from dataclasses import replace

import pytest

from palaestra.envs.gui import _widgets
from palaestra.envs.gui.table_sort import Page, Question, Row, Table, _button, _goal, _layout, _turned
from palaestra.envs.gui.table_sort import environment as env

ROWS = (
    Row("Ada", "Rome", (300, 5)),
    Row("Ben", "Oslo", (900, 4)),
    Row("Cleo", "Rome", (500, 3)),
    Row("Ed", "Oslo", (100, 2)),
    Row("Finn", "Bern", (700, 1)),
)
THIRD = Question(2, True, 3)
START = _turned(Table(Page(("Name", "Town", "Score", "Time"), (0, 1, 2, 3), THIRD, 2, 3), ROWS))


def click(table: Table, *names: str) -> Table:
    for name in names:
        table = env.step(table, place(table, name)).state
    return table


def place(table: Table, name: str) -> tuple[float, float]:
    """The middle of what begins with a name."""
    (widget,) = [w for w in _layout(table.page) if w.text.partition(" | ")[0] == name and w.kind != "text"]
    found = _widgets.CLICK.parse(widget.centre).value
    assert isinstance(found, tuple)
    return found


def shown(table: Table) -> list[str]:
    return [row.name for row in table.page.rows]


def test_a_header_sorts_upwards_then_downwards_and_goes_to_the_first_page() -> None:
    assert shown(START) == ["Ada", "Ben"]
    assert shown(click(START, "Next", "Score")) == ["Ed", "Ada"]
    assert shown(click(START, "Score", "Score")) == ["Ben", "Finn"]
    assert shown(click(START, "Score", "Score", "Town")) == ["Finn", "Ben"]
    assert shown(click(START, "Score", "Score", "Next", "Next")) == ["Ed"]


def test_the_row_asked_for_is_counted_from_either_end_or_within_a_town() -> None:
    for question, name in (
        (THIRD, "Cleo"),
        (Question(2, False, 2), "Ada"),
        (Question(3, True, 1, "Oslo"), "Ben"),
        (Question(3, False, 1, "Rome"), "Cleo"),
    ):
        assert _goal(replace(START, page=replace(START.page, question=question))) == name


def test_columns_stand_in_any_order() -> None:
    mixed = replace(START, page=replace(START.page, across=(2, 0, 3, 1)))
    caption = env.view(mixed.page, 0).caption
    assert "row 300 | Ada | 5 | Rome" in caption
    assert caption.index("|Score|") < caption.index("|Name|") < caption.index("|Time|") < caption.index("|Town|")
    second = next(w for w in _layout(mixed.page) if w.text == "900 | Ben | 4 | Oslo")
    found = _widgets.CLICK.parse(second.centre).value
    assert isinstance(found, tuple)
    assert env.step(mixed, found).state.page.selected == "Ben"
    assert shown(click(mixed, "Score", "Score")) == ["Ben", "Finn"]


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_who_does_not_look_cannot_know_which_headers_to_click(scale: int) -> None:
    pages = [env.reset(env.spec.instance(scale, seed)).page for seed in range(80)]
    assert {page.across.index(page.question.column) for page in pages} == set(range(len(pages[0].columns)))
    assert {page.order for page in pages} == set(range(-1, len(pages[0].columns)))
    assert not any((page.order, page.descending) == (page.question.column, page.question.highest) for page in pages)


def test_events_tell_a_useful_header_a_nearer_page_and_the_right_row() -> None:
    assert env.step(START, place(START, "Score")).events == ("control_right",)
    assert env.step(START, place(START, "Time")).events == ("control_wrong",)
    assert env.step(click(START, "Score", "Score"), place(START, "Score")).events == ("control_wrong",)
    assert env.step(START, place(START, "Next")).events == ("moved_closer",)
    assert env.step(START, place(START, "Previous")).events == ("edge_bumped",)
    assert env.step(START, place(START, "Ada")).events == ("target_missed",)
    assert env.step(START, (500.0, 5.0)).events == ("click_missed",)


def test_a_selection_is_kept_through_pages_and_orders_and_wins_when_it_is_right() -> None:
    chosen = click(START, "Next", "Cleo", "Time")
    assert "text Selected Cleo" in env.view(chosen.page, 0).caption
    won = env.step(chosen, place(chosen, "OK"))
    assert (won.reward, won.success, won.events) == (1.0, True, ("committed_ready", "task_completed"))
    lost = env.step(START, place(START, "OK"))
    assert (lost.done, lost.success, lost.events) == (True, False, ("committed_early",))
    assert env.solve(lost.state) is None
    assert env.guide(lost.state.page) is None


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_guide_always_wins_without_memory(scale: int) -> None:
    for seed in range(60):
        table = env.reset(env.spec.instance(scale, seed))
        for _ in range(env.horizon(table)):
            reply = env.guide(table.page)
            if reply is None:
                break
            found = _widgets.CLICK.parse(reply).value
            assert isinstance(found, tuple)
            table = env.step(table, found).state
        assert env.solve(table) == ()


def test_the_guide_turns_back_to_a_page_that_was_not_looked_at() -> None:
    asked = replace(START, page=replace(START.page, question=Question(2, True, 1, "Rome")))
    first = click(asked, "Score", "Score")  # Ben and Finn, then Cleo and Ada, then Ed
    assert env.guide(first.page) == _button(first.page, "Next").centre
    beyond = click(first, "Next", "Next")
    assert env.guide(beyond.page) == _button(beyond.page, "Previous").centre
    for other in (env.reseal(beyond, seed) for seed in range(10)):
        assert {row.name: row.town for row in other.rows}["Finn"] == "Bern"


def test_the_plan_leads_from_a_short_last_page_to_a_low_row() -> None:
    fourth = replace(START, page=replace(START.page, question=Question(2, False, 4)))
    last = click(fourth, "Score", "Next", "Next")
    assert shown(last) == ["Ben"]
    table = last
    for reply in env.solve(last) or ():
        found = _widgets.CLICK.parse(reply).value
        assert isinstance(found, tuple)
        table = env.step(table, found).state
    assert table.page.confirmed
    assert env.solve(table) == ()


def test_what_other_pages_hold_is_no_part_of_the_view() -> None:
    table = click(START, "Score")
    others = [env.reseal(table, seed) for seed in range(10)]
    assert len({other.rows for other in others}) > 1
    for other in others:
        assert _turned(other).page == table.page
        assert sorted(row.values[0] for row in other.rows) == [100, 300, 500, 700, 900]


def test_names_and_the_first_order_make_no_other_problem() -> None:
    named = tuple(row._replace(name=row.name + "a") for row in ROWS[::-1])
    assert env.problem(_turned(replace(START, rows=named))) == env.problem(START)
    assert env.problem(replace(START, rows=ROWS[1:])) != env.problem(START)
