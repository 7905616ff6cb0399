"""The legal space: out as JSON Schema and in again, and whatever is said comes out legal, each change told."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixtures import CURRENT, SPACE, SPEC, START

from palaestra.core.distribution import Distribution
from palaestra.core.errors import BadDistribution, BadProposal, ConfigError
from palaestra.core.observation import H1
from palaestra.core.space import WEIGHT, Dial, Part, Space
from palaestra.engineer.space import load, parts, project, schema

KEEP = {name: dict(own) for name, own in START.items()}


def legal(found) -> bool:
    """Whether settings are complete, on the grid, within the limits, and not all of weight 0."""
    for part in SPACE.parts:
        own = found[part.name]
        if set(own) != {WEIGHT, "holes", "agents"} or not 0 <= own[WEIGHT] <= 1 or part.within(own) != own:
            return False
        if any(own[dial.name] not in dial.values for dial in part.dials):
            return False
    return sum(own[WEIGHT] for own in found.values()) > 0


def test_a_space_goes_out_as_json_schema_and_comes_in_as_the_same_space():
    assert load(json.loads(json.dumps(schema(SPACE))), rollouts=4) == SPACE


def test_every_validator_agrees_with_the_schema_on_what_is_legal():
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(schema(SPACE)).is_valid
    assert check({"parts": KEEP})
    for wrong in ({"holes": 0.15}, {"agents": 7}, {"reward": 1}, {"size": 5}, {"weight": 1.5}):
        assert not check({"parts": {**KEEP, "3x3": {**KEEP["3x3"], **wrong}}})
    crowded = {**KEEP["3x3"], "holes": 0.4, "agents": 5, "size": 3}
    assert not check({"parts": {**KEEP, "3x3": crowded}})
    assert check({"parts": {**KEEP, "9x9": {**crowded, "size": 9}}})


def test_a_schema_of_a_generator_without_parts_is_one_part():
    mass = {"type": "number", "minimum": 0.5, "maximum": 2.0, "multipleOf": 0.5}
    links = {"type": "integer", "minimum": 1, "maximum": 3}
    space = load({"title": "gym/pendulum", "type": "object", "properties": {"mass": mass, "links": links}})
    dials = (Dial("mass", (0.5, 1.0, 1.5, 2.0)), Dial("links", (1, 2, 3)))
    assert space.parts == (Part("gym/pendulum", "gym/pendulum", dials),)


@pytest.mark.parametrize(
    "data",
    [
        [],
        {"properties": 3},
        {"properties": {"parts": {}}},
        {"properties": {"parts": {"properties": {"a": 1}}}},
        {"properties": {"parts": {"properties": {"a": {"properties": {"x": {"type": "string"}}}}}}},
        {"properties": {"parts": {"properties": {"a": {"properties": {"x": 1}}}}}},
        {"properties": {"x": {"enum": [1, 2]}}, "allOf": [{"if": 3}]},
    ],
)
def test_what_is_no_space_is_refused_with_a_sentence(data):
    with pytest.raises(ConfigError, match="space"):
        load(data)


def test_an_environment_gives_a_part_for_each_scale_with_its_knobs_as_dials():
    space = Space(parts(SPEC))
    assert [(part.scale, [dial.name for dial in part.dials]) for part in space.parts] == [
        (0, ["size", "holes", "agents"]),
        (1, ["size", "holes", "agents"]),
    ]
    assert space.parts[0].dials[0].values == tuple(range(3, 11))


def test_an_environment_gives_a_part_for_each_value_of_a_knob():
    own = parts(SPEC, name="lake", each=("size", (3, 4)), dials={"holes": (0.4, 0.2)}, rungs=("H0", "H4"))
    assert [(part.name, part.knobs) for part in own] == [
        ("lake size 3", (("size", 3),)),
        ("lake size 4", (("size", 4),)),
    ]
    assert [dial.values for dial in own[0].dials] == [(0.4, 0.2), ("H0", "H4")]
    for asked in ({"each": ("sizes", (3,))}, {"dials": {"holes": (0.9,)}}, {"fixed": (("size", 99),)}):
        with pytest.raises(ConfigError, match="toy/lake"):
            parts(SPEC, **asked)


def test_two_parts_that_could_be_one_cell_are_refused():
    with pytest.raises(BadDistribution, match="can be one cell"):
        Space((Part("a", "x/y", (Dial("k", (1, 2)),)), Part("b", "x/y", knobs=(("k", 2),))))


def test_settings_and_distribution_say_the_same():
    assert SPACE.settings(SPACE.distribution(KEEP)) == KEEP
    assert SPACE.settings(CURRENT) == KEEP


def test_a_dial_stands_where_the_cells_of_its_part_do_on_average():
    low, high = (SPACE.cell(SPACE.parts[0], {"holes": h, "agents": 2}) for h in (0.0, 0.4))
    found = SPACE.settings(Distribution({low: 1.0, high: 3.0, replace(low, harness=H1): 5.0}))
    assert found["3x3"] == {WEIGHT: round(4 / 9, 4), "holes": 0.3, "agents": 2}


def test_a_legal_configuration_is_projected_onto_itself():
    said = {"rationale": "less", "parts": {**KEEP, "3x3": {WEIGHT: 0.5, "holes": 0.3, "agents": 3}}}
    found = project(said, SPACE, KEEP)
    assert (found.settings, found.notes) == (said["parts"], ())


def test_every_change_of_a_projection_is_told():
    said = {
        "reward": 1,
        "parts": {
            "3x3": {WEIGHT: 7, "holes": 0.38, "agents": 5, "verifier": "off"},
            "4x4": {WEIGHT: -1, "holes": "many", "size": 9},
            "99x99": {},
        },
    }
    found = project(said, SPACE, KEEP)
    assert legal(found.settings)
    assert found.settings["3x3"] == {WEIGHT: 1.0, "holes": 0.4, "agents": 3}
    told = "\n".join(found.notes)
    for words in (
        "99x99 is no part", "reward is out of reach", "verifier cannot be set", "size cannot be set",
        "weight -1 is no share", "holes many is no value", "holes 0.38 became 0.4", "agents 5 breaks a limit: 3",
        "weights above 1", "5x5 is not named",
    ):  # fmt: skip
        assert words in told


@pytest.mark.parametrize("said", [None, 3, "3x3", [], {}, {"parts": []}, {"parts": {"12x12": {}}}, {"reward": 9}])
def test_what_names_no_part_is_no_proposal(said):
    with pytest.raises(BadProposal):
        project(said, SPACE, KEEP)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*KEEP, WEIGHT, "holes", "agents"]), inner)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(said=st.dictionaries(st.sampled_from([*KEEP, "reward", WEIGHT]), JSON, max_size=4))
def test_whatever_is_said_becomes_a_legal_configuration_or_no_proposal(said):
    try:
        found = project({"parts": said}, SPACE, KEEP)
    except BadProposal:
        assert not said.keys() & KEEP.keys()
    else:
        assert legal(found.settings)
