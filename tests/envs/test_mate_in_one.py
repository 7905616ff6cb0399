"""Mate in one: what is a mate and what is none, how every mate counts, and that the search is the rules."""

import pytest

from palaestra.envs.board import _chess
from palaestra.envs.board.mate_in_one import Position
from palaestra.envs.board.mate_in_one import environment as env
from palaestra.envs.kit.parts import Asked

SIGNS = "KQRBNPkqrbnp."


def asked(rows: str) -> Asked[Position]:
    board = bytes(SIGNS.index(sign) for sign in rows.replace(" ", ""))
    side = len(rows.split())
    return Asked(Position(side, board, len(list(_chess.mates(side, _chess.sets_of(board))))))


CORNER = asked("....k ..... ...K. Q.... .....")


def test_a_move_is_a_mate_a_check_a_quiet_one_or_none_at_all() -> None:
    assert CORNER.question.mates == 1
    assert env.step(CORNER, ("a2", "a5")).events == ("steps_connected", "target_located", "parts_all_ok")
    assert env.step(CORNER, ("a2", "e2")).events == ("steps_connected", "threat_made", "parts_none_ok")
    assert env.step(CORNER, ("a2", "a3")).events == ("steps_connected", "target_missed", "parts_none_ok")
    assert env.step(CORNER, ("a2", "b4")).events == ("step_disconnected", "target_missed", "parts_none_ok")


@pytest.mark.parametrize(
    "rows",
    [
        "....k ..n.. ...K. Q.... .....",  # the queen is taken
        "....k .r... ...K. Q.... .....",  # a rook comes between
        ".n..k ..... ...K. Q.... .....",  # the way is barred
    ],
)
def test_a_check_that_is_answered_is_no_mate(rows: str) -> None:
    assert "target_located" not in env.step(asked(rows), ("a2", "a5")).events


def test_a_pinned_queen_does_not_mate() -> None:
    free, pinned = asked("k.... ..K.. ..Q.. ..... ....."), asked("k.... ..K.. ..Q.. ..... ..r..")
    assert env.step(free, ("c3", "a3")).events[0] == "steps_connected"
    assert env.step(pinned, ("c3", "a3")).events[0] == "step_disconnected"


def test_an_unveiled_check_mates() -> None:
    state = asked("k.N..R pp.... ...... ...... ...... K.....")
    assert state.question.mates == 3
    assert "target_located" in env.step(state, ("c6", "d4", "c6", "d4", "c6", "d4")).events


def test_of_two_mates_one_earns_a_quarter_and_their_order_is_free() -> None:
    state = env.reset(env.spec.instance(3, 0))
    a, b, c, d = env.solve(state)[0].split(", ")
    assert env.step(state, (c, d, a, b)).success
    half = env.step(state, (a, b, a, b))
    assert (half.reward, half.success, half.events[-2:]) == (0.25, False, ("node_repeated", "parts_some_ok"))


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_quick_search_for_mates_finds_what_trying_every_move_finds(scale: int) -> None:
    for seed in range(5):
        position = env.reset(env.spec.instance(scale, seed)).question
        side, sets = position.side, _chess.sets_of(position.board)
        king = sets[_chess.BLACK].bit_length() - 1
        tried = [
            (cell, target)
            for cell, target, after in _chess.legal(side, sets, _chess.WHITE)
            if _chess.attacked(side, after, king, _chess.WHITE) and not any(_chess.legal(side, after, _chess.BLACK))
        ]
        assert tried == list(_chess.mates(side, sets))
        assert len(tried) == position.mates


def test_a_mirror_makes_no_other_problem_and_a_turn_does_with_pawns_only() -> None:
    turned = asked("..... ....Q .K... ..... k....")
    assert env.problem(CORNER) == env.problem(turned)
    with_pawn, mirrored, turned = (
        asked(rows)
        for rows in (
            "....k ..P.. ...K. ..... Q....",
            "k.... ..P.. .K... ..... ....Q",
            "Q.... ..... ...K. ..P.. ....k",
        )
    )
    assert env.problem(with_pawn) == env.problem(mirrored)
    assert env.problem(with_pawn) != env.problem(turned)


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_no_king_is_attacked_at_first_and_no_pawn_promotes(scale: int) -> None:
    for seed in range(10):
        position = env.reset(env.spec.instance(scale, seed)).question
        side, sets = position.side, _chess.sets_of(position.board)
        for own, other in ((_chess.WHITE, _chess.BLACK), (_chess.BLACK, _chess.WHITE)):
            assert not _chess.attacked(side, sets, sets[own].bit_length() - 1, other)
        assert all(cell // side > 1 for cell in _chess.cells(sets[_chess.PAWN]))
        assert all(cell // side < side - 2 for cell in _chess.cells(sets[_chess.BLACK + _chess.PAWN]))
