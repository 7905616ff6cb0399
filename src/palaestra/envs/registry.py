"""Finds environments: the path is the id; a folder of your own and other packages add theirs."""

import os
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from palaestra.core.environment import Environment, EnvSpec, Pool
from palaestra.core.errors import EnvironmentFailed, UnknownEnvironment, nearest

GROUP = "palaestra.environments"
"""The entry-point group of environments in other packages: name = id, value = "module:environment"."""

FOLDER = "PALAESTRA_POOL"
"""The variable that names a folder of one's own, laid out as this one: FAMILY/NAME.py. Its files run when used."""

_HERE = Path(__file__).parent
_FROM_FILE = "_palaestra_file_"  # opens the names of modules that were loaded from a path
_NO_FAMILY = {"check", "kit"}


def ids() -> list[str]:
    """Return the id of every environment, sorted: the house's, your folder's, other packages'; nothing is imported."""
    return sorted(_own() | _mine().keys() | _outside().keys())


@cache
def _own() -> frozenset[str]:
    """Return the ids of the house: one for each file, and for each folder that a heavy world has to itself."""
    files = [path.with_suffix("") for path in _HERE.glob("*/[!_]*.py")]
    folders = [path.parent for path in _HERE.glob("*/[!_]*/__init__.py")]
    return frozenset(
        f"{path.parent.name}/{path.name}"
        for path in (*files, *folders)
        if path.parent.name not in _NO_FAMILY and not path.parent.name.startswith("_")
    )


def _mine() -> dict[str, str]:
    """Return where the environments of one's own folder are, by id."""
    named = os.environ.get(FOLDER)
    files = Path(named).glob("*/[!_]*.py") if named else ()
    return {f"{path.parent.name}/{path.stem}": str(path) for path in files}


def get(env_id: str) -> Environment[Any, Any]:
    """Return one environment by its id; only its own module is imported.

    Raises:
        UnknownEnvironment: there is none of this id.
        EnvironmentFailed: its module does not define one.
    """
    known = ids()
    if env_id not in known:
        raise UnknownEnvironment(f"no environment {env_id!r}{nearest(env_id, known)}")
    # nobody can put something else in the place of the house's own
    own, mine = f"palaestra.envs.{env_id.replace('/', '.')}", _mine()
    place = own if env_id in _own() else mine[env_id] if env_id in mine else _outside()[env_id].value
    env = locate(place)
    if env.spec.id != env_id:
        raise EnvironmentFailed(
            f"{place} calls itself {env.spec.id!r} and is registered as {env_id!r}; make them equal"
        )
    return env


def find(place: str) -> Environment[Any, Any]:
    """Return the environment at a place: an id, "package.module", "path/to/file.py", or one of these with ":name".

    A module or a file is imported, and so is run.
    """
    return get(place) if is_id(place) else locate(place)


def is_id(place: str) -> bool:
    """Return whether a place is an id rather than a module or a file."""
    return "/" in place and not place.partition(":")[0].endswith(".py")


def pool(places: Iterable[str] | None = None) -> Pool:
    """Return environments by id, all of the registry's unless places are named."""
    found = [find(place) for place in (ids() if places is None else places)]
    return {env.spec.id: env for env in found}


def locate(locator: str) -> Environment[Any, Any]:
    """Return the environment at "package.module:name" or "path/to/file.py:name"; the name defaults to `environment`.

    Importing a file runs it: for one that is not trusted, see `palaestra.envs.check.sandbox`.

    Raises:
        UnknownEnvironment: there is no such module or file.
        EnvironmentFailed: it cannot be imported, or has no environment of this name.
    """
    place, _, name = locator.partition(":")
    try:
        module = _from_file(Path(place)) if place.endswith(".py") else import_module(place)
    except ModuleNotFoundError as error:
        if error.name and (place == error.name or place.startswith(f"{error.name}.")):
            raise UnknownEnvironment(f"no module {place!r}; give an id, an importable module, or a .py file") from error
        raise EnvironmentFailed(f"{place}: import failed: {error}; install what it needs") from error
    except (UnknownEnvironment, KeyboardInterrupt):
        raise
    except BaseException as error:  # a module may raise anything, SystemExit included
        raise EnvironmentFailed(f"{place}: import failed: {type(error).__name__}: {error}") from error
    found: Any = getattr(module, name or "environment", None)
    if isinstance(found, type):
        raise EnvironmentFailed(
            f"{place}: {found.__name__} is a class; bind an environment: environment = {found.__name__}()"
        )
    if not isinstance(getattr(found, "spec", None), EnvSpec):
        wanted = name or "environment"
        raise EnvironmentFailed(
            f"{place}: found no environment named {wanted!r}; end the module with `environment = ...`"
        )
    environment: Environment[Any, Any] = found
    return environment


def locator(env: Environment[Any, Any]) -> str | None:
    """Return where a fresh process finds this environment again, None when it is bound to no module."""
    home = sys.modules.get(type(env).__module__)
    for module in filter(None, (home, *sys.modules.copy().values())):  # a class may be shared and bound elsewhere
        name = next((name for name, value in vars(module).items() if value is env), None)
        if name is not None and module.__name__ != "__main__":
            from_file = module.__name__.startswith(_FROM_FILE)
            return f"{module.__file__ if from_file else module.__name__}:{name}"
    return None


def _from_file(path: Path) -> Any:
    if not path.is_file():
        raise UnknownEnvironment(f"no file {path}; give an id, an importable module, or a .py file")
    path = path.resolve()
    name = f"{_FROM_FILE}{sha256(str(path).encode()).hexdigest()[:8]}_{path.stem}"  # two files may share a stem
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UnknownEnvironment(f"{path} cannot be imported; give a Python file")
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up while the file runs
    spec.loader.exec_module(module)
    return module


@cache
def _outside() -> Mapping[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}
