"""Faults of what there is to play: splits, scales, knobs, secrets, and what a specification says of them."""

from dataclasses import dataclass, field, replace

from tests.envs.faults.planting import planted

from palaestra.core.environment import Knob
from palaestra.core.instance import Instance, Split
from palaestra.envs.graph.shortest_path import ShortestPath
from palaestra.envs.grid.frozen_lake import FrozenLake, Position
from palaestra.envs.kit import grid
from palaestra.envs.memory.pair_recall import PairRecall, Table
from palaestra.envs.perception.count_shapes import CountShapes


def without(instance: Instance, name: str) -> Instance:
    """Return an instance with one knob forgotten."""
    return replace(instance, knobs=tuple(pair for pair in instance.knobs if pair[0] != name))


# Problems


@planted("splits", "vary more, or declare train_only")
class SeedIgnored(FrozenLake):
    """Every seed gives the same problem."""

    def reset(self, instance):
        return super().reset(replace(instance, seed=0))


@planted("splits", "neighbouring seeds")
class NeighboursAlike(FrozenLake):
    """Two neighbouring seeds give one problem."""

    def reset(self, instance):
        return super().reset(replace(instance, seed=instance.seed // 2))


@planted("splits", "got a train problem")
class SplitIgnored(FrozenLake):
    """Whatever split is asked for, a training problem is given."""

    def reset(self, instance):
        return super().reset(replace(instance, split=Split.TRAIN))


@planted("splits", "declare train_only")
class TooFewProblems(FrozenLake):
    """Ten boards in all, each of them in its own split."""

    def reset(self, instance):
        return super().reset(replace(instance, seed=instance.seed % 10))


@planted("splits", "leave chance out of problem()")
class ChanceInProblem(FrozenLake):
    """The key of the slips tells two equal boards apart."""

    def problem(self, state):
        return super().problem(state) + state.key.to_bytes(8, "little")


@planted("splits", "take them into problem()")
class HiddenNotInProblem(PairRecall):
    """Where the cards lie is no part of the problem, only which there are."""

    def problem(self, state):
        return bytes(sorted(look + 2 for look in state.looks)) + bytes([state.table.columns, state.slack])


@planted("difficulty", "easier than")
class ScalesInverted(FrozenLake):
    """The first scale is the hardest."""

    spec = replace(FrozenLake.spec, scales=FrozenLake.spec.scales[::-1])


@planted("difficulty", "is no harder than")
class ScalesAlike(FrozenLake):
    """All scales are the same."""

    spec = replace(FrozenLake.spec, scales=FrozenLake.spec.scales[:1] * 7)


@planted("difficulty", "draw at the scale")
class ScalesMix(FrozenLake):
    """An instance is drawn at any scale up to the one that was asked for."""

    def reset(self, instance):
        return super().reset(replace(instance, scale=int(instance.rng("scale").integers(instance.scale + 1))))


@planted("difficulty", "draw at the scale")
class SheetsMix(CountShapes):
    """The same in a world of one turn, where turn limits do not tell."""

    def reset(self, instance):
        return super().reset(replace(instance, scale=int(instance.rng("scale").integers(instance.scale + 1))))


@planted("knobs", "changes nothing between")
class KnobIgnored(FrozenLake):
    """The share of holes is that of the scale, whatever is asked for."""

    def reset(self, instance):
        self.spec.settings(instance)
        return super().reset(without(instance, "holes"))


@planted("knobs", "knob holes = 0.95")
class KnobEndUnsolvable(FrozenLake):
    """Nearly all cells may be holes."""

    spec = replace(FrozenLake.spec, knobs=(Knob("holes", 0.0, 0.95),))


@planted("knobs", "was accepted")
class KnobTypoAccepted(FrozenLake):
    """A knob that does not exist is ignored."""

    def reset(self, instance):
        return super().reset(without(instance, "holes_"))


@planted("knobs", "of the plan")
class StepSwapsRows(FrozenLake):
    """A move forgets which of rows and columns is which: right on square boards."""

    def step(self, state, action):
        lake = state.position.lake
        wrong = replace(state.position, lake=replace(lake, rows=lake.columns, columns=lake.rows))
        step = super().step(replace(state, position=wrong), action)
        return replace(step, state=replace(step.state, position=replace(step.state.position, lake=lake)))


# Secrets


@planted("secrecy", "the public part tells two secrets apart")
class KeyIsPublic(FrozenLake):
    """The public part holds the key of the slips."""

    def public(self, state):
        return state

    def view(self, public, pixels=448):
        return super().view(public.position, pixels)

    def guide(self, public):
        return super().guide(public.position)


@dataclass(frozen=True)
class Known(Table):
    """A table that knows every card, out of sight of its comparison."""

    looks: tuple[int, ...] = field(default=(), compare=False)


@planted("secrecy", "the view tells two secrets apart")
class CardsShineThrough(PairRecall):
    """The first card is drawn face up though nobody turned it over."""

    def public(self, state):
        t = state.table
        return Known(t.rows, t.columns, t.backs, t.seen, t.taken, t.up, state.looks)

    def view(self, public, pixels=448):
        seen = (public.looks[0], *public.seen[1:]) if public.looks[0] >= 0 else public.seen
        return super().view(replace(public, seen=seen, up=public.up or (0,)), pixels)


@dataclass(frozen=True)
class Foreseen(Position):
    """A position that knows whether the next move will slip."""

    slips: bool = field(default=False, compare=False)


@planted("secrecy", "the view tells two secrets apart")
class SlipIsForetold(FrozenLake):
    """The state says whether the next move will slip."""

    def public(self, state):
        seen = state.position
        meant = grid.neighbours(seen.lake.rows, seen.lake.columns)[seen.cell][0]
        slips = self.step(state, "up").state.position.cell not in (meant, seen.cell)
        return Foreseen(seen.lake, seen.cell, seen.came_from, slips)

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        return replace(view, state=f"{view.state} The next move will {'slip' if public.slips else 'hold'}.")


@planted("secrecy", "reseal never changed the state")
class ResealDoesNothing(FrozenLake):
    """Another secret is the same secret."""

    def reseal(self, state, seed):
        return state


@planted("secrecy", "leaves the problem open")
class HiddenUndeclared(PairRecall):
    """Cards lie face down, and the specification does not say so."""

    spec = replace(PairRecall.spec, tags=frozenset({"multi_turn"}))


# Specifications


@planted("spec", "4 scales")
class FourScales(FrozenLake):
    """There are only four scales."""

    spec = replace(FrozenLake.spec, scales=FrozenLake.spec.scales[:4])


@planted("spec", "clairvoyant without a guide")
class ClairvoyantAlone(ShortestPath):
    """Nobody can teach what the oracle knows."""

    spec = replace(ShortestPath.spec, clairvoyant=True)


@planted("spec", "need clairvoyant = True")
class ChanceWithoutClairvoyance(FrozenLake):
    """A plan that foresees every slip may be imitated."""

    spec = replace(FrozenLake.spec, clairvoyant=False)


@planted("spec", "exceed the horizon")
class HorizonUnderstated(FrozenLake):
    """The specification promises shorter episodes than there are."""

    spec = replace(FrozenLake.spec, horizon=20)


@planted("spec", "come together")
class OnlyOneIsRight(ShortestPath):
    """Several answers are right, and the specification does not say so."""

    spec = replace(ShortestPath.spec, tags=frozenset({"single_turn", "lines"}))


@planted("spec", "every scale sets every parameter")
class ScaleForgets(FrozenLake):
    """One scale does not say how slippery the ice is."""

    spec = replace(
        FrozenLake.spec,
        scales=({k: v for k, v in FrozenLake.spec.scales[0].items() if k != "reach"}, *FrozenLake.spec.scales[1:]),
    )


@planted("spec", "lower case")
class IdIsNoPath(FrozenLake):
    """The id is no path."""

    spec = replace(FrozenLake.spec, id="Frozen Lake")
