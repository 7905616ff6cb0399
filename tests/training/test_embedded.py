"""The embedded engine: exact packing, seeded replies, and a run that resumes to the same weights."""

import json
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaestra.core.distribution import Cell
from palaestra.core.environment import Pool
from palaestra.core.errors import RunFolderError
from palaestra.core.observation import H0, H1, H4
from palaestra.core.policy import Completion, Conversation, Policy
from palaestra.core.ticket import Group, Ticket
from palaestra.core.trainer import Budget, Checkpoint
from palaestra.curriculum.feed import Feed
from palaestra.curriculum.template import Template
from palaestra.curriculum.uniform import Uniform
from palaestra.envs import registry
from palaestra.pipeline import demo
from palaestra.rollout.messages import conversation
from palaestra.rollout.play import play
from palaestra.rollout.policies.guessing import Random
from palaestra.training.advantage import advantages

torch = pytest.importorskip("torch")

from palaestra.training.embedded import checkpoint as stored  # noqa: E402  only where torch is
from palaestra.training.embedded.backend import Embedded  # noqa: E402
from palaestra.training.embedded.batch import TOKENS, Row, pack, parts, rows  # noqa: E402
from palaestra.training.embedded.grpo import Grpo, update  # noqa: E402
from palaestra.training.embedded.pretrain import WarmStart, vocabulary  # noqa: E402
from palaestra.training.embedded.prompt import prompt  # noqa: E402
from palaestra.training.embedded.sampler import EmbeddedPolicy  # noqa: E402
from palaestra.training.embedded.scales import scales_of  # noqa: E402
from palaestra.training.embedded.tokenizer import Tokenizer  # noqa: E402

LAKE, COUNT, PAIRS = "grid/frozen_lake", "perception/count_shapes", "memory/pair_recall"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@given(st.lists(TEXTS, max_size=5), TEXTS)
def test_every_text_decodes_to_itself_whatever_the_vocabulary_has_seen(seen: list[str], text: str) -> None:
    tokenizer = Tokenizer.learn([seen], said=seen[:2])
    assert tokenizer.decode(tokenizer.encode(text)) == text == tokenizer.decode(tokenizer.spell(text))
    assert max(tokenizer.encode(text), default=0) < tokenizer.size
    assert max(tokenizer.spell(text), default=0) < tokenizer.speakable


def test_the_prompts_of_the_worlds_of_the_demo_are_short_with_all_help() -> None:
    pool = registry.pool(demo.settings().environments)
    tokenizer = vocabulary(pool, instances=10)
    lengths = {}
    for env in pool.values():
        for scale in scales_of(env.spec):
            for seed in range(100, 110):
                state = env.reset(env.spec.instance(scale, seed))
                talk = conversation([], H0.show(env.view(env.public(state), 96)), env.spec.memory)
                lengths[env.spec.id, scale, seed] = len(prompt(talk, tokenizer).tokens)
    assert max(lengths.values()) <= 144, max(lengths, key=lambda key: lengths[key])


@pytest.fixture(scope="module")
def pool() -> Pool:
    return registry.pool([LAKE, COUNT, PAIRS])


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Embedded:
    """A tiny engine: what holds for it holds for a larger one."""
    folder = tmp_path_factory.mktemp("engine")
    return Embedded(folder, tickets=3, every=2, warm=WarmStart(steps=2, contexts=8), width=32, layers=2)


@pytest.fixture(scope="module")
def base(engine: Embedded, pool: Pool) -> Checkpoint:
    return engine.base(pool)


@pytest.fixture(scope="module")
def policy(engine: Embedded, base: Checkpoint) -> EmbeddedPolicy:
    return engine.policy(base)


def groups_of(pool: Pool, policy: Policy, rollouts: int = 4) -> list[Group]:
    cells = [Cell(env_id, 0, H1, learn=H4, guided=0.5, rollouts=rollouts) for env_id in pool]
    tickets = [Ticket(k, cell, pool[cell.env_id].spec.instance(0, k)) for k, cell in enumerate(cells)]
    return play(tickets, pool, policy, seed=3, pixels=96)


def talks(groups: Sequence[Group]) -> list[Conversation]:
    found: list[Conversation] = []

    def noting(conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        found.extend(conversations)
        return [Completion("") for _ in conversations]

    play([group.ticket for group in groups], registry.pool([LAKE, COUNT, PAIRS]), noting, pixels=96)
    return found


def test_replies_packed_behind_one_context_are_as_likely_as_each_alone(pool: Pool, policy: EmbeddedPolicy) -> None:
    talk = talks(groups_of(pool, policy))[0]
    replies = ["up", "left", "A1, B2", "red circle: 3"]
    said = [policy.tokenizer.reply(reply) for reply in replies]
    with torch.inference_mode():
        packed = pack([prompt(talk, policy.tokenizer)], [said])
        told = packed.logprobs(policy.network)
    sizes = np.cumsum([0, *map(len, said)])
    together = [float(told[a:b].sum()) for a, b in pairwise(sizes)]
    assert together == pytest.approx(policy.score([talk] * 4, replies), abs=1e-3)


def test_a_reply_depends_on_its_conversation_and_seed_and_not_on_the_batch(pool: Pool, policy: EmbeddedPolicy) -> None:
    asked = talks(groups_of(pool, policy))[:9]
    seeds = list(range(100, 109))
    together = [completion.text for completion in policy(asked, seeds)]
    alone = [policy([talk], [seed])[0].text for talk, seed in zip(asked, seeds, strict=True)]
    assert together == alone
    assert len({completion.text for completion in policy(asked[:1] * 6, range(6))}) > 1


def test_a_completion_knows_the_log_probabilities_of_its_tokens(pool: Pool, policy: EmbeddedPolicy) -> None:
    talk = talks(groups_of(pool, policy))[0]
    (said,) = policy([talk], [5])
    with torch.inference_mode():
        told = pack([prompt(talk, policy.tokenizer)], [[said.token_ids]]).logprobs(policy.network)
    # sampling leaves special tokens out, so it can only be likelier, and by very little
    assert sum(said.logprobs) == pytest.approx(float(told.sum()), abs=0.5)
    assert sum(said.logprobs) >= float(told.sum()) - 1e-3


def test_a_guided_group_is_learnt_without_help_and_its_weights_add_up(pool: Pool, policy: EmbeddedPolicy) -> None:
    groups = [group for group in groups_of(pool, Random(), 6) if advantages(group) is not None]
    assert groups
    found = rows(groups, pool, policy.tokenizer, [1.0] * len(groups))
    texts = {policy.tokenizer.decode([t for t in row.context.tokens if t > 4]) for row in found}
    assert all("Look for a way" not in text and "Map (" not in text for text in texts)
    total = sum(sum(row.gains.values()) + sum(row.losses.values()) for row in found)
    wanted = sum(
        gained * len(member.turns)
        for group in groups
        for member, gained in zip(group.trajectories, advantages(group), strict=True)  # type: ignore[arg-type]
    )
    assert total == pytest.approx(wanted, abs=1e-9)


def test_an_update_makes_a_rewarded_reply_likelier_and_a_punished_one_less(engine: Embedded, base: Checkpoint) -> None:
    now, _ = stored.read(base)
    policy = EmbeddedPolicy(now.network, now.tokenizer)
    pool = registry.pool([LAKE, COUNT, PAIRS])
    talk = talks(groups_of(pool, policy))[0]
    row = Row(LAKE, prompt(talk, now.tokenizer))
    row.add(now.tokenizer.reply("up"), 1.0)
    row.add(now.tokenizer.reply("left"), -1.0)
    before = policy.score([talk] * 2, ["up", "left"])
    for _ in range(5):
        update(now.network, now.optimiser, [row], Grpo(), now.rng)
    after = policy.score([talk] * 2, ["up", "left"])
    assert after[0] > before[0]
    assert after[0] - after[1] > before[0] - before[1]


def feed(pool: Pool) -> Feed[None]:
    scales = dict.fromkeys(pool, (0,))
    template = Template(rollouts=4, scales=scales)
    return Feed(Uniform(template=template), [env.spec for env in pool.values()], seed=1)  # type: ignore[arg-type]


def test_rows_go_through_in_parts_that_fit_and_none_is_lost(pool: Pool, policy: EmbeddedPolicy) -> None:
    groups = groups_of(pool, Random(), 6)
    found = rows(groups, pool, policy.tokenizer, [1.0] * len(groups)) * 30
    split = list(parts(found))
    assert Counter(map(id, found)) == Counter(id(row) for part in split for row in part)
    assert len(split) > 1
    assert all(len(part) == 1 or len(part) * max(row.length for row in part) <= TOKENS for part in split)


def test_an_update_takes_no_more_rows_of_an_environment_than_it_was_told(
    pool: Pool, engine: Embedded, base: Checkpoint
) -> None:
    now, _ = stored.read(base)
    groups = groups_of(pool, Random(), 6)
    found = rows(groups, pool, now.tokenizer, [1.0] * len(groups))
    counts = Counter(row.env_id for row in found)
    assert max(counts.values()) > 2
    learnt = update(now.network, now.optimiser, found, Grpo(most=2), now.rng)
    assert learnt.rows == sum(min(2, count) for count in counts.values())


def test_training_stopped_and_resumed_ends_with_the_same_weights(
    engine: Embedded, base: Checkpoint, pool: Pool
) -> None:
    whole = engine.train(feed(pool), pool, Budget(10**6, 4), base)
    half = engine.train(feed(pool), pool, Budget(10**6, 2), base)
    resumed = engine.train(feed(pool), pool, Budget(10**6, 4), half)
    weights = [stored.read(one)[0].network.state_dict() for one in (whole, resumed)]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    assert whole.digest == resumed.digest


def test_a_damaged_checkpoint_is_refused(engine: Embedded, base: Checkpoint, tmp_path: Path) -> None:
    for file in base.path.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    copy = stored.found(tmp_path)
    assert copy is not None
    weights = tmp_path / stored.TENSORS
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x00")
    with pytest.raises(RunFolderError, match="not those of this checkpoint"):
        stored.read(copy)
    assert stored.found(tmp_path / "nowhere") is None


def test_a_checkpoint_of_another_engine_is_refused(base: Checkpoint, tmp_path: Path) -> None:
    data = json.loads((base.path / stored.DATA).read_bytes())
    del data["phrases"]
    (tmp_path / stored.TENSORS).write_bytes((base.path / stored.TENSORS).read_bytes())
    (tmp_path / stored.DATA).write_text(json.dumps(data))
    old = stored.found(tmp_path)
    assert old is not None
    with pytest.raises(RunFolderError, match="another version"):
        stored.read(old)
