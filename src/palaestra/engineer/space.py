"""The legal space as JSON Schema, out to any generator and in from any, and the projection of all that is said onto it.

    {"properties": {"parts": {"properties": {"lake": {"properties": {
        "environment": {"const": "grid/frozen_lake"}, "size": {"const": 5},
        "weight": {"type": "number", "minimum": 0, "maximum": 1}, "holes": {"enum": [0.0, 0.1, 0.2]}}}}}}}

What is `const` is fixed, what has an `enum`, or a range with or without `multipleOf`, is a dial; `if` and `then` with
ranges are dependencies. A schema without `parts` is one part: that of a generator that knows nothing of mixtures.

Source: LLM-as-Environment-Engineer projects onto legal values without saying how. Departures: to the nearest legal
value, what is not named stays as it was, and every change is told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from palaestra.core.environment import EnvSpec, Knob
from palaestra.core.errors import BadProposal, ConfigError, nearest
from palaestra.core.instance import Knobs, Setting
from palaestra.core.space import RUNG, SCALE, WEIGHT, Dial, Limit, Part, Settings, Space

DRAFT = "https://json-schema.org/draft/2020-12/schema"
ENVIRONMENT, PARTS = "environment", "parts"
SAID = ("rationale", "summary")
"""What a configuration may hold beside its parts."""

LEVELS = 20
"""Steps that a range is cut into where nobody says into how many."""

MOST = 40
"""Notes kept of one projection: whoever says more nonsense need not be told of all."""


@dataclass(frozen=True, slots=True)
class Projected:
    """Legal settings, and in words what had to be changed to make them so."""

    settings: Settings
    notes: tuple[str, ...] = ()


def parts(
    spec: EnvSpec,
    *,
    name: str = "",
    each: tuple[str, Sequence[Setting]] | None = None,
    fixed: Knobs = (),
    dials: Mapping[str, Sequence[Setting]] | None = None,
    rungs: Sequence[str] = ("H4",),
    scale: int = 0,
) -> tuple[Part, ...]:
    """Return the parts that an environment gives: one for each scale, or for each value of one knob.

    Args:
        spec: its declaration.
        name: opens the names of the parts; the environment's own by default.
        each: a knob and its values, one part for each, all at `scale`.
        fixed: further knobs that are set once.
        dials: knobs that may be set, each with its values, the easiest first; all that are left by default.
        rungs: those that may be set, the one with the most help first.
        scale: what all else is taken from where `each` makes the parts.

    Raises:
        ConfigError: there is no such knob, or it does not take such a value.
    """
    kinds = {knob.name: knob for knob in spec.knobs}
    taken = {*dict(fixed), *([each[0]] if each else [])}
    named = {n: tuple(v) for n, v in (dials or {}).items()}
    for knob, values in (*named.items(), *([each] if each else []), *((n, (v,)) for n, v in fixed)):
        if knob not in kinds or (wrong := [value for value in values if not kinds[knob].holds(value)]):
            found = (
                f"no knob {knob!r}{nearest(knob, kinds)}" if knob not in kinds else f"{knob} does not take {wrong[0]!r}"
            )
            raise ConfigError(f"{spec.id}: {found}")
    own = tuple(Dial(n, tuple(kinds[n].exact(v) for v in values), kinds[n].doc) for n, values in named.items())
    if dials is None:
        own = tuple(_dial(knob) for knob in spec.knobs if knob.name not in taken)
    if len(rungs) > 1:
        own += (Dial(RUNG, tuple(rungs), "how much help is shown, all of it in H0"),)
    opened = name or spec.id
    if each is None:
        return tuple(Part(f"{opened} {k}", spec.id, own, fixed, k, rungs[0]) for k in range(len(spec.scales)))
    knob, values = each
    return tuple(
        Part(f"{opened} {knob} {value}", spec.id, own, (*fixed, (knob, kinds[knob].exact(value))), scale, rungs[0])
        for value in values
    )


def natural(space: Space, specs: Mapping[str, EnvSpec]) -> dict[str, dict[str, Setting]]:
    """Return the settings that the environments' own scales imply, all parts alike; what is unknown is easiest."""
    found: dict[str, dict[str, Setting]] = {}
    for part in space.parts:
        spec = specs.get(part.env_id)
        scale = spec.scales[part.scale] if spec and part.scale < len(spec.scales) else {}
        own: dict[str, Setting] = {WEIGHT: round(1 / len(space.parts), 4)}
        for dial in part.dials:
            value = scale.get(dial.name)
            unknown = not isinstance(value, int | float) or isinstance(dial.values[0], str)
            own[dial.name] = dial.values[0] if value is None or unknown else dial.nearest(float(value))
        found[part.name] = part.within(own)
    return found


def schema(space: Space) -> dict[str, Any]:
    """Return the space as JSON Schema; every validator agrees on it, grids being lists of values."""
    own = {part.name: _part_schema(part) for part in space.parts}
    held = {"type": "object", "properties": own, "required": list(own), "additionalProperties": False}
    return {"$schema": DRAFT, "title": "configuration", **_object({PARTS: held}, [PARTS])}


def load(data: Any, rollouts: int = 16) -> Space:
    """Return the space of a JSON Schema.

    Raises:
        ConfigError: it is none, or says nothing that could be set.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("properties"), Mapping):
        raise ConfigError("space: found no JSON Schema of an object; give one with `properties`")
    held = data["properties"].get(PARTS, {"properties": {str(data.get("title", ENVIRONMENT)): data}})
    named = held.get("properties") if isinstance(held, Mapping) else None
    if not isinstance(named, Mapping):
        raise ConfigError(f"space: `{PARTS}` has no `properties`; give one for each part")
    return Space(tuple(_part(name, own) for name, own in named.items()), rollouts)


def project(said: Any, space: Space, current: Settings) -> Projected:
    """Return the legal settings nearest to what was said; what is not said, or is no value, stays as it is.

    Raises:
        BadProposal: nothing of it names a part.
    """
    if not isinstance(said, Mapping):
        raise BadProposal(f"found {type(said).__name__}, no JSON object; give one with {PARTS!r}")
    named = said.get(PARTS, said)
    names = [part.name for part in space.parts]
    if not isinstance(named, Mapping) or not any(name in named for name in names):
        raise BadProposal(f"no part is named under {PARTS!r}; its parts are {', '.join(names)}")
    notes: list[str] = []
    own_names = {*names, *(SAID if named is said else ())}
    notes += [f"{_short(name)} is no part: dropped" for name in named if name not in own_names]
    if named is not said:
        notes += [f"{_short(name)} is out of reach: dropped" for name in said if name not in (PARTS, *SAID)]
    found = {part.name: _projected(part, named.get(part.name), current[part.name], notes) for part in space.parts}
    weights = [float(own[WEIGHT]) for own in found.values()]
    if max(weights) > 1:
        notes.append(f"weights above 1: divided by {max(weights):.6g}")
        for own in found.values():
            own[WEIGHT] = round(float(own[WEIGHT]) / max(weights), 4)
    if not any(float(own[WEIGHT]) for own in found.values()):
        notes.append("no weight is positive: the weights stay")
        for name, own in found.items():
            own[WEIGHT] = current[name][WEIGHT]
    return Projected(found, tuple(notes[:MOST]))


def _projected(part: Part, said: Any, current: Mapping[str, Setting], notes: list[str]) -> dict[str, Setting]:
    own = dict(current)
    if said is None:
        notes.append(f"{part.name} is not named: stays")
        return own
    if not isinstance(said, Mapping):
        said = {WEIGHT: said}  # a bare number is a weight
    dials = {dial.name: dial for dial in part.dials}
    for name, value in said.items():
        if name == WEIGHT:
            number = _number(value)
            if number is None or number < 0:
                notes.append(f"{part.name}: weight {_short(value)} is no share: stays {own[WEIGHT]}")
            else:
                own[WEIGHT] = round(number, 4)
        elif name in dials:
            own[name] = _set(dials[name], value, own[name], f"{part.name}: {name}", notes)
        elif (
            name not in {**part.fixed, ENVIRONMENT: part.env_id}
            or {**part.fixed, ENVIRONMENT: part.env_id}[name] != value
        ):
            notes.append(f"{part.name}: {_short(name)} cannot be set: dropped")
    kept = part.within(own)
    notes += [f"{part.name}: {n} {own[n]} breaks a limit: {kept[n]}" for n in own if own[n] != kept[n]]
    return kept


def _set(dial: Dial, value: Any, stays: Setting, where: str, notes: list[str]) -> Setting:
    """Return the legal value nearest to one that was said."""
    if isinstance(dial.values[0], str):
        legal = next((own for own in dial.values if str(own).lower() == str(value).strip().lower()), None)
    else:
        number = _number(value)
        legal = None if number is None else dial.nearest(number)
    if legal is None:
        notes.append(f"{where} {_short(value)} is no value: stays {stays}")
        return stays
    if legal != value:
        notes.append(f"{where} {_short(value)} became {legal}")
    return legal


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def _short(value: Any) -> str:
    text = "".join(sign if sign.isprintable() else "?" for sign in str(value)[:60])
    return text if len(text) < 40 else f"{text[:37]}..."


def _dial(knob: Knob) -> Dial:
    if knob.whole:
        step = max(1, -(-(int(knob.high) - int(knob.low)) // LEVELS))
        return Dial(knob.name, tuple(range(int(knob.low), int(knob.high) + 1, step)), knob.doc)
    return Dial.stepped(knob.name, float(knob.low), float(knob.high), (knob.high - knob.low) / LEVELS, knob.doc)


def _object(properties: Mapping[str, Any], required: Sequence[str]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": list(required), "additionalProperties": False}


def _part_schema(part: Part) -> dict[str, Any]:
    fixed = {name: {"const": value} for name, value in {ENVIRONMENT: part.env_id, **part.fixed}.items()}
    dials = {d.name: {"enum": list(d.values), **({"description": d.doc} if d.doc else {})} for d in part.dials}
    weight = {"type": "number", "minimum": 0, "maximum": 1, "description": "share of the training tickets"}
    own = _object({**fixed, WEIGHT: weight, **dials}, [WEIGHT, *dials])
    rules = [{"if": _ranges(own.when) | {"required": list(own.when)}, "then": _ranges(own.then)} for own in part.limits]
    return own | ({"allOf": rules} if rules else {})


def _ranges(bounds: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    ends = {name: {"minimum": low, "maximum": high} for name, (low, high) in bounds.items()}
    return {"properties": {name: {k: v for k, v in own.items() if isfinite(v)} for name, own in ends.items()}}


def _part(name: str, data: Any) -> Part:
    """Return the part of a schema."""
    if not isinstance(data, Mapping) or not isinstance(data.get("properties"), Mapping):
        raise ConfigError(f"space, part {name!r}: found no `properties`; give one for each dial")
    own = {key: value for key, value in data["properties"].items() if key != WEIGHT}
    if wrong := [key for key, value in own.items() if not isinstance(value, Mapping)]:
        raise ConfigError(f"space, part {name!r}: {wrong[0]!r} is no schema; give `const`, `enum` or a range")
    fixed = {key: value["const"] for key, value in own.items() if "const" in value}
    dials = tuple(_read(name, key, value) for key, value in own.items() if key not in fixed)
    env_id, scale, rung = fixed.pop(ENVIRONMENT, name), fixed.pop(SCALE, 0), fixed.pop(RUNG, "H4")
    try:
        limits = tuple(Limit(_bounds(rule["if"]), _bounds(rule["then"])) for rule in data.get("allOf", ()))
        return Part(name, str(env_id), dials, tuple(sorted(fixed.items())), int(scale), str(rung), limits)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"space, part {name!r}: {error!r}; a scale is whole, `allOf` holds `if` and `then` with ranges"
        ) from error


def _bounds(data: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    def ends(own: Mapping[str, Any]) -> tuple[float, float]:
        low, high = own.get("minimum", -inf), own.get("maximum", inf)
        return own.get("const", low), own.get("const", high)

    return {name: ends(own) for name, own in data["properties"].items()}


def _read(part: str, name: str, data: Mapping[str, Any]) -> Dial:
    doc = str(data.get("description", ""))
    values = data.get("enum")
    if isinstance(values, list | tuple) and all(isinstance(value, bool | int | float | str) for value in values):
        return Dial(name, tuple(values), doc)
    low, high = data.get("minimum"), data.get("maximum")
    step = data.get("multipleOf", 1)
    if isinstance(low, int | float) and isinstance(high, int | float) and isinstance(step, int | float):
        if data.get("type") == "integer" or (
            isinstance(low, int) and isinstance(high, int) and data.get("multipleOf") == 1
        ):
            return Dial.stepped(name, int(low), int(high), int(data.get("multipleOf", 1)), doc)
        return Dial.stepped(name, low, high, data.get("multipleOf", (high - low) / LEVELS or 1), doc)
    raise ConfigError(f"space, part {part!r}: {name!r} has no `const`, `enum`, or `minimum` and `maximum`")
