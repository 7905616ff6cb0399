"""Put an engineer between the stages of a training loop that is yours, whatever engine and environment it has.

    python examples/03_engineer.py thresholds

The world here is made up: a swing-up task whose mass and gravity may be set, and a learner that gets better at what it
is trained on. All that an engineer needs is a JSON Schema of what may be set, and counts of what came of it.
"""

import sys
from math import exp

from palaestra.engineer import ENGINEERS
from palaestra.engineer import space as spaces
from palaestra.engineer.evidence import evidence
from palaestra.engineer.log import Counts, Log, Record

SCHEMA = {
    "title": "swing_up",
    "type": "object",
    "properties": {
        "mass": {
            "type": "number",
            "minimum": 0.5,
            "maximum": 2.0,
            "multipleOf": 0.25,
            "description": "of the pole [kg]",
        },
        "gravity": {"enum": [6.0, 8.0, 9.8, 12.0], "description": "in m/s^2, the easiest first"},
    },
}


def train(skill: float, settings: dict[str, float]) -> tuple[float, int]:
    """Your loop, for one stage: return the skill after it, and successes in 200 episodes."""
    difficulty = 2 * settings["mass"] + settings["gravity"] / 4
    chance = 1 / (1 + exp(difficulty - skill))
    return skill + 4 * chance * (1 - chance), round(200 * chance)


def main(name: str = "thresholds") -> None:
    space = spaces.load(SCHEMA)
    engineer, part = ENGINEERS[name](), space.parts[0].name
    current = space.distribution(spaces.natural(space, {}))
    stages: list[Record] = []
    skill = 3.0
    for stage in range(8):
        settings = space.settings(current)
        skill, won = train(skill, settings[part])
        print(f"stage {stage}: {settings[part]} -> {won} of 200")
        stages.append(Record(settings, trained={part: Counts(200, won)}))
        proposal = engineer.propose(current, evidence(Log(tuple(stages)), space), space)
        current = proposal.distribution
        print(f"  {name}: {proposal.rationale}")


if __name__ == "__main__":
    main(*sys.argv[1:])
