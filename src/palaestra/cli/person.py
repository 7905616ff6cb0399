"""Whoever sits at this terminal, as a policy: the picture is drawn, the rest is `rollout.policies.Person`."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from palaestra.cli.console import ERR
from palaestra.cli.picture import drawn
from palaestra.core.policy import Completion, Conversation
from palaestra.rollout.policies import Person


@dataclass(frozen=True, slots=True)
class AtTerminal:
    """Draws the picture of each observation where the terminal has colours, then lets the person read and reply."""

    person: Person = field(default_factory=Person)
    at_once: int = 1  # a journal then keeps reply by reply

    def __call__(self, conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        """Return the line typed for each conversation.

        Raises:
            KeyboardInterrupt: the input has ended.
        """
        completions = []
        for talk, seed in zip(conversations, seeds, strict=True):
            image = talk[-1].image
            if image is not None and (picture := drawn(image, ERR)) is not None:
                ERR.print(picture)
            completions += self.person([talk], [seed])
        return completions
