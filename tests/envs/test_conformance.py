"""Every environment of the registry passes the whole conformance suite."""

import pytest

from palaestra.envs import registry
from palaestra.envs.check import run


@pytest.mark.parametrize("env_id", registry.ids())
def test_an_environment_passes_every_check(env_id: str) -> None:
    assert run(registry.get(env_id)) == []
