"""The Feed: draws, results in any order, and restarts that nobody notices."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.curriculum.rules import ALWAYS, QUICK, spec

from palaestra.core.codec import cell_from_json, cell_to_json
from palaestra.core.curriculum import Update
from palaestra.core.distribution import Cell, Distribution
from palaestra.core.errors import BadDistribution, BadInstance, UnknownEnvironment, UnknownTicket
from palaestra.core.observation import H4, Harness
from palaestra.core.ticket import Group, Ticket, TicketSource
from palaestra.curriculum.feed import Feed
from palaestra.curriculum.guarded import Guarded
from palaestra.curriculum.simulate import Learner
from palaestra.curriculum.uniform import Uniform

SPECS = [spec("toy/a", 4), spec("toy/b", 2)]
RULE = Guarded(QUICK)


class Scripted:
    """A rule that says what it is told: its state counts updates, each with its changes."""

    def __init__(self, *weights: Mapping[Cell, float]) -> None:
        self.weights = weights

    def start(self, specs: object) -> int:
        return 0

    def distribution(self, state: int) -> Distribution:
        merged = {cell: weight for changes in self.weights[: state + 1] for cell, weight in changes.items()}
        return Distribution({cell: weight for cell, weight in merged.items() if weight})

    def update(self, state: int, groups: Sequence[Group]) -> Update[int]:
        return Update(state + 1, self.weights[state + 1])

    def admit(self, state: int, group: Group) -> float:
        return 0.25 if state == 0 else 1.0

    def dump(self, state: int) -> Mapping[str, Any]:
        return {"updates": state}

    def load(self, data: Mapping[str, Any]) -> int:
        return int(data["updates"])


def played(tickets: Sequence[Ticket], learner: Learner = ALWAYS) -> list[Group]:
    return [learner.play(ticket) for ticket in tickets]


def test_a_feed_is_a_ticket_source() -> None:
    source: TicketSource = Feed(RULE, SPECS)
    assert [ticket.id for ticket in source.draws(3)] == [0, 1, 2]


@pytest.mark.parametrize("reports", [0, 1, 7, 40])
def test_a_feed_that_is_dumped_and_loaded_goes_on_with_identical_tickets(reports: int) -> None:
    feed = Feed(RULE, SPECS, seed=3)
    for _ in range(reports):
        feed.report(played(feed.draws(4), Learner(talent=5.0)))
    out = feed.draws(6)
    feed.report(played(out[3:5]))
    other = Feed.load(RULE, SPECS, json.loads(json.dumps(feed.state)))
    assert other.open == feed.open == (*out[:3], out[5])
    assert json.dumps(other.state) == json.dumps(feed.state)
    assert other.draws(4) == list(feed.open)
    for _ in range(20):
        tickets = feed.draws(5)
        assert other.draws(5) == tickets
        assert feed.report(played(tickets)) == other.report(played(tickets)) == [1.0] * 5
    feed.report(played(out[:1]))
    other.report(played(out[:1]))
    assert json.dumps(other.state) == json.dumps(feed.state)


def test_tickets_do_not_hang_on_the_hash_seed_of_the_process() -> None:
    code = (
        "from palaestra.curriculum.check.case import *; from palaestra.curriculum.hdc import HDC\n"
        "from palaestra.curriculum.guarded import Guarded\n"
        "feed, learner = Feed(Guarded(HDC(0.5, 0.5, least=1)), POOL), NOVICE\n"
        "for _ in range(30): tickets, learner = batch(feed, learner)\n"
        "print(feed.state)"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert len(told) == 1


def test_draws_follow_the_weights() -> None:
    feed = Feed(Uniform(), SPECS, seed=1)
    drawn = Counter(ticket.cell.env_id for ticket in feed.draws(4000))
    assert drawn["toy/a"] / 4000 == pytest.approx(0.5, abs=0.03)


def test_no_training_seed_repeats_and_a_pinned_cell_keeps_its_own() -> None:
    pinned = Cell("toy/a", 1, H4, seed=77)
    feed = Feed(Scripted({pinned: 1.0, Cell("toy/a", 1, H4): 1.0, Cell("toy/a", 2, H4): 1.0}), SPECS, first_seed=500)
    tickets = feed.draws(300)
    counted = [ticket.instance for ticket in tickets if ticket.cell.seed is None]
    assert len(set(counted)) == len(counted)
    assert min(instance.seed for instance in counted) == 500
    assert {ticket.instance.seed for ticket in tickets if ticket.cell == pinned} == {77}


def test_cells_that_share_a_kind_of_instance_share_its_count() -> None:
    """One problem under two harnesses would still be one problem."""
    feed = Feed(Scripted({Cell("toy/a", 0, H4): 1.0, Cell("toy/a", 0, H4, rollouts=4): 1.0}), SPECS)
    assert sorted(ticket.instance.seed for ticket in feed.draws(40)) == list(range(40))


def test_issued_at_counts_the_groups_reported_so_far() -> None:
    feed = Feed(Uniform(), SPECS)
    first = feed.draws(3)
    feed.report(played(first[1:]))
    assert [ticket.issued_at for ticket in (*first, *feed.draws(1))] == [0, 0, 0, 2]


def test_results_come_in_any_order_and_any_time_later() -> None:
    feed = Feed(RULE, SPECS, seed=5)
    out = [ticket for _ in range(10) for ticket in feed.draws(6)]
    np.random.default_rng(0).shuffle(out)  # type: ignore[arg-type]
    for start in range(0, 60, 4):
        feed.report(played(out[start : start + 4]))
        feed.draws(1)
    assert feed.open[0].id == 60


def test_a_ticket_that_is_not_out_is_refused_and_nothing_is_counted() -> None:
    feed = Feed(RULE, SPECS)
    groups = played(feed.draws(3))
    feed.report(groups[:1])
    before = feed.state
    unknown = Group(replace(groups[0].ticket, id=9), ())
    altered = Group(replace(groups[1].ticket, cell=replace(groups[1].ticket.cell, scale=3)), ())
    for wrong, says in (
        ([groups[1], groups[0]], "ticket 0.*reported before"),
        ([groups[1], groups[1]], "ticket 1.*reported before"),
        ([unknown], "only 3 tickets were drawn"),
        ([altered], "another ticket of this id is out"),
    ):
        with pytest.raises(UnknownTicket, match=says):
            feed.report(wrong)
    assert feed.state == before


def test_a_cell_that_is_removed_is_never_drawn_again_and_its_slot_is_used_anew() -> None:
    a, b, c, d = (Cell("toy/a", scale, H4) for scale in range(4))
    rule = Scripted({a: 1.0, b: 1.0}, {a: 0.0}, {c: 1.0}, {b: 0.0, d: 2.0})
    feed, seen = Feed(rule, SPECS), []
    for number in range(4):
        seen.append({ticket.cell for ticket in feed.draws(60)})
        if number < 3:
            feed.report([])
    assert seen == [{a, b}, {b}, {b, c}, {c, d}]
    assert len(feed.state["slots"]) == 2


def test_a_weight_too_small_for_a_unit_still_leaves_its_cell_in() -> None:
    tiny = Cell("toy/b", 0, H4)
    feed = Feed(Scripted({tiny: 1e-30}, {}), SPECS)
    assert feed.draws(1)[0].cell == tiny


def test_trainers_are_told_what_the_rule_admitted_before_it_learnt() -> None:
    feed = Feed(Scripted({Cell("toy/a", 0, H4): 1.0}, {}), SPECS)
    assert feed.report(played(feed.draws(3))) == [0.25] * 3
    assert feed.state["curriculum"] == {"updates": 1}


def test_a_ticket_that_was_reported_after_a_restart_is_not_drawn_again() -> None:
    feed = Feed(RULE, SPECS)
    out = feed.draws(3)
    other = Feed.load(RULE, SPECS, feed.state)
    other.report(played(out[1:2]))
    feed.report(played(out[1:2]))
    assert other.draws(3) == [out[0], out[2], *feed.draws(1)]


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({Cell("toy/c", 0, H4): 1.0}, UnknownEnvironment, "did you mean 'toy/"),
        ({Cell("toy/a", 4, H4): 1.0}, BadInstance, "it has the scales 0 to 3"),
        ({Cell("toy/a", 0, H4, knobs=(("size", 2),)): 1.0}, BadInstance, "no knob 'size'"),
        ({Cell("toy/a", 0, H4): float("nan")}, BadDistribution, "weight nan"),
    ],
)
def test_a_cell_that_could_never_be_played_is_refused_before_it_is_drawn(
    changes: Mapping[Cell, float], error: type[Exception], says: str
) -> None:
    feed = Feed(Scripted({Cell("toy/a", 0, H4): 1.0}, changes), SPECS)
    with pytest.raises(error, match=says):
        feed.report([])


def test_a_rule_that_removes_every_cell_is_named_when_tickets_are_asked_for() -> None:
    cell = Cell("toy/a", 0, H4)
    feed = Feed(Scripted({cell: 1.0}, {cell: 0.0}), SPECS)
    feed.report([])
    assert feed.draws(0) == []
    with pytest.raises(BadDistribution, match="removed all of them"):
        feed.draws(1)


def test_changes_that_do_not_add_up_are_named_before_they_are_stored() -> None:
    class Wrong(Scripted):
        def distribution(self, state: int) -> Distribution:
            return Distribution(self.weights[state])

    feed = Feed(Wrong({Cell("toy/a", 0, H4): 1.0}, {Cell("toy/a", 1, H4): 1.0}), SPECS)
    feed.report([])
    with pytest.raises(BadDistribution, match="do not add up"):
        _ = feed.state


def test_cells_survive_json_with_a_harness_of_ones_own() -> None:
    own = Harness("own", frozenset({"task", "map"}))
    cell = Cell("toy/a", 1, own, (("size", 3), ("torus", True)), 7, own, 0.25, 4, "sage")
    assert cell_from_json(json.loads(json.dumps(cell_to_json(cell)))) == cell


def test_what_a_guard_is_alarmed_by_is_told_by_the_feed() -> None:
    feed = Feed(Guarded(Uniform(), silent=2), SPECS, seed=0)
    feed.report(played(feed.draws(40)))
    assert feed.alarms.keys() == {"silent"}
    assert set(feed.alarms["silent"]) <= {spec.id for spec in SPECS}
    assert Feed(Uniform(), SPECS, seed=0).alarms == {}
