"""Table lookup: what each question asks, what a wrong answer is called, and that the table is drawn row by row."""

from dataclasses import replace

import pytest

from palaestra.envs.charts.table_lookup import Question, Table
from palaestra.envs.charts.table_lookup import environment as env
from palaestra.envs.kit.parts import Asked

TABLE = Table(
    names=("Ada", "Ben", "Eva", "Kim"),
    cities=("Rome", "Oslo", "Rome", "Oslo"),
    values=((31, 70), (90, 20), (45, 15), (12, 60)),
    asked=(
        Question("largest", 0, "Rome"),
        Question("sum", cells=((1, 0), (3, 1))),
        Question("count", city="Oslo", over=(1, 55)),
        Question("smallest", 0, over=(0, 25)),
        Question("total", 1, "Rome"),
    ),
)
ASKED = Asked(TABLE)
RIGHT = ("Eva", 150, 1, "Ada", 85)


def test_every_answer_right_wins() -> None:
    step = env.step(ASKED, RIGHT)
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("largest_found", "sum_ok", "count_ok", "largest_found", "sum_ok", "parts_all_ok")


@pytest.mark.parametrize(
    ("part", "said", "events"),
    [
        (0, "Ben", {"largest_missed", "lookalike_taken"}),
        (0, "Ada", {"largest_missed"}),
        (1, 149, {"sum_off"}),
        (2, 0, {"count_under", "count_off_by_one"}),
        (2, 3, {"count_over"}),
        (3, "Kim", {"largest_missed", "lookalike_taken"}),
        (4, 84, {"sum_off"}),
    ],
)
def test_one_wrong_answer_is_named_and_leaves_less_than_half(part: int, said: int | str, events: set[str]) -> None:
    step = env.step(ASKED, (*RIGHT[:part], said, *RIGHT[part + 1 :]))
    assert set(step.events) - {"largest_found", "sum_ok", "count_ok", "parts_some_ok"} == events
    assert (step.reward, step.success) == (0.4, False)


def test_questions_are_put_in_words() -> None:
    assert [TABLE.words(question) for question in TABLE.asked] == [
        "who from Rome has the largest Age",
        "Age of Ben plus Fee of Kim",
        "how many are from Oslo with Fee over 55",
        "who with Age over 25 has the smallest Age",
        "Fee of all from Rome, added up",
    ]


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_ignoring_the_condition_is_never_right(scale: int) -> None:
    for seed in range(20):
        table = env.reset(env.spec.instance(scale, seed)).question
        for question in table.asked:
            bare = question._replace(city="", over=None)
            assert question.kind == "sum" or table.truth(question) != table.truth(bare)


def test_the_table_is_drawn_row_by_row_as_the_caption_says() -> None:
    view = env.view(TABLE, 448)
    rows: dict[int, list[tuple[int, str]]] = {}
    for element in view.scene:
        rows.setdefault((element.box[1] + element.box[3]) // 2 // 49, []).append((element.box[0], element.name))
    assert "\n".join(" ".join(word for _, word in sorted(rows[k])) for k in sorted(rows)) == view.caption


def test_names_and_the_order_of_rows_and_columns_make_no_other_problem() -> None:
    other = Table(
        names=("Zoe", "Tom", "Sam", "Max"),
        cities=("Lima", "Bonn", "Lima", "Bonn"),
        values=tuple(values[::-1] for values in TABLE.values[::-1]),
        asked=(
            Question("largest", 1, "Bonn"),
            Question("sum", column=1, cells=((0, 0), (2, 1))),
            Question("count", column=1, city="Lima", over=(0, 55)),
            Question("smallest", 1, over=(1, 25)),
            Question("total", 0, "Bonn"),
        ),
    )
    assert env.problem(Asked(other)) == env.problem(ASKED)
    assert env.problem(Asked(replace(TABLE, asked=TABLE.asked[:4]))) != env.problem(ASKED)
