"""Players that look at the state: the oracle, the guide, and an oracle with a trembling hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from palaestra.core.environment import Environment, Guided
from palaestra.core.errors import PolicyFailed

Env = Environment[Any, Any]


@dataclass(frozen=True, slots=True)
class Oracle:
    """Sends the first reply of a full-information plan, solved anew at every turn: it keeps nothing.

    A state without a plan ends its episode as an error: `solve` is guaranteed from reset states and along its own plan.
    """

    def peek(self, env: Env, state: Any, seed: int) -> str:
        """Return the first reply of the plan."""
        plan = env.solve(state)
        if not plan:
            raise PolicyFailed(f"oracle: asked {env.spec.id} for a plan, found {plan!r}; mend solve, or play the guide")
        return plan[0]


@dataclass(frozen=True, slots=True)
class Guide:
    """Sends the reply of the teacher that sees what a player sees; where it gives up, a random one.

    A lost position is no error: a guide's losses in a world of chance count, as anybody's do.
    """

    def prepared(self, envs: Sequence[Env]) -> "Guide":
        """Return itself.

        Raises:
            PolicyFailed: an environment has no guide.
        """
        if unguided := [env.spec.id for env in envs if not isinstance(env, Guided)]:
            raise PolicyFailed(f"guide: no guide in {', '.join(unguided)}; play the oracle there")
        return self

    def peek(self, env: Env, state: Any, seed: int) -> str:
        """Return the guide's reply."""
        assert isinstance(env, Guided)  # `prepared` has seen to it
        reply = env.guide(env.public(state))
        return reply if reply is not None else _guess(env, state, np.random.default_rng(seed))


@dataclass(frozen=True, slots=True)
class EpsilonOracle:
    """Plays at random with probability `epsilon`, otherwise as the guide where clairvoyant and as the oracle elsewhere.

    It is the weak player of profiles. Its slips leave the oracle's plan, so a state without a plan is played at random.
    """

    epsilon: float

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon <= 1:
            raise PolicyFailed(f"epsilon-oracle: epsilon is {self.epsilon}; it is a probability, from 0 to 1")

    def peek(self, env: Env, state: Any, seed: int) -> str:
        """Return a good reply, or a random one."""
        rng = np.random.default_rng(seed)
        if rng.random() < self.epsilon:
            return _guess(env, state, rng)
        if env.spec.clairvoyant and isinstance(env, Guided):
            reply = env.guide(env.public(state))
        else:
            reply = next(iter(env.solve(state) or ()), None)
        return reply if reply is not None else _guess(env, state, rng)


def _guess(env: Env, state: Any, rng: np.random.Generator) -> str:
    """Return a random well-formed reply; the answer kind needs no picture."""
    return env.view(env.public(state), 0).answer.sample(rng)
