"""Circuits: how they are drawn by lot, what their gates give, and what each flipped input changes.

A layer holds gates and wires that run on straight; every signal is taken by something in the next layer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from palaestra.envs.kit.graphs import NAMES

KINDS = ("AND", "AND", "OR", "OR", "XOR", "XOR", "NOT")
"""The kinds of gates, as often as they are drawn."""


class Gate(NamedTuple):
    """One gate: its kind and the signals it takes, from the top."""

    kind: str
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Circuit:
    """One question. Signals are numbered: the inputs first, then the gates, layer by layer and from the top.

    `lanes` holds for the inputs and for each layer the signals behind it, from the top; `asked` are the gates whose
    values are asked for, `output` the gate over which a single input decides (-1 where this is not asked).
    """

    inputs: tuple[int, ...]
    gates: tuple[Gate, ...]
    lanes: tuple[tuple[int, ...], ...]
    asked: tuple[int, ...]
    output: int

    def gate(self, signal: int) -> Gate:
        """Return the gate that gives a signal."""
        return self.gates[signal - len(self.inputs)]

    def told(self, signal: int) -> str:
        """Return what a signal is, as captions say it, such as "D = A AND B"."""
        if signal < len(self.inputs):
            return f"{NAMES[signal]}={self.inputs[signal]}"
        kind, names = self.gate(signal).kind, [NAMES[source] for source in self.gate(signal).sources]
        return f"{NAMES[signal]} = " + (f"NOT {names[0]}" if kind == "NOT" else f" {kind} ".join(names))


def wired(width: int, layers: int, rng: np.random.Generator) -> tuple[tuple[Gate, ...], tuple[tuple[int, ...], ...]]:
    """Return the gates and lanes of a new circuit; half of the lanes run on through a layer, none through the last one.

    NOT takes the signal of its own lane. Each other gate takes one of the signals that would else be left over, and any
    second one.
    """
    gates: list[Gate] = []
    lanes = [tuple(range(width))]
    for layer in range(1, layers + 1):
        before, after = lanes[-1], list(lanes[-1])
        slots = sorted(rng.permutation(width)[: width if layer == layers else width - width // 2].tolist())
        kinds = [KINDS[k] for k in rng.integers(len(KINDS), size=len(slots)).tolist()]
        left = rng.permutation([s for s, kind in zip(slots, kinds, strict=True) if kind != "NOT"]).tolist()
        seconds = rng.integers(1, width, len(slots)).tolist()
        for slot, kind, second in zip(slots, kinds, seconds, strict=True):
            first = slot if kind == "NOT" else left.pop()
            taken = {first} if kind == "NOT" else {first, (first + second) % width}
            gates.append(Gate(kind, tuple(before[k] for k in sorted(taken))))
            after[slot] = width + len(gates) - 1
        lanes.append(tuple(after))
    return tuple(gates), tuple(lanes)


def worlds(inputs: Sequence[int], gates: Sequence[Gate]) -> list[int]:
    """Return for each signal a number: bit 0 is its value, bit k + 1 its value when input k alone is flipped.

    >>> [f"{bits:03b}" for bits in worlds((1, 0), [Gate("AND", (0, 1))])]
    ['101', '100', '100']
    """
    every = (2 << len(inputs)) - 1
    bits = [(every if value else 0) ^ (2 << k) for k, value in enumerate(inputs)]
    for kind, sources in gates:
        a, b = bits[sources[0]], bits[sources[-1]]
        bits.append(a & b if kind == "AND" else a | b if kind == "OR" else a ^ b if kind == "XOR" else every ^ a)
    return bits


def deciders(world: int, inputs: int) -> list[int]:
    """Return the inputs that change a signal when they alone are flipped."""
    return [k for k in range(inputs) if (world >> (k + 1) ^ world) & 1]


def canonical(circuit: Circuit) -> bytes:
    """Return what tells circuits apart wherever gates are drawn and whatever they are called: each signal by what it
    is, what it takes and what takes it, to the depth of the circuit (colour refinement by Weisfeiler and Leman)."""
    sources = [*((),) * len(circuit.inputs), *(gate.sources for gate in circuit.gates)]
    users = [[k for k, taken in enumerate(sources) if signal in taken] for signal in range(len(sources))]
    kinds = [*map(str, circuit.inputs), *(gate.kind for gate in circuit.gates)]
    marks = [f"{kind} {k in circuit.asked} {k == circuit.output}".encode() for k, kind in enumerate(kinds)]
    for _ in circuit.lanes:
        seen = [
            (marks[k], *(sorted(marks[n] for n in near[k]) for near in (sources, users))) for k in range(len(marks))
        ]
        marks = [blake2b(repr(around).encode(), digest_size=8).digest() for around in seen]
    return b"".join(sorted(marks))
