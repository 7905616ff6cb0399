"""Plays a plan: into a run folder that survives a kill, or in memory, where only the endings are kept."""

from pathlib import Path

from palaestra.cli import tally
from palaestra.cli.console import progress, say
from palaestra.cli.person import AtTerminal
from palaestra.cli.plan import PlayConfig, tickets
from palaestra.cli.tally import Ending
from palaestra.core import config
from palaestra.core.runfolder import RunFolder
from palaestra.envs import registry
from palaestra.pipeline import players
from palaestra.rollout.play import play, ready
from palaestra.rollout.record import record
from palaestra.rollout.store import arrow

TOGETHER = 16
"""Tickets played at once: they share a shard, and the memory. A person plays one after the other."""


def run(plan: PlayConfig, out: Path | None) -> list[Ending]:
    """Play a plan and return how its episodes ended; the user's mistakes are raised before anything is written.

    Raises:
        UnknownEnvironment: the plan names one that does not exist.
        PolicyFailed: there is no such policy, or it refuses an environment.
        RunFolderError: the folder cannot be written, or holds another run.
        PalaestraError: what else `tickets` and `record` raise.
        KeyboardInterrupt: Ctrl-C; with a folder, it says that the same command goes on.
    """
    pool = registry.pool(dict.fromkeys(plan.environments))
    orders = tickets(plan, pool)
    in_person = plan.policy == "person"
    player = AtTerminal() if in_person else players.make(plan.policy, out)
    ready(orders, pool, player)
    size = 1 if in_person else TOGETHER
    drawn = {"seed": plan.seed, "pixels": plan.pixels}
    if out is None:
        endings: list[Ending] = []
        with progress("playing", hidden=in_person) as told:
            for start in range(0, len(orders), size):
                endings += tally.played(play(orders[start : start + size], pool, player, **drawn))
                told(len(endings), plan.episodes)
        return endings
    arrow()  # when it is missing, no folder is made
    folder = RunFolder.open(out, config.dump(plan))
    try:
        with progress("playing", hidden=in_person) as told:
            summary = record(folder, orders, pool, player, **drawn, shard_size=size, replay=in_person, progress=told)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the same command goes on") from None
    for path in summary.mended:
        say(f"a damaged shard was set aside as {path}, and its tickets were played again", "yellow")
    return tally.stored(out, orders, shards=-(-len(orders) // size))
