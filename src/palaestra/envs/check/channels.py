"""ladder: help withdraws rung by rung, and none of it holds the answer."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from palaestra.core.observation import CAPTION, HINT, IMAGE, LADDER, RULES, STATE, TASK, View
from palaestra.core.rate import Rate
from palaestra.envs.check.case import Case


def ladder(case: Case) -> Iterator[str]:
    """Each rung shows the lines of the one above less one channel's, every channel says something, nothing leaks."""
    for state in case.states(2):
        view = case.view(state)
        for name in (TASK, RULES, HINT, STATE, CAPTION):
            if not view.texts()[name].strip():
                yield f"the channel {name} is empty; a rung of the ladder would withdraw nothing"
        for upper, lower in pairwise(LADDER):
            (gone,) = upper.channels - lower.channels
            kept = _lines(lower.show(view).text)
            if not kept <= _lines(upper.show(view).text):
                yield f"{lower.name} shows lines that {upper.name} does not"
            survivors = kept & _lines(view.texts()[gone])
            if survivors:
                yield f"the line {min(survivors)!r:.80} of {gone} survives in {lower.name}"
        if case.view(state, 448).texts() != view.texts() or view.image is not None:
            yield "texts depend on whether a picture is drawn, or 0 pixels drew one"
        if IMAGE in view.texts():
            yield f"an extra channel is named {IMAGE!r}"
    yield from _leaks(case)


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.strip()}


def _leaks(case: Case) -> Iterator[str]:
    """No line or sentence of hint and state, sent as a reply, is the next move of the oracle or guide beyond chance."""
    for channel in (HINT, STATE):
        hits = spoken = chance = draws = 0
        for state, view, wanted in _open_moments(case):
            sent = [view.answer.parse(piece) for piece in _pieces(view.texts()[channel])]
            hits += any(parsed.ok and parsed.value in wanted for parsed in sent)
            spoken += any(len(reply) > 4 and reply in view.texts()[channel] for reply in _plans(case, state))
            rng = np.random.default_rng(draws)
            chance += any(view.answer.parse(view.answer.sample(rng)).value in wanted for _ in sent)
            draws += 1
        if hits > 2 and Rate(hits, draws).low > Rate(chance, draws).high:
            yield f"a line of {channel} is the right reply in {Rate(hits, draws)}, by chance in {Rate(chance, draws)}"
        if spoken > 2 and Rate(spoken, draws).low > Rate(chance, draws).high:
            yield f"{channel} spells the right reply out in {Rate(spoken, draws)} of the positions"


def _pieces(text: str) -> list[str]:
    return sorted(_lines(text) | {part.strip() for part in re.split(r"(?<=[.;:!?])\s+", text) if part.strip()})


def _plans(case: Case, state: Any) -> Sequence[str]:
    """Return the replies that are right in a state, as the oracle and the guide word them."""
    plan = case.env.solve(state)
    guide = getattr(case.env, "guide", None)
    told = guide(case.env.public(state)) if guide is not None else None
    return [*(plan or ())[:1], *([told] if told else [])]


def _open_moments(case: Case) -> Iterator[tuple[Any, View, list[object]]]:
    """Yield states that can still be won, with their views and the values of the right replies."""
    for _, start in case.starts():
        moments = case.episode(start, case.best)
        for moment in moments[:: max(1, len(moments) // 2)]:
            wanted = [moment.view.answer.parse(reply).value for reply in _plans(case, moment.state)]
            if wanted:
                yield moment.state, moment.view, wanted
