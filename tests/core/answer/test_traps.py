"""Replies that graders in the wild read wrongly, one sentence each; and kinds that cannot be built."""

import numpy as np
import pytest

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

LETTERS = Choice(tuple("ABHIT"))
MOVES = Choice(("left", "right", "upper left"))
COUNT = Integer(0, 50)
STEPS = Sequence(tuple("UDLRAM"), 1, 8)
COUNTS = Record((("circles", COUNT), ("squares", COUNT)))


def status(answer: Answer, reply: str) -> str:
    return answer.parse(reply).status


def value(answer: Answer, reply: str) -> object:
    return answer.parse(reply).value


@pytest.mark.parametrize(
    "reply", ["The", "The bird", "A bird", "A cat sat.", "I think", "I am", "That's it", "T-shirt", "I'm in"]
)
def test_a_word_an_article_and_a_pronoun_choose_no_letter(reply: str) -> None:
    assert status(LETTERS, reply) == "no_answer"


@pytest.mark.parametrize(
    "reply", ["(A)", "A)", "A.", "option A", "choose A", "I think it is A", "[A]", "It must be A!"]
)
def test_a_letter_counts_in_the_position_of_an_answer(reply: str) -> None:
    assert value(LETTERS, reply) == "A"


def test_a_closing_quote_alone_does_not_make_a_letter_an_answer() -> None:
    assert status(LETTERS, 'B" was its name') == "no_answer"


def test_abbreviations_choose_no_letter() -> None:
    assert status(Choice(("S", "U")), "In the U.S. this is common") == "no_answer"


def test_an_article_in_a_marked_text_is_not_its_letter() -> None:
    assert status(LETTERS, "Answer: A bird") == "malformed"
    assert value(LETTERS, "Answer: A bird, which is B") == "B"


def test_a_part_of_a_longer_option_or_word_is_not_chosen() -> None:
    assert value(MOVES, "the upper left corner") == "upper left"
    assert status(MOVES, "There is a leftover on the left-hand side") == "no_answer"


def test_a_numeric_option_is_not_found_inside_a_number() -> None:
    assert status(Choice(("1", "2")), "It costs 1.2 or 12 or 2,100 or -1 in all") == "no_answer"
    assert value(Choice(("1", "-1")), "It is -1, I think") == "-1"


@pytest.mark.parametrize(
    "no", ["not", "don't go", "do not go", "never", "instead of", "rather than", "cannot move to the"]
)
def test_a_negated_option_is_no_candidate(no: str) -> None:
    assert status(MOVES, f"{no} left") == "no_answer"
    assert value(MOVES, f"{no} left, right") == "right"
    assert status(MOVES, f"{no} left or upper left") == "no_answer"


def test_a_negation_reaches_only_its_own_option() -> None:
    assert value(MOVES, "not left but right") == "right"
    assert value(MOVES, "left, not right") == "left"
    assert value(LETTERS, "not (A), so (B)") == "B"
    assert value(COUNT, "not 3 but 4") == 4


def test_an_option_that_begins_like_a_negation_is_still_an_option() -> None:
    assert value(Choice(("not possible", "possible")), "I say it is not possible.") == "not possible"


def test_two_options_are_ambiguous_and_one_repeated_is_not() -> None:
    assert status(LETTERS, "A or B") == "ambiguous"
    assert value(MOVES, "left, and again left") == "left"


def test_an_empty_last_marker_does_not_fall_back_on_an_earlier_one() -> None:
    assert status(MOVES, "<answer>left</answer>\nAnswer:") == "malformed"


def test_a_marker_inside_a_thought_does_not_count() -> None:
    assert value(MOVES, "<think>Answer: left</think>Answer: right<think>Answer: left") == "right"
    assert status(MOVES, "<think>Answer: left") == "no_answer"
    assert value(MOVES, "<think>I use <think> tags</think> left") == "left"


def test_an_answer_tag_cut_off_by_a_stop_word_counts() -> None:
    assert value(MOVES, "Well. <answer>left") == "left"


def test_boxes_balance_their_braces() -> None:
    assert value(MOVES, "\\boxed{\\text{upper left}} or so {right}") == "upper left"


def test_the_text_after_a_label_ends_with_the_line_and_after_a_phrase_with_the_sentence() -> None:
    assert value(MOVES, "Answer: left\nright would be wrong") == "left"
    assert value(MOVES, "The answer is left. right would be wrong") == "left"
    assert value(Number(0, 9), "The answer is 2.5. Not 3.") == 2.5


def test_digits_without_end_are_malformed() -> None:
    for answer in (COUNT, Number(0, 1), Point()):
        assert status(answer, "9" * 10_000 + ", 1" * isinstance(answer, Point)) == "malformed"


def test_a_number_is_read_whole_or_not_at_all() -> None:
    assert status(COUNT, "It is 3.5 high") == "malformed"
    assert status(COUNT, "3/4") == "malformed"
    assert status(COUNT, "version v2, the 5th, 1.2.3, B12") == "no_answer"
    assert value(COUNT, "0,007 or so") == 7
    assert value(Integer(-9, 9), "I get \u22123.0") == -3


def test_a_sign_in_words_is_not_dropped() -> None:
    for reply in ("minus 3", "It is negative 3.", "minus three", "Answer: minus 3"):
        assert not Integer(-9, 9).parse(reply).ok


def test_one_as_a_pronoun_is_no_count() -> None:
    assert value(COUNT, "The one on top, no one else, one of them: five") == 5
    assert value(COUNT, "There is one.") == 1


def test_a_range_is_two_numbers_and_no_sign() -> None:
    assert status(Integer(-9, 9), "3-5") == "ambiguous"


def test_a_number_is_rounded_only_within_its_range() -> None:
    assert value(Number(0, 1), "0.999") == 1.0
    assert status(Number(0, 1), "1.001") == "malformed"
    assert str(value(Number(-1, 1), "-0.001")) == "0.0"


def test_a_list_of_four_numbers_is_no_point() -> None:
    assert status(Point(), "The box is (1, 2, 3, 4)") == "malformed"


def test_letters_run_together_need_capitals_and_company_in_prose() -> None:
    assert value(STEPS, "So ULDR it is") == tuple("ULDR")
    assert status(STEPS, "A dull rum, I said") == "no_answer"
    assert status(STEPS, "A rather long way") == "no_answer"
    assert value(STEPS, "a") == ("A",)


def test_a_foreign_member_spoils_a_list() -> None:
    assert status(Sequence(("up", "left")), "<answer>up, fly, left</answer>") == "malformed"
    assert status(Sequence(("up", "left")), '["up", "fly"]') == "malformed"


def test_the_numbers_of_a_numbered_list_are_no_items() -> None:
    order = Sequence(("1", "2", "3"), 3, 3)
    assert value(order, "1. 3\n2. 1\n3. 2") == ("3", "1", "2")
    assert value(order, "2 1 3.") == ("2", "1", "3")


def test_an_arrow_is_no_step_to_the_right() -> None:
    assert value(Sequence(tuple("<>^v")), "< -> ^ -> >") == ("<", "^", ">")
    assert value(Sequence(tuple("<>^v")), "<^>") == ("<", "^", ">")


def test_letters_that_only_look_alike_when_case_is_ignored_break_nothing() -> None:
    assert value(Sequence(("right", "up")), "R\u0130GHT, r\u0131ght") == ("right", "right")
    assert status(Record((("i", COUNT),)), "\u0131: 3") == "ok"


def test_a_full_stop_may_be_a_symbol() -> None:
    maze = Grid(2, 2, (".", "#"))
    assert value(maze, ". .\n# .") == ((".", "."), ("#", "."))
    assert value(maze, "..\n#..") == ((".", "."), ("#", "."))


def test_a_board_of_the_wrong_size_or_with_a_foreign_symbol_is_malformed() -> None:
    board = Grid(2, 2, ("0", "1"))
    for reply in ("0 1", "0 1\n1 0\n1 1", "0 1 1\n1 0 0", "0 7\n1 0", "7 7\n8 8"):
        assert status(board, reply) == "malformed"
    assert status(board, "I do not know\nwhat to say") == "no_answer"


def test_a_field_said_twice_is_ambiguous_and_a_missing_one_is_malformed() -> None:
    assert status(COUNTS, "circles: 1, squares: 2, circles: 3") == "ambiguous"
    assert value(COUNTS, "circles: 1, squares: 2, circles: 1") == (1, 2)
    assert status(COUNTS, "circles: 1") == "malformed"
    assert status(COUNTS, "The circles are hard to tell from squares") == "no_answer"


def test_bare_values_count_only_where_nothing_else_is_said() -> None:
    assert value(COUNTS, "3, 2") == (3, 2)
    assert value(COUNTS, "Answer: 3 2") == (3, 2)
    assert status(COUNTS, "I saw 3, 2 of them small") == "no_answer"


@pytest.mark.parametrize(
    "build",
    [
        lambda: Choice(()), lambda: Choice(("a", "A")), lambda: Choice(("up left", "up-left")),
        lambda: Choice(("", "b")),
        lambda: Choice((" a",)), lambda: Choice(["a"]), lambda: Choice(("a", 1)), lambda: Choice(("a",
        "a.")),
        lambda: Choice(("<think>",)), lambda: Choice(("Answer: x",)), lambda: Choice("ab"),
        lambda: Integer(2, 1),
        lambda: Integer(0.0, 1), lambda: Integer(0, True), lambda: Integer(0, 2**70), lambda: Number(1, 0),
        lambda: Number(0, float("inf")), lambda: Number(0, float("nan")), lambda: Number(0, 0.125),
        lambda: Number(0, 1, -1),
        lambda: Number(0, "1"), lambda: Point(0, 5), lambda: Point(1.5, 5), lambda: Sequence(()),
        lambda: Sequence(("a,b",)),
        lambda: Sequence(("a", "b"), 0), lambda: Sequence(("a",), 3, 2), lambda: Sequence(("a", "A")),
        lambda: Grid(0, 1, ("x",)), lambda: Grid(1, 1, ("a b",)), lambda: Grid(1, 1, ("|",)),
        lambda: Grid(1, 1, ()),
        lambda: Record(()), lambda: Record((("n", 3),)), lambda: Record((("n", COUNT), ("N", COUNT))),
        lambda: Record((("answer", COUNT),)), lambda: Record((("n", COUNTS),)), lambda: Record([("n",
        COUNT)]),
    ],
)  # fmt: skip
def test_a_kind_that_could_not_be_read_is_refused(build: object) -> None:
    with pytest.raises(BadAnswerKind):
        build()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("answer", "illegal"),
    [
        (MOVES, "LEFT"), (MOVES, None), (MOVES, ["left"]), (COUNT, 51), (COUNT, 3.0), (COUNT, True),
        (COUNT, "3"),
        (Number(0, 1), 0.123), (Number(0, 1), float("nan")), (Number(0, 1), 2), (Number(0, 1), "1"),
        (Point(), (1, 2, 3)),
        (Point(), (float("nan"), 1)), (Point(), [1, 2]), (Point(), (1001, 0)), (STEPS, ()), (STEPS,
        ("X",)), (STEPS, "U"),
        (STEPS, ("U",) * 9), (Grid(1, 2, ("0", "1")), (("0",),)), (Grid(1, 1, ("0",)), "0"), (Grid(1, 1,
        ("0",)), (("7",),)),
        (COUNTS, (1,)), (COUNTS, (1, 51)), (COUNTS, {"circles": 1}), (STEPS, (["U"],)), (Grid(1, 1,
        ("0",)), ((["0"],),)),
    ],
)  # fmt: skip
def test_an_illegal_value_is_not_formatted_and_the_error_says_what_to_give(answer: Answer, illegal: object) -> None:
    with pytest.raises(BadAnswerKind, match=r"asked to format .*; give "):
        answer.format(illegal)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "give an object with a 'kind'"), ({"kind": 3}, "give an object"), ({"kind": "choise"},
        "did you mean 'choice'"),
        ({"kind": "choice"}, "'options' is missing"), ({"kind": "integer", "low": 0, "hihg": 1},
        "did you mean 'high'"),
        ({"kind": "choice", "options": "ab"}, "tuple of strings"), ({"kind": "integer", "low": "0",
        "high": 1}, "whole number"),
        ({"kind": "record", "fields": {"n": 1}}, "record: fields"), ({"kind": "record",
        "fields": [["n"]]}, "record: fields"),
        ({"kind": "record", "fields": [["n", {"kind": "record", "fields": []}]]}, "record: fields"),
        ({"kind": "choice", "options": [["a"]]}, "tuple of strings"), ({"kind": "choice",
        "options": None}, "tuple of strings"),
        ({"kind": "grid", "rows": 1, "columns": 1, "symbols": [{}]}, "tuple of strings"), ([],
        "give an object"),
    ],
)  # fmt: skip
def test_json_that_is_no_kind_is_refused_with_the_reason(data: object, message: str) -> None:
    with pytest.raises(BadAnswerKind, match=message):
        from_json(data)


def test_json_nested_without_end_is_refused() -> None:
    data: object = {"kind": "integer", "low": 0, "high": 1}
    for _ in range(5000):
        data = {"kind": "record", "fields": [["n", data]]}
    with pytest.raises(BadAnswerKind):
        from_json(data)


def test_defaults_are_written_and_need_not_be_read() -> None:
    assert to_json(Point()) == {"kind": "point", "width": 1000, "height": 1000}
    assert from_json({"kind": "point"}) == Point()


def test_every_description_is_short() -> None:
    said = [answer.describe() for answer in (MOVES, COUNT, Number(0, 1), Point(), STEPS, Grid(2, 2, ("0", "1")))]
    assert said == [
        "Reply with one of: left, right, upper left.",
        "Reply with a whole number from 0 to 50.",
        "Reply with a number from 0 to 1 with up to 2 decimals.",
        "Reply with a point (x, y) with x from 0 to 1000 and y from 0 to 1000.",
        "Reply with 1 to 8 of these, separated by commas: U, D, L, R, A, M.",
        "Reply with 2 lines of 2 symbols (0 1), separated by spaces.",
    ]
    assert COUNTS.describe() == (
        "Reply with one line per field (circles, squares), each `name: a whole number from 0 to 50`."
    )


def test_a_seed_draws_the_same_replies() -> None:
    drawn = [[STEPS.sample(rng) for _ in range(9)] for rng in map(np.random.default_rng, (7, 7))]
    assert drawn[0] == drawn[1]


def test_an_outcome_is_a_frozen_value() -> None:
    assert Parsed(Status.OK, 3) == Parsed(Status("ok"), 3)
    with pytest.raises(AttributeError):
        Parsed(Status.OK, 3).value = 4  # type: ignore[misc]
