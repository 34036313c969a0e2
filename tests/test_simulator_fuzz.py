"""Damaged PTX and damaged CUDA never crash, hang or change anything but their own run.

CUDAPERF_FUZZ=N tries N times as many examples, with a new seed each time.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from mutations_of_ptx import Kernel, corpus, damaged_kernels, damaged_text
from numpy.typing import NDArray
from simulated import floats, launch_of, run

from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.sandbox import Crashed, Ended, Finished, TimedOut, run_in_child
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.bench.simulator.lower import Lowered, lower
from cudaperf_magic.bench.simulator.ptx_reader import parse
from cudaperf_magic.errors import Unsupported, UsageError
from cudaperf_magic.records import Candidate, Outcome, Task
from cudaperf_magic.tasks.c import read_task

TIMES = int(os.environ.get("CUDAPERF_FUZZ", "0"))
LONGEST_S = 20  # for one reading; what takes longer never ends
MEMORY_BYTES = 4 << 30
HONEST = Path(__file__).parent / "kernels" / "bench"


def fuzz(examples: int) -> Any:
    """The same examples each time, or, in the longer mode, many new ones."""
    return settings(
        max_examples=examples * max(1, TIMES),
        derandomize=not TIMES,
        database=None,
        deadline=None,
        phases=(Phase.generate,),  # shrinking text of this length takes minutes
        suppress_health_check=list(HealthCheck),
        print_blob=bool(TIMES),
    )


@contextmanager
def bounded() -> Iterator[None]:
    def late(number: int, frame: object) -> None:
        raise TimeoutError(f"more than {LONGEST_S} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LONGEST_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def lowered(kernel: Kernel) -> Lowered | None:
    """The damaged kernel as C; None when it is refused, which is the only other way that this may end."""
    with bounded():
        try:
            module = parse(kernel.compiled.ptx)
            name = next((f.name for f in module.functions.values() if f.is_kernel), "")
            return lower(module, name) if name else None
        except Unsupported as refusal:
            assert str(refusal) and len(str(refusal)) < 600
            return None


@fuzz(300)
@given(damaged_kernels())
def test_damaged_ptx_is_read_or_refused(kernel: Kernel) -> None:
    event("lowered" if lowered(kernel) else "refused")


@fuzz(60)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    lowered(corpus()[0].damaged(data.decode("latin-1")))


C_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@fuzz(100)
@given(damaged_kernels(most=3))
def test_no_word_of_the_ptx_reaches_the_c_compiler_as_it_stands(kernel: Kernel) -> None:
    made = lowered(kernel)
    if made is None:
        return
    body = made.c_source.partition("struct Regs")[2]
    assert made.c_source.isascii() and "\\" not in body and '"' not in body and "#" not in body
    assert "system" not in C_WORD.findall(body)


# ---- running them ----


def in_a_child(kernel: Kernel, watched: str, schedule: str) -> Ended | None:
    arrays: dict[str, NDArray[Any]] = {
        "x": np.arange(1024, dtype=np.int32) % 7,
        "y": np.zeros(1024, np.int32),
        "z": np.zeros(1024, np.int32),
    }
    plan = LaunchPlan((launch_of(kernel.name, 2, kernel.block, kernel.given),))
    how = {"instrument": watched, "schedule": schedule, "step_limit": 100_000, "cpu_limit_s": 2.0}
    try:
        return run_in_child(simulate, kernel.compiled, plan, arrays, **how, timeout_s=60.0, memory_bytes=MEMORY_BYTES)
    except (Unsupported, UsageError):  # the latter: damage has taken the kernel's name away
        return None


def honest_run() -> bytes:
    x, y = floats(1000), floats(1000, seed=1)
    result = run("saxpy.cu", "saxpy", 8, 128, (1000, 2.5, "x", "y"), {"x": x, "y": y})
    assert not result.faults
    return y.tobytes()


@pytest.fixture(scope="module")
def honest() -> bytes:
    return honest_run()


@fuzz(40)
@given(
    damaged_kernels(most=3),
    st.sampled_from(["all", "none", "sampled"]),
    st.sampled_from(["forward", "reverse", "shuffled"]),
)
def test_a_damaged_kernel_that_runs_stays_in_its_own_memory(
    honest: bytes, kernel: Kernel, watched: str, schedule: str
) -> None:
    ended = None if lowered(kernel) is None else in_a_child(kernel, watched, schedule)
    match ended:
        case Crashed(why, number):
            assert number is None and why == "not enough memory within its limit", (why, ended.output)
        case Finished():
            event("ran")
        case TimedOut():
            raise AssertionError("its own limits did not end it")
    assert honest_run() == honest


# ---- through the bench ----


@pytest.fixture(scope="module")
def saxpy() -> Iterator[tuple[Bench, Task, Candidate]]:
    source = "void saxpy(int n, float a, const float x[n], float y[n]) {\n"
    source += "    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];\n}\n"
    with Bench("simulator") as bench:
        yield bench, settled(*read_task(source, sizes={"n": "300"})), Candidate((HONEST / "saxpy_good.cu").read_text())


def verdict(bench: Bench, task: Task, candidate: Candidate) -> str:
    try:
        found: Outcome = bench.evaluate(task, candidate)
    except Unsupported:
        return "unsupported"
    return found.verdict.status if found.verdict else "refused"


@fuzz(12)
@given(data=st.data())
def test_damaged_cuda_gets_an_outcome_and_the_next_candidate_is_judged_as_ever(
    saxpy: tuple[Bench, Task, Candidate], data: st.DataObject
) -> None:
    bench, task, good = saxpy
    file = data.draw(st.sampled_from(sorted(HONEST.glob("saxpy_*.cu"))))
    event(verdict(bench, task, Candidate(data.draw(damaged_text(file.read_text(), 3)))))
    assert verdict(bench, task, good) == "pass"
