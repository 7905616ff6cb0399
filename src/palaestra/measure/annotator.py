"""A language model cuts a trajectory into segments and names an ability for each.

It is asked twice at most: an answer that does not hold is sent back once with what is wrong. What still does not hold
falls back on the events, read in the names that were allowed. Pictures are shown, events never, nor the house's names
for them where names are to be coined: a labeler that read them would agree with them.

Source: Ability-aware Environment Selection, appendix F: a model segments, names are snake_case verb_object. Departures:
neither its prompt nor its schema is known; ours is a list of names in the order of the segments and no more, as weak
models lost themselves in the numbers of turns, and nothing downstream reads those.
"""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palaestra.core.observation import Observation
from palaestra.core.policy import Chat, Conversation, Message
from palaestra.core.trajectory import Trajectory
from palaestra.measure.dictionary import Dictionary, normalised
from palaestra.measure.labelers import EventLabeler, Labeler, runs

SHOWN = 4000
"""Characters of one text that are shown at most."""

MOST = 24
"""Segments of one episode at most: a model in a loop writes without end."""

_TASK = """You read an episode of a player in a small world and name the abilities that it exercises.
Cut the episode into segments, in order; a turn that takes several abilities has a segment for each.
Name each segment by one reusable ability that does not depend on this world, as verb_object in snake_case.
Trying counts as much as succeeding.
Answer with JSON alone, {"abilities": [...]}, one name for each segment, in order."""  # weak models copy an example


class Invalid(ValueError):
    """What is wrong with a model's answer, in words that it can mend it by."""


def what_was_shown(trajectory: Trajectory) -> Iterable[Observation]:
    """Return what the player saw at each turn."""
    return [turn.observation for turn in trajectory.turns]


@dataclass(frozen=True)
class Annotator:
    """A labeler that asks a chat; `counts` tells how many answers were sound, repaired, or given up for events.

    With `closed` only the abilities of `dictionary` may be named, else they are offered and others may be coined;
    `shown` returns what each turn looked like.
    """

    chat: Chat
    dictionary: Dictionary
    closed: bool = True
    shown: Callable[[Trajectory], Iterable[Observation]] = what_was_shown
    fallback: Labeler = field(default_factory=EventLabeler)
    counts: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def __call__(self, trajectory: Trajectory) -> Sequence[str]:
        """Return the abilities of one trajectory, in order; raises what the chat does."""
        if not trajectory.turns:
            return ()
        names, how = self._asked(trajectory)
        with self._lock:
            self.counts[how] += 1
        return runs(names)

    def _asked(self, trajectory: Trajectory) -> tuple[Sequence[str], str]:
        talk, turns = self._conversation(trajectory), len(trajectory.turns)
        schema = _schema(turns, sorted(self.dictionary.abilities) if self.closed else None)
        for how in ("sound", "repaired"):
            said = self.chat(talk, schema)
            if said.error:
                break
            try:
                if said.truncated:
                    raise Invalid("the answer was cut off; write fewer segments, and nothing but JSON")
                return self._names(said.text, turns), how
            except Invalid as wrong:
                again = f"That does not hold: {wrong}. Answer again, with JSON alone."
                talk = (*talk, Message("assistant", said.text[:SHOWN]), Message("user", again))
        seen = (self.dictionary.ability(name) for name in self.fallback(trajectory))
        return [name for name in seen if name is not None], "fallback"

    def _names(self, text: str, turns: int) -> list[str]:
        """Return the abilities in a model's answer.

        Raises:
            Invalid: it does not hold.
        """
        names: list[str] = []
        for at, name in enumerate(_listed(text, turns), 1):
            ability = self.dictionary.ability(name)
            if ability is None and self.closed:
                raise Invalid(f"segment {at}: {name[:60]!r} is none of the abilities that were listed")
            plain = normalised(name)
            if ability is None and not (2 <= len(plain.split("_")) <= 6 and plain[0].isalpha()):
                raise Invalid(f"segment {at}: {name[:60]!r} is not verb_object in two to six words")
            names.append(ability or plain)
        return names

    def _conversation(self, trajectory: Trajectory) -> Conversation:
        offer = "Use only these" if self.closed else "Use one of these where it fits, else coin one"
        names = ", ".join(sorted(self.dictionary.abilities))
        listed = f"{_TASK}\n{offer}: {names}." if names else _TASK
        turns = [
            Message(
                "user",
                f"Turn {n}. The player was shown:\n{seen.text[:SHOWN]}\nIt replied:\n{turn.completion.text[:SHOWN]}",
                seen.image,
            )
            for n, (seen, turn) in enumerate(zip(self.shown(trajectory), trajectory.turns, strict=False), 1)
        ]
        end = "won" if trajectory.success else "lost"
        return (
            Message("system", listed),
            *turns,
            Message("user", f"The episode was {end}. Name its abilities, {_most(len(turns))} at most."),
        )


def _listed(text: str, turns: int) -> Sequence[str]:
    """Return the names in an answer, in order."""
    start, end = text.find("{"), text.rfind("}")
    try:
        names = json.loads(text[start : end + 1] if start >= 0 else text)["abilities"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise Invalid('it is no JSON object with a list "abilities"') from None
    if not isinstance(names, list) or not 1 <= len(names) <= _most(turns):
        raise Invalid(f'"abilities" is a list of 1 to {_most(turns)} names')
    for at, name in enumerate(names, 1):
        if not isinstance(name, str):
            raise Invalid(f"segment {at} is {str(name)[:60]}; a name is a text")
    return names


def _most(turns: int) -> int:
    """Return how many segments an episode can have."""
    return min(MOST, 4 + 2 * turns)


def _schema(turns: int, closed: Sequence[str] | None) -> Mapping[str, Any]:
    """Return the JSON schema of an answer; strict servers want every field required and no other."""
    ability = {"type": "string"} if closed is None else {"type": "string", "enum": list(closed)}
    return {
        "type": "object",
        "properties": {"abilities": {"type": "array", "items": ability, "minItems": 1, "maxItems": _most(turns)}},
        "required": ["abilities"],
        "additionalProperties": False,
    }
