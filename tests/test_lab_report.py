"""A saved report in a real JupyterLab that does not trust the notebook: its sanitiser takes away what it will."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from lab import KERNEL, chromium, lab, opened
from nbformat.v4 import new_code_cell, new_notebook, new_output
from test_report import rich_episode

from cudaperf_magic.notebook import report

pytestmark = pytest.mark.browser

FOUND = report.episode_report(rich_episode())
# Proof that this notebook is not trusted: these are gone from the page.
PLANTED = '<script>document.title = "ran"</script><style>td { color: red }</style><svg><text>drawn</text></svg>'
SCREENSHOTS = os.environ.get("SCREENSHOTS")  # a folder where the pages are left to be looked at
REPORT = ".jp-OutputArea-output div[style*='max-width']"
# Text as it stands in the document, folded parts too, and what is drawn of the bars.
TEXT = "e => e.textContent.replace(/\\s+/g, ' ').trim()"
BARS = """
e => [...e.querySelectorAll('td:nth-child(2) > div > *')].map(b => [
  getComputedStyle(b).backgroundColor, Math.round(b.getBoundingClientRect().width)])
"""


@pytest.fixture(scope="module", params=["light", "dark"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp(request.param)
    data = FOUND._repr_mimebundle_()
    data["text/html"] += PLANTED
    output = new_output("execute_result", data=data, execution_count=1)
    cell = new_code_cell("%%cudaperf translate\nvoid saxpy();", outputs=[output], execution_count=1)
    with lab(folder, ["1"], dark=request.param == "dark") as address, chromium() as browser:
        nbformat.write(new_notebook(cells=[cell], metadata=KERNEL), folder / "work" / "page.ipynb")
        shown = opened(browser, address, 900)
        shown.theme, shown.browser_ = request.param, browser
        shown.wait_for_selector(REPORT)
        yield shown


def as_written(page: Any) -> Any:
    """The same HTML on a page of its own, where nothing is taken away."""
    plain = page.browser_.new_page(viewport={"width": 900, "height": 1000})
    plain.set_content(FOUND.html)
    return plain


def test_an_untrusted_notebook_shows_every_word_of_its_report(page: Any) -> None:
    area = page.locator(".jp-OutputArea-output").first
    assert area.locator("script, style, svg").count() == 0 and page.title() != "ran"
    plain = as_written(page)
    assert area.evaluate(TEXT).removesuffix(" drawn").removesuffix("drawn") == plain.locator("body").evaluate(TEXT)
    assert page.faults == []
    if SCREENSHOTS:
        area.screenshot(path=f"{SCREENSHOTS}/untrusted-{page.theme}.png")


def test_its_pictures_and_bars_are_drawn_as_they_were(page: Any) -> None:
    images = page.evaluate(
        f'[...document.querySelectorAll("{REPORT} img")].map(e => [e.naturalWidth > 0, e.alt.length > 200])'
    )
    assert images == [[True, True], [True, True]]
    plain = as_written(page)
    drawn = page.locator(REPORT).first.evaluate(BARS)
    assert len(drawn) > 6
    assert drawn == plain.locator("body > div").first.evaluate(BARS)


def test_its_code_goes_on_below_itself_and_nothing_scrolls_sideways(page: Any) -> None:
    scrolling = (
        f'[...document.querySelectorAll("{REPORT}, {REPORT} *")]'
        ".filter(e => e.tagName === 'DIV' && e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1)"
        ".map(e => e.textContent.slice(0, 60))"
    )
    assert page.evaluate(scrolling) == []
