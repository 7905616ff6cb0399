"""File tree: what is in sight, which files are asked for, and when opening them wins."""

from dataclasses import replace

import pytest

from palaestra.core.answer import Point
from palaestra.envs.gui.file_tree import Disk, Node, Question, _layout
from palaestra.envs.gui.file_tree import environment as env

NODES = (
    Node("Work", 1),
    Node("Plans", 2),
    Node("Map", 3, "png", 500, 2001),
    Node("List", 2, "txt", 90, 2010),
    Node("Home", 1),
    Node("Photo", 2, "png", 300, 2020),
    Node("Note", 1, "txt", 40, 1999),
)
DISK = Disk(NODES, Question("", "png", "size", most=True), 9)


def place(disk: Disk, name: str) -> tuple[float, float]:
    (widget,) = [widget for widget in _layout(env.public(disk))[1:] if widget.text.partition(" | ")[0] == name]
    found = Point().parse(widget.centre).value
    assert isinstance(found, tuple)
    return found


def click(disk: Disk, *names: str) -> Disk:
    for name in names:
        disk = env.step(disk, place(disk, name)).state
    return disk


def shown(disk: Disk) -> list[str]:
    return [node.name for node in env.public(disk).shown]


def test_a_folder_shows_what_it_holds_while_it_is_open() -> None:
    assert shown(DISK) == ["Work", "Home", "Note"]
    opened = click(DISK, "Work")
    assert shown(opened) == ["Work", "Plans", "List", "Home", "Note"]
    assert shown(click(opened, "Plans", "Work")) == ["Work", "Home", "Note"]
    assert env.step(DISK, place(DISK, "Work")).events == ("way_opened",)
    assert env.step(opened, place(opened, "Work")).events == ("control_wrong",)


def test_closing_a_folder_unselects_what_is_in_it() -> None:
    chosen = click(DISK, "Home", "Photo.png", "Note.txt")
    assert chosen.selected == {5, 6}
    assert click(chosen, "Home").selected == {6}


@pytest.mark.parametrize(
    ("question", "names", "words"),
    [
        (Question("List", "txt"), ["List"], "the file List.txt"),
        (Question("", "png", "size", most=True), ["Map"], "the largest png file"),
        (Question("", "png", "year", most=True), ["Photo"], "the newest png file"),
        (Question("", "txt", "year"), ["Note"], "the oldest txt file"),
        (Question("", "txt"), ["List", "Note"], "all txt files"),
    ],
)
def test_files_are_asked_for_by_name_by_an_extreme_or_by_type(question: Question, names: list[str], words: str) -> None:
    assert [NODES[k].name for k in question.wanted(NODES)] == names
    assert words in env.view(env.public(replace(DISK, question=question)), 0).task


def test_events_tell_right_files_lookalikes_and_others() -> None:
    disk = click(DISK, "Work", "Plans", "Home")
    for name, event, undone in (
        ("Map.png", "target_located", "subgoal_undone"),
        ("Photo.png", "lookalike_taken", "move_undone"),
        ("List.txt", "target_missed", "move_undone"),
    ):
        step = env.step(disk, place(disk, name))
        assert step.events == (event,)
        assert env.step(step.state, place(disk, name)).events == (undone,)
    assert env.step(disk, (500.0, 5.0)).events == ("click_missed",)


def test_open_wins_with_exactly_the_files_asked_for() -> None:
    ready = click(DISK, "Work", "Plans", "Map.png")
    won = env.step(ready, place(ready, "Open"))
    assert (won.reward, won.success, won.events) == (1.0, True, ("committed_ready", "task_completed"))
    assert env.solve(won.state) == ()
    more = click(ready, "Note.txt")
    lost = env.step(more, place(more, "Open"))
    assert (lost.done, lost.success, lost.events) == (True, False, ("committed_early",))
    assert env.solve(lost.state) is None


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_who_opens_every_folder_always_finds_the_files(scale: int) -> None:
    for seed in range(40):
        disk = env.reset(env.spec.instance(scale, seed))
        turns = 0
        while (reply := env.guide(env.public(disk))) is not None:
            found = Point().parse(reply).value
            assert isinstance(found, tuple)
            disk = env.step(disk, found).state
            turns += 1
        assert env.solve(disk) == ()
        assert turns <= env.horizon(disk)


def test_no_folder_is_empty_and_every_file_is_asked_for_out_of_sight() -> None:
    for seed in range(40):
        disk = env.reset(env.spec.instance(4, seed))
        for node, after in zip(disk.nodes, (*disk.nodes[1:], Node("end", 0)), strict=True):
            assert node.type or after.depth == node.depth + 1
        assert set(disk.question.wanted(disk.nodes)).isdisjoint(disk.shown())


def test_files_out_of_sight_may_change_places_unseen() -> None:
    disk = click(DISK, "Home")
    others = [env.reseal(disk, seed) for seed in range(10)]
    assert len({other.nodes for other in others}) == 2
    assert {env.public(other) for other in others} == {env.public(disk)}


def test_the_order_of_nodes_makes_no_other_problem() -> None:
    turned = replace(DISK, nodes=(*NODES[6:], *NODES[4:6], NODES[0], NODES[3], *NODES[1:3]))
    assert env.problem(turned) == env.problem(DISK)
    moved = replace(DISK, nodes=(*NODES[:3], *NODES[4:5], NODES[3], *NODES[5:]))
    assert env.problem(moved) != env.problem(DISK)


def test_no_way_of_clicking_without_looking_wins_often() -> None:
    starts = [env.reset(env.spec.instance(0, seed)) for seed in range(60)]
    plans = [env.solve(start) or () for start in starts[:20]]
    for plan in plans:
        wins = 0
        for start in starts[20:]:
            state, done = start, False
            for reply in plan:
                where = Point().parse(reply).value
                assert isinstance(where, tuple)
                if not done:
                    step = env.step(state, where)
                    state, done = step.state, step.done
                    wins += step.success
        assert wins <= 10
