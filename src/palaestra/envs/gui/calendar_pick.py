"""Calendar pick: turn a calendar to the month of a date that is told in words, click on the day and confirm.

Dates are told by day and month, by weekdays ("the third Thursday of May"), by distances ("10 days after 24 May"), or
from today ("the last Friday of the month after next"). Several are asked for in turn; a wrong one ends the task.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np

from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.gui import _widgets
from palaestra.envs.gui._widgets import Widget
from palaestra.envs.kit import splits

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ORDINALS = ("first", "second", "third", "fourth", "fifth")
WORDINGS = 5
ROWS = 10

TASK = "Pick {}. Confirm each with OK."
RULES = (
    "Arrows turn the month, a click on a day selects it, OK with a wrong day ends the task. This month is the one that "
    "today is in, whatever month is shown."
)
HINT = "Find the month first, then go down a weekday or along the weeks."


@dataclass(frozen=True, slots=True)
class Diary:
    """Today, the first day of the month shown, the dates to pick and how they are told, and what was done."""

    today: date
    month: date
    dates: tuple[date, ...]
    told: tuple[str, ...]
    picked: int = 0
    selected: date | None = None
    failed: bool = False


class CalendarPick:
    """The environment."""

    spec = EnvSpec(
        id="gui/calendar_pick",
        version=1,
        title="Calendar pick",
        horizon=80,
        scales=(
            {"dates": 1, "months": 1, "wording": 1},
            {"dates": 1, "months": 2, "wording": 2},
            {"dates": 1, "months": 4, "wording": 3},
            {"dates": 2, "months": 3, "wording": 4},
            {"dates": 2, "months": 6, "wording": 5},
            {"dates": 3, "months": 9, "wording": 5},
        ),
        knobs=(
            Knob("dates", 1, 4, "dates to pick"),
            Knob("months", 1, 12, "how far one date is from the one before, in months"),
            Knob("wording", 1, WORDINGS, "the hardest way in which dates are told"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn"}),
    )

    def reset(self, instance: Instance) -> Diary:
        settings = self.spec.settings(instance)
        count, months, wording = (int(settings[name]) for name in ("dates", "months", "wording"))

        def propose(rng: np.random.Generator) -> Diary:
            today = date(2000, 1, 1) + timedelta(int(rng.integers(36500)))
            month = today
            dates, told = [], []
            for _ in range(count):
                # at least half of the way that is allowed, so that arrows are needed
                away = int(rng.integers((months + 1) // 2, months + 1))
                month = _month(month, away if rng.random() < 0.6 else -away)
                wanted = month + timedelta(int(rng.integers(_days(month))))
                dates.append(wanted)
                told.append(_describe(rng, wanted, today, int(rng.integers(max(0, wording - 3), wording))))
            return Diary(today, _month(today), tuple(dates), tuple(told))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Diary) -> int:
        return len(self.solve(state) or ()) + 6 * len(state.dates)

    def public(self, state: Diary) -> Diary:
        return state

    def view(self, public: Diary, pixels: int = 448) -> View:
        above, days, below = _layout(public)
        image, scene = _widgets.draw((*above, *days, *below), pixels)
        month = public.month
        return View(
            _widgets.CLICK,
            image,
            f"{TASK.format(', then '.join(public.told))} {_widgets.CLICK.describe()}",
            RULES,
            HINT,
            f"Dates picked: {public.picked}. The month shown has {_days(month)} days from a "
            f"{WEEKDAYS[month.weekday()]} on.",
            "\n".join((_widgets.tree(above), *_weeks(days), _widgets.tree(below))),
            scene,
        )

    def step(self, state: Diary, action: tuple[float, float]) -> Step[Diary]:
        above, days, below = _layout(state)
        target = _widgets.hit((*above, *days, *below), action)
        wanted = state.dates[state.picked]
        if target is None:
            return Step(state, events=("click_missed",))
        if target.kind == "day":
            chosen = state.month.replace(day=int(target.text))
            off = abs(chosen - wanted).days
            event = "target_located" if not off else "target_near" if off <= 1 else "target_missed"
            return Step(replace(state, selected=chosen), events=(event,))
        if target.text in "<>":
            turned = _month(state.month, 1 if target.text == ">" else -1)
            nearer = abs(_index(wanted) - _index(turned)) < abs(_index(wanted) - _index(state.month))
            return Step(replace(state, month=turned), events=("moved_closer" if nearer else "moved_away",))
        if state.selected != wanted:
            return Step(replace(state, failed=True), done=True, events=("committed_early",))
        picked, share = state.picked + 1, 0.5 / len(state.dates)
        after = replace(state, picked=picked, selected=None)
        if picked < len(state.dates):
            return Step(after, share, events=("committed_ready", "subgoal_reached"))
        return Step(after, 0.5 + share, done=True, success=True, events=("committed_ready", "task_completed"))

    def solve(self, state: Diary) -> Sequence[str] | None:
        """Return for each date that is left the arrows to its month, the day, and OK."""
        if state.failed:
            return None
        plan: list[str] = []
        month, selected = state.month, state.selected
        for wanted in state.dates[state.picked :]:
            before, after, *_ = _layout(state)[0][1:]
            if wanted != selected:
                away = _index(wanted) - _index(month)
                plan += [(after if away > 0 else before).centre] * abs(away)
                plan.append(_day(wanted, None).centre)
                month = wanted
            plan.append(_layout(state)[2][-1].centre)
            selected = None
        return tuple(plan)

    def problem(self, state: Diary) -> bytes:
        """Return the dates, how they are told, and where the calendar begins."""
        return repr((state.today, state.dates, state.told)).encode()


def _index(day: date) -> int:
    return 12 * day.year + day.month


def _month(day: date, away: int = 0) -> date:
    """Return the first day of the month so many months away."""
    year, month = divmod(12 * day.year + day.month - 1 + away, 12)
    return date(year, month + 1, 1)


def _days(month: date) -> int:
    return (_month(month, 1) - _month(month)).days


def _plain(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _describe(rng: np.random.Generator, wanted: date, today: date, wording: int) -> str:
    """Return words that tell a date, and no other one."""
    weekday, nth = WEEKDAYS[wanted.weekday()], ORDINALS[(wanted.day - 1) // 7]
    if wanted.day + 7 > _days(wanted):
        nth = "last"
    distance = int(rng.integers(8, 32))
    if wording == 0:
        return _plain(wanted)
    if wording == 1:
        return f"the {nth} {weekday} of {MONTHS[wanted.month - 1]} {wanted.year}"
    if wording == 2:
        base = wanted - timedelta(distance)
        return f"the day {distance} days after {_plain(base)}"
    if wording == 3:
        later = 1 + distance % 7
        base = wanted - timedelta(7 * (distance // 8) + later)
        return f"the {ORDINALS[distance // 8]} {weekday} after {_plain(base)}"
    away = _index(wanted) - _index(today)
    near = {0: "this month", 1: "next month", 2: "the month after next", -1: "last month", -2: "the month before last"}
    far = f"the month {abs(away)} months {'after' if away > 0 else 'before'} today's"
    return f"the {nth} {weekday} of {near.get(away, far)}"


def _day(day: date, selected: date | None) -> Widget:
    """Return the cell of a day: weeks run down, from Monday to Sunday."""
    week, weekday = divmod(day.day - 1 + day.replace(day=1).weekday(), 7)
    box = _widgets.split(_widgets.line(ROWS, 3 + week, 30, 970), 7, weekday, 8)
    return Widget("day", str(day.day), box, "selected" if day == selected else "", 2)


def _layout(diary: Diary) -> tuple[Sequence[Widget], Sequence[Widget], Sequence[Widget]]:
    """Return what is above the weekdays, these and the days, and what is below them."""
    month, top, low = diary.month, _widgets.line(ROWS, 1, 30, 970), _widgets.line(ROWS, 9, 30, 970)
    heads = _widgets.line(ROWS, 2, 30, 970)
    above = [
        _widgets.window("Calendar", ROWS),
        Widget("button", "<", _widgets.split(top, 7, 0, 8)),
        Widget("button", ">", _widgets.split(top, 7, 6, 8)),
        Widget("label", f"{MONTHS[month.month - 1][:3]} {month.year}", (180, top[1], 820, top[3])),
    ]
    days = [Widget("head", name[0], _widgets.split(heads, 7, k, 8)) for k, name in enumerate(WEEKDAYS)]
    days += [_day(month.replace(day=day + 1), diary.selected) for day in range(_days(month))]
    today = diary.today
    below = [
        Widget("text", f"Now {today.day} {MONTHS[today.month - 1][:3]} {today.year}", (30, low[1], 790, low[3])),
        Widget("button", "OK", (800, low[1], 970, low[3])),
    ]
    return above, days, below


def _weeks(days: Sequence[Widget]) -> list[str]:
    """Return the days as a caption tells them: the x of every column, then for each week its y and its days."""
    columns = [(head.box[0] + head.box[2]) // 2 for head in days[:7]]
    lines = [f"  x {' '.join(map(str, columns))}: {' '.join(head.name for head in days[:7])}"]
    for top in sorted({day.box[1] for day in days[7:]}):
        week = {(day.box[0] + day.box[2]) // 2: day for day in days[7:] if day.box[1] == top}
        y = sum(next(iter(week.values())).box[1::2]) // 2
        lines.append(f"  y {y}: {' '.join(week[x].name if x in week else '-' for x in columns)}")
    return lines


environment = CalendarPick()
