"""Frozen lake, walked by hand."""

from dataclasses import replace

import pytest

from palaestra.envs.grid.frozen_lake import FrozenLake, Lake, Position, Walk
from palaestra.envs.grid.frozen_lake import environment as env
from palaestra.envs.kit import chance, grid

RISKY = "..... .OOO. @...G ..... ....."  # the short way runs along the holes, open ice lies below
SIGNS = {".": 0, "O": 1, "G": 2, "@": 0}


def walk(board: str, slip: float = 0.0, key: int = 0) -> Walk:
    """The start of a walk over a board that is written out, the walker being @."""
    rows = board.split()
    signs = "".join(rows)
    lake = Lake(len(rows), len(rows[0]), bytes(SIGNS[sign] for sign in signs), slip)
    return Walk(Position(lake, signs.index("@")), 0, key)


def key_that(slip: float, low: float, high: float) -> int:
    """A key whose first move draws a number from low up to high, as shares of the slip."""
    return next(key for key in range(10_000) if low * slip <= chance.uniform(key, 0) < high * slip)


def test_a_walk_round_the_hole_wins_and_says_what_happened() -> None:
    state = walk("@O. ... ..G")
    steps = []
    for move in ("up", "down", "up", "down", "down", "right", "right"):
        steps.append(env.step(state, move))
        state = steps[-1].state
    assert [step.events for step in steps] == [
        ("edge_bumped",),
        ("moved_closer",),
        ("moved_away", "path_reversed", "hazard_skirted"),
        ("moved_closer", "path_reversed"),
        ("moved_closer",),
        ("moved_closer",),
        ("goal_reached",),
    ]
    assert [(step.reward, step.done, step.success) for step in steps] == [(0, False, False)] * 6 + [(1, True, True)]
    assert (state.moves, state.position.cell, env.solve(state)) == (7, 8, ())


def test_a_hole_ends_the_walk_and_nothing_can_be_won_from_it() -> None:
    step = env.step(walk("@O. ... ..G"), "right")
    assert (step.done, step.success, step.reward, step.events) == (True, False, 0.0, ("hazard_entered",))
    assert env.solve(step.state) is None
    assert env.guide(step.state.position) is None


@pytest.mark.parametrize(("board", "edge"), [("@. .G", "up"), (".@ .G", "right"), (".G @.", "down"), (".. @G", "left")])
def test_the_edge_stops_a_walker_but_the_move_counts(board: str, edge: str) -> None:
    start = walk(board)
    step = env.step(start, edge)
    assert step.legal
    assert (step.state, step.events) == (replace(start, moves=1), ("edge_bumped",))


@pytest.mark.parametrize("move", grid.DIRECTIONS)
def test_a_slip_turns_a_move_to_its_right_or_to_its_left_and_never_back(move: str) -> None:
    board, by_cell = "... .@. ..G", {1: "up", 5: "right", 7: "down", 3: "left"}
    heading = grid.DIRECTIONS.index(move)
    for low, high, turned in ((0, 0.5, heading + 1), (0.5, 1, heading - 1), (1, 2, heading)):
        step = env.step(walk(board, 0.4, key_that(0.4, low, high)), move)
        assert by_cell[step.state.position.cell] == grid.DIRECTIONS[turned % 4]


def test_moves_slip_as_often_as_told_and_to_both_hands_alike() -> None:
    board = "..... ..... ..@.. ..... ....G"
    cells = [env.step(walk(board, 0.3, key), "up").state.position.cell for key in range(4000)]
    assert abs(cells.count(7) - 2800) < 120
    assert abs(cells.count(13) - 600) < 90
    assert abs(cells.count(11) - 600) < 90


def test_the_caption_shows_the_board_row_by_row() -> None:
    view = env.view(walk("@O. ..G").position, 0)
    assert view.caption.splitlines()[1:] == ["@O.", "..G"]
    assert view.state.startswith("You are at row 0, column 0; the goal is at row 1, column 2. Holes beside you: 1.")


def test_the_guide_takes_the_short_way_on_firm_ice_and_the_safe_way_on_slippery_ice() -> None:
    assert env.guide(walk(RISKY, slip=0.0).position) == "right"
    assert env.guide(walk(RISKY, slip=0.4).position) == "down"


def chance_to_win(start: Walk, moves: int, choose) -> float:
    """The exact probability that a player of positions wins within some moves, by summing over all slips."""
    lake, won, at = start.position.lake, 0.0, {start.position.cell: 1.0}
    around = grid.neighbours(lake.rows, lake.columns)
    for _ in range(moves):
        after: dict[int, float] = {}
        for cell, weight in at.items():
            for heading, share in choose(Position(lake, cell)):
                for turn, luck in ((0, 1 - lake.slip), (1, lake.slip / 2), (-1, lake.slip / 2)):
                    to = around[cell][(heading + turn) % 4]
                    to = cell if to < 0 else to
                    if lake.cells[to] == 2:
                        won += weight * share * luck
                    elif lake.cells[to] == 0:
                        after[to] = after.get(to, 0.0) + weight * share * luck
        at = after
    return won


def by_guide(position: Position) -> list[tuple[int, float]]:
    return [(grid.DIRECTIONS.index(env.guide(position)), 1.0)]


def at_random(position: Position) -> list[tuple[int, float]]:
    return [(heading, 0.25) for heading in range(4)]


def straight_on(position: Position) -> list[tuple[int, float]]:
    return [(1, 1.0)]


def test_where_the_short_way_is_risky_the_guide_beats_it_and_random_play_by_far() -> None:
    start = walk(RISKY, slip=0.4)
    guided, straight, blind = (
        chance_to_win(start, env.horizon(start), choose) for choose in (by_guide, straight_on, at_random)
    )
    assert guided > straight + 0.3
    assert guided > blind + 0.5


def test_the_guide_is_the_best_of_all_players_on_a_small_slippery_lake() -> None:
    start = walk("@.. .O. ..G", slip=0.3)
    free = [0, 1, 2, 3, 5, 6, 7]
    value = dict.fromkeys(range(9), 0.0) | {8: 1.0}
    around = grid.neighbours(3, 3)
    for _ in range(200):  # value iteration without a discount, as a reference of its own
        for cell in free:
            to = [value[cell if n < 0 else n] for n in around[cell]]
            value[cell] = max(0.7 * to[d] + 0.15 * (to[(d + 1) % 4] + to[d - 1]) for d in range(4))
    assert chance_to_win(start, 400, by_guide) == pytest.approx(value[0], abs=0.01)


def test_the_oracle_wins_every_walk_on_slippery_ice() -> None:
    wins = 0
    for seed in range(200):
        state = env.reset(env.spec.instance(5, seed))
        for reply in env.solve(state):
            step = env.step(state, reply)
            state = step.state
        wins += step.success
    assert wins == 200


def test_turned_and_mirrored_lakes_are_one_problem_and_another_start_is_another() -> None:
    problem = FrozenLake().problem
    assert problem(walk("@O. ..G")) == problem(walk("G.. .O@")) == problem(walk("@. O. .G")) != problem(walk(".O@ ..G"))
    assert problem(walk("@O. ..G", key=1)) == problem(walk("@O. ..G", key=2))


def test_a_lake_is_one_problem_however_slippery_it_is() -> None:
    problem = FrozenLake().problem
    assert problem(walk("@O. ..G")) == problem(walk("@O. ..G", slip=0.1))
