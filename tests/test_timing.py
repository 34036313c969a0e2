"""How a program is timed, on a driver in Python: what is fresh before each call, and which tricks show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fake_gpu import FakeGpu, Kernel, floats

from cudaperf_magic.bench.gpu.sets import DeviceArray, Program
from cudaperf_magic.bench.gpu.timing import MOST_CALLS, Prepared, prepare
from cudaperf_magic.bench.measuring.samples import strays
from cudaperf_magic.bench.plan import Allocate, Fill, Free, Launch, LaunchPlan, Pointer

N = 64
X = np.arange(N, dtype=np.float32)
LAUNCH = Launch("k", (1, 1, 1), (N, 1, 1), (Pointer("x"), Pointer("y")), line=3)


def double(gpu: FakeGpu, values: list[int]) -> float:
    x, y, _ = values
    floats(y, N)[:] = 2 * floats(x, N)
    return 10.0


def add(gpu: FakeGpu, values: list[int]) -> float:
    x, y, _ = values
    floats(y, N)[:] += floats(x, N)
    return 10.0


def prepared(
    kernel: Kernel, *steps: Any, role: Any = "out", remembers: tuple[str, ...] = (), **more: Any
) -> tuple[FakeGpu, Prepared]:
    gpu = FakeGpu({"k": kernel})
    arrays = (DeviceArray("x", "in", X, True), DeviceArray("y", role, np.ones(N, np.float32), True))
    program = Program(b"theirs", {}, LaunchPlan(steps or (LAUNCH,)), arrays, remembers)
    return gpu, prepare(gpu, b"ours", program, seed=5, **more)  # type: ignore[arg-type]


def settled(kernel: Kernel, *steps: Any, **more: Any) -> tuple[FakeGpu, Prepared]:
    gpu, timed = prepared(kernel, *steps, **more)
    assert timed.first_call() is None
    timed.settle()
    return gpu, timed


def wrong_calls(timed: Prepared, count: int = 5) -> int:
    samples = (*timed.cold_samples(count), *timed.warm_samples(count), *timed.end_to_end(1))
    return len(strays(timed._settled, samples))


def test_an_honest_kernel_gives_every_timed_call_its_own_answer() -> None:
    _, timed = settled(double)
    out = np.empty(N, np.float32)
    timed.output("y", out)
    assert wrong_calls(timed) == 0 and timed.damage() == ()


def test_a_short_kernel_shares_a_window_with_others_each_on_buffers_of_its_own() -> None:
    seen: list[int] = []

    def noting(gpu: FakeGpu, values: list[int]) -> float:
        seen.append(values[1])
        return double(gpu, values)

    _, timed = settled(noting)
    manner = timed._settled
    assert 15 <= manner.calls <= MOST_CALLS
    seen.clear()
    (sample,) = timed.cold_samples(1)
    assert len(seen) == len(set(seen)) == manner.calls == len(sample.calls)
    assert sample.us == pytest.approx(10.5, abs=0.1)


def test_a_long_kernel_has_the_window_to_itself_and_its_buffers_take_turns() -> None:
    def slow(gpu: FakeGpu, values: list[int]) -> float:
        return double(gpu, values) + 990.0

    _, timed = settled(slow)
    samples = timed.cold_samples(30)
    assert timed._settled.calls == 1 and {sample.calls[0].set for sample in samples} == {0, 1}


def test_in_out_arrays_are_fresh_for_each_call() -> None:
    _, timed = settled(add, role="inout")
    out = np.empty(N, np.float32)
    timed.output("y", out)
    assert wrong_calls(timed) == 0


def test_nothing_but_calls_lies_between_the_events_and_l2_is_emptied_before_them() -> None:
    gpu, timed = settled(double)
    gpu.log.clear()
    timed.cold_samples(1)
    first, last = (k for k, name in enumerate(gpu.log) if name == "cuEventRecord")
    assert set(gpu.log[first + 1 : last]) == {"k"}
    before = gpu.log[:first]
    assert before[-3:] == ["cuCtxResetPersistingL2Cache", "flush", "hold"]
    assert "memset" in before and gpu.log[last + 1] == "load ours"  # fingerprints come from a module loaded since


def test_warm_calls_follow_calls_on_the_same_buffers_without_a_flush() -> None:
    gpu, timed = settled(double)
    gpu.log.clear()
    timed.warm_samples(1)
    assert "flush" not in gpu.log and gpu.log.count("k") == 2 * timed._settled.warm_calls


def test_a_kernel_that_takes_a_neighbours_answer_in_a_window_is_caught() -> None:
    previous: list[Any] = []

    def stealing(gpu: FakeGpu, values: list[int]) -> float:
        if previous and not np.array_equal(floats(previous[0], N)[1:3], [floats(previous[0], N)[0]] * 2):
            floats(values[1], N)[:] = floats(previous[0], N)  # no poison: an answer stands there
            return 1.0
        previous[:] = [values[1]]
        return double(gpu, values)

    _, timed = settled(stealing)
    assert wrong_calls(timed) > 0


def test_a_kernel_that_skips_its_work_after_the_first_calls_is_caught() -> None:
    calls = 0

    def lazy(gpu: FakeGpu, values: list[int]) -> float:
        nonlocal calls
        calls += 1
        return double(gpu, values) if calls < 100 else 0.1

    _, timed = settled(lazy)
    assert wrong_calls(timed, 10) > 0


def test_a_kernel_that_builds_on_a_fresh_workspace_is_caught() -> None:
    def reading(gpu: FakeGpu, values: list[int]) -> float:
        x, y, t, _ = values
        floats(y, N)[:] = floats(x, N)
        floats(y, 1).view(np.uint32)[0] ^= floats(t, 1).view(np.uint32)[0]
        return 300.0

    pointers = (Pointer("x"), Pointer("y"), Pointer("t"))
    launch = Launch("k", (1, 1, 1), (N, 1, 1), pointers)
    _, timed = settled(reading, Allocate("t", 4 * N), launch, Free("t"))
    assert wrong_calls(timed, 10) > 0


def test_changed_inputs_and_writes_between_the_arrays_are_damage() -> None:
    def changing(gpu: FakeGpu, values: list[int]) -> float:
        double(gpu, values)
        floats(values[0], N)[3] = -1
        return 300.0

    def overrunning(gpu: FakeGpu, values: list[int]) -> float:
        double(gpu, values)
        floats(values[1] + 4 * N, 1)[0] = -1
        return 300.0

    _, timed = prepared(changing)
    assert timed.first_call() is None and timed.damage() == ("x",)
    _, timed = prepared(overrunning)
    assert timed.first_call() is None and timed.damage() == ("the bytes between the arrays",)


def test_a_module_that_may_remember_is_loaded_anew_before_each_call_and_never_shares_a_window() -> None:
    gpu, timed = settled(double, remembers=("seen",))
    assert timed._settled.is_reloaded and timed._settled.calls == 1
    gpu.log.clear()
    timed.cold_samples(4)
    timed.warm_samples(1)
    loads = [k for k, name in enumerate(gpu.log) if name == "load theirs"]
    calls = [k for k, name in enumerate(gpu.log) if name == "k"]
    assert len(loads) == len(calls) == 6
    assert all(load < call for load, call in zip(loads, calls, strict=True))


def test_many_launches_are_timed_as_a_graph_where_that_is_faster() -> None:
    def quick(gpu: FakeGpu, values: list[int]) -> float:
        return double(gpu, values) - 9.0

    gpu, timed = settled(quick, *([LAUNCH] * 300))
    assert timed._settled.is_graph
    gpu.log.clear()
    timed.cold_samples(1)
    assert "cuGraphLaunch" in gpu.log and wrong_calls(timed) == 0
    _, timed = settled(quick)
    assert not timed._settled.is_graph  # one launch needs none


def test_fills_and_workspaces_of_a_plan_happen_in_every_call() -> None:
    def counting(gpu: FakeGpu, values: list[int]) -> float:
        x, y, t, _ = values
        floats(t, N)[:] += floats(x, N)
        floats(y, N)[:] = floats(t, N)
        return 10.0

    launch = Launch("k", (1, 1, 1), (N, 1, 1), (Pointer("x"), Pointer("y"), Pointer("t")))
    _, timed = settled(counting, Allocate("t", 4 * N), Fill(Pointer("t"), 0, 4 * N), launch, launch, Free("t"))
    out = np.empty(N, np.float32)
    timed.first_call()
    timed.output("y", out)
    assert np.array_equal(out, 2 * X) and wrong_calls(timed) == 0


def test_a_fault_of_the_first_call_has_its_kernel_and_line() -> None:
    gpu, timed = prepared(double)
    gpu.failing["k"] = 700
    fault = timed.first_call()
    assert fault is not None and (fault.kind, fault.kernel, fault.line) == ("out_of_bounds", "k", 3)


def test_everything_is_given_back() -> None:
    gpu, timed = settled(double, role="inout")
    timed.end_to_end(1)
    timed.close()
    assert gpu.memory == {}


def test_a_kernel_that_answers_only_on_the_first_buffers_is_caught() -> None:
    first: list[int] = []

    def partial(gpu: FakeGpu, values: list[int]) -> float:
        first[:] = first or [values[1]]
        if values[1] == first[0]:
            return double(gpu, values)
        floats(values[1], N)[:] = 1.0  # the same nonsense in every call
        return 1.0

    _, timed = settled(partial)
    assert wrong_calls(timed) > 0


def test_a_kernel_that_copies_a_neighbours_answer_to_the_same_inputs_gains_no_time() -> None:
    """Integers have no last bit to turn over, so the inputs of all sets are the same."""
    known: list[int] = []

    def copying(gpu: FakeGpu, values: list[int]) -> float:
        for address in known:
            if np.array_equal(floats(address, N), 2 * floats(values[0], N)):  # stands for any test that is quick
                floats(values[1], N)[:] = floats(address, N)
                return 1.0
        known[:] = [*known, values[1]] if values[1] not in known else known
        return double(gpu, values) + 90.0

    gpu = FakeGpu({"k": copying})
    arrays = (DeviceArray("x", "in", X), DeviceArray("y", "out", np.ones(N, np.float32)))
    timed = prepare(gpu, b"ours", Program(b"theirs", {}, LaunchPlan((LAUNCH,)), arrays), seed=5)  # type: ignore[arg-type]
    assert timed.first_call() is None
    timed.settle()
    assert wrong_calls(timed) == 0 and all(sample.us >= 100.0 for sample in timed.cold_samples(10))


def test_a_kernel_that_keeps_answers_in_the_benchs_own_memory_gains_no_time() -> None:
    def hoarding(gpu: FakeGpu, values: list[int]) -> float:
        y, place = values[1], next(iter(gpu.memory))  # the first that was allocated
        if floats(place, 1)[0] == 42.0 and np.array_equal(floats(place + 8, N), floats(values[0], N)):
            floats(y, N)[:] = floats(place + 8 + 4 * N, N)
            return 1.0
        double(gpu, values)
        floats(place, 1)[0] = 42.0
        floats(place + 8, N)[:], floats(place + 8 + 4 * N, N)[:] = floats(values[0], N), floats(y, N)
        return 1000.0

    _, timed = settled(hoarding)
    assert wrong_calls(timed) == 0 and all(sample.us >= 1000.0 for sample in timed.cold_samples(40))


def test_what_a_kernel_leaves_behind_its_buffers_or_in_what_they_are_restored_from_is_damage() -> None:
    def behind(gpu: FakeGpu, values: list[int]) -> float:
        add(gpu, values)
        floats(values[1] + (1 << 20), 1)[0] = 42.0  # within the page that the set lies in
        return 300.0

    def undermining(gpu: FakeGpu, values: list[int]) -> float:
        add(gpu, values)
        floats(timed._sets[0]._pristine["y"], N)[:] = 0.0
        return 300.0

    for kernel in (behind, undermining):
        _, timed = prepared(kernel, role="inout")
        assert timed.first_call() is None and timed.damage() == ("the bytes between the arrays",)
