"""The guard: floor, demotion, alarms."""

from typing import Any

import pytest
from tests.curriculum.rules import ALWAYS, GUIDED, NEVER, groups, spec

from palaestra.core.curriculum import Update
from palaestra.core.distribution import Cell, Distribution
from palaestra.core.errors import BadDistribution
from palaestra.core.observation import H0, H1, H4
from palaestra.core.ticket import Group
from palaestra.curriculum.guarded import Guarded, GuardedState
from palaestra.curriculum.hdc import HDC, HDCState
from palaestra.curriculum.simulate import Learner, lost
from palaestra.curriculum.template import Roster, Template
from palaestra.curriculum.uniform import Uniform
from palaestra.curriculum.watch import Alarm

TWO = [spec("toy/a"), spec("toy/b")]
FIRST = Cell("toy/a", 0, H0)


def position(state: GuardedState[HDCState]) -> int:
    return state.inner[0].position


def test_the_floor_is_its_share_of_all_tickets_even_over_environments_and_scales() -> None:
    guarded = Guarded(HDC(), floor=0.3)
    shares = guarded.distribution(guarded.start(TWO)).probabilities()
    assert shares[Cell("toy/b", 2, H4)] == pytest.approx(0.3 / 2 / 3)
    assert sum(share for cell, share in shares.items() if cell.harness == H4) == pytest.approx(0.3)


@pytest.mark.parametrize(
    "rule",
    [HDC(template=GUIDED), Uniform(H0, GUIDED), Uniform(H0)],
    ids=["hdc, guided", "uniform, guided", "uniform"],
)
def test_under_any_rule_the_floor_is_the_least_share_of_tickets_with_picture_and_task_alone(rule: Any) -> None:
    guarded = Guarded(rule, floor=0.3)
    shares = guarded.distribution(guarded.start(TWO)).probabilities()
    alone = [share for cell, share in shares.items() if cell.harness == H4 and cell.learn is None]
    assert sum(alone) == pytest.approx(0.3)


def test_without_floor_and_demotion_it_is_the_rule_itself() -> None:
    hdc, guarded = HDC(least=1), Guarded(HDC(least=1), floor=0.0, demote=0.0)
    plain, state = hdc.start(TWO), guarded.start(TWO)
    for learner in (ALWAYS, NEVER, ALWAYS, ALWAYS):
        played = groups(hdc.frontier(plain, ["toy/a"])["toy/a"], 20, learner)
        one, other = hdc.update(plain, played), guarded.update(state, played)
        assert dict(other.changes) == dict(one.changes)
        plain, state = one.state, other.state
        assert guarded.distribution(state) == hdc.distribution(plain)


class Growing(Uniform):
    """A rule whose total weight grows with every update."""

    def start(self, specs: object) -> Roster:
        return (("toy/a", (0,)),)

    def distribution(self, state: Roster) -> Distribution:
        return Distribution({Cell(env_id, scale, H4): 1.0 for env_id, scales in state for scale in scales})

    def update(self, state: Roster, groups: object) -> Update[Roster]:
        (env_id, scales), new = state[0], len(state[0][1])
        return Update(((env_id, (*scales, new)),), {Cell(env_id, new, H4): 1.0})


def test_the_floor_keeps_its_share_when_the_rule_changes_its_total() -> None:
    guarded = Guarded(Growing(), floor=0.5, harness=H1)
    state = guarded.start(TWO)
    held = dict(guarded.distribution(state).weights)
    for _ in range(2):
        update = guarded.update(state, [])
        state, held = update.state, held | update.changes
        assert guarded.distribution(state).weights == held
        assert guarded.distribution(state).marginal("harness")[H1] == pytest.approx(0.5)


def test_floor_cells_are_made_by_the_rules_own_template() -> None:
    few = Template(rollouts=4, scales={"toy/a": (1,)})
    guarded = Guarded(HDC(template=few), floor=0.5)
    floor = {cell for cell in guarded.distribution(guarded.start(TWO)).weights if cell.harness == H4}
    assert floor == {Cell("toy/a", 1, H4, rollouts=4), *(Cell("toy/b", scale, H4, rollouts=4) for scale in range(3))}


def test_sixteen_groups_without_a_success_take_an_environment_one_step_back() -> None:
    guarded = Guarded(HDC(least=2))
    state = guarded.update(guarded.start(TWO), groups(FIRST, 2)).state
    assert position(state) == 1
    state = guarded.update(state, groups(Cell("toy/a", 1, H0), 15, NEVER)).state
    assert position(state) == 1
    update = guarded.update(state, groups(Cell("toy/a", 1, H0), 1, NEVER))
    assert position(update.state) == 0
    assert update.changes == {FIRST: 1.0, Cell("toy/a", 1, H0): 0.0}
    assert [watch.collapses for watch in update.state.watches] == [1, 0]


def test_a_few_successes_in_the_block_keep_the_environment_where_it_is() -> None:
    guarded = Guarded(HDC(least=2))
    state = guarded.update(guarded.start(TWO), groups(FIRST, 2)).state
    cell = Cell("toy/a", 1, H0)
    assert position(guarded.update(state, groups(cell, 1) + groups(cell, 15, NEVER)).state) == 1


def test_missing_groups_and_those_of_other_cells_never_demote() -> None:
    guarded = Guarded(HDC(least=2))
    state = guarded.update(guarded.start(TWO), groups(FIRST, 2)).state
    failed = groups(Cell("toy/a", 1, H0), 40, NEVER)
    silent = [*map(lost, failed), *(Group(group.ticket, ()) for group in failed)]
    assert position(guarded.update(state, silent).state) == 1
    assert position(guarded.update(state, groups(FIRST, 40, NEVER)).state) == 1


def test_failures_at_a_frontier_that_was_left_do_not_count_at_the_next() -> None:
    guarded = Guarded(HDC(tau_scale=0.05, least=16))
    state = guarded.update(guarded.start(TWO), groups(FIRST, 14, NEVER) + groups(FIRST, 2)).state
    assert (position(state), state.watches[0].tally.groups) == (1, 0)


def test_a_rule_without_a_frontier_is_never_demoted() -> None:
    guarded = Guarded(Uniform())
    assert guarded.update(guarded.start(TWO), groups(Cell("toy/a", 0, H4), 99, NEVER)).changes == {}


def test_in_guided_groups_a_frontier_collapses_by_its_unaided_members() -> None:
    guarded = Guarded(HDC(least=2, template=GUIDED))
    cell = GUIDED.cell("toy/a", 1, H0)
    state = guarded.update(guarded.start(TWO), groups(GUIDED.cell("toy/a", 0, H0), 2)).state
    mixed = groups(cell, 16, Learner(talent=2.5, seed=3))  # H0 within reach, H4 hardly
    members = tuple(member for member in mixed[0].trajectories[:4] if member.success)
    aided = [Group(group.ticket, members + groups(cell, 1, NEVER)[0].trajectories[len(members) :]) for group in mixed]
    assert members
    assert position(guarded.update(state, aided).state) == 0


def test_an_environment_that_is_not_heard_of_is_starved() -> None:
    guarded = Guarded(Uniform(), starved=5)
    heard, other = groups(Cell("toy/a", 0, H4), 8), groups(Cell("toy/b", 0, H4), 3)
    state = guarded.update(guarded.start(TWO), heard + list(map(lost, other))).state
    assert guarded.alarms(state) == [Alarm("toy/b", "starved", 11)]
    assert guarded.alarms(guarded.update(state, other).state) == []


@pytest.mark.parametrize("learner", [ALWAYS, NEVER])
def test_groups_that_agree_in_a_row_are_silent_until_one_does_not(learner: Learner) -> None:
    guarded, cell = Guarded(Uniform(), silent=4), Cell("toy/a", 0, H4)
    state = guarded.update(guarded.start(TWO), groups(cell, 4, learner)).state
    assert guarded.alarms(state) == [Alarm("toy/a", "silent", 4)]
    assert guarded.alarms(guarded.update(state, groups(cell, 1, Learner(talent=4.0))).state) == []


def test_alarms_survive_a_restart() -> None:
    guarded = Guarded(Uniform(), silent=4, starved=1)
    state = guarded.update(guarded.start(TWO), groups(Cell("toy/a", 0, H4), 4)).state
    assert guarded.load(guarded.dump(state)) == state
    assert {alarm.kind for alarm in guarded.alarms(state)} == {"silent", "starved"}


@pytest.mark.parametrize("wrong", [{"floor": 1.0}, {"floor": -0.1}, {"demote": 1.1}, {"least": 0}])
def test_a_guard_that_makes_no_sense_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadDistribution, match=next(iter(wrong))):
        Guarded(Uniform(), **wrong)  # type: ignore[arg-type]
