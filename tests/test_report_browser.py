"""The reports as Chromium draws them in a column of 600 px, on a light and on a dark page."""

from __future__ import annotations

import re
import shutil
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from inspections import ALL, MAPS
from test_report import pages, rich_episode

from cudaperf_magic.notebook import access_picture, markup, report, reward_view
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


@pytest.mark.parametrize("preset", ["default", "kevin", "cudaperf"])
@pytest.mark.parametrize("number", [0, 2, 4])  # it does not build; a race; right and fast
def test_a_term_s_bar_is_as_long_as_its_share_of_the_reward_s_scale(draw: Any, preset: str, number: int) -> None:
    reward = rich_episode(preset).turns[number].reward
    page = draw(reward_view.table(reward))
    # [left, right] of what is filled, as shares of its track
    spans = page.evaluate(
        "(solid) => [...document.querySelectorAll('td:nth-child(2) > div')].map(track => {"
        " const blocks = [...track.children], left = blocks[0].getBoundingClientRect().left;"
        " const filled = blocks.filter(e => solid.includes(getComputedStyle(e).backgroundColor));"
        " const wide = blocks.at(-1).getBoundingClientRect().right - left;"
        " return filled.length ? [(filled[0].getBoundingClientRect().left - left) / wide,"
        " (filled.at(-1).getBoundingClientRect().right - left) / wide] : null; })",
        ["rgb(47, 111, 219)", "rgb(198, 40, 40)"],
    )
    for bar, span in zip(reward_view.bars(reward), spans, strict=True):
        if bar.fill[1] - bar.fill[0] > 0.01:
            assert span == pytest.approx(bar.fill, abs=0.01)
        else:
            assert span is None or span[1] - span[0] < 0.02


def test_the_pictures_of_a_report_are_drawn_and_told_in_words(draw: Any) -> None:
    page = draw(PAGES["timed"])
    found = page.evaluate("[...document.images].map(e => [e.complete, e.naturalWidth, e.clientWidth, e.alt])")
    assert len(found) == 2
    for is_complete, natural, shown, alt in found:
        assert is_complete and natural >= shown > 500 and "Turn 5" in alt


# ---- print ----

PAPER_PX = 718  # A4 without margins of 1 cm, at 96 dots an inch
# What a page of paper cuts off: boxes that scroll, and whatever is wider than its box.
CUT = """
() => [...document.querySelectorAll('*')].filter(e => {
  const style = getComputedStyle(e), scrolls = (how) => how !== 'visible';
  return (scrolls(style.overflowX) && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0)
      || (scrolls(style.overflowY) && e.scrollHeight > e.clientHeight + 1 && e.clientHeight > 0);
}).map(e => e.textContent.slice(0, 60))
"""


@pytest.mark.parametrize("name", PAGES)
def test_paper_shows_what_the_screen_would_scroll_to(draw: Any, name: str) -> None:
    page = draw(PAGES[name])
    page.emulate_media(media="print")
    page.set_viewport_size({"width": PAPER_PX, "height": 1000})
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER_PX
    assert page.evaluate(CUT) == []


def test_a_long_line_goes_on_below_its_own_code_and_never_below_the_numbers(draw: Any) -> None:
    page = draw(report.costly_source(rich_episode().turns[4]))
    lefts = page.evaluate(
        "[...document.querySelectorAll('span')].filter(e => e.textContent.includes('b[0][0]') && !e.children.length)"
        ".map(e => [...e.getClientRects()].map(r => [r.left, r.right]))[0]"
    )
    assert len(lefts) > 3  # it is far too long for one
    numbers_end = lefts[0][0]
    assert all(left > numbers_end for left, _ in lefts[1:]) and max(right for _, right in lefts) <= WIDTH_PX


def test_numbers_of_lines_are_not_copied_with_the_code(draw: Any) -> None:
    for html in (markup.source("int a;\n\nint b;"), report.costly_source(rich_episode().turns[4])):
        page = draw(html)
        page.evaluate("getSelection().selectAllChildren(document.body)")
        copied = page.evaluate("getSelection().toString()")
        assert not [line for line in copied.splitlines() if line.strip().isdigit()]
    assert "__global__ void k() {}" in copied


def test_bars_are_printed_although_browsers_leave_backgrounds_away(draw: Any, tmp_path: Path) -> None:
    page = draw(markup.page(reward_view.table(rich_episode().turns[4].reward)))  # nothing else in it is blue
    page.pdf(path=str(tmp_path / "report.pdf"), format="A4", print_background=False)
    drawn = b"".join(streams((tmp_path / "report.pdf").read_bytes()))
    blue = [int(markup.BLUE[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    fills = {tuple(round(float(v), 2) for v in found) for found in FILL.findall(drawn)}
    assert tuple(round(share, 2) for share in blue) in fills


FILL = re.compile(rb"([\d.]+) ([\d.]+) ([\d.]+) rg\b")


def streams(pdf: bytes) -> Iterator[bytes]:
    """The streams of a PDF that are packed with zlib."""
    for found in re.finditer(rb"stream\r?\n", pdf):
        with suppress(zlib.error):
            yield zlib.decompressobj().decompress(pdf[found.end() :])


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
