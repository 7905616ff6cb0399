"""The conformance suite finds every planted fault and says what it is."""

import pytest
from tests.envs.faults import pictures, problems, repetition, replies, rules, words
from tests.envs.faults.planting import FAULTS, Fault

from palaestra.core.errors import ConfigError
from palaestra.envs.check import CHECKS, Effort, run
from palaestra.envs.registry import ids, locate, locator

PLANTED_IN = (rules, replies, repetition, problems, words, pictures)
LITTLE = Effort(instances=6, guesses=400, problems=(20, 20, 20), blind=8)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.check}-{fault.name}")
def test_a_planted_fault_is_found_and_named(fault: Fault) -> None:
    details = [failure.detail for failure in run(fault.env, [fault.check], LITTLE)]
    assert any(fault.says in detail for detail in details), details


def test_every_check_has_a_fault_to_find_and_every_environment_carries_some() -> None:
    assert {fault.check for fault in FAULTS} == set(CHECKS)
    assert len({fault.sound for fault in FAULTS}) == 4
    assert {fault.sound for fault in FAULTS} <= {*ids()}  # so they are sound, as the conformance of all tells
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 30
    assert {fault.name for fault in FAULTS} <= {name for module in PLANTED_IN for name in vars(module)}


def test_a_fresh_process_finds_a_faulty_environment_by_its_name() -> None:
    for fault in FAULTS:
        place = locator(fault.env)
        assert place is not None
        assert locate(place) is fault.env


def test_a_check_that_does_not_exist_is_refused_and_the_nearest_is_named() -> None:
    with pytest.raises(ConfigError, match="did you mean 'oracle'"):
        run(FAULTS[0].env, ["oracel"])
