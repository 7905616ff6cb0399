"""Shards: what goes in comes out, bytes are repeatable, damage is found."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from counting import pool, ticket, tickets, world

from palaestra.core.errors import BrokenShard
from palaestra.core.instance import Instance, Split
from palaestra.core.observation import H0, H4, Harness
from palaestra.core.policy import Completion
from palaestra.core.runfolder import RunFolder
from palaestra.core.ticket import Group
from palaestra.rollout.play import play
from palaestra.rollout.policies import Oracle, Random, Scripted
from palaestra.rollout.store import outcomes, read, read_shard, shard_path, write_shard


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.open(tmp_path / "run", "seed = 0\n")


def some_groups() -> list[Group]:
    """Groups of every kind: guided, illegal, failed, pinned, with knobs, with a harness of one's own, with tokens."""
    mine = Harness("mine", frozenset({"task", "banner", "image"}))
    own = replace(ticket(50, seed=2**63 - 1).cell, harness=mine, learn=H4, seed=2**63 - 1)
    pinned = replace(ticket(50, seed=2**63 - 1), cell=own, issued_at=9)
    knobbed = ticket(51, knobs=(("pace", 2), ("size", 0.5)))
    knobbed = replace(knobbed, instance=Instance("toy/counting", 1, 0, 3, Split.TEST, (("pace", 2), ("size", 0.5))))
    groups = play([*tickets(8), pinned], pool(), Random(), pixels=16)
    groups += play([knobbed, ticket(52, "broken")], pool(world(), world("broken", "step")), Oracle(), pixels=16)
    groups += play([ticket(53)], pool(), Scripted(["nine", "", "maybe"]), pixels=16)
    member = groups[0].trajectories[0]
    turn = replace(
        member.turns[0],
        completion=Completion(member.turns[0].completion.text, (5, 6), (-0.25, float("-inf")), truncated=True),
    )
    spoken = replace(member, turns=(turn, *member.turns[1:]))
    return [Group(groups[0].ticket, (spoken, *groups[0].trajectories[1:])), *groups[1:]]


def test_groups_come_back_equal_with_their_pictures(folder: RunFolder) -> None:
    groups = some_groups()
    write_shard(folder, 0, groups)
    back = read_shard(shard_path(folder.path, 0))
    assert back == groups
    assert back[0].trajectories[0].turns[0].observation.image is not None


def test_the_same_groups_give_the_same_bytes(folder: RunFolder) -> None:
    write_shard(folder, 0, some_groups())
    write_shard(folder, 1, some_groups())
    assert shard_path(folder.path, 0).read_bytes() == shard_path(folder.path, 1).read_bytes()


def test_a_run_is_read_shard_by_shard_and_what_was_set_aside_is_not(folder: RunFolder) -> None:
    groups = some_groups()
    write_shard(folder, 0, groups[:3])
    write_shard(folder, 1, groups[3:])
    shard_path(folder.path, 2).with_suffix(".parquet.broken").write_text("not a shard")
    assert list(read(folder.path)) == groups


def test_outcomes_tell_how_each_episode_ended(folder: RunFolder) -> None:
    groups = some_groups()
    write_shard(folder, 0, groups)
    members = [(group.ticket.id, member) for group in groups for member in group.trajectories]
    assert [(row["ticket"], row["key"], row["stop"], row["ret"]) for row in outcomes(shard_path(folder.path, 0))] == [
        (number, member.key, member.stop, member.ret) for number, member in members
    ]


def test_half_a_surrogate_pair_in_a_reply_does_not_end_a_run(folder: RunFolder) -> None:
    write_shard(folder, 0, play([ticket()], pool(), Scripted(["one \ud800"]), pixels=0))
    (group,) = read_shard(shard_path(folder.path, 0))
    assert group.trajectories[0].turns[0].completion.text == "one ?"


def test_the_pictures_of_a_group_are_stored_once(folder: RunFolder) -> None:
    write_shard(folder, 0, play([ticket(rollouts=2)], pool(), Oracle(), pixels=448))
    write_shard(folder, 1, play([ticket(rollouts=32)], pool(), Oracle(), pixels=448))
    few, many = (shard_path(folder.path, index).stat().st_size for index in (0, 1))
    assert many < 1.2 * few


@pytest.mark.parametrize("keep", [0, 3, 200, -1])
def test_a_truncated_shard_is_named_with_what_to_do(folder: RunFolder, keep: int) -> None:
    write_shard(folder, 7, some_groups())
    path = shard_path(folder.path, 7)
    path.write_bytes(path.read_bytes()[:keep])
    for reading in (read_shard, outcomes, lambda path: list(read(folder.path))):
        with pytest.raises(BrokenShard, match=r"shard-00007\.parquet cannot be read .* start the command"):
            reading(path)


def test_a_flipped_bit_is_found_wherever_it_is(folder: RunFolder) -> None:
    write_shard(folder, 0, play([ticket()], pool(), Oracle(), pixels=8))
    path = shard_path(folder.path, 0)
    data = path.read_bytes()
    expected, silent = outcomes(path), 0
    for place in range(0, len(data), 97):
        path.write_bytes(data[:place] + bytes([data[place] ^ 16]) + data[place + 1 :])
        try:
            silent += outcomes(path) != expected
        except BrokenShard:
            continue
    assert silent == 0


def test_hugging_face_datasets_is_told_which_columns_are_pictures(folder: RunFolder) -> None:
    write_shard(folder, 0, play([ticket(harness=H0)], pool(), Oracle(), pixels=8))
    schema = pq.read_schema(shard_path(folder.path, 0))
    features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    assert list(features) == schema.names
    (turn,) = features["turns"]
    assert turn["image"] == turn["learnt_image"] == {"_type": "Image"}
    assert turn["reward"] == {"_type": "Value", "dtype": "float64"}
