"""HDC against its formulas by hand, and the identities that tie it to simpler rules."""

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.curriculum.rules import ALWAYS, GUIDED, NEVER, groups, spec

from palaestra.core.distribution import Cell
from palaestra.core.errors import BadDistribution
from palaestra.core.observation import H0, H1, H4, LADDER
from palaestra.core.ticket import Group
from palaestra.curriculum.hdc import HDC, HDCState, Progress
from palaestra.curriculum.simulate import Learner, lost
from palaestra.curriculum.tally import Tally
from palaestra.curriculum.template import Template


def mastered(hdc: HDC, state: HDCState, env_id: str, times: int) -> HDCState:
    """The state after so many passed checks of one environment."""
    for _ in range(times):
        state = hdc.update(state, groups(hdc.frontier(state, [env_id])[env_id], hdc.least)).state
    return state


def test_harness_shares_follow_the_formula_at_rung_three() -> None:
    total = exp(-0.5 * 3) + exp(-0.5 * 2) + exp(-0.5)
    by_hand = [0.4 * exp(-0.5 * 3) / total, 0.4 * exp(-0.5 * 2) / total, 0.4 * exp(-0.5) / total, 0.6]
    assert HDC(p_current=0.6, alpha=0.5).harness_shares(3) == pytest.approx(by_hand)
    assert HDC(alpha=0).harness_shares(3) == pytest.approx([0.1, 0.1, 0.1, 0.7])
    assert HDC().harness_shares(0) == [1.0]


@given(st.integers(0, 4), st.floats(0.01, 1), st.floats(0, 1e9))
def test_harness_shares_sum_to_one_at_every_rung(rung: int, p_current: float, alpha: float) -> None:
    assert sum(HDC(p_current=p_current, alpha=alpha).harness_shares(rung)) == pytest.approx(1)


def test_the_window_grows_slides_and_starts_anew_on_the_next_rung() -> None:
    hdc = HDC(width=2, least=1)
    windows = []
    for passed in range(5):
        state = mastered(hdc, hdc.start([spec(scales=4)]), "toy/walk", passed)
        frontier = hdc.frontier(state, ["toy/walk"])["toy/walk"]
        at_frontier = [c.scale for c in hdc.distribution(state).weights if c.harness == frontier.harness]
        windows.append((frontier.harness.name, at_frontier, frontier.scale))
    assert windows == [("H0", [0], 0), ("H0", [0, 1], 1), ("H0", [1, 2], 2), ("H0", [2, 3], 3), ("H1", [0], 0)]


def test_a_window_holds_allowed_scales_only() -> None:
    hdc = HDC(least=1, template=Template(scales={"toy/walk": (0, 2, 5)}))
    state = mastered(hdc, hdc.start([spec(scales=6)]), "toy/walk", 2)
    assert hdc.distribution(state).marginal("scale") == pytest.approx({0: 1 / 3, 2: 1 / 3, 5: 1 / 3})
    assert hdc.frontier(mastered(hdc, state, "toy/walk", 1), ["toy/walk"])["toy/walk"] == Cell("toy/walk", 0, H1)


def test_the_last_rung_at_the_target_scale_is_the_end_of_the_path() -> None:
    hdc = HDC(least=1)
    state = mastered(hdc, hdc.start([spec(scales=2)]), "toy/walk", 15)
    assert hdc.frontier(state, ["toy/walk"])["toy/walk"] == Cell("toy/walk", 1, H4)


@pytest.mark.parametrize(("tau_scale", "tau_harness", "path"), [(0.4, 0.99, "0 1 1"), (0.99, 0.4, "0 0 0")])
def test_each_threshold_gates_its_own_axis(tau_scale: float, tau_harness: float, path: str) -> None:
    hdc = HDC(tau_scale, tau_harness, least=16)
    state, walked = hdc.start([spec(scales=2)]), []
    for number in range(3):
        walked.append(str(state[0].position))
        coin = Learner(talent=float(state[0].top), seed=number)  # succeeds half of the time on every scale at H0
        state = hdc.update(state, groups(hdc.frontier(state, ["toy/walk"])["toy/walk"], 16, coin)).state
    assert " ".join(walked) == path


def test_success_must_exceed_the_threshold_not_reach_it() -> None:
    hdc = HDC(tau_scale=1.0, least=1)
    assert hdc.update(hdc.start([spec()]), groups(Cell("toy/walk", 0, H0), 5)).changes == {}


def test_counters_start_anew_after_a_failed_check() -> None:
    hdc = HDC(tau_scale=0.5, least=2)
    start, cell = hdc.start([spec()]), Cell("toy/walk", 0, H0)
    failed = hdc.update(start, groups(cell, 2, NEVER)).state
    assert failed == start
    assert hdc.update(failed, groups(cell, 1)).state[0].tally == Tally(1, 16, 16)


def test_only_results_at_the_frontier_cell_move_the_frontier() -> None:
    hdc = HDC(least=1)
    state = mastered(hdc, hdc.start([spec()]), "toy/walk", 4)  # rung 1, scale 1
    for scale in range(3):
        for harness in LADDER:
            cell = Cell("toy/walk", scale, harness)
            moved = bool(hdc.update(state, groups(cell, 9)).changes)
            assert moved == (cell == Cell("toy/walk", 1, H1))


def test_late_groups_of_a_left_cell_are_not_credited_to_the_next() -> None:
    hdc = HDC(least=2)
    state = hdc.start([spec()])
    prefetched = groups(hdc.frontier(state, ["toy/walk"])["toy/walk"], 50)
    assert hdc.update(state, prefetched).state == (Progress("toy/walk", (0, 1, 2), position=1),)


def test_environments_advance_independently_and_weigh_the_same() -> None:
    hdc = HDC(least=1)
    state = mastered(hdc, hdc.start([spec("toy/a"), spec("toy/b")]), "toy/a", 7)
    assert [at.position for at in state] == [7, 0]
    assert hdc.distribution(state).marginal("env_id") == pytest.approx({"toy/a": 0.5, "toy/b": 0.5})


def test_changes_name_the_cells_of_the_environment_that_moved() -> None:
    hdc = HDC(least=1, width=1)
    changes = hdc.update(hdc.start([spec("toy/a"), spec("toy/b")]), groups(Cell("toy/a", 0, H0), 1)).changes
    assert changes == {Cell("toy/a", 0, H0): 0.0, Cell("toy/a", 1, H0): 1.0}


def test_batches_do_not_matter() -> None:
    hdc = HDC(least=3)
    state, played = hdc.start([spec()]), groups(Cell("toy/walk", 0, H0), 4) + groups(Cell("toy/walk", 1, H0), 4)
    one_by_one = state
    for group in played:
        one_by_one = hdc.update(one_by_one, [group]).state
    assert hdc.update(state, played).state == one_by_one


def test_reward_without_success_never_opens_a_gate() -> None:
    hdc = HDC(tau_scale=0.0, least=1)
    generous = Learner(talent=-99.0, partial=0.95)
    assert hdc.update(hdc.start([spec()]), groups(Cell("toy/walk", 0, H0), 20, generous)).changes == {}


def test_a_group_without_any_score_is_not_counted() -> None:
    hdc = HDC(least=1)
    start, played = hdc.start([spec()]), groups(Cell("toy/walk", 0, H0), 3)
    assert hdc.update(start, [*map(lost, played), *(Group(group.ticket, ()) for group in played)]).state == start


def test_in_guided_groups_only_unaided_members_are_judged() -> None:
    hdc = HDC(least=1, template=GUIDED)
    state = hdc.start([spec()])
    cell = hdc.frontier(state, ["toy/walk"])["toy/walk"]
    assert (cell.harness, cell.learn, cell.helped) == (H0, H4, 4)
    only_with_help = groups(cell, 1, ALWAYS)[0].trajectories[:4] + groups(cell, 1, NEVER)[0].trajectories[4:]
    assert hdc.update(state, [Group(groups(cell, 1)[0].ticket, only_with_help)]).changes == {}
    assert hdc.update(state, groups(cell, 1)).changes != {}


def test_on_the_learnt_rung_nobody_is_helped_and_all_are_judged() -> None:
    cell = GUIDED.cell("toy/walk", 0, H4)
    assert cell.learn is None
    assert len(groups(cell, 1)[0].judged()) == 8


@given(st.lists(st.booleans(), max_size=30), st.integers(1, 4))
def test_with_one_rung_it_is_the_scale_curriculum(passes: list[bool], width: int) -> None:
    """RLVE's rule, written out: scales even over the last `width`; above the threshold at the top one, one more."""
    hdc = HDC(width=width, least=2, ladder=(H4,))
    state, top = hdc.start([spec(scales=5)]), 0
    for passed in passes:
        state = hdc.update(state, groups(Cell("toy/walk", top, H4), 2, ALWAYS if passed else NEVER)).state
        top = min(4, top + passed)
        window = range(max(0, top - width + 1), top + 1)
        even = {Cell("toy/walk", scale, H4): 1 / len(window) for scale in window}
        assert hdc.distribution(state).weights == pytest.approx(even)


@given(st.integers(0, 14))
def test_with_p_current_one_it_never_revisits(steps: int) -> None:
    hdc = HDC(p_current=1.0, least=1)
    state = mastered(hdc, hdc.start([spec()]), "toy/walk", steps)
    assert {cell.harness for cell in hdc.distribution(state).weights} == {LADDER[steps // 3]}


@given(st.integers(0, 14))
def test_a_retreat_undoes_an_advance_and_its_changes_add_up(steps: int) -> None:
    hdc = HDC(least=1, width=2)
    state = mastered(hdc, hdc.start([spec()]), "toy/walk", steps)
    back = hdc.retreat(state, ["toy/walk"])
    assert back.state[0].position == max(0, steps - 1)
    held = {**hdc.distribution(state).weights, **back.changes}
    assert {cell: weight for cell, weight in held.items() if weight} == hdc.distribution(back.state).weights


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: HDC(p_current=0.0), "p_current lies in"),
        (lambda: HDC(tau_scale=90), "successes, which lies in"),
        (lambda: HDC(ladder=()), "name some rungs"),
        (lambda: HDC(ladder=(H0, H0)), "each once"),
        (lambda: HDC(template=Template(learn=H4)), "leaves nobody to judge"),
        (lambda: HDC().start([]), "at least one environment"),
        (lambda: HDC().start([spec(), spec()]), "each once"),
        (lambda: HDC(template=Template(scales={"toy/walk": (3,)})).start([spec()]), "it has 0 to 2"),
        (lambda: HDC(template=Template(scales={"toy/walk": ()})).start([spec()]), "leave the environment out"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(BadDistribution, match=says):
        make()
