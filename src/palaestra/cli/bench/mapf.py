"""``palaestra bench mapf``: how fast best joint plans are found, and boards are made, beside other packages.

Ours and theirs take the same boards, or make boards alike, in turns in one process; a ratio is the median over them.
"""

from collections.abc import Callable, Sequence
from itertools import count, islice
from statistics import median, quantiles
from time import process_time
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from palaestra.cli.bench.peers import NOT_COMPARABLE, quiet
from palaestra.cli.console import OUT, emit, progress, table
from palaestra.cli.options import Json, Seed
from palaestra.core.errors import GenerationFailed
from palaestra.core.instance import knobs
from palaestra.envs import registry
from palaestra.envs.planning._mapf import ways
from palaestra.envs.planning._mapf.lake import Lake
from palaestra.integrations.mapf import mapf_frozen_lake as env

BOARDS = ((4, 3, 0.2), (6, 4, 0.3), (8, 4, 0.3), (8, 5, 0.4), (10, 3, 0.2), (10, 5, 0.4))
"""Size, walkers and share of holes of what the oracle is timed on; the last is what peers are compared at."""
CBS, CBS_LIMIT = "pymapf 0.9 CBS", 5.0
"""The peer, and its seconds for one board."""
BLOCKS, BLOCK = 9, 100


def bench_mapf(
    boards: Annotated[int, typer.Option(min=5, help="Boards of each kind for the oracle.")] = 100,
    theirs: Annotated[int, typer.Option(min=1, help="Boards that pymapf is given.")] = 25,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Measure the joint oracle (extra `mapf`) and the generator; compare with pymapf and POGEMA where installed."""
    with progress("measuring") as told:
        oracle, seconds, hardest = [], [], []
        for done, (size, agents, holes) in enumerate(BOARDS):
            told(done, len(BOARDS) + 2, f"{size} x {size}, {agents} walkers")
            hardest = _boards(size, agents, holes, boards, seed)
            seconds = [_seconds(lake) for lake in hardest]
            oracle.append({
                "size": size,
                "agents": agents,
                "holes": holes,
                "median_ms": round(1000 * median(seconds), 3),
                "p99_ms": round(1000 * quantiles(seconds, n=100, method="inclusive")[98], 3),
                "n": len(seconds),
            })  # fmt: skip
        told(len(BOARDS), len(BOARDS) + 2, "pymapf")
        cbs = _cbs(hardest[:theirs], seconds[:theirs])
        told(len(BOARDS) + 1, len(BOARDS) + 2, "pogema")
        pogema = _pogema(seed)
    peers = {"pymapf_cbs": cbs, "pogema": pogema}
    if json:
        emit({"oracle": oracle, "ratios": {name: own["ratio"] for name, own in peers.items()}, "peers": peers})
    else:
        OUT.print(_table(oracle), _compared(peers), sep="\n\n")


def _boards(size: int, agents: int, holes: float, number: int, seed: int) -> list[Lake]:
    """Return boards as the generator gives them out: on all of them all can arrive."""
    return [_board(seed + k, size=size, agents=agents, holes=holes) for k in range(number)]


def _board(seed: int, **settings: float) -> Lake:
    lake: Lake = env.reset(env.spec.instance(5, seed, knobs=knobs(settings))).question.lake
    return lake


def _seconds(lake: Lake) -> float:
    """Return how long the best plan for a board takes that was never looked at [s]."""
    ways.forget()  # the generator has looked at it
    begun = process_time()
    env.best(lake)
    return process_time() - begun


def _cbs(lakes: Sequence[Lake], ours: Sequence[float]) -> dict[str, Any]:
    """Return how many times as long pymapf's conflict-based search takes on the same boards."""
    try:
        import pymapf
    except ImportError as error:
        return {"peer": CBS, "ratio": NOT_COMPARABLE, "why": f"pymapf is not installed ({error})"}
    seconds, unsolved, worse = [], 0, 0
    for lake in lakes:
        rows = [lake.cells[row : row + lake.size] for row in range(0, len(lake.cells), lake.size)]
        ends = [tuple(divmod(cell, lake.size) for cell in pair) for pair in zip(lake.starts, lake.goals, strict=True)]
        agents = [pymapf.Agent(str(k), *pair) for k, pair in enumerate(ends)]
        problem = pymapf.MAPFProblem(pymapf.GridMap(rows), agents)
        begun = process_time()
        solved = pymapf.solve(problem, "cbs", time_limit=CBS_LIMIT)
        seconds.append(process_time() - begun)
        unsolved += solved is None
        worse += solved is not None and solved.makespan > max(map(len, env.best(lake)))
    return {
        "peer": CBS,
        "ratio": round(median(seconds) / median(ours), 2),
        "ratio_of_means": round(sum(seconds) / sum(ours), 2),
        "ours_ms": round(1000 * median(ours), 3),
        "theirs_ms": round(1000 * median(seconds), 3),
        "n": len(lakes),
        "unsolved": unsolved,
        "later": worse,
        "unlike": f"theirs is the least sum of costs, within {CBS_LIMIT:g} s; ours the least makespan",
    }


def _pogema(seed: int) -> dict[str, Any]:
    """Return how many boards of 8 x 8 with 4 walkers are made in a second, ours all solvable together."""

    def theirs(number: int) -> object:
        return pogema_v0(
            grid_config=GridConfig(num_agents=4, size=8, density=0.3, seed=number, max_episode_steps=64)
        ).reset()

    def ours(number: int) -> object:
        return plain.reset(plain.spec.instance(5, number, knobs=settings))

    plain: Any = registry.get("planning/mapf_frozen_lake")
    settings = knobs({"agents": 4, "reach": 0.0})  # the top scale is 8 x 8 with 30 % holes
    try:
        from pogema import GridConfig, pogema_v0

        with quiet():
            theirs(0), ours(0)
            rates = [(_rate(ours, seed + k * BLOCK), _rate(theirs, seed + k * BLOCK)) for k in range(BLOCKS)]
    except GenerationFailed:
        raise
    except ImportError as error:
        return {"peer": "pogema", "ratio": NOT_COMPARABLE, "why": f"pogema is not installed ({error})"}
    except Exception as error:  # another release of a peer may do anything, or of what it imports
        return {"peer": "pogema", "ratio": NOT_COMPARABLE, "why": f"pogema: {type(error).__name__}: {error}"}
    return {
        "peer": "pogema",
        "ratio": round(median(a / b for a, b in rates), 2),
        "ours_per_s": round(median(a for a, _ in rates), 1),
        "theirs_per_s": round(median(b for _, b in rates), 1),
        "n": BLOCKS * BLOCK,
        "unlike": "ours are jointly solvable and belong to one split; theirs come with first observations",
    }


def _rate(make: Callable[[int], object], first: int) -> float:
    begun = process_time()
    for number in islice(count(first), BLOCK):
        make(number)
    return BLOCK / (process_time() - begun)


def _table(oracle: Sequence[dict[str, Any]]) -> Table:
    rows = table("board", "walkers", "holes", "median ms", "p99 ms", "n")
    for column in rows.columns[1:]:
        column.justify = "right"
    for own in oracle:
        cells = (f"{own['agents']}", f"{own['holes']:.0%}", f"{own['median_ms']:.2f}", f"{own['p99_ms']:.2f}")
        rows.add_row(Text(f"{own['size']} x {own['size']}", "bold cyan"), *cells, str(own["n"]))
    rows.caption = "processor time of the plan of least makespan"
    return rows


def _compared(peers: dict[str, dict[str, Any]]) -> Table:
    rows = table("peer", "ratio", "")
    for own in peers.values():
        rows.add_row(Text(own["peer"], "bold cyan"), str(own["ratio"]), Text(own.get("unlike", own.get("why", ""))))
    return rows
