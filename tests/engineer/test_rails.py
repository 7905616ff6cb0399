"""Rails: what is refused and in which words, what stays, and when a mixture goes back."""

from dataclasses import replace

import pytest
from mixtures import CURRENT, SPACE, SPEC, START

from palaestra.core.distribution import Cell, Distribution
from palaestra.core.environment import EnvSpec, Knob
from palaestra.core.errors import ConfigError, GenerationFailed
from palaestra.core.observation import H4
from palaestra.core.space import Dial, Part, Space
from palaestra.core.ticket import Group
from palaestra.core.trajectory import Stop, Trajectory
from palaestra.engineer.probe import Probe, digest
from palaestra.engineer.rails import Rails, budgeted, changes, fell, narrow, preserving, reachable

RAILS = Rails(dials=3, steps=2, instances=64, never=0.06, always=0.94)


class Wall:
    """A world that comes into being up to a height, and is solvable up to another."""

    spec = EnvSpec("toy/wall", 1, "Wall", 1, ({"height": 1},), knobs=(Knob("height", 1, 9),))

    def __init__(self, high=99, solvable=99):
        self.high, self.solvable = high, solvable

    def reset(self, instance):
        if (height := dict(instance.knobs)["height"]) > self.high:
            raise GenerationFailed("too high")
        return height, instance.seed

    def solve(self, state):
        return ["over"] if state[0] <= self.solvable else None

    def problem(self, state):
        return repr(state).encode()


WALLS = Space(tuple(Part(f"w{k}", "toy/wall", (Dial("height", (k, k + 1)),)) for k in (1, 3, 5, 7)))


def mixture(*weights):
    own = zip(WALLS.parts, weights, strict=True)
    return WALLS.distribution({part.name: {"weight": w, "height": part.dials[0].values[0]} for part, w in own})


def playing(share):
    """A policy that wins so many of a hundred."""

    def play(tickets, pool, policy):
        won = [37 * k % 100 < share for k in range(len(tickets))]
        return [Group(t, (Trajectory(t.instance, H4, (), w, Stop.DONE),)) for t, w in zip(tickets, won, strict=True)]

    return play


def judged(*weights, env=None, share=50, **further):
    env = env or Wall()
    return Probe(WALLS, {"toy/wall": env}, RAILS, playing(share), None, **further)(mixture(*weights))


def test_a_sound_mixture_is_admitted_with_what_was_found():
    found = judged(1, 1, 1, 1)
    assert found.ok
    assert found.json()["success"]["n"] == found.json()["instances"] == 64
    assert found.worth == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize(
    ("further", "words"),
    [
        ({"env": Wall(high=2)}, "only 16 of 64 instances"),
        ({"env": Wall(high=5)}, "toy/wall with {'height': 7} yields no instance"),
        ({"env": Wall(solvable=5)}, "can be solved"),
    ],
)
def test_a_mixture_that_cannot_be_played_is_refused(further, words):
    found = judged(1, 1, 1, 1, **further)
    assert not found.ok
    assert words in "; ".join(found.reasons)


@pytest.mark.parametrize(("share", "words"), [(0, "make it easier"), (100, "make it harder")])
def test_a_mixture_from_which_nothing_can_be_learnt_is_refused(share, words):
    probe = Probe(WALLS, {"toy/wall": Wall()}, RAILS, playing(share), None)
    assert words in probe(mixture(1, 1, 1, 1)).reasons[0]


def test_while_nothing_is_won_anywhere_success_is_not_asked_for():
    assert Probe(WALLS, {"toy/wall": Wall()}, RAILS, playing(0), None, cold=True)(mixture(1, 1, 1, 1)).ok


def test_a_problem_that_is_evaluated_on_is_found():
    env, seen = Wall(), []

    def play(tickets, pool, policy):
        seen.extend(ticket.instance for ticket in tickets)
        return playing(50)(tickets, pool, policy)

    Probe(WALLS, {"toy/wall": env}, RAILS, play, None)(mixture(1, 1, 1, 1))
    evaluated = {digest(env, env.reset(seen[0]))}
    assert "1 of 64 problems are evaluated on" in judged(1, 1, 1, 1, evaluated=evaluated).reasons[0]


def test_one_mixture_is_played_once():
    calls = []
    probe = Probe(WALLS, {"toy/wall": Wall()}, RAILS, lambda *asked: calls.append(1) or playing(50)(*asked), None)
    assert probe(mixture(1, 1, 1, 1)) is probe(mixture(1, 1, 1, 1))
    assert (len(calls), probe.rollouts) == (1, 64)


def test_a_cell_outside_the_space_and_one_that_cannot_be_played_are_refused_by_name():
    specs = {SPEC.id: SPEC}
    assert reachable(CURRENT, SPACE, specs) == ()
    own = next(iter(CURRENT.weights))
    astray = Distribution({replace(own, knobs=(("holes", 0.2), ("size", 3))): 1.0, Cell("x/y", 0, H4): 1.0})
    assert len(reachable(astray, SPACE, specs)) == 2
    assert "no environment" in reachable(CURRENT, SPACE, {})[0]
    assert "no knob 'size'" in reachable(CURRENT, SPACE, {SPEC.id: replace(SPEC, knobs=SPEC.knobs[1:])})[0]


def test_a_mixture_of_one_part_is_too_narrow():
    assert "amount to 1.0 parts" in narrow(mixture(1, 0, 0, 0), WALLS, Rails(breadth=0.5))[0]
    assert narrow(mixture(1, 1, 0, 0), WALLS, Rails(breadth=0.5)) == ()


def test_a_model_moves_few_dials_by_few_values_and_is_told():
    far = {name: {**own, "holes": 0.0, "agents": 5} for name, own in START.items()}
    far["10x10"]["weight"] = 0.9
    found, notes = budgeted(far, START, SPACE, RAILS)
    moved = [(name, dial) for name in START for dial in ("holes", "agents") if found[name][dial] != START[name][dial]]
    assert len(moved) == 3
    assert found["10x10"] == {"weight": 0.9, "holes": 0.0, "agents": 4}  # heavy parts first
    assert any("10x10: agents 5 is too far at once: 4" in note for note in notes)
    assert budgeted(START, START, SPACE, RAILS) == (START, ())


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.8])
def test_so_much_of_the_mixture_before_stays(keep):
    before, after = mixture(1, 1, 0, 0), mixture(0, 0.2, 1, 1)
    shares = preserving(before, after, keep).probabilities()
    stays = sum(min(share, shares.get(cell, 0.0)) for cell, share in before.probabilities().items())
    assert stays >= keep - 1e-9


def test_a_mixture_that_stays_enough_is_left_as_it_is():
    before, after = mixture(1, 1, 1, 1), mixture(1, 1, 1, 0)
    assert preserving(before, after, 0.3) is after


@pytest.mark.parametrize(
    ("lost", "won", "back"),
    [(0, 0, False), (5, 0, False), (6, 0, True), (8, 1, True), (7, 1, False), (12, 10, False), (30, 12, True)],
)
def test_a_mixture_goes_back_on_a_sure_drop_only(lost, won, back):
    before = [True] * lost + [False] * won + [True] * 40
    after = [False] * lost + [True] * won + [True] * 40
    assert fell(before, after, RAILS) is back
    assert fell([*before, *[True] * 9], [*after, *[None] * 9], RAILS) is back, "what was not judged is not lost"


def test_what_changed_is_told_in_words():
    after = {**START, "3x3": {**START["3x3"], "holes": 0.4}}
    assert changes(START, after) == ["3x3 holes: 0.2 -> 0.4"]


@pytest.mark.parametrize("wrong", [{"instances": 10}, {"keep": 1.5}, {"steps": -1}, {"instances": 64}])
def test_bounds_that_are_none_are_refused(wrong):
    with pytest.raises(ConfigError, match="rails"):
        Rails(**wrong)
