"""The documents tell the truth: links lead somewhere, words are defined, commands exist, pins fit."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
WORDS = """
    environment, instance, scale, knob, view, observation, channel, harness, rung, reply, action, turn,
    episode, trajectory, group, ticket, rollout, policy, ability, profile, sketch, coverage, redundancy,
    conflict, gain, selection, distribution, cell, curriculum, frontier, window, engineer, evidence,
    proposal, checkpoint, split, oracle, guide, reward, return, success rate, relative gain
"""


def dead_links(page: Path) -> list[str]:
    """The relative links of a page that lead nowhere, anchors within pages included."""
    text = re.sub(r"```.*?```|`[^`\n]+`", "", page.read_text("utf-8"), flags=re.DOTALL)
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)
    return dead


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def verbs(text: str) -> set[str]:
    """The verbs of `palaestra <verb>` in code spans, code blocks and recipes."""
    code = re.findall(r"```.*?```|`[^`\n]+`|^\t.*$", text, flags=re.DOTALL | re.MULTILINE)
    return {verb for part in code for verb in re.findall(r"\bpalaestra ([a-z]+)\b", part)}


def registered() -> set[str]:
    import typer

    from palaestra.cli import app

    return set(typer.main.get_group(app).commands)


def test_there_are_pages_to_read() -> None:
    assert {"README.md", "CONTRIBUTING.md", "concepts.md", "lab.md"} <= {page.name for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert dead_links(page) == []


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text("# One\n[x](b.md) [y](#one) [z](#two) [w](https://a.org) `[v](c)`\n```\n[u](d)\n```")
    assert dead_links(page) == ["b.md", "#two"]


@pytest.mark.parametrize("word", [word.strip() for word in WORDS.replace("\n", " ").split(",")])
def test_every_word_of_the_house_is_defined(word: str) -> None:
    text = (ROOT / "docs" / "concepts.md").read_text("utf-8")
    assert re.search(rf"^- \*\*{word}\*\*.*: \w", text, flags=re.MULTILINE)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "Makefile"])
def test_every_command_that_a_document_names_exists(name: str) -> None:
    named = verbs((ROOT / name).read_text("utf-8").replace("$(BIN)/palaestra", "palaestra"))
    assert named
    assert named - registered() == set()


def test_the_readme_shows_every_verb_and_both_commands() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert registered() <= verbs(text)
    assert {"make demo", "make test"} <= set(re.findall(r"make \w+", text))


def test_the_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), flags=re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.strip()


def test_every_module_path_in_a_document_exists() -> None:
    missing = [
        (page.name, path)
        for page in PAGES
        for path in re.findall(r"`((?:src|tests|docs)/[\w/.]+)`", page.read_text("utf-8"))
        if not (ROOT / path).exists()
    ]
    assert missing == []


def test_every_declared_dependency_is_pinned_within_its_range() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    pins = dict(re.split("==", line.split("#")[0].strip()) for line in lines if "==" in line.split("#")[0])
    pinned = {canonicalize_name(name): version for name, version in pins.items()}
    needed = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    for requirement in map(Requirement, needed):
        assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)]), requirement
