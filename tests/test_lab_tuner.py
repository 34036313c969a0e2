"""The tuner in a real JupyterLab: sliders dragged in headless Chromium, and what the page says afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from lab import ROOT, chromium, lab, opened, run_cell, save

from cudaperf_magic.rewards import load_preset

pytestmark = pytest.mark.browser

STAGE = f"""
import sys; sys.path.insert(0, {str(ROOT / "tests")!r})
from timed_episodes import HONEST, PRETTIER, episode
one, two = episode(PRETTIER, "prettier"), episode(HONEST, "honest")
%load_ext cudaperf_magic
"""
CELLS = (STAGE, "%cudaperf rewards one two", "%cudaperf rewards one --reward mine.toml")
TOTAL = ".cudaperf-structure"
SCREENSHOTS = os.environ.get("SCREENSHOTS")  # a folder where the pages are left to be looked at


@pytest.fixture(params=["light", "dark"])
def page(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    with lab(tmp_path, CELLS, dark=request.param == "dark") as address, chromium() as browser:
        found = opened(browser, address, 900)
        found.theme, found.folder = request.param, tmp_path / "work"
        yield found


def shoot(page: Any, name: str) -> None:
    if SCREENSHOTS:
        page.screenshot(path=f"{SCREENSHOTS}/{name}-{page.theme}.png")


def choices(cell: Any) -> str:
    """The sentence about what this reward would have chosen."""
    return str(cell.get_by_text("It would have chosen another turn").last.inner_text())


def test_sliders_change_the_choice_and_the_way_back_and_the_file_work(page: Any) -> None:
    run_cell(page, 0)
    cell = run_cell(page, 1)
    cell.locator(".widget-slider").first.wait_for()
    assert "in 0 of 2 episodes" in choices(cell)
    assert cell.get_by_role("button", name="Undo").is_disabled()  # nothing was moved yet
    shoot(page, "tuner")

    total = cell.locator(f"{TOTAL} .widget-readout")
    total.fill("0")
    total.press("Enter")
    page.wait_for_function("() => document.body.innerText.includes('in 1 of 2 episodes')")
    assert "default, changed" in cell.inner_text()
    shoot(page, "tuner-changed")

    cell.get_by_role("button", name="Undo").click()
    page.wait_for_function("() => document.body.innerText.includes('in 0 of 2 episodes')")
    cell.get_by_role("button", name="Redo").click()
    page.wait_for_function("() => document.body.innerText.includes('in 1 of 2 episodes')")
    cell.get_by_role("button", name="Save").click()
    cell.get_by_text("saved; use it with --reward mine.toml").wait_for()
    assert load_preset(str(page.folder / "mine.toml")).structure == 0.0
    cell.get_by_role("button", name="Reset").click()
    page.wait_for_function("() => document.body.innerText.includes('in 0 of 2 episodes')")

    again = run_cell(page, 2)
    again.locator(".widget-slider").first.wait_for()
    assert "in 1 of 1 episode" in choices(again)
    assert page.faults == []


def test_a_slider_that_is_dragged_moves_the_page_while_it_moves(page: Any) -> None:
    run_cell(page, 0)
    cell = run_cell(page, 1)
    total = cell.locator(f"{TOTAL} .noUi-handle")
    total.scroll_into_view_if_needed()
    box = total.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] - 60, box["y"] + box["height"] / 2, steps=6)
    page.wait_for_function("() => document.body.innerText.includes('default, changed')")  # the button is still down
    page.mouse.up()
    cell.get_by_role("button", name="Undo").click()  # the whole drag is one step
    page.wait_for_function("() => !document.body.innerText.includes('default, changed')")
    assert page.faults == []


def test_another_preset_shows_its_own_terms_and_the_saved_notebook_keeps_the_page(page: Any) -> None:
    run_cell(page, 0)
    cell = run_cell(page, 1)
    cell.locator("select").first.select_option("cudaperf")
    page.wait_for_function("() => document.body.innerText.includes('This is no sound reward')")
    assert cell.get_by_text("log2 S: 1 for twice as fast").count() > 0
    shoot(page, "tuner-cudaperf")
    save(page)
    outputs = nbformat.read(page.folder / "page.ipynb", 4).cells[1].outputs
    kept = [output["data"] for output in outputs if "text/html" in output.get("data", {})]
    assert len(kept) == 1 and "application/vnd.jupyter.widget-view+json" not in kept[0]
    assert "no sound reward" in kept[0]["text/html"] and "What this reward would have chosen" in kept[0]["text/html"]
