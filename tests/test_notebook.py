"""A real notebook in a real kernel, over nbclient: outputs land where they should, and a failing cell fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).parent.parent

# The scripted seams of fronts.py, put in place inside the kernel.
STAGE = f"""
import sys; sys.path.insert(0, {str(ROOT / "tests")!r})
from fronts import Stage
from cudaperf_magic import commands
stage = Stage()
for name in ("read", "open_bench", "open_policy"): setattr(commands, name, getattr(stage, name))
"""
SHOWN = {"translate": "report", "check": "report", "inspect": "inspection"}
CELL = "%%cudaperf translate -o kernel --turns 4\nvoid saxpy(void);"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "episodes.db"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))

    def execute(*sources: str) -> list[Any]:
        notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
        place = {"metadata": {"path": str(ROOT)}}
        NotebookClient(notebook, timeout=120, allow_errors=True, resources=place).execute()
        nbformat.validate(notebook)
        return [cell["outputs"] for cell in notebook["cells"]]

    return execute


@pytest.mark.filterwarnings("default")  # of the kernel's own start, in libraries that are not ours
def test_a_notebook_keeps_the_report_and_the_folded_view(run: Any) -> None:
    *_, outputs, after = run(STAGE, "%load_ext cudaperf_magic", CELL, "kernel.source")
    view, result = outputs
    assert view["output_type"] == "display_data"
    assert view["data"]["text/plain"].startswith("saxpy: 4 turns in")
    assert result["output_type"] == "execute_result"
    assert "verified CUDA" in result["data"]["text/html"]
    assert result["data"]["application/vnd.cudaperf.report+json"]["kind"] == "episode"
    assert "vectorised" in after[0]["data"]["text/plain"]


@pytest.mark.filterwarnings("default")
def test_a_failing_cell_fails_with_one_sentence_and_keeps_its_report(run: Any) -> None:
    script = 'stage.script = ["broken"]'
    *_, failed, misspelt = run(STAGE, "%load_ext cudaperf_magic", script, CELL, CELL.replace("--turns", "--trns"))
    assert [output["output_type"] for output in failed] == ["display_data", "display_data", "error"]
    assert "does not build" in failed[1]["data"]["text/html"]
    assert failed[2]["ename"] == "NotVerified" and len(failed[2]["traceback"]) == 1
    assert [output["ename"] for output in misspelt] == ["UsageError"]
    assert misspelt[0]["traceback"] == ["translate: --trns is no option; did you mean --turns?"]


@pytest.mark.filterwarnings("default")
def test_help_and_history_show_themselves(run: Any) -> None:
    _, help_text, history = run("%load_ext cudaperf_magic", "%cudaperf translate -h", "%cudaperf history")
    assert "--proposals" in help_text[0]["data"]["text/plain"]
    assert "no episode yet" in history[0]["data"]["text/html"]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.name)
def test_a_shipped_notebook_runs_from_top_to_bottom(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "episodes.db"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook["cells"]), "a notebook is kept without outputs"
    NotebookClient(notebook, timeout=280, resources={"metadata": {"path": str(path.parent)}}).execute()
    for cell in notebook["cells"]:
        kinds = {kind for output in cell.get("outputs", []) for kind in output.get("data", {})}
        for command, kind in SHOWN.items():
            if cell["source"].startswith(f"%%cudaperf {command} "):
                assert f"application/vnd.cudaperf.{kind}+json" in kinds
