"""Whoever sits at this terminal, as a policy."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from palaestra.cli import picture
from palaestra.cli.console import ERR
from palaestra.cli.showing import panel
from palaestra.core.policy import Completion, Conversation


@dataclass(frozen=True, slots=True)
class AtTerminal:
    """Shows one observation after the other and reads a line for each; the end of the input stops the run.

    What is shown goes to stderr: stdout is for data.
    """

    at_once: int = 1  # a journal then keeps reply by reply

    def __call__(self, conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        """Return the line typed for each conversation.

        Raises:
            KeyboardInterrupt: the input has ended.
        """
        return [Completion(_asked(talk)) for talk in conversations]


def _asked(talk: Conversation) -> str:
    shown = talk[-1]
    ERR.print()
    if shown.image is not None:
        ERR.print(panel("image", picture.shown(shown.image, ERR)))
    ERR.print(panel("you see", Text(shown.text)))
    ERR.print("> ", end="")
    line = sys.stdin.readline()
    if not line:
        raise KeyboardInterrupt
    return line.rstrip("\n")
