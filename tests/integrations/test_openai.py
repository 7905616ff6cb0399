"""A chat over the wire: what is asked, what is kept, and every fault that a server can think of."""

import time
from dataclasses import replace
from email.utils import formatdate

import numpy as np
import pytest
from loopback import breaks_off, endless, half_a_json, hangs, hangs_up, other_shape, says, serving, status

from palaestra.core.errors import ConfigError, EndpointFailed
from palaestra.core.observation import Picture
from palaestra.core.policy import Completion, Message
from palaestra.integrations.openai import Endpoint, EndpointConfig, Player

ASKED = (Message("user", "Which way?"),)
QUICK = {"largest": 100_000, "timeout": 1.0, "retries": 1, "backoff": 0.01}


def plan(url, **change):
    return EndpointConfig(url, "tiny", **{**QUICK, **change})


def test_a_conversation_goes_out_as_the_protocol_has_it_and_its_answer_comes_back(monkeypatch):
    monkeypatch.setenv("MY_KEY", "secret")
    black = Picture(np.zeros((2, 3, 3), np.uint8))
    talk = (Message("system", "Be brief."), Message("user", "One."), Message("user", "Two.", black))
    with serving(then=says("left")) as (url, asked):
        found = Endpoint(plan(url, key="MY_KEY"))(talk, {"type": "object"})
    assert found == Completion("left")
    (body,) = asked
    assert (body["path"], body["key"], body["model"]) == ("/v1/chat/completions", "Bearer secret", "tiny")
    assert (body["max_tokens"], body["temperature"]) == (1024, 0)
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert [part["type"] for part in body["messages"][1]["content"]] == ["text", "text", "image_url"]
    assert body["messages"][1]["content"][2]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}


def test_a_server_without_schemas_is_sent_none_and_the_body_is_the_users():
    with serving(then=says("left")) as (url, asked):
        Endpoint(plan(url, structured=False, body={"max_completion_tokens": 9}))(ASKED, {"type": "object"})
    assert asked[0]["max_completion_tokens"] == 9
    assert not {"response_format", "max_tokens", "temperature"} & asked[0].keys()


FAULTS = [
    ("timeout", hangs),
    ("http 429", status(429)),
    ("http 500", status(500)),
    ("no JSON", half_a_json),
    ("no JSON", breaks_off),
    ("unreachable", hangs_up),
    ("too long", endless(0)),
    ("wrong shape", other_shape),
]


@pytest.mark.parametrize(("kind", "fault"), FAULTS)
def test_after_any_fault_the_server_is_asked_again_and_the_fault_is_counted(kind, fault):
    with serving(fault, then=says("left")) as (url, asked):
        endpoint = Endpoint(plan(url))
        assert endpoint(ASKED) == Completion("left")
    assert len(asked) == endpoint.cost.requests == 2
    assert endpoint.cost.faults == {kind: 1}
    assert (endpoint.cost.prompt_tokens, endpoint.cost.completion_tokens) == (7, 3)


@pytest.mark.parametrize(("kind", "fault"), FAULTS)
def test_a_fault_that_stays_ends_one_completion_with_its_name_and_nothing_else(kind, fault):
    with serving(then=fault) as (url, _):
        endpoint = Endpoint(plan(url))
        found = endpoint(ASKED)
    assert found.text == ""
    assert found.error.startswith(f"tiny: {kind}")
    assert endpoint.cost.faults == {kind: 2}


def test_whitespace_that_trickles_in_forever_is_cut_off_in_time():
    with serving(then=endless(0.05)) as (url, _):
        started = time.monotonic()
        found = Endpoint(plan(url, retries=0))(ASKED)
    assert found.error.startswith("tiny: timeout")
    assert time.monotonic() - started < 5


def test_a_text_that_ran_out_of_tokens_says_so_and_one_that_is_missing_is_empty():
    with serving(says(" " * 99, "length"), then=says(None)) as (url, _):
        endpoint = Endpoint(plan(url))
        assert endpoint(ASKED) == Completion(" " * 99, truncated=True)
        assert endpoint(ASKED) == Completion("")


def test_a_request_that_is_refused_is_not_repeated_and_the_others_go_on():
    with serving(status(400), then=says("left")) as (url, asked):
        endpoint = Endpoint(plan(url))
        assert endpoint(ASKED).error == 'tiny: http 400: {"error": "no"}'
        assert endpoint(ASKED) == Completion("left")
    assert len(asked) == 2


@pytest.mark.parametrize("act", [status(401), status(404), status(307, Location="http://127.0.0.1:9/")])
def test_a_server_that_refuses_everybody_stops_the_run_at_once(act):
    with serving(then=act) as (url, asked):
        with pytest.raises(EndpointFailed, match="check the url, the model, and the key in the environment variable"):
            Endpoint(plan(url))(ASKED)
        assert len(asked) == 1


def test_a_server_that_is_down_stops_the_run_after_a_few_requests():
    with serving(then=says("left")) as (url, _):
        pass
    endpoint = Endpoint(plan(url, at_once=1, retries=0))
    for _ in range(4):
        assert endpoint(ASKED).error.startswith("tiny: unreachable")
    with pytest.raises(EndpointFailed, match="failed 5 requests in a row, each 1 times"):
        endpoint(ASKED)


@pytest.mark.parametrize("after", ["0.4", formatdate(time.time() + 3600, usegmt=True)])
def test_what_a_busy_server_asks_for_is_waited_for_but_not_longer_than_patience(after):
    with serving(status(429, Retry_After=after), then=says("left")) as (url, _):
        started = time.monotonic()
        assert Endpoint(plan(url, patience=0.4))(ASKED).text == "left"
        assert 0.4 <= time.monotonic() - started < 5


def test_a_busy_server_is_left_alone_by_every_thread():
    with serving(status(429, Retry_After="0.4"), then=says("left")) as (url, _):
        endpoint = Endpoint(plan(url))
        endpoint_started = time.monotonic()
        assert endpoint(ASKED).text == "left"
        assert endpoint((Message("user", "And now?"),)).text == "left"
        assert time.monotonic() - endpoint_started >= 0.4


def test_the_rate_limit_spaces_requests():
    with serving(then=says("left")) as (url, _):
        started = time.monotonic()
        endpoint = Endpoint(plan(url, per_minute=600, at_once=4))
        endpoint.each(lambda n: endpoint((Message("user", str(n)),)), range(4))
        assert time.monotonic() - started >= 0.3


def test_what_was_answered_is_never_asked_again_and_its_tokens_are_still_told(tmp_path):
    with serving(then=says("left")) as (url, asked):
        first = Endpoint(plan(url), tmp_path)
        assert first.each(first, [ASKED] * 6) == [Completion("left")] * 6
        again = Endpoint(plan(url), tmp_path)
        assert again(ASKED) == Completion("left")
    assert len(asked) == 1
    assert (first.cost.requests, first.cost.cached) == (1, 5)
    assert again.cost.json() == {
        "requests": 0, "cached": 1, "prompt_tokens": 7, "completion_tokens": 3, "faults": {},
    }  # fmt: skip


def test_a_fault_is_not_kept_and_a_damaged_answer_is_asked_anew(tmp_path):
    with serving(status(400), then=says("left")) as (url, asked):
        assert Endpoint(plan(url), tmp_path)(ASKED).error
        assert Endpoint(plan(url), tmp_path)(ASKED).text == "left"
        (kept,) = tmp_path.rglob("*.json")
        for damage in (b"", b'{"text": 3}', b'{"text": "x", "truncated": 1, "prompt_tokens": 0}', b"[" * 10**5):
            kept.write_bytes(damage)
            assert Endpoint(plan(url), tmp_path)(ASKED).text == "left"
    assert len(asked) == 6


def test_a_policy_keeps_the_order_sends_the_seeds_and_loses_only_what_failed():
    def act(handler, body):
        word = body["messages"][-1]["content"]
        (status(400) if word == "2" else says(f"{word}:{body['seed']}"))(handler, body)

    with serving(then=act) as (url, _):
        talks = [(Message("user", str(n)),) for n in range(5)]
        found = Player(Endpoint(plan(url)))(talks, [2**31 + n for n in range(5)])
    assert [said.text for said in found] == ["0:0", "1:1", "", "3:3", "4:4"]
    assert [bool(said.error) for said in found] == [False, False, True, False, False]


def test_the_key_is_in_no_message_and_in_no_file(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret")
    with serving(says("left"), then=status(401)) as (url, asked):
        endpoint = Endpoint(plan(url), tmp_path)
        endpoint(ASKED)
        with pytest.raises(EndpointFailed) as raised:
            endpoint((Message("user", "And now?"),))
    assert asked[0]["key"] == "Bearer very-secret"
    assert "very-secret" not in str(raised.value) + "".join(path.read_text() for path in tmp_path.rglob("*.json"))


@pytest.mark.parametrize("key", ["very-se\ncret", "very-se\N{SNOWMAN}cret"])
def test_a_key_that_cannot_be_sent_is_a_fault_whose_text_does_not_hold_it(monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with serving(then=says("left")) as (url, asked):
        found = Endpoint(plan(url))(ASKED)
    assert found.error.startswith("tiny: unreachable")
    assert (asked, "very-se" in found.error) == ([], False)


def test_spaces_around_the_key_are_no_part_of_it(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret\r\n")
    with serving(then=says("left")) as (url, asked):
        Endpoint(plan(url))(ASKED)
    assert asked[0]["key"] == "Bearer very-secret"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"url": "localhost:8000"}, "write it out"),
        ({"model": ""}, "no model is named"),
        ({"timeout": 0.0}, "all are above 0"),
        ({"retries": 21}, "20 at most"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(change, said):
    with pytest.raises(ConfigError, match=said):
        replace(EndpointConfig("http://localhost/v1", "tiny"), **change)
