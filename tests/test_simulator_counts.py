"""What the simulator counts, against counts derived by hand from the addresses and from 32 banks of 4 bytes."""

from __future__ import annotations

import numpy as np
import pytest
from simulated import cost, floats, line_of, run

from cudaperf_magic.records import LineCost


def transpose_costs(kernel: str, reading: str, writing: str) -> tuple[LineCost, LineCost]:
    a = floats(64, 64)
    result = run("transpose.cu", kernel, (2, 2), (32, 32), ("a", "b", 64), {"a": a, "b": np.zeros_like(a)})
    return cost(result, line_of("transpose.cu", reading)), cost(result, line_of("transpose.cu", writing))


def test_a_naive_transpose_reads_4_and_writes_32_sectors_a_request() -> None:
    read, write = transpose_costs("naive", "float v = a[y * n + x];", "b[x * n + y] = v;")
    assert read.sectors == 4 * read.requests
    assert write.sectors == 32 * write.requests
    assert write.ideal_sectors == 4 * write.requests
    assert read.requests == write.requests == 4 * 32


@pytest.mark.parametrize(("kernel", "conflicts"), [("tiled<0>", 32), ("tiled<1>", 1)])
def test_a_tile_read_by_column_conflicts_32_ways_unpadded_and_not_at_all_padded(kernel: str, conflicts: int) -> None:
    read, _ = transpose_costs(kernel, "float v = tile[threadIdx.x][threadIdx.y];", "b[y * n + x] = v;")
    assert read.shared_wavefronts == conflicts * read.ideal_wavefronts
    assert read.ideal_wavefronts == 4 * 32


def test_a_stride_of_seven_floats_touches_28_sectors() -> None:
    result = run("saxpy.cu", "every_seventh", 1, 32, ("x", "y"), {"x": floats(224), "y": floats(32)})
    (launch,) = result.launches
    assert launch.sectors == 28 + 4
    assert launch.ideal_sectors == 4 + 4


def test_an_access_that_starts_one_element_late_touches_a_fifth_sector() -> None:
    result = run("saxpy.cu", "one_off", 1, 32, ("x", "y"), {"x": floats(33), "y": floats(32)})
    assert result.launches[0].sectors == 5 + 4


def test_float_reads_4_and_float4_16_sectors_a_request() -> None:
    plain = run("saxpy.cu", "saxpy", 1, 128, (128, 2.0, "x", "y"), {"x": floats(128), "y": floats(128)})
    wide = run("saxpy.cu", "saxpy4", 1, 32, (128, 2.0, "x", "y"), {"x": floats(128), "y": floats(128)})
    assert (plain.launches[0].requests, plain.launches[0].sectors) == (12, 48)
    assert (wide.launches[0].requests, wide.launches[0].sectors) == (3, 48)


def test_a_wide_read_that_neighbouring_lanes_share_goes_by_half_warps() -> None:
    arrays = {"a": floats(64, 64), "b": floats(64, 64), "c": floats(64, 64)}
    result = run("sgemm.cu", "in_registers", (1, 1), 256, ("a", "b", "c", 64), arrays)
    read = cost(result, line_of("sgemm.cu", "float4 u = "))
    # 4 steps of 16, 8 warps: each a 16-byte read of two distinct addresses, in 2 passes without conflict.
    assert read.shared_wavefronts == read.ideal_wavefronts == 4 * 16 * 8 * 2


@pytest.mark.parametrize(("kernel", "dtype", "line", "words"), [("turned", np.float32, "element", 1),
                                                               ("wide", np.float64, "double", 2)])
def test_a_word_of_local_memory_lies_together_for_all_lanes(kernel: str, dtype: type, line: str, words: int) -> None:
    for at, sectors in ((np.full(32, 3), 4), (np.arange(32) % 8, 32), (np.arange(32) // 8, 4), (np.arange(32) % 2, 8)):
        arrays = {"at": at.astype(np.int32), "y": np.zeros(32, dtype)}
        result = run("local.cu", kernel, 1, 32, ("at", "y", 16), arrays)
        written = cost(result, line_of("local.cu", f"// same {line}"))
        read = cost(result, line_of("local.cu", f"// own {line}"))
        assert written.local_sectors == 16 * 4 * words
        assert read.local_sectors == sectors * words
        assert np.array_equal(arrays["y"], at * 0.5)
        (launch,) = result.launches
        assert (launch.local_requests, launch.local_sectors) == (17, (64 + sectors) * words)
        assert launch.requests == 2 and launch.sectors == launch.ideal_sectors == 4 + 4 * words


def test_a_pointer_that_may_mean_local_or_shared_memory_is_counted_where_it_leads() -> None:
    arrays = {"at": np.full(32, 3, np.int32), "y": np.zeros(32, np.float32)}
    result = run("local.cu", "by_pointer", 1, 32, ("at", "y", 16), arrays, check_global_races=False)
    (launch,) = result.launches
    assert launch.local_sectors == 16 * 4 + 4 and launch.sectors == 4 + 4
    assert np.all(arrays["y"] == 1.5)


def test_active_lanes_of_a_loop_that_each_lane_leaves_at_its_own_time() -> None:
    result = run("divergence.cu", "loop_of_lane", 1, 32, ("y",), {"y": np.ones(32, np.int32)})
    (launch,) = result.launches
    assert launch.thread_instructions < 0.75 * 32 * launch.warp_instructions


def test_both_sides_of_a_branch_run_with_half_the_lanes() -> None:
    result = run("divergence.cu", "two_ways", 1, 64, ("y",), {"y": np.ones(64, np.int32)})
    for side in ("y[t] = v * v;", "y[t + 64 - blockDim.x] = -v;"):
        assert cost(result, line_of("divergence.cu", side)).active_lanes == 16


def test_lanes_that_leave_a_branch_inside_a_loop_meet_again_before_they_go_on() -> None:
    arrays = {"x": np.ones((5, 32), np.int32), "y": np.zeros((5, 32), np.int32)}
    result = run("divergence.cu", "half_reads_all_write", 1, 32, ("x", "y", 5), arrays)
    read, write = (cost(result, line_of("divergence.cu", text)) for text in ("v = x[k * 32", "y[k * 32 + threadIdx.x]"))
    assert (read.requests, write.requests, write.sectors) == (5, 5, 5 * 4)


def test_bytes_flops_and_unique_bytes_of_saxpy() -> None:
    n = 4096
    result = run("saxpy.cu", "saxpy", 32, 128, (n, 2.0, "x", "y"), {"x": floats(n), "y": floats(n)})
    (launch,) = result.launches
    assert launch.load_bytes == 2 * 4 * n and launch.store_bytes == 4 * n
    assert launch.flops == 2 * n
    assert result.unique_bytes == 2 * 4 * n
    assert launch.dram_read_bytes == 2 * 4 * n
    assert (launch.traced_blocks, launch.warps) == (32, 128)
    assert launch.busiest_warp == launch.mean_warp and launch.busiest_block == launch.mean_block


def test_data_read_again_costs_the_modelled_memory_nothing() -> None:
    a, b = floats(64, 64), floats(64, 64)
    result = run("sgemm.cu", "tiled", (2, 2), (32, 32), ("a", "b", "c", 64), {"a": a, "b": b, "c": floats(64, 64)})
    (launch,) = result.launches
    assert launch.load_bytes == 2 * 2 * 64 * 64 * 4
    assert launch.dram_read_bytes == 2 * 64 * 64 * 4


def test_barriers_and_the_wait_for_the_busiest_warp() -> None:
    x, total = floats(1024), np.zeros(1, np.float32)
    result = run("reduce.cu", "in_shared<float, 128>", 8, 128, ("x", "total"), {"x": x, "total": total})
    (launch,) = result.launches
    assert launch.barriers == 8 * 8
    assert 0 < launch.barrier_lost < launch.barrier_slots
    assert sum(line.barriers for line in result.lines) == 8 * 8 * 4


def test_atomics_on_one_address_collide_and_on_many_do_not() -> None:
    same, spread = np.zeros(128, np.uint8), np.arange(128, dtype=np.uint8)
    for x, worst, lost in ((same, 32, 4 * 31), (spread, 1, 0)):
        result = run(
            "histogram.cu", "histogram", 1, 128, ("x", "counts", 128), {"x": x, "counts": np.zeros(256, np.int32)}
        )
        (launch,) = result.launches
        assert (launch.worst_collision, launch.collisions) == (worst, lost)
        assert launch.atomics == 4 + 8


def test_about_eight_blocks_of_a_launch_are_sampled() -> None:
    n = 128 * 800
    arrays = {"x": floats(n), "y": floats(n)}
    result = run("saxpy.cu", "saxpy", 800, 128, (n, 2.0, "x", "y"), arrays, instrument="sampled")
    (launch,) = result.launches
    assert launch.traced_blocks == 8
    assert launch.load_bytes == 8 * 128 * 8


def test_nothing_is_counted_unwatched() -> None:
    result = run(
        "saxpy.cu", "saxpy", 1, 128, (128, 2.0, "x", "y"), {"x": floats(128), "y": floats(128)}, instrument="none"
    )
    assert result.lines == () and result.launches == ()
