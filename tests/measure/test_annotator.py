"""A chat as a labeler: what it is shown, what of its answers holds, and what becomes of the others."""

import json

import numpy as np
import pytest
from played import MOVES, trajectory

from palaestra.core.observation import Observation, Picture
from palaestra.core.policy import Completion
from palaestra.measure.annotator import MOST, Annotator
from palaestra.measure.dictionary import Dictionary
from palaestra.measure.vocabulary import ABILITY

KNOWN = Dictionary({"count_things": ("count_objects",), "navigate_to_goal": ()})
PLAYED = trajectory("moved_closer", "count_ok", "bell_rung")


def answer(*names: object) -> str:
    return json.dumps({"abilities": names})


GOOD = answer("navigate_to_goal", "count_things")


class Script:
    """A chat that says what it is told to, and keeps what it was asked."""

    def __init__(self, *says: str | Completion) -> None:
        self.says, self.asked = list(says), []

    def __call__(self, messages, schema=None):
        self.asked.append((messages, schema))
        said = self.says.pop(0)
        return said if isinstance(said, Completion) else Completion(said)


def test_an_answer_becomes_abilities_by_their_own_names_with_runs_as_one_segment() -> None:
    chat = Script(answer("Navigate to goal", "count_objects", "count_things"))
    labeler = Annotator(chat, KNOWN)
    assert labeler(PLAYED) == ("navigate_to_goal", "count_things")
    assert labeler.counts == {"sound": 1}


@pytest.mark.parametrize("wrap", ["```json\n{}\n```", "<think>Hm.</think> {}", "Sure: {} "])
def test_words_around_the_json_do_no_harm(wrap: str) -> None:
    assert len(Annotator(Script(wrap.replace("{}", GOOD)), KNOWN)(PLAYED)) == 2


def test_it_is_shown_texts_replies_and_pictures_and_never_an_event() -> None:
    black = Picture(np.zeros((2, 3, 3), np.uint8))
    chat = Script(GOOD)
    Annotator(chat, KNOWN, shown=lambda _: [Observation(black, f"Sight {n}", MOVES) for n in range(3)])(PLAYED)
    ((talk, schema),) = chat.asked
    said = "\n".join(message.text for message in talk)
    assert [message.image for message in talk] == [None, black, black, black, None]
    assert "Sight 2\nIt replied:\nleft" in said
    assert not any(event in said for event in ("moved_closer", "count_ok", "bell_rung"))
    assert schema["properties"]["abilities"]["items"]["enum"] == [*KNOWN.abilities]


WRONG = {
    "it is no JSON object": ["", " " * 999, '{"abilities": [', "[" * 10**5, "{" * 10**5, "null", '{"parts": []}'],
    "is a list of 1 to 10": ['{"abilities": []}', '{"abilities": {}}', answer(*["count_things"] * 11)],
    "a name is a text": [answer(3), answer("count_things", {"name": "count_things"})],
    "is none of the abilities that were listed": [answer("ring_bell")],
    "cut off": [Completion(GOOD, truncated=True)],
}


@pytest.mark.parametrize(("said", "wrong"), [(said, wrong) for said, all_ in WRONG.items() for wrong in all_])
def test_an_answer_that_does_not_hold_is_sent_back_once_with_what_is_wrong(said: str, wrong: str) -> None:
    chat = Script(wrong, GOOD)
    labeler = Annotator(chat, KNOWN)
    assert labeler(PLAYED) == ("navigate_to_goal", "count_things")
    assert said in chat.asked[1][0][-1].text
    assert labeler.counts == {"repaired": 1}


@pytest.mark.parametrize("says", [["{}", "{}"], [Completion("", error="http 500")], ["{}", Completion("", error="x")]])
def test_what_does_not_hold_twice_or_fails_falls_back_on_the_events_within_the_dictionary(says: list) -> None:
    labeler = Annotator(Script(*says), KNOWN)
    assert labeler(PLAYED) == ("navigate_to_goal", "count_things")  # and no bell
    assert labeler.counts == {"fallback": 1}


def test_an_open_labeler_takes_new_names_but_nothing_that_is_no_name() -> None:
    chat = Script(answer("zyx"), answer("Ring the bell", "count_objects"))
    labeler = Annotator(chat, KNOWN, closed=False)
    assert labeler(PLAYED) == ("ring_bell", "count_things")
    assert "'zyx' is not verb_object" in chat.asked[1][0][-1].text
    assert "enum" not in json.dumps(chat.asked[0][1])


@pytest.mark.parametrize("closed", [True, False])
def test_a_name_that_is_offered_holds_whatever_its_number_of_words(closed: bool) -> None:
    long = "ring_the_old_bell_in_a_high_tower"
    labeler = Annotator(Script(answer("aim", "Ring")), Dictionary({"aim": (), long: ("ring",)}), closed=closed)
    assert labeler(PLAYED) == ("aim", long)
    assert labeler.counts == {"sound": 1}


def test_a_labeler_that_coins_is_offered_no_name_of_the_house() -> None:
    chat = Script(GOOD)
    Annotator(chat, Dictionary(), closed=False)(PLAYED)
    said = "\n".join(message.text for message in chat.asked[0][0])
    assert not [ability for ability in ABILITY.values() if ability in said]


def test_a_long_episode_has_no_more_segments_than_a_loop_would_fill() -> None:
    chat = Script(answer(*["count_things", "navigate_to_goal"] * 12))
    assert len(Annotator(chat, KNOWN)(trajectory(*["moved_closer"] * 99))) == MOST
    assert chat.asked[0][1]["properties"]["abilities"]["maxItems"] == MOST


def test_an_episode_without_turns_shows_nothing_and_asks_nobody() -> None:
    played = trajectory("x")
    assert Annotator(Script(), KNOWN)(type(played)(played.instance, played.harness, (), False, played.stop)) == ()
