"""Groups by the instance that was played: what is drawn, dealt and resampled as a whole, as its rollouts are alike."""

from collections.abc import Sequence

from palaestra.core.errors import BadMeasurement
from palaestra.core.ticket import Group


def by_instance(env_id: str, groups: Sequence[Group]) -> list[list[Group]]:
    """Return the groups of each instance, in an order that does not depend on that of the groups.

    Raises:
        BadMeasurement: a group comes from another environment.
    """
    found: dict[str, list[Group]] = {}
    for group in sorted(groups, key=lambda group: group.ticket.id):
        if group.ticket.cell.env_id != env_id:
            raise BadMeasurement(f"measuring {env_id}: ticket {group.ticket.id} is of {group.ticket.cell.env_id}")
        found.setdefault(group.ticket.instance.key(), []).append(group)
    return [found[key] for key in sorted(found)]
