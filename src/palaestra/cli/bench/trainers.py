"""How fast others train on what the reference is trained on, in processor time of the same process and one thread.

TRL is given the same boards as the same pictures, prompts equal token by token, the same groups, and a Qwen3-VL with
random weights shrunk to as many parameters; where one of these differs there is no ratio. What it plays is one move,
so the reference plays single moves too: once as it is, once where no two contexts are equal and nothing can be computed
once for many. Answers are counted, ours only where their group had a signal.

Stable-Baselines3 walks the same lakes with its PPO and its network for pictures, shrunk as well: with one pass over
each batch, as ours, and with ten, as it comes. Steps are counted.

A peer that is not installed, not as it was, or not alike is `not comparable`, and why.
"""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import version
from io import StringIO
from itertools import pairwise
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from palaestra.cli.bench.lakes import PICTURE, Apart, Move, Silent
from palaestra.cli.bench.pace import Size
from palaestra.cli.bench.qwen import Unlike, processor, qwen, spelt, weights
from palaestra.cli.bench.reference import GROUP, GROUPS, Reference
from palaestra.core.environment import turn
from palaestra.core.observation import View
from palaestra.core.policy import Message
from palaestra.envs.grid.frozen_lake import Walk
from palaestra.envs.kit.grid import DIRECTIONS

LEEWAY = 0.1
"""How far apart the numbers of parameters may be."""

RATIOS = ("dedupe_on", "dedupe_off", "one_pass", "ten_passes")
"""What a comparison may have found: how many times their rate ours is."""

LEAST = 3
"""Updates of a peer, at least: the first one, which is not timed, and two."""

RATE = 1e-6
"""The rate of both sides, TRL's own: what is compared is the work, and it stays the same."""

STEPS = 32
"""Steps of each of 16 lakes for an update of PPO."""


def compared(peer: str, compare: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what a comparison with a package found, or why there is none."""
    try:
        with warnings.catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            warnings.simplefilter("ignore")
            return {"peer": f"{peer} {version(peer)}", **compare()}
    except ImportError as error:
        why = f"{peer} is not installed ({error})"
    except Exception as error:  # another release of a peer may do anything
        why = f"{peer}: {type(error).__name__}: {error}"
    return {"peer": peer, "ratio": "not comparable", "why": why}


def alike(ours: Size, theirs: Size) -> None:
    """Check that two trainers did the same work.

    Raises:
        Unlike: they did not.
    """
    for name, one, other in zip(Size._fields, ours, theirs, strict=True):
        if abs(one - other) > (LEEWAY * one if name == "parameters" else 0):
            raise Unlike(f"{name}: {one:g} of ours, {other:g} of theirs; there is no ratio of unlike work")


def trl(ours: Reference, seconds: float) -> dict[str, Any]:
    """Compare answers learnt with TRL's GRPOTrainer.

    Raises:
        ImportError: it is not installed.
        Unlike: it did other work.
    """
    ours = ours.still(RATE)
    paces = {"dedupe_off": ours.pace(Apart(), seconds), "dedupe_on": ours.pace(Move(), seconds)}
    rate, size = _trl(ours, paces["dedupe_on"].size.parameters, seconds)
    for pace in paces.values():
        alike(pace.size, size)
    return {
        **{name: round(pace.answers / rate, 2) for name, pace in paces.items()},
        "ours_per_cpu_s": {name: round(pace.answers, 1) for name, pace in paces.items()},
        "theirs_per_cpu_s": round(rate, 1),
        "live": {name: round(pace.live, 3) for name, pace in paces.items()},
        "ours": paces["dedupe_on"].size._asdict(),
        "theirs": size._asdict(),
        "unlike": "theirs starts from random weights, and learns from groups without a signal too",
    }


def _trl(ours: Reference, parameters: int, seconds: float) -> tuple[float, Size]:
    """Return how many answers TRL learns from in a second, and the size of its work."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # everything is made here: nothing is to be asked for
    from datasets import IterableDataset
    from PIL import Image
    from transformers import TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    from palaestra.training.embedded import checkpoint as stored
    from palaestra.training.embedded.prompt import PIXELS, prompt, square

    base, _ = stored.read(ours.base)
    tokenizer, shape = base.tokenizer, base.network.shape
    lake, feed = Move(), ours.feed()
    met: dict[int, tuple[Walk, View]] = {}
    said: list[int] = []  # how many boards the last batch had, and the length of each answer
    marks: list[float] = []

    def boards() -> Iterator[dict[str, Any]]:
        while True:
            (ticket,) = feed.draws(1)
            state = lake.reset(ticket.instance)
            view = lake.view(lake.public(state), PIXELS)
            met[ticket.id] = state, view
            shown = PICTURE.show(view)
            assert shown.image is not None
            context, image = prompt([Message("user", shown.text, shown.image)], tokenizer), square(shown.image)
            talk = [{"role": "user", "content": spelt(context)}]
            yield {"prompt": talk, "image": Image.fromarray(image), "ticket": ticket.id}

    def paid(completion_ids: Sequence[Sequence[int]], ticket: Sequence[int], **_: object) -> list[float]:
        said[:] = [len(set(ticket)), *map(len, completion_ids)]
        texts = [tokenizer.decode(tokens).strip() for tokens in completion_ids]
        return [turn(lake, *met[one], text)[1].reward for one, text in zip(ticket, texts, strict=True)]

    class Clock(TrainerCallback):  # type: ignore[misc]  # untyped where it is not installed
        def on_step_begin(self, args: Any, state: Any, control: Any, **_: object) -> None:
            marks.append(process_time())
            control.should_training_stop = len(marks) > LEAST and marks[-1] - marks[1] > seconds

    model = qwen(shape.width, shape.layers, tokenizer.size, parameters)
    with TemporaryDirectory() as folder:
        plan = GRPOConfig(
            folder, per_device_train_batch_size=GROUP * GROUPS, num_generations=GROUP, steps_per_generation=1,
            max_completion_length=1, max_steps=1 << 20, learning_rate=RATE, beta=0.0, seed=ours.engine.seed,
            shuffle_dataset=False, remove_unused_columns=False, dataloader_pin_memory=False, use_cpu=True, bf16=False,
            gradient_checkpointing=False, save_strategy="no", logging_strategy="no", report_to="none",
            disable_tqdm=True,
        )  # fmt: skip
        data = IterableDataset.from_generator(boards)
        trainer = GRPOTrainer(
            model, paid, plan, train_dataset=data, processing_class=processor(tokenizer.size), callbacks=[Clock()]
        )
        trainer.train()
    groups, *lengths = said
    answer = sum(lengths) / len(lengths)
    read = trainer.state.num_input_tokens_seen / (len(lengths) * trainer.state.global_step) - answer
    size = Size(weights(model), round(read, 6), answer, len(lengths) // groups, len(lengths))
    return size.answers / median(after - before for before, after in pairwise(marks[1:])), size


def sb3(ours: Reference, steps: float, parameters: int, seconds: float) -> dict[str, Any]:
    """Compare environment steps with the PPO of Stable-Baselines3.

    Raises:
        ImportError: it is not installed.
        Unlike: its network is of another size.
    """
    once, size = _sb3(ours, parameters, 1, seconds)
    if abs(size - parameters) > LEEWAY * parameters:
        raise Unlike(f"parameters: {parameters} of ours, {size} of theirs; there is no ratio of unlike work")
    tenfold, _ = _sb3(ours, parameters, 10, seconds)
    return {
        "one_pass": round(steps / once, 2),
        "ten_passes": round(steps / tenfold, 2),
        "theirs_per_cpu_s": {"one_pass": round(once, 1), "ten_passes": round(tenfold, 1)},
        "parameters": {"ours": parameters, "theirs": size},
        "unlike": "theirs has a value function and four moves instead of words, and draws each picture anew",
    }


def _sb3(ours: Reference, parameters: int, passes: int, seconds: float) -> tuple[float, int]:
    """Return how many steps PPO makes and learns from in a second, and how many parameters it has."""
    import gymnasium
    import numpy as np
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import DummyVecEnv

    from palaestra.training.embedded.prompt import PIXELS

    feed, marks = ours.feed(), list[float]()

    class Lake(gymnasium.Env):  # type: ignore[misc]  # untyped where it is not installed
        observation_space = gymnasium.spaces.Box(0, 255, (PIXELS, PIXELS, 3), np.uint8)
        action_space = gymnasium.spaces.Discrete(4)
        lake = Silent()

        def reset(self, **_: object) -> tuple[Any, dict[str, Any]]:
            self.state = self.lake.reset(feed.draws(1)[0].instance)
            self.left = self.lake.horizon(self.state)
            return self.picture(), {}

        def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            step = self.lake.step(self.state, DIRECTIONS[action])
            self.state, self.left = step.state, self.left - 1
            return self.picture(), step.reward, step.done, not self.left, {}

        def picture(self) -> Any:
            image = self.lake.view(self.lake.public(self.state), PIXELS).image
            assert image is not None
            return image.rgb()

    class Clock(BaseCallback):  # type: ignore[misc]  # untyped where it is not installed
        def _on_rollout_start(self) -> None:
            marks.append(process_time())

        def _on_step(self) -> bool:
            return len(marks) <= LEAST or marks[-1] - marks[1] < seconds

    def ppo(features: int) -> Any:
        return PPO(
            "CnnPolicy", DummyVecEnv([Lake] * GROUP), n_steps=STEPS, batch_size=64 if passes > 1 else GROUP * STEPS,
            n_epochs=passes, policy_kwargs={"features_extractor_kwargs": {"features_dim": features}},
            seed=ours.engine.seed, device="cpu",
        )  # fmt: skip

    least, more = (weights(ppo(features).policy) for features in (1, 2))
    learner = ppo(max(1, 1 + (parameters - least) // (more - least)))
    learner.learn(1 << 40, Clock())
    rate = GROUP * STEPS / median(after - before for before, after in pairwise(marks[1:]))
    return rate, weights(learner.policy)
