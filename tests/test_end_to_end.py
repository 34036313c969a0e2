"""The main job with nothing scripted: C in, a verified kernel out, called on arrays; and an interrupt at any moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import numpy as np
import psutil
import pytest

import cudaperf_magic
from cudaperf_magic import commands
from cudaperf_magic.cli import main
from cudaperf_magic.errors import NotVerified, TaskError, UsageError
from cudaperf_magic.store import Store

EXAMPLES = Path(__file__).parent.parent / "notebooks" / "c"
SCHEMA = Path(cudaperf_magic.__file__).parent / "schema" / "episode.schema.json"
SAXPY = (EXAMPLES / "saxpy.c").read_text()
INTERRUPT_AFTER_S = (0.3, 1.0, 2.0, 3.5)  # while it imports, reads, builds, plays
END_TIMEOUT_S = 20.0


@pytest.fixture(autouse=True)
def own_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "episodes.db"))


@pytest.fixture(scope="module")
def saxpy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[cudaperf_magic.Translation]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUDAPERF_STORE", str(tmp_path_factory.mktemp("store") / "episodes.db"))
        yield cudaperf_magic.translate(SAXPY, turns=2, device="simulator")


def test_a_translation_is_verified_and_claims_no_time(saxpy: cudaperf_magic.Translation) -> None:
    assert saxpy.decision == "translate" and "__global__" in saxpy.source
    best = saxpy.episode.best
    assert best is not None
    assert best.outcome.device == "simulator" and best.outcome.timing is None
    assert "no time is claimed" in saxpy.report.text


@pytest.mark.parametrize("n", [1, 5, 33, 1000])
def test_calling_it_writes_into_the_callers_array_as_c_would(saxpy: cudaperf_magic.Translation, n: int) -> None:
    random = np.random.default_rng(n)
    x, y = random.random((2, n), np.float32)
    expected = np.float32(2.5) * x + y
    assert saxpy(n, 2.5, x, y) is None
    np.testing.assert_allclose(y, expected, rtol=1e-6)


def test_calling_it_for_nothing_does_nothing(saxpy: cudaperf_magic.Translation) -> None:
    x, y = np.ones(4, np.float32), np.ones(4, np.float32)
    saxpy(0, 2.0, x, y)
    assert y.tolist() == [1.0] * 4


def test_a_call_that_does_not_fit_is_refused_before_anything_runs(saxpy: cudaperf_magic.Translation) -> None:
    y = np.ones(4, np.float32)
    with pytest.raises(UsageError, match="x must be an array of float32, not float64"):
        saxpy(4, 2.0, np.ones(4), y)
    assert y.tolist() == [1.0] * 4


def test_a_returned_scalar_is_returned() -> None:
    dot = cudaperf_magic.translate((EXAMPLES / "dot.c").read_text(), turns=1, device="simulator")
    arrays = [np.ones(100, a.dtype) for a in dot.task.arrays if not a.is_result]
    assert dot(100, *arrays) == 100.0


def test_an_index_outside_its_array_is_an_exception_and_the_arrays_stay(saxpy: cudaperf_magic.Translation) -> None:
    gather = cudaperf_magic.translate(
        "void gather(int n, const int idx[n], const float x[n], float y[n]) {\n"
        "    for (int i = 0; i < n; i++) y[i] = x[idx[i]];\n}\n",
        turns=1,
        device="simulator",
    )
    x, y = np.arange(4, dtype=np.float32), np.full(4, 7, np.float32)
    gather(4, np.array([3, 2, 1, 0], np.int32), x, y)
    assert y.tolist() == [3, 2, 1, 0]
    with pytest.raises(NotVerified, match=r"line \d+: .*; it was verified on other arguments, and fails on these"):
        gather(4, np.array([0, 1, 2, 1 << 20], np.int32), x, y)
    assert y.tolist() == [3, 2, 1, 0]


def test_a_persons_kernel_is_judged_against_the_same_c(saxpy: cudaperf_magic.Translation) -> None:
    kernel = (
        "__global__ void k(int n, float a, const float *x, float *y) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) y[i] = a * x[i] + y[i];\n}\n"
        "void saxpy(int n, float a, const float *x, float *y) {\n"
        "    if (n > 0) k<<<(n + 127) / 128, 128>>>(n, a, x, y);\n}\n"
    )
    right = cudaperf_magic.check(kernel, saxpy, device="simulator")
    assert right.ok and right.turn.reward.total > 1
    wrong = cudaperf_magic.check(kernel.replace("i < n", "i <= n"), saxpy, device="simulator")
    assert not wrong.ok and "line 3" in wrong.report.text
    unbuilt = cudaperf_magic.check(kernel.replace("int i =", "int i ="[:-1]), saxpy, device="simulator")
    assert unbuilt.outcome.stage == "build"


def test_c_that_cannot_be_taken_is_refused_with_its_line() -> None:
    with pytest.raises(TaskError, match=r"^line 2: "):
        commands.read("void f(int n, float x[n]) {\n    goto end;\nend:;\n}\n")


def test_the_command_translates_a_file_and_its_json_fits_the_schema(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel, episode = tmp_path / "t.cu", tmp_path / "t.json"
    options = ["--turns", "2", "--device", "simulator", "--out", str(kernel), "--json", str(episode)]
    assert main(["translate", str(EXAMPLES / "transpose.c"), *options]) == 0
    assert "__global__" in kernel.read_text()
    data = json.loads(episode.read_text())
    jsonschema.validate(data, json.loads(SCHEMA.read_text()))
    assert data["decision"] == "translate"
    assert main(["check", str(kernel), "--against", str(EXAMPLES / "transpose.c"), "--device", "simulator"]) == 0
    assert "computes transpose as the C does" in capsys.readouterr().out


def test_a_function_that_should_stay_c_is_kept_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["translate", str(EXAMPLES / "logistic.c"), "--device", "simulator"]) == 0
    assert "KEEP" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("after_s", INTERRUPT_AFTER_S)
def test_an_interrupt_at_any_moment_leaves_no_process_and_resume_goes_on(tmp_path: Path, after_s: float) -> None:
    environment = {**os.environ, "CUDAPERF_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "cudaperf_magic", "translate", str(EXAMPLES / "matmul.c"), "--device", "simulator"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(after_s)
    family = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=END_TIMEOUT_S)
    _, alive = psutil.wait_procs(family, timeout=5)
    assert alive == []
    if process.returncode != 0:  # it may have ended by itself on a fast machine
        assert process.returncode in (130, -signal.SIGINT), said
    unfinished = Store().unfinished()
    if unfinished:
        assert main(["resume", unfinished[0].identity, "--turns", str(unfinished[0].turns + 1)]) == 0
        assert Store().unfinished() == ()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the kernel's own start, in libraries that are not ours
def test_interrupting_a_kernel_leaves_no_process_and_the_notebook_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(cwd=str(EXAMPLES.parent.parent))
    try:
        kernel = psutil.Process(manager.provisioner.pid)
        client.execute_interactive("%load_ext cudaperf_magic", timeout=60, output_hook=lambda _: None)
        before = {child.pid for child in kernel.children(recursive=True)}
        body = (EXAMPLES / "matmul.c").read_text()
        client.execute(f"%%cudaperf translate --device simulator\n{body}")
        deadline = time.monotonic() + 60
        while not Store().recent() and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(0.5)
        manager.interrupt_kernel()
        reply = client.get_shell_msg(timeout=END_TIMEOUT_S)["content"]
        assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
        assert {child.pid for child in kernel.children(recursive=True)} <= before
        (entry,) = Store().unfinished()
        assert entry.stopped == "interrupted"
        resume = f"%cudaperf resume --turns {entry.turns + 1}"
        again = client.execute_interactive(resume, timeout=120, output_hook=lambda _: None)
        assert again["content"]["status"] == "ok"
        assert Store().load(entry.identity).decision == "translate"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
