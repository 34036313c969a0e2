"""Each fault is named with its line, block and thread, and a candidate's misbehaviour never becomes an exception."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from simulated import KERNELS, floats, kinds, launch_of, line_of, only, run

from cudaperf_magic.bench.nvrtc import build
from cudaperf_magic.bench.plan import Allocate, Copy, Fill, LaunchPlan, Pointer
from cudaperf_magic.bench.simulator.launch import simulate

ORDERS = ("forward", "reverse", "shuffled")


def ints(n: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.zeros(n, np.int32)


def test_a_kernel_that_reads_past_its_buffer_is_named_with_its_line() -> None:
    x, y = floats(100), floats(128)
    fault = only(run("saxpy.cu", "without_guard", 2, 64, (100, 2.0, "x", "y"), {"x": x, "y": y}))
    assert fault.kind == "out_of_bounds"
    assert fault.message == "thread (36, 0, 0) of block (1, 0, 0) reads x[100], but x holds 100 elements"
    assert (fault.block, fault.thread) == ((1, 0, 0), (36, 0, 0))
    assert KERNELS.joinpath("saxpy.cu").read_text().splitlines()[fault.line - 1].strip() == "y[i] = a * x[i] + y[i];"


def test_a_write_past_a_buffer_changes_nothing_else() -> None:
    x, y, bystander = floats(128), floats(100), np.full(1000, 5, np.float32)
    arrays = {"x": x, "y": y, "bystander": bystander}
    result = run("saxpy.cu", "without_guard", 1, 128, (100, 2.0, "x", "y"), arrays)
    assert kinds(result) == {"out_of_bounds"}
    assert (bystander == 5).all()


@pytest.mark.parametrize("at", [1 << 40, -(1 << 40), 1000, -1])
@pytest.mark.parametrize("instrument", ["none", "all"])
def test_a_wild_write_is_refused_or_stays_in_the_simulated_memory(at: int, instrument: str) -> None:
    x = ints(4)
    result = run("hostile.cu", "wild", 1, 1, ("x", at), {"x": x}, instrument=instrument)
    assert not x.any()
    if instrument == "all" or abs(at) > 1 << 30:
        assert kinds(result) == {"out_of_bounds"}


def test_a_null_pointer_is_called_one() -> None:
    fault = only(run("hostile.cu", "null_pointer", 1, 32, (0,), {}))
    assert "null pointer" in fault.message and fault.line == line_of("hostile.cu", "null_pointer(int* x)")


def test_a_local_array_read_past_its_end() -> None:
    result = run("hostile.cu", "local_array", 1, 1, ("x", 100_000), {"x": ints(8)})
    assert kinds(result) == {"out_of_bounds"}
    assert not run("hostile.cu", "local_array", 1, 1, ("x", 7), {"x": ints(8)}).faults


def test_a_misaligned_vector_write_is_named() -> None:
    fault = only(run("hostile.cu", "misaligned", 1, 1, ("x",), {"x": floats(8)}))
    assert fault.kind == "misaligned" and "16 bytes" in fault.message


def test_shared_memory_past_its_end_is_named() -> None:
    arrays = {"x": floats(128), "y": floats(128)}
    result = run("stencil.cu", "with_halo", 1, 128, ("x", "y", 128), arrays, shared=128 * 4)
    assert kinds(result) >= {"out_of_bounds"}
    assert result.faults[0].message.endswith("in shared memory, but tile holds 128 elements")
    assert "give the launch at least" in result.faults[0].remedy


TWO_ARRAYS = """__global__ void two(int *x) {
    __shared__ int first[32];
    __shared__ int second[32];
    second[threadIdx.x] = 1;
    __syncthreads();
    first[threadIdx.x + %d] = 2;
    __syncthreads();
    x[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}"""


@pytest.mark.parametrize(("shift", "strays"), [(0, False), (1, True), (32, True)])
def test_an_index_that_leaves_its_shared_array_does_not_meet_the_next_one(shift: int, strays: bool) -> None:
    compiled = build(TWO_ARRAYS % shift, names=("two",))
    result = simulate(compiled, LaunchPlan((launch_of("two", 1, 32, ("x",)),)), {"x": ints(32)})
    said = [fault.message for fault in result.faults if fault.kind == "out_of_bounds"]
    assert bool(said) == strays
    assert not said or "writes first[32] in shared memory, but first holds 32 elements" in said[0]


def test_gaps_between_shared_arrays_count_neither_as_bytes_nor_as_conflicts() -> None:
    compiled = build(TWO_ARRAYS % 0, names=("two",))
    result = simulate(compiled, LaunchPlan((launch_of("two", 1, 32, ("x",)),)), {"x": ints(32)}, instrument="all")
    (total,) = result.launches
    assert total.shared_bytes == 256


def test_a_halo_that_nobody_fills_is_uninitialised() -> None:
    arrays = {"x": floats(128), "y": floats(128)}
    result = run("stencil.cu", "without_halo", 1, 128, ("x", "y", 128), arrays, shared=130 * 4)
    assert kinds(result) == {"uninitialised"}
    assert {fault.thread for fault in result.faults} <= {(0, 0, 0), (127, 0, 0)}
    assert {fault.line for fault in result.faults} == {line_of("stencil.cu", "tile[threadIdx.x] + tile")}


REVERSE = """__global__ void reverse(const int *x, int *y) {
    __shared__ int part[256];
    part[threadIdx.x] = x[threadIdx.x];
    y[threadIdx.x] = part[255 - threadIdx.x];
}
"""


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_read_that_only_comes_too_early_is_told_of_the_missing_barrier_not_of_a_halo(schedule: Any) -> None:
    compiled = build(REVERSE, names=("reverse",))
    plan = LaunchPlan((launch_of("reverse", 1, 256, ("x", "y")),))
    result = simulate(compiled, plan, {"x": ints(256), "y": ints(256)}, schedule=schedule)
    early = [fault for fault in result.faults if fault.kind == "uninitialised"]
    assert early and all("has written yet" in fault.message for fault in early)
    assert {fault.remedy for fault in early} == {
        "line 3 writes part, and this read does not wait for it: put __syncthreads() between line 3 and line 4"
    }


def test_an_array_of_one_element_a_thread_has_no_halo_to_load() -> None:
    source = REVERSE.replace("part[threadIdx.x] =", "if (threadIdx.x < 250) part[threadIdx.x] =")
    source = source.replace("    y[", "    __syncthreads(); y[")
    compiled = build(source, names=("reverse",))
    plan = LaunchPlan((launch_of("reverse", 1, 256, ("x", "y")),))
    result = simulate(compiled, plan, {"x": ints(256), "y": ints(256)})
    assert kinds(result) == {"uninitialised"}
    assert all("let some thread write every element of part" in fault.remedy for fault in result.faults)


def test_a_workspace_that_nothing_has_written_is_uninitialised() -> None:
    compiled = build((KERNELS / "saxpy.cu").read_text(), names=("saxpy",))
    launch = launch_of("saxpy", 1, 32, (32, 2.0, "work", "y"))
    fault = only(simulate(compiled, LaunchPlan((Allocate("work", 128), launch)), {"y": floats(32)}))
    assert fault.kind == "uninitialised" and "x[0] (the array work)" in fault.message
    filled = LaunchPlan((Allocate("work", 128), Fill(Pointer("work"), 0, 128), launch))
    assert not simulate(compiled, filled, {"y": floats(32)}).faults


def test_an_output_read_before_it_is_written_is_uninitialised() -> None:
    arrays = {"x": floats(32), "y": floats(32)}
    given = (32, 2.0, "x", "y")
    fault = only(run("saxpy.cu", "saxpy", 1, 32, given, arrays, initialised={"x": True, "y": False}))
    assert fault.kind == "uninitialised" and "y[0]" in fault.message


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_missing_barrier_is_a_shared_race_with_both_lines(schedule: str) -> None:
    a = floats(32, 32)
    arrays = {"a": a, "b": np.zeros_like(a)}
    result = run("transpose.cu", "without_barrier", (1, 1), (32, 32), ("a", "b", 32), arrays, schedule=schedule)
    races = [fault for fault in result.faults if fault.kind == "shared_race"]
    assert races
    for race in races:
        assert race.other_line is not None and race.line != race.other_line
        assert "no barrier stands between" in race.message


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_volatile_warp_reduction_without_syncwarp_is_a_race(schedule: str) -> None:
    arrays = {"x": floats(64), "total": floats(1)}
    result = run("reduce.cu", "without_syncwarp", 1, 64, ("x", "total"), arrays, schedule=schedule)
    assert kinds(result) == {"shared_race"}
    assert "no __syncwarp() or barrier" in result.faults[0].message


@pytest.mark.parametrize("schedule", ORDERS)
@pytest.mark.parametrize("kernel", ["same_value", "same_value_shared"])
def test_lanes_that_write_one_value_say_so_in_every_order(kernel: str, schedule: str) -> None:
    result = run("hostile.cu", kernel, 1, 64, ("x",), {"x": ints(64)}, schedule=schedule)
    assert result.faults and all("both write the same value" in fault.message for fault in result.faults)


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_stencil_in_place_is_a_global_race(schedule: str) -> None:
    result = run("stencil.cu", "in_place", 2, 64, ("x", 128), {"x": floats(128)}, schedule=schedule)
    assert kinds(result) == {"global_race"}
    assert any("blocks run in any order" in fault.message for fault in result.faults)
    assert any("no barrier stands between" in fault.message for fault in result.faults)


def test_global_races_can_be_left_unchecked() -> None:
    result = run("stencil.cu", "in_place", 2, 64, ("x", 128), {"x": floats(128)}, check_global_races=False)
    assert not result.faults


def test_a_histogram_without_atomics_is_a_global_race() -> None:
    x = np.zeros(64, np.uint8)
    result = run("histogram.cu", "without_atomics", 1, 64, ("x", "counts", 64), {"x": x, "counts": ints(256)})
    assert kinds(result) == {"global_race"}
    honest = np.arange(64, dtype=np.uint8)
    assert not run(
        "histogram.cu", "without_atomics", 1, 64, ("x", "counts", 64), {"x": honest, "counts": ints(256)}
    ).faults


def test_two_writes_of_one_value_say_so() -> None:
    result = run("lock.cu", "same_value", 2, 32, ("flag",), {"flag": ints(1)})
    assert kinds(result) == {"global_race"}
    assert all("both write the same value" in fault.message for fault in result.faults)


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_last_block_without_fence_is_a_global_race(schedule: str) -> None:
    arrays = {"x": floats(16), "partial": floats(16), "arrived": ints(1), "total": floats(1)}
    given = ("x", "partial", "arrived", "total")
    result = run("reduce.cu", "last_block_without_fence", 16, 32, given, arrays, schedule=schedule)
    assert kinds(result) == {"global_race"}


def test_threads_that_leave_before_a_barrier_are_counted() -> None:
    fault = only(run("divergence.cu", "some_leave", 1, 64, ("y",), {"y": ints(64)}))
    assert fault.kind == "divergence" and fault.message.startswith("20 threads of block (0, 0, 0), ")


def test_waiting_at_two_barriers_names_both_lines() -> None:
    fault = only(run("divergence.cu", "two_barriers", 1, 64, ("y",), {"y": ints(64)}))
    assert fault.kind == "divergence"
    lines = KERNELS.joinpath("divergence.cu").read_text().splitlines()
    assert fault.line != fault.other_line
    assert all("__syncthreads" in lines[line - 1] for line in (fault.line, fault.other_line))


def test_a_shuffle_that_lanes_never_reach_is_named() -> None:
    fault = only(run("divergence.cu", "half_a_shuffle", 1, 32, ("y",), {"y": ints(32)}))
    assert fault.kind == "divergence" and fault.line == line_of("divergence.cu", "__shfl_sync(0xffffffffu")
    y = ints(32)
    assert not run("divergence.cu", "half_a_warp", 1, 32, ("y",), {"y": y}).faults
    assert list(y) == [3] * 16 + list(range(16, 32))


def test_a_barrier_that_the_rest_never_reaches_is_a_deadlock() -> None:
    result = run("divergence.cu", "nobody_comes", 1, 64, ("y",), {"y": ints(64)})
    fault = only(result)
    assert fault.kind == "deadlock" and fault.line == line_of("divergence.cu", "bar.sync 1, 64;")
    assert not result.is_complete


@pytest.mark.parametrize("instrument", ["none", "all"])
def test_an_endless_loop_ends_with_its_line(instrument: str) -> None:
    fault = only(run("hostile.cu", "endless", 1, 64, ("x",), {"x": ints(1)}, step_limit=100_000, instrument=instrument))
    assert fault.kind == "limit"
    assert fault.line in range(line_of("hostile.cu", "void endless"), line_of("hostile.cu", "void gigabyte"))


@pytest.mark.parametrize("kernel", [
    "barriers", "barriers_of_some", "warp_barriers", "shuffles", "votes", "barrier_votes", "spin_lock",
    "warps_that_wait", "sleep", "fences", "clock_that_never_comes", "jump_to_itself",
])  # fmt: skip
@pytest.mark.parametrize("schedule", ORDERS)
def test_every_way_of_never_ending_ends_by_its_steps(kernel: str, schedule: str) -> None:
    x = {"x": ints(1)}
    fault = only(run("endless.cu", kernel, 2, 64, ("x",), x, step_limit=20_000, schedule=schedule))
    assert fault.kind == "limit" and "limit of steps" in fault.message and fault.line


def test_a_grid_that_is_far_too_large_ends_by_its_steps() -> None:
    fault = only(run("hostile.cu", "nothing", (2**31 - 1, 1, 1), 32, ("x",), {"x": ints(1)}, step_limit=10_000))
    assert fault.kind == "limit"
    assert "of a grid of 2147483647 x 1 x 1 blocks; launch fewer blocks" in fault.message


def test_what_the_steps_allow_ends_by_its_processor_time() -> None:
    x = {"x": ints(1)}
    fault = only(run("endless.cu", "barriers", 1, 64, ("x",), x, step_limit=1 << 60, cpu_limit_s=0.05))
    assert fault.kind == "limit" and "limit of processor time" in fault.message and fault.line


def test_diverged_warps_are_charged_what_they_ran_and_no_more() -> None:
    x = ints(64)
    run_once = {"step_limit": 64 * 100, "instrument": "all"}
    assert not run("hostile.cu", "many_turns", 1, 64, ("x", 100), {"x": x}, **run_once).faults
    assert x.tolist() == [100 + k % 32 for k in range(64)]


def test_a_gigabyte_of_text_is_cut() -> None:
    result = run("hostile.cu", "gigabyte", 1, 1, ("x",), {"x": ints(1)}, printf_limit_bytes=1000)
    assert only(result).kind == "limit" and only(result).line == line_of("hostile.cu", "printf")
    assert len(result.text) == 1000 and result.text.startswith("line 0\nline 1\n")


def test_a_trap_is_named_with_its_thread() -> None:
    fault = only(run("hostile.cu", "trap", 1, 32, ("x",), {"x": ints(1)}))
    assert (fault.kind, fault.thread, fault.line) == ("trap", (5, 0, 0), line_of("hostile.cu", "__trap()"))


def test_an_assertion_is_quoted_with_its_thread() -> None:
    fault = only(run("hostile.cu", "checks", 1, 32, ("x",), {"x": np.arange(32, dtype=np.int32)}))
    assert fault.kind == "trap" and fault.thread == (5, 0, 0)
    assert "x[threadIdx.x] < 5" in fault.message


@pytest.mark.parametrize(
    ("grid", "block", "shared", "words"),
    [
        (0, 32, 0, "no size may be zero"),
        (1, 2048, 0, "1024 at most"),
        (1, (1, 1, 128), 0, "64 along z"),
        ((1, 70000), 32, 0, "65535 at most"),
        (1, 32, 300_000, "shared memory"),
    ],
)
def test_a_launch_that_a_gpu_would_refuse_is_refused(grid: object, block: object, shared: int, words: str) -> None:
    arrays = {"x": floats(32), "y": floats(32)}
    fault = only(run("saxpy.cu", "saxpy", grid, block, (32, 2.0, "x", "y"), arrays, shared=shared))  # type: ignore[arg-type]
    assert fault.kind == "launch" and words in fault.message


def test_what_a_block_may_have_and_how_many_run_at_once_depend_on_the_card() -> None:
    arrays = {"x": floats(32), "y": floats(32)}
    wide: dict[str, Any] = {"shared": 100 << 10}
    assert not run("saxpy.cu", "saxpy", 1, 32, (32, 2.0, "x", "y"), arrays, device="H100", **wide).faults
    fault = only(run("saxpy.cu", "saxpy", 1, 32, (32, 2.0, "x", "y"), arrays, device="T4", **wide))
    assert "asks for 102400 bytes of shared memory a block; a block has 65536 at most on sm_75" in fault.message


def test_a_cooperative_launch_whose_blocks_cannot_all_be_resident_is_refused() -> None:
    compiled = build((KERNELS / "saxpy.cu").read_text(), names=("saxpy",))
    arrays = {"x": floats(32), "y": floats(32)}
    for blocks, words in ((2 * 132, None), (2 * 132 + 1, "264 of its blocks can be resident on an H100")):
        step = replace(launch_of("saxpy", blocks, 1024, (32, 2.0, "x", "y")), is_cooperative=True)
        faults = simulate(compiled, LaunchPlan((step,)), arrays, instrument="none").faults
        assert [f.kind for f in faults] == (["launch"] if words else [])
        assert not words or words in faults[0].message


def test_the_wrong_number_of_arguments_is_a_launch_fault() -> None:
    assert only(run("saxpy.cu", "saxpy", 1, 32, (32, 2.0, "x"), {"x": floats(32)})).kind == "launch"


def test_a_copy_that_leaves_its_buffer_is_a_fault() -> None:
    compiled = build((KERNELS / "saxpy.cu").read_text(), names=("saxpy",))
    plan = LaunchPlan((Copy(Pointer("x", 64), Pointer("y"), 128), launch_of("saxpy", 1, 32, (32, 2.0, "x", "y"))))
    result = simulate(compiled, plan, {"x": floats(32), "y": floats(32)})
    assert only(result).message == "cudaMemcpy of 128 bytes at byte 64 of x leaves the buffer"
