"""The live view in a real JupyterLab: turns that come after the cell ended, buttons, what a saved page keeps."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from lab import ROOT, chromium, lab, opened, run_cell, save

from cudaperf_magic.store import Store

pytestmark = pytest.mark.browser

STAGE = f"""
import sys; sys.path.insert(0, {str(ROOT / "tests")!r})
import slow_stage
stage = slow_stage.put_up()
%load_ext cudaperf_magic
"""
TRANSLATE = "%%cudaperf translate -o kernel --turns {turns}\nvoid saxpy(void);"
SCREENSHOTS = os.environ.get("SCREENSHOTS")  # a folder where the pages are left to be looked at
SOON_MS = 20_000


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Any]:
    """Opens JupyterLab on cells; returns the page, which has the folder, the store and the address."""
    closing = []

    def started(*cells: str, dark: bool = False, width_px: int = 1000) -> Any:
        server = lab(tmp_path, (STAGE, *cells), dark=dark)
        closing.append(server)
        address = server.__enter__()
        window = chromium()
        closing.append(window)
        page = opened(window.__enter__(), address)
        page.folder, page.address, page.store = tmp_path / "work", address, Store(tmp_path / "episodes.db")
        page.theme = "dark" if dark else "light"
        run_cell(page, 0)
        page.set_viewport_size({"width": width_px, "height": 1000})
        return page

    yield started
    for each in reversed(closing):
        each.__exit__(None, None, None)


def shoot(page: Any, name: str) -> None:
    if SCREENSHOTS:
        page.screenshot(path=f"{SCREENSHOTS}/{name}-{page.theme}-{page.viewport_size['width']}.png")


def says(cell: Any, words: str) -> None:
    """Wait until the cell's output has these words."""
    cell.locator(".jp-OutputArea-output").filter(has_text=words).first.wait_for(timeout=SOON_MS)


def press(cell: Any, name: str) -> None:
    cell.get_by_role("button", name=name).click()


@pytest.mark.parametrize(("dark", "width_px"), [(False, 1000), (True, 600)])
def test_turns_come_and_buttons_hold_end_and_go_on_in_the_same_output(start: Any, dark: bool, width_px: int) -> None:
    page = start(TRANSLATE.format(turns=30), "print('here')", dark=dark, width_px=width_px)
    cell = run_cell(page, 1)  # it has ended: the work has not
    says(cell, "turn 3 of 30")
    shoot(page, "live")
    run_cell(page, 2)
    press(cell, "Pause")
    says(cell, "paused")
    shoot(page, "live-paused")
    (entry,) = page.store.recent()
    page.wait_for_timeout(1_500)
    held = page.store.recent()[0].turns
    page.wait_for_timeout(1_500)
    assert page.store.recent()[0].turns == held <= entry.turns + 1
    press(cell, "Resume")
    says(cell, f"turn {held + 3} of 30")
    press(cell, "Stop")
    says(cell, "stopped after")
    says(cell, "verified CUDA")
    assert page.store.recent()[0].stopped == "interrupted"
    shoot(page, "live-stopped")
    cell.get_by_placeholder("words that the next turn reads first").fill("tile it")
    turns = page.store.recent()[0].turns + 2
    cell.locator("input[type=number]").fill(str(turns))
    press(cell, "Go on from here")
    says(cell, f"{turns} turns in")
    episode = page.store.load(entry.identity)
    assert len(episode.turns) == turns and [hint.words for hint in episode.hints] == ["tile it"]
    assert len(page.store.recent()) == 1, "it went on with the same episode"
    cell.get_by_role("button", name="Go on from here").scroll_into_view_if_needed()
    shoot(page, "live-gone-on")
    assert page.faults == []


def test_a_saved_page_has_the_report_and_no_widget_hides_it(start: Any) -> None:
    page = start(TRANSLATE.format(turns=3))
    cell = run_cell(page, 1)
    says(cell, "verified CUDA")
    cell.get_by_role("button", name="Go on from here").wait_for()
    save(page)
    notebook = nbformat.read(page.folder / "page.ipynb", 4)
    kinds = [set(output.get("data", {})) for output in notebook.cells[1].outputs]
    widget = "application/vnd.jupyter.widget-view+json"
    reports = [found for found in kinds if "application/vnd.cudaperf.report+json" in found]
    assert len(reports) == 1 and widget not in reports[0]
    assert all(found == {widget, "text/plain"} for found in kinds if widget in found)
    page.goto(page.address.replace("page.ipynb?reset", "page.ipynb?reset&kernel=none"))
    page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(1)
    says(cell, "verified CUDA")
    assert cell.get_by_text("verified CUDA").first.is_visible()
    shoot(page, "live-reopened")


def test_a_cell_that_uses_the_result_waits_and_an_interrupt_of_it_leaves_the_work_alone(start: Any) -> None:
    page = start(TRANSLATE.format(turns=8), "len(kernel.episode.turns)", "_1 if False else kernel")
    cell = run_cell(page, 1)
    says(cell, "turn 2 of 8")
    waiting = page.locator(".jp-Notebook .jp-CodeCell").nth(2)
    waiting.locator(".cm-content").first.click()
    page.keyboard.press("Control+Enter")
    page.wait_for_timeout(700)
    page.keyboard.press("Escape")
    page.keyboard.press("i")
    page.keyboard.press("i")
    says(waiting, "KeyboardInterrupt")
    found = run_cell(page, 2)
    says(found, "8")
    assert page.store.recent()[0].turns == 8


def test_an_interrupt_of_the_idle_kernel_stops_the_work(start: Any) -> None:
    page = start(TRANSLATE.format(turns=30), "kernel")
    cell = run_cell(page, 1)
    says(cell, "turn 3 of 30")
    page.keyboard.press("Escape")
    page.keyboard.press("i")
    page.keyboard.press("i")
    says(cell, "stopped after")
    assert page.store.recent()[0].stopped == "interrupted"
    run_cell(page, 2)  # the kernel is well


def test_deleted_outputs_and_a_reset_leave_the_work_alone_and_line_magics_reach_it(start: Any) -> None:
    page = start(TRANSLATE.format(turns=30), "%reset -f", "%cudaperf pause", "%cudaperf resume", "%cudaperf stop")
    cell = run_cell(page, 1)
    says(cell, "turn 2 of 30")
    run_cell(page, 2)
    page.evaluate("() => window.jupyterapp ?? null")
    cell.locator(".cm-content").first.click()
    page.keyboard.press("Escape")
    page.locator(".jp-Notebook .jp-CodeCell").nth(1).click(button="right")
    page.get_by_role("menuitem", name="Clear Cell Output", exact=True).click()
    says(run_cell(page, 3), "paused; %cudaperf resume goes on")
    held = page.store.recent()[0].turns
    says(run_cell(page, 4), "turn")
    page.wait_for_timeout(2_500)
    assert page.store.recent()[0].turns > held
    says(run_cell(page, 5), "%cudaperf resume goes on")
    assert page.store.recent()[0].stopped == "interrupted"


def test_a_fault_in_the_cell_fails_it_at_once(start: Any) -> None:
    page = start("%%cudaperf translate -o kernel\nint f(void) { return 0; }")
    cell = run_cell(page, 1)
    says(cell, "line 2: nothing here is saxpy")
    assert page.store.recent() == ()
