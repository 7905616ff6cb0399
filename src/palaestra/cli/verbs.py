"""The typer app: every verb by name."""

from typing import Annotated

import typer

from palaestra import __version__
from palaestra.cli import (
    checking,
    demonstrating,
    engineering,
    evaluating,
    exhibiting,
    experimenting,
    fetching,
    founding,
    listing,
    measuring,
    planning,
    playing,
    pretraining,
    reporting,
    selecting,
    showing,
    training,
)
from palaestra.cli.bench import envs, mapf, select, train
from palaestra.cli.console import reported

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
bench = typer.Typer(no_args_is_help=True)
model = typer.Typer(no_args_is_help=True)
engineer = typer.Typer(no_args_is_help=True)


def _version(asked: bool) -> None:
    if asked:
        print(f"palaestra {__version__}")
        raise typer.Exit


@app.callback()
def palaestra(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Design the distribution of training environments for multimodal agents."""


@bench.callback()
def _bench() -> None:
    """Measure how fast this machine is."""


@model.callback()
def _model() -> None:
    """Real weights for this machine."""


@engineer.callback()
def _engineer() -> None:
    """Let an engineer set what is trained on next."""


app.command("list")(reported()(listing.list_environments))
app.command("show")(reported()(showing.show))
app.command("play")(reported()(playing.play))
app.command("check")(reported()(checking.check))
app.command("gallery")(reported()(exhibiting.gallery))
app.command("new")(reported()(founding.new))
app.command("measure")(reported()(measuring.measure))
app.command("select")(reported()(selecting.select))
app.command("pretrain")(reported()(pretraining.pretrain))
app.command("train")(reported()(training.train))
app.command("evaluate")(reported()(evaluating.evaluate))
app.command("mapf")(reported()(planning.mapf))
app.command("report")(reported()(reporting.report))
app.command("demo")(reported()(demonstrating.demo))
app.command("experiment")(reported()(experimenting.experiment))
app.add_typer(engineer, name="engineer")
engineer.command("run")(reported()(engineering.run))
engineer.command("space")(reported()(engineering.space))
engineer.command("propose")(reported()(engineering.propose))
app.add_typer(model, name="model")
model.command("fetch")(reported()(fetching.fetch))
app.add_typer(bench, name="bench")
bench.command("envs")(reported()(envs.bench_environments))
bench.command("mapf")(reported()(mapf.bench_mapf))
bench.command("select")(reported()(select.bench_selection))
bench.command("train")(reported()(train.bench_training))
