"""Makes `tests.envs` importable by name, here and in the fresh processes that checks start."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
