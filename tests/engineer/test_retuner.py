"""The retuner: stages in somebody else's loop, whatever the engineer does."""

import json

import numpy as np
import pytest
from mixtures import SPACE

from palaestra.core.distribution import Distribution
from palaestra.core.engineer import Proposal
from palaestra.core.errors import ConfigError, RunFolderError
from palaestra.core.policy import Completion
from palaestra.core.retuning import Episode
from palaestra.core.space import Dial, Part, Space
from palaestra.engineer.journal import Journal
from palaestra.engineer.log import Counts, load
from palaestra.engineer.rails import Rails
from palaestra.engineer.retuner import Retuner

ONE = Space((Part("lake", "mine/lake", (Dial("holes", (0, 1, 2, 3)),)),))
OPEN = Rails(keep=0)


def play(retuner, won, lost=0, cell=None):
    for k in range(won + lost):
        retuner.ended(Episode(cell, k < won, float(k < won), steps=10, truncated=k == won))


def holes(mixture):
    return sorted((dict(cell.knobs)["holes"], round(share, 3)) for cell, share in mixture.probabilities().items())


def test_a_stage_that_is_won_makes_the_next_one_harder_and_keeps_a_part_of_itself(tmp_path):
    retuner = Retuner(ONE, "thresholds", tmp_path)
    assert holes(retuner.mixture) == [(0, 1.0)]
    play(retuner, 19, 1)
    assert holes(retuner.next_stage(steps=200)) == [(0, 0.3), (1, 0.7)]
    play(retuner, 19, 1)
    assert holes(retuner.next_stage(steps=400)) == [(0, 0.09), (1, 0.21), (2, 0.7)], "what is kept fades"
    assert [own.success("lake").value for own in retuner.stages] == [0.95, 0.95, 0.0]
    assert [own.settings["lake"]["holes"] for own in retuner.stages] == [0, 1, 2]


def test_the_journal_holds_what_a_stage_came_to_and_what_followed(tmp_path):
    retuner = Retuner(ONE, "thresholds", tmp_path, rails=OPEN)
    play(retuner, 18, 2)
    retuner.next_stage(steps=200)
    (entry,) = Journal(tmp_path).entries()
    (record,) = load({"stages": [entry["record"]]}).stages
    assert record.trained == {"lake": Counts(20, 18, failures={"out of time": 1, "lost": 1}, turns=10)}
    assert (entry["by"], entry["cold"], entry["diff"]) == ("thresholds", False, ["lake holes: 0 -> 1"])


def test_what_a_loop_says_of_itself_and_mean_returns_reach_a_language_model(tmp_path):
    asked = []

    def chat(messages, schema=None):
        asked.append(messages[-1].text)
        return Completion(json.dumps({"rationale": "more holes", "parts": {"lake": {"weight": 1, "holes": 2}}}))

    retuner = Retuner(ONE, chat, tmp_path, rails=OPEN)
    play(retuner, 3, 1)
    assert holes(retuner.next_stage(steps=40)) == [(2, 1.0)]
    assert "steps 40" in asked[0]
    assert "mean return of lake 0.75" in asked[0]
    assert [own["kind"] for own in Journal(tmp_path).entries()] == ["prompt", "reply", "verdict", "admitted"]


@pytest.mark.parametrize("said", ["no", '{"parts": {"lake": {"weight": "all"', '{"reward": 1}'])
def test_a_language_model_that_says_nothing_of_use_is_stood_in_for(tmp_path, said):
    retuner = Retuner(ONE, lambda messages, schema=None: Completion(said), tmp_path, rails=OPEN)
    play(retuner, 19, 1)
    assert holes(retuner.next_stage()) == [(1, 1.0)]
    assert Journal(tmp_path).entries()[-1]["by"] == "thresholds"


class Broken:
    def propose(self, current, evidence, space):
        raise RuntimeError("out of memory")


class Own:
    """Sets a number that JSON does not have."""

    def propose(self, current, evidence, space):
        return Proposal(Distribution({ONE.parts[0].cell({"holes": np.int64(2)}): 1.0}), "mine")


class Stranger:
    def propose(self, current, evidence, space):
        return Proposal(Distribution({SPACE.parts[0].cell({"holes": 0.0, "agents": 2}): 1.0}), "mine")


@pytest.mark.parametrize(
    ("engineer", "told"),
    [(Broken(), "RuntimeError: out of memory"), (Stranger(), "not in the"), (Own(), "not JSON serializable")],
)
def test_an_engineer_that_fails_or_leaves_the_space_changes_nothing_and_the_journal_says_so(tmp_path, engineer, told):
    retuner = Retuner(ONE, engineer, tmp_path)
    play(retuner, 19, 1)
    assert holes(retuner.next_stage()) == [(0, 1.0)]
    assert told in Journal(tmp_path).entries()[-1]["note"]


def test_while_nothing_is_won_the_hand_schedule_proposes(tmp_path):
    retuner = Retuner(ONE, "thresholds", tmp_path, start={"lake": {"weight": 1, "holes": 3}}, rails=OPEN)
    play(retuner, 0, 50)
    assert holes(retuner.next_stage()) == [(0, 1.0)]
    assert Journal(tmp_path).entries()[-1]["by"] == "hand_schedule"


def test_a_stage_in_which_no_episode_ended_goes_on_unasked(tmp_path):
    retuner = Retuner(ONE, "random", tmp_path)
    assert retuner.next_stage() == retuner.mixture
    assert Journal(tmp_path).entries() == []


def test_an_episode_counts_for_its_part_unless_its_cell_is_gone(tmp_path):
    retuner = Retuner(SPACE, "thresholds", tmp_path, rails=OPEN)
    small, *_, large = retuner.mixture.weights
    play(retuner, 19, 1, small)
    play(retuner, 10, 10, large)
    retuner.next_stage()
    play(retuner, 5, 0, small)
    play(retuner, 5, 0, large)
    assert retuner.stages[0].trained["10x10"].n == 20
    assert {part: rate.n for part, rate in retuner.stages[-1].trained.items()} == {"10x10": 5}, "3x3 has moved on"


def test_what_is_kept_from_before_says_nothing_of_how_a_part_fared_as_it_was_set(tmp_path):
    retuner = Retuner(ONE, "thresholds", tmp_path)
    play(retuner, 19, 1)
    retuner.next_stage()
    kept, now = sorted(retuner.mixture.weights, key=lambda cell: dict(cell.knobs)["holes"])
    play(retuner, 20, 0, kept)
    play(retuner, 1, 9, now)
    assert retuner.stages[-1].success("lake").n == 10


def test_a_retuner_that_is_started_again_goes_on_where_the_journal_ends(tmp_path):
    first = Retuner(ONE, "thresholds", tmp_path)
    for _ in range(2):
        play(first, 19, 1)
        first.next_stage()
    again = Retuner(ONE, "thresholds", tmp_path)
    assert again.mixture == first.mixture
    assert again.stages == first.stages
    with pytest.raises(RunFolderError, match="another space"):
        Retuner(SPACE, "thresholds", tmp_path)


def test_what_cannot_be_asked_for_is_refused_in_words(tmp_path):
    with pytest.raises(ConfigError, match="did you mean 'thresholds'"):
        Retuner(ONE, "threshold", tmp_path)
    with pytest.raises(ConfigError, match="which of 8 parts"):
        play(Retuner(SPACE, "thresholds", tmp_path), 1)
    with pytest.raises(ConfigError, match="give it another name"):
        Retuner(Space((Part("ball", "mine/ball", (Dial("scale", (1, 2)),)),)), "thresholds", tmp_path)
