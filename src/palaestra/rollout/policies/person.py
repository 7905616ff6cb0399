"""A person at the terminal, as one more policy."""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from palaestra.core.policy import Completion, Conversation
from palaestra.core.runfolder import storing


def _picture_path() -> Path:
    return Path(tempfile.mkdtemp(prefix="palaestra-")) / "picture.png"


@dataclass(frozen=True, slots=True)
class Person:
    """Shows the current observation and reads one line; the end of the input stops the run as Ctrl-C does.

    The picture goes to one PNG file, written over at every turn, so that a viewer can stay open on it.
    """

    picture: Path = field(default_factory=_picture_path)
    source: TextIO = field(default_factory=lambda: sys.stdin)
    sink: TextIO = field(default_factory=lambda: sys.stderr)  # stdout is for data
    at_once: int = 1  # `Recorded` then journals reply by reply

    def __call__(self, conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        """Return the line typed for each conversation, one after the other.

        Raises:
            KeyboardInterrupt: the input has ended.
            RunFolderError: the picture cannot be written.
        """
        return [Completion(self._ask(talk)) for talk in conversations]

    def _ask(self, talk: Conversation) -> str:
        shown = talk[-1]
        self.sink.write(f"\n{shown.text}\n")
        if shown.image is not None:
            with storing(self.picture):
                self.picture.write_bytes(shown.image.png())
            self.sink.write(f"[picture: {self.picture}]\n")
        self.sink.write("> ")
        self.sink.flush()
        line = self.source.readline()
        if not line:
            raise KeyboardInterrupt
        return line.rstrip("\n")
