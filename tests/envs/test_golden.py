"""Golden pictures: what every environment draws of seed 0, pixel by pixel.

A difference means that players see something else. Look at it; when it is wanted, raise the environment's `version` if
it is published, and draw anew with `pytest tests/envs/test_golden.py --write-golden`.
"""

from pathlib import Path

import numpy as np
import pytest

from palaestra.core.observation import Picture
from palaestra.envs import registry

GOLDEN = Path(__file__).parent / "golden"


def _looks() -> list[tuple[str, int, int]]:
    """Every environment at its first and last scale, and as small as the smallest player gets it."""
    found = []
    for env_id, env in registry.pool().items():
        found += [(env_id, 0, 448), (env_id, len(env.spec.scales) - 1, 448)]
        found += [(env_id, scale, 96) for scale in env.spec.embedded_scales[:1]]
    return found


def _path(env_id: str, scale: int, pixels: int) -> Path:
    return GOLDEN / f"{env_id.replace('/', '.')}-{scale}-{pixels}.png"


@pytest.mark.parametrize(("env_id", "scale", "pixels"), _looks())
def test_a_picture_is_the_golden_one(env_id: str, scale: int, pixels: int, write_golden: bool) -> None:
    env = registry.get(env_id)
    picture = env.view(env.public(env.reset(env.spec.instance(scale, 0))), pixels).image
    assert picture is not None
    file = _path(env_id, scale, pixels)
    if write_golden:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(picture.png())
    assert file.exists(), f"{env_id} has no such picture yet: draw it with `make golden`, and look at it"
    golden = Picture.from_png(file.read_bytes())
    assert (picture.width, picture.height) == (golden.width, golden.height)
    differing = np.argwhere((picture.rgb() != golden.rgb()).any(axis=2))
    assert not differing.size, f"{len(differing)} pixels differ, the first at row and column {differing[0].tolist()}"


def test_no_golden_picture_is_left_over() -> None:
    assert set(GOLDEN.glob("*.png")) <= {_path(*look) for look in _looks()}
