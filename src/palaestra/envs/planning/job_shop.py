"""Job shop: order the jobs on every machine, in one reply, so that all are done in time.

From the orders follows the semi-active schedule: every operation starts as soon as the one before it in its job and the
one before it on its machine are done. Orders that wait for one another never end. A question is made from its answer: a
random schedule whose operations are then stretched until what comes next, on the machine or in the job. The time asked
for is what it takes, with a little slack on easy scales, and any schedule in time is right; to take the jobs in the
order of their letters on every machine is always too late.

Source: the job shop problem.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.parts import Asked, scored

LETTERS = "ABCDEF"
MACHINES = ("red", "blue", "teal", "black")  # told apart by colour-blind people too, and dark enough for white digits
LONGEST = 9  # what an operation may be stretched to

TASK = "Order the jobs on each machine so that all are done by time {}."
RULES = (
    "A bar is an operation on the machine of its colour, of so many units. A job runs bar by bar from the left, "
    "a machine in your order, each as early as both allow."
)
HINT = "Keep the machine with most work busy, and start early what has a long way to go."

Jobs = tuple[tuple[tuple[int, int], ...], ...]
"""The operations of each job in turn: machine and duration."""

Orders = tuple[tuple[int, ...], ...]
"""The jobs on each machine in turn."""


@dataclass(frozen=True, slots=True)
class Shop:
    """One question: the jobs, and when all must be done."""

    jobs: Jobs
    due: int


@dataclass(frozen=True, slots=True)
class Planned:
    """A shop, and the orders of the schedule that it was made from."""

    shop: Shop
    orders: Orders


class JobShop:
    """The environment."""

    spec = EnvSpec(
        id="planning/job_shop",
        version=1,
        title="Job shop",
        horizon=1,
        scales=(
            {"jobs": 3, "machines": 2, "longest": 7, "slack": 0.1},
            {"jobs": 3, "machines": 3, "longest": 5, "slack": 0.1},
            {"jobs": 4, "machines": 3, "longest": 6, "slack": 0.05},
            {"jobs": 5, "machines": 3, "longest": 6, "slack": 0.05},
            {"jobs": 4, "machines": 4, "longest": 7, "slack": 0.0},
            {"jobs": 5, "machines": 4, "longest": 7, "slack": 0.0},
        ),
        knobs=(
            Knob("jobs", 3, 6, "jobs, each with an operation on every machine"),
            Knob("machines", 2, 4, "machines, told apart by colours"),
            Knob(
                "longest",
                3,
                7,
                "duration of an operation before it is stretched, at most",
            ),
            Knob("slack", 0.0, 0.2, "time to spare, as a share of what the schedule it was made from takes"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "many_right", "planted"}),
        source="the job shop problem",
    )

    def reset(self, instance: Instance) -> Asked[Planned]:
        settings = self.spec.settings(instance)
        count, machines, longest = (int(settings[name]) for name in ("jobs", "machines", "longest"))
        slack = float(settings["slack"])

        def propose(rng: np.random.Generator) -> Asked[Planned] | None:
            jobs, orders = _planned(count, machines, longest, rng)
            due = int(max(_ends(jobs, orders) or ()) * (1 + slack))
            plain = _ends(jobs, (tuple(range(count)),) * machines)
            return None if plain and max(plain) <= due else Asked(Planned(Shop(jobs, due), orders))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Planned]) -> int:
        return 1

    def public(self, state: Asked[Planned]) -> Shop:
        return state.question.shop

    def view(self, public: Shop, pixels: int = 448) -> View:
        kind, jobs = _answer(len(public.jobs), len(public.jobs[0])), public.jobs
        canvas = _draw(jobs, pixels) if pixels else None
        loads = [sum(t for job in jobs for m, t in job if m == machine) for machine in range(len(jobs[0]))]
        work = [f"{MACHINES[machine]} {load}" for machine, load in enumerate(loads)]
        alone = [f"{LETTERS[k]} {sum(t for _, t in job)}" for k, job in enumerate(jobs)]
        said = [f"{LETTERS[k]}: {', '.join(f'{MACHINES[m]} {t}' for m, t in job)}" for k, job in enumerate(jobs)]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"{TASK.format(public.due)} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Work in all: {', '.join(work)}; jobs alone: {', '.join(alone)}.",
            caption=f"Operations from the left: {'; '.join(said)}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Planned], action: tuple[tuple[str, ...], ...]) -> Step[Asked[Planned]]:
        shop, after = state.question.shop, Asked(state.question, answered=True)
        orders = tuple(tuple(map(LETTERS.index, order)) for order in action)
        whole = [len(set(order)) == len(order) for order in orders]
        events = ["constraint_kept" if each else "symbol_repeated" for each in whole]
        ends = _ends(shop.jobs, orders) if all(whole) else None
        if ends is None:
            return scored(after, 0, len(shop.jobs), events + ["precedence_broken", "cycle_closed"] * all(whole))
        in_time = [end <= shop.due for end in ends]
        events += ["precedence_kept", *("deadline_kept" if each else "deadline_missed" for each in in_time)]
        if not all(in_time):
            events.append("cost_near" if max(ends) <= 1.25 * shop.due else "cost_excessive")
        return scored(after, sum(in_time), len(in_time), events)

    def solve(self, state: Asked[Planned]) -> Sequence[str] | None:
        return () if state.answered else next(self.solutions(state))

    def solutions(self, state: Asked[Planned]) -> Iterator[Sequence[str]]:
        """Yield the orders that the shop was made from, then those in time of which one pair of jobs changed places."""
        shop, orders = state.question.shop, state.question.orders
        near = [orders]
        for machine, order in enumerate(orders):
            swaps = [(*order[:k], order[k + 1], order[k], *order[k + 2 :]) for k in range(len(order) - 1)]
            near += [(*orders[:machine], swap, *orders[machine + 1 :]) for swap in swaps]
        kind = _answer(len(shop.jobs), len(orders))
        for other in near:
            if (ends := _ends(shop.jobs, other)) and max(ends) <= shop.due:
                yield [kind.format(tuple(tuple(LETTERS[job] for job in order) for order in other))]

    def problem(self, state: Asked[Planned]) -> bytes:
        """Return the jobs up to names of jobs and machines and to the direction of time."""
        jobs = state.question.shop.jobs
        names = permutations(range(len(jobs[0])))
        turned = [tuple(job[::-1] for job in jobs), jobs]
        least = min(sorted(tuple((new[m], t) for m, t in job) for job in side) for new in names for side in turned)
        return repr((least, state.question.shop.due)).encode()


def _ends(jobs: Jobs, orders: Orders) -> list[int] | None:
    """Return when each job is done, None when orders wait for one another."""
    done, ends = [0] * len(jobs), [0] * len(jobs)
    served, free = [0] * len(orders), [0] * len(orders)
    left = sum(map(len, jobs))
    while left:
        before = left
        for machine, order in enumerate(orders):
            while served[machine] < len(order):
                job = order[served[machine]]
                needs, lasts = jobs[job][done[job]]
                if needs != machine:
                    break
                ends[job] = free[machine] = max(ends[job], free[machine]) + lasts
                done[job] += 1
                served[machine] += 1
                left -= 1
        if left == before:
            return None
    return ends


def _planned(count: int, machines: int, longest: int, rng: np.random.Generator) -> tuple[Jobs, Orders]:
    """Return jobs, and orders that keep the machines as busy as these jobs allow."""
    routes = rng.permuted(np.tile(np.arange(machines), (count, 1)), axis=1).tolist()
    lasting = rng.integers(min(machines - 1, 2), longest + 1, (count, machines)).tolist()  # narrower bars are illegible
    orders: list[list[int]] = [[] for _ in range(machines)]
    begun: dict[tuple[int, int], int] = {}
    ready, free, done = [0] * count, [0] * machines, [0] * count
    for luck in rng.random((count * machines, count)).tolist():  # whatever can begin first is next
        waiting = [(max(ready[k], free[routes[k][done[k]]]), luck[k], k) for k in range(count) if done[k] < machines]
        time, _, job = min(waiting)
        machine = routes[job][done[job]]
        begun[job, machine] = time
        ready[job] = free[machine] = time + lasting[job][done[job]]
        orders[machine].append(job)
        done[job] += 1
    end, jobs = max(ready), []
    for job, route in enumerate(routes):
        stretched = []
        for machine, following in zip(route, [*route[1:], None], strict=True):
            place = orders[machine].index(job) + 1
            until = begun[orders[machine][place], machine] if place < count else end
            until = until if following is None else min(until, begun[job, following])
            stretched.append((machine, min(until - begun[job, machine], LONGEST)))
        jobs.append(tuple(stretched))
    return tuple(jobs), tuple(map(tuple, orders))


def _draw(jobs: Jobs, pixels: int) -> Canvas:
    """Draw a row of bars for each job, a notch for every unit of time."""
    height, margin = pixels // max(6, len(jobs)), max(10, pixels // 14)
    unit = (pixels - margin) / max(sum(t for _, t in job) for job in jobs)
    glyph, line = max(6, pixels // 26), max(1, pixels // 200)
    canvas = Canvas(pixels, height * len(jobs))
    for k, job in enumerate(jobs):
        top, bottom, begun = k * height + height // 7, (k + 1) * height - height // 7, 0
        box = canvas.text(LETTERS[k], (margin / 2, (top + bottom) / 2), glyph)
        canvas.element(LETTERS[k], box, glyph=box[3] - box[1])
        for machine, lasts in job:
            left, right = (margin + round(unit * time) for time in (begun, begun + lasts))
            canvas.rectangle((left, top, right - line, bottom), MACHINES[machine])
            for notch in range(1, lasts):
                x = left + round(unit * notch)
                canvas.rectangle((x, bottom - height // 7, x + line, bottom), "white")
            canvas.text(str(lasts), ((left + right - line) / 2, (top + bottom) / 2), glyph, "white")
            canvas.element(str(lasts), (left, top, right - line, bottom), glyph=glyph)
            begun += lasts
    return canvas


@lru_cache(maxsize=32)
def _answer(jobs: int, machines: int) -> answer.Record:
    order = answer.Sequence(tuple(LETTERS[:jobs]), jobs, jobs)
    return answer.Record(tuple((machine, order) for machine in MACHINES[:machines]))


environment = JobShop()
