"""Gate circuit: what gates give, which input decides, and that wires never lie on one another."""

from itertools import combinations

import pytest

from palaestra.core.environment import Step
from palaestra.envs.kit.parts import Asked
from palaestra.envs.logic.gate_circuit import environment as env
from palaestra.envs.logic.gate_circuit.drawing import nets_into
from palaestra.envs.logic.gate_circuit.rules import Circuit, Gate, deciders, worlds

# A and B go into C = AND and D = XOR; E = NOT C lies behind C, F = C OR D behind both
GATES = (Gate("AND", (0, 1)), Gate("XOR", (0, 1)), Gate("NOT", (2,)), Gate("OR", (2, 3)))
CIRCUIT = Circuit((1, 0), GATES, lanes=((0, 1), (2, 3), (4, 5)), asked=(2, 4, 5), output=5)


def answered(*said: int | str) -> Step[Asked[Circuit]]:
    return env.step(Asked(CIRCUIT), said)


@pytest.mark.parametrize(("a", "b", "given"), [(0, 0, "0010"), (0, 1, "0111"), (1, 0, "0111"), (1, 1, "1001")])
def test_gates_give_what_their_names_say(a: int, b: int, given: str) -> None:
    assert "".join(str(world & 1) for world in worlds((a, b), GATES)[2:]) == given


def test_an_input_decides_where_flipping_it_alone_changes_the_gate() -> None:
    conjunction, difference, _, either = worlds((1, 0), GATES)[2:]
    assert (deciders(conjunction, 2), deciders(difference, 2), deciders(either, 2)) == ([1], [0, 1], [0])


def test_all_parts_right_win_and_each_part_earns_half_of_its_share() -> None:
    step = answered(0, 1, 1, "A")
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("value_ok", "value_ok", "value_ok", "simulation_ok", "control_right", "parts_all_ok")
    assert answered(0, 1, 0, "B").reward == 0.25


def test_a_slip_within_is_told_from_one_at_an_output() -> None:
    assert "simulation_early_ok" in answered(0, 1, 0, "A").events
    assert "simulation_off" in answered(1, 1, 1, "A").events
    assert "control_wrong" in answered(0, 1, 1, "B").events


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_no_two_wires_of_a_channel_run_at_one_height_and_every_signal_is_taken(scale: int) -> None:
    for seed in range(20):
        circuit = env.reset(env.spec.instance(scale, seed)).question
        for layer in range(1, len(circuit.lanes)):
            nets = nets_into(circuit, layer, [100 * slot for slot in range(len(circuit.inputs))], 20)
            assert all(net.ends for net in nets)
            assert not any({a.start, *a.ends} & {b.start, *b.ends} for a, b in combinations(nets, 2))


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_no_two_gates_do_the_same_with_the_same_signals(scale: int) -> None:
    for seed in range(20):
        gates = env.reset(env.spec.instance(scale, seed)).question.gates
        assert len(set(gates)) == len(gates)


def test_the_state_does_not_tell_which_inputs_could_decide() -> None:
    assert env.view(CIRCUIT, 0).state == "Other gates give: D 1."


@pytest.mark.parametrize("scale", range(2, len(env.spec.scales)))
def test_exactly_one_input_is_right_where_a_flip_is_asked_for(scale: int) -> None:
    for seed in range(20):
        circuit = env.reset(env.spec.instance(scale, seed)).question
        output = {
            flipped: worlds([v ^ (k == flipped) for k, v in enumerate(circuit.inputs)], circuit.gates)[circuit.output]
            & 1
            for flipped in range(-1, len(circuit.inputs))
        }
        changing = [k for k, value in output.items() if value != output[-1]]
        assert len(changing) == 1


def test_the_heights_at_which_gates_are_drawn_make_no_other_problem() -> None:
    gates = (Gate("XOR", (0, 1)), Gate("AND", (0, 1)), Gate("OR", (2, 3)), Gate("NOT", (3,)))
    other = Circuit((0, 1), gates, lanes=((0, 1), (2, 3), (4, 5)), asked=(3, 4, 5), output=4)
    assert env.problem(Asked(other)) == env.problem(Asked(CIRCUIT))
    assert env.problem(Asked(Circuit((0, 1), gates, other.lanes, (2, 4, 5), 4))) != env.problem(Asked(CIRCUIT))


def test_caption_and_picture_name_every_input_gate_and_kind() -> None:
    view = env.view(CIRCUIT)
    assert view.caption == "Inputs A=1, B=0. Gates C = A AND B; D = A XOR B; E = NOT C; F = C OR D."
    names = [element.name for element in view.scene]
    assert sorted(names) == sorted(["A=1", "B=0", *"CDEF", "AND", "XOR", "NOT", "OR"])
