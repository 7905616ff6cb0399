"""What an update learns beside the rewards: captions of what was met, and acting without the help that was there.

Both need what a trajectory does not keep, the channels that were not shown; `rollout.replay` rebuilds them.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from palaestra.core.environment import Pool
from palaestra.core.observation import H4
from palaestra.core.policy import Message
from palaestra.core.ticket import Group
from palaestra.core.trajectory import Trajectory
from palaestra.rollout.messages import noticed
from palaestra.rollout.replay import views
from palaestra.training.embedded.batch import Row
from palaestra.training.embedded.imitation import DESCRIBE
from palaestra.training.embedded.prompt import Prompt, prompt
from palaestra.training.embedded.tokenizer import Tokenizer


def captions(
    groups: Sequence[Group], pool: Pool, tokenizer: Tokenizer, most: int, rng: np.random.Generator
) -> list[Row]:
    """Return the pictures of groups with their captions, as the warm start asks for them; all rows weigh 1 together.

    Every different picture of the batch counts, those of groups without a signal too: a caption is a lesson whatever
    the reward, and most of all where rewards teach nothing. An environment gives `most` of them at most, which bounds
    the cost by that of its policy rows; environments weigh alike, and so do the captions of one, long or short.
    """
    met: dict[str, dict[str, tuple[Trajectory, int]]] = {}
    for group in groups:
        for member in group.trajectories:
            for number, turn in enumerate(member.turns):
                picture = (turn.learnt or turn.observation).image
                if picture is not None:
                    met.setdefault(member.instance.env_id, {}).setdefault(picture.sha256, (member, number))
    found: dict[str, list[tuple[Prompt, tuple[int, ...]]]] = {}
    for env_id, places in met.items():
        drawn = [list(places.values())[k] for k in sorted(rng.permutation(len(places))[:most])]
        for member, number in drawn:
            turn, view = member.turns[number], next(islice(views(pool[env_id], member), number, None), None)
            if view is not None and view.caption:
                asked = [Message("user", DESCRIBE, (turn.learnt or turn.observation).image)]
                taught = prompt(asked, tokenizer), tokenizer.reply(view.caption)
                found.setdefault(env_id, []).append(taught)
    return [
        Row(env_id, context, {said: 1 / (len(said) * len(own) * len(found))})
        for env_id, own in found.items()
        for context, said in own
    ]


def unhelped(groups: Sequence[Group], pool: Pool, share: float, rng: np.random.Generator) -> list[Group]:
    """Return groups in which a share of the members is learnt from picture and task alone, whatever they were shown.

    A member is taken or left as a whole, so that its memory agrees with what it sees; observations without a picture
    stay as they are.
    """
    return [
        replace(
            group,
            trajectories=tuple(
                _unhelped(member, pool) if rng.random() < share else member for member in group.trajectories
            ),
        )
        for group in groups
    ]


def _unhelped(member: Trajectory, pool: Pool) -> Trajectory:
    turns = list(member.turns)
    for number, (turn, view) in enumerate(zip(member.turns, views(pool[member.instance.env_id], member), strict=False)):
        seen = turn.learnt or turn.observation
        bare = replace(seen, text=H4.show(view).text)
        if number and not turns[number - 1].legal:
            bare = noticed(bare)
        if seen.image is not None and bare != turn.observation:
            turns[number] = replace(turn, learnt=bare)
    return replace(member, turns=tuple(turns))
