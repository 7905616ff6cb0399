"""Scales whose prompts do not fit are skipped by name."""

import pytest

pytest.importorskip("torch")

from palaestra.core.observation import H0
from palaestra.envs import registry
from palaestra.training.embedded.scales import read_scales
from palaestra.training.embedded.tokenizer import Tokenizer

LAKE, FLOW, RECALL = "grid/frozen_lake", "graph/max_flow", "memory/pair_recall"
BYTES = Tokenizer(())


def test_what_fits_is_kept_and_the_rest_is_named_with_its_length():
    pool = registry.pool([LAKE, FLOW])
    roomy = read_scales(pool, BYTES, limit=10_000)
    assert dict(roomy.kept) == {LAKE: (0, 1, 2), FLOW: (0,)}  # max_flow declares none: its easiest one
    assert roomy.skipped == ()
    tight = read_scales(pool, BYTES, limit=1)
    assert tight.kept == {}
    assert [left[:2] for left in tight.skipped] == [(LAKE, 0), (LAKE, 1), (LAKE, 2), (FLOW, 0)]
    lengths = [int(left.why.split()[6]) for left in tight.skipped[:3]]
    assert lengths[0] < lengths[2]
    between = read_scales(pool, BYTES, limit=lengths[0])
    assert dict(between.kept) == {LAKE: (0,)}


def test_a_vocabulary_that_knows_the_words_makes_room():
    pool = registry.pool([LAKE])
    view = pool[LAKE].view(pool[LAKE].public(pool[LAKE].reset(pool[LAKE].spec.instance(0, 0))), 0)
    learnt = Tokenizer.learn([[H0.show(view).text] * 2], [])
    assert not read_scales(pool, BYTES, limit=200).kept
    assert read_scales(pool, learnt, limit=200).kept[LAKE][0] == 0


def test_past_turns_count_where_a_player_sees_them():
    pool = registry.pool([RECALL])
    (first, *_) = read_scales(pool, BYTES, limit=1).skipped
    env = pool[RECALL]
    alone = max(len(env.view(env.public(env.reset(env.spec.instance(0, seed))), 0).task) for seed in range(4))
    assert env.spec.memory > 1
    assert int(first.why.split()[6]) > alone + 2 * 18  # a picture, and who speaks, of each turn before
