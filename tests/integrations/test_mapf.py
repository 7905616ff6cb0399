"""The joint oracles: both agree with trying everything, with one another, and with pymapf."""

import numpy as np
import pytest
from tests.envs.lakes import earliest, lake

from palaestra.core.errors import ExtraMissing
from palaestra.core.instance import knobs
from palaestra.envs import registry
from palaestra.envs.planning._mapf import making, pairs, sets, ways
from palaestra.envs.planning._mapf.lake import Lake, outcome
from palaestra.integrations.mapf import ORACLE, Undecided, joint, mapf_frozen_lake, mapf_lake_steps, sat


def random_lakes(count: int, walkers: int, size: int, holes: int) -> list[Lake]:
    rng = np.random.default_rng(walkers)
    wish = making.Wish(walkers, size, holes)
    return [board for _ in range(count) if (board := wish.proposed(rng)) is not None]


def test_without_its_package_the_oracle_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pysat.solvers", None)
    with pytest.raises(ExtraMissing, match="mapf"):
        ORACLE.best(lake("SFG FFF sFg"))


def test_a_star_finds_both_optima_and_proves_that_a_corridor_has_no_plan() -> None:
    for board in random_lakes(12, 2, 3, 2):
        plan, least = joint.search(board), earliest(board)
        assert (None if plan is None else outcome(board, plan).makespan) == least
    assert ORACLE.unsolvable(lake("SgGs HHHH HHHH HHHH"))
    assert not ORACLE.unsolvable(lake("FsF SFG FgF"))
    assert joint.search(lake("FsF SFG FgF"), costs=True) is not None
    with pytest.raises(Undecided):
        joint.search(lake("FsF SFG FgF"), budget=1)


@pytest.mark.parametrize(("walkers", "size", "holes"), [(2, 3, 2), (3, 3, 1), (3, 4, 4)])
def test_satisfiability_agrees_with_joint_search_in_both_optima(walkers: int, size: int, holes: int) -> None:
    pytest.importorskip("pysat")
    compared = 0
    for board in random_lakes(8, walkers, size, holes):
        if not ways.solvable(board):
            continue  # a proof that there is none takes long
        early, cheap = sat.earliest(board), sat.cheapest(board)
        assert early is not None
        assert cheap is not None
        assert not outcome(board, early).faults
        assert not outcome(board, cheap).faults
        by_search = [joint.search(board), joint.search(board, costs=True)]
        assert outcome(board, early).makespan == outcome(board, by_search[0]).makespan
        assert outcome(board, cheap).cost == outcome(board, by_search[1]).cost
        if walkers == 2:
            assert ORACLE.needs_wait(board) == pairs.needs_wait(board)
        compared += 1
    assert compared >= 4


def test_a_walker_on_its_goal_may_make_room_and_come_again() -> None:
    pytest.importorskip("pysat")
    board = Lake(3, bytes([1, 1, 1, 0, 0, 0, 1, 0, 1]), (3, 4), (5, 4))
    found = sat.earliest(board)
    assert found is not None
    assert outcome(board, found).makespan == outcome(board, joint.search(board)).makespan == 2
    cheap = sat.cheapest(board)
    assert cheap is not None
    assert outcome(board, cheap).cost == outcome(board, joint.search(board, costs=True)).cost


def test_satisfiability_says_when_there_is_no_plan_within_the_limit() -> None:
    pytest.importorskip("pysat")
    assert sat.earliest(lake("SgGs HHHH HHHH HHHH")) is None
    assert sat.cheapest(lake("SgHH HHGs HHHH HHHH")) is None


def test_costs_of_conflict_based_search_are_never_less_and_its_makespans_neither() -> None:
    pymapf = pytest.importorskip("pymapf")
    pytest.importorskip("pysat")
    compared = 0
    for board in random_lakes(12, 3, 5, 6):
        rows = [board.cells[row : row + 5] for row in range(0, 25, 5)]
        ends = zip(board.starts, board.goals, strict=True)
        agents = [pymapf.Agent(str(k), divmod(a, 5), divmod(b, 5)) for k, (a, b) in enumerate(ends)]
        theirs = pymapf.solve(pymapf.MAPFProblem(pymapf.GridMap(rows), agents), "cbs", time_limit=1.0)
        if theirs is not None:
            assert outcome(board, ORACLE.cheapest(board)).cost == theirs.sum_of_costs
            assert outcome(board, ORACLE.best(board)).makespan <= theirs.makespan
            compared += 1
    assert compared >= 8


def test_the_environments_with_the_oracle_serve_the_wait_knob_for_more_than_two() -> None:
    pytest.importorskip("pysat")
    for env in (mapf_frozen_lake, mapf_lake_steps):
        for share in (0.0, 1.0):
            state = env.reset(env.spec.instance(1, 0, knobs=knobs({"agents": 3, "wait": share})))
            board = state.question.lake if env is mapf_frozen_lake else state.position.lake
            assert ORACLE.needs_wait(board) == bool(share)
    state = mapf_frozen_lake.reset(mapf_frozen_lake.spec.instance(1, 0, knobs=knobs({"agents": 3})))
    reply = mapf_frozen_lake.view(state.question, 0).answer.parse(mapf_frozen_lake.solve(state)[0]).value
    assert mapf_frozen_lake.step(state, reply).events[-1] == "cost_optimal"


def test_what_needs_no_oracle_is_the_same_with_one_and_without() -> None:
    plain = registry.get("planning/mapf_frozen_lake")
    for seed in range(5):
        instance = plain.spec.instance(3, seed, knobs=knobs({"agents": 4}))
        assert plain.reset(instance) == mapf_frozen_lake.reset(instance)
    assert registry.find("palaestra.integrations.mapf").spec == plain.spec


@pytest.mark.parametrize("boards", [20, pytest.param(450, marks=pytest.mark.slow)])
def test_the_fixed_boards_are_made_again_as_they_are(boards: int) -> None:
    pytest.importorskip("pysat")
    made = sets.founded(ORACLE)
    lines = sets.FILE.read_text("utf-8").splitlines(keepends=True)
    assert [next(made) for _ in range(boards)] == lines[:boards]
