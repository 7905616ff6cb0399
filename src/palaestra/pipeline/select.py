"""Stage "select": from the profiles of a run, and its sketches when there are any, to the environments to train on.

    RUN/selection.json           the last selection: what is trained on
    RUN/selections/METHOD.json   the last one of each method, to be compared

It reads files only, so profiles may come from anywhere; `evidence` says what else it reads where it is there.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from palaestra.core.errors import BadMeasurement, ConfigError, RunFolderError, nearest
from palaestra.core.gradient import GradientSketch
from palaestra.core.profile import AbilityProfile
from palaestra.core.runfolder import RunFolder
from palaestra.core.selection import Selection
from palaestra.measure.conflict import cosines
from palaestra.pipeline import cost, evidence, profiles, sketches
from palaestra.pipeline.profiles import core_abilities
from palaestra.selection import METHODS
from palaestra.selection.conflict import Conflict
from palaestra.selection.inclusion import inclusion
from palaestra.selection.objective import objective, saturation
from palaestra.selection.terms import Terms
from palaestra.selection.why import Reason, reasons

NAME, EVERY = "selection.json", "selections"
"""The file in a run folder, and the folder that holds one such file for each method."""

CONFLICTS = ("posterior", "naive")
"""How conflict is read off sketches: the expected negative part of a corrected cosine, or the paper's bare one."""

DRAWS = 100
"""How many sets of re-drawn profiles inclusion is the share of."""

BATCHES = 20_000
"""How many batches of gradients may be compared each with each: their products take 3 GiB, and as much again thrice."""

SKETCHED = ("aes", "local_search", "exact", "conflict_only", "doge")
"""Methods that read sketches, and so are charged what these cost."""

SLOW = ("exact", "local_search")
"""Methods whose inclusion is not computed unless asked for."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A selection, beside the profiles it was made from, and why each environment is in or out.

    `inclusion` is the share of `draws` sets of re-drawn profiles, and empty where nothing could be resampled; `value`
    is the objective F of the chosen set.
    """

    selection: Selection
    profiles: tuple[AbilityProfile, ...]
    picked: tuple[Reason, ...]
    rejected: tuple[Reason, ...]
    value: float
    inclusion: Mapping[str, float] = field(default_factory=dict)
    draws: int = 0

    def curve(self) -> list[int]:
        """Return how many core abilities are covered after each pick."""
        by_id = {profile.env_id: profile for profile in self.profiles}
        picked = [by_id[env_id] for env_id in self.selection.env_ids]
        return [len(core_abilities(picked[: n + 1])) for n in range(len(picked))]

    def json(self) -> dict[str, Any]:
        """Return it as JSON data; what was not computed is null."""
        chosen = self.selection
        gap = None if chosen.bound is None else chosen.bound - self.value
        return {
            "method": chosen.method,
            "picks": [self._described(reason) for reason in self.picked],
            "rejected": [self._described(reason) for reason in self.rejected],
            "draws": self.draws,
            "covered": sorted(chosen.covered),
            "core_abilities": core_abilities(self.profiles),
            "unmeasured": sorted(chosen.unmeasured),
            "cost": dict(chosen.cost),
            "saturation": saturation(chosen),
            "objective": {"value": self.value, "bound": chosen.bound, "gap": gap},
        }

    def _described(self, reason: Reason) -> dict[str, Any]:
        own = reason.pick
        return {
            "id": own.env_id,
            "coverage": own.coverage,
            "redundancy": own.redundancy,
            "conflict": own.conflict,
            "gain": own.gain,
            "inclusion": self.inclusion.get(own.env_id),
            "why": reason.why,
        }


def select(
    run: Path,
    method: str = "aes",
    k: int | None = None,
    seed: int = 0,
    *,
    conflict: str = "posterior",
    draws: int | None = None,
) -> Selected:
    """Select from a run folder by the method of a name, and write the selection there.

    Args:
        conflict: how it is read off the sketches, one of `CONFLICTS`.
        draws: over how many re-drawn sets of profiles inclusion is computed; by default `DRAWS`, for `SLOW` methods 0.

    Raises:
        ConfigError: there is no such method or conflict, or a profile is of an environment that is held out.
        RunFolderError: profiles are missing, or a file is damaged.
        BadCandidates: the profiles or `k` make no choice, or the method lacks what it compares.
        BadMeasurement: the sketches do not belong together, or are too many to compare each with each.
        ExtraMissing: the method, the sketches or the trajectories need a package that is not installed.
    """
    name = method.replace("-", "_")
    if name not in METHODS:
        raise ConfigError(f"no method is called {method!r}{nearest(name, METHODS)}")
    if conflict not in CONFLICTS:
        raise ConfigError(f"no conflict is called {conflict!r}{nearest(conflict, CONFLICTS)}")
    found = profiles.read(run)
    known = {profile.env_id for profile in found}
    profiles.allowed(known)
    pulls = [sketch for sketch in sketches.read(run) if sketch.env_id in known]
    gradients = evidence.mean_gradients(pulls)
    against: Conflict = {}
    if gradients:
        against = gradients if conflict == "naive" else _posterior(pulls)
    beyond = evidence.evidence(run, name, sorted(known), gradients)
    made = METHODS[name](found, against, k, seed, beyond)
    times = (0 if name in SLOW else DRAWS) if draws is None else draws
    others = evidence.redrawn(run, found, times, seed)
    included = inclusion(METHODS[name], others, against, k, seed, beyond)
    terms = Terms.of(found, against)
    order = [terms.env_ids.index(env_id) for env_id in made.env_ids]
    picks = tuple(replace(pick, inclusion=included.get(pick.env_id)) for pick in made.picks)
    made = replace(made, picks=picks, cost=_charged(run, made, terms.rollouts))
    selected = Selected(made, tuple(found), *reasons(terms, order), objective(terms, order), included, len(others))
    for file in (f"{EVERY}/{name}.json", NAME):
        RunFolder(run).write_json(file, selected.json())
    return selected


def chosen(run: Path) -> tuple[str, ...]:
    """Return the environments that were selected in a run folder, none where nothing was.

    Raises:
        RunFolderError: the file is damaged.
    """
    path = run / NAME
    try:
        return tuple(str(pick["id"]) for pick in json.loads(path.read_text(encoding="utf-8"))["picks"])
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise RunFolderError(f"{path} is damaged ({error!r}); select again") from error


def _charged(run: Path, made: Selection, profiled: int) -> dict[str, float]:
    """Return what a choice took: of what measuring did, the part that its method reads; processor time has no parts."""
    if made.method not in SKETCHED:
        return dict(made.cost)
    spent = cost.read(run)
    if "rollouts" in spent and "rollouts" not in made.cost:  # it reads no profile
        spent["rollouts"] = max(spent["rollouts"] - profiled, 0.0)
    return {**made.cost, **spent}


def _posterior(pulls: Sequence[GradientSketch]) -> Conflict:
    if (batches := sum(len(pull.batches_MK) for pull in pulls)) > BATCHES:
        raise BadMeasurement(
            f"posterior conflict compares all {batches} batches of {len(pulls)} environments with one another, "
            f"{BATCHES} at most; use --conflict naive"
        )
    return cosines(pulls).conflict()
