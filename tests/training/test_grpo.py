"""The terms of an update, and what it learns beside the rewards: each off by default, each doing what it says."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from palaestra.core.distribution import Cell
from palaestra.core.environment import ILLEGAL_NOTICE, Pool
from palaestra.core.errors import ConfigError, RunFolderError
from palaestra.core.observation import H0, H1, H4, Harness
from palaestra.core.policy import Completion, Conversation, Policy
from palaestra.core.ticket import Group, Ticket
from palaestra.core.trainer import Budget, Checkpoint
from palaestra.curriculum.feed import Feed
from palaestra.curriculum.template import Template
from palaestra.curriculum.uniform import Uniform
from palaestra.envs import registry
from palaestra.rollout.messages import conversation
from palaestra.rollout.play import play
from palaestra.rollout.policies.guessing import Random
from palaestra.training.advantage import advantages

torch = pytest.importorskip("torch")

from palaestra.training.embedded import checkpoint as stored  # noqa: E402  only where torch is
from palaestra.training.embedded.backend import Embedded, Round  # noqa: E402
from palaestra.training.embedded.batch import TOKENS, Row, logprobs, packed, parts, rows  # noqa: E402
from palaestra.training.embedded.checkpoint import Instant  # noqa: E402
from palaestra.training.embedded.describing import Described, Describing  # noqa: E402
from palaestra.training.embedded.grpo import Grpo, Importance, update  # noqa: E402
from palaestra.training.embedded.lessons import captions, unhelped  # noqa: E402
from palaestra.training.embedded.pretrain import DESCRIBE, WarmStart  # noqa: E402
from palaestra.training.embedded.prompt import Prompt, prompt  # noqa: E402
from palaestra.training.embedded.sampler import EmbeddedPolicy  # noqa: E402
from palaestra.training.embedded.tokenizer import ASSISTANT, END, FIRST, PAD, USER  # noqa: E402

LAKE, COUNT = "grid/frozen_lake", "perception/count_shapes"


@pytest.fixture(scope="module")
def pool() -> Pool:
    return registry.pool([LAKE, COUNT])


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Embedded:
    warm = WarmStart(steps=2, contexts=8)
    return Embedded(tmp_path_factory.mktemp("engine"), tickets=3, every=2, warm=warm, width=32, layers=2)


@pytest.fixture(scope="module")
def base(engine: Embedded, pool: Pool) -> Checkpoint:
    return engine.base(pool)


@pytest.fixture
def now(base: Checkpoint) -> Instant:
    return stored.read(base)[0]


def groups_of(
    pool: Pool, policy: Policy, harness: Harness = H1, learn: Harness | None = H4, rollouts: int = 6
) -> list[Group]:
    cells = [Cell(env_id, 0, harness, learn=learn, guided=0.5, rollouts=rollouts) for env_id in pool]
    tickets = [Ticket(k, cell, pool[cell.env_id].spec.instance(0, k)) for k, cell in enumerate(cells)]
    return play(tickets, pool, policy, seed=3, pixels=96)


def asked(pool: Pool) -> Conversation:
    env = pool[LAKE]
    return conversation([], H4.show(env.view(env.public(env.reset(env.spec.instance(0, 5))), 96)))


def row_of(now: Instant, pool: Pool, *replies: tuple[str, float]) -> Row:
    row = Row(LAKE, prompt(asked(pool), now.tokenizer))
    for reply, weight in replies:
        row.add(now.tokenizer.reply(reply), weight)
    return row


def descent(now: Instant, rate: float) -> "torch.optim.Optimizer":
    return torch.optim.SGD(now.network.parameters(), rate)


def stirred(now: Instant) -> Instant:
    with torch.no_grad():
        for parameter in now.network.parameters():
            parameter += 0.05 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1))
    return now


class Untouchable:
    """Stands where nothing may be computed."""

    def __getattr__(self, name: str) -> None:
        raise AssertionError(f"{name} was used")


def test_what_is_off_computes_nothing_and_draws_no_chance(now: Instant, pool: Pool) -> None:
    found, rng = [row_of(now, pool, ("up", 1.0), ("left", -1.0))], np.random.default_rng(0)
    learnt = update(now.network, now.optimiser, found, Grpo(), rng, reference=Untouchable())  # type: ignore[arg-type]
    assert (learnt.kl, learnt.entropy, learnt.caption, learnt.json(Grpo())["helped_ess"]) == (0, 0, 0, None)
    assert set(learnt.json(Grpo())) == {"clipped_above", "clipped_below", "helped_ess"}
    only = np.random.default_rng(0)
    only.permutation(1)
    only.permutation(1)
    assert rng.bit_generator.state == only.bit_generator.state


def test_the_divergence_from_the_base_is_k3_over_the_tokens_of_every_sender(
    now: Instant, base: Checkpoint, pool: Pool
) -> None:
    reference, row = stored.read(base)[0].network, row_of(now, pool, ("up", 0.0), ("up", 0.0), ("C4, D1", 0.0))
    rng, plan = np.random.default_rng(0), Grpo(kl=1.0)
    assert update(now.network, descent(now, 0.0), [row], plan, rng, reference=reference).kl == pytest.approx(
        0, abs=1e-6
    )
    stirred(now)
    with torch.no_grad():
        batch = packed([row])
        apart = (batch.logprobs(reference) - batch.logprobs(now.network)).double()
    up, cells = (len(reply) for reply in row.gains)
    each = apart.exp() - 1 - apart
    wanted = (2 * each[:up].sum() + each[up : up + cells].sum()) / 3
    told = update(now.network, descent(now, 0.0), [row], plan, rng, reference=reference).kl
    assert told == pytest.approx(float(wanted), rel=1e-4)
    assert told > 0.01
    for _ in range(10):
        update(now.network, descent(now, 0.05), [row], plan, rng, reference=reference)
    assert update(now.network, descent(now, 0.0), [row], plan, rng, reference=reference).kl < told / 2


def test_the_entropy_is_exact_over_what_can_be_said_and_its_bonus_raises_it(now: Instant, pool: Pool) -> None:
    row, rng, plan = row_of(now, pool, ("up", 0.0)), np.random.default_rng(0), Grpo(entropy=1.0)
    stirred(now)
    (reply,) = row.gains
    wanted = 0.0
    for place in range(len(reply)):
        spoken = {(*reply[:place], token): 0.0 for token in range(END, now.tokenizer.speakable)}
        with torch.no_grad():
            whole = logprobs(now.network, [Row(LAKE, row.context, spoken)]).double()
        spread = (whole - whole.logsumexp(0)).exp()
        wanted -= float((spread * spread.log()).sum())
    told = update(now.network, descent(now, 0.0), [row], plan, rng).entropy
    assert told == pytest.approx(wanted, rel=1e-4)
    for _ in range(5):
        update(now.network, descent(now, 0.1), [row], plan, rng)
    assert update(now.network, descent(now, 0.0), [row], plan, rng).entropy > told + 0.01


@pytest.mark.parametrize(("worth", "side"), [(1.0, "above"), (-1.0, "below")])
def test_over_several_steps_the_clip_stops_what_one_step_would_go_on_with(
    now: Instant, base: Checkpoint, pool: Pool, worth: float, side: str
) -> None:
    other, _ = stored.read(base)
    policies = [EmbeddedPolicy(one.network, one.tokenizer) for one in (now, other)]
    before = policies[0].score([asked(pool)], ["up"])[0]
    plan = Grpo(rows=1, most=99)
    wide = replace(plan, clip_low=1.0, clip_high=1e9)
    rate, ends = 3e-3, []
    for one, own, policy in ((now, plan, policies[0]), (other, wide, policies[1])):
        found = [row_of(one, pool, ("up", worth)) for _ in range(60)]
        learnt = update(one.network, descent(one, rate), found, own, np.random.default_rng(0))
        policy.known.clear()
        ends.append((np.exp(policy.score([asked(pool)], ["up"])[0] - before), learnt))
    (held, learnt), (free, unclipped) = ends
    assert (unclipped.above, unclipped.below) == (0, 0)
    if side == "above":
        assert 1.28 < held < 1.6 < free
        assert (learnt.above > 10, learnt.below) == (True, 0)
    else:
        assert free < 0.6 < held < 0.8
        assert (learnt.above, learnt.below > 10) == (0, True)


def test_members_that_an_error_ended_are_no_part_of_the_loss(now: Instant, pool: Pool) -> None:
    played = next(own for own in groups_of(pool, stirred_policy(now), rollouts=12) if advantages(own) is not None)
    faulty = replace(played.trajectories[0], error="broken")
    group = replace(played, trajectories=(*played.trajectories, faulty))
    whole, spared = (rows([one], pool, now.tokenizer, [1.0]) for one in (played, group))
    assert [(row.senders, row.gains, row.helped) for row in spared] == [
        (row.senders, row.gains, row.helped) for row in whole
    ]


def test_helped_replies_are_counted_with_what_would_correct_them(now: Instant, pool: Pool) -> None:
    rng = np.random.default_rng(0)
    guided = groups_of(pool, stirred_policy(now), rollouts=12)
    found = rows(guided, pool, now.tokenizer, [1.0] * len(guided))
    live = [group for group in guided if advantages(group) is not None]
    assert live
    helped = [turn for group in live for member in group.trajectories[:6] for turn in member.turns]
    assert sum(len(senders) for row in found for senders in row.helped.values()) == len(helped)
    learnt = update(now.network, descent(now, 0.0), found, Grpo(most=999), rng)
    assert len(learnt.corrections) == len(helped)
    share = learnt.json(Grpo())["helped_ess"]
    assert share is not None
    wanted = []
    for row in found:
        for reply, senders in row.helped.items():
            told = _told(now, Row(LAKE, row.context, {reply: 0.0}))
            wanted += [np.exp(told - acted) for _, acted in senders]
    weights = np.array(wanted)
    assert share == pytest.approx(weights.sum() ** 2 / (weights**2).sum() / len(weights), rel=1e-3)
    assert share < 0.999
    alone = groups_of(pool, stirred_policy(now), H4, None)
    assert not any(row.helped for row in rows(alone, pool, now.tokenizer, [1.0] * len(alone)))


@pytest.mark.parametrize(("acted", "trust"), [(0.0, 1.0), (2.0, np.exp(-2.0)), (-2.0, 1.0)])
def test_a_truncated_correction_trusts_a_helped_reply_no_more_than_it_is_likely_without_help(
    now: Instant, base: Checkpoint, pool: Pool, acted: float, trust: float
) -> None:
    """`acted` says how much likelier the reply was with help [nats]; two of its three senders had help."""
    ends = []
    for importance in Importance:
        one, _ = stored.read(base)
        row = row_of(one, pool, ("up", 1.0), ("up", 1.0), ("up", 1.0), ("left", -1.0))
        rate, (up, left) = 1e-3, row.gains
        known = {reply: _told(one, Row(LAKE, row.context, {reply: 0.0})) + acted for reply in (up, left)}
        if importance is Importance.TRUNCATED:
            row.helped = {up: [(1.0, known[up])] * 2, left: [(-1.0, known[left])]}
        else:  # what the correction should come to, written into the weights; an update divides by their sum
            row.gains[up], row.losses[left] = 1 + 2 * trust, -trust
            rate *= (1 + 3 * trust) / 4
        update(one.network, descent(one, rate), [row], Grpo(norm=1e9, importance=importance), one.rng)
        ends.append(torch.cat([parameter.detach().ravel() for parameter in one.network.parameters()]))
    start = torch.cat([parameter.detach().ravel() for parameter in now.network.parameters()])
    assert (ends[0] - start).abs().max() > 1e-4
    assert torch.allclose(*ends, atol=1e-6)


def stirred_policy(now: Instant) -> Policy:
    """A policy that guesses well-formed replies, with the log-probabilities that a network's would have."""
    policy, guess = EmbeddedPolicy(now.network, now.tokenizer), Random()

    def said(conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        found = []
        for talk, reply in zip(conversations, guess(conversations, seeds), strict=True):
            (told,) = policy.score([talk], [reply.text])
            found.append(Completion(reply.text, now.tokenizer.reply(reply.text), (told,)))
        return found

    return said


def test_captions_are_those_of_all_pictures_that_were_met_with_or_without_a_signal(now: Instant, pool: Pool) -> None:
    groups = groups_of(pool, Random(), H0, None)
    silent = [replace(g, trajectories=tuple(replace(m, turns=m.turns[:1]) for m in g.trajectories)) for g in groups]
    dead = [
        replace(g, trajectories=tuple(replace(m, turns=(replace(m.turns[0], reward=0.0),)) for m in g.trajectories))
        for g in silent
    ]
    assert not any(advantages(group) is not None for group in dead)
    for played, most in ((groups, 99), (groups, 2), (dead, 99)):
        taught = captions(played, pool, now.tokenizer, most, np.random.default_rng(0))
        met = {
            (group.ticket.cell.env_id, turn.observation.image.sha256): turn.observation.text
            for group in played
            for member in group.trajectories
            for turn in member.turns
            if turn.observation.image
        }
        counts, there = Counter(row.env_id for row in taught), Counter(env_id for env_id, _ in met)
        assert counts == {env_id: min(most, count) for env_id, count in there.items()}
        assert len({row.context.key for row in taught}) == len(taught)
        question = now.tokenizer.encode(DESCRIBE)
        for row in taught:
            (said,) = row.gains
            assert row.context.tokens[-1 - len(question) : -1] == question
            shown = met[row.env_id, row.context.images[0].sha256]
            assert now.tokenizer.decode(said).strip() in shown
            assert row.gains[said] * len(said) == pytest.approx(1 / (2 * counts[row.env_id]))
    assert sum(counts.values()) == 2


def test_an_update_without_a_signal_still_learns_captions(now: Instant, pool: Pool) -> None:
    groups = groups_of(pool, Random(), H0, None)
    taught = captions(groups, pool, now.tokenizer, 4, np.random.default_rng(0))
    lost = [
        update(now.network, now.optimiser, [], Grpo(captions=1.0), now.rng, captions=taught).caption for _ in range(8)
    ]
    assert lost[-1] < lost[0] - 0.1
    one = -sum(_told(now, row) * sum(row.gains.values()) for row in taught)
    again = update(now.network, descent(now, 0.0), [], Grpo(captions=1.0), now.rng, captions=taught).caption
    assert again == pytest.approx(one, rel=1e-4)
    beside = [row_of(now, pool, (reply, 1.0)) for reply in ("up", "left", "down")]
    spread = update(
        now.network, descent(now, 0.0), beside, Grpo(rows=1, captions=1.0), now.rng, captions=taught
    ).caption
    assert spread == pytest.approx(one, rel=1e-4)  # each is learnt in one of the three steps


def _told(now: Instant, row: Row) -> float:
    with torch.no_grad():
        return float(logprobs(now.network, [row])[0])


def test_dropped_help_leaves_picture_and_task_and_the_notice(pool: Pool) -> None:
    def mumbles(conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        guesses = Random()(conversations, seeds)
        return [Completion("hm") if seed % 3 == 0 else one for one, seed in zip(guesses, seeds, strict=True)]

    groups = groups_of(pool, mumbles, H0, None)
    assert all(turn.learnt is None for group in groups for member in group.trajectories for turn in member.turns)
    dropped = unhelped(groups, pool, 1.0, np.random.default_rng(0))
    noticed = 0
    for member in [member for group in dropped for member in group.trajectories]:
        env = pool[member.instance.env_id]
        task = env.view(env.public(env.reset(member.instance)), 0).task
        for number, turn in enumerate(member.turns):
            assert turn.learnt is not None
            assert turn.learnt.image is turn.observation.image
            again = number > 0 and not member.turns[number - 1].legal
            assert turn.learnt.text.startswith(ILLEGAL_NOTICE) == again
            assert turn.learnt.text.endswith(task) or env.spec.id == COUNT
            assert "Map (" not in turn.learnt.text
            noticed += again
    assert noticed
    assert unhelped(groups, pool, 0.0, np.random.default_rng(0)) == groups
    many = unhelped(groups * 30, pool, 0.5, np.random.default_rng(0))
    share = [any(turn.learnt for turn in member.turns) for group in many for member in group.trajectories]
    assert sum(share) / len(share) == pytest.approx(0.5, abs=0.1)


def test_a_description_is_said_first_and_learnt_like_the_reply(now: Instant, pool: Pool) -> None:
    player = Describing(EmbeddedPolicy(now.network, now.tokenizer), DESCRIBE)
    groups = groups_of(pool, player, H4, None)
    groups = [  # this network wins nothing: some members are paid
        replace(g, trajectories=tuple(replace(m, score=float(k % 2)) for k, m in enumerate(g.trajectories)))
        for g in groups
    ]
    found = rows(groups, pool, now.tokenizer, [1.0] * len(groups))
    turns = [turn for group in groups for member in group.trajectories for turn in member.turns]
    assert all(isinstance(turn.completion, Described) for turn in turns)
    question = now.tokenizer.encode(DESCRIBE)
    first = [row for row in found if row.context.tokens[-1 - len(question) : -1] == question]
    second = [row for row in found if row not in first]
    for own in (first, second):
        assert sum(row.senders.total() for row in own) == len(turns)
    for env_id in pool:
        weights = [(sum(sum(row.gains.values()) for row in own if row.env_id == env_id)) for own in (first, second)]
        assert weights[0] == pytest.approx(weights[1])
    # every context is rebuilt exactly: what was said is as likely in the update as it was when it was said
    said = Counter((turn.completion.token_ids, round(sum(turn.completion.logprobs), 2)) for turn in turns)
    told = Counter()
    for row in second:
        with torch.no_grad():
            for reply, own in zip(row.gains, logprobs(now.network, [row]).tolist(), strict=True):
                told[reply, round(own, 2)] += row.senders[reply]
    near = sum((said & told).values()) / len(turns)
    assert near > 0.8  # rounding parts a few
    alone, together = player([asked(pool)], [11]), player([asked(pool)] * 3, [10, 11, 12])[1:2]
    assert [(one.text, one.description.text) for one in alone] == [(one.text, one.description.text) for one in together]


def test_description_and_reply_are_drawn_apart_and_what_has_no_picture_is_not_described(pool: Pool) -> None:
    calls: list[tuple[list[str], list[int]]] = []

    def noting(conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        calls.append(([talk[-1].text for talk in conversations], list(seeds)))
        return [Completion("a hole") for _ in conversations]

    bare = (replace(asked(pool)[-1], image=None),)
    said = Describing(noting, DESCRIBE)([asked(pool), bare], [6, 7])
    (first, seeds), (second, own) = calls
    assert (first, own) == ([DESCRIBE], [6, 7])
    assert seeds[0] not in own[:1]
    assert second == [f"{asked(pool)[-1].text}\na hole", bare[0].text]
    assert [isinstance(one, Described) for one in said] == [True, False]


def test_rows_of_long_prompts_and_replies_are_packed_with_little_padding_and_exactly(now: Instant) -> None:
    rng = np.random.default_rng(0)
    found = []
    for _ in range(64):
        words = tuple(rng.integers(FIRST, now.tokenizer.size, int(rng.integers(96, 384))).tolist())
        row = Row(LAKE, Prompt((USER, *words, ASSISTANT), ()))
        for _ in range(int(rng.integers(1, 8))):
            row.add((*rng.integers(FIRST, now.tokenizer.speakable, int(rng.integers(20, 60))).tolist(), END), 1.0)
        found.append(row)
    split = list(parts(found))
    assert all(len(part) == 1 or len(part) * max(row.length for row in part) <= TOKENS for part in split)
    laid = [packed(part) for part in split]
    places = sum(batch.tokens.numel() for batch in laid)
    assert sum(int((batch.tokens != PAD).sum()) for batch in laid) / places > 0.85
    part = max(split, key=len)
    with torch.no_grad():
        together = logprobs(now.network, part)
        alone = [
            logprobs(now.network, [Row(row.env_id, row.context, {reply: 0.0})]) for row in part for reply in row.gains
        ]
    assert together == pytest.approx(torch.cat(alone), abs=2e-3)


def test_replies_that_nobody_gained_or_lost_by_end_no_update(now: Instant, pool: Pool) -> None:
    before = [parameter.clone() for parameter in now.network.parameters()]
    learnt = update(now.network, descent(now, 1.0), [row_of(now, pool, ("up", 0.0))], Grpo(), now.rng)
    assert learnt.replies == 1
    assert all(map(torch.equal, before, now.network.parameters()))


FULL = Grpo(rows=4, most=8, kl=0.1, entropy=0.01, captions=0.5, dropout=0.5)


def test_with_everything_on_a_run_stopped_and_resumed_ends_with_the_same_weights(
    base: Checkpoint, pool: Pool, tmp_path: Path
) -> None:
    told: list[Round] = []
    engine = Embedded(base.path.parent, tickets=3, every=2, grpo=FULL, describe=True, told=told.append)

    def feed() -> Feed[object]:
        template = Template(rollouts=4, scales=dict.fromkeys(pool, (0,)))
        rule = Uniform(H1, template)
        return Feed(rule, [env.spec for env in pool.values()], seed=1)  # type: ignore[arg-type]

    whole = engine.train(feed(), pool, Budget(10**6, 4), base)
    half = engine.train(feed(), pool, Budget(10**6, 2), base)
    resumed = engine.train(feed(), pool, Budget(10**6, 4), half)
    assert whole.digest == resumed.digest
    assert all(round_.learnt.caption > 0 for round_ in told)
    assert told[2].learnt.json(FULL) == told[6].learnt.json(FULL)
    with pytest.raises(RunFolderError, match="holds the policy to the base"):
        Embedded(tmp_path, grpo=FULL).train(feed(), pool, Budget(10**6, 1), base)


@pytest.mark.parametrize("wrong", [{"kl": -1.0}, {"entropy": -0.1}, {"captions": -1.0}, {"dropout": 1.5}])
def test_a_term_out_of_its_range_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        Grpo(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [{"rate": -1e-3}, {"norm": 0.0}, {"clip_high": -0.1}])
def test_settings_that_would_train_uphill_or_not_at_all_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        Grpo(**wrong)  # type: ignore[arg-type]
