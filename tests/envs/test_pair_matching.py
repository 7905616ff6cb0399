"""Pair matching: which ways to hand out jobs are right, and what the others are paid."""

from dataclasses import replace
from itertools import permutations, product

import pytest

from palaestra.envs.graph.pair_matching import Office
from palaestra.envs.graph.pair_matching import environment as env
from palaestra.envs.kit.graphs import Layout
from palaestra.envs.kit.parts import Asked

#   A - 1 - B    A can do 1 and 3, B 1 and 2, C only 3: so C takes 3, A 1 and B 2.
#   |       |
#   3 - C   2
LINES = ((0, 0), (0, 2), (1, 0), (1, 1), (2, 2))
CELLS = (0, 2, 4, 1, 5, 3)
LAYOUT = Layout(2, 3, CELLS, tuple((cell % 3 + 0.5, cell // 3 + 0.5) for cell in CELLS))
ASKED = Asked(Office(LAYOUT, LINES))


@pytest.mark.parametrize(
    ("said", "reward", "events"),
    [
        ((1, 2, 3), 1.0, ("constraint_kept",) * 3 + ("parts_all_ok",)),
        ((3, 1, 3), 1 / 6, ("symbol_repeated", "constraint_kept", "symbol_repeated", "parts_some_ok")),
        ((3, 1, 2), 1 / 3, ("constraint_kept", "constraint_kept", "step_disconnected", "parts_some_ok")),
        ((2, 3, 1), 0.0, ("step_disconnected",) * 3 + ("parts_none_ok",)),
    ],
)
def test_a_job_counts_where_a_line_leads_to_it_and_nobody_else_has_it(said, reward: float, events) -> None:
    step = env.step(ASKED, said)
    assert step.reward == pytest.approx(reward)
    assert (step.done, step.success, step.events) == (True, reward == 1.0, events)


def test_a_job_taken_without_a_line_is_still_no_job_for_another() -> None:
    assert env.step(ASKED, (1, 2, 1)).events == (
        "symbol_repeated", "constraint_kept", "step_disconnected", "parts_some_ok"
    )  # fmt: skip


def test_exactly_the_matchings_that_win_are_found() -> None:
    for state in (ASKED, *(env.reset(env.spec.instance(0, seed)) for seed in range(8))):
        people = state.question.people
        found = {tuple(int(line.split(": ")[1]) for line in reply.splitlines()) for (reply,) in env.solutions(state)}
        assert found == {said for said in product(range(1, people + 1), repeat=people) if env.step(state, said).success}
        assert found <= set(permutations(range(1, people + 1)))
        assert found


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_lines_join_people_with_jobs_side_by_side(scale: int) -> None:
    for seed in range(10):
        office = env.reset(env.spec.instance(scale, seed)).question
        assert office.people == env.spec.scales[scale]["people"]
        for person, job in office.lines:
            places = office.layout.places[person], office.layout.places[office.people + job]
            assert max(abs(a - b) for a, b in zip(*places, strict=True)) < 1.2


def test_the_caption_names_people_jobs_and_all_lines() -> None:
    caption = env.view(ASKED.question, 0).caption
    assert caption == "People A B C are blue. Jobs 1 2 3 are gold. Lines: A to 1 3; B to 1 2; C to 3."


def test_names_and_who_is_called_a_person_make_no_other_problem_and_a_line_does() -> None:
    order = (3, 4, 5, 0, 1, 2)
    cells, places = (tuple(of[node] for node in order) for of in (LAYOUT.cells, LAYOUT.places))
    turned = Office(Layout(2, 3, cells, places), tuple(sorted((job, person) for person, job in LINES)))
    assert env.problem(Asked(turned)) == env.problem(ASKED)
    assert env.problem(Asked(replace(ASKED.question, lines=(*LINES, (2, 0))))) != env.problem(ASKED)
