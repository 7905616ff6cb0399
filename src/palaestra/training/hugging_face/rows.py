"""Trajectories as rows: one context and all replies to it, each with the summed weight of those who sent it.

Members of a group share states, so they share contexts; a context is read once however many replies follow it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from palaestra.core.environment import Pool
from palaestra.core.ticket import Group
from palaestra.rollout.messages import conversation
from palaestra.training.advantage import advantages
from palaestra.training.hugging_face.context import Context, logprobs
from palaestra.training.hugging_face.model import Model
from palaestra.training.hugging_face.prompt import Prompt, length, prompt

Reply = tuple[int, ...]


@dataclass(eq=False)
class Row:
    """A context and the replies to it.

    `gains` and `losses` keep positive and negative weights apart, as a clipped objective treats them differently;
    `senders` counts who sent a reply; `helped` holds its log-probability for each sender who met another context.
    """

    env_id: str
    context: Prompt
    length: int
    gains: defaultdict[Reply, float] = field(default_factory=lambda: defaultdict(float))
    losses: defaultdict[Reply, float] = field(default_factory=lambda: defaultdict(float))
    senders: Counter[Reply] = field(default_factory=Counter)
    helped: defaultdict[Reply, list[float]] = field(default_factory=lambda: defaultdict(list))


def rows(groups: Sequence[Group], pool: Pool, model: Model, admitted: Sequence[float]) -> list[Row]:
    """Return the rows of groups that have a signal: each trajectory's advantage weighs all of its turns.

    The context is what the update sees (`Turn.learnt`), which in a guided group is not what the player saw.
    """
    found: dict[object, Row] = {}
    for group, share in zip(groups, admitted, strict=True):
        gained_G = advantages(group)
        if gained_G is not None and share:
            _add(found, group, (share * gained_G).tolist(), pool, model)
    return list(found.values())


def imitated(groups: Sequence[Group], pool: Pool, model: Model) -> list[Row]:
    """Return the rows of what a teacher has played: every turn of a won episode weighs 1."""
    found: dict[object, Row] = {}
    for group in groups:
        _add(found, group, [float(member.success) for member in group.trajectories], pool, model)
    return list(found.values())


def _add(found: dict[object, Row], group: Group, weights: Sequence[float], pool: Pool, model: Model) -> None:
    """Add the turns of a group's members, each weighed as its member is, but for those an error ended."""
    spec = pool[group.ticket.instance.env_id].spec
    for member, weight in zip(group.trajectories, weights, strict=True):
        helped = any(turn.learnt is not None for turn in member.turns)
        for number, turn in enumerate(() if member.error else member.turns):
            shown = turn.learnt or turn.observation
            asked = prompt(conversation(member.turns[:number], shown, spec.memory, learnt=True), model)
            row = found.get((spec.id, asked))
            if row is None:
                row = found[spec.id, asked] = Row(spec.id, asked, length(asked, model))
            reply = turn.completion.token_ids or model.spell(turn.completion.text)
            row.gains[reply] += max(weight, 0.0)
            row.losses[reply] += min(weight, 0.0)
            row.senders[reply] += 1
            if helped and turn.completion.logprobs:
                row.helped[reply].append(sum(turn.completion.logprobs))


@dataclass(frozen=True, eq=False)
class Part:
    """Some replies of some rows, that go through the network at once."""

    said: Sequence[tuple[Row, Reply]]

    @property
    def cost(self) -> int:
        """How many tokens they are, padding included: keys and values of a context are copied for each reply."""
        return len(self.said) * (max(row.length for row, _ in self.said) + max(len(reply) for _, reply in self.said))

    def weights(self) -> tuple[Tensor, Tensor]:
        """Return the positive and the negative weight of every reply [replies]."""
        gains, losses = zip(*((row.gains[reply], row.losses[reply]) for row, reply in self.said), strict=True)
        return torch.tensor(gains), torch.tensor(losses)

    def logprobs(self, model: Model) -> tuple[Tensor, Tensor]:
        """Return the log-probability of every token at the plan's temperature [replies, length], and which are real."""
        contexts = {id(row): row for row, _ in self.said}
        numbers = {key: number for number, key in enumerate(contexts)}
        context, opened = Context.read([row.context for row in contexts.values()], model)
        owner = torch.tensor([numbers[id(row)] for row, _ in self.said], device=model.device)
        longest = max(len(reply) for _, reply in self.said)
        tokens = torch.tensor([[*reply, *[model.pad] * (longest - len(reply))] for _, reply in self.said])
        lengths = torch.tensor([len(reply) for _, reply in self.said])
        real = (torch.arange(longest) < lengths.unsqueeze(1)).to(model.device)
        tokens = tokens.to(model.device)
        every = [opened[owner].unsqueeze(1)]
        if longest > 1:
            context.choose(owner)
            every.append(context.go_on(tokens[:, :-1], real[:, :-1]))
        told = logprobs(model, torch.cat(every, 1)[real], tokens[real], model.plan.temperature or 1.0)
        return torch.zeros(real.shape, device=model.device).masked_scatter(real, told), real


def parts(found: Sequence[Row], tokens: int) -> Iterator[Part]:
    """Yield the replies of rows in parts of at most so many tokens (one reply at least), those of like length
    together."""
    said = [(row, reply) for row in sorted(found, key=lambda row: row.length) for reply in sorted(row.gains, key=len)]
    part: list[tuple[Row, Reply]] = []
    for one in said:
        if part and Part([*part, one]).cost > tokens:
            yield Part(part)
            part = []
        part.append(one)
    if part:
        yield Part(part)


def shares(found: Sequence[Row]) -> Mapping[str, float]:
    """Return the weight of one token of each environment: within it all tokens weigh alike, and so do environments."""
    counts: Counter[str] = Counter()
    for row in found:
        counts[row.env_id] += sum(count * len(reply) for reply, count in row.senders.items())
    return {env_id: 1 / (len(counts) * total) for env_id, total in counts.items()}
