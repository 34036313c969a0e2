"""The reports as Chromium draws them in a column of 600 px, on a light and on a dark page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from inspections import ALL, MAPS
from test_report import pages

from cudaperf_magic.notebook import access_picture
from cudaperf_magic.notebook.inspection_report import inspection_html

pytestmark = pytest.mark.browser

BACKGROUNDS = {"light": ("#ffffff", "#1b1b1b"), "dark": ("#111111", "#e0e0e0")}
WIDTH_PX = 600
PAGES = pages() | {f"inspection, {name}": inspection_html(found) for name, found in ALL.items()}
LEAST_CONTRAST = 4.5  # WCAG 2, level AA

# The contrast of every piece of text with what is drawn behind it, translucent layers laid over each other.
CONTRASTS = """
() => {
  const parse = (text) => { const v = text.match(/[\\d.]+/g).map(Number); return v.length > 3 ? v : [...v, 1]; };
  const over = (top, under) => top.slice(0, 3).map((c, i) => c * top[3] + under[i] * (1 - top[3]));
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => c / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.textContent.trim() || !node.parentElement.getClientRects().length) continue;
    const chain = [];
    for (let e = node.parentElement; e; e = e.parentElement) chain.unshift(e);
    let back = [255, 255, 255], opacity = 1;
    for (const e of chain) {
      const style = getComputedStyle(e);
      back = over(parse(style.backgroundColor), back);
      opacity *= Number(style.opacity);
    }
    const ink = parse(getComputedStyle(node.parentElement).color);
    const [a, b] = [light(over([...ink.slice(0, 3), ink[3] * opacity], back)), light(back)];
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.textContent.trim().slice(0, 40)]);
  }
  return found;
}
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if not found:
        pytest.skip("there is no Chromium on the PATH")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        made = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture(params=BACKGROUNDS)
def draw(request: pytest.FixtureRequest, browser: Any) -> Iterator[Any]:
    """Opens a report with every fold open; returns the page."""
    background, ink = BACKGROUNDS[request.param]
    page = browser.new_page(viewport={"width": WIDTH_PX, "height": 800})

    def opened(report: str) -> Any:
        body = report.replace("<details style", "<details open style")
        page.set_content(f"<body style='margin:8px;background:{background};color:{ink}'>{body}</body>")
        return page

    yield opened
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_the_column(draw: Any, name: str) -> None:
    page = draw(PAGES[name])
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH_PX


@pytest.mark.parametrize("name", PAGES)
def test_every_text_can_be_read_on_what_is_behind_it(draw: Any, name: str) -> None:
    contrasts = draw(PAGES[name]).evaluate(CONTRASTS)
    assert contrasts
    assert [pair for pair in contrasts if pair[0] < LEAST_CONTRAST] == []


def test_a_bar_is_as_long_as_its_number_says(draw: Any) -> None:
    page = draw(PAGES["translated"])
    shares = page.evaluate(
        "[...document.querySelectorAll('td > div > div')].map(e => [e.clientWidth / e.parentElement.clientWidth,"
        " e.closest('td').nextElementSibling.textContent])"
    )
    assert len(shares) > 4
    for share, text in shares:
        assert share == pytest.approx(min(1.0, max(0.0, float(text.split()[0]))), abs=0.02)


def test_a_lane_stands_below_the_number_of_its_bank(draw: Any) -> None:
    page = draw(access_picture.html(MAPS["shared padded"]))
    lefts = page.evaluate(
        "[...document.querySelectorAll('div > span + span')].filter(e => /^\\d+$/.test(e.textContent))"
        ".map(e => [e.textContent, e.getBoundingClientRect().left])"
    )
    heads, lanes = lefts[:32], lefts[32:64]
    assert [name for name, _ in heads] == [str(bank) for bank in range(32)]
    assert heads == lanes


@pytest.mark.parametrize("name", MAPS)
def test_a_picture_is_seen_whole_without_scrolling(draw: Any, name: str) -> None:
    page = draw(access_picture.html(MAPS[name]))
    boxes = "[...document.querySelectorAll('div')].filter(e => getComputedStyle(e).overflowX === 'auto')"
    assert page.evaluate(f"{boxes}.every(e => e.scrollWidth <= e.clientWidth)")
