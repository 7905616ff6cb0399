"""The digest of a pool: the same for what shows the same, another for what changed."""

from dataclasses import replace
from typing import Any

from palaestra.envs import registry
from palaestra.envs.digest import changed, pool_digest

LAKE, BARS = "grid/frozen_lake", "charts/bar_reading"


def test_a_pool_differs_from_itself_in_nothing_and_names_what_changed_came_or_went() -> None:
    pool = registry.pool([LAKE, BARS])
    known = pool_digest(pool)
    assert list(known) == [LAKE, BARS]
    assert known[LAKE].startswith("v1 ")
    assert changed(pool, known) == ()
    assert changed({LAKE: pool[LAKE]}, known) == (BARS,)
    assert changed(pool, {LAKE: known[LAKE]}) == (BARS,)

    class Hinted(type(pool[LAKE])):  # type: ignore[misc]
        def view(self, public: Any, pixels: int = 448) -> Any:
            return replace(super().view(public, pixels), hint="Another hint.")

    class Redrawn(type(pool[LAKE])):  # type: ignore[misc]
        def view(self, public: Any, pixels: int = 448) -> Any:
            return super().view(public, pixels - 1)

    class Raised(type(pool[LAKE])):  # type: ignore[misc]
        spec = replace(pool[LAKE].spec, version=2)

        def reset(self, instance: Any) -> Any:
            return pool[LAKE].reset(replace(instance, version=1))

    for env in (Hinted(), Redrawn(), Raised()):
        assert changed({**pool, LAKE: env}, known) == (LAKE,)
