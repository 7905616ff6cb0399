"""A space of eight parts like the paper's, and stages in which later parts fare worse."""

from collections.abc import Mapping

from palaestra.core.engineer import Evidence, Stage
from palaestra.core.environment import EnvSpec, Knob
from palaestra.core.rate import Rate
from palaestra.core.space import Dial, Limit, Part, Settings, Space
from palaestra.engineer.space import natural

SPEC = EnvSpec(
    "toy/lake",
    1,
    "Lake",
    9,
    ({"size": 3, "holes": 0.2, "agents": 2}, {"size": 6, "holes": 0.2, "agents": 2}),
    knobs=(Knob("size", 3, 10), Knob("holes", 0.0, 0.4, "share of holes"), Knob("agents", 2, 5)),
)
HOLES, AGENTS = Dial.stepped("holes", 0.0, 0.4, 0.1, "share of holes"), Dial("agents", (2, 3, 4, 5))
SMALL = (Limit({"size": (3, 4), "holes": (0.3, 1.0)}, {"agents": (2, 3)}),)

SPACE = Space(
    tuple(Part(f"{n}x{n}", SPEC.id, (HOLES, AGENTS), (("size", n),), limits=SMALL) for n in range(3, 11)), rollouts=4
)
START: Settings = natural(SPACE, {SPEC.id: SPEC})
CURRENT = SPACE.distribution(START)


def rates(values: Mapping[str, float], n: int = 100) -> dict[str, Rate]:
    return {name: Rate(round(n * value), n) for name, value in values.items()}


FALLING = {part.name: max(0.0, 0.95 - 0.13 * k) for k, part in enumerate(SPACE.parts)}
STAGE = Stage(START, trained=rates(FALLING), validated=rates(FALLING))
TOLD = Evidence(stages=(STAGE,))
