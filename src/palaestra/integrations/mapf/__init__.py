"""Best joint plans for any number of walkers, by the extra ``mapf``: handed to the environments that want an oracle.

``joint``  joint-state A*: both optima of a few walkers, and the proof that there is no plan at all
``sat``    satisfiability: both optima of more, within the limit of moves

The environments are found here under their own ids with the oracle in their hands: write
``palaestra.integrations.mapf:mapf_frozen_lake`` or ``palaestra.integrations.mapf:mapf_lake_steps`` where an environment
is asked for.
"""

from typing import Any

from palaestra.envs import registry
from palaestra.integrations.mapf import joint, sat
from palaestra.integrations.mapf.joint import Board, Plan, Undecided

__all__ = ["Board", "Oracle", "Plan", "Undecided", "environment", "mapf_frozen_lake", "mapf_lake_steps"]


class Oracle:
    """Decides what is best for any number of walkers."""

    def best(self, board: Board, /) -> Plan | None:
        """Return a plan of the least makespan, None when there is none within the limit of moves.

        Raises:
            ExtraMissing: python-sat is not installed.
        """
        return sat.earliest(board)

    def cheapest(self, board: Board, /) -> Plan | None:
        """Return a plan of the least sum of costs, None when there is none within the limit of moves."""
        return sat.cheapest(board)

    def needs_wait(self, board: Board, /) -> bool:
        """Return whether every plan of the least makespan has a wait before its walker arrives."""
        best = self.best(board)
        return best is not None and sat.earliest(board, waits=False, within=max(map(len, best))) is None

    def unsolvable(self, board: Board, /) -> bool:
        """Return whether there is no plan, of any length.

        Raises:
            Undecided: the board is too large for a proof.
        """
        return joint.search(board) is None


ORACLE = Oracle()
mapf_frozen_lake: Any = registry.get("planning/mapf_frozen_lake")
mapf_frozen_lake = environment = mapf_frozen_lake.equipped(ORACLE)
mapf_lake_steps: Any = registry.get("planning/mapf_lake_steps")
mapf_lake_steps = mapf_lake_steps.equipped(ORACLE)
