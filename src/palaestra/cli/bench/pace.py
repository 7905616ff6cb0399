"""How fast the embedded engine trains: what a second of processor time plays and learns, updates included.

The engine runs as it does in `palaestra train`, block by block, each with the checkpoint at its end; rates are medians
over blocks, because machines are noisy. What is made only once is made before the first block.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from palaestra.core.environment import Pool
from palaestra.core.ticket import TicketSource
from palaestra.core.trainer import Budget, Checkpoint

if TYPE_CHECKING:
    from palaestra.training.embedded.backend import Embedded
    from palaestra.training.embedded.grpo import Learnt
    from palaestra.training.rounds import Round

BLOCK = 5
"""Updates in a block."""

ENOUGH = 1 << 40
"""More rollouts than any budget."""


class Size(NamedTuple):
    """What is compared only with its like: parameters, tokens of a prompt and of an answer, answers in a group and in
    an update."""

    parameters: int
    prompt_tokens: float
    answer_tokens: float
    group: int
    answers: int


class Pace(NamedTuple):
    """Environment steps, rows learnt and answers learnt in a second of processor time, and how that came.

    `live` is the share of groups with a signal, `success` that of rollouts won.
    """

    steps: float
    rows: float
    answers: float
    live: float
    success: float
    updates: int
    size: Size

    def json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "env_steps_per_cpu_s": round(self.steps, 1),
            "rows_per_cpu_s": round(self.rows, 1),
            "live": round(self.live, 3),
            "success": round(self.success, 3),
            "updates": self.updates,
            **{name: round(value, 2) for name, value in self.size._asdict().items()},
        }


def paced(engine: "Embedded", source: TicketSource, pool: Pool, start: Checkpoint, seconds: float) -> Pace:
    """Train from a checkpoint for so many seconds of processor time, one block at least."""
    rounds: list[Round[Learnt]] = []
    engine = replace(engine, told=rounds.append)
    now = engine.train(source, pool, Budget(ENOUGH, start.step + 1), start)
    blocks: list[tuple[float, ...]] = []
    spent = 0.0
    while not blocks or spent < seconds:
        made = len(rounds)
        begun = process_time()
        now = engine.train(source, pool, Budget(ENOUGH, now.step + BLOCK), now)
        took = process_time() - begun
        blocks.append(tuple(done / took for done in _done(rounds[made:])))
        spent += took
    groups = [group for one in rounds for group in one.groups]
    played = [member for group in groups for member in group.trajectories]
    steps, rows, answers = map(median, zip(*blocks, strict=True))
    return Pace(
        steps,
        rows,
        answers,
        sum(one.live for one in rounds) / len(groups),
        sum(member.success for member in played) / len(played),
        len(rounds) - 1,
        _size(now, rounds[-1], pool),
    )


def _done(rounds: "Sequence[Round[Learnt]]") -> tuple[int, int, int]:
    """Return the steps that were played, the rows that were learnt, and the rollouts that had a signal."""
    steps = sum(len(member.turns) for one in rounds for group in one.groups for member in group.trajectories)
    answers = sum(one.live * one.groups[0].ticket.cell.rollouts for one in rounds)
    return steps, sum(one.learnt.rows for one in rounds), answers


def _size(now: Checkpoint, last: "Round[Learnt]", pool: Pool) -> Size:
    """Return the sizes of what was trained, tokens as means over the turns of the last update."""
    from palaestra.rollout.messages import talks
    from palaestra.training.embedded import checkpoint as stored
    from palaestra.training.embedded.prompt import prompt

    policy, _ = stored.read(now)
    prompts, answers = [], []
    for group in last.groups:
        memory = pool[group.ticket.instance.env_id].spec.memory
        for member in group.trajectories:
            prompts += [len(prompt(talk, policy.tokenizer).tokens) for talk in talks(member, memory)]
            answers += [len(turn.completion.token_ids) for turn in member.turns]
    members = [len(group.trajectories) for group in last.groups]
    parameters = sum(parameter.numel() for parameter in policy.network.parameters())
    return Size(parameters, sum(prompts) / len(prompts), sum(answers) / len(answers), members[0], sum(members))
