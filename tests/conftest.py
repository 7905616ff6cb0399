"""What every test shares: repeatable property tests, and the switch that draws golden pictures anew."""

import pytest
from hypothesis import HealthCheck, settings

# The same examples on every machine and in every run. `--hypothesis-profile=wide` looks further.
settings.register_profile(
    "house", derandomize=True, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("wide", settings.get_profile("house"), derandomize=False, max_examples=2000)
settings.load_profile("house")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-golden", action="store_true", help="write golden pictures instead of comparing")


@pytest.fixture
def write_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written."""
    return bool(request.config.getoption("--write-golden"))
