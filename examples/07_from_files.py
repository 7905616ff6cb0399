"""Ask an engineer from a loop in any language: two JSON files go out, one JSON object comes back.

python examples/07_from_files.py

Nothing of Palaestra is imported here: the loop writes what may be set and what came of its stages so far, runs

    palaestra engineer propose --evidence log.json --space space.json --engineer thresholds --json

and reads `settings`. The same four lines are a shell script, a C++ program with `popen`, or a job between two others.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

SPACE = {
    "title": "maze",
    "type": "object",
    "properties": {
        "size": {"type": "integer", "minimum": 5, "maximum": 13, "multipleOf": 2, "description": "squares a side"},
        "doors": {"enum": [0, 1, 2, 3], "description": "doors whose keys lie elsewhere"},
    },
    "allOf": [{"if": {"properties": {"size": {"maximum": 7}}}, "then": {"properties": {"doors": {"maximum": 1}}}}],
}


def train(skill: float, settings: dict[str, float]) -> tuple[float, int]:
    """Stand in for somebody's training: return the skill after 200 episodes, and how many of them were won."""
    hardness = settings["size"] / 13 + settings["doors"] / 3
    won = round(200 * min(1.0, max(0.0, 1 + skill - hardness)))
    return skill + won * (200 - won) / 100_000, won  # there is most to learn where half is won


def ask(folder: Path, stages: list[dict]) -> dict:
    """Return what the engineer proposes after these stages."""
    evidence, space = folder / "log.json", folder / "space.json"
    evidence.write_text(json.dumps({"stages": stages}))
    space.write_text(json.dumps(SPACE))
    command = ["engineer", "propose", "--evidence", evidence, "--space", space, "--engineer", "thresholds", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "palaestra.cli", *command], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main() -> None:
    """Train in three stages, and print what each was set to, what came of it, and why the next is another."""
    settings, skill, stages = {"size": 5, "doors": 0}, 0.2, []
    with TemporaryDirectory() as folder:
        for number in range(3):
            skill, won = train(skill, settings)
            stages.append({"settings": {"maze": settings}, "trained": {"maze": {"n": 200, "successes": won}}})
            told = ask(Path(folder), stages)
            print(f"stage {number}  size {settings['size']}  doors {settings['doors']}  won {won} of 200  ", end="")
            print(f"{told['engineer']}: {told['rationale']}")
            settings = told["settings"]["maze"]


if __name__ == "__main__":
    main()
