"""`palaestra mapf`: policies, replies and other people's rows, on the fixed boards."""

import json
from pathlib import Path

import pytest

from palaestra.core.errors import PolicyFailed
from palaestra.core.observation import SYMBOLIC
from palaestra.core.policy import Completion
from palaestra.envs.planning._mapf import making, sets
from palaestra.envs.planning._mapf.lake import Lake
from palaestra.pipeline import mapf as stage
from palaestra.rollout.policies import Guide, Oracle

ROW = """You are an expert in multi-agent path planning. The map is 3x3 with 2 agents.
S F g
F H F
s F G
Legend: S s A B C are starts, G g a b c are goals, F is free, H is a hole.
Agent 0: start (0, 0), goal (2, 2)
Agent 1: start (2, 0), goal (0, 2)
"""


def test_there_are_3150_boards_in_three_sets_of_fifty_a_cell_all_of_them_different_problems() -> None:
    boards = sets.boards()
    assert len(boards) == 3150
    assert len({making.problem(board.lake) for board in boards}) == 3150
    cells = {(board.place.wait, board.place.agents, board.place.size) for board in boards}
    assert len(cells) == 3 * 21
    assert {board.place.holes for board in boards} == {0.1, 0.2, 0.3, 0.4, 0.5}
    for wait, share in ((0.25, 12), (0.5, 25), (0.75, 37)):
        assert sum(place.waits for place in sets.places() if place[:3] == (wait, 3, 3)) == share
    for board in boards[::50]:
        assert len(board.lake.starts) == board.place.agents
        assert board.lake.cells.count(1) == making.holes_of(board.place.size, board.place.agents, board.place.holes)


def test_no_generator_gives_a_fixed_board_out(monkeypatch: pytest.MonkeyPatch) -> None:
    wish = making.Wish(3, 3, 1)
    taken = [board.lake for board in sets.boards() if (board.place.agents, board.place.size) == (3, 3)]
    assert {making.problem(lake) for lake in taken} == sets.reserved(3, 3)
    assert sets.reserved(2, 3) == frozenset()
    assert wish.suits(taken[0])
    from palaestra.core.instance import knobs
    from palaestra.envs.planning.mapf_frozen_lake import environment as env

    states = (env.reset(env.spec.instance(0, seed, knobs=knobs({"agents": 3, "size": 3}))) for seed in range(60))
    assert not {env.problem(state) for state in states} & sets.reserved(3, 3)


def test_the_oracle_is_valid_everywhere_and_a_guesser_nearly_nowhere(palaestra) -> None:
    words = ["mapf", "--limit", 42, "--json"]
    found = json.loads(palaestra(*words, "--policy", "oracle").stdout)
    assert found["all"]["valid"]["value"] == 1.0
    assert found["all"]["valid"]["n"] == 42
    assert set(found["waits"]) == {"0.25", "0.5", "0.75"}
    assert {"valid", "optimal", "optimal_given_valid", "failures"} <= found["sizes"]["10"].keys()
    assert set(found["agents"]) == {"3", "4", "5"}
    guessed = json.loads(palaestra(*words, "--policy", "random", "--verdicts").stdout)
    assert guessed["all"]["valid"]["value"] < 0.1
    first = guessed["verdicts"][0]["failure"]
    assert first["kind"] in guessed["all"]["failures"]
    assert first["time"] >= 1
    assert len(first["cell"]) == 2


def test_prompts_go_out_and_replies_come_back_in_any_order_with_some_missing(palaestra, tmp_path: Path) -> None:
    prompts, replies = tmp_path / "prompts.jsonl", tmp_path / "replies.jsonl"
    few = ["mapf", "--agents", 3, "--size", 3, "--wait", 0.25, "--limit", 4]
    palaestra(*few, "--prompts", prompts)
    asked = [json.loads(line) for line in prompts.read_text().splitlines()]
    assert len(asked) == 4
    assert "red walker" in asked[0]["prompt"]
    boards = {board.name: board for board in stage.fixed(0.25, 3, 3)}
    by_oracle = stage.played([boards[row["id"]] for row in asked], Oracle(), SYMBOLIC)
    answers = [{"id": asked[2]["id"], "reply": by_oracle[asked[2]["id"]]}, {"id": asked[0]["id"], "reply": "no idea"}]
    replies.write_text("".join(f"{json.dumps(row)}\n" for row in answers))
    done = palaestra(*few, "--replies", replies, "--json")
    found = json.loads(done.stdout)
    assert found["all"]["valid"] == pytest.approx({"value": 0.5, "low": 0.0945, "high": 0.9055, "n": 2}, abs=1e-3)
    assert found["all"]["failures"] == {"parse": 1}
    assert "2 of 4 boards have no reply" in done.stderr
    assert "valid" in palaestra(*few, "--replies", replies).stdout


def test_a_board_whose_server_or_oracle_failed_is_missing_and_not_failed() -> None:
    boards = stage.fixed(0.25, 3, 3)[:2]

    def half_down(conversations, seeds):
        return [Completion("up", error="m: http 503"), Completion("up")]

    assert list(stage.played(boards, half_down, SYMBOLIC)) == [boards[1].name]
    stuck = stage.Board("stuck", Lake(3, bytes([0, 1, 0, 1, 1, 1, 0, 1, 0]), (0, 2), (6, 8)))
    assert list(stage.played([stuck, *boards], Oracle(), SYMBOLIC)) == [board.name for board in boards]
    with pytest.raises(PolicyFailed, match="guide"):
        stage.played(boards, Guide(), SYMBOLIC)


def test_rows_whose_names_are_alike_are_boards_of_their_own(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    row = json.dumps({"config": "2ag_3x3_hr0.1", "prompt": ROW + "\u2028"}, ensure_ascii=False)
    rows.write_text(f"{row}\n{row}\n")
    assert [board.name for board in stage.listed(rows)] == ["2ag_3x3_hr0.1, row 1", "2ag_3x3_hr0.1, row 2"]


def test_rows_of_the_published_benchmark_are_read_by_their_letters(palaestra, tmp_path: Path) -> None:
    rows = tmp_path / "rows.json"
    rows.write_text(json.dumps([{"sample": "2ag_3x3_hr0.1_000", "prompt": [{"role": "user", "content": ROW}]}]))
    (board,) = stage.listed(rows)
    assert board.name == "2ag_3x3_hr0.1_000"
    assert (board.lake.starts, board.lake.goals, board.lake.cells.count(1)) == ((0, 6), (8, 2), 1)
    found = json.loads(palaestra("mapf", "--rows", rows, "--policy", "oracle", "--json").stdout)
    assert found["sizes"]["3"]["valid"]["value"] == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no row"),
        ("[]", "holds no row"),
        ("{", "cannot be read"),
        ('{"prompt": "S F"}', "found no square"),
        (json.dumps({"prompt": ROW.replace("(2, 2)", "(1, 2)")}), "one of them is wrong"),
    ],
)
def test_damaged_rows_are_refused_in_one_line(palaestra, tmp_path: Path, text: str, words: str) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(text)
    done = palaestra("mapf", "--rows", rows, "--policy", "random")
    assert done.exit_code == 2
    assert words in done.stderr


def test_unknown_boards_double_replies_and_missing_players_are_refused(palaestra, tmp_path: Path) -> None:
    name = next(sets.places()).name
    file = tmp_path / "replies.jsonl"
    for rows, words in (
        ([{"id": "x", "reply": ""}], "is no board here"),
        ([{"id": name, "reply": ""}] * 2, "twice"),
        ([{"id": name}], "write"),
    ):
        file.write_text("\n".join(map(json.dumps, rows)))
        assert words in palaestra("mapf", "--replies", file).stderr
    assert "give one" in palaestra("mapf").stderr
    assert palaestra("mapf", "--policy", "random", "--size", 11).exit_code == 2
