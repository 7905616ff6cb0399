"""``experiment.md`` and its pictures: what `experiment.json` holds, as tables fit for a notebook.

Values over seeds are written as mean (least to most), those over problems with their 95 % interval and count.
"""

from collections.abc import Mapping
from importlib.resources import files
from statistics import fmean
from typing import Any

from palaestra.evaluation import report
from palaestra.evaluation.figures.arms import Curve, arms
from palaestra.evaluation.report import Block, Figure, Section, Table

Data = Mapping[str, Any]

READING = (
    "All arms have the same base, rollouts, updates and test problems, seed by seed. Success is that of the last "
    "checkpoint without help (H4); grey is the same with grey pictures, H1 and H0 with help. The difference is paired "
    "by seed and problem; beyond counts the seeds in which it is beyond noise over problems. Seconds are of the "
    "processor, for training alone. Signal is the share of groups whose members did not all end alike, from the first "
    "checkpoint to the last. Clipped replies and the effective sample size of helped ones are means over updates."
)


def markdown(found: Data, pictures: Mapping[str, str]) -> str:
    """Return an experiment as Markdown; it shows the pictures that there are."""
    words = f"{found['updates']} updates and {found['rollouts']} rollouts for every run. {READING}"
    missing = f"{len(found['missing'])} runs are not made yet." if found["missing"] else ""
    about = Section("conditions", "Conditions", (words, *([missing] if missing else []), _conditions(found)))
    sections = [_section(name, own, found, pictures) for name, own in found["problems"].items() if own["arms"]]
    return report.markdown("Experiment", [about, *sections])


def pictures(found: Data) -> dict[str, str]:
    """Return the picture of each problem as an SVG file that stands alone, by the file's name.

    Raises:
        ExtraMissing: matplotlib is not installed.
    """
    return {
        _file(name): alone(arms(_curves(own), found["baseline"], name, "arms").markup)
        for name, own in found["problems"].items()
        if own["arms"]
    }


def _conditions(found: Data) -> Table:
    columns = ("problem", "environment", "scale", "base at H4", "at H1", "at H0", "random", "conditions")
    rows = [
        (
            name,
            own["environment"],
            str(own["scale"]),
            *(_rate(own["base"][player]) for player in ("H4", "H1", "H0", "random")),
            "met" if own["base"]["met"] else "not met",
        )
        for name, own in found["problems"].items()
    ]
    return Table("What the base can do before training", columns, tuple(rows))


def _section(name: str, own: Data, found: Data, pictures: Mapping[str, str]) -> Section:
    clocks, baseline = found["clock"][name], found["baseline"]
    ends, learnt, curves = [], [], []
    for arm, told in own["arms"].items():
        ends.append((
            arm, _spread(told["H4"]), _signed(told["difference"]) if arm != baseline else "",
            f"{len(told['beyond'])} of {told['difference']['seeds']}" if told["difference"] and arm != baseline else "",
            _spread(told["grey"]), _spread(told["H1"]), _spread(told["H0"]), str(told["H4"]["seeds"]),
        ))  # fmt: skip
        live = " to ".join(f"{part['mean']:.2f}" for part in (told["live"][:1] + told["live"][-1:]))
        terms = (told[term] for term in ("clipped_above", "clipped_below", "helped_ess"))
        learnt.append((arm, live, *(f"{term['mean']:.3f}" if term else "" for term in terms)))
        for k, point in enumerate(told["curve"]):
            took = fmean(seconds[k] for seconds in clocks[arm].values())
            curves.append((arm, str(point["rollouts"]), f"{took:.0f}", _spread(point["success"])))
    seeds = [
        (arm, seed, _rate(run["H4"]), _rate(run["difference"]["difference"]) if run["difference"] else "")
        for arm, told in own["arms"].items()
        for seed, run in told["seeds"].items()
    ]
    less = f"less {baseline}"
    blocks: tuple[Block, ...] = (
        Table("At the end", ("arm", "success", less, "beyond", "grey", "H1", "H0", "seeds"), tuple(ends)),
        Table("While training", ("arm", "signal", "clipped above", "clipped below", "helped ESS"), tuple(learnt)),
        Table("Success by rollouts and seconds", ("arm", "rollouts", "seconds", "success"), tuple(curves)),
        Table("Every run", ("arm", "seed", "success", less), tuple(seeds)),
    )
    drawn = (Figure("", f"Success by rollouts on {name}", _file(name)),) if _file(name) in pictures else ()
    return Section(name, f"{name}: {own['environment']} at scale {own['scale']}", (*drawn, *blocks))


def _curves(own: Data) -> dict[str, Curve]:
    return {
        arm: Curve(
            [point["rollouts"] for point in told["curve"]],
            *([point["success"][what] for point in told["curve"]] for what in ("mean", "least", "most")),
        )
        for arm, told in own["arms"].items()
    }


def alone(svg: str) -> str:
    """Return a drawing with the colours and the typeface that a page would give it."""
    colours = files(report.__package__).joinpath("report.css").read_text("utf-8").partition("* {")[0]
    style = f"<style>{colours}svg {{ font-family: system-ui, sans-serif; background: var(--paper); }}</style>"
    head, sign, body = svg.partition(">")
    return f"{head}{sign}{style}{body}\n"


def _file(problem: str) -> str:
    return f"experiment-{problem}.svg"


def _rate(own: Data) -> str:
    """Return a value with its interval and its count."""
    low, high = ("?" if own[end] is None else f"{own[end]:.3f}" for end in ("low", "high"))
    return f"{own['value']:.3f} [{low}, {high}], n = {own['n']}"


def _spread(own: Data | None) -> str:
    return f"{own['mean']:.3f} ({own['least']:.3f} to {own['most']:.3f})" if own else ""


def _signed(own: Data | None) -> str:
    return f"{own['mean']:+.3f} ({own['least']:+.3f} to {own['most']:+.3f})" if own else ""
