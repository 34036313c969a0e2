"""`check` of a PyTorch module: a file or a cell with ModelNew, held against a file or the cells with Model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fronts import shell_with_magic

from cudaperf_magic import cli
from cudaperf_magic.bench import sandbox
from cudaperf_magic.errors import NotVerified, TaskError, UsageError
from cudaperf_magic.module_tasks import module_task
from cudaperf_magic.translation import Checked

TASKS = Path(__file__).parent / "modules" / "tasks"
MODEL = TASKS / "linear.py"
TEXT = MODEL.read_text()
NEW = TEXT.replace("class Model(", "class ModelNew(")
WRONG = NEW.replace("torch.relu(", "torch.tanh(")


@pytest.fixture(scope="module", autouse=True)
def _no_server_is_left() -> object:
    yield
    sandbox.stop()


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with shell_with_magic(tmp_path, monkeypatch) as made:
        yield made


def written(folder: Path, text: str) -> str:
    path = folder / "candidate.py"
    path.write_text(text)
    return str(path)


# The command


def test_a_right_module_is_told_what_its_verdict_stands_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "outcome.json"
    assert cli.main(["check", written(tmp_path, NEW), "--against", str(MODEL), "--json", str(saved)]) == 0
    said = capsys.readouterr().out
    assert "ModelNew computes what Model does" in said and "3 of 3 pass" in said
    assert "the C " not in said and "no outputs" not in said
    assert json.loads(saved.read_text())["verdict"]["generality"] == [3, 3]


def test_a_wrong_module_fails_with_the_element_that_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", written(tmp_path, WRONG), "--against", str(MODEL)]) == 1
    said = capsys.readouterr().out
    assert "ModelNew does not do what Model does yet" in said and "the output[" in said


def test_a_library_may_not_compute_where_own_kernels_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", written(tmp_path, NEW), "--against", str(MODEL), "--own-kernels"]) == 1
    assert "own kernels only" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ("class Foo: pass", "there is no class Model"),
        (TEXT.replace("def get_inputs", "def inputs"), "there is no function get_inputs()"),
    ],
)
def test_a_file_that_is_no_task_is_said_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], task: str, words: str
) -> None:
    (tmp_path / "task.py").write_text(task)
    assert cli.main(["check", written(tmp_path, NEW), "--against", str(tmp_path / "task.py")]) == 2
    assert words in capsys.readouterr().err


def test_how_c_is_read_says_nothing_of_modules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    candidate = written(tmp_path, NEW)
    assert cli.main(["check", candidate, "--against", str(MODEL), "--size", "n=3"]) == 2
    (tmp_path / "f.c").write_text("void f(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] = 0; }")
    assert cli.main(["check", candidate, "--against", str(tmp_path / "f.c"), "--own-kernels"]) == 2
    assert "of PyTorch modules" in capsys.readouterr().err


# The magic


def test_a_cell_with_model_new_is_held_against_the_cells_that_defined_model(shell: Any) -> None:
    for cell in ("import torch\nfrom torch import nn", TEXT.replace("import torch\nfrom torch import nn\n", "")):
        shell.run_cell(cell, store_history=True).raise_error()
    found = shell.run_cell_magic("cudaperf", "check --against Model -o seen", NEW)
    assert isinstance(found, Checked) and found.ok and found.task.language == "pytorch"
    assert "<table" in found.report.html and "ModelNew computes what Model does" in found.report.html
    assert shell.user_ns["seen"] is found
    with pytest.raises(NotVerified):
        shell.run_cell_magic("cudaperf", "check --against Model", WRONG)


# What `--against` may name


def test_the_latest_definition_of_each_part_counts_and_imports_of_other_cells_come_along() -> None:
    head = "from torch import nn\nimport torch"
    model = TEXT.split("def get_inputs")[0].split("from torch import nn\n")[1]
    inputs = "def get_inputs():\n    return [torch.randn(7, 48)]\ndef get_init_inputs():\n    return [48, 32]\n"
    cells = ["", head, TEXT, "%%cudaperf check --against x\nint", "def broken(:", inputs, model]
    task = module_task("Model", {"Model": type("Model", (), {}), "In": cells})
    assert task is not None and "randn(7, 48)" in task.source and "randn(64, 48)" not in task.source
    assert task.source.index("import torch") < task.source.index("def get_inputs")


def test_a_class_of_another_name_or_without_its_inputs_is_refused_and_text_is_taken_as_it_is() -> None:
    known = {"Model": type("Model", (), {}), "Net": type("Net", (), {}), "text": TEXT, "In": ["class Model: pass"]}
    with pytest.raises(UsageError, match="no cell defines get_inputs"):
        module_task("Model", known)
    with pytest.raises(UsageError, match="class is called Model"):
        module_task("Net", known)
    assert module_task("text", known) is not None
    assert module_task("saxpy", known) is None
    with pytest.raises(TaskError, match="not Python"):
        module_task("text", {"text": "def ("})
