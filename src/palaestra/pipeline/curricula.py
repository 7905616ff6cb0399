"""Curricula by name, from the tables of a configuration.

    [curriculum]
    name = "hdc"              one of `CURRICULA`
    guarded = true            floor, way back and alarms around it

    [curriculum.rule]         parameters of the rule, by their names; harnesses by theirs
    tau_scale = 0.5

    [curriculum.guard]        and those of the guard
    floor = 0.2

To add a rule, give it a line in `CURRICULA`; its tables follow from its fields.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, make_dataclass
from types import MappingProxyType
from typing import Any, get_type_hints

from palaestra.core import config
from palaestra.core.curriculum import Curriculum
from palaestra.core.errors import ConfigError, nearest
from palaestra.core.observation import HARNESSES, Harness
from palaestra.curriculum.guarded import Guarded
from palaestra.curriculum.hdc import HDC
from palaestra.curriculum.template import Template
from palaestra.curriculum.uniform import Uniform

CURRICULA: Mapping[str, type[Any]] = MappingProxyType({"uniform": Uniform, "hdc": HDC})
"""Every rule by name."""

_GIVEN = ("curriculum", "template")
"""Fields that are no parameters."""

_LADDER = tuple[Harness, ...]


@dataclass(frozen=True)
class CurriculumConfig:
    """Which rule, whether it is guarded, and the parameters of both; what is left out is filled in.

    >>> CurriculumConfig("uniform", guarded=False).rule
    {'harness': 'H4'}
    """

    name: str = "hdc"
    guarded: bool = True
    rule: Mapping[str, Any] = field(default_factory=dict)
    guard: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.name not in CURRICULA:
            raise ConfigError(f"no curriculum is called {self.name!r}{nearest(self.name, CURRICULA)}")
        if self.guard and not self.guarded:
            raise ConfigError("curriculum.guard is set, but guarded = false; drop one of them")
        object.__setattr__(self, "rule", _filled(CURRICULA[self.name], self.rule, "curriculum.rule"))
        if self.guarded:
            object.__setattr__(self, "guard", _filled(Guarded, self.guard, "curriculum.guard"))

    def __str__(self) -> str:
        return f"guarded {self.name}" if self.guarded else self.name

    def make(self, template: Template) -> Curriculum[Any]:
        """Return the curriculum, its cells made by a template.

        Raises:
            BadDistribution: a parameter is out of its range.
        """
        rule = CURRICULA[self.name]
        made: Curriculum[Any] = rule(**_values(rule, self.rule), template=template)
        return Guarded(made, **_values(Guarded, self.guard)) if self.guarded else made


def harness(name: str) -> Harness:
    """Return the harness of a name.

    Raises:
        ConfigError: there is none.
    """
    if name not in HARNESSES:
        raise ConfigError(f"there is no harness {name!r}{nearest(name, HARNESSES)}")
    return HARNESSES[name]


def _filled(rule: type[Any], table: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return a table with every parameter of a rule, harnesses by name, after checking it against the rule's fields."""
    hints = get_type_hints(rule)
    own = [f for f in fields(rule) if f.name not in _GIVEN]
    schema = make_dataclass(rule.__name__, [(f.name, _plain(hints[f.name]), _named(f.default)) for f in own])
    filled = asdict(config.build(table, schema, where))
    _values(rule, filled)
    return filled


def _values(rule: type[Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a rule that a table says."""
    hints = get_type_hints(rule)
    return {name: _value(hints[name], value) for name, value in table.items()}


def _value(hint: Any, value: Any) -> Any:
    if hint is Harness:
        return harness(value)
    return tuple(map(harness, value)) if hint == _LADDER else value


def _plain(hint: Any) -> Any:
    return {Harness: str, _LADDER: tuple[str, ...]}.get(hint, hint)


def _named(default: Any) -> Any:
    if isinstance(default, Harness):
        return default.name
    return tuple(map(_named, default)) if isinstance(default, tuple) else default
