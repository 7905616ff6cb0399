"""``palaestra bench train``: how fast the embedded engine trains on one core, alone and beside other trainers."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from palaestra.cli.bench import trainers
from palaestra.cli.bench.lakes import Silent
from palaestra.cli.bench.pace import Pace, paced
from palaestra.cli.bench.reference import Reference
from palaestra.cli.console import OUT, emit, progress, table
from palaestra.cli.options import Json, Seed
from palaestra.core.observation import H0, H4, Harness


def bench_training(
    seconds: Annotated[float, typer.Option(min=0, help="Processor time of each part.")] = 12.0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Measure how much a second of processor time trains, and how much other trainers do in one."""
    with TemporaryDirectory() as folder, progress("measuring") as told:
        told(0, 5, "reference")
        ours = Reference.made(Path(folder, "lake"), seed)
        paces = {"reference": ours.pace(Silent(), seconds)}
        for done, (name, harness) in enumerate({"base_h4": H4, "base_h0": H0}.items(), start=1):
            told(done, 5, name)
            paces[name] = _shipped(Path(folder, name), harness, seed, seconds)
        steps, size = paces["reference"].steps, paces["reference"].size
        rivals = {
            "trl": ("trl", partial(trainers.trl, ours, seconds)),
            "sb3": ("stable-baselines3", partial(trainers.sb3, ours, steps, size.parameters, seconds)),
        }
        ratios: dict[str, Mapping[str, Any]] = {}
        for done, (name, (peer, compare)) in enumerate(rivals.items(), start=3):
            told(done, 5, name)
            ratios[name] = trainers.compared(peer, compare)
    if json:
        emit({**{name: pace.json() for name, pace in paces.items()}, "ratios": ratios, "seconds": seconds})
    else:
        OUT.print(_table(paces), _compared(ratios), sep="\n\n")


def _shipped(folder: Path, harness: Harness, seed: int, seconds: float) -> Pace:
    """Return how fast the base that comes with the package is trained on its environments, as the demo does it."""
    from palaestra.curriculum.feed import Feed
    from palaestra.curriculum.uniform import Uniform
    from palaestra.pipeline import demo, pretrain
    from palaestra.training.embedded import checkpoint as stored
    from palaestra.training.embedded.backend import Embedded

    plan, base = demo.settings().spread().train, stored.found(stored.SHIPPED)
    assert base is not None
    pool = pretrain.training_pool(plan.base.environments)
    specs = [env.spec for env in pool.values()]
    engine = Embedded(folder, seed, plan.tickets, grpo=plan.grpo)
    feed = Feed(Uniform(harness, replace(plan.groups, learn=None).template(specs)), specs, seed)
    return paced(engine, feed, pool, base, seconds)


def _table(paces: Mapping[str, Pace]) -> Table:
    rows = table("what", "steps/s", "rows/s", "parameters", "prompt", "answer", "live", "success")
    for column in rows.columns[1:]:
        column.justify = "right"
    for name, pace in paces.items():
        size = pace.size
        rates = (f"{rate:,.0f}" for rate in (pace.steps, pace.rows, size.parameters))
        tokens = (f"{length:.1f}" for length in (size.prompt_tokens, size.answer_tokens))
        rows.add_row(Text(name, "bold cyan"), *rates, *tokens, f"{pace.live:.2f}", f"{pace.success:.2f}")
    rows.caption = "a second of processor time; prompt and answer in tokens; live: groups with a signal"
    return rows


def _compared(ratios: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = table("peer", "ratio of ours to theirs", "unlike")
    for found in ratios.values():
        told = ", ".join(f"{found[name]} {name.replace('_', ' ')}" for name in trainers.RATIOS if name in found)
        why = str(found.get("unlike", found.get("why")))
        rows.add_row(Text(found["peer"], "bold cyan"), told or found["ratio"], Text(why))
    return rows
