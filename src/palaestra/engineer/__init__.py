"""Engineers: who says what is trained on at the next stage, what they are told, and what keeps them within bounds.

========================  ====================================================================================
``space``                 the legal space as JSON Schema, and the projection of anything onto it
``log``                   what came of a stage, in counts: from groups, or from anybody's logs
``evidence``              that in words: seven modules that can be switched
``no_change``             the baseline
``random_settings``       the control
``domain_randomisation``  all parts alike, over all values
``thresholds``            harder above 80 % success, easier below 20 %
``bandit``                weight where there is most to learn
``alp_gmm``               settings where success has been changing (``mixture``: its Gaussians)
``tpe``                   a Parzen estimator (needs the extra ``optuna``)
``hand_schedule``         from easy to hard at a set pace
``chat``                  a language model (``reply``: what may be made of what it says)
``rails``                 what every proposal must pass before it is trained on
``journal``               every prompt, reply, verdict and change, line by line
``staged``                a mixture that changes between stages, as a curriculum
``retuner``               the stages of somebody else's training loop
========================  ====================================================================================

    engineer = ENGINEERS["thresholds"]()
    proposal = engineer.propose(current, evidence(log, space), space)

To add one, write a file with a frozen dataclass of its constants, `seed` among them, and `propose`; set `reads` where
it goes by results (it then waits until there are some); and name it in `ENGINEERS`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from palaestra.core.engineer import Engineer
from palaestra.core.errors import ConfigError, nearest
from palaestra.engineer.alp_gmm import ALPGMM
from palaestra.engineer.bandit import Bandit
from palaestra.engineer.domain_randomisation import DomainRandomisation
from palaestra.engineer.hand_schedule import HandSchedule
from palaestra.engineer.no_change import NoChange
from palaestra.engineer.random_settings import RandomSettings
from palaestra.engineer.thresholds import Thresholds
from palaestra.engineer.tpe import TPE

ENGINEERS: Mapping[str, type[Any]] = MappingProxyType(
    {
        "no_change": NoChange,
        "random": RandomSettings,
        "domain_randomisation": DomainRandomisation,
        "thresholds": Thresholds,
        "bandit": Bandit,
        "alp_gmm": ALPGMM,
        "tpe": TPE,
        "hand_schedule": HandSchedule,
    }
)
"""Every engineer that is no language model, by name."""


def named(name: str, seed: int = 0, settings: Mapping[str, Any] = MappingProxyType({})) -> Engineer:
    """Return the engineer of a name that is no language model, with some of its constants set.

    Raises:
        ConfigError: there is none, or it has no such setting.
    """
    if name not in ENGINEERS:
        raise ConfigError(f"no engineer is called {name!r}{nearest(name, ENGINEERS)}")
    try:
        made: Engineer = ENGINEERS[name](seed=seed, **settings)
    except TypeError as error:
        known = ", ".join(field for field in ENGINEERS[name].__dataclass_fields__ if field != "seed")
        raise ConfigError(f"engineer {name}: {error}; its settings are {known or 'none'}") from error
    return made


def called(engineer: Engineer) -> str:
    """Return the name of an engineer, that of its class where it is none of these."""
    return next((name for name, kind in ENGINEERS.items() if type(engineer) is kind), type(engineer).__name__)
