"""Determinism, resume: the same again, and the same after a restart."""

import json
from collections.abc import Iterator

from palaestra.curriculum.check.case import BATCH, NOVICE, Case, batch
from palaestra.curriculum.feed import Feed


def determinism(case: Case) -> Iterator[str]:
    """Yield updates that come out otherwise from an equal state and equal groups."""
    for moment in case.run():
        again = case.curriculum.update(case.state(moment.before), moment.groups)
        if list(again.changes.items()) != list(moment.update.changes.items()):
            yield f"update {moment.number}: another time its changes were others, or in another order"
        if case.text(again.state) != case.text(moment.update.state):
            yield f"update {moment.number}: another time its state was another"


def resume(case: Case) -> Iterator[str]:
    """Yield when a run that was stopped and loaded parts from the one that went on."""
    for stop in (3, 20):
        feed, learner = Feed(case.curriculum, case.specs, case.seed), NOVICE
        for _ in range(stop):
            learner = batch(feed, learner)[1]
        out = feed.draws(5)  # on their way when the run is stopped
        other = Feed.load(case.curriculum, case.specs, json.loads(json.dumps(feed.state, allow_nan=False)))
        if other.draws(5) != out:
            yield f"stopped after {stop} updates: the tickets that were out are not drawn again"
        for number in range(200 // BATCH):
            tickets, after = batch(feed, learner)
            if batch(other, learner)[0] != tickets:
                yield f"stopped after {stop} updates: the tickets of batch {number} after that are others"
                return
            learner = after
