"""Figures: what they show is what they were given, and nothing that a label says gets out of hand."""

import re
import sys
import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np
import pytest

from palaestra.core.errors import ExtraMissing
from palaestra.core.gradient import Cosine
from palaestra.core.profile import AbilityProfile
from palaestra.core.rate import Rate
from palaestra.core.selection import Pick
from palaestra.evaluation.compare import Difference
from palaestra.evaluation.figures import coverage, curriculum, pool, scores, selection, sheet
from palaestra.evaluation.figures.abilities import abilities
from palaestra.evaluation.figures.arms import Curve, arms
from palaestra.evaluation.figures.conflict import conflict
from palaestra.evaluation.figures.curriculum import Moment, Share
from palaestra.evaluation.figures.forest import Arm, forest
from palaestra.evaluation.interval import Interval
from palaestra.evaluation.judged import Judged, Judgement
from palaestra.evaluation.report import Figure, Section, Table, markdown, page, printable

HOSTILE = '<script>alert("x")</script>&|`$a_b$*[x](http://y)\x00\ud800\n' + "long" * 30
IDS = ("a/lake", "a/maze", "b/count", HOSTILE)

PROFILES = [
    AbilityProfile("a/lake", {"plan": 1.0, "avoid": 0.9}, {}, {}, {"": 20}),
    AbilityProfile("a/maze", {"plan": 0.8}, {"avoid": 0.2}, {}, {"": 20}),
    AbilityProfile("b/count", {HOSTILE: 1.0}, {}, {}, {"": 20}),
    AbilityProfile(HOSTILE, {}, {"plan": 0.3, "; font-family: x": 0.2}, {}, {}),
]
CHOSEN = selection.Chosen(
    HOSTILE,
    (selection.Verdict(Pick("a/lake", 2, 0, 0, 2), HOSTILE), selection.Verdict(Pick("b/count", 1, 0, 0, 1, 0.5))),
    tuple(selection.Verdict(Pick(own, 0, 1, 0, -1, inclusion=0.25), HOSTILE) for own in ("a/maze", HOSTILE)),
    20,
)
COSINES = {
    pair: Cosine(-0.1, -0.3 if n else float("nan"), -0.2, 0.1, 0.4 if n else 0.05, measured=n > 0)
    for n, pair in enumerate(combinations(IDS, 2))
}
HISTORY = [
    Moment(0, 0, {env_id: Share(0.25, {"H0": 1.0}, {0: 1.0}) for env_id in IDS}, {}),
    Moment(
        7, 64, {env_id: Share(0.25, {"H0": 0.5, "H4": 0.5}, {0: 0.5, 3: 0.5}) for env_id in IDS}, {IDS[0]: Rate(3, 16)}
    ),
]
SUCCESS = {env_id: Interval(0.2, 0.1, 0.3, 20) for env_id in IDS}
JUDGED = Judged(
    "0123", 0, 80, (),
    Judgement(0, {"id_single_turn": Interval(0.2, 0.1, 0.3, 40)}, SUCCESS, {}),
    Judgement(9, {"id_single_turn": Interval(0.5, float("-inf"), float("inf"), 1)}, SUCCESS, {}),
    {"id_single_turn": Difference(Interval(0.3, 0.2, 0.4, 40), differing=12)}, None,
)  # fmt: skip
CURVES = {
    "flat": Curve([0, 64, 128], [0.0, 0.1, 0.1], [0.0, 0.0, 0.1], [0.0, 0.2, 0.1]),
    HOSTILE: Curve([0, 64, 128], [0.0, 0.3, 0.5], [0.0, 0.2, 0.4], [0.0, 0.4, 0.6]),
}
GROUPS = {"ID": {"flat": Arm([0.1, 0.3], 0.2, -1.0, 1.4), HOSTILE: Arm([0.4], 0.4, None, None)}, HOSTILE: {}}


def every() -> list[Section]:
    """A section of each kind, with a hostile name wherever a name can stand."""
    final = Table("The last distribution", ("environment",), ((HOSTILE,),))
    return [
        pool.pictures([pool.Card(env_id, why=HOSTILE) for env_id in IDS], ["a/lake"], {"a/maze"}),
        abilities(PROFILES, ["a/lake"]),
        conflict(COSINES, [HOSTILE], ["a/none"]),
        selection.selection(CHOSEN),
        coverage.coverage(PROFILES, {HOSTILE: CHOSEN.env_ids, "aes": ["b/count"], "everything": IDS}),
        curriculum.curriculum(HISTORY, IDS, HOSTILE, final),
        Section("arms", "Arms", (arms(CURVES, "flat", HOSTILE, "arms"),)),
        Section("forest", "Forest", (forest(GROUPS, dict.fromkeys(GROUPS, 0.1), "forest"),)),
        scores.scores(JUDGED, {"a/maze"}),
    ]


@pytest.fixture(scope="module")
def sections():
    return every()


def drawings(sections):
    return [block.markup for own in sections for block in own.blocks if isinstance(block, Figure)]


def test_every_drawing_is_sound_svg_with_a_title_and_words_for_those_who_do_not_see_it(sections):
    found = [ET.fromstring(markup) for markup in drawings(sections)]
    assert len(found) == 8
    for svg in found:
        names = [child.tag.rpartition("}")[2] for child in svg][:2]
        assert (names, svg.get("role")) == (["title", "desc"], "img")
        assert all(child.text for child in svg[:2])
        assert svg.get("aria-labelledby") == f"{svg[0].get('id')} {svg[1].get('id')}"


def test_drawings_on_one_page_share_no_id_and_every_reference_is_answered(sections):
    ids = [name for markup in drawings(sections) for name in re.findall(r'\bid="([^"]+)"', markup)]
    asked = [name for markup in drawings(sections) for name in re.findall(r'(?:href="|url\()#([^")]+)', markup)]
    assert len(ids) == len(set(ids))
    assert set(asked) <= set(ids)


def test_colours_that_stand_for_the_style_are_all_named(sections):
    for markup in drawings(sections):
        assert "var(--ink)" in markup
        assert "#0101" not in markup


def test_the_same_values_give_the_same_bytes_and_leave_the_library_as_it_was(sections):
    import matplotlib

    before = matplotlib.rcParams.copy()
    assert drawings(every()) == drawings(sections)
    assert matplotlib.rcParams.copy() == before
    assert "matplotlib.pyplot" not in sys.modules


def test_no_name_becomes_markup(sections):
    html = page(HOSTILE, sections)
    assert "<script" not in html
    assert "alert(&quot;x&quot;)" in html
    html.encode()
    text = markdown(HOSTILE, sections)
    text.encode()
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert not [line for line in text.splitlines() if re.search(r"(?<!\\)[<\[]", line)]
    assert all(re.search(r"(?<!\\)\|$", line) for line in rows)


@pytest.mark.parametrize("words", ["a\x00b", "a\ud800b", "a\x9fb"])
def test_what_is_no_text_is_replaced(words):
    assert printable(words).encode().isascii() is False or "?" in printable(words)


def test_a_label_is_short_and_on_one_line():
    assert len(sheet.label(HOSTILE)) <= sheet.LONGEST
    assert sheet.label(HOSTILE).isprintable()


def test_without_the_library_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ExtraMissing, match=r"palaestra\[report\]"):
        abilities(PROFILES, [])


def test_random_orders_cover_on_average_what_can_be_counted_by_hand():
    has_EA = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1]], bool)
    mean_E, low_E, high_E = coverage.random_orders(has_EA)
    np.testing.assert_allclose(mean_E, [4 / 3, (2 + 3 + 2) / 3, 3], atol=0.06)
    assert (low_E.tolist(), high_E.tolist()) == ([1, 2, 3], [2, 3, 3])
    for one, other in zip(coverage.random_orders(has_EA), (mean_E, low_E, high_E), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_mean_rung_is_over_the_ladder_alone():
    assert Share(1, {"H1": 0.3, "H3": 0.1, "SYMBOLIC": 0.6}, {}).rung == pytest.approx(1.5)
    assert np.isnan(Share(1, {"SYMBOLIC": 1.0}, {}).rung)


def test_an_unmeasured_pair_has_no_number_and_is_never_called_free_of_conflict(sections):
    (own,) = (own for own in sections if own.name == "conflict")
    (table,) = (block for block in own.blocks if isinstance(block, Table))
    unmeasured = [row for row in table.rows if row[2] == "unmeasured"]
    assert [row[3:5] for row in unmeasured] == [("", "")]
    assert "5 of 6 pairs are measured" in own.blocks[0]
    (figure,) = (block for block in own.blocks if isinstance(block, Figure))
    assert "not the same as free of conflict" in figure.caption


def test_a_difference_is_told_in_words_and_an_unknown_interval_is_said_to_be(sections):
    text = markdown("", sections[-1:])
    assert "ID, single turn: +0.300 \\[+0.200, +0.400\\], n = 40 in success, beyond noise." in text
    assert "0.500, interval unknown, n = 1" in text
    assert "| OOD, held out | no problem | no problem | not compared |" in text


def test_bars_of_inclusion_are_as_long_as_their_counts_say(sections):
    (own,) = (own for own in sections if own.name == "selection")
    (figure,) = (block for block in own.blocks if isinstance(block, Figure))
    assert [words for words in re.findall(r">([^<]*)</text>", figure.markup) if " of 20" in words] == [
        "10 of 20", "5 of 20", "5 of 20",
    ]  # fmt: skip
    bars = [path for path in re.findall(r'<path d="([^"]*)" clip', figure.markup) if path]
    ends = [[float(x) for x in re.findall(r"[ML] ([\d.]+)", bar)] for bar in bars]
    widths = [round((max(x) - min(x)) / selection.WIDE, 3) for x in ends]
    assert widths == [1, 0, 1, 0.5, 1, 0.25, 1, 0.25]


def test_aes_is_highlighted_among_the_methods_and_otherwise_the_first(sections):
    def main(chosen):
        (figure, _) = coverage.coverage(PROFILES, chosen).blocks
        return re.findall(r"stroke: var\(--main\); stroke-width: ([\d.]+)", figure.markup)

    assert main({"random_k": IDS, "aes": ["b/count"]})[:1] == ["2.6"]
    (table,) = (block for block in coverage.coverage(PROFILES, {"aes": ["b/count"], "all": IDS}).blocks[1:])
    assert [row[1:3] for row in table.rows] == [("1", "2"), ("", "2"), ("", "3"), ("", "3")]


def test_a_forest_has_a_point_for_every_seed_and_one_for_their_mean(sections):
    (own,) = (own for own in sections if own.name == "forest")
    (figure,) = own.blocks
    placed = re.findall(r'<use [^>]*x="([\d.]+)" y="([\d.]+)"[^>]*style="fill: var\(--(paper|main)\)', figure.markup)
    rows = sorted({y for _, y, _ in placed}, key=float)
    assert [[fill for _, y, fill in placed if y == row] for row in rows] == [
        ["paper"] * 2 + ["main"],
        ["paper", "main"],
    ]
    (first, second, mean) = (float(x) for x, y, _ in placed if y == rows[0])
    assert mean == pytest.approx((first + second) / 2, abs=0.01)
