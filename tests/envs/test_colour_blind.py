"""Colours that nothing else tells apart: red-green blind people tell them apart as well."""

from itertools import combinations

import numpy as np
import pytest

from palaestra.envs.kit.palette import PALETTE, colour
from palaestra.envs.memory import change_spot, n_back, shell_game
from palaestra.envs.planning import job_shop

# What protanopes and deuteranopes see of linear RGB: Machado, Oliveira, Fernandes 2009, severity 1.
SIGHT = {
    "all": np.eye(3),
    "protanopia": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "deuteranopia": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
APART = 25  # CIE 1976 difference; 2 is just noticeable side by side


def lab(name: str, sight: str) -> np.ndarray:
    byte = PALETTE[colour(name)] / 255
    linear = np.where(byte <= 0.04045, byte / 12.92, ((byte + 0.055) / 1.055) ** 2.4)
    share = XYZ @ np.clip(SIGHT[sight] @ linear, 0, 1) / np.array([0.9505, 1, 1.089])
    x, y, z = np.where(share > 0.008856, np.cbrt(share), 7.787 * share + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize(
    "colours", [change_spot.COLOURS, n_back.COLOURS, shell_game.COLOURS, job_shop.MACHINES, shell_game.LANES]
)
def test_no_two_colours_look_alike(colours: tuple[str, ...], sight: str) -> None:
    for a, b in combinations(colours, 2):
        assert np.linalg.norm(lab(a, sight) - lab(b, sight)) > APART, (a, b)
