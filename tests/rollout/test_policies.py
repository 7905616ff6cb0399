"""The players of the house."""

import io
from pathlib import Path

import numpy as np
import pytest
from counting import pool, ticket, world
from PIL import Image

from palaestra.core.errors import PolicyFailed
from palaestra.core.trajectory import Stop
from palaestra.rollout.play import play
from palaestra.rollout.policies import EpsilonOracle, Guide, Oracle, Person, Random, Scripted, make


def wins(policy: object, name: str = "counting", n: int = 40) -> float:
    groups = play([ticket(i, name, rollouts=1) for i in range(n)], pool(), policy, pixels=0)  # type: ignore[arg-type]
    return float(np.mean([group.trajectories[0].success for group in groups]))


def test_the_oracle_wins_and_the_trembling_one_lies_between_it_and_chance() -> None:
    assert wins(Oracle()) == 1.0 == wins(EpsilonOracle(0.0))
    assert wins(Random()) < wins(EpsilonOracle(0.4)) < 1.0


def test_a_trembling_oracle_plays_on_where_it_has_no_plan() -> None:
    (group,) = play([ticket(rollouts=8)], pool(world(fault="plan")), EpsilonOracle(0.0))
    assert Stop.ERROR not in {member.stop for member in group.trajectories}


def test_an_oracle_without_a_plan_ends_the_episode_and_says_who_has_to_mend_what() -> None:
    (group,) = play([ticket()], pool(world(fault="plan")), Oracle())
    assert group.trajectories[0].error.startswith("PolicyFailed: oracle: asked toy/counting for a plan, found None")


def test_the_guide_plays_what_it_can_see_and_its_losses_count() -> None:
    assert 0 < wins(Guide(), "dice") < 1
    assert wins(EpsilonOracle(0.0), "dice") == wins(Guide(), "dice")


def test_a_script_is_read_by_turns_in_every_play_and_then_falls_silent() -> None:
    player = Scripted(["one", "nine"])
    first, again = (play([ticket(rollouts=2)], pool(), player)[0] for _ in range(2))
    assert first == again
    assert [turn.completion.text for turn in first.trajectories[1].turns] == ["one", "nine", "", ""]


def test_a_script_file_holds_one_reply_a_line(tmp_path: Path) -> None:
    (tmp_path / "script").write_text("one\n\ntwo\n")
    player = make(f"scripted:{tmp_path / 'script'}")
    assert isinstance(player, Scripted)
    assert player.replies == ["one", "", "two"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("random", Random),
        ("oracle", Oracle),
        ("guide", Guide),
        ("epsilon-oracle:0.3", EpsilonOracle),
        ("person", Person),
    ],
)
def test_a_name_makes_its_player(name: str, kind: type) -> None:
    assert isinstance(make(name), kind)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("orcale", "did you mean 'oracle'"),
        ("?", "known: epsilon-oracle, guide, oracle, person, random, scripted"),
        ("epsilon-oracle", "write it as 'epsilon-oracle:0.3'"),
        ("epsilon-oracle:often", "found 'often'"),
        ("epsilon-oracle:1.5", "from 0 to 1"),
        ("oracle:7", "write it as 'oracle'"),
        ("scripted:/nowhere", "cannot read /nowhere"),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_one(name: str, message: str) -> None:
    with pytest.raises(PolicyFailed, match=message.replace("?", r"\?")):
        make(name)


def test_a_person_sees_text_and_picture_and_types_replies(tmp_path: Path) -> None:
    sink = io.StringIO()
    person = Person(tmp_path / "now.png", io.StringIO("two\nnine\ntwo\ntwo\ntwo\n"), sink)
    (group,) = play([ticket(rollouts=1)], pool(), person, pixels=16)
    assert [turn.completion.text for turn in group.trajectories[0].turns][:3] == ["two", "nine", "two"]
    assert f"[picture: {tmp_path / 'now.png'}]" in sink.getvalue()
    assert "Count to" in sink.getvalue()
    with Image.open(tmp_path / "now.png") as picture:
        assert picture.size == (16, 16)


def test_the_end_of_a_persons_input_stops_as_ctrl_c_does(tmp_path: Path) -> None:
    person = Person(tmp_path / "now.png", io.StringIO("one\n"), io.StringIO())
    with pytest.raises(KeyboardInterrupt):
        play([ticket()], pool(), person)
