"""A Hugging Face model as player, learner, gradient source and chat: exact, seeded, and a run that resumes."""

import json
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_llama
import tiny_qwen_vl
import torch
from kills import Killed, killed_at
from levers import lever, pool

from palaestra.core import config
from palaestra.core.distribution import Cell
from palaestra.core.errors import ConfigError, PolicyFailed, RunFolderError
from palaestra.core.observation import SYMBOLIC, Picture
from palaestra.core.policy import Completion, Message
from palaestra.core.ticket import Ticket
from palaestra.core.trainer import Budget, Device
from palaestra.curriculum.feed import Feed
from palaestra.curriculum.template import Template
from palaestra.curriculum.uniform import Uniform
from palaestra.envs import registry
from palaestra.measure.conflict import cosines
from palaestra.pipeline import players
from palaestra.pipeline.curricula import CurriculumConfig
from palaestra.pipeline.dry import dry
from palaestra.pipeline.gradients import GradientConfig, gradients
from palaestra.pipeline.learner import learner
from palaestra.pipeline.train import TrainConfig, train
from palaestra.rollout.play import play
from palaestra.training import checkpoints
from palaestra.training.advantage import advantages
from palaestra.training.embedded import checkpoint as embedded
from palaestra.training.hugging_face import checkpoint as stored
from palaestra.training.hugging_face import context
from palaestra.training.hugging_face import model as models
from palaestra.training.hugging_face.backend import HuggingFace
from palaestra.training.hugging_face.checkpoint import Instant
from palaestra.training.hugging_face.context import Context
from palaestra.training.hugging_face.gradients import HuggingFaceGradients
from palaestra.training.hugging_face.grpo import update
from palaestra.training.hugging_face.lora import LowRank, Whole, attach
from palaestra.training.hugging_face.prompt import laid, length, prompt
from palaestra.training.hugging_face.rows import Row, imitated, parts, rows
from palaestra.training.hugging_face.sampler import HuggingFacePolicy
from palaestra.training.hugging_face.settings import Grpo, HuggingFaceConfig, Imitation, Lora, Precision

ONE, OTHER, SAME = "toy/one", "toy/other", "toy/same"
POOL = pool(lever(ONE, "left"), lever(OTHER, "right"), lever(SAME, "left"))
TALKS = [[Message("user", tiny_llama.text(POOL[ONE], room))] for room in (3, 400)] * 3
SCHEMA = {
    "type": "object",
    "properties": {"size": {"type": "integer", "minimum": 3, "maximum": 10}, "holes": {"enum": [0.1, 0.25]}},
    "required": ["size", "holes"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    folder = tiny_llama.make(tmp_path_factory.mktemp("model"), POOL[ONE])
    return HuggingFaceConfig(str(folder), longest=8, lora=Lora(rank=4, kinds=("q_proj", "down_proj")))


@pytest.fixture(scope="module")
def policy(plan):
    return HuggingFacePolicy(models.load(plan))


def instant(plan, seed=0):
    return Instant.new(models.load(plan), seed)


def groups(policy, env_id=ONE, n=2, rollouts=6):
    cell, spec = Cell(env_id, 0, SYMBOLIC, rollouts=rollouts), POOL[env_id].spec
    return play([Ticket(k, cell, spec.instance(0, k)) for k in range(n)], POOL, policy, seed=1, pixels=0)


def test_a_reply_depends_on_its_conversation_and_seed_alone(policy):
    together = policy(TALKS, range(6))
    for talk, seed, said in zip(TALKS, range(6), together, strict=True):
        (alone,) = policy([talk], [seed])
        assert (alone.text, alone.token_ids, alone.truncated) == (said.text, said.token_ids, said.truncated)
        assert alone.logprobs == pytest.approx(said.logprobs, abs=1e-4)
    assert len({said.text for said in policy([TALKS[0]] * 12, range(12))}) > 1


def test_no_more_replies_are_under_way_than_keys_and_values_may_be_held(policy, monkeypatch):
    reads, read = [], Context.read
    monkeypatch.setattr(
        Context, "read", staticmethod(lambda asked, model: reads.append(len(asked)) or read(asked, model))
    )
    talks = [[Message("user", tiny_llama.text(POOL[ONE], room))] for room in range(6)]
    longest = max(length(prompt(talk, policy.model), policy.model) for talk in talks) + policy.model.plan.longest
    told = policy(talks, range(6))
    for cached, wanted in ((2 * longest, [2, 2, 2]), (1, [1] * 6)):
        spare = replace(policy, model=replace(policy.model, plan=replace(policy.model.plan, cached=cached)))
        reads.clear()
        assert [said.text for said in spare(talks, range(6))] == [said.text for said in told]
        assert reads == wanted


def test_replies_are_drawn_as_often_as_they_are_likely(policy):
    drawn = policy([TALKS[0]] * 300, range(300))
    sides = {said.text: np.exp(sum(said.logprobs)) for said in drawn if said.text in ("left", "right")}
    assert len(sides) == 2
    for side, likely in sides.items():
        assert sum(said.text == side for said in drawn) / 300 == pytest.approx(likely, abs=0.1)


def test_at_temperature_zero_the_likeliest_reply_comes_whatever_the_seed(policy):
    greedy = replace(policy, temperature=0.0)
    assert greedy([TALKS[0]] * 2, [1, 2])[0] == greedy([TALKS[0]], [3])[0]


def test_a_reply_ends_at_the_limit_and_says_so(policy):
    (cut,) = replace(policy, longest=2)([TALKS[0]], [0])
    assert (len(cut.token_ids), cut.truncated) == (2, True)


def test_a_score_is_the_log_probability_of_what_was_drawn(policy):
    drawn = [said for said in policy(TALKS, range(6)) if not said.truncated]
    assert drawn
    for said in drawn:
        talk = TALKS[policy(TALKS, range(6)).index(said)]
        assert policy.score([talk], [said.text])[0] == pytest.approx(sum(said.logprobs), abs=1e-3)


def test_a_chat_is_held_to_its_schema_and_says_the_same_again(policy):
    pytest.importorskip("llguidance")
    chat = replace(policy, longest=64).chat
    said = chat(TALKS[0], SCHEMA)
    told = json.loads(said.text)
    assert 3 <= told["size"] <= 10
    assert told["holes"] in (0.1, 0.25)
    assert set(told) == {"size", "holes"}
    assert chat(TALKS[0], SCHEMA) == said
    assert isinstance(chat(TALKS[0]), Completion)
    with pytest.raises(PolicyFailed, match="held to the schema"):
        chat(TALKS[0], {"type": "nothing of the kind"})


def test_adapters_change_nothing_at_first_and_stand_where_they_are_asked_for(plan):
    network = models.load(plan).network
    tokens = torch.arange(12).unsqueeze(0)
    before = network(input_ids=tokens).logits
    trained = attach(network, Lora(rank=3, kinds=("q_proj", "v_proj"), layers=(-1,)))
    assert sorted(trained) == [
        f"model.layers.1.self_attn.{k}.{m}" for k in ("q_proj", "v_proj") for m in ("down", "up")
    ]
    assert isinstance(network.model.layers[1].self_attn.q_proj, LowRank)
    torch.testing.assert_close(network(input_ids=tokens).logits, before)


def test_with_rank_zero_the_layers_themselves_are_trained_in_float32(plan):
    network = models.load(plan).network.bfloat16()
    before = network(input_ids=torch.arange(12).unsqueeze(0)).logits
    trained = attach(network, Lora(rank=0, kinds=("o_proj",), layers=(0,)))
    assert [(name, one.dtype) for name, one in trained.items()] == [
        ("model.layers.0.self_attn.o_proj.weight", torch.float32)
    ]
    assert isinstance(network.model.layers[0].self_attn.o_proj, Whole)
    torch.testing.assert_close(network(input_ids=torch.arange(12).unsqueeze(0)).logits, before)


def test_in_bfloat16_adapters_compute_in_it_and_are_updated_in_float32(plan):
    network = models.load(plan).network.bfloat16()
    trained = attach(network, Lora(rank=2, kinds=("q_proj",)))
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda one: kept.append(one) or one, lambda one: one):
        network.model.layers[0].self_attn.q_proj(torch.ones(50, 64, dtype=torch.bfloat16)).sum().backward()
    assert all(one.dtype is torch.bfloat16 for one in kept if 50 in one.shape)
    assert {one.dtype for one in trained.values()} == {torch.float32}
    assert trained["model.layers.0.self_attn.q_proj.up"].grad.dtype is torch.float32


@pytest.mark.parametrize(
    ("lora", "said"), [(Lora(kinds=("q_prj",)), "did you mean 'q_proj'"), (Lora(layers=(2,)), "blocks 0 to 1")]
)
def test_layers_that_are_not_there_are_refused(plan, lora, said):
    with pytest.raises(ConfigError, match=said):
        instant(replace(plan, lora=lora))


def test_of_a_model_with_eyes_the_text_model_alone_is_trained_and_its_blocks_are_counted():
    from transformers import CLIPVisionConfig, LlamaConfig, LlavaConfig, LlavaForConditionalGeneration

    sizes = {"hidden_size": 8, "intermediate_size": 16, "num_attention_heads": 2}
    eyes, text = CLIPVisionConfig(num_hidden_layers=5, **sizes), LlamaConfig(num_hidden_layers=2, **sizes)
    with torch.device("meta"):
        network = LlavaForConditionalGeneration(LlavaConfig(vision_config=eyes, text_config=text))
    with pytest.raises(ConfigError, match="blocks 0 to 1"):
        attach(network, Lora(rank=2, layers=(4,)))
    trained = attach(network, Lora(rank=2, kinds=("q_proj",), layers=(-1,)))
    assert sorted(trained) == [f"model.language_model.layers.1.self_attn.q_proj.{one}" for one in ("down", "up")]


def test_a_reply_of_somebody_else_ends_as_conversations_do_where_a_model_has_several_ends(plan):
    network = tiny_llama.network()
    network.generation_config.eos_token_id = [0, 1]
    model = models.wrapped(plan, network, tiny_llama.tokenizer())
    assert model.ends == {0, 1}
    assert model.spell("left")[-1] == model.tokenizer.eos_token_id == 1


def test_a_model_that_caps_its_logits_is_refused(plan):
    from transformers import Gemma2Config, Gemma2ForCausalLM

    sizes = {"hidden_size": 8, "intermediate_size": 16, "num_attention_heads": 2, "num_key_value_heads": 2}
    for cap in (0.01, None):
        network = Gemma2ForCausalLM(
            Gemma2Config(num_hidden_layers=1, head_dim=4, vocab_size=261, final_logit_softcapping=cap, **sizes)
        )
        if cap:
            with pytest.raises(ConfigError, match="scales or caps"):
                models.wrapped(plan, network, tiny_llama.tokenizer())
        else:
            models.wrapped(plan, network, tiny_llama.tokenizer())


def test_in_bfloat16_logits_are_those_of_float32(plan):
    model = models.load(replace(plan, precision=Precision.BFLOAT16))
    _, hidden = Context.read([prompt(TALKS[0], model)], model)
    logits = model.logits(hidden)
    assert (hidden.dtype, logits.dtype) == (torch.bfloat16, torch.float32)
    exact = hidden.double() @ model.network.get_output_embeddings().weight.double().T
    torch.testing.assert_close(logits.double(), exact, rtol=1e-5, atol=1e-5)


def test_a_tokenizer_without_padding_pads_with_an_end_and_replies_as_before(plan, policy):
    tokenizer = tiny_llama.tokenizer()
    tokenizer.pad_token = None
    model = models.wrapped(plan, models.load(plan).network, tokenizer)
    assert model.pad == 1
    assert [said.text for said in HuggingFacePolicy(model)(TALKS, range(6))] == [
        said.text for said in policy(TALKS, range(6))
    ]


def test_a_model_with_eyes_reads_pictures_in_their_places_whatever_else_is_in_the_batch():
    processor = tiny_qwen_vl.processor()
    model = models.wrapped(HuggingFaceConfig("eyes", longest=4), tiny_qwen_vl.network(), processor.tokenizer, processor)
    noise = np.random.default_rng(0).integers(0, 255, (2, 64, 64, 3), dtype=np.uint8)
    seen = [[Message("user", "What is it?", Picture(one))] for one in noise]
    talks = [*seen, [Message("user", "What is it, and where?", Picture(noise[0]))], *TALKS[:2]]
    policy = HuggingFacePolicy(model)
    said = policy(talks, range(5)) + policy(talks[3:], range(3, 5))  # once without any picture
    for talk, reply in zip([*talks, *talks[3:]], said, strict=True):
        given, tail = laid([prompt(talk, model)], model), torch.tensor([reply.token_ids])
        for name, behind in ("input_ids", tail), ("attention_mask", tail * 0 + 1), ("mm_token_type_ids", tail * 0):
            if name in given:
                given[name] = torch.cat([given[name], behind], 1)
        told = model.network(**given).logits[0, -5:-1].log_softmax(-1).gather(1, tail.T).flatten()
        assert reply.logprobs == pytest.approx(told.tolist(), abs=1e-3)
    assert policy(talks[:1], [0])[0].logprobs != policy(talks[1:2], [0])[0].logprobs


def moved(now, seed=1):
    """The same, had its adapters been trained."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for parameter in now.trained.values():
            parameter += 0.02 * torch.randn_like(parameter)
    return now


def by_hand(now, played):
    """The gradient of the mean loss over groups, by autograd, one reply at a time and without a cache."""
    model, loss = now.model, torch.zeros(())
    for group in played:
        gained_G = advantages(group)
        for number, member in enumerate(group.trajectories if gained_G is not None else ()):
            (turn,) = member.turns
            asked = model.tokenizer.encode(f"<user>{turn.observation.text}<assistant>")
            said = list(turn.completion.token_ids)
            logits = model.network(input_ids=torch.tensor([asked + said])).logits[0, len(asked) - 1 : -1]
            told = logits.log_softmax(-1).gather(1, torch.tensor(said).unsqueeze(1)).sum()
            loss = loss - gained_G[number] * told / len(group.trajectories) / len(played)
    return torch.autograd.grad(loss, list(now.trained.values()))


@pytest.mark.parametrize("lora", [Lora(rank=4, kinds=("q_proj", "down_proj")), Lora(rank=0, layers=(1,))])
def test_the_gradient_is_that_of_the_loss_over_what_is_trained_alone(plan, lora):
    now = moved(instant(replace(plan, lora=lora, grpo=Grpo(tokens=200))))
    played = groups(HuggingFacePolicy(now.model), n=3)
    assert any(advantages(group) is not None for group in played)
    found = list(HuggingFaceGradients(now, POOL).gradients(played))
    assert [name for name, _ in found] == list(now.trained)
    for (name, block), wanted in zip(found, by_hand(now, played), strict=True):
        assert block == pytest.approx(wanted.numpy(), rel=1e-3, abs=1e-5), name
    assert max(np.abs(block).max() for _, block in found) > 1e-3


def test_layers_that_are_computed_again_give_the_same_gradient_and_keep_less(plan):
    found, kept, sizes = [], [], []
    for spare in (False, True):
        now = moved(instant(replace(plan, recompute=spare)))
        played = groups(HuggingFacePolicy(now.model), n=3)
        sizes.clear()
        with torch.autograd.graph.saved_tensors_hooks(lambda one: sizes.append(one.nbytes) or one, lambda one: one):
            found.append(list(HuggingFaceGradients(now, POOL).gradients(played)))
        kept.append(sum(sizes))
    for (name, block), (_, wanted) in zip(*found, strict=True):
        assert block == pytest.approx(wanted, rel=1e-4, abs=1e-6), name
    assert max(np.abs(block).max() for _, block in found[1]) > 1e-3
    assert kept[1] < kept[0] / 2


def test_logits_never_exist_for_more_than_a_few_tokens_at_once(plan, monkeypatch):
    monkeypatch.setattr(context, "CHUNK", 7)
    now, sizes = moved(instant(plan)), []
    played = groups(HuggingFacePolicy(now.model), n=3)
    now.model.head.register_forward_hook(lambda head, given, told: sizes.append(len(told)))
    found = list(HuggingFaceGradients(now, POOL).gradients(played))
    for (name, block), wanted in zip(found, by_hand(now, played), strict=True):
        assert block == pytest.approx(wanted.numpy(), rel=1e-3, abs=1e-5), name
    assert max(sizes[: len(sizes) // 2]) == 7


def test_a_part_counts_the_context_of_each_reply(plan):
    model = models.load(plan)
    row = Row(ONE, prompt(TALKS[0], model), 100)
    for reply in ((5,), (5, 6), (5, 6, 7)):
        row.gains[reply] = 1.0
    (whole,) = parts([row], 309)
    assert whole.cost == 3 * 103
    assert [len(part.said) for part in parts([row], 308)] == [2, 1]


def test_what_was_learnt_from_is_what_was_drawn(plan):
    now = moved(instant(plan))
    played = groups(HuggingFacePolicy(now.model))
    told = {member.turns[0].completion for group in played for member in group.trajectories}
    known = {said.token_ids: sum(said.logprobs) for said in told}
    for part in parts(rows(played, POOL, now.model, [1.0] * len(played)), 10_000):
        scores, _ = part.logprobs(now.model)
        assert scores.sum(1).tolist() == pytest.approx([known[reply] for _, reply in part.said], abs=0.05)


def test_members_that_an_error_ended_are_no_part_of_the_loss(policy):
    played = groups(policy, n=1, rollouts=8)
    assert advantages(played[0]) is not None
    members = played[0].trajectories
    faulty = [replace(played[0], trajectories=(*members, replace(members[0], error="broken")))]
    for taught in (partial(rows, admitted=[1.0]), imitated):
        (whole,), (spared,) = (taught(one, pool=POOL, model=policy.model) for one in (played, faulty))
        assert (spared.senders, spared.gains, spared.losses) == (whole.senders, whole.gains, whole.losses)


@pytest.mark.parametrize("steps", [1, 2])
def test_an_update_makes_rewarded_replies_likelier(plan, steps):
    now = instant(plan)
    policy = HuggingFacePolicy(now.model)
    played = groups(policy, n=4, rollouts=8)
    talk = [Message("user", played[0].trajectories[0].turns[0].observation.text)]
    before = policy.score([talk] * 2, ["left", "right"])
    found = rows(played, POOL, now.model, [1.0] * len(played))
    now.optimiser.param_groups[0]["lr"] = 0.02
    learnt = update(now.model, now.optimiser, found, Grpo(steps=steps, tokens=300), now.rng)
    after = policy.score([talk] * 2, ["left", "right"])
    assert after[0] - after[1] > before[0] - before[1]
    assert learnt.tokens > learnt.replies > 0
    assert learnt.norm > 0
    if steps == 1:
        assert learnt.above + learnt.below == 0  # every ratio is 1


def test_helped_replies_are_counted_with_what_would_correct_them(plan):
    now = moved(instant(plan))
    policy = HuggingFacePolicy(now.model)
    (played,) = groups(policy, n=1, rollouts=8)
    assert advantages(played) is not None
    bare = TALKS[1][0].text
    guided = [
        replace(one, turns=tuple(replace(turn, learnt=replace(turn.observation, text=bare)) for turn in one.turns))
        for one in played.trajectories[:4]
    ]
    found = rows([replace(played, trajectories=(*guided, *played.trajectories[4:]))], POOL, now.model, [1.0])
    learnt = update(now.model, now.optimiser, found, Grpo(rate=1e-9), now.rng)
    told = [one.turns[0].completion for one in guided]
    wanted = np.exp([policy.score([TALKS[1]], [one.text])[0] - sum(one.logprobs) for one in told])
    assert len(learnt.corrections) == 4
    assert learnt.json()["helped_ess"] == pytest.approx(wanted.sum() ** 2 / (wanted**2).sum() / 4, rel=1e-3)
    assert update(now.model, now.optimiser, rows([played], POOL, now.model, [1.0]), Grpo(), now.rng).effective is None


def test_a_chat_computes_on_the_device_that_it_is_given(plan, tmp_path, monkeypatch):
    written = stored.write(tmp_path / "000000", instant(plan), {})
    for there, asked in ((True, Device.CPU), (False, Device.CUDA)):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=there: there)
        for folder in (plan.model, written.path):
            if there:
                found = players.chat(f"hugging-face:{folder}", device=asked)(None)
                assert found.scorer.model.device.type == "cpu"
            else:
                with pytest.raises(ConfigError, match='device = "cuda"'):
                    players.chat(f"hugging-face:{folder}", device=asked)


def test_in_bfloat16_a_ratio_is_one_as_long_as_nothing_was_learnt(plan):
    now = moved(instant(replace(plan, precision=Precision.BFLOAT16)))
    found = [Row(ONE, prompt([Message("user", "which " * k)], now.model), 6 * k) for k in range(1, 7)]
    for row in found:
        for reply in ((70, 71, 1), (80, 81, 82, 83, 1)):
            row.gains[reply], row.senders[reply] = 1.0, 1
    now.optimiser.param_groups[0]["lr"] = 0.0
    narrow = Grpo(steps=3, clip_low=1e-6, clip_high=1e-6)
    learnt = update(now.model, now.optimiser, found, narrow, now.rng)
    assert (learnt.above, learnt.below) == (0, 0)
    assert learnt.norm > 0


def test_the_loss_stands_still_where_a_ratio_has_left_the_clip(plan):
    now = instant(plan)
    played = groups(HuggingFacePolicy(now.model), n=4, rollouts=8)
    found = rows(played, POOL, now.model, [1.0] * len(played))
    now.optimiser.param_groups[0]["lr"] = 0.05
    assert update(now.model, now.optimiser, found, Grpo(steps=4, tokens=300), now.rng).above > 0


def test_a_checkpoint_read_back_gives_the_same_replies_and_the_same_next_step(plan, tmp_path):
    now = moved(instant(plan))
    found = rows(groups(HuggingFacePolicy(now.model), n=4), POOL, now.model, [1.0] * 4)
    update(now.model, now.optimiser, found, plan.grpo, now.rng)
    written = stored.write(tmp_path / "000001", now, {"at": 1})
    assert checkpoints.found(tmp_path / "000001") == written
    again, state = stored.read(written)
    assert state == {"at": 1}
    assert HuggingFacePolicy(again.model)(TALKS, range(6)) == HuggingFacePolicy(now.model)(TALKS, range(6))
    for one in (now, again):
        update(one.model, one.optimiser, found, plan.grpo, one.rng)
    for name, parameter in now.trained.items():
        torch.testing.assert_close(again.trained[name], parameter, rtol=0, atol=0)
    assert {path.suffix for path in (tmp_path / "000001").iterdir()} == {".json", ".safetensors"}


def test_a_damaged_or_foreign_checkpoint_is_one_clear_line(plan, tmp_path):
    written = stored.write(tmp_path / "000000", instant(plan), {})
    with pytest.raises(RunFolderError, match="and is asked for"):
        stored.read(written, replace(plan, lora=Lora(rank=5)))
    other = tmp_path / "other"
    shutil.copytree(plan.model, other)
    tiny_llama.network(seed=1).save_pretrained(other)
    with pytest.raises(RunFolderError, match="trained beside other weights"):
        stored.read(written, replace(plan, model=str(other)))
    with pytest.raises(ConfigError, match="cannot be read"):
        stored.read(written, replace(plan, model=str(tmp_path / "nowhere")))
    whole = (tmp_path / "000000" / checkpoints.TENSORS).read_bytes()
    (tmp_path / "000000" / checkpoints.TENSORS).write_bytes(whole[:-1])
    with pytest.raises(RunFolderError, match="not those of this checkpoint"):
        stored.read(written)
    with pytest.raises(RunFolderError, match="written by the engine 'hugging_face'"):
        embedded.read(stored.write(tmp_path / "000002", instant(plan), {}))
    data = json.loads((tmp_path / "000002" / checkpoints.DATA).read_text())
    with pytest.raises(RunFolderError, match="another version"):
        stored.read(checkpoints.write(tmp_path / "000003", b"", data | {"plan": {}}))
    with pytest.raises(RunFolderError, match="not written by the engine hugging_face"):
        stored.read(checkpoints.write(tmp_path / "000004", b"", data | {"engine": ""}))


def source(seed=0):
    specs = [POOL[ONE].spec]
    return Feed(Uniform(SYMBOLIC, Template(rollouts=8)), specs, seed)


def test_a_run_that_was_stopped_goes_on_to_the_same_weights(plan, tmp_path):
    brisk = replace(plan, grpo=Grpo(rate=0.01, warm=1))
    whole, halves = (HuggingFace(tmp_path / name, brisk, tickets=2, every=2) for name in ("whole", "halves"))
    last = whole.train(source(), POOL, Budget(10_000, 4), whole.base())
    half = halves.train(source(), POOL, Budget(10_000, 2), halves.base())
    gone_on = halves.train(source(seed=9), POOL, Budget(10_000, 4), half)
    assert (last.step, last.digest) == (gone_on.step, gone_on.digest) == (4, last.digest)
    won = [
        sum(t.success for g in groups(whole.policy(one), n=8) for t in g.trajectories) for one in (whole.base(), last)
    ]
    assert won[1] > won[0]


def test_a_base_that_has_imitated_a_teacher_does_as_the_teacher_did_and_its_optimiser_has_not_stepped(plan, tmp_path):
    taught = replace(plan, imitation=Imitation(steps=6, episodes=4, rate=0.02))
    engine = HuggingFace(tmp_path, taught)
    base = engine.base(source().draws(24), POOL)
    now, state = stored.read(base)
    assert (now.optimiser.state, state, base.step) == ({}, {}, 0)
    won = sum(t.success for g in groups(engine.policy(base), n=4, rollouts=8) for t in g.trajectories)
    assert won > 24


TRAINING = """
environments = ["planning/mapf_frozen_lake"]
scales = [0]
tickets = 1
every = 1
device = "cpu"
budget = {rollouts = 100, updates = 2}
curriculum = {name = "uniform", guarded = false, rule = {harness = "SYMBOLIC"}}
groups = {rollouts = 2, knobs = {size = 3}}
[hugging_face]
model = "MODEL"
longest = 4
[hugging_face.lora]
rank = 2
"""


@pytest.fixture(scope="module")
def training(plan):
    return config.parse(TRAINING.replace("MODEL", plan.model), TrainConfig)


def test_the_stage_trains_it_and_goes_on_after_a_kill_at_every_write(training, tmp_path):
    found = train(training, tmp_path / "whole")
    assert (found.checkpoint.step, found.rollouts, found.made) == (2, 4, 2)
    events = [json.loads(line) for line in (tmp_path / "whole" / "events.jsonl").read_text().splitlines()]
    assert [event["updates"] for event in events] == [1, 2]
    assert {"live", "tokens", "clipped_above", "gradient_norm"} <= events[0].keys()
    out = tmp_path / "killed"
    with killed_at(6), pytest.raises(Killed):
        train(training, out)
    assert train(training, out).checkpoint.digest == found.checkpoint.digest
    assert train(training, out).made == 0
    folder = tmp_path / "whole" / "checkpoints" / "000002"
    drawn = HuggingFacePolicy(stored.read(found.checkpoint)[0].model)(TALKS, range(6))
    assert players.make(f"hugging-face:{folder}")(TALKS, range(6)) == drawn
    assert players.make(f"hugging-face:{training.hugging_face.model}")(TALKS, range(6))


def test_a_dry_plan_counts_what_would_be_trained_and_writes_nothing(training, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = dry(training)
    assert (told["engine"], told["updates"], told["rollouts"], told["checkpoints"]) == ("hugging_face", 2, 4, 2)
    assert (told["shown"], told["environments"]) == (["SYMBOLIC"], {"planning/mapf_frozen_lake": [0]})
    assert told["model"]["trained"] == sum(p.numel() for p in instant(training.hugging_face).trained.values())
    assert told["model"]["parameters"] == tiny_llama.network().num_parameters()
    far = replace(training, hugging_face=replace(training.hugging_face, model="nobody/nothing-of-the-kind"))
    assert dry(far)["model"]["parameters"] is None
    assert list(tmp_path.iterdir()) == []


def test_a_model_without_eyes_is_not_trained_on_pictures_alone(training, tmp_path):
    rules = CurriculumConfig("uniform", False, {"harness": "H4"}), CurriculumConfig("uniform", rule={"harness": "H0"})
    for rule in (*rules, CurriculumConfig("hdc", False)):  # the second one's guard has a floor of pictures alone
        blind = replace(training, curriculum=rule)
        for stage in (partial(train, out=tmp_path / "run"), dry):
            with pytest.raises(ConfigError, match=r"takes no pictures, and under H[1-4] there is no caption"):
                stage(blind)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("[hugging_face]\nmodel = ''", "model is empty"),
        ("[hugging_face]\nmodel = 'a'\nlongest = 0", "longest = 0"),
        ("[hugging_face]\nmodel = 'a'\ncached = 0", "cached = 0"),
        ("[hugging_face]\nmodel = 'a'\n[hugging_face.lora]\nrank = -1", "rank = -1"),
        ("[hugging_face]\nmodel = 'a'\n[hugging_face.grpo]\nclip_low = 2.0", "clip_low = 2.0"),
        ("[hugging_face]\nmodel = 'a'\n[hugging_face.grpo]\nsteps = 0", "steps = 0"),
        ("[hugging_face]\nmodel = 'a'\n[hugging_face.imitation]\nsteps = -1", "steps = -1"),
        ("[hugging_face]\nmodel = 'a'\n[grpo]\nrate = 0.1", "hugging_face.grpo instead"),
    ],
)
def test_settings_that_make_no_sense_are_refused(table, said):
    with pytest.raises(ConfigError, match=said):
        config.parse(table, TrainConfig)


def test_gradients_of_opposite_rewards_in_one_world_conflict(plan, tmp_path):
    base = HuggingFace(tmp_path / "checkpoints", plan).base()
    how = GradientConfig(batches=3, groups=2, rollouts=8, k=4096, rung="SYMBOLIC")
    learnt = learner(base.path, POOL, how.metric)
    assert not learnt.stepped
    matrix = cosines(gradients(how, learnt, tmp_path / "run").sketches)
    assert matrix.pair(ONE, OTHER).naive < -0.5 < 0.5 < matrix.pair(ONE, SAME).naive


def test_the_configuration_of_the_paper_is_sound():
    told = dry(config.load(Path(__file__).parents[2] / "configs" / "qwen3_4b.toml", TrainConfig))
    assert told["model"]["model"] == "Qwen/Qwen3-4B"
    assert list(told["environments"]) == ["planning/mapf_frozen_lake"]
    assert registry.pool(told["environments"])
