"""Play one environment with three players and read what came of it.

python examples/01_play.py
"""

from palaestra.core.distribution import Cell
from palaestra.core.observation import H4
from palaestra.core.rate import Rate
from palaestra.core.ticket import Ticket
from palaestra.envs import registry
from palaestra.rollout.play import play
from palaestra.rollout.policies import make

POOL = registry.pool(["grid/frozen_lake"])
LAKE = POOL["grid/frozen_lake"]


def main() -> None:
    """Give every player the same twenty problems, and print success rates with their intervals."""
    cell = Cell(LAKE.spec.id, scale=3, harness=H4, rollouts=1)
    tickets = [Ticket(number, cell, LAKE.spec.instance(cell.scale, seed=number)) for number in range(20)]
    for name in ("oracle", "guide", "random"):
        groups = play(tickets, POOL, make(name), seed=1, pixels=96)
        members = [member for group in groups for member in group.trajectories]
        print(f"{name:8s} success {Rate(sum(member.success for member in members), len(members))}")
    first = members[0]
    print(f"\nThe random player on {first.key}, which ended as {first.stop}:")
    for turn in first.turns:
        print(f"  {turn.completion.text:6s} -> {', '.join(turn.events)}")


if __name__ == "__main__":
    main()
