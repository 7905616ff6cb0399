"""Starvation: under `Guarded` every environment keeps its share of tickets, and comes up again in time."""

from collections.abc import Iterator
from math import ceil, log, log1p

from palaestra.curriculum.check.case import NOVICE, Case, batch
from palaestra.curriculum.feed import Feed
from palaestra.curriculum.guarded import Guarded


def starvation(case: Case) -> Iterator[str]:
    """Yield environments that the guard does not keep alive."""
    guarded = case.curriculum if isinstance(case.curriculum, Guarded) else Guarded(case.curriculum)
    share = guarded.floor / len(case.specs)
    if not share:
        yield "its floor is 0, which keeps no environment from starving"
        return
    limit = ceil(log(1e-9) / log1p(-share))  # a gap so long comes up once in 10**9 draws
    feed, learner, last = Feed(guarded, case.specs, case.seed), NOVICE, dict.fromkeys((s.id for s in case.specs), 0)
    while (drawn := max(last.values())) < limit + 100:
        shares = feed.distribution.marginal("env_id")
        for env_id, seen in last.items():
            if (has := shares.get(env_id, 0.0)) < share * (1 - 1e-6):
                yield f"after {drawn} tickets: {env_id} has a share of {has:.4f}, less than {share:.4f}"
            if drawn - seen > limit:
                yield f"after {drawn} tickets: none of {env_id} for {drawn - seen}, more than {limit}"
                return
        tickets, learner = batch(feed, learner)
        last |= {ticket.cell.env_id: ticket.id for ticket in tickets}
