"""A report in a saved notebook: what nbconvert makes of it, with and without its own sanitiser. Nothing is executed."""

from __future__ import annotations

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from test_report import Pieces, rich_episode

from cudaperf_magic.notebook import report

nbconvert = pytest.importorskip("nbconvert")


def saved(found: report.Report) -> nbformat.NotebookNode:
    """A notebook as it lies on a disk: written, and read again."""
    output = new_output("execute_result", data=found._repr_mimebundle_(), execution_count=1)
    notebook = new_notebook(cells=[new_code_cell("%%cudaperf translate\nvoid f();", outputs=[output])])
    return nbformat.reads(nbformat.writes(notebook), 4)


def output_of(page: str) -> str:
    """The part of a page that shows the report, up to the end of its own outermost block."""
    start = page.index('<div style="max-width:900px')
    depth = 0
    for found in re.finditer(r"<(/?)div\b", page[start:]):
        depth += -1 if found[1] else 1
        if depth == 0:
            return f"{page[start : start + found.start()]}</div>"
    raise AssertionError("the report does not end")


def told(html: str) -> list[str]:
    """Every piece of text between two tags, escaped as it stands there."""
    return [piece for piece in re.split(r"<[^>]*>", html) if piece.strip()]


def words_of(html: str) -> list[str]:
    return Pieces(html).text.split()


def test_a_page_made_from_a_saved_notebook_has_the_whole_report() -> None:
    found = report.episode_report(rich_episode())
    page, _ = nbconvert.HTMLExporter().from_notebook_node(saved(found))
    shown = output_of(page)
    assert words_of(shown) == words_of(found.html)
    assert shown.count("data:image/png;base64,") == 2
    declared = re.compile(r'style="([^"]*)"')
    assert declared.findall(shown) == declared.findall(found.html)


def test_a_page_that_was_sanitised_has_lost_no_word_of_it() -> None:
    found = report.episode_report(rich_episode())
    page, _ = nbconvert.HTMLExporter(sanitize_html=True).from_notebook_node(saved(found))
    shown = page[page.index("✓ translate") :]
    text = "".join(re.sub(r"<[^>]*>", "", shown).split())
    for line in told(found.html):
        assert "".join(line.split()) in text


def test_a_notebook_turned_into_markdown_or_a_script_keeps_the_plain_words() -> None:
    found = report.episode_report(rich_episode())
    notebook = saved(found)
    del notebook.cells[0].outputs[0].data["text/html"]  # as a front end does that shows text alone
    shown, _ = nbconvert.MarkdownExporter().from_notebook_node(notebook)
    for line in found.text.splitlines():
        assert line.strip() in shown
