"""How people and models word replies: thirty ways and more of being right, wrong, ambiguous and empty."""

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
)

MOVES = Choice(("left", "right", "up", "upper left"))
LETTERS = Choice(tuple("ABCDEFGHIT"))
COUNT = Integer(-20, 2000)
SHARE = Number(-1, 1)
PLACE = Point()
PLAN = Sequence(("up", "down", "left", "right"), 1, 6)
KEYS = Sequence(tuple("UDLR"), 1, 6)
BOARD = Grid(2, 3, ("0", "1", "2"))
MAZE = Grid(2, 3, ("#", ".", "P"))
COUNTS = Record((("circles", Integer(0, 9)), ("squares", Integer(0, 9))))
MIXED = Record((("path", PLAN), ("exit", MOVES), ("goal", PLACE)))

# One value of each kind in its plain spelling, and another.
PLAIN: dict[str, tuple[Answer, str, str]] = {
    "moves": (MOVES, "left", "upper left"),
    "letters": (LETTERS, "B", "T"),
    "count": (COUNT, "7", "-12"),
    "share": (SHARE, "0.25", "-0.50"),
    "place": (PLACE, "(120, 340.5)", "(0, 1000)"),
    "plan": (PLAN, "up, left, left", "down, right"),
    "keys": (KEYS, "U, L, L", "D, R"),
    "board": (BOARD, "0 1 2\n2 1 0", "0 0 0\n1 1 1"),
    "maze": (MAZE, "# . #\n. P .", ". . .\n# # P"),
    "counts": (COUNTS, "circles: 3\nsquares: 2", "circles: 0\nsquares: 9"),
    "mixed": (
        MIXED,
        "path: up, left\nexit: upper left\ngoal: (1, 2)",
        "path: up\nexit: right\ngoal: (10, 20)",
    ),
}

WORDINGS = [
    "{}",
    "  {}  ",
    "\n\n{}\n",
    "{}\r\n",
    "`{}`",
    "```\n{}\n```",
    "```text\n{}\n```",
    "<answer>{}</answer>",
    "<ANSWER>\n{}\n</ANSWER>",
    "I am sure: <answer>{}</answer> and nothing else.",
    "<answer>\n```\n{}\n```\n</answer>",
    "\\boxed{{{}}}",
    "$\\boxed{{{}}}$",
    "So we get \\boxed{{\\text{{{}}}}}.",
    "Answer: {}",
    "ANSWER:\n{}",
    "Answer:\n\n{}\n\nThat is all.",
    "Final answer: {}",
    "**Answer:** {}",
    "**Answer**: {}",
    "**Final answer:**\n{}",
    "### Answer:\n{}",
    "Action: {}",
    "My move: {}",
    "Thinking about it for long.\n\nMove: {}",
    "The answer is {}",
    "Well, the final answer is: {}",
    "I think my answer is {}",
    "the correct answer is\n{}",
    "So the best answer is {}",
    "<think>It could be anything.</think>{}",
    "<thinking>\nhm\n</thinking>\n\n<answer>{}</answer>",
    "Hm, let me see.</think>\n{}",
    "<THINK>a</THINK> <think>b</think> Answer: {}",
    "Answer: <answer>{}</answer>",
    "<answer>Answer: {}</answer>",
]


@pytest.mark.parametrize("wording", WORDINGS)
@pytest.mark.parametrize("name", PLAIN)
def test_every_wording_of_a_value_says_that_value(name: str, wording: str) -> None:
    answer, right, wrong = PLAIN[name]
    for said in (right, wrong):
        parsed = answer.parse(wording.format(said))
        assert parsed.ok, parsed
        assert answer.format(parsed.value) == said


RIGHT: list[tuple[Answer, object, list[str]]] = [
    (
        MOVES,
        "left",
        [
            "LEFT", "Left.", '"left"', "(left)", "**left**!", "[left]", "I go left.",
            "Go left, then we shall see.",
            "not right but left", "I would not go right, so left", "left, not right",
            "Don't go up; go left",
            "left instead of right", "rather than upper left, left", "left left left",
            "The answer is not up but left.",
            "Answer: I choose left because it is free", "Answer: right\nNo wait.\nAnswer: left",
            "leftover, left",
            "neither right nor up but left", "Do not go right or up. Go left.", "{\"move\": \"left\"}",
            "- left",
        ],
    ),
    (MOVES, "upper left", ["upper-left", "Upper  Left", "upper_left", "the upper left one",
    "It is the upper-left."]),
    (
        LETTERS,
        "B",
        [
            "b", "(B)", "B)", "B.", "**B**", "option B", "I choose B",
            "The answer is B because it flies", "It's B",
            "A cat sits there, I think, so (B)", "So I pick option (B), a bird.", "The bird: B",
            "B) a bird", "B, clearly",
            "B because of the wings", "Not A. Not C. B", "I'd say B is right",
            "The T-shirt matches, hence B",
            "\\boxed{B}", "\\boxed{\\textbf{B}}", "Answer: B) A bird", "Answer: A bird, so B",
            "It is not (A) but (B).",
            "Look:\nB\nthanks", "'B'", "the answer is (B).",
        ],
    ),
    (
        COUNT,
        7,
        [
            "7.", "+7", "7.0", "007", "seven", "Seven.", "There are seven of them.", "I count 7 circles",
            "**7**", "$7$",
            "7 = 7", "x = 7", "not 6 but 7", "It is 7, not 8", "The one on the left makes it 7", "7!",
            "n=7",
            "(7)", "7 and no twenty-one",
        ],
    ),
    (COUNT, 1234, ["1,234", "1234.00", "There are 1,234.", "+1,234"]),
    (COUNT, -5, ["-5", "\u22125", "The answer is -5.", "x=-5", "(-5)", "-5.0"]),
    (COUNT, 20, ["twenty", "Twenty!", "20"]),
    (
        SHARE,
        0.25,
        ["0.25", ".25", "+.25", "0.250", "0.2512", "2.5e-1", "It is about 0.25.", "0.25, not 0.5",
        "p=0.25", "(0.25)"],
    ),
    (
        PLACE,
        (120.0, 340.0),
        [
            "(120, 340)", "120, 340", "120,340", "[120 340]", "120 340", "x=120, y=340",
            "x: 120, y: 340", "(120;340)",
            "y=340, x=120", '{"x": 120, "y": 340}', "x = 120 and y = 340", "I click at (120, 340).",
            "<120, 340>",
            "(120.0, 340.0)", "At 120, 340 I see it", "(120px, 340px)", "x: 120\ny: 340",
            "not (1, 2) but (120, 340)",
        ],
    ),
    (
        PLAN,
        ("up", "left", "left"),
        [
            "up left left", "up,left,left", "up -> left -> left", "up → left → left", "up; left; left",
            "up\nleft\nleft",
            "up then left then left", "up-left-left", '["up", "left", "left"]', "['up','left','left']",
            "up | left | left",
            "1. up 2. left 3. left", "1) up\n2) left\n3) left", "1. Up.\n2. Left.\n3. Left.",
            "- up\n- left\n- left",
            "I go up, left, and then left.", "First up, then left, then left", "UP LEFT LEFT",
            "go up, go left, go left",
            "Step 1: up\nStep 2: left\nStep 3: left", "My plan is up, left, left, I am sure.",
            "Answer: up\nleft\nleft",
            "The answer is 1. up 2. left 3. left", "Answer: up, left, left\nIt avoids going down, down.",
        ],
    ),
    (
        KEYS,
        ("U", "L", "L"),
        ["ULL", "ull", "U L L", "U,L,L", "So ULL.", "I play U, L, L", "U-L-L", "U→L→L", "[U, L, L]",
        '"ULL"', "(ULL)"],
    ),
    (KEYS, ("U",), ["U", "u", "Answer: U", "<answer>U</answer>"]),
    (
        BOARD,
        (("0", "1", "2"), ("2", "1", "0")),
        [
            "012\n210", "0,1,2\n2,1,0", "0, 1, 2\n2, 1, 0.", "0|1|2\n2|1|0",
            "| 0 | 1 | 2 |\n| 2 | 1 | 0 |", "0 1 2; 2 1 0",
            "[[0, 1, 2], [2, 1, 0]]", "[[0,1,2],\n [2,1,0]]", '[["0","1","2"],["2","1","0"]]',
            '["012",\n"210"]',
            "The board:\n0 1 2\n2 1 0\nas you see.", "The board is [[0, 1, 2], [2, 1, 0]].",
            "0 1 2\n\n2 1 0",
            "Row 1: 0 1 2\nRow 2: 2 1 0", "0\t1\t2\n2\t1\t0", "| 0 | 1 | 2 |\n|---|---|---|\n| 2 | 1 | 0 |",
            "  0 1 2\n  2 1 0\n", "Sure!\n\n```\n012\n210\n```\n\nDone.", "012\n210.",
            "Answer:\n012\n210\nBye.",
        ],
    ),
    (MAZE, (("#", ".", "#"), (".", "P", ".")), ["#.#\n.P.", "# . #\n. p .", "I see\n#.#\n.P.\n."]),
    (
        COUNTS,
        (3, 2),
        [
            "circles: 3, squares: 2", "circles=3 squares=2", "squares: 2, circles: 3",
            '{"circles": 3, "squares": 2}',
            "3, 2", "3 2", "3; 2", "3\n2", "(3, 2)", "Circles = 3; Squares = 2.",
            "- circles: 3\n- squares: 2",
            "**circles**: 3\n**squares**: 2", "**circles:** 3\n**squares:** 2",
            "circles -> 3, squares -> 2",
            "The number of circles is 3 and squares is 2.", "circles: three\nsquares: two", "Answer: 3, 2",
            "circles: 3, squares: 2, so circles: 3", "I see circles: 3 and squares: 2. I am 100 % sure.",
            "```json\n{\"squares\": 2,\n \"circles\": 3}\n```", "circles: not 4 but 3, squares: 2",
        ],
    ),
    (
        MIXED,
        (("up", "left"), "upper left", (1.0, 2.0)),
        [
            '{"path": ["up", "left"], "exit": "upper left", "goal": [1, 2]}',
            "up, left; upper left; (1, 2)",
            "goal = (1, 2), exit = upper-left, path = up left",
            "exit: the upper left one. path: up, left. goal: (1, 2).",
        ],
    ),
]  # fmt: skip

AMBIGUOUS: list[tuple[Answer, list[str]]] = [
    (
        MOVES,
        [
            "left or right", "Either left or up.", "left, right", "Answer: left or right",
            "<answer>left/right</answer>",
            "Left! No: right.", "The answer is left or up.", "upper left or left", "\\boxed{left, right}",
            "<think>left</think>up, or maybe right",
        ],
    ),
    (LETTERS, [
        "A or B", "(A) or (B)", "A. or B.", "option A, no, option B", "Answer: A or C", "A/B", "B and C",
        "B, C",
    ]),
    (COUNT, [
        "3 or 4", "3-5", "3 of 5", "three or 4", "Answer: 6 or 7", "I count 3, then 4", "1,2",
        "<answer>5 6</answer>", "of 99999 dots 7 are red",
    ]),
    (SHARE, ["0.1 or 0.2", "0.1-0.2", "between -0.5 and 0.5", "Answer: 0, or 1"]),
    (PLACE, ["(1, 2) or (3, 4)", "(1, 2), (3, 4)", "x=1, y=2 or x=3, y=4", "Answer: (1, 2) and (3, 4)"]),
    (PLAN, [
        "up, left or left, up", "Answer: up or down", "up then left; no: left then up",
        "<answer>up (or left)</answer>",
    ]),
    (KEYS, ["UL or LU", "ULL? Or LLU?", "Answer: U or L"]),
    (BOARD, ["012\n210\n\n000\n111", "012\n210\nor\n000\n111", "Answer:\n012\n210\nor\n222\n111"]),
    (
        COUNTS,
        [
            "circles: 3, squares: 2, circles: 4", "circles: 3 or 4, squares: 2",
            "circles=1\nsquares=2\nsquares=3",
            "Answer: circles: 1 or 2, squares: 3", '{"circles": 1, "circles": 2, "squares": 3}',
        ],
    ),
]  # fmt: skip

MALFORMED: list[tuple[Answer, list[str]]] = [
    (MOVES, [
        "Answer:", "Answer: left\nAnswer:", "<answer></answer>", "<answer> </answer>", "\\boxed{}",
        "Answer: jump",
    ]),
    (MOVES, [
        "The answer is.", "Action: fly", "left\n**Answer:**", "Answer: leftover",
        "\\boxed{left} <answer></answer>",
    ]),
    (LETTERS, [
        "Answer: The bird", "Answer: A bird", "The answer is I think unclear", "Answer: Z",
        "<answer>x</answer>",
    ]),
    (COUNT, [
        "2001", "-21", "99999", "3.5", "1e999", "nan", "inf", "-Infinity", "3/4", "9" * 10_000,
        "Answer: many", "1e3",
    ]),
    (SHARE, ["2", "-1.01", "1e999", "nan", "-inf", "It is NaN.", "1.001", "Answer: half", "1/2"]),
    (PLACE, [
        "(1001, 5)", "(5, -1)", "(1, 2, 3)", "(nan, 3)", "(1e999, 3)", "x=5000, y=1", "Answer: 5",
        "[1, 2, 3, 4]",
    ]),
    (PLAN, [
        "up, fly", '["up", "fly"]', "up -> fly -> left", "up " * 7, "Answer: nowhere", "Answer: up, fly",
    ]),
    (KEYS, ["ULULULU", "U, X, L", "Answer: X"]),
    (BOARD, [
        "012", "012\n210\n012", "01\n21", "0123\n2101", "0 1 7\n2 1 0", "7 8 9\n9 8 7", "[[0,1],[2,1]]",
        "Answer: none",
    ]),
    (COUNTS, [
        "circles: 3", "circles: 3, squares: 12", "3, 12", "circles: many, squares: 2", "squares = 1",
        "Answer: 3",
    ]),
]  # fmt: skip

# Nothing here looks like an answer of any kind above.
EMPTY = [
    "", " ", "\n\n\n", "\t", "…", "?", "!!!", "---", "()", "[]", "{}", "``````", "```\n```", "$$", "**",
    "“”",
    "<think>left</think>", "<think>left", "<think>Answer: 7", "left</think>",
    "<answer>7</answer><think></think></think>",
    "I don't know.", "Hmm", "No idea, sorry!", "I cannot tell from the picture",
    "Please show the picture again.",
    "The bird", "A bird sings.", "I think so", "T rex", "That's a T-shirt", "leftover uprights", "leftmost",
    "None of these", "banana", "As an assistant, I would rather look again.", "\x00", "🙂", "不知道", "<b></b>",
    "do not go left", "never right", "don't go left or right",
]  # fmt: skip


@pytest.mark.parametrize(("answer", "value", "replies"), RIGHT, ids=lambda x: getattr(x, "kind", ""))
def test_these_replies_say_one_value(answer: Answer, value: object, replies: list[str]) -> None:
    said = {reply: answer.parse(reply) for reply in replies}
    assert {reply: parsed for reply, parsed in said.items() if parsed != Parsed(Status.OK, value)} == {}


@pytest.mark.parametrize(("answer", "replies"), AMBIGUOUS, ids=lambda x: getattr(x, "kind", ""))
def test_these_replies_say_several_things(answer: Answer, replies: list[str]) -> None:
    said = {reply: answer.parse(reply) for reply in replies}
    assert {reply: parsed for reply, parsed in said.items() if parsed.status != "ambiguous"} == {}


@pytest.mark.parametrize(("answer", "replies"), MALFORMED, ids=lambda x: getattr(x, "kind", ""))
def test_these_replies_try_and_fail(answer: Answer, replies: list[str]) -> None:
    said = {reply: answer.parse(reply) for reply in replies}
    assert {reply: parsed for reply, parsed in said.items() if parsed.status != "malformed"} == {}


@pytest.mark.parametrize("name", PLAIN)
def test_these_replies_say_nothing(name: str) -> None:
    said = {reply: PLAIN[name][0].parse(reply) for reply in EMPTY}
    assert {reply: parsed for reply, parsed in said.items() if parsed.status != "no_answer"} == {}


def test_the_battery_is_as_large_as_promised() -> None:
    right = sum(len(replies) for *_, replies in RIGHT)
    ambiguous = sum(len(replies) for _, replies in AMBIGUOUS)
    malformed = sum(len(replies) for _, replies in MALFORMED)
    assert min(len(WORDINGS), right, ambiguous, malformed, len(EMPTY)) >= 30
