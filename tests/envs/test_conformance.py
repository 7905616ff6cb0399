"""Every environment of the registry passes every check of the conformance suite."""

import pytest
from tests.envs.sound import found_in

from palaestra.envs import registry
from palaestra.envs.check import CHECKS


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("env_id", registry.ids())
def test_an_environment_passes_a_check(env_id: str, check: str) -> None:
    assert found_in(env_id, check) == ()
