"""The conformance suite finds every planted fault and says what it is."""

from typing import Any

import pytest
from tests.curriculum.faulty import FAULTY, Drains, Quick

from palaestra.core.curriculum import Curriculum
from palaestra.curriculum.check import CHECKS, run


@pytest.mark.parametrize(("check", "faulty", "says"), FAULTY, ids=[type(faulty).__name__ for _, faulty, _ in FAULTY])
def test_a_planted_fault_is_found_and_named(check: str, faulty: Curriculum[Any], says: str) -> None:
    details = [failure.detail for failure in run(faulty, [check])]
    assert any(says in detail for detail in details), details


def test_the_rules_below_the_faults_are_sound() -> None:
    assert run(Quick()) == []
    assert run(Drains(), ["starvation"]) == []  # a rule may drain; its guard may not


def test_every_check_has_a_fault_to_find() -> None:
    assert {check for check, _, _ in FAULTY} == set(CHECKS)
