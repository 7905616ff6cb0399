"""The rules under test, and how to make groups for them by hand."""

from collections.abc import Mapping
from typing import Any

from palaestra.core.curriculum import Curriculum
from palaestra.core.distribution import Cell
from palaestra.core.environment import EnvSpec
from palaestra.core.instance import Instance
from palaestra.core.observation import H4, LADDER
from palaestra.core.ticket import Group, Ticket
from palaestra.curriculum.guarded import Guarded
from palaestra.curriculum.hdc import HDC
from palaestra.curriculum.simulate import Learner
from palaestra.curriculum.template import Template
from palaestra.curriculum.uniform import Uniform

GUIDED = Template(learn=H4, guided=0.5, rollouts=8)
SOME_SCALES = Template(rollouts=4, scales={"check/long": (0, 2, 3), "check/short": (1,)})
QUICK = HDC(tau_scale=0.6, tau_harness=0.6, least=1, width=2)

RULES: Mapping[str, Curriculum[Any]] = {
    "uniform": Uniform(),
    "uniform, guided": Uniform(LADDER[0], GUIDED),
    "hdc": HDC(),
    "hdc, guided": HDC(0.4, 0.4, least=1, template=GUIDED),
    "hdc, one rung, some scales": HDC(0.6, 0.6, least=1, ladder=(H4,), template=SOME_SCALES),
    "hdc, without revisits": HDC(0.6, 0.6, p_current=1.0, least=1),
    "guarded uniform": Guarded(Uniform(template=SOME_SCALES)),
    "guarded hdc": Guarded(QUICK, demote=0.8, least=2),
}

ALWAYS, NEVER = Learner(talent=99.0), Learner(talent=-99.0)


def spec(name: str = "toy/walk", scales: int = 3) -> EnvSpec:
    return EnvSpec(name, 1, "Walk", 9, tuple({"size": scale} for scale in range(scales)))


def ticket(cell: Cell, number: int = 0) -> Ticket:
    return Ticket(number, cell, Instance(cell.env_id, 1, cell.scale, number))


def groups(cell: Cell, count: int, learner: Learner = ALWAYS) -> list[Group]:
    """So many groups of a cell, by default all successful."""
    return [learner.play(ticket(cell, number)) for number in range(count)]
