"""The stage, dry: a comparison is checked, and what it would load, set, play and write is told; nothing is."""

from typing import Any

from palaestra.pipeline import engines
from palaestra.pipeline.dry import model
from palaestra.pipeline.engineering.design import EngineeringConfig, ground
from palaestra.training.embedded.device import device


def dry(design: EngineeringConfig) -> dict[str, Any]:
    """Return the plan of a comparison as JSON data: the model, what may be set, the arms, the budget.

    Raises:
        PalaestraError: as the stage does for what is wrong with the design; what is not at hand is no fault here.
    """
    space = ground(design).space
    return {
        "engine": engines.name(design),
        "model": model(design, design.learnt),
        "device": str(device(design.device)),
        "parts": [part.name for part in space.parts],
        "numbers": sum(1 + len(part.dials) for part in space.parts),
        "learnt": [harness.name for harness in design.learnt],
        "arms": {
            name: " ".join([arm.engineer, *map(str, arm.chat.values())]) + f", {len(design.runs(name))} seeds"
            for name, arm in design.arms.items()
        },
        "stages": design.stages,
        "updates": design.stages * design.updates,
        "groups": design.stages * design.updates * design.tickets,
        "rollouts": design.stages * design.rollouts,
        "validated_on": design.exam.validation * len(space.parts),
        "judged_on": design.exam.test * len(space.parts),
        "probed_on": design.rails.instances,
    }
