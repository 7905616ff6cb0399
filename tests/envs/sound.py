"""What the conformance suite finds in the environments of the house; each is asked once in a process."""

from functools import cache

from palaestra.envs import registry
from palaestra.envs.check import run


@cache
def found_in(env_id: str, check: str) -> tuple[str, ...]:
    """Return the details of what one check finds wrong with one environment."""
    return tuple(failure.detail for failure in run(registry.get(env_id), [check]))
