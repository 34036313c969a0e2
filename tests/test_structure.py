"""The seven properties, from counts that can be done by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudaperf_magic.bench.architectures import architecture
from cudaperf_magic.bench.simulator.result import LaunchTotals
from cudaperf_magic.bench.structure import compulsory, structure
from cudaperf_magic.fakes import SAXPY
from cudaperf_magic.records import PROPERTIES, KernelResources, LineCost, Property, Structure

H100 = architecture("sm_90")
# A launch of 132 * 8 blocks of 256 threads, all lanes at work, all warps alike, moving 1056 * 64 sectors.
EVEN = LaunchTotals(
    kernel="k", line=20, grid=(1056, 1, 1), block=(256, 1, 1), shared_bytes=0,
    times=1, traced_blocks=1056, warps=1056 * 8, warp_instructions=1056 * 8 * 10,
    thread_instructions=1056 * 8 * 10 * 32, busiest_warp=10, busiest_block=80, ideal_sectors=1056 * 64,
)
LINE = LineCost(4, executions=100, active_lanes=32.0, requests=100, sectors=400, ideal_sectors=400)
BYTES = 1056 * 64 * 32


FEW = {"k": KernelResources("k", 32, 0, 0)}


def found(launch: LaunchTotals = EVEN, *lines: LineCost, compulsory_bytes: int = BYTES) -> Structure:
    return structure([launch], lines or [LINE], H100, resources=FEW, compulsory_bytes=compulsory_bytes)


def prop(name: str, launch: LaunchTotals = EVEN, *lines: LineCost, compulsory_bytes: int = BYTES) -> Property:
    answer = found(launch, *lines, compulsory_bytes=compulsory_bytes).get(name)
    assert answer is not None
    return answer


def test_a_flawless_kernel_scores_one_everywhere_and_has_nothing_to_mend() -> None:
    answer = found()
    assert {p.name: p.score for p in answer.properties} == {
        name: 1.0 for name in ("coalescing", "occupancy", "intensity", "divergence", "balance")
    }
    assert all(p.reason and not p.remedy for p in answer.properties)
    assert answer.score == 1.0 and answer.launches == 1


def test_what_a_kernel_does_not_use_is_absent() -> None:
    idle = replace(EVEN, ideal_sectors=0)
    names = {p.name for p in found(idle, LineCost(4, executions=10, active_lanes=32.0)).properties}
    assert names == {"occupancy", "divergence", "balance"}


def test_a_column_walk_is_told_by_its_line_and_its_sectors() -> None:
    walk = replace(LINE, line=12, sectors=3200)
    p = prop("coalescing", EVEN, LINE, walk)
    assert p.score == pytest.approx(800 / 3600) and p.line == 12
    assert p.reason == "line 12 asks for 32 sectors a request where 4 would do"
    assert "threadIdx.x" in p.remedy


def test_a_row_that_begins_off_a_sector_gets_another_remedy_than_a_column_walk() -> None:
    shifted = prop("coalescing", EVEN, replace(LINE, sectors=500))
    strided = prop("coalescing", EVEN, replace(LINE, sectors=600, ideal_sectors=300))
    walk = prop("coalescing", EVEN, replace(LINE, sectors=3200))
    assert "32-byte boundaries" in shifted.remedy
    assert len({shifted.remedy, strided.remedy, walk.remedy}) == 3


@pytest.mark.parametrize(
    ("change", "score", "words"),
    [
        ({"shared_bytes": 100 * 1024}, 0.25, "102400 bytes of shared memory a block leave room for 16 of 64 warps"),
        ({"block": (32, 1, 1)}, 0.5, "blocks of 32 threads leave room for 32 of 64 warps"),
        ({"block": (768, 1, 1)}, 0.75, "blocks of 768 threads leave room for 48 of 64 warps"),
    ],
)
def test_occupancy_names_what_runs_out(change: dict[str, object], score: float, words: str) -> None:
    p = prop("occupancy", replace(EVEN, **change))  # type: ignore[arg-type]
    assert p.score == score and words in p.reason and p.remedy and p.line == 20 and p.source == "static"


def test_occupancy_names_registers_when_they_run_out() -> None:
    greedy = {"k": KernelResources("k", 128, 0, 0)}
    p = structure([EVEN], [LINE], H100, resources=greedy, compulsory_bytes=BYTES).get("occupancy")
    assert p and p.score == 0.25 and "128 registers a thread leave room for 16 of 64 warps" in p.reason


def test_bytes_that_are_asked_for_again_lower_intensity_and_the_line_that_asks_most_is_named() -> None:
    lines = [replace(LINE, ideal_sectors=100), replace(LINE, line=9, ideal_sectors=300)]
    p = prop("intensity", EVEN, *lines, compulsory_bytes=BYTES // 8)
    assert p.score == pytest.approx(1 / 8) and p.line == 9
    assert p.reason == "each byte is asked for 8 times; line 9 does 75% of the asking"
    assert "shared memory" in p.remedy
    tiled = prop("intensity", replace(EVEN, shared_bytes=4096), *lines, compulsory_bytes=BYTES // 8)
    assert "larger tiles" in tiled.remedy


def test_intensity_says_what_the_modelled_caches_leave_to_memory_and_its_score_does_not_depend_on_it() -> None:
    cached = replace(EVEN, sectors=1056 * 64, l2_read_sectors=1056 * 64, dram_read_bytes=BYTES // 16,
                     dram_write_bytes=BYTES // 16)
    p = prop("intensity", cached, compulsory_bytes=BYTES // 8)
    assert p.reason.endswith("; of 2.16 MB in sectors, 270 KB reach DRAM (modelled)")
    once = prop("intensity", cached)
    assert once.reason == ("no byte is asked for more often than it must be; of 2.16 MB in sectors, 270 KB reach DRAM "
                           "(modelled)")
    assert (p.score, once.score) == (1 / 8, 1.0)
    sampled = prop("intensity", replace(cached, traced_blocks=8), compulsory_bytes=BYTES // 8)
    assert "DRAM" not in sampled.reason


def test_intensity_is_not_lowered_by_what_coalescing_already_counts() -> None:
    assert prop("intensity", EVEN, replace(LINE, sectors=3200)).score == 1.0


def test_sampled_blocks_stand_for_the_whole_grid() -> None:
    part = replace(EVEN, traced_blocks=8, warps=64, warp_instructions=640, thread_instructions=640 * 32,
                   ideal_sectors=8 * 64)
    assert prop("intensity", part, compulsory_bytes=BYTES // 2).score == pytest.approx(0.5)
    assert prop("balance", part).score == 1.0


def test_waiting_at_a_barrier_is_lost_to_synchronisation() -> None:
    issued = EVEN.warp_instructions
    p = prop("synchronisation", replace(EVEN, barriers=1056, barrier_lost=issued), LINE, LineCost(7, 1, barriers=1056))
    assert p.score == pytest.approx(0.5) and p.line == 7
    assert "waiting at the barrier of line 7" in p.reason


def test_a_loss_too_small_for_a_percent_is_not_called_none() -> None:
    launch = replace(EVEN, barriers=1056, barrier_lost=1)
    p = prop("synchronisation", launch, LINE, LineCost(7, 1, barriers=1056))
    assert 0 < p.raw < 0.005
    assert p.reason.startswith("less than 1% of the issue slots are lost")


def test_atomics_on_one_address_are_lost_to_synchronisation() -> None:
    launch = replace(EVEN, atomics=10, collisions=EVEN.warp_instructions)
    p = prop("synchronisation", launch, LINE, LineCost(8, 1, atomics=10))
    assert p.score == pytest.approx(1 / 3) and p.line == 8
    assert "atomics on one address of line 8" in p.reason and "reduce within the warp" in p.remedy


def test_barriers_that_cost_nothing_are_measured_as_perfect() -> None:
    assert prop("synchronisation", replace(EVEN, barriers=10)).score == 1.0


def test_idle_lanes_are_told_with_the_line_that_idles_most() -> None:
    lines = [LINE, LineCost(6, executions=500, active_lanes=1.0)]
    p = prop("divergence", replace(EVEN, thread_instructions=EVEN.thread_instructions // 4), *lines)
    assert p.score == 0.25 and p.line == 6
    assert p.reason == "8 of 32 lanes work, on average; line 6 keeps 1 busy"


def test_a_bank_conflict_is_told_by_its_ways() -> None:
    p = prop("shared", EVEN, LINE, LineCost(9, 10, shared_wavefronts=320, ideal_wavefronts=10),
             LineCost(8, 10, shared_wavefronts=10, ideal_wavefronts=10))
    assert p.score == pytest.approx(20 / 330) and p.line == 9
    assert "line 9 needs 32 shared-memory wavefronts where 1 would do" in p.reason and "pad" in p.remedy


def test_too_few_blocks_leave_multiprocessors_idle() -> None:
    few = replace(EVEN, grid=(4, 1, 1), traced_blocks=4, warps=32, warp_instructions=320, thread_instructions=10240)
    p = prop("balance", few)
    assert p.score == pytest.approx(4 / 132)
    assert "4 blocks for the 132 multiprocessors of an H100" in p.reason and "more blocks" in p.remedy


def test_a_last_wave_that_is_almost_empty_costs_balance() -> None:
    blocks = 133
    tail = replace(EVEN, grid=(blocks, 1, 1), traced_blocks=blocks, warps=blocks * 8, warp_instructions=blocks * 80,
                   thread_instructions=blocks * 2560)
    assert prop("balance", tail).score == pytest.approx(133 / 264)


def test_warps_of_unequal_work_cost_balance() -> None:
    p = prop("balance", replace(EVEN, busiest_warp=40))
    assert p.score == 0.25 and "a warp does 25% of what the busiest warp does" in p.reason


def test_one_long_block_costs_balance() -> None:
    assert prop("balance", replace(EVEN, busiest_block=80 * 8 * 4)).score == pytest.approx(0.25)


def test_several_launches_count_by_their_work() -> None:
    small = replace(EVEN, kernel="small", grid=(1, 1, 1), traced_blocks=1, warps=8, warp_instructions=80,
                    thread_instructions=2560, ideal_sectors=64)
    often_run = replace(small, times=1056, traced_blocks=1056, warps=8 * 1056, warp_instructions=80 * 1056)
    together = structure([EVEN, small], [LINE], H100, resources=FEW, compulsory_bytes=BYTES).get("balance")
    often = structure([EVEN, often_run], [LINE], H100, resources=FEW, compulsory_bytes=BYTES).get("balance")
    assert together and often
    assert together.score == pytest.approx((1056 + 1 / 132) / 1057)
    assert often.score == pytest.approx((1 + 1 / 132) / 2)
    assert often.reason.startswith("small:")


def test_compulsory_bytes_count_what_goes_in_and_what_comes_out() -> None:
    assert compulsory(SAXPY, {"x": 400, "y": 400}) == 400 + 2 * 400


counts = st.integers(0, 10**9)


@given(
    st.builds(LaunchTotals, kernel=st.just("k"), line=st.integers(0, 99),
              grid=st.tuples(*[st.integers(1, 1000)] * 3), block=st.tuples(*[st.integers(1, 10)] * 3),
              shared_bytes=st.integers(0, 227 * 1024), traced_blocks=counts, warps=counts, warp_instructions=counts,
              thread_instructions=counts, busiest_warp=counts, busiest_block=counts, barriers=counts,
              barrier_lost=counts, collisions=counts, atomics=counts, ideal_sectors=counts, times=st.integers(1, 9)),
    st.lists(st.builds(LineCost, st.integers(1, 99), counts, st.floats(0, 32), counts, counts, counts, counts, counts,
                       counts, counts)),
    counts,
    st.dictionaries(st.just("k"), st.builds(KernelResources, st.just("k"), st.integers(0, 300), counts, counts)),
)
def test_no_counts_however_odd_break_it(
    launch: LaunchTotals, lines: list[LineCost], compulsory_bytes: int, resources: dict[str, KernelResources]
) -> None:
    answer = structure([launch], lines, H100, resources=resources, compulsory_bytes=compulsory_bytes)
    assert {p.name for p in answer.properties} <= set(PROPERTIES)
    assert all(p.reason for p in answer.properties)


def test_a_run_without_a_launch_has_no_property() -> None:
    assert structure([], [], H100, resources={}, compulsory_bytes=0).properties == ()
