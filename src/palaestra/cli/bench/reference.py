"""What `bench train` compares trainers on: a network of about 150,000 parameters that walks a small frozen lake.

It sees a picture and no text, and answers with one token. Groups of 16 play eight boards for each update, from which
all rows are learnt, in one step of the optimiser. Departure: pictures are as wide as the engine's stem takes them.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from palaestra.cli.bench.lakes import PICTURE, Silent
from palaestra.cli.bench.pace import Pace, paced
from palaestra.core.trainer import Checkpoint
from palaestra.curriculum.feed import Feed
from palaestra.curriculum.template import Roster, Template
from palaestra.curriculum.uniform import Uniform

if TYPE_CHECKING:
    from palaestra.training.embedded.backend import Embedded

GROUP, GROUPS = 16, 8
"""Members of a group, and groups for each update."""

WIDTH, LAYERS, WARM, SLIPS = 56, 2, 120, 0.5
"""The size of the network, and the steps of its warm start with the share of slips in it. They are not timed. Without a
warm start hardly a group has a signal, and an update costs nothing; the same is true of a policy that is sure."""

ALL = 1 << 20
"""More rows than an update has."""


@dataclass(frozen=True)
class Reference:
    """The engine with the base that it starts from, whichever lake it plays."""

    engine: "Embedded"
    base: Checkpoint

    @staticmethod
    def made(folder: Path, seed: int) -> "Reference":
        """Make the base in a folder."""
        from palaestra.training.embedded.backend import Embedded
        from palaestra.training.embedded.grpo import Grpo
        from palaestra.training.embedded.pretrain import WarmStart

        plan, warm = Grpo(most=ALL, rows=ALL), WarmStart(steps=WARM, contexts=24, slips=SLIPS)
        engine = Embedded(folder, seed, GROUPS, grpo=plan, warm=warm, width=WIDTH, layers=LAYERS, longest=1)
        return Reference(engine, engine.base({Silent.spec.id: Silent()}))

    def still(self, rate: float) -> "Reference":
        """Return it with another rate: a small one leaves the policy as it is, and all groups their signal."""
        return replace(self, engine=replace(self.engine, grpo=replace(self.engine.grpo, rate=rate)))

    def feed(self) -> Feed[Roster]:
        """Return boards of the smallest lake, the same ones in the same order at each call."""
        template = Template(rollouts=GROUP, scales={Silent.spec.id: (0,)})
        return Feed(Uniform(PICTURE, template), [Silent.spec], self.engine.seed)

    def pace(self, lake: Silent, seconds: float) -> Pace:
        """Return how fast it is trained on a lake."""
        return paced(self.engine, self.feed(), {lake.spec.id: lake}, self.base, seconds)
