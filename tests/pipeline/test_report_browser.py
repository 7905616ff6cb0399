"""The page in a real browser: nothing is refused, cut, empty or wider than the screen, however large the pool is."""

import html
import json
import re
import shutil
import subprocess

import pytest
from planted_run import planted

from palaestra.pipeline.report import report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run", "--enable-logging=stderr",
]  # fmt: skip
WIDTHS = (1280, 420)

# The page holds no script, so one around it measures it, in frames as wide as the screens.
PROBE = """<!DOCTYPE html><meta charset="utf-8"><body><script>
const box = (e) => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
addEventListener("load", () => {
  const found = {};
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument, root = page.documentElement;
    found[frame.width] = {
      screen: root.clientWidth,
      content: root.scrollWidth,
      figures: [...page.querySelectorAll("figure")].map((figure) => ({
        section: figure.closest("section").id,
        outer: box(figure),
        drawing: box(figure.querySelector("svg, .cards")),
        texts: [...figure.querySelectorAll("svg text")].map((t) => [t.textContent, ...box(t)]),
        pictures: [...figure.querySelectorAll("img")].map((i) => i.complete && i.naturalWidth),
      })),
    };
  }
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = JSON.stringify(found);
  document.body.replaceChildren(out);
});
</script>FRAMES</body>"""

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")]


@pytest.fixture(scope="module", params=[(12, 22), (80, 45)], ids=["12 environments", "80 environments"])
def seen(request, tmp_path_factory):
    """What a browser finds of a page, by the width of the screen, and what it complained of."""
    folder = tmp_path_factory.mktemp("page")
    made = report(planted(folder / "run", *request.param))
    assert made.page.stat().st_size < 1_500_000
    inner = html.escape(made.page.read_text("utf-8"))
    frames = "".join(f'<iframe width="{width}" height="900" srcdoc="{inner}"></iframe>' for width in WIDTHS)
    (folder / "probe.html").write_text(PROBE.replace("FRAMES", frames), "utf-8")
    command = [
        CHROMIUM,
        *FLAGS,
        f"--user-data-dir={folder / 'profile'}",
        "--dump-dom",
        (folder / "probe.html").as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    (found,) = re.findall(r'<pre id="found">(.*?)</pre>', done.stdout, flags=re.DOTALL)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return {int(width): page for width, page in json.loads(html.unescape(found)).items()}, console


def test_the_browser_complains_of_nothing(seen):
    assert seen[1] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_every_figure_is_on_the_page_and_the_page_is_no_wider_than_the_screen(seen, width):
    page = seen[0][width]
    assert page["content"] <= page["screen"] <= width
    assert [own["section"] for own in page["figures"]] == [
        "pool", "abilities", "conflict", "selection", "coverage", "curriculum", "scores",
    ]  # fmt: skip
    for own in page["figures"]:
        left, top, right, bottom = own["outer"]
        assert left >= 0
        assert right <= page["screen"]
        assert min(right - left, bottom - top) > 100
        left, top, right, bottom = own["drawing"]
        assert min(right - left, bottom - top) > 100


@pytest.mark.parametrize("width", WIDTHS)
def test_every_picture_is_drawn(seen, width):
    pool = seen[0][width]["figures"][0]
    assert len(pool["pictures"]) >= 10
    assert all(pool["pictures"])


@pytest.mark.parametrize("width", WIDTHS)
def test_no_word_of_a_drawing_is_cut_or_too_small(seen, width):
    for own in seen[0][width]["figures"][1:]:
        left, top, right, bottom = own["drawing"]
        assert own["texts"]
        for words, *box in own["texts"]:
            assert left - 1 <= box[0] < box[2] <= right + 1, (own["section"], words)
            assert top - 1 <= box[1] < box[3] <= bottom + 1, (own["section"], words)
            assert min(box[2] - box[0], box[3] - box[1]) >= 4, (own["section"], words)
