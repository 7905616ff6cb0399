"""Specifications, and the one rule of taking a turn."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from palaestra.core.answer import Choice, Status
from palaestra.core.environment import EnvSpec, Knob, Step, turn
from palaestra.core.errors import BadInstance, EnvironmentFailed
from palaestra.core.instance import Split, knobs
from palaestra.core.observation import View

SPEC = EnvSpec(
    "toy/steps", 1, "Steps", 5, ({"size": 2, "wind": 0.0}, {"size": 3, "wind": 0.5}),
    knobs=(Knob("size", 2, 9), Knob("wind", 0.0, 1.0)), train_only=frozenset({0}),
)  # fmt: skip
VIEW = View(Choice(("on", "off")))


@dataclass(frozen=True)
class Toy:
    """Answers every action with one step, or by raising."""

    outcome: Step[int] | Exception
    spec: EnvSpec = SPEC

    def step(self, state: int, action: Any) -> Step[int]:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def test_a_knob_wins_over_the_scale() -> None:
    assert SPEC.settings(SPEC.instance(1, 0)) == {"size": 3, "wind": 0.5}
    assert SPEC.settings(SPEC.instance(1, 0, knobs=knobs({"size": 7}))) == {"size": 7, "wind": 0.5}


@pytest.mark.parametrize(
    ("scale", "setting", "said"),
    [
        (2, {}, "asked for scale 2; it has the scales 0 to 1"),
        (1, {"sise": 3}, "no knob 'sise'; did you mean 'size'"),
        (1, {"size": 10}, "knob size was set to 10; it goes from 2 to 9"),
        (1, {"size": 2.5}, "knob size was set to 2.5"),
        (1, {"size": True}, "knob size was set to True"),
        (1, {"wind": "strong"}, "knob wind was set to 'strong'"),
    ],
)
def test_a_wrong_scale_or_knob_is_refused_with_what_there_is(scale: int, setting: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInstance, match=said):
        SPEC.instance(scale, 0, knobs=knobs(setting))


def test_a_train_only_scale_has_no_held_out_split() -> None:
    assert SPEC.instance(0, 0).split is Split.TRAIN
    with pytest.raises(BadInstance, match="too few problems"):
        SPEC.instance(0, 0, Split.TEST)


def test_an_instance_of_another_environment_or_version_is_refused() -> None:
    with pytest.raises(BadInstance, match=r"toy/steps.v1 was asked for toy/steps.v2"):
        SPEC.settings(replace(SPEC, version=2).instance(1, 0))


def test_an_unreadable_reply_never_reaches_the_environment() -> None:
    parsed, step = turn(Toy(ValueError("never called")), 3, VIEW, "perhaps")
    assert parsed.status is Status.NO_ANSWER
    assert step == Step(3, legal=False, events=("reply_unreadable",))


def test_a_readable_reply_steps() -> None:
    parsed, step = turn(Toy(Step(4, 0.5)), 3, VIEW, "on")
    assert (parsed.value, step.state, step.reward) == ("on", 4, 0.5)


def test_a_step_that_raises_is_the_environments_failure_and_names_the_reply() -> None:
    with pytest.raises(EnvironmentFailed, match=r"toy/steps: step raised KeyError on the readable reply 'on'"):
        turn(Toy(KeyError("x")), 3, VIEW, "on")


@pytest.mark.parametrize("step", [Step(4, legal=False), Step(3, 0.1, legal=False), Step(3, done=True, legal=False)])
def test_an_illegal_reply_that_changes_pays_or_ends_is_the_environments_failure(step: Step[int]) -> None:
    with pytest.raises(EnvironmentFailed, match="it must do nothing"):
        turn(Toy(step), 3, VIEW, "on")


def test_equal_settings_name_one_instance_whatever_they_were_written_as() -> None:
    first, second = (SPEC.instance(1, 0, knobs=knobs({"wind": wind})) for wind in (0, 0.0))
    assert first == second
    assert first.key() == second.key()


def test_nobody_can_write_on_the_scales_of_a_specification() -> None:
    with pytest.raises(TypeError):
        SPEC.scales[0]["size"] = 9  # type: ignore[index]
    assert hash(SPEC) == hash(replace(SPEC, title="Other"))
