"""`cudaperf inspect` and `%%cudaperf inspect`: exit statuses, files, the notebook's variables, cells that fail."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import psutil
import pytest
from fronts import shell_with_magic

import cudaperf_magic
from cudaperf_magic.cli import main
from cudaperf_magic.errors import NotBuilt, TaskError, UsageError
from cudaperf_magic.inspected import Inspected
from cudaperf_magic.notebook.inspection_report import MIME
from cudaperf_magic.records_inspection import Inspection
from cudaperf_magic.records_json import VERSION
from cudaperf_magic.records_schema import schema_path

SCALE = """__global__ void scale(float *x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= a;
}
"""
UNGUARDED = SCALE.replace("if (i < n) ", "")
ENDLESS = "__global__ void k(int *x) { while (threadIdx.x == 0) atomicAdd(x, 1); }\n"


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "scale.cu"
    path.write_text(SCALE)
    return path


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with shell_with_magic(tmp_path, monkeypatch) as made:
        yield made


def run(shell: Any, options: str, cell: str) -> Any:
    result = shell.run_cell(f"%%cudaperf inspect {options}\n{cell}")
    result.raise_error()
    return result.result


# ------------------------------------------------------------------ the command line


def test_a_clean_kernel_ends_with_0_and_its_report(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(kernel), "--size", "n=500"]) == 0
    said = capsys.readouterr()
    assert said.err == "" and said.out.startswith("✓ scale: no fault found.")
    assert "n = 500, given" in said.out and "x: 500 float32 (n), made up" in said.out


def test_a_fault_ends_with_1_and_bad_input_with_2(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel.write_text(UNGUARDED)
    assert main(["inspect", str(kernel)]) == 1
    assert "x[1000]" in capsys.readouterr().out
    kernel.write_text(SCALE.replace("float a", "floating a"))
    assert main(["inspect", str(kernel)]) == 1
    assert 'kernel.cu(1): error: identifier "floating" is undefined' in capsys.readouterr().out
    kernel.write_text(SCALE)
    assert main(["inspect", str(kernel), "--size", "m=4"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err == "cudaperf: --size m: scale has no m; it has x, a, n\n"


def test_a_file_with_a_byte_order_mark_and_line_ends_of_another_system_is_read(kernel: Path) -> None:
    kernel.write_bytes(b"\xef\xbb\xbf" + kernel.read_bytes().replace(b"\n", b"\r\n"))
    assert main(["inspect", str(kernel)]) == 0


def test_the_launch_the_card_and_the_line_are_options(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    launch = "scale<<<2, 64>>>(x, 0.5f, n)"
    words = ["--launch", launch, "--size", "n=100", "--device", "T4", "--races", "--line", "3"]
    assert main(["inspect", str(kernel), *words]) == 0
    said = capsys.readouterr().out
    assert "scale: 2 blocks of 64 threads" in said and "a T4 (sm_75)" in said and "Line 3 " in said
    assert "only with --races" not in said


def test_a_launch_without_quotes_is_answered_with_how_to_quote_it(
    kernel: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", str(kernel), "--launch", "scale<<<2,", "64>>>(x, 1, n)"]) == 2
    assert "put the launch in quotes" in capsys.readouterr().err


def test_the_json_file_is_what_the_schema_says(kernel: Path, tmp_path: Path) -> None:
    target = tmp_path / "found.json"
    assert main(["inspect", str(kernel), "--json", str(target)]) == 0
    data = json.loads(target.read_text())
    jsonschema.validate(data, json.loads(schema_path(Inspection).read_text()))
    assert data["ok"] and data["source"] == SCALE and data["maps"][0]["line"] == 3
    assert main(["inspect", str(kernel), "--json", str(tmp_path / "missing" / "found.json")]) == 2


def test_a_kernel_that_never_ends_is_ended_and_named(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel.write_text(ENDLESS)
    assert main(["inspect", str(kernel)]) == 1
    assert "still runs at line 1" in capsys.readouterr().out


def test_an_interrupt_ends_the_run_and_leaves_no_process(kernel: Path) -> None:
    many = "for (int i = 0; i < 100000; i++) scale<<<64, 1024>>>(x, 1.0f, n)"
    words = [sys.executable, "-m", "cudaperf_magic", "inspect", str(kernel), "--launch", many, "--size", "n=65536"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watcher = psutil.Process(process.pid)
    deadline = time.monotonic() + 20
    while len(watcher.children(recursive=True)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    children = watcher.children(recursive=True)
    process.send_signal(2)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130 and said.startswith("cudaperf: interrupted")
    _, alive = psutil.wait_procs(children, timeout=10)
    assert children and not alive, alive


# ------------------------------------------------------------------ the notebook


def test_a_cell_takes_the_notebooks_arrays_and_binds_its_result(shell: Any) -> None:
    x = np.arange(8, dtype=np.float32)
    shell.user_ns.update(x=x, a=3.0)
    result = run(shell, "-o seen", SCALE)
    assert isinstance(result, Inspected) and shell.user_ns["seen"] is result
    assert result.arrays["x"].tolist() == [0, 3, 6, 9, 12, 15, 18, 21]
    assert x.tolist() == list(range(8))
    assert set(result._repr_mimebundle_()) == {"text/plain", "text/html", MIME}
    jsonschema.validate(
        {"record": "inspection", "version": VERSION, **result._repr_mimebundle_()[MIME]["inspection"]},
        json.loads(schema_path(Inspection).read_text()),
    )


def test_a_cell_whose_kernel_has_faults_stays_green_and_shows_them_in_the_cells_lines(shell: Any) -> None:
    result = run(shell, "", UNGUARDED)
    assert not result.ok
    assert [fault.line for fault in result.inspection.faults][:1] == [4], "the magic's own line is line 1"


def test_a_cell_that_does_not_compile_fails_with_its_own_line_after_the_report(shell: Any, capsys: Any) -> None:
    with pytest.raises(NotBuilt, match=r"kernel\.cu\(4\): error") as caught:
        run(shell, "", SCALE.replace("a;", "b;"))
    assert "\n" not in str(caught.value)
    assert "does not compile" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "cell", "error", "words"),
    [
        ("", "int f(void);", TaskError, "there is no kernel here"),
        ("--sise n=3", SCALE, UsageError, "did you mean --size?"),
        ("--launch 'k<<<1, 1>>>()'", SCALE, UsageError, "there is no kernel k"),
        ("-o 1x", SCALE, UsageError, "write a Python name"),
    ],
)
def test_bad_input_fails_the_cell_in_one_sentence(
    shell: Any, options: str, cell: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as caught:
        run(shell, options, cell)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_an_empty_cell_is_told_what_belongs_there(shell: Any) -> None:
    with pytest.raises(UsageError, match="reads the CUDA program from the cell below"):
        shell.run_line_magic("cudaperf", "inspect")


# ------------------------------------------------------------------ in Python


def test_inspections_may_run_in_several_threads_at_once() -> None:
    found: dict[int, Inspected] = {}

    def one(n: int) -> None:
        found[n] = cudaperf_magic.inspect(SCALE, sizes={"n": str(n)})

    threads = [threading.Thread(target=one, args=(n,)) for n in (10, 20, 30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: len(found[n].arrays["x"]) for n in found} == {10: 10, 20: 20, 30: 30}
