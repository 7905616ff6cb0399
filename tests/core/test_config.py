"""Strict configurations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaestra.core.config import dump, load, parse
from palaestra.core.errors import ConfigError


class Colour(StrEnum):
    """A closed set of names."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Inner:
    """A table."""

    rate: float = 0.5
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """A run with every kind of field."""

    episodes: int = 10
    quiet: bool = False
    title: str = ""
    colour: Colour = Colour.RED
    scale: int | None = None
    inner: Inner = Inner()
    budget: Mapping[str, float] = field(default_factory=dict)
    knobs: Mapping[str, bool | int | float | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.episodes < 0:
            raise ValueError(f"episodes = {self.episodes}; it cannot be negative")


runs = st.builds(
    Run,
    st.integers(0, 2**53),
    st.booleans(),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.sampled_from(Colour),
    st.none() | st.integers(-5, 5),
    st.builds(
        Inner, st.floats(allow_nan=False), st.lists(st.text(st.characters(exclude_categories=["Cs"]))).map(tuple)
    ),
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.floats(allow_nan=False)),
)


@given(runs)
def test_what_is_dumped_is_parsed_back_to_an_equal_value(run: Run) -> None:
    assert parse(dump(run), Run) == run


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("episodes = 1\nepisode = 3", "line 2: unknown key 'episode'; did you mean 'episodes'?"),
        ("\n[inner]\nrates = 3.0", "line 3: unknown key 'rates'; did you mean 'rate'?"),
        ("inner.rates = 3.0", "line 1: unknown key 'rates'"),
        ("[iner]\nrate = 1.0", "line 1: unknown key 'iner'; did you mean 'inner'?"),
        ("episodes = 1.5", "line 1: episodes = 1.5; wanted a whole number"),
        ("episodes = true", "line 1: episodes = True; wanted a whole number"),
        ("quiet = 1", "line 1: quiet = 1; wanted true or false"),
        ("title = 1", "line 1: title = 1; wanted a text"),
        ("colour = 'green'", "wanted one of red, blue"),
        ("inner = 3", "wanted a table"),
        ("[inner]\nnames = 'a'", "line 2: names = 'a'; wanted a list"),
        ("budget = 1", "wanted a table"),
        ("[knobs]\nrows = [1]", "line 2: rows = [1]; wanted true or false, or a whole number, or a number, or a text"),
        ("episodes = ", "not valid TOML"),
        ("episodes = -1", "episodes = -1; it cannot be negative"),
    ],
)
def test_an_error_says_the_line_what_was_found_and_what_was_wanted(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse(text, Run)
    assert said in str(error.value)


def test_a_value_of_several_kinds_keeps_its_own() -> None:
    knobs = parse("[knobs]\na = 1\nb = 1.0\nc = true\nd = '1'", Run).knobs
    assert [(type(value), value) for value in knobs.values()] == [(int, 1), (float, 1.0), (bool, True), (str, "1")]


def test_settings_of_the_command_line_win_over_the_file() -> None:
    run = parse("episodes = 3\n[inner]\nrate = 0.1", Run, ["episodes=4", "inner.rate=1", "title=plain words"])
    assert (run.episodes, run.inner.rate, run.title) == (4, 1.0, "plain words")


@pytest.mark.parametrize("setting", ["episodes", "=3", "episodes.deep=1", "episode=3", ".=1"])
def test_a_setting_that_makes_no_sense_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError):
        parse("episodes = 3", Run, [setting])


def test_a_missing_or_binary_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nothing\.toml: cannot be read"):
        load(tmp_path / "nothing.toml", Run)
    (tmp_path / "noise.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match=r"noise\.toml"):
        load(tmp_path / "noise.toml", Run)
