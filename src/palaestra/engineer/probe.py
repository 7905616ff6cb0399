"""The probe: a proposed mixture is played a little before it is trained on.

So many instances are drawn from it, every cell among them: do they come into being, are they solvable by the
environment's own oracle, does the policy win some and lose some, and is none of them a problem that is evaluated on?

Source: ours; the checks are those that the environment loops we know of lack. Departures: none.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import ceil
from typing import Any

from palaestra.core.distribution import Cell, Distribution
from palaestra.core.environment import Environment, Pool
from palaestra.core.instance import seed_from
from palaestra.core.policy import Insider, Policy
from palaestra.core.rate import Rate
from palaestra.core.space import Space
from palaestra.core.ticket import Play, Ticket
from palaestra.engineer.rails import Rails, Verdict, narrow, reachable


def digest(env: Environment[Any, Any], state: Any) -> str:
    """Return what names a problem, wherever it was drawn."""
    return sha256(env.spec.id.encode() + b"\0" + env.problem(state)).hexdigest()


@dataclass(frozen=True)
class Probe:
    """Judges mixtures for one policy at one time; the same mixture is played once. With `cold` success is not asked
    for: nothing is won anywhere yet."""

    space: Space
    pool: Pool
    rails: Rails
    play: Play
    policy: Policy | Insider
    evaluated: Set[str] = frozenset()
    seed: int = 0
    cold: bool = False
    _known: dict[frozenset[tuple[Cell, float]], Verdict] = field(default_factory=dict, compare=False, repr=False)

    def __call__(self, mixture: Distribution) -> Verdict:
        """Return the verdict on a mixture."""
        key = frozenset(mixture.weights.items())
        if key not in self._known:
            specs = {env_id: env.spec for env_id, env in self.pool.items()}
            wrong = reachable(mixture, self.space, specs) or narrow(mixture, self.space, self.rails)
            self._known[key] = Verdict(wrong) if wrong else self._played(mixture)
        return self._known[key]

    @property
    def rollouts(self) -> int:
        """How many episodes the probe has played."""
        return sum(int(own.found.get("played", 0)) for own in self._known.values())

    def _played(self, mixture: Distribution) -> Verdict:
        """Return the verdict on a mixture of legal cells."""
        tickets: list[Ticket] = []
        drawn = yielded = overlap = 0
        solvable: list[bool] = []
        empty: list[str] = []
        for cell, share in mixture.probabilities().items():
            count, before = ceil(share * self.rails.instances), yielded
            env = self.pool[cell.env_id]
            seen = replace(cell, harness=cell.learn or cell.harness, learn=None, rollouts=1)
            for k in range(count):
                seed = seed_from("probe", self.seed, cell.env_id, cell.scale, cell.knobs, k)
                instance = env.spec.instance(cell.scale, seed, knobs=cell.knobs)
                drawn += 1
                try:
                    state = env.reset(instance)
                    overlap += digest(env, state) in self.evaluated
                    if not env.spec.clairvoyant and hasattr(env, "solve"):
                        solvable.append(env.solve(state) is not None)
                except Exception:  # a generator may give up, or be at fault: both are what the probe is for
                    continue
                yielded += 1
                tickets.append(Ticket(len(tickets), seen, instance))
            if count and yielded == before:
                empty.append(f"{cell.env_id} with {dict(cell.knobs)} yields no instance")
        cells = self._rates(tickets)
        success = Rate(sum(rate.hits for rate in cells.values()), sum(rate.n for rate in cells.values()))
        solved = Rate(sum(solvable), len(solvable))
        reasons = [*empty, *self._reasons(Rate(yielded, drawn), solved, success, overlap)]
        found = {
            "instances": drawn,
            "played": len(tickets),
            "yield": Rate(yielded, drawn).json(),
            "solvable": solved.json() if solvable else None,
            "success": success.json(),
            "overlap": overlap,
        }
        shares = mixture.probabilities()
        worth = sum(
            shares[cell] * rate.value * (1 - rate.value) * rate.n / (rate.n - 1)
            for cell, rate in zip(shares, (cells.get(_key(cell), Rate(0, 0)) for cell in shares), strict=True)
            if rate.n > 1
        )
        return Verdict(tuple(reasons), round(worth, 6), found)

    def _reasons(self, yielded: Rate, solved: Rate, success: Rate, overlap: int) -> list[str]:
        rails, wrong = self.rails, list[str]()
        if yielded.value < rails.least_yield:
            wrong.append(f"only {yielded.hits} of {yielded.n} instances come into being; take easier values")
        if solved.n and solved.value < rails.least_solvable:
            wrong.append(f"only {solved.hits} of {solved.n} instances can be solved; take easier values")
        if overlap:
            wrong.append(f"{overlap} of {yielded.n} problems are evaluated on; take other values")
        if success.n and not self.cold and success.high < rails.never:
            wrong.append(f"the policy wins {success}: nothing to learn from; make it easier")
        if success.n and success.low > rails.always:
            wrong.append(f"the policy wins {success}: nothing is left to learn; make it harder")
        return wrong

    def _rates(self, tickets: list[Ticket]) -> Mapping[Cell, Rate]:
        found: dict[Cell, Rate] = {}
        for group in self.play(tickets, self.pool, self.policy) if tickets else ():
            before, judged = found.get(group.ticket.cell, Rate(0, 0)), group.judged()
            hits = sum(member.success for member in judged)
            found[group.ticket.cell] = Rate(before.hits + hits, before.n + len(judged))
        return found


def _key(cell: Cell) -> Cell:
    return replace(cell, harness=cell.learn or cell.harness, learn=None, rollouts=1)
