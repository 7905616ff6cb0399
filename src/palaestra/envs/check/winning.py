"""oracle, rewards, guessing: who wins, and what winning pays."""

from collections.abc import Iterator, Sequence
from itertools import islice
from math import isfinite
from typing import Any

from palaestra.core.environment import Guided, Plural, turn
from palaestra.core.instance import Instance
from palaestra.core.rate import Rate
from palaestra.envs.check.case import Case, Moment, guesser, pays, won

EXACT = 1e-9
GUESS_FIRST, GUESS_TOP = 0.25, 0.05
"""Largest upper bounds of random play's success rate at scale 0 and at the top scale."""

GLANCE = 100
"""Episodes after which a world whose bound already holds is tried no longer."""


def oracle(case: Case) -> Iterator[str]:
    """A plan wins within the turn limit and is paid 1; so does every other right answer, and the guide often enough."""
    env = case.env
    plural = 0
    for instance, state in case.starts():
        plan = env.solve(state)
        if not plan:
            yield f"{instance.key()}: solve gave {plan!r} at reset; every instance has a plan and none starts won"
            continue
        yield from follows(case, instance, state, plan)
        moments = case.episode(state, case.oracle)
        if not won(moments):
            yield f"{instance.key()}: solving anew at every turn does not win"
        elif (left := env.solve(moments[-1].step.state)) is None or len(left):
            yield f"{instance.key()}: solve is not () in the state that was won"
        if isinstance(env, Plural):
            others = list(islice(env.solutions(state), 20))
            plural += len({tuple(other) for other in others}) > 1
            for other in others:
                yield from follows(case, instance, state, other)
    if isinstance(env, Plural) and not plural:
        yield "solutions never gave two different plans; drop the tag many_right or look for all of them"
    if env.spec.clairvoyant and isinstance(env, Guided):
        wins = Rate(
            sum(won(case.episode(state, case.best)) for _, state in _first_scale(case)), 3 * case.effort.instances
        )
        if wins.value < 0.5:
            yield f"the guide wins {wins} at scale 0; it must win half at least"


def _first_scale(case: Case) -> Iterator[tuple[Instance, Any]]:
    for instance in case.instances(0, 3 * case.effort.instances):
        yield instance, case.state(instance)


def follows(case: Case, instance: Instance, state: Any, plan: Sequence[str]) -> Iterator[str]:
    """A whole plan, sent reply by reply, is legal throughout and ends in success with its last reply."""
    if len(plan) > case.env.horizon(state):
        yield f"{instance.key()}: the plan takes {len(plan)} turns, the limit is {case.env.horizon(state)}"
        return
    total, success = 0.0, False
    for k, reply in enumerate(plan):
        parsed, step = turn(case.env, state, case.view(state), reply)
        total += step.reward
        if not parsed.ok or not step.legal:
            found = "illegal" if parsed.ok else parsed.status
            yield f"{instance.key()}: reply {k} of the plan, {reply!r}, is {found}"
            return
        if step.done != (k == len(plan) - 1):
            goes = "ends" if step.done else "goes on"
            yield f"{instance.key()}: the episode {goes} after {k + 1} of the plan's {len(plan)} replies"
            return
        state, success = step.state, step.success
    if not success or abs(total - 1) > EXACT:
        yield f"{instance.key()}: the plan ends with success {success} and a return of {total}; due are True and 1"


def rewards(case: Case) -> Iterator[str]:
    """Rewards are finite, sum to 1 on success and to less without, and success ends an episode."""
    for instance, state in case.starts():
        for chooser in (case.best, *(guesser(instance.seed, k) for k in range(6))):
            moments = case.episode(state, chooser)
            yield from (f"{instance.key()}: {fault}" for fault in _misplaced(moments))


def _misplaced(moments: Sequence[Moment]) -> Iterator[str]:
    total = pays(moments)
    if not all(isfinite(moment.step.reward) for moment in moments):
        yield "a reward is not finite"
    elif won(moments) and abs(total - 1) > EXACT:
        yield f"success paid {total}, due is 1"
    elif not won(moments) and total > 1 - 1e-6:
        yield f"no success, yet the return is {total}; partial credit stays below 1"
    if any(moment.step.success and not moment.step.done for moment in moments):
        yield "success without the end of the episode"


def guessing(case: Case) -> Iterator[str]:
    """Random play rarely wins: at most 25 % at scale 0 and 5 % at the top scale, by the upper Wilson bound."""
    for scale, limit in ((0, GUESS_FIRST), (case.scales[-1], GUESS_TOP)):
        n = wins = 0
        for instance in case.instances(scale, case.effort.guesses):
            n += 1
            wins += won(case.episode(case.state(instance), guesser(instance.seed)))
            if n == GLANCE and Rate(wins, n).high <= limit:
                break
        if Rate(wins, n).high > limit:
            yield f"random play wins {Rate(wins, n)} at scale {scale}; the upper bound may be {limit}: ask more at once"
