"""What an environment is: pure rules over values, and the one rule of taking a turn.

An environment holds no data between calls. All randomness is drawn from `instance.rng()` at `reset`; a stochastic world
carries its own random key inside the state. States and public parts are frozen, hashable dataclasses, so a trajectory
replays from its instance and its replies, and the members of a group share one problem by construction.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from palaestra.core.answer import Parsed
from palaestra.core.errors import BadInstance, EnvironmentFailed, nearest
from palaestra.core.instance import Instance, Knobs, Setting, Split
from palaestra.core.observation import View

S = TypeVar("S")
P = TypeVar("P")

ILLEGAL_NOTICE = "Your last reply could not be used here, so nothing changed."
"""Opens the observation after an unreadable or illegal reply, in every harness."""

ILLEGAL_LIMIT = 3
"""The unreadable or illegal reply of this count ends the episode as no success."""


@dataclass(frozen=True, slots=True)
class Knob:
    """One parameter that may be set explicitly, from `low` to `high`, both ends solvable.

    >>> Knob("rows", 3, 12).holds(12), Knob("rows", 3, 12).holds(4.5), Knob("slip", 0.0, 0.5).holds(0)
    (True, False, True)
    """

    name: str
    low: int | float
    high: int | float
    doc: str = ""

    def holds(self, value: Setting) -> bool:
        """Return whether this knob may take a value; a knob with whole ends takes whole numbers only."""
        if isinstance(value, bool) or not isinstance(value, int if self.whole else (int, float)):
            return False
        return self.low <= value <= self.high

    @property
    def whole(self) -> bool:
        """Whether it takes whole numbers only."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    def exact(self, value: Setting) -> Setting:
        """Return a value in this knob's own kind: 0 and 0.0 are one setting, so they must not name two instances."""
        return value if self.whole or isinstance(value, bool | str) else float(value)


@dataclass(frozen=True, slots=True)
class EnvSpec:
    """What there is to know of an environment without playing it.

    `scales` gives every parameter its value at each difficulty step; `horizon` is the largest turn limit at any scale;
    `memory` is how many observations a player needs; `clairvoyant` says that `solve` uses hidden facts or chance, so
    that only `guide` may be imitated; `caption_sufficient` that the caption alone suffices to win; `train_only` names
    the scales with fewer than 200 test problems; `embedded_scales` those that a tiny policy can read at 96 pixels.

    >>> spec = EnvSpec("toy/walk", 1, "Walk", 9, ({"size": 3}, {"size": 5}), knobs=(Knob("size", 2, 9),))
    >>> spec.settings(spec.instance(scale=1, seed=0)), spec.family
    ({'size': 5}, 'toy')
    >>> spec.instance(scale=2, seed=0)
    Traceback (most recent call last):
    palaestra.core.errors.BadInstance: toy/walk: asked for scale 2; it has the scales 0 to 1
    """

    id: str
    version: int
    title: str
    horizon: int
    scales: tuple[Mapping[str, Setting], ...]
    knobs: tuple[Knob, ...] = ()
    memory: int = 1
    clairvoyant: bool = False
    caption_sufficient: bool = True
    train_only: frozenset[int] = frozenset()
    embedded_scales: tuple[int, ...] = ()
    tags: frozenset[str] = frozenset()
    source: str = ""

    def __post_init__(self) -> None:
        # one object serves the whole process: nobody may write on its scales
        object.__setattr__(self, "scales", tuple(MappingProxyType(dict(scale)) for scale in self.scales))

    def __hash__(self) -> int:
        return hash((self.id, self.version))

    @property
    def family(self) -> str:
        """The part of the id before the slash."""
        return self.id.partition("/")[0]

    def instance(self, scale: int, seed: int, split: Split = Split.TRAIN, knobs: Knobs = ()) -> Instance:
        """Return one instance of this environment, after checking that it has such a scale and such knobs.

        Raises:
            BadInstance: no such scale, knob or value, or a held-out split of a scale that is train-only.
        """
        kinds = {knob.name: knob for knob in self.knobs}
        exact = tuple((name, kinds[name].exact(value) if name in kinds else value) for name, value in knobs)
        instance = Instance(self.id, self.version, scale, seed, split, exact)
        self.settings(instance)
        return instance

    def settings(self, instance: Instance) -> dict[str, Setting]:
        """Return every parameter's value for an instance: the scale's, unless a knob sets it explicitly.

        Raises:
            BadInstance: as `instance` does, and when the instance is another environment's or another version's.
        """
        if (instance.env_id, instance.version) != (self.id, self.version):
            raise BadInstance(
                f"{self.id}.v{self.version} was asked for {instance.key()}; make the instance with its spec"
            )
        if instance.scale >= len(self.scales):
            raise BadInstance(
                f"{self.id}: asked for scale {instance.scale}; it has the scales 0 to {len(self.scales) - 1}"
            )
        if instance.scale in self.train_only and instance.split is not Split.TRAIN:
            raise BadInstance(
                f"{self.id}: scale {instance.scale} has too few problems for the {instance.split} split; use train"
            )
        settings = dict(self.scales[instance.scale])
        kinds = {knob.name: knob for knob in self.knobs} if instance.knobs else {}
        for name, value in instance.knobs:
            knob = kinds.get(name)
            if knob is None:
                raise BadInstance(f"{self.id}: no knob {name!r}{nearest(name, [knob.name for knob in self.knobs])}")
            if not knob.holds(value):
                raise BadInstance(
                    f"{self.id}: knob {name} was set to {value!r}; it goes from {knob.low} to {knob.high}"
                )
            settings[name] = value
        return settings


@dataclass(frozen=True, slots=True)
class Step(Generic[S]):
    """What one action did. `success` is a claim of its own beside the score; an illegal action changes nothing.

    >>> Step("after", 0.5, events=("pair_matched",)).done
    False
    """

    state: S
    reward: float = 0.0
    done: bool = False
    success: bool = False
    legal: bool = True
    events: tuple[str, ...] = ()


class Environment(Protocol[S, P]):
    """Rules of one world. Every method is pure.

    Rewards of an episode are finite and sum to at most 1, to 1 within 1e-9 on success. Truncation belongs to play.
    """

    @property
    def spec(self) -> EnvSpec:
        """What there is to know of it without playing it."""

    def reset(self, instance: Instance) -> S:
        """Return the first state of an instance: never terminal, and drawn at its scale."""

    def horizon(self, state: S) -> int:
        """Return the turn limit of the episode that starts at a reset state."""

    def public(self, state: S) -> P:
        """Return all that a player could have seen so far: no key, no solution."""

    def view(self, public: P, pixels: int = 448) -> View:
        """Return every channel of a position, its image `pixels` wide at most; 0 draws nothing."""

    def step(self, state: S, action: Any) -> Step[S]:
        """Return what the parsed value of a readable reply does."""

    def solve(self, state: S) -> Sequence[str] | None:
        """Return a full-information plan as replies, () when solved, None when lost or unknown."""

    def problem(self, state: S) -> bytes:
        """Return the whole initial problem, hidden facts included, without jitter, colours or random keys, up to
        symmetries."""


@runtime_checkable
class Guided(Protocol):
    """An environment with a teacher that sees what the player sees; required when clairvoyant."""

    def guide(self, public: Any) -> str | None:
        """Return the teacher's reply, None when nothing can be won any more."""


@runtime_checkable
class Sealed(Protocol):
    """An environment with hidden facts or chance: it can put another secret under the same public part."""

    def reseal(self, state: Any, seed: int) -> Any:
        """Return a state with the same public part and a freshly drawn secret."""


@runtime_checkable
class Plural(Protocol):
    """An environment with several right answers, found by another way than its grader."""

    def solutions(self, state: Any) -> Iterator[Sequence[str]]:
        """Yield different plans as replies, each of which must succeed."""


Pool = Mapping[str, Environment[Any, Any]]
"""Environments by id; passed in, never looked up, below the pipeline."""


def turn(env: Environment[S, Any], state: S, view: View, reply: str) -> tuple[Parsed, Step[S]]:
    """Take one turn: read a reply by the view's answer kind and, when readable, step.

    Raises:
        EnvironmentFailed: the environment raised, or changed the state on an illegal action.
    """
    parsed = view.answer.parse(reply)
    if not parsed.ok:
        return parsed, Step(state, legal=False, events=("reply_unreadable",))
    try:
        step = env.step(state, parsed.value)
    except Exception as error:
        raise EnvironmentFailed(
            f"{env.spec.id}: step raised {type(error).__name__} on the readable reply {reply!r:.200}: {error}"
        ) from error
    if not step.legal and ((step.state is not state and step.state != state) or step.reward or step.done):
        raise EnvironmentFailed(
            f"{env.spec.id}: the illegal reply {reply!r:.200} changed the state, paid or ended; it must do nothing"
        )
    return parsed, step
