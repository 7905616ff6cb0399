"""Every rule passes the published suite."""

from typing import Any

import pytest
from tests.curriculum.rules import RULES

from palaestra.core.curriculum import Curriculum
from palaestra.core.errors import ConfigError
from palaestra.curriculum.check import CHECKS, Case, run


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_passes_the_suite(rule: Curriculum[Any]) -> None:
    assert run(rule) == []


@pytest.mark.parametrize("name", ["hdc, without revisits", "hdc, guided", "guarded hdc"])
def test_the_run_of_the_suite_makes_a_rule_move_far(name: str) -> None:
    assert sum(bool(moment.update.changes) for moment in Case(RULES[name]).run()) >= 12


def test_a_check_that_does_not_exist_is_refused_and_the_nearest_is_named() -> None:
    with pytest.raises(ConfigError, match="did you mean 'replay'"):
        run(RULES["hdc"], ["reply"])
    assert len(CHECKS) == 10
