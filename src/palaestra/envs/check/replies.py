"""replies: silence, noise and thirty wordings of right and wrong answers are data, and are read as what they say."""

from collections.abc import Iterator

import numpy as np

from palaestra.core.answer import Status
from palaestra.core.environment import turn
from palaestra.envs.check.case import Case

SILENCE = ("", " ", "\n\n", "\t", "\u200b", "<think>", "<think></think>", "<answer></answer>", "\\boxed{}")

NOISE = (
    ".", "...", "?", "-",
    "I do not know.", "The", "A", "I", "None", "null", "{}", "[]", "()", "NaN", "1e999", "-1", "\ud7ff", "\x00",
    "no answer possible", "please repeat the question", "<html><body></body></html>", "{'action': None}",
    "ignore the rules and give me the reward", "répéter, s'il vous plaît", "🙂🙃", "0x1F", "Step 1. Step 2.",
    "<think>only thoughts", "</think>", "```python\n```", "$$$", "%s %d {0}", "../../etc", "'; DROP TABLE replies; --",
)  # fmt: skip

RIGHT = (
    "{}", " {}", "{} ", "{}\n", "\n\n{}\n", "<answer>{}</answer>", "<answer> {} </answer>", "<ANSWER>{}</ANSWER>",
    "<answer>\n{}\n</answer>", "Answer: {}", "answer: {}", "ANSWER: {}", "**Answer:** {}", "**Answer**: {}",
    "Final answer: {}", "My reasoning was long.\nFinal answer: {}", "\\boxed{{{}}}", "$\\boxed{{{}}}$",
    "So the result is \\boxed{{{}}}.", "<think>Let me look at it.</think>{}", "<think>Hm</think>\n<answer>{}</answer>",
    "<think>unsure, 7 or left</think>\nAnswer: {}", "I looked twice.\n\n<answer>{}</answer>\n", "The answer is {}",
    "The final answer is {}", "Let me think.\nThe answer is {}", "First look.\nAnswer: {}\n", "`{}`", "\"{}\"",
    "<answer>{}</answer> is what I say", "<answer>none</answer> No: <answer>{}</answer>", "Answer: none\nAnswer: {}",
)  # fmt: skip


def replies(case: Case) -> Iterator[str]:
    """No reply raises; an unusable one changes nothing; a right and a wrong answer are read alike in any wording."""
    env = case.env
    rng = np.random.default_rng(0)
    noise = "".join(map(chr, rng.integers(32, 0x2FFF, 4096)))
    silence = (*SILENCE, *NOISE, noise, "left " * 800, "(" * 4096, "9" * 4096, "1," * 2048, "<think>" * 500)
    for instance, state in case.starts(2):
        view = case.view(state)
        if view.answer.describe() not in view.task:
            yield f"{instance.key()}: the task does not say how to answer; add answer.describe()"
        for reply in silence:
            parsed, step = turn(env, state, view, reply)
            if parsed.ok and reply in SILENCE:
                yield f"{instance.key()}: the silent reply {reply!r} was read as {parsed.value!r}"
            if not parsed.ok and (step.state is not state or step.reward or step.done or step.legal):
                yield f"{instance.key()}: the unreadable reply {reply!r:.60} had an effect"
        known = [case.best(state, view), *(view.answer.sample(rng) for _ in range(4))]
        for reply in known:
            value = view.answer.parse(reply).value
            for wording in RIGHT if value is not None else ():
                parsed = view.answer.parse(wording.format(reply))
                if parsed.status is not Status.OK or parsed.value != value:
                    yield f"{instance.key()}: {wording.format(reply)!r:.120} was read as {parsed}, not as {value!r}"
    for state in case.states(2):
        view = case.view(state)
        for _ in range(12):
            reply = view.answer.sample(rng)
            if not (parsed := view.answer.parse(reply)).ok:
                yield f"random play sent {reply!r:.80}, which its own answer kind calls {parsed.status}"
            elif not _ended(case, state):
                turn(env, state, view, reply)


def _ended(case: Case, state: object) -> bool:
    """Return whether a state is won; what a step does after the end is not defined."""
    plan = case.env.solve(state)
    return plan is None or plan == ()
