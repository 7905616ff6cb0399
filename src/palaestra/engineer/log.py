"""What evidence is made of: counts by part and stage, taken from episodes, or from anybody's logs as JSON.

    {"stages": [{"settings": {"lake": {"weight": 1.0, "holes": 0.2}},
                 "trained": {"lake": {"n": 320, "successes": 90}},
                 "validated": {"lake": {"n": 60, "successes": 20, "failures": {"hazard": 31}}}, "note": ""}],
     "examples": ["..."], "summary": "...", "bookkeeping": {"stage": 1}, "details": {"rate": 0.001}}

Of counts only `n` and `successes` are needed, of a stage only its settings, and everything else may be left out. The
last stage is the one that has just ended.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any

from palaestra.core.engineer import Stage
from palaestra.core.errors import ConfigError
from palaestra.core.instance import Setting
from palaestra.core.rate import Rate
from palaestra.core.space import Settings
from palaestra.core.ticket import Group
from palaestra.core.trajectory import Stop, Trajectory

CLASSES = {
    "unreadable": {"reply_unreadable"},
    "illegal": {"action_illegal"},
    "conflict": {"agents_collided", "agents_swapped"},
    "hazard": {"hazard_entered"},
    "bumped": {"edge_bumped", "obstacle_bumped"},
    "goal missed": {"goal_missed"},
}
"""Why an episode failed, by an event of its last turn; the first that fits, else how it ended."""

OPTIMAL, COSTED = "cost_optimal", ("cost_optimal", "cost_near", "cost_excessive")

Facts = Mapping[str, bool | int | float | str]


@dataclass(frozen=True, slots=True)
class Counts:
    """What the judged episodes of one part came to.

    `optimal` is None where no success says what it cost; `failures` counts classes, `events` episodes with an event,
    `actions` parts of replies; `length` is the mean reply [characters], `turns` the mean number of turns, and
    `problems` how many different ones were played.
    """

    n: int
    successes: int
    optimal: int | None = None
    failures: Mapping[str, int] = field(default_factory=dict)
    events: Mapping[str, int] = field(default_factory=dict)
    actions: Mapping[str, int] = field(default_factory=dict)
    length: float = 0.0
    turns: float = 0.0
    problems: int = 0

    def __post_init__(self) -> None:
        told = (self.failures, self.events, self.actions)
        counts = (self.n, self.successes, self.optimal or 0, self.problems, *(k for own in told for k in own.values()))
        if any(type(k) is not int or k < 0 for k in counts) or not (self.optimal or 0) <= self.successes <= self.n:
            raise ConfigError(
                f"counts: {self.successes} successes, {self.optimal} of them optimal, of {self.n}; give whole numbers, "
                "at most all of them"
            )
        if not all(type(mean) in {int, float} and 0 <= mean < inf for mean in (self.length, self.turns)):
            raise ConfigError(f"counts: length {self.length!r}, turns {self.turns!r}; both are numbers, 0 or more")

    @property
    def rate(self) -> Rate:
        """The success rate."""
        return Rate(self.successes, self.n)


@dataclass(frozen=True, slots=True)
class Record:
    """A stage that is over, in counts."""

    settings: Settings
    trained: Mapping[str, Counts] = field(default_factory=dict)
    validated: Mapping[str, Counts] = field(default_factory=dict)
    note: str = ""

    @property
    def stage(self) -> Stage:
        """The same in rates."""
        trained, validated = ({part: own.rate for part, own in counts.items()}
                              for counts in (self.trained, self.validated))  # fmt: skip
        return Stage(self.settings, trained, validated, self.note)


@dataclass(frozen=True, slots=True)
class Log:
    """Everything that evidence is built from; the file that `--evidence` names."""

    stages: tuple[Record, ...] = ()
    examples: tuple[str, ...] = ()
    summary: str = ""
    bookkeeping: Facts = field(default_factory=dict)
    details: Facts = field(default_factory=dict)

    def json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return asdict(self) | {"stages": [asdict(own) for own in self.stages], "examples": list(self.examples)}


def load(data: Any) -> Log:
    """Return the log of some JSON data.

    Raises:
        ConfigError: something in it is not what this module's head says.
    """
    try:
        stages = tuple(_record(own) for own in data.get("stages", ()))
        texts = tuple(str(own) for own in data.get("examples", ()))
        told = {name: dict(data.get(name, {})) for name in ("bookkeeping", "details")}
        return Log(stages, texts, str(data.get("summary", "")), **told)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"evidence: {error}; see palaestra.engineer.log for the form") from error


def _record(data: Mapping[str, Any]) -> Record:
    settings = {str(name): dict(own) for name, own in data["settings"].items()}
    trained, validated = (
        {str(part): Counts(**own) for part, own in data.get(side, {}).items()} for side in ("trained", "validated")
    )
    return Record(settings, trained, validated, str(data.get("note", "")))


def counted(members: Sequence[Trajectory]) -> Counts:
    """Return what some judged episodes came to, of which there may be none."""
    won = [member for member in members if member.success]
    events = Counter(e for member in members for e in dict.fromkeys(e for turn in member.turns for e in turn.events))
    turns = [turn for member in members for turn in member.turns]
    costed = any(events[name] for name in COSTED)
    return Counts(
        len(members),
        len(won),
        sum(OPTIMAL in turn.events for member in won for turn in member.turns) if costed else None,
        dict(Counter(failure(member) for member in members if not member.success).most_common()),
        dict(events.most_common()),
        dict(Counter(sign for turn in turns if turn.parsed.ok for sign in _signs(turn.parsed.value)).most_common(12)),
        round(sum(len(turn.completion.text) for turn in turns) / max(1, len(turns)), 1),
        round(len(turns) / max(1, len(members)), 2),
        len({member.key for member in members}),
    )


def examples(groups: Iterable[tuple[str, Group]], most: int = 2) -> tuple[str, ...]:
    """Return failed episodes of different parts as texts; what a policy wrote in them is untrusted."""
    told: dict[str, str] = {}
    for part, group in groups:
        lost = [member for member in group.judged() if not member.success and member.turns]
        if lost and part not in told:
            told[part] = f"[{part}] {_episode(lost[0])}"
        if len(told) == most:
            break
    return tuple(told.values())


def failure(member: Trajectory) -> str:
    """Return the class of a failed episode."""
    last = set(member.turns[-1].events) if member.turns else set()
    ended = {Stop.DONE: "lost", Stop.HORIZON: "out of turns", Stop.TOKENS: "out of tokens"}
    return next((name for name, events in CLASSES.items() if events & last), ended.get(member.stop, "illegal"))


def _signs(value: Setting | Iterable[Any] | Any) -> Iterator[str]:
    """Yield the words and numbers that an action is made of."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        yield str(value)[:20]
    else:
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _signs(part)


def _episode(member: Trajectory) -> str:
    turn = member.turns[-1]
    shown = " / ".join(turn.observation.text.splitlines())[:500]
    said = " ".join(turn.completion.text.split())[:200]
    return f"shown: {shown} -- replied: {said!r} -- {failure(member)}: {', '.join(turn.events) or member.stop}"
