"""Trajectories as flat rows of plain data, one for each, and back: what a shard holds, whatever the file format.

A row names its problem and its cell in columns that can be filtered on; its turns are a list of records. Answer kinds
and parsed values are JSON, pictures PNG. Reading a row parses its replies anew, by the answer kinds beside them.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from palaestra.core.answer import Answer, from_json, to_json
from palaestra.core.codec import harness_from_json, harness_to_json, knobs_from_json
from palaestra.core.distribution import Cell
from palaestra.core.instance import Instance, Split
from palaestra.core.observation import HARNESSES, Harness, Observation, Picture
from palaestra.core.policy import Completion
from palaestra.core.ticket import Group, Ticket
from palaestra.core.trajectory import Stop, Trajectory, Turn

Row = dict[str, Any]
Image = Mapping[str, Any] | None


def rows_of(groups: Iterable[Group]) -> list[Row]:
    """Return one row for each trajectory, group by group and member by member."""

    @cache  # members of a group share pictures, and encoding is the slow part of storing
    def png(picture: Picture) -> Image:
        return {"bytes": picture.png(), "path": None}

    return [
        _row(group.ticket, member, trajectory, lambda picture: png(picture) if picture is not None else None)
        for group in groups
        for member, trajectory in enumerate(group.trajectories)
    ]


def groups_of(rows: Sequence[Row]) -> list[Group]:
    """Return the groups that gave these rows; equal to those that were stored, pictures decoded to RGB."""
    picture, answer = cache(Picture.from_png), cache(_answer)
    groups: list[tuple[Ticket, list[Trajectory]]] = []
    for row in rows:
        if row["member"] == 0:
            groups.append((_ticket(row), []))
        ticket, members = groups[-1]
        turns = tuple(_turn(turn, answer, picture) for turn in row["turns"])
        stop = Stop(row["stop"])
        members.append(Trajectory(ticket.instance, _harness(row["shown"]), turns, row["success"], stop, row["error"]))
    return [Group(ticket, tuple(members)) for ticket, members in groups]


ASKED = (
    "ticket", "issued_at", "key", "env_id", "version", "scale", "seed", "split", "knobs", "harness", "learn",
    "guided", "rollouts", "policy", "pin",
)  # fmt: skip
"""The columns that say what was to be played; the others say what came of it."""


def asked(ticket: Ticket) -> Row:
    """Return the columns `ASKED` of a ticket."""
    cell, instance = ticket.cell, ticket.instance
    return {
        "ticket": ticket.id,
        "issued_at": ticket.issued_at,
        "key": instance.key(),
        "env_id": instance.env_id,
        "version": instance.version,
        "scale": instance.scale,
        "seed": instance.seed,
        "split": str(instance.split),
        "knobs": json.dumps(instance.knobs),
        "harness": _name(cell.harness),
        "learn": _name(cell.learn) if cell.learn is not None else None,
        "guided": cell.guided,
        "rollouts": cell.rollouts,
        "policy": cell.policy,
        "pin": cell.seed,
    }


def _row(ticket: Ticket, member: int, played: Trajectory, image: Callable[[Picture | None], Image]) -> Row:
    return {
        **asked(ticket),
        "member": member,
        "shown": _name(played.harness),
        "success": played.success,
        "stop": str(played.stop),
        "error": _utf8(played.error),
        "ret": float(played.ret),
        "turns": [_record(turn, image) for turn in played.turns],
    }


def _record(turn: Turn, image: Callable[[Picture | None], Image]) -> Row:
    learnt, said, parsed = turn.learnt, turn.completion, turn.parsed
    return {
        "text": _utf8(turn.observation.text),
        "image": image(turn.observation.image),
        "learnt_text": _utf8(learnt.text) if learnt is not None else None,
        "learnt_image": image(learnt.image) if learnt is not None else None,
        "answer": json.dumps(to_json(turn.observation.answer), sort_keys=True),
        "reply": _utf8(said.text),
        "truncated": said.truncated,
        "token_ids": list(said.token_ids),
        "logprobs": list(said.logprobs),
        "status": str(parsed.status),
        "value": json.dumps(parsed.value, default=str) if parsed.ok else None,
        "legal": turn.legal,
        "reward": turn.reward,
        "events": list(turn.events),
    }


def _ticket(row: Row) -> Ticket:
    knobs = knobs_from_json(json.loads(row["knobs"]))
    learn = _harness(row["learn"]) if row["learn"] is not None else None
    harness, of_group = _harness(row["harness"]), (row["guided"], row["rollouts"], row["policy"])
    cell = Cell(row["env_id"], row["scale"], harness, knobs, row["pin"], learn, *of_group)
    instance = Instance(row["env_id"], row["version"], row["scale"], row["seed"], Split(row["split"]), knobs)
    return Ticket(row["ticket"], cell, instance, row["issued_at"])


def _turn(record: Row, answer: Callable[[str], Answer], picture: Callable[[bytes], Picture]) -> Turn:
    def observation(text: str, image: Image) -> Observation:
        return Observation(picture(image["bytes"]) if image is not None else None, text, kind)

    kind = answer(record["answer"])
    learnt = observation(record["learnt_text"], record["learnt_image"]) if record["learnt_text"] is not None else None
    said = (record["reply"], tuple(record["token_ids"]), tuple(record["logprobs"]), record["truncated"])
    return Turn(
        observation=observation(record["text"], record["image"]),
        completion=Completion(*said),
        parsed=kind.parse(record["reply"]),
        legal=record["legal"],
        reward=record["reward"],
        events=tuple(record["events"]),
        learnt=learnt,
    )


def _answer(text: str) -> Answer:
    return from_json(json.loads(text))


def _utf8(text: str) -> str:
    """Return a text that can be stored: an endpoint may send half a surrogate pair, and that must not end a run."""
    return text.encode("utf-8", "replace").decode()


def _name(harness: Harness) -> str:
    """Return a harness as its name where the house has it, else as JSON."""
    data = harness_to_json(harness)
    return data if isinstance(data, str) else json.dumps(data)


def _harness(text: str) -> Harness:
    return harness_from_json(text if text in HARNESSES else json.loads(text))
