"""Staged is a curriculum, and an engineer that changes nothing is the fixed mixture, ticket by ticket."""

import json

import pytest
from mixtures import CURRENT, SPACE, SPEC, START, TOLD

from palaestra.core.distribution import Cell, Distribution
from palaestra.core.environment import EnvSpec
from palaestra.core.observation import H0, H4
from palaestra.curriculum.check import run
from palaestra.curriculum.check.case import POOL
from palaestra.curriculum.feed import Feed
from palaestra.curriculum.simulate import Learner
from palaestra.curriculum.uniform import Uniform
from palaestra.engineer.no_change import NoChange
from palaestra.engineer.rails import preserving
from palaestra.engineer.staged import Staged

MIXED = {Cell(spec.id, scale, H4): 1.0 + scale for spec in POOL for scale in range(len(spec.scales))}
HARDER = SPACE.distribution(
    {**START, "3x3": {**START["3x3"], "weight": 0.0}, "10x10": {**START["10x10"], "holes": 0.4}}
)


def play(feed, updates):
    """The tickets of so many updates, played by the simulated learner."""
    drawn = []
    for _ in range(updates):
        tickets = feed.draws(8)
        feed.report([Learner().play(ticket) for ticket in tickets])
        drawn += tickets
    return drawn


def test_staged_passes_the_suite():
    assert run(Staged(Distribution({**MIXED, Cell(POOL[0].id, 0, H0): 0.0}))) == []


def test_an_engineer_that_changes_nothing_is_the_fixed_baseline():
    spec = EnvSpec("toy/walk", 1, "Walk", 9, ({"size": 3}, {"size": 5}))
    fixed = Feed(Uniform(), [spec], seed=3)
    staged = Staged(Uniform().distribution(Uniform().start([spec])))
    feed = Feed(staged, [spec], seed=3)
    drawn = play(feed, 5)
    for _ in range(3):
        current = feed.distribution
        proposed = NoChange().propose(current, TOLD, SPACE).distribution
        feed.change(lambda state: staged.next_stage(state, preserving(current, proposed, 0.3)))  # noqa: B023
        drawn += play(feed, 5)
    assert drawn == play(fixed, 20)
    assert staged.load(feed.state["curriculum"]).stage == 3


def test_a_next_stage_changes_what_is_drawn_and_counts_anew():
    staged = Staged(CURRENT)
    feed = Feed(staged, [SPEC])
    play(feed, 12)
    before = staged.load(feed.state["curriculum"])
    assert sum(rate.n for rate in before.counts.values()) == 12 * 8 * SPACE.rollouts
    feed.change(lambda state: staged.next_stage(state, HARDER))
    after = staged.load(json.loads(json.dumps(feed.state["curriculum"])))
    assert (after.stage, after.counts) == (1, {})
    assert feed.distribution == HARDER
    sizes = {dict(ticket.cell.knobs)["size"] for ticket in play(feed, 12)}
    assert 3 not in sizes


def test_a_feed_that_is_stored_between_two_stages_goes_on_the_same():
    staged = Staged(CURRENT)
    feed = Feed(staged, [SPEC])
    play(feed, 3)
    again = Feed.load(staged, [SPEC], json.loads(json.dumps(feed.state)))
    for own in (feed, again):
        own.change(lambda state: staged.next_stage(state, HARDER))
    assert feed.draws(20) == again.draws(20)


@pytest.mark.parametrize("mixture", [CURRENT, HARDER])
def test_the_changes_of_a_stage_add_up_to_its_mixture(mixture):
    staged = Staged(HARDER)
    update = staged.next_stage(staged.start([SPEC]), mixture)
    weights = {**HARDER.weights, **update.changes}
    told = {cell: weight for cell, weight in staged.distribution(update.state).weights.items() if weight}
    assert {cell: weight for cell, weight in weights.items() if weight} == told
