"""`palaestra show`."""

import json

import pytest

from palaestra.core.answer import from_json
from palaestra.core.observation import HARNESSES, Picture

KEYS = ["key", "task", "rules", "hint", "state", "caption", "answer", "image"]
LAKE = ("show", "grid/frozen_lake", "--scale", 2, "--seed", 7)


@pytest.mark.parametrize("rung", HARNESSES)
def test_json_withholds_exactly_what_the_rung_withdraws(palaestra, rung):
    shown = json.loads(palaestra(*LAKE, "--rung", rung, "--json").stdout)
    assert list(shown) == KEYS
    assert shown["key"] == "grid/frozen_lake.v1@2#7:train"
    assert {channel for channel in KEYS[1:] if shown[channel] is not None} - {"answer"} == HARNESSES[rung].channels
    assert from_json(shown["answer"]).options == ("up", "right", "down", "left")


def test_the_same_bytes_come_under_every_hash_seed(started):
    words = [*LAKE, "--rung", "H0", "--json"]
    runs = [started(*words, variables={"PYTHONHASHSEED": seed}) for seed in ("0", "1")]
    first, second = [run.communicate(timeout=60)[0] for run in runs]
    assert first == second
    assert json.loads(first)["image"]["sha256"]


def test_a_picture_is_written_and_is_the_one_that_json_names(palaestra, tmp_path):
    result = palaestra(*LAKE, "--png", tmp_path / "lake.png", "--json")
    picture = Picture.from_png((tmp_path / "lake.png").read_bytes())
    assert json.loads(result.stdout)["image"] == {
        "width": picture.width,
        "height": picture.height,
        "sha256": picture.sha256,
    }


def test_a_knob_wins_over_the_scale(palaestra):
    shown = json.loads(palaestra(*LAKE, "--knob", "rows=3", "--knob", "columns=4", "--json").stdout)
    assert len(shown["caption"].splitlines()) == 1 + 3
    assert "+" in shown["key"]


def test_without_pixels_there_is_no_picture(palaestra):
    assert json.loads(palaestra(*LAKE, "--pixels", 0, "--json").stdout)["image"] is None


def test_panels_show_each_channel_and_a_digest_where_there_are_no_colours(palaestra):
    result = palaestra(*LAKE, "--rung", "H3")
    assert all(word in result.stdout for word in ("task", "rules", "answer", "sha256"))
    assert "hint" not in result.stdout


def test_a_terminal_with_colours_gets_the_picture_itself(started):
    variables = {"FORCE_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm-256color"}
    out, _ = started(*LAKE, variables=variables).communicate(timeout=60)
    assert out.count("▀") == 64 * 32


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"PYTHONIOENCODING": "ascii"}])
def test_plain_terminals_get_plain_text(started, variables):
    run = started(*LAKE, variables=variables)
    out, err = run.communicate(timeout=60)
    assert (run.returncode, err) == (0, "")
    assert "\x1b[3" not in out
    assert "sha256" in out
