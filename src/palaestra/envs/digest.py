"""What an environment shows, as a short digest: two pools with the same digests show a player the same.

Cheap enough to compare whole pools: the declaration, and the first view of each scale in text and picture.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from palaestra.core.environment import Environment, Pool
from palaestra.envs.check.pictures import SMALL


def digest(env: Environment[Any, Any], scales: Iterable[int], pixels: int) -> str:
    """Return a digest of the declaration, and of the first view of some scales in text and picture."""
    spec = env.spec
    made = sha256(repr((spec.title, spec.horizon, sorted(spec.tags), spec.knobs)).encode())
    for scale in scales:
        view = env.view(env.public(env.reset(spec.instance(scale, 0))), pixels)
        made.update(repr((dict(view.texts()), view.image.sha256 if view.image else "")).encode())
    return made.hexdigest()[:16]


def pool_digest(pool: Pool) -> dict[str, str]:
    """Return what identifies a training pool: each environment's version, and a digest at its embedded scales.

    It takes under a second for the pool; a checkpoint keeps that of the pool it has learnt from.
    """
    return {
        env_id: f"v{env.spec.version} {digest(env, env.spec.embedded_scales or (0,), SMALL)}"
        for env_id, env in pool.items()
    }


def changed(pool: Pool, known: Mapping[str, str]) -> tuple[str, ...]:
    """Return the environments in which a pool differs from one whose digest is known, those that one lacks included."""
    now = pool_digest(pool)
    return tuple(sorted(env_id for env_id in now.keys() | known.keys() if now.get(env_id) != known.get(env_id)))
