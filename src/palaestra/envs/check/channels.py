"""ladder: help withdraws rung by rung, and none of it holds the answer."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from palaestra.core.environment import turn
from palaestra.core.observation import CAPTION, HINT, IMAGE, LADDER, RULES, STATE, TASK, View
from palaestra.core.rate import Rate
from palaestra.envs.check.case import Case

FORETOLD = 0.8
"""The share of moves that may be predicted from the wording of the hint alone."""

CHANCE = 0.02
"""How much better than chance a line may be as a reply: the numbers of a task happen to be good moves now and then."""


def ladder(case: Case) -> Iterator[str]:
    """Each rung shows the lines of the one above less one channel's, every channel says something, nothing leaks."""
    for state in case.states(2):
        view = case.view(state)
        for name in (TASK, RULES, HINT, STATE, CAPTION):
            if not view.texts()[name].strip():
                yield f"the channel {name} is empty; a rung of the ladder would withdraw nothing"
        for upper, lower in pairwise(LADDER):
            (gone,) = upper.channels - lower.channels
            kept = lower.show(view).text
            if not _lines(kept) <= _lines(upper.show(view).text):
                yield f"{lower.name} shows lines that {upper.name} does not"
            for line in sorted(_lines(view.texts()[gone])):
                if line in _lines(kept) or (line.count(" ") > 2 and line in kept):
                    yield f"the line {line!r:.80} of {gone} survives in {lower.name}"
        if case.view(state, 448).texts() != view.texts() or view.image is not None:
            yield "texts depend on whether a picture is drawn, or 0 pixels drew one"
        if IMAGE in view.texts():
            yield f"an extra channel is named {IMAGE!r}"
    positions = list(_open_positions(case))
    for channel in (TASK, RULES, HINT, STATE):  # a caption may hold the answer where reading is the task
        yield from _leaks(case, channel, positions)
    yield from _foretells(positions)


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.strip()}


class Position(NamedTuple):
    """A state that can still be won, its view, and the replies that the oracle and the guide give."""

    state: Any
    view: View
    right: Sequence[str]


def _open_positions(case: Case) -> Iterator[Position]:
    guide = getattr(case.env, "guide", None)
    for _, start in case.starts():
        moments = case.episode(start, case.best)
        for moment in moments[:: max(1, len(moments) // 2)]:
            told = [guide(case.env.public(moment.state))] if guide is not None else []
            right = [reply for reply in (*(case.env.solve(moment.state) or ())[:1], *told) if reply is not None]
            if right:
                yield Position(moment.state, moment.view, right)


def _leaks(case: Case, channel: str, positions: Sequence[Position]) -> Iterator[str]:
    """No line or sentence of a channel, sent as a reply, does what the right reply does more often than chance."""
    hits = spoken = chance = 0
    for number, (state, view, right) in enumerate(positions):
        text, rng = view.texts()[channel], np.random.default_rng(number)
        sent = [piece for piece in _pieces(text) if view.answer.parse(piece).ok]
        does = [turn(case.env, state, view, reply)[1] for reply in right]
        hits += any(_as_good(case, state, view, piece, does) for piece in sent)
        chance += any(_as_good(case, state, view, view.answer.sample(rng), does) for _ in sent)
        spoken += channel in (HINT, STATE) and any(len(reply) > 4 and reply in text for reply in right)
    n = len(positions)
    if hits > 2 and Rate(hits, n).low > Rate(chance, n).high + CHANCE:
        yield f"a line of {channel} is the right reply in {Rate(hits, n)}, by chance in {Rate(chance, n)}"
    if spoken > 2:
        yield f"{channel} spells the right reply out in {Rate(spoken, n)} of the positions"


def _as_good(case: Case, state: Any, view: View, reply: str, does: Sequence[Any]) -> bool:
    """Return whether a reply wins, or leads where a right reply leads."""
    step = turn(case.env, state, view, reply)[1]
    return step.legal and (step.success or any(step.state == right.state and not right.done for right in does))


def _pieces(text: str) -> list[str]:
    """Return the lines and the sentences of a text."""
    return sorted(_lines(text) | {part.strip() for part in re.split(r"(?<=[.;:!?])\s+", text) if part.strip()})


def _foretells(positions: Sequence[Position]) -> Iterator[str]:
    """The wording of the hint does not give the move away, as predicted from all other positions with this wording."""
    told: Counter[tuple[str, str]] = Counter((view.hint, right[-1]) for _, view, right in positions)
    moves = Counter(move for _, move in told.elements())
    hits = plain = 0
    for hint, move in told.elements():
        others = Counter({other: told[hint, other] - (other == move) for other in moves})
        hits += others.most_common(1)[0] == (move, others[move]) and others[move] > 0
        plain += (moves - Counter([move])).most_common(1)[0][0] == move if len(positions) > 1 else 0
    if hits and hits / len(positions) > FORETOLD and Rate(hits, len(positions)).low > Rate(plain, len(positions)).high:
        yield f"the hint foretells the next move in {Rate(hits, len(positions))} of the positions"
