"""What a fresh process prints: a digest of everything an environment shows, instance by instance.

python -m palaestra.envs.check.fingerprint palaestra.envs.grid.frozen_lake:environment
"""

import sys
from hashlib import sha256
from typing import Any

import numpy as np

from palaestra.core.environment import Environment, turn
from palaestra.envs.registry import locate

MARK = "fingerprint"
"""Opens the lines that count; a module may print while it is imported."""


def fingerprints(env: Environment[Any, Any]) -> dict[str, str]:
    """Return a digest for the first instances of every scale: problem, plan, and the views of a few random turns."""
    found = {}
    for scale in range(len(env.spec.scales)):
        for seed in range(2):
            instance = env.spec.instance(scale, seed)
            state = env.reset(instance)
            digest = sha256(env.problem(state) + repr(env.solve(state)).encode())
            rng = np.random.default_rng(seed)
            for _ in range(3):
                view = env.view(env.public(state), 96)
                picture = view.image.sha256 if view.image else ""
                digest.update(repr((dict(view.texts()), picture, view.scene)).encode())
                _, step = turn(env, state, view, view.answer.sample(rng))
                digest.update(repr((step.reward, step.done, step.success, step.legal, step.events)).encode())
                if step.done:
                    break
                state = step.state
            found[instance.key()] = digest.hexdigest()
    return found


if __name__ == "__main__":
    for key, digest in fingerprints(locate(sys.argv[1])).items():
        print(MARK, key, digest)
