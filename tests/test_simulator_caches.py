"""The cache model, against what can be told by hand of a kernel's way through L1, L2 and memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from simulated import KERNELS, cost, floats, launch_of, line_of, run

from cudaperf_magic.bench.architectures import architecture
from cudaperf_magic.bench.nvrtc import build
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.bench.simulator.result import LaunchTotals, SimulatorResult

MULTIPROCESSORS = architecture("sm_90").multiprocessors


def ran(kernel: str, blocks: int, threads: int, n: int, outputs: int, **options: Any) -> LaunchTotals:
    """A launch of one kernel of caches.cu on n floats."""
    x, y = floats(options.pop("inputs", n)), np.zeros(outputs, np.float32)
    result = run("caches.cu", kernel, blocks, threads, ("x", "y", n), {"x": x, "y": y}, **options)
    (launch,) = result.launches
    return launch


def test_a_copy_finds_nothing_in_the_caches_and_its_output_stays_in_l2() -> None:
    n = 1 << 16
    launch = ran("copy", n // 256, 256, n, n)
    assert launch.l1_hit_rate == 0.0 and launch.l1_sectors == n // 8
    assert launch.l2_read_sectors == launch.l2_write_sectors == n // 8
    assert launch.dram_read_bytes == 4 * n
    assert (launch.dram_write_bytes, launch.dirty_bytes) == (0, 4 * n)


def test_a_table_that_all_blocks_read_comes_once_to_each_multiprocessor_and_once_from_memory() -> None:
    launch = ran("sum_of_all", 3 * MULTIPROCESSORS, 64, 256, 3 * MULTIPROCESSORS * 64)
    assert launch.l1_sectors == 3 * MULTIPROCESSORS * 2 * 32
    assert launch.l1_sectors - launch.l1_hits == MULTIPROCESSORS * 32
    assert launch.l2_read_sectors == MULTIPROCESSORS * 32
    assert launch.dram_read_bytes == 256 * 4


def test_warps_side_by_side_fetch_an_array_once_though_it_does_not_fit_in_l1() -> None:
    n = 1 << 18  # 1 MiB: four times the L1
    launch = ran("sum_of_all", 1, 256, n, 256)
    assert launch.l1_hits == launch.l1_sectors * 7 // 8


def test_a_warp_past_a_barrier_comes_too_late_for_an_array_that_does_not_fit_in_l1() -> None:
    n = 1 << 17
    launch = ran("in_two_halves", 1, 64, n, 64)
    assert launch.l1_hit_rate is not None and launch.l1_hit_rate < 0.2
    small = ran("in_two_halves", 1, 64, 1 << 12, 64)
    assert small.l1_hit_rate == 0.5


@pytest.mark.parametrize("kernel", ["sum_past_l1", "sum_volatile"])
def test_loads_past_l1_are_answered_by_l2(kernel: str) -> None:
    launch = ran(kernel, 2, 64, 1024, 128)
    assert launch.l1_sectors == 0 and launch.l1_hit_rate is None
    assert launch.l2_read_sectors == launch.sectors - launch.l2_write_sectors == 4 * 128
    assert launch.dram_read_bytes == 4096


def test_a_row_for_each_thread_lives_on_the_sectors_that_are_still_in_l1() -> None:
    few = ran("rows", 1, 32, 8, 32, inputs=32 * 8)
    assert few.l1_hit_rate == 7 / 8
    many = ran("rows", 8 * MULTIPROCESSORS, 256, 8, 8 * MULTIPROCESSORS * 256, inputs=8 * MULTIPROCESSORS * 256 * 8)
    assert many.l1_hit_rate is not None and many.l1_hit_rate > 0.8  # 8 * 256 sectors: a quarter of L1
    long_rows = ran("rows", 8, 256, 64, 8 * 256, inputs=8 * 256 * 64)
    assert long_rows.dram_read_bytes == 8 * 256 * 64 * 4


@pytest.mark.parametrize(("device", "times"), [("T4", 1), ("H200", 2)])
def test_a_sector_brings_its_neighbour_where_memory_is_read_by_64_bytes(device: str, times: int) -> None:
    n = 1 << 14
    launch = ran("every_other_sector", n // 256, 256, n, n, inputs=2 * n, device=device)
    assert launch.dram_read_bytes == times * 4 * n


def test_what_l2_cannot_hold_is_written_to_memory_during_the_launch() -> None:
    n = 1 << 21  # 8 MiB, twice the L2 of a T4
    result = run("caches.cu", "fill", n // 1024, 1024, ("y", n), {"y": np.zeros(n, np.float32)}, device="T4")
    (launch,) = result.launches
    assert launch.dram_write_bytes + launch.dirty_bytes == 4 * n
    assert launch.dirty_bytes <= architecture("T4").card.l2_bytes
    assert launch.dirty_bytes == pytest.approx(7 / 16 * architecture("T4").card.l2_bytes, rel=0.02)
    assert launch.dram_read_bytes == 0


def test_atomics_are_done_in_l2() -> None:
    counters = np.zeros(1024, np.int32)
    result = run("caches.cu", "count", 8, 128, ("counters", 1024), {"counters": counters})
    (launch,) = result.launches
    assert (launch.l1_sectors, launch.l2_read_sectors, launch.l2_atomic_sectors) == (0, 0, 128)
    assert (launch.dram_read_bytes, launch.dirty_bytes) == (4096, 4096)


def test_l2_keeps_what_an_earlier_launch_has_read_and_l1_does_not() -> None:
    n = 1 << 12
    compiled = build((KERNELS / "caches.cu").read_text(), names=("copy", "sum_of_all"))
    steps = (launch_of("copy", n // 256, 256, ("x", "y", n)), launch_of("sum_of_all", 1, 32, ("x", "z", n)))
    arrays = {"x": floats(n), "y": np.zeros(n, np.float32), "z": np.zeros(32, np.float32)}
    first, second = simulate(compiled, LaunchPlan(steps), arrays).launches
    assert (first.dram_read_bytes, second.dram_read_bytes) == (4 * n, 0)
    assert second.l1_hits == 0 and second.l2_hit_rate == 1.0


def twice(device: str, n: int) -> SimulatorResult:
    compiled = build((KERNELS / "caches.cu").read_text(), names=("copy",))
    step = launch_of("copy", n // 256, 256, ("x", "y", n))
    arrays: dict[str, NDArray[Any]] = {"x": floats(n), "y": np.zeros(n, np.float32)}
    return simulate(compiled, LaunchPlan((step, step)), arrays, device=device, check_global_races=False)


def test_a_larger_l2_saves_the_second_reading_and_a_smaller_one_does_not() -> None:
    n = 1 << 20
    large, small = twice("H200", n).launches[0], twice("T4", n).launches[0]
    assert large.dram_read_bytes == 4 * n and large.dram_write_bytes == 0
    assert small.dram_read_bytes > 7.5 * n and small.dram_write_bytes > 4 * n
    assert large.times == small.times == 2


def test_what_both_halves_of_a_chip_read_fills_its_l2_twice() -> None:
    n = 4 << 20  # 16 MiB, read twice by two multiprocessors; both cards have 24 MiB of L2
    compiled = build((KERNELS / "caches.cu").read_text(), names=("sum_of_all",))
    step = launch_of("sum_of_all", 2, 32, ("x", "y", n))
    read = {}
    for device in ("A30", "GB10"):
        arrays: dict[str, NDArray[Any]] = {"x": np.zeros(n, np.float32), "y": np.zeros(64, np.float32)}
        (launch,) = simulate(compiled, LaunchPlan((step, step)), arrays, device=device, step_limit=1 << 40).launches
        read[device] = launch.dram_read_bytes
    assert read["GB10"] < 4.1 * n
    assert read["A30"] > 7 * n


def test_stores_to_local_memory_go_through_to_l2_and_their_loads_find_them_in_l1() -> None:
    arrays = {"at": np.arange(32, dtype=np.int32) % 16, "y": np.zeros(32, np.float32)}
    (launch,) = run("local.cu", "turned", 1, 32, ("at", "y", 16), arrays).launches
    assert launch.l2_write_sectors == 16 * 4 + 4
    assert launch.l2_read_sectors == 4
    assert (launch.l1_sectors, launch.l1_hits) == (4, 0)


def test_misses_and_bytes_from_memory_are_told_by_line() -> None:
    n = 1 << 12
    result = run("caches.cu", "copy", n // 256, 256, ("x", "y", n), {"x": floats(n), "y": np.zeros(n, np.float32)})
    line = cost(result, line_of("caches.cu", "y[i] = x[i];"))
    assert (line.l1_missed_sectors, line.dram_read_bytes) == (n // 8, 4 * n)


def test_more_requests_than_are_written_down_at_once_cost_little_of_what_warps_share() -> None:
    n = 1 << 21
    launch = ran("sum_of_all", 1, 1024, n, 1024, step_limit=1 << 40)  # 2^21 requests, twice the window
    assert launch.l1_sectors == 32 * n // 8
    assert launch.l1_hit_rate is not None and 0.85 < launch.l1_hit_rate <= 31 / 32
    assert launch.dram_read_bytes == 4 * n


@settings(max_examples=25, deadline=None)
@given(
    at=st.lists(st.lists(st.integers(0, 4095), min_size=64, max_size=64), min_size=1, max_size=6),
    device=st.sampled_from(["T4", "RTX 3090", "H200"]),
)
def test_a_random_gather_that_fits_in_the_caches_misses_each_sector_once(at: list[list[int]], device: str) -> None:
    """Against sets: of sectors for each multiprocessor, and of what comes from memory together for the card."""
    arrays = {"x": floats(4096), "at": np.array(at, np.int32), "y": np.zeros(64 * len(at), np.float32)}
    (launch,) = run("caches.cu", "gather", len(at), 64, ("x", "at", "y"), arrays, device=device).launches
    requests = [{i // 8 for i in block[first : first + 32]} for block in at for first in (0, 32)]
    of_blocks = [{i // 8 for i in block} for block in at]  # fewer blocks than multiprocessors: each has its own
    own_indices = 8 * len(at)  # the sectors of `at`
    assert launch.l1_sectors == own_indices + sum(len(request) for request in requests)
    assert launch.l1_sectors - launch.l1_hits == own_indices + sum(len(block) for block in of_blocks)
    fetch = architecture(device).fetch_bytes
    together = {i * 4 // fetch for block in at for i in block}
    assert launch.dram_read_bytes == 32 * own_indices + fetch * len(together)


def test_no_cache_is_modelled_unwatched() -> None:
    arrays = {"x": floats(256), "y": np.zeros(256, np.float32)}
    assert run("caches.cu", "copy", 1, 256, ("x", "y", 256), arrays, instrument="none").launches == ()


@settings(max_examples=15, deadline=None)
@given(
    kernel=st.sampled_from(["copy", "sum_of_all", "rows", "every_other_sector", "in_two_halves", "sum_past_l1"]),
    blocks=st.integers(1, 5), threads=st.integers(1, 200), n=st.integers(1, 300),
    device=st.sampled_from(["T4", "A100", "RTX 4090", "H200", "B200"]),
)  # fmt: skip
def test_sectors_are_conserved_from_request_to_memory(
    kernel: str, blocks: int, threads: int, n: int, device: str
) -> None:
    room = blocks * threads * max(n, 2) + 2 * n + 64
    launch = ran(kernel, blocks, threads, n, room, inputs=room, device=device)
    asked = launch.sectors - launch.l2_write_sectors
    missed = launch.l1_sectors - launch.l1_hits
    assert launch.l2_read_sectors == missed + asked - launch.l1_sectors
    assert 0 <= launch.l1_hits <= launch.l1_sectors <= asked
    assert 0 <= launch.l2_read_hits <= launch.l2_read_sectors
    absent = launch.l2_read_sectors - launch.l2_read_hits
    fetch = architecture(device).fetch_bytes // 32
    assert absent <= launch.dram_read_bytes // 32 <= absent * fetch
    assert launch.dram_write_bytes == 0 and launch.dirty_bytes <= 32 * launch.l2_write_sectors


def test_the_rest_of_a_partly_written_sector_is_read_before_it_is_written_to_memory() -> None:
    n = 1 << 21  # 8 MB, for an L2 of 4
    arrays = {"y": np.zeros(n, np.float32)}
    (launch,) = run("caches.cu", "write_every_eighth", n // 2048, 256, ("y",), arrays, device="T4").launches
    assert launch.dram_read_bytes == launch.dram_write_bytes == 4 * n - launch.dirty_bytes
    assert launch.dirty_bytes == pytest.approx(3 / 16 * architecture("T4").card.l2_bytes, rel=0.02)


def test_a_sector_that_is_written_word_by_word_is_whole_in_the_end_and_nothing_of_it_is_read() -> None:
    n = 1 << 16
    arrays = {"y": np.zeros(n, np.float32)}
    (launch,) = run("caches.cu", "write_word_by_word", n // 2048, 256, ("y",), arrays, device="H200").launches
    assert (launch.dram_read_bytes, launch.dram_write_bytes, launch.dirty_bytes) == (0, 0, 4 * n)
