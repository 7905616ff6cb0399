"""The players of the house.

===================  ===================================================================
``random``           `Random`: any well-formed reply
``oracle``           `Oracle`: the full-information plan
``guide``            `Guide`: the teacher that sees what the player sees
``epsilon-oracle:E`` `EpsilonOracle`: the weak player, random with probability E
``scripted:FILE``    `Scripted`: the lines of a file, one a turn
``person``           `Person`: whoever sits at the terminal
===================  ===================================================================

To add one, write a file here that holds a frozen dataclass with the method of `Policy` or of `Insider`, and give it a
name in `_PLAYERS`. Players that need a model live with their engine and reach `play` as values.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from palaestra.core.errors import PolicyFailed, nearest
from palaestra.core.policy import Insider, Policy
from palaestra.rollout.policies.guessing import Random
from palaestra.rollout.policies.insiders import EpsilonOracle, Guide, Oracle
from palaestra.rollout.policies.person import Person
from palaestra.rollout.policies.scripted import Scripted

__all__ = ["EpsilonOracle", "Guide", "Oracle", "Person", "Random", "Scripted", "make"]

_PLAYERS: Mapping[str, tuple[str, Callable[[str], Policy | Insider]]] = {
    "random": ("", lambda _: Random()),
    "oracle": ("", lambda _: Oracle()),
    "guide": ("", lambda _: Guide()),
    "epsilon-oracle": ("0.3", lambda rest: EpsilonOracle(_number(rest))),
    "scripted": ("FILE", lambda rest: Scripted.read(Path(rest))),
    "person": ("", lambda _: Person()),
}
"""By name: an example of what follows the colon ("" for nothing), and how a player is made of it."""


def make(name: str) -> Policy | Insider:
    """Return the player of a name, as written on a command line.

    Raises:
        PolicyFailed: no player has this name, or what follows its colon is missing, superfluous or unusable.

    >>> make("epsilon-oracle:0.3")
    EpsilonOracle(epsilon=0.3)
    >>> make("orakel")
    Traceback (most recent call last):
    palaestra.core.errors.PolicyFailed: no policy is called 'orakel'; did you mean 'oracle'?
    """
    head, _, rest = name.partition(":")
    if head not in _PLAYERS:
        raise PolicyFailed(f"no policy is called {name!r}{nearest(head, _PLAYERS)}")
    example, build = _PLAYERS[head]
    if bool(rest) != bool(example):
        raise PolicyFailed(f"policy {name!r}: write it as {f'{head}:{example}' if example else head!r}")
    return build(rest)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise PolicyFailed(f"epsilon-oracle: found {text!r}; write a probability, as in epsilon-oracle:0.3") from None
