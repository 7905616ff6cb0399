"""Every error that palaestra raises, named after the boundary that was crossed.

Who is at fault decides what happens. The *agent's* mistake is data: a typed status on the turn. The *environment
author's* is `EnvironmentFailed`, kept on that one trajectory while its siblings go on. The *user's* is raised before
anything expensive starts. A message says what was asked, what was found, what to do.

To add one, subclass `PalaestraError` and the builtin it refines, and keep the constructor of a single string: the
classes then pickle by the standard library's rules and travel between processes.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class PalaestraError(Exception):
    """Anything palaestra raises on purpose; the command line prints its message and exits with code 2."""


class BadInstance(PalaestraError, ValueError):
    """An instance names a scale, a knob or a value that its environment does not have."""


class BadAnswerKind(PalaestraError, ValueError):
    """An answer kind was built from, or asked to format, something it cannot hold."""


class BadDistribution(PalaestraError, ValueError):
    """A cell, a distribution or a budget makes no sense by itself."""


class BadMeasurement(PalaestraError, ValueError):
    """Groups, gradients or sketches do not fit together."""


class BadCandidates(PalaestraError, ValueError):
    """Profiles, conflicts, weights or the number asked for do not make a choice."""


class BadProposal(PalaestraError, ValueError):
    """What an engineer said holds nothing that could be applied."""


class UnknownTicket(PalaestraError, LookupError):
    """A group was reported for a ticket that is not out: never drawn here, or reported before."""


class ConfigError(PalaestraError, ValueError):
    """A configuration has an unknown key or a value of the wrong kind."""


class UnknownEnvironment(PalaestraError, LookupError):
    """No environment has this id."""


class EnvironmentFailed(PalaestraError, RuntimeError):
    """An environment broke its contract: its author has something to mend, its siblings go on."""


class GenerationFailed(EnvironmentFailed):
    """No acceptable problem was found within the bounded number of draws."""


class PolicyFailed(PalaestraError, RuntimeError):
    """A policy answered with the wrong number of completions, or cannot play what it was given."""


class EndpointFailed(PalaestraError, ConnectionError):
    """A model's server cannot be reached, is down, or refuses the key or the model."""


class RunFolderError(PalaestraError, OSError):
    """A run folder cannot be written, or holds something that is not a run of this configuration."""


class BrokenShard(RunFolderError):
    """A shard of trajectories is truncated or unreadable."""


class ExtraMissing(PalaestraError, ImportError):
    """An optional dependency is not installed."""


def nearest(asked: str, known: Iterable[str]) -> str:
    """Return a clause that names the closest known names, for the end of an error message.

    >>> nearest("grid/frozen_lak", ["grid/frozen_lake", "memory/pair_recall"])
    "; did you mean 'grid/frozen_lake'?"
    >>> nearest("x", ["rows", "columns"])
    '; known: columns, rows'
    """
    names = sorted(known)
    close = get_close_matches(asked, names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(names)}" if names else ""
