"""Faults of the channels: what a text says that it must not, or does not say that it must."""

from dataclasses import replace

from tests.envs.faults.planting import planted

from palaestra.envs.graph.shortest_path import ShortestPath
from palaestra.envs.grid.frozen_lake import HINT, FrozenLake
from palaestra.envs.kit.parts import Asked
from palaestra.envs.memory.pair_recall import PairRecall


def way(env, public):
    """Return the reply that answers a shortest path."""
    return env.solve(Asked(public))[0]


@planted("ladder", "a line of hint")
class HintIsTheAnswer(ShortestPath):
    """The hint holds the answer."""

    def view(self, public, pixels=448):
        return replace(super().view(public, pixels), hint=f"Answer: {way(self, public)}")


@planted("ladder", "a line of state")
class StateHoldsTheAnswer(ShortestPath):
    """One line of the state is the answer."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        return replace(view, state=f"{view.state}\n{way(self, public)}")


@planted("ladder", "a line of hint")
class HintNamesTheMove(FrozenLake):
    """The hint names the next move inside a sentence."""

    def view(self, public, pixels=448):
        return replace(super().view(public, pixels), hint=f"{HINT} It is wise to go {self.guide(public)} from here.")


@planted("ladder", "a line of state")
class StateSpellsTheMove(FrozenLake):
    """One word among many harmless lines of the state is the next move."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        return replace(view, state=f"{view.state}\nThe ice is thick.\nIt is cold.\n{self.guide(public) or 'none'}")


@planted("ladder", "a line of state")
class StateNamesThePair(PairRecall):
    """The state says where two equal cards lie."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        return replace(view, state=f"{view.state} Look again at {self.guide(public) or 'nothing'}.")


@planted("ladder", "a line of state")
class StateNamesThePairBackwards(PairRecall):
    """The same with the two cards in the other order, which is as right."""

    def view(self, public, pixels=448):
        view, pair = super().view(public, pixels), (self.guide(public) or "nothing, nothing").split(", ")
        return replace(view, state=f"{view.state} Look again at {pair[1]}, {pair[0]}.")


@planted("ladder", "a line of state")
class StateNamesAnotherWay(ShortestPath):
    """The state holds an answer that is right, but not the one that the oracle gives."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        *_, (last,) = self.solutions(Asked(public))
        return replace(view, state=f"{view.state}\n{last}")


@planted("ladder", "a line of task")
class TaskHoldsTheAnswer(ShortestPath):
    """The example in the task is the answer."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        return replace(view, task=f"{view.task}\nFor example: {way(self, public)}")


@planted("ladder", "hint foretells")
class HintInOtherWords(FrozenLake):
    """The hint names the next move in words that are no reply."""

    def view(self, public, pixels=448):
        compass = {"up": "north", "right": "east", "down": "south", "left": "west", None: "nowhere"}
        return replace(super().view(public, pixels), hint=f"It is wise to go {compass[self.guide(public)]}.")


@planted("ladder", "survives in")
class HintSurvivesInTask(FrozenLake):
    """A line of the hint stands in the task too."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        return replace(view, task=f"{view.task}\n{view.hint}")


@planted("ladder", "survives in")
class HintSurvivesInASentence(FrozenLake):
    """The hint stands in the task too, within a longer line."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        return replace(view, task=f"{view.task} {view.hint}")


@planted("ladder", "survives in")
class CaptionSurvivesInState(FrozenLake):
    """The state repeats a row of the board."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        return replace(view, state=f"{view.state}\n{view.caption.splitlines()[-1]}")


@planted("ladder", "the channel hint is empty")
class NoHint(FrozenLake):
    """There is no hint to withdraw."""

    def view(self, public, pixels=448):
        return replace(super().view(public, pixels), hint="")


@planted("ladder", "texts depend on whether a picture is drawn")
class TextsDependOnPixels(FrozenLake):
    """A caption is only written when there is no picture."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        return replace(view, caption="See the picture.") if pixels else view


@planted("ladder", "0 pixels drew one")
class AlwaysDraws(FrozenLake):
    """A picture is drawn although none was asked for."""

    def view(self, public, pixels=448):
        return super().view(public, pixels or 96)
