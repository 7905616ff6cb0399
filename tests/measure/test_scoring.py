"""A scorer as a labeler: the name that a turn makes likelier wins, not the name that is likely anyway."""

from played import MOVES, trajectory

from palaestra.core.observation import Observation
from palaestra.measure.scoring import ScoringLabeler

NAMES = ("count_hidden_things", "go_on", "read_map")


class Planted:
    """Likes `go on` everywhere best, each other name by a little more where its last word was read."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def score(self, conversations, replies):
        texts = [talk[-1].text for talk in conversations]
        self.asked += zip(texts, replies, strict=True)
        bonus = [2.0 if reply.split()[-1] in text else 0.0 for text, reply in zip(texts, replies, strict=True)]
        base = {"count hidden things": -30.0, "go on": -1.0, "read map": -20.0}
        return [base[reply] + more for reply, more in zip(replies, bonus, strict=True)]


def labeler(scorer, *texts):
    return ScoringLabeler(scorer, NAMES, lambda _: [Observation(None, text, MOVES) for text in texts])


def test_the_name_that_a_turn_makes_likelier_wins_over_one_that_is_likely_anyway() -> None:
    texts = ("A map.", "A map.", "Three things.")
    assert labeler(Planted(), *texts)(trajectory("a", "b", "c")) == ("read_map", "count_hidden_things")


def test_a_long_name_does_not_win_by_its_length() -> None:
    assert labeler(Planted(), "A map of things.")(trajectory("a")) == ("read_map",)


def test_equal_turns_and_the_empty_turn_are_scored_once_and_events_are_never_shown() -> None:
    scorer = Planted()
    one = labeler(scorer, "A map.", "A map.")
    one(trajectory("moved_closer", "count_ok"))
    one(trajectory("moved_closer", "count_ok"))
    assert len(scorer.asked) == 2 * len(NAMES)
    assert not [text for text, _ in scorer.asked if "moved_closer" in text or "count_ok" in text]
