"""Find spot: one thing fits, every word of its description is needed, and what a miss is called."""

from dataclasses import replace
from itertools import combinations

import pytest

from palaestra.envs.kit.palette import PALETTE, colour, nearest_name
from palaestra.envs.kit.parts import Asked
from palaestra.envs.perception.find_spot import COLOURS, Kind, Scene, Thing
from palaestra.envs.perception.find_spot import environment as env

STAR, OTHER, CROSS = Kind(1, 0, 4), Kind(1, 1, 4), Kind(0, 3, 5)
THINGS = (
    Thing(STAR, 0, (170, 180)),
    Thing(OTHER, 2, (830, 160)),
    Thing(CROSS, 4, (500, 490)),
    Thing(STAR, 8, (840, 830)),
)
SCENE = Scene(3, THINGS, STAR, (("above", 2),))
ASKED = Asked(SCENE)


def test_any_point_inside_the_thing_described_wins() -> None:
    assert SCENE.description == "large red star above the small pink cross"
    for place in ((170, 180), (290, 60)):
        step = env.step(ASKED, place)
        assert (step.reward, step.done, step.success, step.events) == (1.0, True, True, ("target_located",))


@pytest.mark.parametrize(
    ("place", "events"),
    [
        ((840, 830), ("target_missed", "lookalike_taken")),  # all features, but on the wrong side
        ((830, 160), ("target_missed", "lookalike_taken")),  # another colour
        ((500, 490), ("target_missed",)),
        ((170, 400), ("target_near",)),
        ((170, 800), ("target_missed",)),
    ],
)
def test_a_miss_says_what_was_pointed_at(place: tuple[float, float], events: tuple[str, ...]) -> None:
    step = env.step(ASKED, place)
    assert (step.reward, step.done, step.success, step.events) == (0.0, True, False, events)


@pytest.mark.parametrize("scale", [3, 4, 5])
def test_the_answer_is_the_same_whether_or_not_relations_hold_within_a_row_or_a_column(scale: int) -> None:
    axes = {"left of": (1, -1), "right of": (1, 1), "above": (0, -1), "below": (0, 1)}

    def holds(scene: Scene, thing: Thing, relation: str, anchor: int, least: float) -> bool:
        axis, sign = axes[relation]
        centre, other = thing.centre[::-1], scene.things[anchor].centre[::-1]
        return sign * (centre[axis] - other[axis]) * scene.side / 1000 > least

    for seed in range(40):
        scene = env.reset(env.spec.instance(scale, seed)).question
        for least in (0, 0.1, 0.5):  # of the distance of two rows
            alike = [thing for thing in scene.things if thing.kind == scene.wanted]
            fits = [thing for thing in alike if all(holds(scene, thing, *rel, least) for rel in scene.relations)]
            assert fits == [scene.target]


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_exactly_one_thing_fits_and_every_relation_and_feature_is_needed(scale: int) -> None:
    for seed in range(40):
        scene = env.reset(env.spec.instance(scale, seed)).question
        assert sum(map(scene.fits, scene.things)) == 1
        assert len(scene.relations) == env.spec.scales[scale]["relations"]
        for k in range(len(scene.relations)):
            loose = replace(scene, relations=scene.relations[:k] + scene.relations[k + 1 :])
            assert sum(map(loose.fits, loose.things)) > 1
        shared = [[a == b for a, b in zip(thing.kind, scene.wanted, strict=True)] for thing in scene.things]
        for feature in range(0 if env.spec.scales[scale]["sizes"] else 1, 3):
            assert [k != feature for k in range(3)] in shared


def test_what_relations_go_to_is_of_a_kind_of_its_own() -> None:
    for seed in range(20):
        scene = env.reset(env.spec.instance(5, seed)).question
        kinds = [thing.kind for thing in scene.things]
        assert all(kinds.count(kinds[anchor]) == 1 for _, anchor in scene.relations)


def test_the_centre_of_the_target_has_its_colour() -> None:
    for seed in range(20):
        scene = env.reset(env.spec.instance(3, seed)).question
        image = env.view(scene, 448).image
        assert image is not None
        x, y = (round(0.448 * part) for part in scene.target.centre)
        assert nearest_name(PALETTE[image.pixels[y, x]].tolist()) == COLOURS[scene.wanted.colour]


def test_who_tells_red_from_green_by_brightness_only_tells_all_colours_apart() -> None:
    seen = [
        (0.35 * red + 0.65 * green, blue) for red, green, blue in (PALETTE[colour(name)].tolist() for name in COLOURS)
    ]
    assert all(max(abs(a[0] - b[0]), abs(a[1] - b[1])) > 50 for a, b in combinations(seen, 2))


def test_jitter_and_symmetries_make_no_other_problem_but_another_target_or_anchor_does() -> None:
    moved = (Thing(STAR, 0, (160, 190)), *THINGS[1:])
    assert env.problem(Asked(replace(SCENE, things=moved))) == env.problem(ASKED)
    mirrored = tuple(Thing(t.kind, t.cell // 3 * 3 + 2 - t.cell % 3, (1000 - t.centre[0], t.centre[1])) for t in THINGS)
    assert env.problem(Asked(replace(SCENE, things=mirrored))) == env.problem(ASKED)
    assert env.problem(Asked(replace(SCENE, wanted=OTHER))) != env.problem(ASKED)
    assert env.problem(Asked(replace(SCENE, relations=(("left of", 1),)))) != env.problem(ASKED)
