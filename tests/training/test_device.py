"""Where the engine computes: what `auto` picks, what is refused, and that bfloat16 and CUDA say nearly the same."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from palaestra.core.errors import ConfigError
from palaestra.core.observation import H4
from palaestra.core.trainer import Budget, Checkpoint, Device
from palaestra.curriculum.feed import Feed
from palaestra.curriculum.template import Template
from palaestra.curriculum.uniform import Uniform
from palaestra.envs import registry
from palaestra.rollout.messages import conversation

torch = pytest.importorskip("torch")

from palaestra.training.embedded import batch, checkpoint, sampler  # noqa: E402  only where torch is
from palaestra.training.embedded.backend import Embedded, Round  # noqa: E402
from palaestra.training.embedded.batch import Row, logprobs  # noqa: E402
from palaestra.training.embedded.checkpoint import Instant  # noqa: E402
from palaestra.training.embedded.device import device  # noqa: E402
from palaestra.training.embedded.grpo import Grpo  # noqa: E402
from palaestra.training.embedded.pretrain import WarmStart  # noqa: E402
from palaestra.training.embedded.prompt import prompt  # noqa: E402
from palaestra.training.embedded.sampler import EmbeddedPolicy  # noqa: E402

POOL = registry.pool(["grid/frozen_lake", "perception/count_shapes"])


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Embedded:
    warm = WarmStart(steps=20, contexts=8)
    folder = tmp_path_factory.mktemp("engine")
    return Embedded(folder, tickets=3, warm=warm, width=32, layers=2, device=Device.CPU)


@pytest.fixture(scope="module")
def base(engine: Embedded) -> Checkpoint:
    return engine.base(POOL)


def row_of(now: Instant) -> Row:
    env = POOL["grid/frozen_lake"]
    shown = H4.show(env.view(env.public(env.reset(env.spec.instance(0, 5))), 96))
    replies = {now.tokenizer.reply(reply): 0.0 for reply in ("up", "left", "C4, D1")}
    return Row(env.spec.id, prompt(conversation([], shown), now.tokenizer), replies)


def test_auto_is_the_cpu_where_there_is_no_cuda_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert {device(asked).type for asked in (Device.AUTO, Device.CPU)} == {"cpu"}
    with pytest.raises(ConfigError, match=r'device = "cuda", and torch .* finds no CUDA device; set'):
        device(Device.CUDA)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert [device(asked).type for asked in Device] == ["cuda", "cpu", "cuda"]


def test_a_device_that_is_not_there_is_refused_before_anything_is_done(
    engine: Embedded, base: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    wrong = replace(engine, device=Device.CUDA)
    for call in (lambda: wrong.base(POOL), lambda: wrong.policy(base), lambda: _trained(wrong, base)):
        with pytest.raises(ConfigError, match="finds no CUDA device"):
            call()


def test_in_bfloat16_replies_are_about_as_likely(base: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    now, _ = checkpoint.read(base)
    row, policy = row_of(now), EmbeddedPolicy(now.network, now.tokenizer)
    with torch.no_grad():
        exact = logprobs(now.network, [row])
        for module in (batch, sampler):
            monkeypatch.setattr(module, "precision", lambda at: torch.autocast("cpu", torch.bfloat16))
        coarse = logprobs(now.network, [row])
    assert not torch.equal(exact, coarse)
    assert coarse.dtype == torch.float32
    assert coarse == pytest.approx(exact, abs=0.1)
    env = POOL["grid/frozen_lake"]
    shown = H4.show(env.view(env.public(env.reset(env.spec.instance(0, 5))), 96))
    (said,) = policy([conversation([], shown)], [5])
    again = logprobs(now.network, [Row(env.spec.id, row.context, {said.token_ids: 0.0})])
    assert sum(said.logprobs) == pytest.approx(float(again.detach()), abs=0.1)


def _trained(engine: Embedded, base: Checkpoint) -> Checkpoint:
    rule = Uniform(H4, Template(rollouts=4, scales=dict.fromkeys(POOL, (0,))))
    return engine.train(Feed(rule, [env.spec for env in POOL.values()], seed=1), POOL, Budget(10**6, 2), base)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_on_cuda_losses_are_those_of_the_cpu_within_a_tolerance(base: Checkpoint, engine: Embedded) -> None:
    told: list[Round] = []
    plan = Grpo(kl=0.1, entropy=0.01, captions=0.5)
    on = replace(engine, folder=base.path.parent, device=Device.CUDA, grpo=plan, told=told.append)
    here, there = (checkpoint.read(base, device(one))[0] for one in (Device.CPU, Device.CUDA))
    row = row_of(here)
    losses = []
    for now in (here, there):
        loss = -logprobs(now.network, [row]).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        losses.append(loss.item())
    assert losses[1] == pytest.approx(losses[0], rel=0.02)
    pulls = [
        np.concatenate([p.grad.cpu().numpy().ravel() for p in now.network.parameters() if p.grad is not None])
        for now in (here, there)
    ]
    assert pulls[0] @ pulls[1] / np.sqrt((pulls[0] @ pulls[0]) * (pulls[1] @ pulls[1])) > 0.99
    last = _trained(on, base)
    assert len(told) == 2
    assert all(np.isfinite([round_.learnt.kl, round_.learnt.entropy, round_.learnt.caption]).all() for round_ in told)
    assert checkpoint.read(last)[0].network.device.type == "cpu"


def test_a_checkpoint_is_the_same_wherever_it_is_read_to(base: Checkpoint, tmp_path: Path) -> None:
    now, source = checkpoint.read(base, torch.device("cpu"))
    assert checkpoint.write(tmp_path / "copy", now, source).digest == base.digest
