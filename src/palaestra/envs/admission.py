"""How an environment comes into being, and into a pool: a file to start from, and the gate that a proposal passes.

Whoever proposes, a person or a model: the file is read once, those bytes are checked in a process with limits (what
these cover and what not, `envs.check.sandbox` says), and the same bytes are kept, or nothing is.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from palaestra.core.errors import ConfigError
from palaestra.core.runfolder import write_atomic
from palaestra.envs import registry, skeleton
from palaestra.envs.check.case import Failure
from palaestra.envs.check.sandbox import check_outside

LARGEST = 256 << 10
"""Bytes of a proposed file, at most."""

_HOUSE = Path(__file__).parent
_ID = re.compile(r"[a-z][a-z0-9_]*/[a-z][a-z0-9_]*")


def start(env_id: str) -> str:
    """Return a commented file to start an environment from; it passes the check as it stands.

    Raises:
        ConfigError: this is no id, or there is such an environment.
    """
    _free(env_id)
    name = env_id.partition("/")[2]
    title = name.replace("_", " ").capitalize()
    text = Path(skeleton.__file__).read_text("utf-8").replace("family/name", env_id)
    return (
        text.replace("Skeleton:", f"{title}:", 1).replace('"Skeleton"', f'"{title}"').replace("Skeleton", _class(name))
    )


def admit(env_id: str, file: Path, folder: Path | None = None, *, replace: bool = False) -> Sequence[Failure]:
    """Check a proposed file and put it into a pool; return what is wrong with it, in which case it is not kept.

    Args:
        folder: the pool's; by default the one that `place` returns.
        replace: whether it may take the place of an earlier one of this id in that folder.

    Raises:
        ConfigError: this is no id, it is taken, the file cannot be read, or there is no folder to put it into.
        EnvironmentFailed: the file could not be checked at all.
    """
    folder = folder or place()
    if not (replace and (folder / f"{env_id}.py").exists()):
        _free(env_id)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read ({error}); name the proposed .py file") from error
    if len(content) > LARGEST:
        raise ConfigError(f"{file}: {len(content)} bytes; an environment has {LARGEST} at most")
    with TemporaryDirectory() as scratch:
        proposed = Path(scratch, f"{env_id.partition('/')[2]}.py")
        proposed.write_bytes(content)
        failures = [failure._replace(id=env_id) for failure in check_outside(str(proposed), env_id=env_id)]
    if not failures:
        (folder / env_id).parent.mkdir(parents=True, exist_ok=True)
        write_atomic(folder / f"{env_id}.py", content)
        package = folder / env_id.partition("/")[0] / "__init__.py"
        if folder == _HOUSE and not package.exists():
            write_atomic(package, f'"""The family {package.parent.name}."""\n'.encode())
    return failures


def place() -> Path:
    """Return the folder of the pool that proposals enter: the one that `PALAESTRA_POOL` names, else the house's own in
    a source checkout.

    Raises:
        ConfigError: there is neither.
    """
    if named := os.environ.get(registry.FOLDER):
        return Path(named)
    if (_HOUSE.parents[2] / "pyproject.toml").exists():
        return _HOUSE
    raise ConfigError(f"there is no pool to put it into; name a folder with --into, or set {registry.FOLDER}")


def _free(env_id: str) -> None:
    if not _ID.fullmatch(env_id):
        raise ConfigError(f"{env_id!r} is no id; write family/name in lower case, digits and underscores")
    if env_id in registry.ids():
        raise ConfigError(
            f"there is an environment {env_id!r} already; choose another name, or let --replace put yours in its place"
        )


def _class(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
