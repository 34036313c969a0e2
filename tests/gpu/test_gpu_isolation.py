"""On a device: whatever a kernel does to its own child, the next child's known kernel is right, and nothing is left."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import psutil
import pytest

from cudaperf_magic.bench import sandbox
from cudaperf_magic.bench.building import compile_in_child
from cudaperf_magic.bench.gpu.child import serve
from cudaperf_magic.bench.gpu.messages import Ready, Run
from cudaperf_magic.bench.gpu.running import available_devices
from cudaperf_magic.bench.launcher import device_source, read_plan
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.plan import Allocate
from cudaperf_magic.bench.runners import Request
from cudaperf_magic.bench.sandbox import Crashed, Finished, TimedOut
from cudaperf_magic.bench.sandbox_servers import BEFORE_STOP, SERVERS
from cudaperf_magic.bench.spares import Recipe, Spares

pytestmark = pytest.mark.gpu

N = 1000
SOURCE = """
__global__ void twice(int n, float *x) { int i = threadIdx.x + blockIdx.x * blockDim.x; if (i < n) x[i] = 2 * x[i]; }
__global__ void wild(float *x) { x[(size_t)1 << 40] = 1; }
__global__ void endless(volatile float *x) { while (x[0] != -1) x[1] = x[1] + 1; }
__global__ void stop(float *x) { __trap(); }
"""
BODIES = {
    "twice": "twice<<<(n + 127) / 128, 128>>>(n, x);",
    "wild": "wild<<<1, 1>>>(x);",
    "endless": "endless<<<1000, 128>>>(x);",
    "stop": "stop<<<1, 1>>>(x);",
    "hoard": "twice<<<1, 32>>>(n, x);",
}


@pytest.fixture(scope="module")
def pool() -> Iterator[Spares]:
    made = Spares(Recipe(serve, (0,), kind="gpu", memory_needed_bytes=1 << 30), 2)
    made.start()
    yield made
    made.rest()
    BEFORE_STOP.remove(made.rest)


def question(name: str) -> Run:
    source = SOURCE + "void f(int n, float *x) {" + BODIES[name] + "}"
    plan = read_plan(source, "f", {"n": N}, {"x": 4 * N})
    if name == "hoard":
        plan = replace(plan, steps=(Allocate("w", 1 << 40), *plan.steps))
    compiled: Compiled = compile_in_child(device_source(source), available_devices()[0].arch, plan.kernels)
    assert compiled.build.ok, compiled.build.log
    return Run(compiled.cubin, compiled.mangled, (Request(plan, {"x": np.ones(N, np.float32)}),))


def must_be_right(pool: Spares) -> None:
    with pool.take(30) as session:
        assert isinstance(session.greeting, Ready)
        ended = session.ask(question("twice"), timeout_s=20)
        assert isinstance(ended, Finished), ended
        ((arrays, faults, _),) = ended.value
        assert not faults and (arrays["x"] == 2).all()


@pytest.mark.parametrize(("name", "kind"), [("wild", "out_of_bounds"), ("stop", "trap"), ("hoard", "limit")])
def test_a_faulty_kernel_is_told_and_the_next_child_is_right(pool: Spares, name: str, kind: str) -> None:
    with pool.take(30) as session:
        ended = session.ask(question(name), timeout_s=20)
    assert isinstance(ended, Finished) and ended.value[0][1][0].kind == kind, ended
    must_be_right(pool)


def test_an_endless_kernel_ends_at_its_deadline_and_the_next_child_is_right(pool: Spares) -> None:
    must_be_right(pool)
    with pool.take(30) as session:
        started = time.monotonic()
        ended = session.ask(question("endless"), timeout_s=1.0)
    assert isinstance(ended, TimedOut) and time.monotonic() - started < 15
    must_be_right(pool)


def test_a_child_killed_during_its_kernel_is_told_and_the_next_child_is_right(pool: Spares) -> None:
    def kill() -> None:
        """The worker that waits for its kernel, which keeps it busy."""
        family = psutil.Process(SERVERS["gpu"].pid).children(recursive=True)
        max(family, key=lambda process: sum(process.cpu_times()[:2])).kill()

    asked = question("endless")
    with pool.take(30) as session:
        killer = threading.Timer(0.5, kill)
        killer.start()
        ended = session.ask(asked, timeout_s=20)
        killer.join()
    assert isinstance(ended, Crashed), ended
    must_be_right(pool)


def test_the_death_of_the_server_during_a_kernel_ends_its_children_and_the_next_child_is_right(pool: Spares) -> None:
    asked = question("endless")
    with pool.take(30) as session, pytest.raises(sandbox.ServerDied):
        family = psutil.Process(SERVERS["gpu"].pid).children(recursive=True)
        threading.Timer(0.5, os.kill, (SERVERS["gpu"].pid, signal.SIGKILL)).start()
        session.ask(asked, timeout_s=20)
    _, alive = psutil.wait_procs(family, timeout=15)
    assert not alive
    must_be_right(pool)


def test_stopping_the_sandbox_leaves_no_child_on_the_device(pool: Spares) -> None:
    must_be_right(pool)
    sandbox.stop()
    family = [p for p in psutil.Process().children(recursive=True) if p.is_running()]
    _, alive = psutil.wait_procs(family, timeout=15)
    assert not alive
    must_be_right(pool)
