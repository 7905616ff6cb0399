"""Admission, missing, lag, success: what results may and may not do."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from palaestra.core.observation import TASK, Harness
from palaestra.core.ticket import Group
from palaestra.curriculum.check.case import BATCH, Case
from palaestra.curriculum.frontier import Frontier
from palaestra.curriculum.simulate import Learner, lost

MASTER = Learner(talent=99.0)

STRANGE = Harness("strange", frozenset({TASK}))
"""A harness that no rule hands out; `Guarded` and replayed logs bring groups of cells that a rule never drew."""


def admission(case: Case) -> Iterator[str]:
    """Yield loss weights outside [0, 1]."""
    for moment in case.run():
        for group in (*moment.groups, *map(lost, moment.groups)):
            if not 0 <= (weight := case.curriculum.admit(moment.update.state, group)) <= 1:
                yield f"update {moment.number}: admits a group with weight {weight}"


def missing(case: Case) -> Iterator[str]:
    """Yield updates in which a group that was lost counts otherwise than one that never came back."""
    for moment in case.run(deal=lambda groups: [*groups[:-3], *map(lost, groups[-3:])]):
        failed = case.curriculum.update(case.state(moment.before), [lost(group) for group in moment.groups])
        empty = [replace(group, trajectories=()) for group in moment.groups]
        absent = case.curriculum.update(case.state(moment.before), empty)
        if failed.changes != absent.changes or case.text(failed.state) != case.text(absent.state):
            yield f"update {moment.number}: members without a score were counted, as failures perhaps"


def lag(case: Case) -> Iterator[str]:
    """Yield environments whose frontier advances on late successes at a cell it has left; a crash shows by itself."""
    rng, waiting, rule = np.random.default_rng(case.seed), list[Group](), case.curriculum

    def late(groups: list[Group]) -> list[Group]:
        waiting.extend(groups)
        rng.shuffle(waiting)
        return [waiting.pop() for _ in range(min(BATCH, len(waiting) // 4))]

    for moment in case.run(deal=late):
        strangers = [case.ticket(replace(group.ticket.cell, harness=STRANGE), 10**6) for group in moment.groups]
        rule.update(case.state(moment.before), [MASTER.play(ticket) for ticket in strangers])
        if isinstance(rule, Frontier):
            env_ids = [spec.id for spec in case.specs]
            now = rule.frontier(moment.update.state, env_ids)
            for env_id, left in rule.frontier(case.state(moment.before), env_ids).items():
                if now[env_id] == left:
                    continue
                successes = [MASTER.play(case.ticket(left, 10**6 + number)) for number in range(16)]
                update = rule.update(case.state(case.text(moment.update.state)), successes)
                if rule.frontier(update.state, [env_id])[env_id] != now[env_id]:
                    yield f"update {moment.number}: late groups of {left} advanced {env_id} from {now[env_id]}"


def success(case: Case) -> Iterator[str]:
    """Yield when partial credit without success changes what the rule does."""
    failing, paid = (case.run(Learner(talent=-99.0, partial=partial)) for partial in (0.0, 0.9))
    for without, credited in zip(failing, paid, strict=True):
        if without.update.changes != credited.update.changes or without.before != credited.before:
            yield f"update {without.number}: groups without a success did something because they earned rewards"
            return
