"""The journal around a costly policy."""

from pathlib import Path

import pytest
from counting import Costly, pool, tickets

from palaestra.core.errors import PolicyFailed, RunFolderError
from palaestra.core.policy import Completion
from palaestra.rollout.play import play
from palaestra.rollout.replies import Recorded


def test_a_finished_journal_answers_everything_and_asks_nothing(tmp_path: Path) -> None:
    costly = Costly()
    first = play(tickets(4), pool(), Recorded(costly, tmp_path / "j"), pixels=8)
    assert first == play(tickets(4), pool(), Costly(), pixels=8)
    again = Costly()
    assert first == play(tickets(4), pool(), Recorded(again, tmp_path / "j"), pixels=8)
    assert (costly.asked, again.asked) == (sum(len(m.turns) for g in first for m in g.trajectories), 0)


@pytest.mark.parametrize("at_once", [None, 1, 3])
def test_an_interrupted_play_asks_only_for_the_rest(tmp_path: Path, at_once: int | None) -> None:
    whole = Costly()
    expected = play(tickets(4), pool(), whole, pixels=8)
    asked = 0
    for patience in (7, 20, 10**9):
        costly = Costly(at_once, patience)
        try:
            assert play(tickets(4), pool(), Recorded(costly, tmp_path / "j"), pixels=8) == expected
        except KeyboardInterrupt:
            assert patience < 10**9
        asked += costly.asked
    assert asked == whole.asked


@pytest.mark.parametrize("cut", [1, 5, 60])
def test_a_last_line_cut_off_by_a_kill_is_dropped_and_asked_again(tmp_path: Path, cut: int) -> None:
    journal = tmp_path / "j"
    expected = play(tickets(2), pool(), Recorded(Costly(), journal), pixels=8)
    data = journal.read_bytes()
    journal.write_bytes(data[:-cut])
    costly = Costly()
    assert play(tickets(2), pool(), Recorded(costly, journal), pixels=8) == expected
    assert costly.asked == 1
    assert journal.read_bytes() == data


def test_another_picture_or_seed_is_another_question(tmp_path: Path) -> None:
    play(tickets(1), pool(), Recorded(Costly(), tmp_path / "j"), pixels=8)
    other_seed, other_picture = Costly(), Costly()
    play(tickets(1), pool(), Recorded(other_seed, tmp_path / "j"), pixels=8, seed=1)
    play(tickets(1), pool(), Recorded(other_picture, tmp_path / "j"), pixels=9)
    assert min(other_seed.asked, other_picture.asked) > 0


def test_a_journal_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match="choose a folder that can be written"):
        play(tickets(1), pool(), Recorded(Costly(), tmp_path / "file" / "j"), pixels=0)


def test_a_wrong_number_of_completions_is_not_recorded(tmp_path: Path) -> None:
    with pytest.raises(PolicyFailed, match="gave 0 completions"):
        play(tickets(1), pool(), Recorded(lambda conversations, seeds: [], tmp_path / "j"), pixels=0)
    assert not (tmp_path / "j").exists()


def test_a_reply_that_failed_is_an_error_now_and_is_asked_for_again_later(tmp_path: Path) -> None:
    def down(conversations, seeds):
        return [Completion("", error="http 500") for _ in conversations]

    (failed,) = play(tickets(1), pool(), Recorded(down, tmp_path / "j"), pixels=8)
    assert {member.error for member in failed.trajectories} == {"http 500"}
    assert play(tickets(1), pool(), Recorded(Costly(), tmp_path / "j"), pixels=8) == play(
        tickets(1), pool(), Costly(), pixels=8
    )
