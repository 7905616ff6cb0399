"""spec: what an environment says of itself holds together."""

import re
from collections.abc import Iterator

from palaestra.core.environment import Guided, Plural, Sealed
from palaestra.envs.check.case import Case

_ID = re.compile(r"[a-z][a-z0-9_]*/[a-z][a-z0-9_]*")
SECRETIVE = frozenset({"hidden", "stochastic"})
"""Tags of worlds that hold something back: facts a player has not seen, or chance."""


def spec(case: Case) -> Iterator[str]:
    """The id is a path, there are five scales at least, and tags agree with what is implemented."""
    env, said = case.env, case.env.spec
    if not _ID.fullmatch(said.id):
        yield f"id {said.id!r}; write family/name in lower case, digits and underscores"
    if not said.title or said.version < 1 or said.memory < 1:
        yield f"title {said.title!r}, version {said.version}, memory {said.memory}; say a title, count from 1"
    if len(said.scales) < 5:
        yield f"{len(said.scales)} scales; there are at least five"
    if any(scale.keys() != said.scales[0].keys() for scale in said.scales):
        yield "scales set different parameters; every scale sets every parameter"
    names = [knob.name for knob in said.knobs]
    if len(set(names)) < len(names) or not set(names) <= said.scales[0].keys():
        yield f"knobs {names}; each is one of the scales' parameters {sorted(said.scales[0])}, once"
    for knob in said.knobs:
        if not knob.low < knob.high:
            yield f"knob {knob.name} goes from {knob.low} to {knob.high}; there must be a range"
    if not {*said.embedded_scales, *said.train_only} <= set(case.scales):
        yield f"embedded scales {said.embedded_scales}, train-only {sorted(said.train_only)}; some do not exist"
    if len(said.tags & {"single_turn", "multi_turn"}) != 1 or ("single_turn" in said.tags) != (said.horizon == 1):
        yield f"tags {sorted(said.tags)} with horizon {said.horizon}; say single_turn (horizon 1) or multi_turn"
    if said.tags & SECRETIVE and not (said.clairvoyant and isinstance(env, Guided) and isinstance(env, Sealed)):
        yield f"tags {sorted(said.tags & SECRETIVE)} need clairvoyant = True, a guide and a reseal"
    if said.clairvoyant and not isinstance(env, Guided):
        yield "clairvoyant without a guide: nothing may be imitated; write guide(public)"
    if ("many_right" in said.tags) != isinstance(env, Plural):
        yield "the tag many_right and solutions(state) come together"
    limits = [
        max(env.horizon(case.state(i)) for i in case.instances(scale, case.effort.instances)) for scale in case.scales
    ]
    if max(limits) > said.horizon:
        yield f"turn limits by scale {limits} exceed the horizon {said.horizon} of the spec"
