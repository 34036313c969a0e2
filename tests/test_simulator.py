"""Kernels that are right run right, in every order of blocks and warps, watched or not, and none is accused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from simulated import KERNELS, floats, kinds, launch_of, run

from cudaperf_magic.bench.cache import Cache
from cudaperf_magic.bench.nvrtc import build
from cudaperf_magic.bench.plan import Allocate, Copy, Fill, Free, LaunchPlan, Pointer
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.errors import Unsupported

WATCHED = ("none", "sampled", "all")
ORDERS = ("forward", "reverse", "shuffled")


@pytest.mark.parametrize("instrument", WATCHED)
@pytest.mark.parametrize("n", [1, 31, 33, 1000])
def test_saxpy_is_exact(n: int, instrument: str) -> None:
    x, y = floats(n), floats(n, seed=1)
    expected = (np.float32(2.5).astype(np.float64) * x + y).astype(np.float32)
    result = run("saxpy.cu", "saxpy", -(-n // 128), 128, (n, 2.5, "x", "y"), {"x": x, "y": y}, instrument=instrument)
    assert not result.faults
    assert np.array_equal(y, expected)


def test_float4_loads_and_stores_move_the_same_values() -> None:
    x, y = floats(512), floats(512, seed=1)
    expected = (np.float32(2.0).astype(np.float64) * x + y).astype(np.float32)
    result = run("saxpy.cu", "saxpy4", 1, 128, (512, 2.0, "x", "y"), {"x": x, "y": y})
    assert not result.faults
    assert np.array_equal(y, expected)


@pytest.mark.parametrize("kernel", ["naive", "tiled<0>", "tiled<1>"])
@pytest.mark.parametrize("schedule", ORDERS)
def test_a_transpose_is_right_in_every_order(kernel: str, schedule: str) -> None:
    a = floats(96, 96)
    b = np.zeros_like(a)
    result = run("transpose.cu", kernel, (3, 3), (32, 32), ("a", "b", 96), {"a": a, "b": b}, schedule=schedule, seed=7)
    assert not result.faults
    assert np.array_equal(b, a.T)


def test_a_missing_barrier_shows_in_the_result_of_some_order() -> None:
    a = floats(64, 64)
    wrong = 0
    for schedule in ORDERS:
        b = np.zeros_like(a)
        run("transpose.cu", "without_barrier", (2, 2), (32, 32), ("a", "b", 64), {"a": a, "b": b}, schedule=schedule)
        wrong += not np.array_equal(b, a.T)
    assert wrong > 0


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_reduction_by_shuffles_adds_everything(schedule: str) -> None:
    x = np.arange(5000, dtype=np.float32) % 17
    total = np.zeros(1, np.float32)
    given = ("x", "total", 5000)
    result = run("reduce.cu", "by_shuffles", 5, 256, given, {"x": x, "total": total}, schedule=schedule)
    assert not result.faults
    assert total[0] == x.sum()


@pytest.mark.parametrize(("kernel", "kind"), [("in_shared<float, 128>", "f4"), ("in_shared<double, 128>", "f8")])
def test_a_templated_tree_reduction_in_shared_memory(kernel: str, kind: str) -> None:
    x = np.arange(1024).astype(kind)
    total = np.zeros(1, kind)
    result = run("reduce.cu", kernel, 8, 128, ("x", "total"), {"x": x, "total": total})
    assert not result.faults
    assert total[0] == x.sum()


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_warp_reduction_with_syncwarp_is_right_and_not_accused(schedule: str) -> None:
    x, total = np.arange(64, dtype=np.float32), np.zeros(1, np.float32)
    result = run("reduce.cu", "with_syncwarp", 1, 64, ("x", "total"), {"x": x, "total": total}, schedule=schedule)
    assert not result.faults
    assert total[0] == x.sum()


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_last_block_that_waits_for_a_fence_is_not_accused(schedule: str) -> None:
    arrays = {
        "x": np.arange(16, dtype="f4"),
        "partial": np.zeros(16, "f4"),
        "n": np.zeros(1, "i4"),
        "y": np.zeros(1, "f4"),
    }
    result = run("reduce.cu", "last_block", 16, 64, ("x", "partial", "n", "y"), arrays, schedule=schedule)
    assert not result.faults
    assert arrays["y"][0] == 120


@pytest.mark.parametrize("n", [64, 50])
def test_a_tiled_sgemm(n: int) -> None:
    a, b, c = floats(n, n), floats(n, n, seed=1), np.zeros((n, n), np.float32)
    grid = (-(-n // 32), -(-n // 32))
    result = run("sgemm.cu", "tiled", grid, (32, 32), ("a", "b", "c", n), {"a": a, "b": b, "c": c})
    assert not result.faults
    assert np.allclose(c, a @ b, rtol=1e-4, atol=1e-4)


def test_an_sgemm_tiled_in_registers() -> None:
    a, b, c = floats(64, 64), floats(64, 64, seed=1), np.zeros((64, 64), np.float32)
    result = run("sgemm.cu", "in_registers", (1, 1), 256, ("a", "b", "c", 64), {"a": a, "b": b, "c": c})
    assert not result.faults
    assert np.allclose(c, a @ b, rtol=1e-4, atol=1e-4)


def test_a_row_softmax() -> None:
    x = floats(3, 1000)
    y = np.zeros_like(x)
    result = run("softmax.cu", "softmax", 3, 256, ("x", "y", 1000), {"x": x, "y": y})
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    assert not result.faults
    assert np.allclose(y, e / e.sum(1, keepdims=True), rtol=1e-6)


def test_a_stencil_with_halo_in_dynamic_shared_memory_and_constant_weights() -> None:
    x, y = floats(300), np.zeros(300, np.float32)
    result = run("stencil.cu", "with_halo", 3, 128, ("x", "y", 300), {"x": x, "y": y}, shared=130 * 4)
    padded = np.pad(x, 1)
    assert not result.faults
    assert np.allclose(y, 0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:])


def test_a_histogram_with_atomics_in_shared_and_global_memory() -> None:
    x = np.random.default_rng(0).integers(0, 256, 3000).astype(np.uint8)
    counts = np.zeros(256, np.int32)
    result = run("histogram.cu", "histogram", 4, 128, ("x", "counts", 3000), {"x": x, "counts": counts})
    assert not result.faults
    assert np.array_equal(counts, np.bincount(x, minlength=256))


def test_lanes_that_part_meet_again() -> None:
    y = np.zeros(64, np.int32)
    assert not run("divergence.cu", "by_lane", 1, 64, ("y",), {"y": y}).faults
    t = np.arange(64)
    assert np.array_equal(y, np.where(t % 2, t * t, -t))


def test_a_loop_of_a_different_length_in_each_lane() -> None:
    y = np.ones(32, np.int32)
    assert not run("divergence.cu", "loop_of_lane", 1, 32, ("y",), {"y": y}).faults
    assert np.array_equal(y, [t * (t + 1) // 2 for t in range(32)])


def test_votes_matches_and_warp_reductions() -> None:
    x, y = np.arange(32, dtype=np.int32), np.zeros(256, np.uint32)
    assert not run("warp.cu", "votes", 1, 32, ("x", "y"), {"x": x, "y": y}).faults
    assert set(y[:32]) == {0xFFFFFFF0} and set(y[32:64]) == {3}
    assert list(y[64:68]) == [0x11111111, 0x22222222, 0x44444444, 0x88888888]
    assert set(y[96:128]) == {496} and set(y[192:224]) == {31} and set(y[160:192]) == {32}
    assert list(y[128:140]) == [0, 1, 2, 0, 1, 2, 3, 4, 8, 9, 10, 8]
    assert set(y[224:256]) == {16}


def test_functions_that_are_not_inlined_with_structs_and_pointers() -> None:
    x, y = np.arange(64, dtype=np.int32), np.zeros(64)
    assert not run("calls.cu", "with_calls", 1, 64, ("x", "y", 3), {"x": x, "y": y}).faults
    first, second = x.astype(float), np.full(64, 2.0)
    for _ in range(3):
        first, second = np.trunc(second), first + 0.5
    assert np.array_equal(y[1:], (first + second)[1:])
    assert y[0] == 3 * 64


def test_a_switch_over_lanes() -> None:
    x = np.array([0, 1, 2, 3, 4, 5, 6, -1], np.int32)
    y = np.concatenate([[5, 6, 7], np.zeros(13)]).astype(np.int32)
    assert not run("calls.cu", "switched", 1, 8, ("x", "y"), {"x": x, "y": y}).faults
    assert list(y[8:]) == [11, 15, -4, 7, 9, 49, 0, 0]


def test_printf_formats_as_c_does() -> None:
    result = run("calls.cu", "says", 1, 32, (3,), {})
    assert result.text == "warp 3: 1.50     7|3   |x 1099511627776 %\n"


def test_recursion_is_refused_by_name_and_line() -> None:
    with pytest.raises(Unsupported, match=r"factorial.*calls itself"):
        run("calls.cu", "recursive", 1, 1, ("x",), {"x": np.array([3, 4], np.int32)})


def test_half_precision_rounds_once() -> None:
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal(64).astype("f2"), rng.standard_normal(64).astype("f2"), np.zeros(64, "f2")
    assert not run("halves.cu", "half2_fma", 1, 32, ("a", "b", "c"), {"a": a, "b": b, "c": c}).faults
    assert np.array_equal(c, (a.astype("f8") * b + a).astype("f2"))


def test_bfloat16_rounds_to_nearest_even() -> None:
    a, b = floats(64), np.zeros(64, np.uint16)
    assert not run("halves.cu", "to_bf16", 1, 64, ("a", "b"), {"a": a, "b": b}).faults
    bits = a.view(np.uint32)
    assert np.array_equal(b, (bits + 0x7FFF + (bits >> 16 & 1)) >> 16)


@pytest.mark.slow
def test_cub_and_cooperative_groups() -> None:
    x, y = np.arange(256, dtype=np.float32), np.zeros(2, np.float32)
    assert not run("libraries.cu", "block_reduce", 2, 128, ("x", "y"), {"x": x, "y": y}).faults
    assert list(y) == [x[:128].sum(), x[128:].sum()]
    v, s = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    assert not run("libraries.cu", "tiles", 1, 64, ("x", "y"), {"x": v, "y": s}).faults
    assert np.array_equal(s, np.repeat(v.reshape(8, 8).sum(1), 8))


def test_blocks_of_a_cooperative_launch_meet_and_are_not_accused() -> None:
    compiled = build((KERNELS / "cooperative.cu").read_text(), names=("rounds",))
    x, y = np.arange(128, dtype=np.int32), np.zeros(128, np.int32)
    launch = replace(launch_of("rounds", 4, 32, ("x", "y", 3)), is_cooperative=True)
    assert not simulate(compiled, LaunchPlan((launch,)), {"x": x, "y": y}).faults
    assert np.array_equal(x, np.roll(np.arange(128), -3) + 3)


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_spin_lock_within_a_warp_ends_and_is_not_accused(schedule: str) -> None:
    arrays = {"lock": np.zeros(1, np.int32), "count": np.zeros(1, np.int32)}
    result = run("lock.cu", "spin_lock", 2, 64, ("lock", "count"), arrays, schedule=schedule)
    assert not result.faults
    assert arrays["count"][0] == 128


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_block_may_wait_for_a_later_one(schedule: str) -> None:
    arrays = {"flag": np.zeros(1, np.int32), "y": np.zeros(2, np.int32)}
    result = run("lock.cu", "wait_for_next_block", 2, 1, ("flag", "y"), arrays, schedule=schedule)
    assert "limit" not in kinds(result)
    assert list(arrays["y"]) == [1, 1]


def test_a_plan_allocates_fills_copies_and_frees() -> None:
    compiled = build((KERNELS / "saxpy.cu").read_text(), names=("saxpy",))
    x, y = floats(100), np.zeros(100, np.float32)
    plan = LaunchPlan((
        Allocate("work", 400),
        Fill(Pointer("work"), 0, 400),
        launch_of("saxpy", 1, 128, (100, 3.0, "x", "work")),
        Copy(Pointer("y", 200), Pointer("work"), 200),
        Free("work"),
    ))  # fmt: skip
    assert not simulate(compiled, plan, {"x": x, "y": y}).faults
    assert not y[:50].any()
    assert np.array_equal(y[50:], np.float32(3) * x[:50])


def test_a_freed_buffer_is_no_longer_a_place() -> None:
    compiled = build((KERNELS / "saxpy.cu").read_text(), names=("saxpy",))
    plan = LaunchPlan((Allocate("work", 400), Free("work"), launch_of("saxpy", 1, 128, (100, 3.0, "x", "work"))))
    assert kinds(simulate(compiled, plan, {"x": floats(100)})) == {"out_of_bounds"}


def test_launches_alike_are_counted_together() -> None:
    compiled = build((KERNELS / "saxpy.cu").read_text(), names=("saxpy",))
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    launches = tuple(launch_of("saxpy", 1, 64, (64, float(i), "x", "y")) for i in range(20))
    result = simulate(compiled, LaunchPlan(launches), {"x": x, "y": y})
    assert set(y) == {190.0}
    (entry,) = result.launches
    assert entry.times == entry.traced_blocks == 20
    assert entry.load_bytes == 20 * 2 * 64 * 4 and entry.store_bytes == 20 * 64 * 4


def test_other_scalars_do_not_compile_again(tmp_path: Path) -> None:
    compiled = build((KERNELS / "saxpy.cu").read_text(), names=("saxpy",))
    cache = Cache(tmp_path)
    held = []
    for n in (10, 20, 30):
        plan = LaunchPlan((launch_of("saxpy", 1, 32, (n, 2.0, "x", "y")),))
        simulate(compiled, plan, {"x": floats(32), "y": floats(32)}, cache=cache)
        held.append(sorted(path.name for path in tmp_path.iterdir()))
    assert held[0] == held[1] == held[2]


@pytest.mark.parametrize("text", ["wgmma.fence.sync.aligned;", "cp.async.bulk.commit_group;"])
def test_an_instruction_that_is_missing_is_refused_by_name_and_line(text: str) -> None:
    source = f'__global__ void k(int* x) {{\n    x[0] = 1;\n    asm volatile("{text}");\n}}\n'
    compiled = build(source, "sm_90a", names=("k",))
    assert compiled.build.ok, compiled.build.log
    with pytest.raises(Unsupported, match=rf"line 3: .*{text[:5]}"):
        simulate(compiled, LaunchPlan((launch_of("k", 1, 1, ("x",)),)), {"x": np.zeros(1, np.int32)})
