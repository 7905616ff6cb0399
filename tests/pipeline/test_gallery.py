"""The gallery: what its pages show, and that a page which no longer tells the truth is noticed."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from palaestra.core.environment import Pool
from palaestra.core.observation import LADDER, Picture
from palaestra.envs import registry
from palaestra.pipeline.gallery import gallery, stale

LAKE, BARS = "grid/frozen_lake", "charts/bar_reading"


@pytest.fixture(scope="module")
def pool() -> Pool:
    return registry.pool([BARS, LAKE])


@pytest.fixture(scope="module")
def shown(pool: Pool, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("gallery")
    pages = gallery(pool, out, speed=lambda env: 1234.0)
    assert [page.name for page in pages] == ["index.html", "README.md", "charts.md", "grid.md"]
    return out


def test_a_page_tells_every_rung_every_scale_and_who_wins(shown: Path) -> None:
    page = (shown / "grid.md").read_text("utf-8")
    assert all(f"{rung.name} adds the" in page for rung in LADDER[:-1])
    scales = len(registry.get(LAKE).spec.scales)
    assert len(re.findall(r"^\| \d+ \| .* n = 100 \| .* n = 20 \| .* n = 20 \|$", page, re.MULTILINE)) == scales
    assert "1,234" in page
    assert "guide" not in (shown / "charts.md").read_text("utf-8")


def test_a_strip_shows_every_scale_and_both_forms_link_to_it(shown: Path) -> None:
    strip = Picture.from_png((shown / "pictures" / "grid.frozen_lake.png").read_bytes())
    assert strip.width == len(registry.get(LAKE).spec.scales) * (224 + 8) - 8
    assert "(pictures/grid.frozen_lake.png)" in (shown / "grid.md").read_text("utf-8")
    page = (shown / "index.html").read_text("utf-8")
    assert page.count('src="data:image/png') == 2
    assert "<script" not in page


def test_what_changed_came_or_went_is_stale(shown: Path, pool: Pool) -> None:
    assert stale(pool, shown) == []

    class Changed(type(pool[LAKE])):  # type: ignore[misc]
        def view(self, public: Any, pixels: int = 448) -> Any:
            return replace(super().view(public, pixels), hint="Another hint.")

    assert stale({**pool, LAKE: Changed()}, shown) == [LAKE]
    assert stale({LAKE: pool[LAKE]}, shown) == [BARS]
    more = "perception/count_shapes"
    assert stale({**pool, more: registry.get(more)}, shown) == [more]


def test_the_pages_of_the_house_show_what_its_environments_show_now() -> None:
    pages = Path(__file__).parents[2] / "docs" / "environments"
    assert stale(registry.pool(), pages) == [], "make gallery, and look at what changed"
