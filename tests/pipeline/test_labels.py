"""Labels of a run by every kind of labeler, behind a faulty server too; never asked twice, never lost."""

import json
import threading
from dataclasses import replace

import pytest
from loopback import endless, half_a_json, hangs, other_shape, says, serving, status

from palaestra.core.errors import BadMeasurement, ConfigError, EndpointFailed
from palaestra.core.policy import Completion
from palaestra.integrations.openai import EndpointConfig
from palaestra.measure.dictionary import Dictionary
from palaestra.measure.vocabulary import ABILITY
from palaestra.pipeline import players
from palaestra.pipeline.labelers import By, LabelerConfig
from palaestra.pipeline.labels import read
from palaestra.pipeline.measure import MeasureConfig, measure
from palaestra.rollout.store import read as groups_of

IDS = ("perception/count_shapes", "memory/pair_recall")


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def plan(labeler=None, **change):
    return MeasureConfig(IDS, instances=2, rollouts=2, scales=(0,), labeler=labeler, **change)


def asking(url, **change):
    endpoint = EndpointConfig(url, "tiny", timeout=1.0, retries=2, backoff=0.01, at_once=2, largest=10_000, **change)
    return LabelerConfig(By.LLM, endpoint=endpoint, pictures=64)


def segments(*names):
    return json.dumps({"abilities": names})


def annotates(handler, body):
    """In its own words it says `count the things` and `greet_judge`; of a list, the first two abilities that fit."""
    closed = "Use only these" in body["messages"][0]["content"]
    says(segments("count_things", "greet_judge") if closed else segments("Count the things", "greet_judge"))(
        handler, body
    )


def files(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A run that a model labelled without any fault: its folder, what was found, and what was asked."""
    with pytest.MonkeyPatch.context() as patch, serving(then=annotates) as (url, asked):
        patch.setenv("no_proxy", "127.0.0.1")
        folder = tmp_path_factory.mktemp("sound") / "run"
        return folder, measure(plan(asking(url)), folder), list(asked)


def test_a_model_coins_words_that_become_a_list_to_which_it_is_then_held(sound):
    folder, found, asked = sound
    dictionary = json.loads((folder / "labels" / "llm.dictionary.json").read_text())
    assert dictionary["version"] == 1
    assert {"greet_judge", "count_things"} < dictionary["abilities"].keys()
    assert "count_the_things" not in json.dumps(dictionary)
    assert [list(made.core) for made in found.profiles] == [["count_things", "greet_judge"]] * 2
    assert found.labelled.counts == {"sound": 8 + 16}
    assert found.labelled.cost["requests"] + found.labelled.cost["cached"] == 24
    assert len(asked) == found.labelled.cost["requests"]
    pictures = [part for body in asked for part in body["messages"][1]["content"] if part["type"] == "image_url"]
    assert len(pictures) >= len(asked)


def test_what_is_to_be_coined_is_coined_without_the_names_of_the_house_though_another_run_kept_them(sound, tmp_path):
    begun = str(sound[0] / "labels" / "llm.dictionary.json")
    with serving(then=annotates) as (url, asked):
        measure(plan(replace(asking(url), dictionary=begun)), tmp_path / "run")
    told = [body["messages"][0]["content"] for body in asked]
    coining = [text for text in told if "Use only these" not in text]
    assert 0 < len(coining) < len(told)
    assert all("Use one of these where it fits, else coin one: greet_judge." in text for text in coining)
    assert not [name for name in ABILITY.values() for text in coining if name in text]


def test_the_same_call_asks_nothing_again_and_finds_the_same(sound):
    folder, found, _ = sound
    before = files(folder)
    again = measure(plan(asking("http://127.0.0.1:9")), folder)
    assert again.profiles == found.profiles
    assert again.labelled.cost == {**found.labelled.cost, "requests": 0, "cached": 24}
    assert files(folder) == before


def test_every_fault_is_counted_and_no_trajectory_goes_without_labels(sound, tmp_path):
    faults = (hangs, status(429, Retry_After="0.05"), status(500), half_a_json, endless(0), other_shape)
    schemas = (says(segments()), says('{"parts": []}'), says(" " * 500, "length"))
    with serving(*faults, *schemas, then=annotates) as (url, _):
        found = measure(plan(asking(url)), tmp_path / "run")
    assert found.labelled.cost["faults"] == {
        "http 429": 1, "http 500": 1, "no JSON": 1, "timeout": 1, "too long": 1, "wrong shape": 1,
    }  # fmt: skip
    assert (
        found.labelled.counts["sound"]
        + found.labelled.counts.get("repaired", 0)
        + found.labelled.counts.get("fallback", 0)
        == 24
    )
    assert found.labelled.counts["sound"] < 24
    assert found.labelled.labels.keys() == sound[1].labelled.labels.keys()
    assert all(made.support[""] == 8 for made in found.profiles)


def test_a_run_whose_server_goes_down_goes_on_to_the_same_labels_without_asking_again(sound, tmp_path):
    folder, asked_of_all, lock = tmp_path / "run", [], threading.Lock()

    def once(handler, body):
        with lock:
            asked_of_all.append(json.dumps(body["messages"]))
        annotates(handler, body)

    with (
        serving(*[once] * 7, then=status(503)) as (url, _),
        pytest.raises(EndpointFailed, match="start the same command"),
    ):
        measure(plan(asking(url)), folder)
    assert not (folder / "profiles.json").exists()
    with serving(then=once) as (url, _):
        found = measure(plan(asking(url)), folder)
    assert found.labelled.labels == sound[1].labelled.labels
    assert len(asked_of_all) == len(set(asked_of_all)) == len(sound[2])


def test_a_server_that_never_makes_sense_leaves_the_labels_to_the_events(tmp_path):
    with serving(then=says("I would rather not.")) as (url, _):
        found = measure(plan(asking(url)), tmp_path / "run")
    assert found.labelled.counts == {"fallback": 24}
    assert found.profiles == measure(plan(), tmp_path / "run").profiles


def test_labels_are_imported_in_the_form_in_which_they_are_kept_and_compared_with_those_before(tmp_path):
    run = tmp_path / "run"
    first = measure(plan(), run)
    kept = run / "labels" / "events.jsonl"
    again = measure(plan(LabelerConfig(By.IMPORT, file=str(kept))), run)
    assert again.profiles == first.profiles
    assert (run / "labels" / "import.jsonl").read_bytes() == kept.read_bytes()
    assert {one.alpha for one in again.labelled.agreement.values()} <= {1.0, None}
    mine = tmp_path / "mine.jsonl"
    lines = [json.loads(line) for line in kept.read_text().splitlines()]
    mine.write_text("".join(json.dumps({**line, "abilities": ["Ring the bell"]}) + "\n" for line in lines))
    other = measure(plan(LabelerConfig(By.IMPORT, name="by_hand", file=str(mine))), run)
    assert [list(made.core) for made in other.profiles] == [["ring_bell"]] * 2
    stored = json.loads((run / "agreement.json").read_text())
    assert stored["ring_bell"] == {
        "alpha": None, "low": None, "high": None, "shown": {"by_hand": 16}, "trajectories": 16
    }  # fmt: skip
    assert stored["count_things"]["shown"].keys() == {"events", "import"}  # who wrote by hand has no word for it
    chosen = json.loads((run / "overlap.json").read_text())
    assert chosen["import"] == {"picks": 2, "shared": 2, "jaccard": 1.0, "chance": 1.0}
    assert chosen["by_hand"]["picks"] == 1  # two environments that show the same are one too many


KEY = "perception/count_shapes.v1@0#1:train"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1: no JSON"),
        ('{"ticket": 0, "member": 0}', "line 1: this table missing 1 required positional argument: 'abilities'"),
        ('{"ticket": 0, "member": 0, "labels": []}', "unknown key 'labels'"),
        ('{"ticket": 0, "member": 0, "abilities": ["??"]}', "an ability is a name"),
        ('{"ticket": 0, "member": 0, "abilities": []}\n' * 2, "line 2: ticket 0, member 0 was labelled before"),
    ],
)
def test_a_file_of_labels_that_cannot_be_is_refused_by_its_line_before_anything_is_played(tmp_path, text, said):
    (tmp_path / "mine.jsonl").write_text(text)
    with pytest.raises(ConfigError, match=said):
        measure(plan(LabelerConfig(By.IMPORT, file=str(tmp_path / "mine.jsonl"))), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "ticket 0, member 0 has no line, and 15 others have none"),
        ([{"ticket": 99, "member": 0, "abilities": []}], "ticket 99, member 0 is none that was played"),
        ([{"ticket": 0, "member": 0, "abilities": [], "key": KEY}], f"is perception.*, not {KEY}"),
    ],
)
def test_labels_of_another_run_are_refused(tmp_path, lines, said):
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(BadMeasurement, match=said):
        measure(plan(LabelerConfig(By.IMPORT, file=str(tmp_path / "mine.jsonl"))), tmp_path / "run")


@pytest.mark.parametrize(
    "wrong",
    [
        {"by": By.LLM}, {"by": By.IMPORT}, {"by": By.LOCAL}, {"by": By.SELF, "coined": 0},
        {"file": "x"}, {"model": "x"}, {"name": "By hand"},
        {"by": By.ACTIVATIONS, "name": "events"}, {"least": 0}, {"clusters": 0},
    ],
    ids=str,
)  # fmt: skip
def test_a_labeler_that_lacks_what_it_needs_is_refused(wrong):
    with pytest.raises(ConfigError):
        LabelerConfig(**wrong)


def test_a_damaged_file_of_labels_is_named(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        read(tmp_path / "nowhere.jsonl")


def test_a_model_plays_sees_pictures_and_is_never_asked_twice(tmp_path):
    run = tmp_path / "run"
    with serving(status(400), then=says("3")) as (url, asked):
        weak = f"openai:tiny@{url}"
        found = measure(plan(weak=weak), run)
        assert sum(found.played.errors.values()) == 1
        assert all("http 400" in error for error in found.played.errors)
        assert found.played.episodes == 16
        assert sum(len(made.support) > 0 and made.support[""] for made in found.profiles) == 15
        n = len(asked)
        assert measure(plan(weak=weak), run).profiles == found.profiles
        assert len(asked) == n
    assert all(
        turn.observation.image for group in groups_of(run / "weak") for one in group.trajectories for turn in one.turns
    )


class Local:
    """A model of one file: it coins two words, keeps to a list, and scores a name by its words that it has read."""

    def __init__(self, path, **how):
        self.path = path

    def __call__(self, messages, schema=None):
        items = schema["properties"]["abilities"]["items"]
        return Completion(segments(*items.get("enum", ["Tell the number", "greet_judge"])[:2]))

    def score(self, conversations, replies):
        return [
            float(sum(word in talk[-1].text for word in reply.split()))
            for talk, reply in zip(conversations, replies, strict=True)
        ]


@pytest.fixture
def local(tmp_path, monkeypatch):
    """The name of such a model."""
    (tmp_path / "tiny.gguf").write_bytes(b"weights")
    monkeypatch.setattr(players, "GGUF", Local)
    return str(tmp_path / "tiny.gguf")


def test_a_local_model_scores_the_names_of_the_house_or_of_a_dictionary(local, tmp_path):
    found = measure(plan(LabelerConfig(By.LOCAL, model=local)), tmp_path / "run")
    named = {name for names in found.labelled.labels.values() for name in names}
    assert named <= {*ABILITY.values()}
    assert found.labelled.labels.keys() == {
        (group.ticket.id, n)
        for side in ("weak", "strong") for group in groups_of(tmp_path / "run" / side) for n in range(2)
    }  # fmt: skip
    assert found.labelled.overlap.keys() == {"local"}
    again = measure(plan(LabelerConfig(By.LOCAL, model=local)), tmp_path / "run")
    assert again.labelled.labels == found.labelled.labels
    assert again.labelled.cost["requests"] == 0
    (tmp_path / "mine.json").write_text('{"abilities": {"recall_picture": [], "greet_judge": []}, "version": 1}')
    held = LabelerConfig(By.LOCAL, "held", model=local, dictionary=str(tmp_path / "mine.json"))
    shown = measure(plan(held), tmp_path / "run").labelled.agreement
    assert shown["recall_picture"].shown.keys() == {"held"}


def test_the_policys_own_model_is_held_to_its_own_words_and_their_version_is_kept(local, tmp_path):
    found = measure(plan(LabelerConfig(By.SELF, model=f"local:{local}")), tmp_path / "run")
    kept = json.loads((tmp_path / "run" / "labels" / "self.dictionary.json").read_text())
    assert kept == {"abilities": {"greet_judge": [], "tell_number": []}, "version": 1}
    assert [list(made.core) for made in found.profiles] == [["greet_judge", "tell_number"]] * 2
    assert found.labelled.counts == {"sound": 8 + 16}
    assert (
        not found.labelled.agreement.keys() & {"count_things"} or found.labelled.agreement["count_things"].alpha is None
    )
    assert 0 < found.labelled.overlap["self"].jaccard < 1


def test_coined_names_are_compared_by_instance_which_both_players_meet(local, tmp_path, monkeypatch):
    seen = []
    extended = Dictionary.extended

    def kept(own, coined, *how):
        seen.append(coined)
        return extended(own, coined, *how)

    monkeypatch.setattr(Dictionary, "extended", kept)
    measure(plan(LabelerConfig(By.SELF, model=f"local:{local}")), tmp_path / "run")
    assert [len(labels) for labels in seen[0]] == [2] * (2 * len(IDS))  # instances: one member of each player's group


def test_the_checkpoint_is_the_policy_whose_own_words_are_asked_for(tmp_path, monkeypatch):
    asked = []

    def chat(name):
        asked.append(name)
        raise ConfigError("asked")

    monkeypatch.setattr(players, "chat", chat)
    for engine in ({"engine": "hugging_face"}, {}):
        (tmp_path / "state.json").write_text(json.dumps({"updates": 0, "tensors": "x", **engine}))
        with pytest.raises(ConfigError, match="asked"):
            measure(plan(LabelerConfig(By.SELF), checkpoint=str(tmp_path)), tmp_path / "run")
    assert asked == [f"hugging-face:{tmp_path}", str(tmp_path)]
    monkeypatch.undo()
    with pytest.raises(ConfigError, match="cannot be asked in words"):
        measure(plan(LabelerConfig(By.SELF), checkpoint=str(tmp_path)), tmp_path / "run")


def test_a_dictionary_without_a_name_is_refused_before_a_model_is_loaded(tmp_path):
    (tmp_path / "none.json").write_text("{}")
    with pytest.raises(ConfigError, match="no ability stands in it"):
        measure(plan(LabelerConfig(By.LOCAL, model="x", dictionary=str(tmp_path / "none.json"))), tmp_path / "run")


def test_a_model_that_coins_nothing_is_told_so(local, tmp_path, monkeypatch):
    monkeypatch.setattr(Local, "__call__", lambda *_: Completion("Hm."))
    with pytest.raises(BadMeasurement, match="coined no ability that 2 trajectories show"):
        measure(plan(LabelerConfig(By.SELF, model=f"local:{local}")), tmp_path / "run")


def test_the_strong_player_is_the_policy_whose_own_words_are_asked_for(tmp_path):
    with serving(then=annotates) as (url, asked):
        found = measure(plan(LabelerConfig(By.SELF), strong=f"openai:tiny@{url}"), tmp_path / "run")
    assert found.labelled.by == "self"
    assert any("Name its abilities" in json.dumps(body) for body in asked)


def test_a_checkpoint_labels_by_what_it_makes_of_each_turn(tmp_path):
    pytest.importorskip("torch")
    found = measure(plan(LabelerConfig(By.ACTIVATIONS, clusters=4)), tmp_path / "run")
    assert {name for names in found.labelled.labels.values() for name in names} <= {f"state_0{n}" for n in range(4)}
    assert all(found.labelled.labels.values())
    assert measure(plan(LabelerConfig(By.ACTIVATIONS, clusters=4)), tmp_path / "run").profiles == found.profiles
    assert found.labelled.overlap["activations"].picks in (1, 2)
