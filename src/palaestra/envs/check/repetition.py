"""determinism, purity, events: the same again gives the same, in a fresh process too."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from palaestra.core.environment import turn
from palaestra.core.observation import View
from palaestra.envs.check.case import Case, guesser
from palaestra.envs.check.fingerprint import MARK, fingerprints
from palaestra.envs.kit.events import VOCABULARY
from palaestra.envs.registry import locator


def determinism(case: Case) -> Iterator[str]:
    """One instance gives the same bytes again, whatever the global generators hold, and under another hash seed."""
    env = case.env
    for instance, _ in case.starts(2):
        states = []
        for seed in (1, 2):
            random.seed(seed)
            np.random.seed(seed)
            states.append(env.reset(instance))
        if states[0] != states[1]:
            yield f"{instance.key()}: two resets differ; draw from instance.rng() only"
            return
    place = locator(env)
    if place is None:
        yield "cannot be found again in a fresh process; bind it to a name in its module: environment = ..."
        return
    here = fingerprints(env)
    hash_seed = "1" if os.environ.get("PYTHONHASHSEED") == "0" else "0"  # another one than here
    there = _in_a_fresh_process(place, hash_seed)
    if there != here:
        at = next((key for key, digest in here.items() if there.get(key) != digest), "the list of instances")
        yield f"{at}: a fresh process with PYTHONHASHSEED={hash_seed} shows something else; sort before iterating"


def _in_a_fresh_process(place: str, hash_seed: str) -> dict[str, str]:
    command = [sys.executable, "-m", "palaestra.envs.check.fingerprint", place]
    variables = os.environ | {
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    done = subprocess.run(
        command, env=variables, capture_output=True, text=True, errors="replace", timeout=300, check=False
    )
    if done.returncode:
        return {"error": done.stderr.strip().rpartition("\n")[2]}
    words = [line.split(" ") for line in done.stdout.splitlines() if line.startswith(f"{MARK} ")]
    return {key: digest for _, key, digest in words}


def purity(case: Case) -> Iterator[str]:
    """States are frozen values, a step leaves the one before as it was, and an episode replays from its replies."""
    env = case.env
    for instance, state in case.starts(3):
        for value in (state, env.public(state)):
            if type(value).__hash__ is None or not getattr(
                getattr(value, "__dataclass_params__", None), "frozen", False
            ):
                yield f"{type(value).__name__} is not a frozen, hashable dataclass"
                return
        marks = hash(state), hash(env.public(state)), repr(state)
        moments = case.episode(state, guesser(instance.seed))
        if (hash(state), hash(env.public(state)), repr(state)) != marks:
            yield f"{instance.key()}: playing on changed the reset state; step must return a new one"
            return
        again = env.reset(instance)
        for moment in moments:
            view = case.view(again)
            _, first = turn(env, again, view, moment.reply)
            _, second = turn(env, again, view, moment.reply)
            if not _alike(first, second) or not _alike(first, moment.step):
                yield f"{instance.key()}: the reply {moment.reply!r:.60} does another thing the second time"
                return
            again = first.state
        yield from (f"{instance.key()}: {fault}" for fault in _view_keeps_something(case, state, again))


def _alike(a: Any, b: Any) -> bool:
    return bool((a.state, a.reward, a.done, a.success, a.events) == (b.state, b.reward, b.done, b.success, b.events))


def _view_keeps_something(case: Case, first: Any, other: Any) -> Iterator[str]:
    before = _frozen(case.view(first, 96))
    case.view(other, 96)
    drawn = case.view(first, 96)
    if _frozen(drawn) != before:
        yield "a view depends on what was viewed before"
    if drawn.image is not None and drawn.image.pixels.flags.writeable:
        drawn.image.pixels[...] = 0
        if _frozen(case.view(first, 96)) != before:
            yield "pictures share their pixels: writing on one changes the next"


def _frozen(view: View) -> tuple[object, ...]:
    # the pixels themselves: a picture keeps its digest, also when somebody writes on it
    return (*view.texts().items(), view.image.rgb().tobytes() if view.image else None, view.scene)


def events(case: Case) -> Iterator[str]:
    """Every event is a word of the vocabulary, every play has some, and strong and weak play differ in them."""
    strong: list[str] = []
    weak: list[str] = []
    for instance, state in case.starts():
        for words, chooser in ((strong, case.best), (weak, guesser(instance.seed))):
            for moment in case.episode(state, chooser):
                words += moment.step.events
                if not moment.step.events:
                    yield f"{instance.key()}: the reply {moment.reply!r:.60} led to no event"
    unknown = sorted({*strong, *weak} - VOCABULARY.keys())
    if unknown:
        yield f"events {unknown} are not in the vocabulary (palaestra.envs.kit.events)"
    if {word: strong.count(word) for word in strong} == {word: weak.count(word) for word in weak}:
        yield "strong and weak play lead to the same events"
