"""Makes the toy worlds of `levers.py`, and the chat server of `integrations/loopback.py`, importable here."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "integrations")]
