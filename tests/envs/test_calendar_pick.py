"""Calendar pick: what words mean which date, how the calendar turns, and when a date is picked."""

from datetime import date, timedelta

import numpy as np
import pytest

from palaestra.core.answer import Point
from palaestra.envs.gui.calendar_pick import MONTHS, ORDINALS, WEEKDAYS, Diary, _describe, _layout
from palaestra.envs.gui.calendar_pick import environment as env

TODAY = date(2031, 5, 24)
START = Diary(TODAY, date(2031, 5, 1), (date(2031, 6, 12), date(2031, 4, 30)), ("12 June 2031", "30 April 2031"))


def place(diary: Diary, name: str) -> tuple[float, float]:
    (widget,) = [widget for part in _layout(diary) for widget in part if widget.text == name]
    found = Point().parse(widget.centre).value
    assert isinstance(found, tuple)
    return found


def click(diary: Diary, *names: str) -> Diary:
    for name in names:
        diary = env.step(diary, place(diary, name)).state
    return diary


def told(wanted: date, wording: int, seed: int = 0) -> str:
    return _describe(np.random.default_rng(seed), wanted, TODAY, wording)


def test_dates_are_told_by_weekdays_and_from_today() -> None:
    assert told(date(2031, 6, 19), 1) == "the third Thursday of June 2031"
    assert told(date(2031, 5, 30), 1) == "the last Friday of May 2031"
    for wanted, words in (
        (date(2031, 5, 6), "the first Tuesday of this month"),
        (date(2031, 7, 8), "the second Tuesday of the month after next"),
        (date(2031, 3, 4), "the first Tuesday of the month before last"),
        (date(2032, 1, 6), "the first Tuesday of the month 8 months after today's"),
    ):
        assert told(wanted, 4) == words


@pytest.mark.parametrize("seed", range(40))
def test_dates_told_by_distance_lie_that_far_away(seed: int) -> None:
    wanted = TODAY + timedelta(seed)
    for wording in (2, 3):
        words = told(wanted, wording, seed).split()
        day = date(int(words[-1]), MONTHS.index(words[-2]) + 1, int(words[-3]))
        if wording == 2:
            assert wanted - day == timedelta(int(words[2]))
            continue
        nth, weekday = ORDINALS.index(words[1]), WEEKDAYS.index(words[2])
        later = [day + timedelta(k) for k in range(1, 50) if (day + timedelta(k)).weekday() == weekday]
        assert later[nth] == wanted


def test_arrows_turn_the_month_also_over_the_turn_of_a_year() -> None:
    assert click(START, *[">"] * 8).month == date(2032, 1, 1)
    assert click(START, *["<"] * 5).month == date(2030, 12, 1)
    assert env.step(START, place(START, ">")).events == ("moved_closer",)
    assert env.step(START, place(START, "<")).events == ("moved_away",)


def test_events_tell_the_day_from_its_neighbours() -> None:
    june = click(START, ">")
    for name, event in (("12", "target_located"), ("13", "target_near"), ("19", "target_missed")):
        step = env.step(june, place(june, name))
        assert step.events == (event,)
        assert step.state.selected == date(2031, 6, int(name))
    assert env.step(june, (500.0, 5.0)).events == ("click_missed",)


def test_dates_are_picked_in_turn_and_a_wrong_one_ends_the_task() -> None:
    june = click(START, ">", "12")
    first = env.step(june, place(june, "OK"))
    assert (first.reward, first.done, first.events) == (0.25, False, ("committed_ready", "subgoal_reached"))
    april = click(first.state, "<", "<", "30")
    last = env.step(april, place(april, "OK"))
    assert (last.reward, last.success, env.solve(last.state)) == (0.75, True, ())
    wrong = env.step(click(june, "13"), place(june, "OK"))
    assert (wrong.done, wrong.success, wrong.events) == (True, False, ("committed_early",))
    assert env.solve(wrong.state) is None


def test_the_caption_tells_every_day_by_its_column_and_week() -> None:
    lines = env.view(START, 0).caption.splitlines()
    columns = next(line for line in lines if line.startswith("  x ")).partition(":")[0].split()[1:]
    for line in lines:
        if line.startswith("  y "):
            y, _, days = line.partition(":")
            for x, day in zip(columns, days.split(), strict=True):
                if day != "-":
                    chosen = env.step(START, (float(x), float(y.split()[1]))).state.selected
                    assert chosen == date(2031, 5, int(day))
