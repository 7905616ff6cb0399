"""Knight fork: which squares count, when a square is safe, and what a reply that is nearly right is told."""

import pytest

from palaestra.envs.board.knight_fork import Position
from palaestra.envs.board.knight_fork import environment as env
from palaestra.envs.kit.parts import Asked

SIGNS = "KQRBNPkqrbnp."


def asked(rows: str, safe: bool = False) -> Asked[Position]:
    board = bytes(SIGNS.index(sign) for sign in rows.replace(" ", ""))
    return Asked(Position(len(rows.split()), board, safe))


def right(state: Asked[Position]) -> set[str]:
    return set(env.solve(state)[0].split(", "))


def test_a_square_counts_when_two_black_pieces_are_a_knights_move_away() -> None:
    state = asked(".r.r. ..... ..... ..... ...N.")
    assert right(state) == {"c3"}
    assert env.step(state, ("c3",)).events == ("threat_made", "parts_all_ok")


def test_own_pieces_bar_a_square_and_black_ones_are_taken() -> None:
    assert right(asked(".r.r. ..... ..b.. ..... ...N.")) == {"c3"}
    barred = env.step(asked(".r.r. ..... ..P.. ..... ...N."), ("c3",))
    assert barred.events == ("part_superfluous", "parts_none_ok")


@pytest.mark.parametrize(
    ("rows", "safe"),
    [
        (".r.r. ..... ..... ..... ...N.", True),
        (".r.r. .p... ..... ..... ...N.", False),  # a black pawn attacks downwards
        (".r.r. ..... ..... .p... ...N.", True),
        (".r.r. ..... ..... ..q.. ...N.", False),
        (".r.r. ..... ..... ...k. ...N.", False),
        (".r.r. ..... r..P. ..... ...N.", False),
        (".r.r. ..... rP... ..... ...N.", True),  # the rook is shut off
        (".r.r. ..... ..p.. ..... ...N.", True),  # what is taken attacks no more
    ],
)
def test_a_square_is_safe_when_nothing_black_attacks_it_after_the_move(rows: str, safe: bool) -> None:
    said = env.step(asked(rows, safe=True), ("c3",)).events[0]
    assert said == ("threat_made" if safe else "attack_overlooked")


def test_leaving_out_naming_twice_and_naming_too_much_are_told_apart() -> None:
    state = env.reset(env.spec.instance(1, 0))
    first, second = sorted(right(state))
    part = env.step(state, (first,))
    assert (part.reward, part.events) == (0.25, ("threat_made", "part_left_out", "parts_some_ok"))
    assert env.step(state, (second, first, first)).success
    knight = "abcde"[state.question.board.index(4) % 5] + str(5 - state.question.board.index(4) // 5)
    more = env.step(state, (first, second, knight))
    assert more.events[2:] == ("part_superfluous", "parts_some_ok")
    assert more.reward == pytest.approx(1 / 3)
    assert env.step(state, (knight,)).events[-1] == "parts_none_ok"


def test_kinds_of_pieces_make_another_problem_only_where_they_matter() -> None:
    rooks, queens = ".r.r. ..... ..... ..... ...N.", ".q.q. ..... ..... ..... ...N."
    assert env.problem(asked(rooks)) == env.problem(asked(queens))
    assert env.problem(asked(rooks, safe=True)) != env.problem(asked(queens, safe=True))
    assert env.problem(asked(rooks)) != env.problem(asked(rooks, safe=True))
    assert env.problem(asked(rooks)) == env.problem(asked(".N... ..... ..... ..... .r.r."))
