"""``experiment.md`` of a comparison of selections: what `experiment.json` holds, as tables fit for a notebook."""

from collections.abc import Callable, Mapping
from typing import Any

from palaestra.evaluation import report
from palaestra.evaluation.figures.forest import CAPTION, Arm, forest
from palaestra.evaluation.report import Block, Figure, Section, Table
from palaestra.pipeline.experiment.tables import alone

Data = Mapping[str, Any]

GROUPS = {
    "id_single_turn": "ID, single turn", "id_multi_turn": "ID, multi-turn", "id": "ID",
    "ood_single_turn": "OOD, single turn", "ood_multi_turn": "OOD, multi-turn", "ood": "OOD",
}  # fmt: skip
"""The groups of environments, and what they are called."""

DRAWN = ("id_single_turn", "id_multi_turn", "ood_single_turn", "ood_multi_turn")

READING = (
    "All arms have the same base, rollouts, updates and test problems, and train without help, uniformly over their "
    "environments. ID are the test problems of the whole pool, whatever an arm was trained on; OOD those of held-out "
    "environments. Values are macro means over environments; in brackets stands the 95 % interval of the mean over "
    "seeds. Differences are paired by seed and problem, and their second bracket is the interval over problems, these "
    "runs given. A difference is a finding only where the first bracket excludes 0, and then one about these sets: the "
    "pool is measured once, and random_k alone draws another set for each seed. What a method would choose from "
    "another measurement, and what that were worth, no interval here tells."
)


def markdown(found: Data, picture: str) -> str:
    """Return a comparison as Markdown; it shows the picture of a name, where there is one."""
    arms, groups = found["arms"], [name for name in GROUPS if name in found["base"]]
    words = f"{found['updates']} updates and {found['rollouts']} rollouts for every run, K = {found['k']}, "
    words += f"{found['problems']} test problems (suite {found['suite']})."
    if found["unjudged"]:
        words += " Not judged, as the base can read none of their scales or too few problems are left to test by: "
        words += f"{', '.join(found['unjudged'])}."
    missing = f"{len(found['missing'])} runs are not made yet." if found["missing"] else ""
    refused = " ".join(f"There is no arm {arm}: {why}." for arm, why in found["refused"].items())
    columns = ("arm", *(GROUPS[name] for name in groups), "seeds")

    def table(title: str, what: str, told: Callable[[Data], str], base: bool = False) -> Table:
        rows = [("base", *(_rate(found["base"][name][what]) for name in groups), "")] if base else []
        for arm, own in arms.items():
            if (what, arm) != ("difference", found["baseline"]):
                values = (own["groups"][name][what] for name in groups)
                rows.append((arm, *(told(value) if value else "" for value in values), str(len(own["seeds"]))))
        return Table(title, columns, tuple(rows))

    zero = len(next(iter(arms.values()))["groups"]["id"]["base_zero"]) if arms else 0
    results: tuple[Block, ...] = (
        *([Figure("", CAPTION, picture)] if picture else []),
        table("Success", "success", _mean, base=True),
        table(f"Success less {found['baseline']}", "difference", _difference),
        table("Success less the base", "less_base", _difference),
        table("Normalised return", "return", _mean, base=True),
        table("Relative gain over the base, mean over environments", "gain", _signed),
        table("Relative gain over the base, ratio of means", "ratio", _signed),
        f"In {zero} environments of the pool the base wins nothing: there the first gain rests on smoothing alone.",
    )
    sections = [Section("results", "Results", results)] if arms else []
    sections += [Section("choices", "What was trained on", (_chosen(found),)), Section("cost", "Cost", _cost(found))]
    return report.markdown("Selections", [Section("about", "Reading", (words, READING, missing, refused)), *sections])


def picture(found: Data) -> str:
    """Return the picture as an SVG file that stands alone, empty before the first run.

    Raises:
        ExtraMissing: matplotlib is not installed.
    """
    drawn = {
        GROUPS[name]: {arm: _arm(own["groups"][name]["success"]) for arm, own in found["arms"].items()}
        for name in DRAWN
        if name in found["base"]
    }
    base = {GROUPS[name]: found["base"][name]["success"]["value"] for name in DRAWN if name in found["base"]}
    return alone(forest(drawn, base, "selections").markup) if found["arms"] else ""


def _arm(own: Data) -> Arm:
    return Arm(own["seeds"], own["mean"], own["low"], own["high"])


def _chosen(found: Data) -> Table:
    rows = tuple(
        (arm, ", ".join(seeds), str(len(env_ids)), ", ".join(sorted(env_ids)))
        for arm, own in found["arms"].items()
        for env_ids, seeds in _alike(own["environments"]).items()
    )
    return Table("The environments of each arm", ("arm", "seeds", "number", "environments"), rows)


def _alike(by_seed: Mapping[str, list[str]]) -> dict[tuple[str, ...], list[str]]:
    """Return the seeds that train on the same environments, by these."""
    found: dict[tuple[str, ...], list[str]] = {}
    for seed, env_ids in by_seed.items():
        found.setdefault(tuple(env_ids), []).append(seed)
    return found


def _cost(found: Data) -> tuple[str | Table, ...]:
    cost, measured = found["cost"], found["measured"]
    words = (
        f"Measuring the pool, apart from every budget: {cost['rollouts']} rollouts for profiles, "
        f"{cost['gradient_rollouts']} for {cost['gradients']} gradients, {cost['seconds'] / 60:.1f} minutes of one "
        f"core; of {measured['environments']} environments {measured['reliable']} have a gradient that can be told "
        "from noise (a reliability of 0.1 or more, less its standard error), the others count as unmeasured."
    )
    rows = tuple(
        (arm, seed, f"{took['training'] / 60:.1f}", f"{took['judging'] / 60:.1f}")
        for arm, seeds in found["clock"].items()
        for seed, took in seeds.items()
    )
    return words, Table("Minutes of the processor", ("arm", "seed", "training", "judging"), rows)


def _rate(own: Data) -> str:
    low, high = ("?" if own[end] is None else f"{own[end]:.3f}" for end in ("low", "high"))
    return f"{own['value']:.3f} [{low}, {high}], n = {own['n']}"


def _mean(own: Data) -> str:
    return f"{own['mean']:.3f} {_bracket(own, '.3f')}"


def _signed(own: Data) -> str:
    return f"{own['mean']:+.2f} {_bracket(own, '+.2f')}"


def _difference(own: Data) -> str:
    return f"{own['mean']:+.3f} {_bracket(own, '+.3f')} {_bracket(own['problems'], '+.3f')}"


def _bracket(own: Data, form: str) -> str:
    low, high = ("?" if own[end] is None else format(own[end], form) for end in ("low", "high"))
    return f"[{low}, {high}]"
