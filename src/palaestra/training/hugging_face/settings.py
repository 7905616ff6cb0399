"""What a configuration says of a Hugging Face model and its training: plain data, so that a plan can be checked dry."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from palaestra.core.errors import ConfigError

LINEAR = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
"""The linear layers of a Llama's block, and of its many kin's."""


class Precision(StrEnum):
    """In which numbers the frozen weights are held and computed with; what is trained is float32."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"


@dataclass(frozen=True)
class Lora:
    """What is trained: adapters of a `rank` beside the linear layers of some `kinds`, scaled by `alpha` / `rank`.

    `layers` names blocks by number, from the end where negative; without any all are meant. With rank 0 the linear
    layers themselves are trained instead, which is meant for a few layers.
    """

    rank: int = 16
    alpha: float = 32.0
    kinds: tuple[str, ...] = LINEAR
    layers: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.rank < 0 or self.alpha <= 0 or not self.kinds:
            raise ConfigError(
                f"rank = {self.rank}, alpha = {self.alpha}, kinds = {list(self.kinds)}; a rank starts at 0, "
                "alpha is above 0, and one kind of linear layer is the least"
            )


@dataclass(frozen=True)
class Grpo:
    """The settings of updates.

    `rate` is reached after `warm` updates. An update takes `steps` steps of the optimiser; the gradient of a step is
    accumulated over parts of at most `tokens` tokens, each reply with its context.
    """

    rate: float = 1e-4
    warm: int = 5
    steps: int = 1
    tokens: int = 4096
    clip_low: float = 0.2
    clip_high: float = 0.28
    norm: float = 1.0

    def __post_init__(self) -> None:
        if min(self.steps, self.tokens) < 1 or self.warm < 0 or min(self.rate, self.norm) <= 0:
            raise ConfigError(
                f"steps = {self.steps}, tokens = {self.tokens}, warm = {self.warm}, rate = {self.rate}, "
                f"norm = {self.norm}; the first two start at 1, warm at 0, the others are above 0"
            )
        if not (0 < self.clip_low <= 1 and self.clip_high > 0):
            raise ConfigError(
                f"clip_low = {self.clip_low}, clip_high = {self.clip_high}; ratios are kept from 1 - clip_low to "
                "1 + clip_high, so both are above 0, and the first is at most 1"
            )

    def rate_at(self, updates: int) -> float:
        """Return the rate of the update that follows so many."""
        return self.rate * min(1.0, (updates + 1) / max(self.warm, 1))


@dataclass(frozen=True)
class Imitation:
    """How long the base imitates oracles and guides first: so many `steps` of so many `episodes` each, at a `rate`.

    None by default. A model that never says anything an environment can read has nothing to be rewarded for.
    """

    steps: int = 0
    episodes: int = 8
    rate: float = 1e-3

    def __post_init__(self) -> None:
        if self.steps < 0 or self.episodes < 1 or self.rate <= 0:
            raise ConfigError(
                f"steps = {self.steps}, episodes = {self.episodes}, rate = {self.rate}; steps start at 0, episodes at "
                "1, and the rate is above 0"
            )


@dataclass(frozen=True)
class HuggingFaceConfig:
    """A model, how it is asked, and how it is trained.

    `model` is a folder that `save_pretrained` wrote, or a name on the hub. A reply ends after `longest` tokens, and is
    the likeliest one where `temperature` is 0. Pictures are `pixels` wide, for a model that takes any. `system` opens
    every conversation that does not open so itself, `template` is given to the model's chat template, as in
    ``enable_thinking = false``.

    Memory: replies are under way at once that come, with their contexts and at their longest, to at most `cached`
    tokens (one reply at least), since keys and values of each are held. With `recompute` a gradient keeps the inputs of
    layers alone and computes the rest again (activation checkpointing): a third more work.
    """

    model: str
    precision: Precision = Precision.FLOAT32
    longest: int = 256
    temperature: float = 1.0
    pixels: int = 448
    cached: int = 131_072
    recompute: bool = False
    system: str = ""
    template: Mapping[str, bool | int | float | str] = field(default_factory=dict)
    lora: Lora = field(default_factory=Lora)
    imitation: Imitation = field(default_factory=Imitation)
    grpo: Grpo = field(default_factory=Grpo)

    def __post_init__(self) -> None:
        if not self.model:
            raise ConfigError("model is empty; name a folder with weights, or a model on the hub")
        if min(self.longest, self.cached) < 1 or self.temperature < 0:
            raise ConfigError(
                f"longest = {self.longest}, cached = {self.cached}, temperature = {self.temperature}; the first two "
                "start at 1, the last at 0"
            )
