"""Gate circuit: which values do named gates of a drawn circuit give, and which one input decides over an output?

Asked for are outputs and points within, so that a slip on the way shows; a circuit is accepted where a flip question
has one answer.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Answer, Choice, Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import splits
from palaestra.envs.kit.graphs import NAMES
from palaestra.envs.kit.parts import Asked, scored
from palaestra.envs.logic.gate_circuit.drawing import draw
from palaestra.envs.logic.gate_circuit.rules import Circuit, canonical, deciders, wired, worlds

RULES = (
    "AND gives 1 if both its inputs are 1, OR if at least one is, XOR if exactly one is; NOT exchanges 0 and 1. "
    "Wires run from left to right and join at dots only, not where one hops over another."
)
HINT = "Go from left to right and note what every gate gives."
HINT_FLIP = "Where a gate gives the same after a flip, nothing behind it hears of the flip through it."


class GateCircuit:
    """The environment."""

    spec = EnvSpec(
        id="logic/gate_circuit",
        version=1,
        title="Gate circuit",
        horizon=1,
        scales=(
            {"width": 3, "layers": 2, "asked": 3, "flip": 0},
            {"width": 3, "layers": 3, "asked": 4, "flip": 0},
            {"width": 4, "layers": 3, "asked": 4, "flip": 1},
            {"width": 4, "layers": 4, "asked": 5, "flip": 1},
            {"width": 5, "layers": 4, "asked": 5, "flip": 1},
            {"width": 5, "layers": 5, "asked": 6, "flip": 1},
        ),
        knobs=(
            Knob("width", 3, 5, "inputs, and signals behind each layer"),
            Knob("layers", 2, 5, "layers of gates"),
            Knob("asked", 3, 6, "gates whose values are asked for; 5 at most where there are no more"),
            Knob("flip", 0, 1, "whether the input that decides over an output is asked for too"),
        ),
        embedded_scales=(0,),
        tags=frozenset({"single_turn", "lines"}),
    )

    def reset(self, instance: Instance) -> Asked[Circuit]:
        settings = self.spec.settings(instance)
        width, layers, asked, flip = (int(settings[name]) for name in ("width", "layers", "asked", "flip"))

        def propose(rng: np.random.Generator) -> Asked[Circuit] | None:
            gates, lanes = wired(width, layers, rng)
            inputs = tuple(rng.integers(2, size=width).tolist())
            outputs = rng.permutation(lanes[-1]).tolist()
            inner = rng.permutation(np.arange(width, min(outputs))).tolist()
            some = outputs[: (asked + 1) // 2]
            points = sorted(some + inner[: asked - len(some)])
            bits = worlds(inputs, gates)
            if len(set(gates)) < len(gates):
                return None  # two gates would be one
            decided = [end for end in outputs if len(deciders(bits[end], width)) == 1] if flip else [-1]
            if not decided or len({bits[point] & 1 for point in points}) < 2:
                return None
            return Asked(Circuit(inputs, gates, lanes, tuple(points), decided[0]))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Circuit]) -> int:
        return 1

    def public(self, state: Asked[Circuit]) -> Circuit:
        return state.question

    def view(self, public: Circuit, pixels: int = 448) -> View:
        kind = _answer(public)
        canvas = draw(public, pixels) if pixels else None
        inputs, bits = len(public.inputs), worlds(public.inputs, public.gates)
        others = [f"{NAMES[k]} {bits[k] & 1}" for k in range(inputs, len(bits)) if k not in public.asked]
        flip = f", and the one input that changes {NAMES[public.output]} when it alone is flipped"
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"Tell what these gates give{flip if public.output >= 0 else ''}. {kind.describe()}",
            rules=RULES,
            hint=HINT if public.output < 0 else f"{HINT} {HINT_FLIP}",
            state=f"Other gates give: {', '.join(others) or 'none'}.",
            caption=f"Inputs {', '.join(map(public.told, range(inputs)))}. "
            f"Gates {'; '.join(map(public.told, range(inputs, len(bits))))}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Circuit], action: tuple[int | str, ...]) -> Step[Asked[Circuit]]:
        circuit = state.question
        right = [said == true for said, true in zip(action, _true(circuit), strict=True)]
        values = right[: len(circuit.asked)]
        inner = [ok for ok, point in zip(values, circuit.asked, strict=True) if point not in circuit.lanes[-1]]
        events = ["value_ok" if ok else "value_off" for ok in values]
        events.append("simulation_ok" if all(values) else "simulation_early_ok" if all(inner) else "simulation_off")
        events += ["control_right" if ok else "control_wrong" for ok in right[len(values) :]]
        return scored(Asked(circuit, answered=True), sum(right), len(right), events)

    def solve(self, state: Asked[Circuit]) -> Sequence[str] | None:
        return () if state.answered else [_answer(state.question).format(_true(state.question))]

    def problem(self, state: Asked[Circuit]) -> bytes:
        return canonical(state.question)


def _true(circuit: Circuit) -> tuple[int | str, ...]:
    """Return the right answer."""
    bits = worlds(circuit.inputs, circuit.gates)
    flipped = deciders(bits[circuit.output], len(circuit.inputs)) if circuit.output >= 0 else []
    return (*(bits[point] & 1 for point in circuit.asked), *(NAMES[k] for k in flipped))


def _answer(circuit: Circuit) -> Record:
    return _kind(circuit.asked, len(circuit.inputs) if circuit.output >= 0 else 0)


@lru_cache(maxsize=512)
def _kind(asked: tuple[int, ...], inputs: int) -> Record:
    fields: list[tuple[str, Answer]] = [(NAMES[point], Integer(0, 1)) for point in asked]
    if inputs:
        fields.append(("flip", Choice(tuple(NAMES[:inputs]))))
    return Record(tuple(fields))


environment = GateCircuit()
