"""splits, difficulty, knobs: which problems there are."""

import itertools
import re
from collections.abc import Iterator
from functools import cached_property
from math import sqrt
from statistics import mean, stdev
from typing import Any

import numpy as np

from palaestra.core.environment import Knob
from palaestra.core.errors import BadInstance, GenerationFailed
from palaestra.core.instance import Instance, Split, knobs, split_of
from palaestra.core.rate import Rate
from palaestra.envs.check.case import ENOUGH_PROBLEMS, Case, guesser, won
from palaestra.envs.check.winning import follows

SAMPLE = 24  # instances that describe a scale
PATIENCE = 4
"""How many draws for each problem wanted, before a scale is said to have too few."""


def splits(case: Case) -> Iterator[str]:
    """Problems are many, belong to the split that was asked for, and are told apart by what matters only."""
    train_only = case.env.spec.train_only
    fewest = min(set(case.scales) - train_only, default=None)
    for scale in case.scales:
        for split, goal in zip(Split, case.effort.problems, strict=True):
            if scale in train_only and split is not Split.TRAIN:
                continue
            goal = 2 if scale in train_only else goal
            if split is Split.TEST and scale == fewest:  # the smallest worlds run out of problems first
                goal = max(goal, ENOUGH_PROBLEMS)
            yield from _drawn(case, scale, split, goal)
    top = case.instances(case.scales[-1], SAMPLE)
    if len({case.env.problem(case.state(instance)) for instance in top}) < len(top):
        yield f"scale {case.scales[-1]}: neighbouring seeds give one problem twice; draw from instance.rng() only"
    yield from _what_matters(case)


def _drawn(case: Case, scale: int, split: Split, goal: int) -> Iterator[str]:
    """Draw instances until there are enough different problems."""
    found: set[bytes] = set()
    for seed in range(PATIENCE * goal):
        state = case.env.reset(case.env.spec.instance(scale, seed, split))
        problem = case.env.problem(state)
        if case.effort.solved and problem not in found and not case.env.solve(state):
            yield f"scale {scale}, seed {seed}, {split}: no plan; every instance has one"
            return
        found.add(problem)
        if (given := split_of(case.env.spec.id, problem)) is not split:
            yield f"scale {scale}, seed {seed}: asked for {split}, got a {given} problem; draw with kit.splits.draw"
            return
        if len(found) >= goal:
            return
    if len(found) < min(goal, ENOUGH_PROBLEMS):
        seeds = PATIENCE * goal
        yield f"scale {scale}: {seeds} seeds gave {len(found)} {split} problems; vary more, or declare train_only"


def _what_matters(case: Case) -> Iterator[str]:
    """Chance is no part of a problem; hidden facts are."""
    reseal = getattr(case.env, "reseal", None)
    if reseal is None:
        return
    changed = False
    for _, state in case.starts(3):
        problem = case.env.problem(state)
        other = [case.env.problem(reseal(state, seed)) != problem for seed in range(4)]
        changed |= any(other)
        if any(other) and "hidden" not in case.env.spec.tags:
            yield "another random key makes another problem: leave chance out of problem(), it hides duplicates"
            return
    if not changed and "hidden" in case.env.spec.tags:
        yield "other hidden facts make the same problem: take them into problem()"


def difficulty(case: Case) -> Iterator[str]:
    """From scale to scale plans get longer, or blind search wins less; between first and last clearly so."""
    for scale in case.scales:
        yield from _drawn_at(case, scale)
    measured = [Hardness(case, scale) for scale in case.scales]
    for scale, (easier, harder) in enumerate(itertools.pairwise(measured)):
        if _clearly_easier(harder, easier):
            yield f"scale {scale + 1} is easier than scale {scale}: {easier}, then {harder}"
    if not _clearly_easier(measured[0], measured[-1]):
        yield f"the top scale is no harder than scale 0: {measured[0]}, then {measured[-1]}"


def _drawn_at(case: Case, scale: int) -> Iterator[str]:
    """To say by knobs what a scale says already moves neither turn limits nor the length of captions."""
    said = case.env.spec.scales[scale]
    same = knobs({knob.name: said[knob.name] for knob in case.env.spec.knobs if knob.holds(said[knob.name])})
    plain, told = (
        np.array([_size(case, instance) for instance in case.instances(scale, SAMPLE, knobs=set_)])
        for set_ in ((), same)
    )
    noise = np.sqrt((plain.var(axis=0, ddof=1) + told.var(axis=0, ddof=1)) / SAMPLE)
    if (np.abs(plain.mean(axis=0) - told.mean(axis=0)) > 4 * noise + 1e-9).any():
        yield f"scale {scale} is another world with its own values set by knobs: draw at the scale, not up to it"


def _size(case: Case, instance: Instance) -> tuple[int, int]:
    state = case.state(instance)
    return case.env.horizon(state), len(case.view(state).caption)


class Hardness:
    """How hard one scale is: the mean length of plans in turns, or in words where there is one turn, with its standard
    error, and the success rate of a blind search, which is only made where lengths do not tell."""

    def __init__(self, case: Case, scale: int) -> None:
        self._case = case
        self._instances = case.instances(scale, max(SAMPLE, case.effort.instances))
        plans = [case.env.solve(case.state(instance)) or () for instance in self._instances]
        if case.env.spec.horizon == 1:
            plans = [re.findall(r"\w+", plan[0]) for plan in plans]
        lengths = [len(plan) for plan in plans]
        self.length, self.error = mean(lengths), stdev(lengths) / sqrt(len(lengths))

    @cached_property
    def blind(self) -> Rate:
        """How often some of a few random episodes wins."""
        case = self._case
        found = sum(
            any(won(case.episode(case.state(one), guesser(one.seed, k))) for k in range(case.effort.blind))
            for one in self._instances
        )
        return Rate(found, len(self._instances))

    def __str__(self) -> str:
        return f"plans of length {self.length:.1f}, blind search wins {self.blind}"


def _clearly_easier(a: Hardness, b: Hardness) -> bool:
    """Return whether a is easier than b beyond the noise in one respect, and not harder in the other."""
    longer = (b.length - a.length) / max(sqrt(a.error**2 + b.error**2), 1e-9)
    if longer <= -3:
        return False
    if longer > 3:
        return not (b.blind.low > a.blind.value and a.blind.high < b.blind.value)
    return a.blind.low > b.blind.value and b.blind.high < a.blind.value


def knobs_act(case: Case) -> Iterator[str]:
    """Both ends of every knob are solvable and differ; values beyond them are refused."""
    scale = len(case.scales) // 2
    for knob in case.env.spec.knobs:
        ends = []
        for value in (knob.low, knob.high):
            chosen = case.env.spec.instance(scale, 0, knobs=knobs({knob.name: value}))
            try:
                state = case.env.reset(chosen)
            except GenerationFailed as error:
                yield f"knob {knob.name} = {value}: {error}"
                continue
            plan = case.env.solve(state)
            if plan:
                yield from (f"knob {knob.name} = {value}: {fault}" for fault in follows(case, chosen, state, plan))
            else:
                yield f"knob {knob.name} = {value}: solve gave {plan!r}; both ends are solvable"
            ends.append([_told_by(case, knob, value, seed) for seed in range(4)])
        if len(ends) == 2 and ends[0] == ends[1]:
            yield f"knob {knob.name} changes nothing between {knob.low} and {knob.high}; use it or drop it"
        yield from _refuses(case, knob, scale)


def _told_by(case: Case, knob: Knob, value: float, seed: int) -> object:
    state = case.env.reset(case.env.spec.instance(len(case.scales) // 2, seed, knobs=knobs({knob.name: value})))
    view = case.view(state, 96)
    return case.env.problem(state), case.env.horizon(state), dict(view.texts()), view.image


def _refuses(case: Case, knob: Knob, scale: int) -> Iterator[str]:
    said = case.env.spec
    for name, value in ((knob.name, knob.high + 1), (knob.name, knob.low - 1), (knob.name + "_", knob.low)):
        asked: Any = Instance(said.id, said.version, scale, 0, knobs=((name, value),))
        try:
            case.env.reset(asked)
        except BadInstance:
            continue
        yield f"knob {name} = {value} was accepted; read parameters through spec.settings(instance)"
