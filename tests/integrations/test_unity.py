"""ML-Agents' block of environment parameters: what is written reads back, and draws what the mixture draws."""

from collections import Counter

import numpy as np
import pytest

from palaestra.core.distribution import Distribution
from palaestra.core.engineer import Evidence
from palaestra.core.errors import ConfigError
from palaestra.core.space import Dial, Part, Space
from palaestra.engineer.domain_randomisation import DomainRandomisation
from palaestra.integrations.unity import BLOCK, lessons, parameters, text

yaml = pytest.importorskip("yaml")

GRAVITY, MASS = Dial("gravity", (4.0, 6.0, 9.0, 12.0)), Dial("mass", (1, 2, 4))
BALL = Part("ball", "Unity/3DBall", (GRAVITY, MASS))
SPACE = Space((BALL,))
ODD = {"a key: odd": {"b": [], "c": None, "d": 1e-05, "e": [[1e-9, 2e300], "e: f"], "g": True, "on": 1, "No": 2}}


def mixture(**weights):
    """Cells by names such as `g4_m1`."""
    return Distribution(
        {
            SPACE.cell(BALL, {"gravity": float(name.split("_")[0][1:]), "mass": int(name.split("_m")[1])}): weight
            for name, weight in weights.items()
        }
    )


def drawn(sampler, legal, draws=20_000):
    """The shares of legal values that Unity's sampler would give: intervals in proportion to their lengths."""
    assert sampler["sampler_type"] == "multirangeuniform"
    intervals = np.array(sampler["sampler_parameters"]["intervals"])
    lengths = intervals[:, 1] - intervals[:, 0]
    assert (lengths > 0).all()
    assert (intervals[1:, 0] > intervals[:-1, 1]).all()
    assert legal[0] <= intervals[0, 0] < intervals[-1, 1] <= legal[-1]
    rng = np.random.default_rng(0)
    k = rng.choice(len(intervals), draws, p=lengths / lengths.sum())
    values = intervals[k, 0] + rng.random(draws) * lengths[k]
    nearest = np.array(legal)[np.abs(values[:, None] - np.array(legal)).argmin(axis=1)]
    return {value: count / draws for value, count in Counter(nearest.tolist()).items()}


def test_a_single_setting_is_written_as_constants():
    block = parameters(mixture(g9_m2=1), SPACE)
    assert block == {BLOCK: {"gravity": 9.0, "mass": 2}}
    assert text(block) == "environment_parameters:\n  gravity: 9.0\n  mass: 2\n"


def test_shares_come_back_from_the_lengths_of_intervals_within_what_may_be_set():
    block = parameters(mixture(g4_m1=5, g6_m2=1, g12_m4=4), SPACE)[BLOCK]
    assert drawn(block["gravity"], GRAVITY.values) == pytest.approx({4.0: 0.5, 6.0: 0.1, 12.0: 0.4}, abs=0.015)
    assert drawn(block["mass"], MASS.values) == pytest.approx({1: 0.5, 2: 0.1, 4: 0.4}, abs=0.015)


def test_values_alike_come_alike_also_where_they_lie_unevenly():
    block = parameters(mixture(g4_m1=1, g6_m2=1, g9_m1=1, g12_m2=1), SPACE)[BLOCK]
    alike = dict.fromkeys((4.0, 6.0, 9.0, 12.0), 0.25)
    assert drawn(block["gravity"], GRAVITY.values) == pytest.approx(alike, abs=0.015)
    assert drawn(block["mass"], MASS.values) == pytest.approx({1: 0.5, 2: 0.5}, abs=0.015)


def test_what_an_engineer_proposes_reads_back_as_yaml():
    wide = DomainRandomisation().propose(mixture(g4_m1=1), Evidence(), SPACE).distribution
    for block in (parameters(wide, SPACE), lessons([mixture(g4_m1=1), wide], SPACE, "3DBall", [80.5])):
        assert yaml.safe_load(text(block)) == block
    assert yaml.safe_load(text(ODD)) == ODD


def test_stages_become_lessons_by_which_all_parameters_move_on_together():
    stages = [mixture(g4_m1=1), mixture(g6_m2=1), mixture(g6_m2=1, g9_m2=3)]
    block = lessons(stages, SPACE, "3DBall", [50, 80])[BLOCK]
    rules = [[own.get("completion_criteria") for own in block[name]["curriculum"]] for name in ("gravity", "mass")]
    assert rules[0] == rules[1]
    assert [rule and rule["threshold"] for rule in rules[0]] == [50, 80, None], "the last lesson has no end"
    assert rules[0][0]["behavior"] == "3DBall"
    assert [own["value"] for own in block["mass"]["curriculum"]] == [1, 2, 2]


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: lessons([mixture(g4_m1=1)], SPACE, "3DBall", [1.0]), "one threshold fewer"),
        (lambda: lessons([mixture(g4_m1=1)], SPACE, "3DBall", [], measure="luck"), "reward or progress"),
        (lambda: lessons([mixture(g4_m1=1)] * 2, SPACE, "3DBall", [50.0], measure="progress"), "from 0 to 1"),
        (lambda: parameters(mixture(g5_m1=1), SPACE), "not in the space"),
        (lambda: parameters(worded(), Space((WORDED,))), "numbers"),
        (
            lambda: parameters(worded(), Space((Part("ball", "Unity/3DBall", (Dial("scale", (1, 2)),)),))),
            "another name",
        ),
    ],
)
def test_what_unity_cannot_be_told_is_refused_in_words(made, told):
    with pytest.raises(ConfigError, match=told):
        made()


WORDED = Part("ball", "Unity/3DBall", (Dial("floor", ("ice", "sand")),))


def worded():
    return Distribution({WORDED.cell({"floor": "ice"}): 1.0})
