"""What a player could have seen: the views of an episode, rebuilt from its instance and its replies.

A trajectory keeps what was shown, not all that could have been. Worlds are pure, so playing the replies again gives the
same positions, and a view without a picture costs next to nothing.
"""

from collections.abc import Iterator
from typing import Any

from palaestra.core.environment import Environment, turn
from palaestra.core.observation import View
from palaestra.core.trajectory import Trajectory


def views(env: Environment[Any, Any], played: Trajectory, pixels: int = 0) -> Iterator[View]:
    """Yield the view of each turn of an episode, in order; none from where the environment fails.

    Args:
        env: the world that was played.
        played: with all of its turns.
        pixels: the width of pictures; 0 draws none.
    """
    try:
        state = env.reset(played.instance)
        for one in played.turns:
            view = env.view(env.public(state), pixels)
            yield view
            state = turn(env, state, view, one.completion.text)[1].state
    except Exception:  # an environment's failure is told where it is played, and ends no run
        return
