"""Profiles as a file: what is written comes back, and nothing else is believed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaestra.core.errors import RunFolderError
from palaestra.core.profile import AbilityProfile
from palaestra.core.runfolder import RunFolder
from palaestra.pipeline import profiles

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
SHARES = st.floats(0, 1)


@st.composite
def drawn(draw):
    shares = draw(st.dictionaries(NAMES, SHARES, max_size=4))
    core = draw(st.sets(st.sampled_from(sorted(shares)))) if shares else set()
    return AbilityProfile(
        draw(NAMES),
        {ability: share for ability, share in shares.items() if ability in core},
        {ability: share for ability, share in shares.items() if ability not in core},
        draw(st.dictionaries(st.tuples(NAMES, NAMES), st.integers(1, 99), max_size=3)),
        draw(st.dictionaries(NAMES, st.integers(0, 99), max_size=3)),
    )


@given(st.lists(drawn(), max_size=4, unique_by=lambda profile: profile.env_id))
def test_profiles_come_back_equal_and_their_order_changes_no_byte(tmp_path_factory, found):
    one, other = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("other")
    profiles.write(RunFolder(one), found)
    profiles.write(RunFolder(other), found[::-1])
    assert profiles.read(one) == sorted(found, key=lambda profile: profile.env_id)
    assert (one / profiles.NAME).read_bytes() == (other / profiles.NAME).read_bytes()


GOOD = {"core": {"plan": 0.5}, "soft": {}}
DAMAGED = [
    ("", "is damaged"),
    ("[]", "found no JSON object"),
    ('{"a/b": 3}', "a/b: found 3"),
    ({**GOOD, "cor": {}}, "unknown key 'cor'; did you mean 'core'"),
    ({"core": {}}, "missing 1 required positional argument: 'soft'"),
    ({**GOOD, "core": {"plan": "yes"}}, "wanted a number"),
    ({**GOOD, "core": {"plan": 1.5}}, "shares lie in [0, 1]"),
    ({**GOOD, "core": {"plan": float("nan")}}, "shares lie in [0, 1]"),
    ({**GOOD, "core": {"plan": 10**400}}, "is damaged"),
    ({**GOOD, "soft": {"plan": 0.5}}, "'plan' is core and soft"),
    ({**GOOD, "support": {"": -1}}, "the support of '' is negative"),
    ({**GOOD, "edges": [["plan", "plan"]]}, "edge ['plan', 'plan']; wanted two abilities"),
    ("[" * 100_000, "is damaged"),
    (b"\xff", "is damaged"),
]


@pytest.mark.parametrize(("data", "said"), DAMAGED, ids=[said for _, said in DAMAGED])
def test_a_damaged_file_is_refused_with_a_reason(tmp_path, data, said):
    text = json.dumps({"a/b": data}) if isinstance(data, dict) else data
    (tmp_path / profiles.NAME).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(RunFolderError) as raised:
        profiles.read(tmp_path)
    assert said in str(raised.value)
    assert str(raised.value).endswith("; mend it, or measure again")


def test_edges_and_support_may_be_left_out(tmp_path):
    (tmp_path / profiles.NAME).write_text(json.dumps({"a/b": GOOD}))
    assert profiles.read(tmp_path) == [AbilityProfile("a/b", {"plan": 0.5}, {}, {}, {})]
