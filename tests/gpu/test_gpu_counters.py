"""Counters, ncu, compute-sanitizer and provenance on a real device. Run by tests/gpu/run.sh on a machine with a GPU."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cudaperf_magic.bench.building import compile_in_child
from cudaperf_magic.bench.counters import counting
from cudaperf_magic.bench.counters.activity import Recorder, provenance
from cudaperf_magic.bench.counters.availability import Available, Refused, available
from cudaperf_magic.bench.counters.cupti import load_cupti
from cudaperf_magic.bench.counters.metrics import Counts, wanted
from cudaperf_magic.bench.counters.ncu import Refusal, count_with_ncu, find_ncu
from cudaperf_magic.bench.counters.profiler_child import CountLent
from cudaperf_magic.bench.counters.profiling import Profiling
from cudaperf_magic.bench.counters.replay import Memory, Replay
from cudaperf_magic.bench.counters.sanitizer import sanitize
from cudaperf_magic.bench.counters.tool import find_tool
from cudaperf_magic.bench.gpu.driver import load_driver
from cudaperf_magic.bench.gpu.launching import Functions, ReadyLaunch
from cudaperf_magic.bench.gpu.messages import Given
from cudaperf_magic.bench.gpu.running import available_devices, open_device
from cudaperf_magic.bench.gpu.sets import BufferSet, DeviceArray, Program
from cudaperf_magic.bench.gpu.trusted import trusted_cubin
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.plan import Launch, LaunchPlan, Pointer, Scalar
from cudaperf_magic.bench.sandbox import Finished, open_session, run_in_child
from cudaperf_magic.bench.sandbox_line import Line

pytestmark = pytest.mark.gpu

SOURCE = (Path(__file__).parent / "kernels" / "counted.cu").read_text()
KERNELS = ("copy", "strided", "grow", "half_the_lanes", "conflicting", "together", "past", "racing")
N = 1 << 20
WARPS = N // 32


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    if not available_devices():
        pytest.skip("no CUDA device")
    found = compile_in_child(SOURCE, available_devices()[0].arch, KERNELS)
    assert found.build.ok, found.build.log
    return found


@pytest.fixture(scope="module")
def counters(compiled: Compiled) -> Available:
    answer = available(0)
    if isinstance(answer, Refused):
        pytest.skip(answer.reason)
    return answer


def launch(kernel: str, n: int = N) -> Launch:
    arguments = (Scalar("int", n), Pointer("x"), Pointer("y"))
    return Launch(kernel, ((n + 255) // 256, 1, 1), (256, 1, 1), arguments)


def count_in_child(cubin: bytes, symbols: dict[str, str], ptx: str, kernels: tuple[str, ...]) -> list[Any]:
    """Counts of each kernel, one after the other on one profiler, and what `y` held when each first pass began."""
    found: list[Any] = []
    with open_device(0):
        driver, memory, module = load_driver(), Memory(load_driver()), ctypes.c_void_p()
        driver.call("cuModuleLoadData", ctypes.byref(module), cubin)
        values = {"x": np.ones(N, np.float32), "y": np.full(N, 3, np.float32)}
        for name, array in values.items():
            memory.allocate(name, array.nbytes)
        counter = counting.prepare(0)
        assert isinstance(counter, counting.Counter), counter
        functions = Functions(driver, module, symbols)
        for kernel in kernels:
            ready = ReadyLaunch(driver, functions.get(kernel), launch(kernel), memory.address)
            found.append(counter.count(wanted(ptx), _restoring(memory, values), _running(driver, ready)))
        y = np.empty(N, np.float32)
        size = ctypes.c_size_t(y.nbytes)
        driver.call("cuMemcpyDtoH_v2", ctypes.c_void_p(y.ctypes.data), ctypes.c_uint64(memory.start["y"]), size)
    return [*found, y[:4]]


def _restoring(memory: Memory, values: dict[str, Any]) -> Callable[[], None]:
    return lambda: [memory.copy_in(name, array) for name, array in values.items()] and None


def _running(driver: Any, ready: ReadyLaunch) -> Callable[[], None]:
    def run() -> None:
        ready.go()
        driver.call("cuCtxSynchronize")

    return run


def counted(compiled: Compiled, *kernels: str) -> list[Any]:
    given = (compiled.cubin, compiled.mangled, compiled.ptx, kernels)
    ended = run_in_child(count_in_child, *given, kind="gpu", timeout_s=60, memory_bytes=None)
    assert isinstance(ended, Finished), ended
    return list(ended.value)


def test_counters_are_exact_for_kernels_that_are_known(compiled: Compiled, counters: Available) -> None:
    copy, strided, lanes, conflicts, atomics, _ = counted(
        compiled, "copy", "strided", "half_the_lanes", "conflicting", "together"
    )
    assert all(isinstance(c, Counts) for c in (copy, strided, lanes, conflicts, atomics))
    assert (copy.get("load_requests"), copy.get("load_sectors")) == (WARPS, 4 * WARPS)
    assert (copy.get("store_requests"), copy.get("store_sectors")) == (WARPS, 4 * WARPS)
    assert copy.get("thread_instructions") == 32 * (copy.get("warp_instructions") or 0)
    assert (strided.get("load_requests"), strided.get("load_sectors")) == (WARPS // 8, 32 * WARPS // 8)
    assert (lanes.get("thread_instructions") or 0) < 20 * (lanes.get("warp_instructions") or 1)
    # A warp reads a column of 32 x 32 words: 32 wavefronts where 1 would do; it writes rows without a conflict.
    assert conflicts.get("conflicts") == pytest.approx(31 * 4 * N // 256 * 8, rel=0.01)
    assert (conflicts.get("barrier_warp_cycles") or 0) > 0 and copy.get("barrier_warp_cycles") == 0
    assert (atomics.total("atomic_requests", "reduction_requests") or 0) == WARPS


def test_each_pass_starts_from_the_same_memory(compiled: Compiled, counters: Available) -> None:
    counts, after = counted(compiled, "grow")
    assert isinstance(counts, Counts)
    assert after.tolist() == [4.0] * 4  # 3 + 1 once, however many passes there were


@pytest.mark.skipif(find_ncu() is None, reason="ncu is not installed")
def test_ncu_counts_what_cupti_counts(compiled: Compiled, counters: Available) -> None:
    (ours, _) = counted(compiled, "strided")
    arrays = {"x": np.ones(N, np.float32), "y": np.zeros(N, np.float32)}
    replay = Replay(compiled.cubin, compiled.mangled, LaunchPlan((launch("strided"),)), arrays)
    theirs = count_with_ncu(replay, wanted(compiled.ptx))
    assert not isinstance(theirs, Refusal), theirs
    exact = ("load_requests", "load_sectors", "store_sectors", "warp_instructions", "thread_instructions")
    assert {name: Counts.of(theirs).get(name) for name in exact} == {name: ours.get(name) for name in exact}


@pytest.mark.skipif(find_tool("compute-sanitizer") is None, reason="compute-sanitizer is not installed")
@pytest.mark.parametrize(
    ("kernel", "kind"),
    [("copy", None), ("past", "out_of_bounds"), ("racing", "shared_race"), ("grow", "uninitialised")],
)
def test_the_sanitizer_finds_the_planted_fault_and_no_other(compiled: Compiled, kernel: str, kind: str | None) -> None:
    arrays = {"x": np.ones(1000, np.float32), "y": np.zeros(1000, np.float32)}
    plan = LaunchPlan((launch(kernel, 1000),))
    found = sanitize(Replay(compiled.cubin, compiled.mangled, plan, arrays, frozenset({"y"})))
    assert found is not None
    if not found.tools:
        pytest.skip(str(found.missing))
    assert {fault.kind for fault in found.faults} == ({kind} if kind else set()), found
    start = SOURCE[: SOURCE.index(f"void {kernel}(")].count("\n") + 1
    end = start + SOURCE[SOURCE.index(f"void {kernel}(") :].index("\n}") + 1
    assert all(start <= (fault.line or 0) <= end for fault in found.faults)


def record_in_child(cubin: bytes, symbols: dict[str, str]) -> Any:
    with open_device(0):
        driver, memory, module = load_driver(), Memory(load_driver()), ctypes.c_void_p()
        driver.call("cuModuleLoadData", ctypes.byref(module), cubin)
        for name in ("x", "y"):
            memory.allocate(name, 4 * N)
        functions = Functions(driver, module, symbols)
        with Recorder(load_cupti()) as recorder:
            for kernel in ("copy", "copy", "half_the_lanes"):
                ReadyLaunch(driver, functions.get(kernel), launch(kernel), memory.address).go()
            driver.call("cuCtxSynchronize")
    return recorder.ran


def test_every_kernel_that_ran_is_recorded_with_its_time(compiled: Compiled) -> None:
    ended = run_in_child(record_in_child, compiled.cubin, compiled.mangled, kind="gpu", timeout_s=60, memory_bytes=None)
    assert isinstance(ended, Finished), ended
    runs = {run.name.partition("(")[0]: run for run in provenance(ended.value, {"copy"})}
    assert (runs["copy"].owner, runs["copy"].launches) == ("candidate", 2)
    assert (runs["half_the_lanes"].owner, runs["half_the_lanes"].library) == ("library", "unknown")
    assert sum(run.share for run in runs.values()) == pytest.approx(1.0)
    assert all(run.share > 0 for run in runs.values())


def lend_in_child(line: Line, cubin: bytes, symbols: dict[str, str], kernel: str, n: int) -> None:
    """Lays a program out on the device, lends it, and tells afterwards what `y` holds."""
    given = count_question(cubin, symbols, kernel, n, b"", ()).program
    arrays = tuple(DeviceArray(a.name, a.role, np.full(n, 3, np.float32)) for a in given.arrays)
    program = Program(cubin, symbols, given.plan, arrays)
    with open_device(0):
        driver, stream = load_driver(), ctypes.c_void_p()
        driver.call("cuStreamCreate", ctypes.byref(stream), 1)
        held = BufferSet(driver, stream, program, program.layout)
        for array in arrays:
            held.upload(array)
        driver.call("cuCtxSynchronize")
        handle = (ctypes.c_ubyte * 64)()
        driver.call("cuIpcGetMemHandle", handle, ctypes.c_uint64(held.base))
        line.send(bytes(handle))
        line.receive()
        y = np.empty(n, np.float32)
        size = ctypes.c_size_t(y.nbytes)
        driver.call("cuMemcpyDtoH_v2", ctypes.c_void_p(y.ctypes.data), ctypes.c_uint64(held.address("y")), size)
        line.send((float(y.min()), float(y.max())))


def count_question(
    cubin: bytes, symbols: dict[str, str], kernel: str, n: int, handle: bytes, metrics: tuple[str, ...]
) -> CountLent:
    given = (Given("x", "in", "float32", (n,)), Given("y", "inout", "float32", (n,)))
    return CountLent(cubin, symbols, LaunchPlan((launch(kernel, n),)), given, handle, metrics)


def test_lent_programs_are_counted_one_after_another_and_a_fault_harms_only_its_own(
    compiled: Compiled, counters: Available
) -> None:
    held = Profiling(0, trusted_cubin(available_devices()[0].arch))
    try:
        for kernel, n in (("copy", N), ("grow", 1000), ("past", 1000), ("conflicting", N), ("grow", N)):
            code = (compiled.cubin, compiled.mangled, kernel, n)
            with open_session(lend_in_child, *code, kind="gpu", timeout_s=60, memory_bytes=None) as lender:
                handle = lender.answer()
                assert isinstance(handle, Finished), handle
                answer = held.count(count_question(*code, handle.value, wanted(compiled.ptx)))
                told = lender.ask("tell", timeout_s=20)
            if kernel == "past":
                continue  # within the lent memory it is no fault of the device's; either way the others are counted
            assert isinstance(answer, Counts), answer
            assert answer.get("store_requests") == (n + 31) // 32
            assert isinstance(told, Finished), told
            if kernel == "grow":
                assert told.value == (6.0, 6.0)  # 3 + 3 once, for each pass began with what was lent
    finally:
        held.rest()
