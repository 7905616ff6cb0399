"""How gradients are measured: the table `[gradients]` of a measurement's configuration."""

from dataclasses import dataclass
from enum import StrEnum

from palaestra.core.errors import ConfigError, nearest
from palaestra.core.observation import HARNESSES

AUTO = "auto"
"""The rung that a pilot chooses."""

FIRST = 10
"""How many batches every environment has before it is asked whether more are needed."""

LEAST_CAP = 50
"""The fewest groups that a cap may be: with fewer, next to no environment is measured at all."""

NARROWEST = 4096
"""The fewest numbers of a sketch: below, the projection's own noise is what one reads."""


class Metric(StrEnum):
    """What gradients are divided by before they are compared.

    `adam` and `fisher` need the optimiser's second moments, at the power 1/4 and 1/2 of each side. `auto` is `adam`
    where there are any, since raw products get a quarter of clear signs wrong, and `raw` before the first step.
    """

    AUTO = "auto"
    RAW = "raw"
    ADAM = "adam"
    FISHER = "fisher"


POWERS = {Metric.RAW: 0.0, Metric.ADAM: 0.5, Metric.FISHER: 1.0}


@dataclass(frozen=True)
class GradientConfig:
    """How gradients are measured: disjoint batches of `groups` groups of `rollouts` members each.

    There are as many batches as it takes for sharp cosines (`measure.sampling`), up to `cap` groups an environment; or
    exactly `batches`, whatever the errors, when that is given: then the cap does not bind, nor does its least, under
    which most environments stay unmeasured. `k` is how many numbers a sketch keeps, `guided` the share of each group
    that acts under H0 instead of the rung that is learnt.

    `rung` "auto" measures each environment where its success is nearest one half, at one rung and one scale that a
    pilot of `pilot` problems for each of them finds. Cosines then compare what each environment teaches *now*, one
    with help perhaps and another without; they do not say how the two would fare at one rung. A rung by name, such as
    "H4", is the same for all environments, at all scales that the policy can read, and most groups may then be dead.
    """

    batches: int | None = None
    groups: int = 5
    rollouts: int = 16
    cap: int = 200
    k: int = 8192
    rung: str = AUTO
    pilot: int = 4
    guided: float = 0.0
    metric: Metric = Metric.AUTO

    def __post_init__(self) -> None:
        if self.first < 3 or self.groups < 1 or self.rollouts < 2 or self.pilot < 1:
            raise ConfigError(
                f"batches = {self.first}, groups = {self.groups}, rollouts = {self.rollouts}, pilot = {self.pilot}; "
                "errors need 3 batches, a batch one group, a group 2 members to differ, and a pilot one problem"
            )
        if self.cap < LEAST_CAP or (self.batches is None and self.cap < FIRST * self.groups):
            raise ConfigError(
                f"cap = {self.cap} groups an environment; {LEAST_CAP} are the least that measures anything, and the "
                f"first {FIRST} batches of {self.groups} groups must fit: raise it, or fix the number by batches = 10"
            )
        if self.k < NARROWEST:
            raise ConfigError(f"k = {self.k}; below {NARROWEST} a sketch adds too much noise of its own")
        if self.rung not in (AUTO, *HARNESSES):
            raise ConfigError(f"rung = {self.rung!r}; there is no such harness{nearest(self.rung, (AUTO, *HARNESSES))}")
        if not 0 <= self.guided <= 1:
            raise ConfigError(f"guided = {self.guided}; it is a share of each group, from 0 to 1")

    @property
    def first(self) -> int:
        """How many batches every environment has at least."""
        return FIRST if self.batches is None else self.batches

    @property
    def most(self) -> int:
        """How many batches an environment has at most."""
        return self.cap // self.groups if self.batches is None else self.batches
