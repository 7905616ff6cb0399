"""Engineers that are no language model: always legal, the same again, and each by its own rule."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from mixtures import CURRENT, FALLING, SPACE, SPEC, STAGE, START, TOLD, rates

from palaestra.core.engineer import Evidence, Stage
from palaestra.core.errors import BadDistribution, ExtraMissing
from palaestra.core.space import WEIGHT, Dial, Part, Space
from palaestra.engineer import ENGINEERS
from palaestra.engineer.alp_gmm import progress
from palaestra.engineer.mixture import best

BETTER = Stage(START, validated=rates({name: min(1.0, value + 0.1) for name, value in FALLING.items()}))
EVERY = {
    "nothing": Evidence(),
    "one stage": TOLD,
    "three stages": Evidence(stages=(STAGE, STAGE, replace(BETTER, validated=rates(dict.fromkeys(FALLING, 0.5))))),
    "nothing won": Evidence(stages=(Stage(START, trained=rates(dict.fromkeys(FALLING, 0.0))),)),
    "a stranger's": Evidence(stages=(Stage({}, trained=rates({"unheard of": 0.5})),)),
}


def propose(name, told, seed=0):
    if name == "tpe":
        pytest.importorskip("optuna")
    return ENGINEERS[name](seed=seed).propose(CURRENT, told, SPACE)


@pytest.mark.parametrize("told", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("name", ENGINEERS)
def test_an_engineer_always_proposes_something_legal_and_the_same_again(name, told):
    found = propose(name, told)
    assert found == propose(name, told)
    assert found.rationale
    for cell in found.distribution.weights:
        SPEC.instance(cell.scale, 0, knobs=cell.knobs)
        part = SPACE.owner(cell)
        assert part is not None
        assert part.within(part.read(cell)) == part.read(cell)


@pytest.mark.parametrize("name", ["random", "domain_randomisation", "tpe"])
def test_chance_comes_from_the_seed(name):
    assert propose(name, TOLD, seed=1) != propose(name, TOLD, seed=2)


def test_no_change_returns_the_very_distribution():
    assert propose("no_change", TOLD).distribution is CURRENT


def test_thresholds_move_what_is_won_too_often_or_hardly_ever():
    found = SPACE.settings(propose("thresholds", TOLD).distribution)
    assert found["3x3"] == {WEIGHT: 0.125, "holes": 0.3, "agents": 3}  # 95 of 100
    assert found["6x6"]["holes"] == 0.2  # 56 of 100
    assert found["10x10"]["holes"] == 0.1  # 4 of 100
    assert found["10x10"]["agents"] == 2  # and no easier
    easiest = {name: {**own, "holes": 0.0} for name, own in START.items()}
    stuck = ENGINEERS["thresholds"]().propose(SPACE.distribution(easiest), TOLD, SPACE)
    found = SPACE.settings(stuck.distribution)
    assert found["10x10"][WEIGHT] == pytest.approx(found["6x6"][WEIGHT] / 2, abs=1e-3)


def test_a_bandit_gives_most_weight_to_what_has_most_to_teach_and_moves_no_dial():
    found = SPACE.settings(propose("bandit", TOLD).distribution)
    weights = {name: own[WEIGHT] for name, own in found.items()}
    assert max(weights, key=weights.__getitem__) in ("6x6", "7x7")
    assert weights["10x10"] < weights["6x6"]
    assert all(own["holes"] == START[name]["holes"] for name, own in found.items())


def test_the_hand_schedule_waits_for_the_first_success_and_then_arrives():
    luck = Evidence(stages=(Stage(START, trained=rates({"4x4": 0.01})),))  # one in a hundred is no signal yet
    early, late = (propose("hand_schedule", told) for told in (luck, Evidence(stages=(STAGE,) * 4)))
    assert early == propose("hand_schedule", EVERY["nothing won"])
    easy, hard = (SPACE.settings(found.distribution) for found in (early, late))
    assert max(easy, key=lambda name: easy[name][WEIGHT]) == "3x3"
    assert max(hard, key=lambda name: hard[name][WEIGHT]) == "10x10"
    assert (easy["9x9"]["holes"], hard["9x9"]["holes"]) == (0.0, 0.4)


def test_domain_randomisation_covers_every_value_of_every_part_and_never_changes():
    found = propose("domain_randomisation", TOLD)
    assert found == propose("domain_randomisation", EVERY["three stages"])
    values = {}
    for cell in found.distribution.weights:
        values.setdefault(SPACE.owner(cell).name, set()).add(dict(cell.knobs)["holes"])
    assert all(own == {0.0, 0.1, 0.2, 0.3, 0.4} for own in values.values())


def test_progress_is_the_difference_to_the_nearest_point_of_the_stages_before():
    points = progress(Evidence(stages=(STAGE, BETTER)), SPACE)
    assert points.shape == (8, 4)
    assert points[1:7, -1] == pytest.approx(0.1)


def test_alp_gmm_prefers_the_part_that_is_changing():
    moved = replace(BETTER, validated={**STAGE.validated, **rates({"9x9": 0.9})})
    found = SPACE.settings(propose("alp_gmm", Evidence(stages=(STAGE, moved))).distribution)
    assert max(found, key=lambda name: found[name][WEIGHT]) == "9x9"


def test_a_mixture_of_gaussians_finds_two_clusters():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 0.1, (40, 2)), rng.normal(3, 0.1, (40, 2))])
    found = best(points, range(1, 4), rng)
    assert sorted(found.means_KD.mean(axis=1).round().tolist())[0::1][0] == 0
    assert len(found.weights_K) >= 2


def test_tpe_goes_where_stages_have_gained():
    pytest.importorskip("optuna")
    space = Space((Part("a", "toy/lake", (Dial("holes", tuple(k / 20 for k in range(9))),)),))

    def stage(place, gained):
        return Stage({"a": {WEIGHT: 1.0, "holes": place / 20}}, validated=rates({"a": gained}, 1000))

    stages, level = [stage(0, 0.0)], 0.0
    for k in range(24):
        level += 0.03 if k % 9 == 7 else 0.0  # only a stage at 7 / 20 gains
        stages.append(stage(k % 9, level))
    current = space.distribution({"a": {WEIGHT: 1.0, "holes": 0.0}})
    asked = [ENGINEERS["tpe"](seed=s).propose(current, Evidence(stages=tuple(stages)), space) for s in range(7)]
    places = sorted(round(20 * space.settings(found.distribution)["a"]["holes"]) for found in asked)
    assert places[3] in (6, 7, 8)


def test_tpe_without_optuna_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ExtraMissing, match=r"palaestra\[optuna\]"):
        ENGINEERS["tpe"]()


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("thresholds", {"low": 0.9}), ("bandit", {"tau": 0.0}), ("hand_schedule", {"stages": 0})],
)
def test_a_parameter_out_of_its_range_is_refused(name, wrong):
    with pytest.raises(BadDistribution):
        ENGINEERS[name](**wrong)
