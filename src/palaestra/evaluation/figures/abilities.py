"""The figure of the profiles: which abilities each environment exercises, in what share of its trajectories."""

from collections.abc import Mapping, Sequence

from palaestra.core.profile import AbilityProfile
from palaestra.evaluation.figures.matrix import MARK, UNMEASURED, legend, matrix
from palaestra.evaluation.figures.sheet import INK, MAIN, ON_MAIN, SMALL, squares
from palaestra.evaluation.report import Figure, Section, Table

TITLE = "Abilities by environment"

NUMBERED = 24.0
"""Cells at least so wide hold the share as a number [pixels]; in narrower ones the size of the square tells it."""

CORE, SOFT = {"facecolor": MAIN}, {"facecolor": MAIN, "alpha": 0.3}

CAPTION = (
    "A cell is the share of one environment's trajectories, a weak and a strong player's together, that show an "
    "ability: dark where it is core (surely common), light where it is soft (seen, but not surely common), empty where "
    "it is absent or rarer than noise, grey where nothing was played. {how} Picked environments come first, in the "
    "order of picking; abilities are sorted by how many environments have them at the core."
)
NUMBERS = "The number is the share in per cent."
SIZES = "The area of the square is the share: a full cell is every trajectory."


def abilities(profiles: Sequence[AbilityProfile], picked: Sequence[str], without: Sequence[str] = ()) -> Section:
    """Return the section that shows some profiles, of which some were picked, beside environments `without` one."""
    place = {env_id: n for n, env_id in enumerate(picked)}
    shown = sorted(profiles, key=lambda own: (place.get(own.env_id, len(place)), own.env_id))
    names = {ability for own in shown for ability in (*own.core, *own.soft)}
    kinds = sorted(names, key=lambda ability: (-sum(ability in own.core for own in shown), ability))
    rows = tuple(
        (own.env_id, str(own.support.get("", "unknown")), _listed(own.core), _listed(own.soft)) for own in shown
    )
    rows += tuple((env_id, "none", "unmeasured", "unmeasured") for env_id in without)
    table = Table(
        "Every profile, shares in brackets", ("environment", "trajectories", "core abilities", "soft abilities"), rows
    )
    shown += [AbilityProfile(env_id, {}, {}, {}, {"": 0}) for env_id in without]
    if not kinds:
        return Section("abilities", TITLE, ("No profile of this run names an ability.", table))
    return Section("abilities", TITLE, (_drawn(shown, kinds, frozenset(place)), table))


def _drawn(shown: Sequence[AbilityProfile], kinds: Sequence[str], picked: frozenset[str]) -> Figure:
    """Return the figure; whichever there are more of stands on the long side."""
    env_ids = [own.env_id for own in shown]
    unplayed = [e for e, own in enumerate(shown) if own.support.get("") == 0]
    upright = len(kinds) >= len(env_ids)
    rows, columns = (kinds, env_ids) if upright else (env_ids, kinds)
    with matrix(rows, columns, picked, head=26, narrowest=330) as (paper, axes, cell):
        numbered = cell >= NUMBERED
        for style, side in ((CORE, "core"), (SOFT, "soft")):
            cells: dict[tuple[float, float], float] = {
                (e, a) if upright else (a, e): getattr(own, side)[kind]
                for e, own in enumerate(shown)
                for a, kind in enumerate(kinds)
                if kind in getattr(own, side)
            }
            sides = [0.92 if numbered else 0.92 * share**0.5 for share in cells.values()]
            squares(axes, list(cells), sides, **style)
            if numbered:
                for (column, row), share in cells.items():
                    colour = ON_MAIN if side == "core" else INK
                    words = {"size": SMALL, "color": colour, "ha": "center", "va": "center_baseline"}
                    axes.text(column, row, f"{100 * share:.0f}", **words)
        blind = [(e, a) if upright else (a, e) for e in unplayed for a in range(len(kinds))]
        squares(axes, blind, [0.92] * len(blind), **UNMEASURED)
        grey = [(UNMEASURED, "unmeasured")] if unplayed else []
        legend(paper, [(CORE, "core"), (SOFT, "soft"), *grey, ({}, f"{MARK}picked")])
        cores = sum(len(own.core) for own in shown)
        alt = (
            f"{len(kinds)} abilities by {len(env_ids)} environments, {cores} cells core; every number is in the table."
        )
        svg = paper.svg("abilities", TITLE, alt)
    return Figure(svg, CAPTION.format(how=NUMBERS if numbered else SIZES))


def _listed(shares: Mapping[str, float]) -> str:
    by_share = sorted(shares, key=lambda ability: (-shares[ability], ability))
    return ", ".join(f"{ability} ({shares[ability]:.2f})" for ability in by_share)
