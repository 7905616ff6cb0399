"""The embedded policy's gradient: that of the loss, whatever is shared and deduplicated on the way."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from palaestra.core.distribution import Cell
from palaestra.core.errors import BadMeasurement, RunFolderError
from palaestra.core.gradient import Block
from palaestra.core.observation import H0, H4
from palaestra.core.ticket import Group, Ticket
from palaestra.envs import registry
from palaestra.measure.hashing import CountSketch
from palaestra.measure.sketches import sketch, split
from palaestra.rollout.messages import conversation
from palaestra.rollout.play import play
from palaestra.training.advantage import advantages

torch = pytest.importorskip("torch")

from palaestra.training.embedded import checkpoint as stored  # noqa: E402  only where torch is
from palaestra.training.embedded.backend import Embedded  # noqa: E402
from palaestra.training.embedded.batch import pack  # noqa: E402
from palaestra.training.embedded.gradients import EmbeddedGradients  # noqa: E402
from palaestra.training.embedded.pretrain import WarmStart  # noqa: E402
from palaestra.training.embedded.prompt import PIXELS, prompt  # noqa: E402

PAIRS = "memory/pair_recall"  # of several turns, with a memory


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedGradients:
    pool = registry.pool([PAIRS])
    engine = Embedded(tmp_path_factory.mktemp("engine"), warm=WarmStart(steps=1, contexts=4), width=32, layers=1)
    return EmbeddedGradients.read(engine.base(pool).path, pool)


@pytest.fixture(scope="module")
def groups(source: EmbeddedGradients) -> list[Group]:
    """Guided groups, in every fourth of which all members earned alike."""
    spec = source.pool[PAIRS].spec
    cell = Cell(PAIRS, 0, H0, learn=H4, guided=0.5, rollouts=4)
    brief = replace(source.policy, longest=6)  # an untaught policy rarely ends a reply by itself
    tickets = [Ticket(k, cell, spec.instance(0, k)) for k in range(6)]
    played = play(tickets, source.pool, brief, seed=3, pixels=PIXELS)
    returns = [(1.0, 0.0, 0.0, 0.5), (0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.0)]
    return [rewarded(group, returns[k % 4]) for k, group in enumerate(played)]


def rewarded(group: Group, returns: tuple[float, ...]) -> Group:
    """The same group, had its members earned this."""
    members = []
    for member, ret in zip(group.trajectories, returns, strict=True):
        *before, last = (replace(turn, reward=0.0) for turn in member.turns)
        members.append(replace(member, turns=(*before, replace(last, reward=ret))))
    return replace(group, trajectories=tuple(members))


def by_hand(source: EmbeddedGradients, groups: list[Group]) -> list[Block]:
    """The gradient of the mean loss over groups, by autograd, one turn of one member at a time."""
    network, tokenizer, memory = source.now.network, source.now.tokenizer, source.pool[PAIRS].spec.memory
    loss = torch.zeros(())
    for group in groups:
        gained_G = advantages(group)
        for number, member in enumerate(group.trajectories if gained_G is not None else ()):
            for turn, now in enumerate(member.turns):
                talk = conversation(member.turns[:turn], now.learnt or now.observation, memory, learnt=True)
                told = pack([prompt(talk, tokenizer)], [[now.completion.token_ids]]).logprobs(network).sum()
                loss = loss - gained_G[number] * told / len(group.trajectories) / len(groups)
    names, parameters = zip(*network.named_parameters(), strict=True)
    return [(name, g.numpy()) for name, g in zip(names, torch.autograd.grad(loss, parameters), strict=True)]


def test_the_sketch_of_a_batch_is_that_of_the_gradient_of_the_loss(
    source: EmbeddedGradients, groups: list[Group]
) -> None:
    project = CountSketch(k=4096)
    found = sketch(PAIRS, groups, source, batches=3, q=0, project=project)
    wanted = np.array([project(by_hand(source, batch)) for batch in split(PAIRS, groups, 3)])
    assert found.batches_MK == pytest.approx(wanted, rel=1e-3, abs=1e-4 * np.abs(wanted).max())
    assert np.abs(wanted).max() > 1e-3
    assert found.live_groups == 5


def test_dead_groups_count_as_the_zeros_that_they_are(source: EmbeddedGradients, groups: list[Group]) -> None:
    alive, dead = groups[:2], groups[3]
    for (name, alone), (_, among) in zip(list(copied(source, alive)), copied(source, [*alive, dead]), strict=True):
        assert among == pytest.approx(alone * 2 / 3, rel=1e-4, abs=1e-6), name
    assert not any(block.any() for _, block in copied(source, [dead]))


def copied(source: EmbeddedGradients, groups: list[Group]) -> list[Block]:
    return [(name, block.copy()) for name, block in source.gradients(groups)]


def test_the_order_of_groups_and_what_was_asked_before_change_no_bit(
    source: EmbeddedGradients, groups: list[Group]
) -> None:
    first = sketch(PAIRS, groups, source, batches=3, q=0).batches_MK
    np.testing.assert_array_equal(sketch(PAIRS, groups[::-1], source, batches=3, q=0).batches_MK, first)


def test_second_moments_are_those_of_adam_above_a_floor_and_missing_before_the_first_step(
    source: EmbeddedGradients, groups: list[Group]
) -> None:
    assert not source.stepped
    with pytest.raises(BadMeasurement, match="it has not stepped"):
        next(source.second_moments())
    now = source.now
    pulled = copied(source, groups)
    stepped = EmbeddedGradients(
        replace(now, optimiser=torch.optim.AdamW(now.network.parameters(), lr=0.0)), source.pool
    )
    stepped.now.optimiser.step()
    assert stepped.stepped
    floor = 0.01 * np.concatenate([gradient.ravel() ** 2 for _, gradient in pulled]).mean()
    for (name, moment), (of, gradient) in zip(stepped.second_moments(), pulled, strict=True):
        assert name == of
        assert moment == pytest.approx(gradient**2 + floor, rel=1e-3)  # after one step, corrected


@pytest.mark.parametrize("text", [None, "{}", "rubbish"])
def test_a_folder_without_a_checkpoint_is_refused(tmp_path: Path, source: EmbeddedGradients, text: str | None) -> None:
    if text is not None:
        (tmp_path / stored.DATA).write_text(text)
    with pytest.raises(RunFolderError, match=r"no checkpoint; name a folder|no checkpoint of this engine"):
        EmbeddedGradients.read(tmp_path, source.pool)
