"""What the embedded policy makes of a turn inside."""

import numpy as np
import pytest

from palaestra.core.observation import H4
from palaestra.core.policy import Message
from palaestra.envs import registry

pytest.importorskip("torch")

from palaestra.training.embedded.checkpoint import SHIPPED
from palaestra.training.embedded.gradients import EmbeddedGradients

LAKE = registry.get("grid/frozen_lake")


def talk(seed: int, before: tuple[Message, ...] = ()) -> tuple[Message, ...]:
    state = LAKE.reset(LAKE.spec.instance(0, seed))
    seen = H4.show(LAKE.view(LAKE.public(state), 96))
    return (*before, Message("user", seen.text, seen.image, seen.answer))


def test_a_state_depends_on_its_own_conversation_and_reply_and_not_on_the_batch() -> None:
    policy = EmbeddedGradients.read(SHIPPED, {}).policy
    long = talk(1, (*talk(2), Message("assistant", "left")))
    talks, replies = [talk(1), talk(2), long, talk(1)], ["left", "left", "left", "right"]
    states = np.array(policy.states(talks, replies))
    alone = np.array([policy.states([one], [reply])[0] for one, reply in zip(talks, replies, strict=True)])
    assert states.shape == (4, policy.network.shape.width)
    assert np.allclose(states, alone, atol=1e-4)
    apart = np.linalg.norm(states[:, None] - states[None], axis=-1)
    assert apart[~np.eye(4, dtype=bool)].min() > 1e-3
