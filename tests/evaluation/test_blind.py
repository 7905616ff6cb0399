"""Who is called blind: players that ignore pictures, and not those that read them."""

import json

import numpy as np
import pytest
from dots import PLAY, Dots, Reader, pool

from palaestra.core.answer import Integer
from palaestra.core.errors import PolicyFailed
from palaestra.core.observation import Picture
from palaestra.core.policy import Message, Policy
from palaestra.evaluation.blind import blanked, probe, weigh
from palaestra.evaluation.suite import Suite
from palaestra.rollout.policies import Oracle, Random, Scripted

SUITE = Suite.draw(pool(), per_scale=10)


def test_a_blank_picture_has_the_size_of_the_true_one_and_nothing_else_changes() -> None:
    true = Picture(np.arange(60, dtype=np.uint8).reshape(4, 5, 3))
    talk = [Message("user", "Look.", true), Message("assistant", "so"), Message("user", "Now?", true, Integer(0, 9))]
    grey = blanked(talk)
    assert [(m.role, m.text, m.answer) for m in grey] == [(m.role, m.text, m.answer) for m in talk]
    assert grey[1].image is None
    assert grey[0].image == Picture(np.full((4, 5, 3), 128, np.uint8))


@pytest.mark.parametrize("player", [Random(), Reader(eyes=False), Scripted(["8"])])
def test_a_policy_that_ignores_pictures_is_called_blind(player: Policy) -> None:
    found = probe(player, SUITE, pool(), PLAY)
    assert found.warning == "blind"
    assert (found.worth.value.value, found.worth.differing) == (0, 0)
    assert json.loads(json.dumps(found.json()))["warning"] == "blind"


def test_a_policy_that_reads_its_pictures_is_not() -> None:
    found = probe(Reader(), SUITE, pool(), PLAY)
    assert found.warning == ""
    assert found.worth.value.value == 1


def test_an_insider_is_refused_before_anything_is_played() -> None:
    with pytest.raises(PolicyFailed, match="probe a policy"):
        probe(Oracle(), SUITE, pool(), PLAY)  # type: ignore[arg-type]


def test_replies_are_weighed_with_true_pictures_and_with_grey_ones() -> None:
    groups = PLAY(SUITE.tickets, pool(), Oracle())
    seeing, shut = weigh(Reader(), groups, pool()), weigh(Reader(eyes=False), groups, pool())
    assert seeing.warning == ""
    assert seeing.worth.value.low > 0
    assert seeing.worth.differing == len(SUITE.tickets)
    assert shut.warning == "blind"
    assert shut.worth.value.value == 0


def test_pictures_that_make_every_right_reply_less_likely_mislead() -> None:
    class Contrary(Reader):
        def score(self, conversations, replies):  # type: ignore[no-untyped-def]
            return [-value for value in super().score(conversations, replies)]

    assert weigh(Contrary(), PLAY(SUITE.tickets, pool(), Oracle()), pool()).warning == "misled"


def test_groups_without_a_turn_weigh_nothing() -> None:
    lost = PLAY(SUITE.tickets, pool(Dots(broken=frozenset({1, 2}))), Oracle())
    assert weigh(Reader(), lost, pool()).worth.value.n == 0
