"""What holds for every answer kind, whatever its parameters and whatever the reply."""

import json
import pickle
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaestra.core.answer import (
    Answer,
    Choice,
    Grid,
    Integer,
    Number,
    Parsed,
    Point,
    Record,
    Sequence,
    Status,
    from_json,
    to_json,
)
from palaestra.core.errors import BadAnswerKind

WORDS = ("up", "down", "left", "upper left", "up-right", "wait", "7", "key A", "hold still", "+", "e4", "Nf3")
CELLS = ("0", "1", "2", ".", "#", "P", "x", "10", "wall", "-", "*", "→")
NAMES = ("circles", "red squares", "path", "n", "goal_cell", "7th")

names = st.lists(st.sampled_from(WORDS), min_size=1, unique=True).map(tuple)
letters = st.lists(st.sampled_from("ABCDEFGHITU+<>^v10"), min_size=1, unique_by=str.lower).map(tuple)
bounds = st.tuples(st.integers(-(2**62), 2**62), st.integers(0, 10**6))
lengths = st.tuples(st.integers(1, 4), st.integers(0, 8))
cells = st.lists(st.sampled_from(CELLS), min_size=1, unique=True).map(tuple)

choices = st.builds(Choice, names | letters)
integers = bounds.map(lambda b: Integer(b[0], b[0] + b[1])) | st.just(Integer(0, 9))
numbers = st.builds(
    lambda low, span, d: Number(low, low + span, d), st.integers(-99, 99), st.integers(0, 99), st.integers(0, 6)
)
points = st.builds(Point, st.integers(1, 2000), st.integers(1, 2000))
sequences = st.builds(lambda items, n: Sequence(items, n[0], n[0] + n[1]), names | letters, lengths)
grids = st.builds(Grid, st.integers(1, 4), st.integers(1, 4), cells)
simple = st.one_of(choices, integers, numbers, points, sequences, grids)
records = st.builds(
    lambda fields, kinds: Record(tuple(zip(fields, kinds, strict=False))),
    st.permutations(NAMES),
    st.lists(st.one_of(integers, numbers, points, st.builds(Choice, st.just(("red", "blue"))), grids), min_size=1),
)
kinds = simple | records
seeds = st.integers(0, 2**32 - 1)

FRAGMENTS = [
    "<think>", "</think>", "<answer>", "</answer>", "\\boxed{", "}", "Answer:", "**Final answer:**",
    "Move: ", "the answer is ",
    "not ", "or", "left", "up", "A", "(B)", "I think", "T", "7", "1,234", "-", "\u2212", ".5", "1e999",
    "nan", "x=", "y=", "(1, 2)",
    "[", "]", "{", "\"", "'", "`", "```", "```json\n", "\n", "\n\n", "0 1\n1 0", "|", "#", ",", ";", ":",
    "1. ", "2. ", "->", "circles: ",
    "red squares = 2", "n is ", "path: up, left", "\\text{", " ", "\x00", "\ud800", "İ", "ß", "\u017f",
    "\u212a", "\u0131", "\u0130", "٣", "½",
]  # fmt: skip
replies = st.one_of(
    st.text(max_size=3000),
    st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=5), max_size=40).map("".join),
)
thoughts = st.text(max_size=40).filter(lambda text: "<" not in text)


def said(answer: Answer, seed: int) -> tuple[str, object]:
    """A random well-formed reply and its value."""
    reply = answer.sample(np.random.default_rng(seed))
    parsed = answer.parse(reply)
    assert parsed.ok, (answer, reply, parsed)
    return reply, parsed.value


@given(kinds, seeds)
def test_a_sampled_reply_is_read_and_its_value_is_hashable_and_legal(answer: Answer, seed: int) -> None:
    _, value = said(answer, seed)
    hash(value)
    assert isinstance(answer.format(value), str)  # refuses whatever is out of range


@given(kinds, seeds)
def test_a_formatted_value_is_read_back(answer: Answer, seed: int) -> None:
    _, value = said(answer, seed)
    assert answer.parse(answer.format(value)) == Parsed(Status.OK, value)


@given(kinds, seeds, thoughts, st.sampled_from(["", " ", "\n", "\r\n\n", "\t"]))
def test_thoughts_markers_and_white_space_change_nothing(answer: Answer, seed: int, thought: str, space: str) -> None:
    reply, value = said(answer, seed)
    for wording in ("{}", "<answer>{}</answer>", "Answer: {}", "\\boxed{{{}}}", "**Final answer:**\n{}"):
        wrapped = f"<think>{thought}</think>{space}{wording.format(reply)}{space}"
        assert answer.parse(wrapped) == Parsed(Status.OK, value), wrapped


@given(kinds, seeds, seeds)
def test_the_last_marker_wins(answer: Answer, first: int, last: int) -> None:
    early, _ = said(answer, first)
    late, value = said(answer, last)
    for before in (f"<answer>{early}</answer>", f"Answer: {early}", f"\\boxed{{{early}}}"):
        for after in (f"<answer>{late}</answer>", f"Answer: {late}", f"\\boxed{{{late}}}"):
            assert answer.parse(f"{before}\n\nNo, wait.\n\n{after}") == Parsed(Status.OK, value)
        assert answer.parse(f"{before}\n\n<answer></answer>").status == Status.MALFORMED


@given(kinds, replies)
def test_no_reply_raises_and_only_an_ok_one_has_a_value(answer: Answer, reply: str) -> None:
    parsed = answer.parse(reply)
    assert (parsed.value is not None) == parsed.ok
    if parsed.ok:
        assert answer.parse(answer.format(parsed.value)) == parsed


@given(kinds, replies)
def test_nothing_counts_in_or_after_an_unclosed_thought(answer: Answer, reply: str) -> None:
    open_ended = "<think>" + reply.replace("<", "")
    assert answer.parse(open_ended) == Parsed(Status.NO_ANSWER)


@given(kinds)
def test_a_kind_survives_json_and_pickle(answer: Answer) -> None:
    assert from_json(json.loads(json.dumps(to_json(answer)))) == answer
    assert pickle.loads(pickle.dumps(answer)) == answer
    assert hash(from_json(to_json(answer))) == hash(answer)


json_keys = st.sampled_from(["kind", "options", "fields", "low", "high", "items"])
json_scalars = st.one_of(
    st.none(), st.booleans(), st.floats(), st.integers(), st.text(max_size=8), st.sampled_from(["choice", "record"])
)


@given(
    st.recursive(
        json_scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(json_keys, inner, max_size=4)
    )
)
def test_foreign_data_builds_a_kind_or_raises_the_one_error(data: object) -> None:
    try:
        answer = from_json(data)
    except BadAnswerKind:
        return
    assert from_json(to_json(answer)) == answer


@given(kinds)
def test_every_kind_describes_itself_in_one_line(answer: Answer) -> None:
    text = answer.describe()
    assert text.startswith("Reply with ")
    assert text.endswith(".")
    assert "\n" not in text


@pytest.mark.parametrize(
    "answer",
    [Choice(("a1", "b2", "c3")), Integer(3, 5), Sequence(("u", "d"), 1, 1), Grid(1, 1, ("0", "1", "2"))],
    ids=lambda answer: answer.kind,
)
def test_random_replies_reach_every_value_about_as_often(answer: Answer) -> None:
    rng = np.random.default_rng(0)
    drawn = [answer.sample(rng) for _ in range(600)]
    counts = [drawn.count(reply) for reply in set(drawn)]
    assert len(counts) == (2 if isinstance(answer, Sequence) else 3)
    assert min(counts) > 0.8 * 600 / len(counts)


NOISE = [
    "(", ")", "[", "[[", "{", "}", "\\boxed{", "\\text{", "<think>", "</think>", "<answer>", "1,", "1 ",
    "111,", "9", "0.", "1e", "3/",
    "-", "\u2212", "not ", "not left or ", "never go ", "n't ", "left ", "left x ", "up-", "U", "U ",
    "A ", "A. ", "B or ", "I a", "Answer: ",
    "the answer is ", "the ", " ", "\n", "\n \n", "\t", "_", "*", "`", "```", "\"", "'", "|", "|-",
    "0 1\n", "0 1 2\n\n", "0|", ",", ";",
    "circles: ", "circles: 1 ", "circles is ", "x=1, ", "x=", "(1 ", "((1,", "1. up ", "\x00", "é", "🙂",
    "nan ", "one ", "→", "- ",
]  # fmt: skip


@pytest.mark.parametrize("unit", NOISE, ids=ascii)
def test_ten_kilobytes_of_noise_are_read_in_no_time(unit: str) -> None:
    counts = Record((("circles", Integer(0, 9)), ("path", Sequence(("up", "left"))), ("at", Point())))
    answers = [
        Choice(("left", "up")), Choice(tuple("ABIT")), Integer(0, 99), Number(0, 1), Point(),
        Sequence(("up", "left")),
        Sequence(tuple("UDLR")), Grid(3, 3, ("0", "1")), counts,
    ]  # fmt: skip
    noise = (unit * 10_000)[:10_000]
    start = perf_counter()
    for answer in answers:
        for reply in (noise, f"Answer: {noise}!z"):
            assert answer.parse(reply).status in Status
    # Far more than it takes: only a pattern that is not linear is slower.
    assert perf_counter() - start < 2.0
