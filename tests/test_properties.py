"""What every property keeps whatever the counts: bounds, monotony, no cliffs; and what odd kernels are told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from corpus import load_corpus
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_files import honest_kernels, outcome_of
from numpy.typing import NDArray
from simulated import floats, launch_of, line_of, run

from cudaperf_magic.bench import properties
from cudaperf_magic.bench.architectures import architecture
from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.properties import GOOD, READERS
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.bench.simulator.result import Costliest, LaunchTotals, SimulatorResult
from cudaperf_magic.bench.structure import structure
from cudaperf_magic.episode import play
from cudaperf_magic.policies.search import SearchPolicy
from cudaperf_magic.records import KernelResources, LineCost, Outcome, Property, Structure
from cudaperf_magic.tasks.c import read_task

H100 = architecture("sm_90")
FILE = "properties.cu"

# ---- counts that can be ----

some = st.integers(0, 10**6)


@st.composite
def line_costs(draw: st.DrawFn, line: int = 0) -> LineCost:
    ideal, needed = draw(st.integers(1, 1000)), draw(st.integers(1, 1000))
    return LineCost(
        line or draw(st.integers(1, 99)),
        executions=draw(st.integers(1, 1000)),
        active_lanes=draw(st.floats(1, 32)),
        requests=ideal,
        sectors=ideal + draw(some),
        ideal_sectors=ideal,
        shared_wavefronts=needed + draw(st.just(0) | some),
        ideal_wavefronts=needed,
        barriers=draw(st.integers(0, 9)),
        atomics=draw(st.integers(0, 9)),
    )


@st.composite
def totals(draw: st.DrawFn) -> LaunchTotals:
    """A launch as the simulator might count it."""
    traced, warps = draw(st.integers(1, 200)), draw(st.integers(1, 32))
    blocks = traced * draw(st.integers(1, 4))
    busiest = draw(st.integers(1, 10**4))
    issued = busiest + (traced * warps - 1) * draw(st.integers(1, busiest))
    block_words = draw(st.integers(1, 10**5))
    met = draw(st.integers(0, block_words))
    again = met * draw(st.integers(1, 31))
    collisions = draw(some)
    return LaunchTotals(
        "k", 20, (blocks, 1, 1), (32 * warps, 1, 1), draw(st.integers(0, 200 * 1024)), draw(st.integers(1, 9)), traced,
        traced * warps, issued, draw(st.integers(issued, 32 * issued)), busiest,
        draw(st.integers(-(-issued // traced), issued)),
        barriers=1, barrier_slots=issued, barrier_lost=draw(some), atomics=1, collisions=collisions,
        combined_collisions=draw(st.integers(0, collisions)), ideal_sectors=draw(st.integers(1, 10**6)),
        warp_words=block_words + again, again_words=again, met_words=met,
        costliest=Costliest(5, 6, 7, 8),
    )  # fmt: skip


lines_of = st.lists(line_costs(), min_size=1, max_size=5, unique_by=lambda c: c.line)
launches_of = st.lists(totals(), min_size=1, max_size=3)
few = settings(max_examples=30)


def seen(
    launches: Sequence[LaunchTotals], lines: Sequence[LineCost], *, registers: int = 32, compulsory_bytes: int = 10**5
) -> Structure:
    resources = {"k": KernelResources("k", registers, 0, 0)}
    return structure(launches, lines, H100, resources=resources, compulsory_bytes=compulsory_bytes)


def scores(found: Structure) -> dict[str, float]:
    return {p.name: p.score for p in found.properties}


def is_told(p: Property) -> bool:
    """Whether a person learns what to do, and where."""
    return bool(p.reason) and (p.score >= GOOD or bool(p.remedy and p.line))


# ---- whatever the counts ----


@given(launches_of, lines_of)
def test_a_score_lies_between_0_and_1_and_a_low_one_names_reason_remedy_and_line(
    launches: list[LaunchTotals], lines: list[LineCost]
) -> None:
    found = seen(launches, lines).properties
    assert {p.name for p in found} >= {"coalescing", "occupancy", "intensity", "synchronisation", "divergence"}
    assert all(0.0 <= p.score <= 1.0 and is_told(p) for p in found)
    assert all(not p.remedy for p in found if p.score >= GOOD)


@given(launches_of, lines_of, st.integers(2, 9))
def test_the_same_work_done_several_times_over_scores_the_same(
    launches: list[LaunchTotals], lines: list[LineCost], k: int
) -> None:
    often = [replace(launch, times=launch.times * k) for launch in launches]
    counted = ("requests", "sectors", "ideal_sectors", "shared_wavefronts", "ideal_wavefronts", "executions")
    more = [replace(c, **{name: getattr(c, name) * k for name in counted}) for c in lines]  # type: ignore[arg-type]
    once, again = seen(launches, lines), seen(often, more, compulsory_bytes=k * 10**5)
    assert scores(again) == pytest.approx(scores(once))
    assert {p.name: p.line for p in once.properties} == {p.name: p.line for p in again.properties}


@given(launches_of, lines_of, st.randoms())
def test_the_order_of_lines_does_not_matter(launches: list[LaunchTotals], lines: list[LineCost], random: Any) -> None:
    mixed = random.sample(lines, len(lines))
    assert seen(launches, mixed) == seen(launches, lines)


def test_of_two_lines_that_cost_the_same_the_first_is_named_in_either_order() -> None:
    walk = LineCost(9, executions=10, active_lanes=32.0, requests=10, sectors=320, ideal_sectors=40)
    for lines in ([walk, replace(walk, line=4)], [replace(walk, line=4), walk]):
        found = seen([], lines).get("coalescing")
        assert found is not None and found.line == 4


NOTHING = LaunchTotals("k", 20, (0, 1, 1), (128, 1, 1), 0, 1, 0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize("launches", [[], [NOTHING], [replace(NOTHING, barriers=1, atomics=1, grid=(4, 1, 1))]])
def test_where_nothing_ran_no_property_applies(launches: list[LaunchTotals]) -> None:
    assert seen(launches, []).properties == ()


# What makes each property worse, one at a time: the property, and the change by `more`.
def more_of(name: str, launch: LaunchTotals, line: LineCost, more: int) -> tuple[LaunchTotals, LineCost]:
    if name == "coalescing":
        return launch, replace(line, sectors=line.sectors + more)
    if name == "shared":
        return launch, replace(line, shared_wavefronts=line.shared_wavefronts + more)
    changed: dict[str, dict[str, Any]] = {
        "intensity": {"ideal_sectors": launch.ideal_sectors + more},
        "waiting": {"barrier_lost": launch.barrier_lost + more},
        "collisions": {"collisions": launch.collisions + more},
        "divergence": {"thread_instructions": max(launch.warp_instructions, launch.thread_instructions - more)},
        "busiest warp": {"busiest_warp": launch.busiest_warp + more},
        "busiest block": {"busiest_block": launch.busiest_block + more},
        "readers": {"warp_words": launch.warp_words + more, "again_words": launch.again_words + more},
        "occupancy": {"shared_bytes": launch.shared_bytes + more},
    }
    return replace(launch, **changed[name]), line


OF = {
    "coalescing": "coalescing", "shared": "shared", "intensity": "intensity", "waiting": "synchronisation",
    "collisions": "synchronisation", "divergence": "divergence", "busiest warp": "balance", "busiest block": "balance",
    "readers": "shared", "occupancy": "occupancy",
}  # fmt: skip


@pytest.mark.parametrize("name", OF)
@few
@given(launches_of, lines_of, st.integers(1, 27 * 1024))
def test_more_of_what_is_lost_never_raises_a_score(
    name: str, launches: list[LaunchTotals], lines: list[LineCost], more: int
) -> None:
    launch, line = more_of(name, launches[0], lines[0], more)
    before, after = (
        seen([first, *launches[1:]], [cost, *lines[1:]]).get(OF[name])
        for first, cost in ((launches[0], lines[0]), (launch, line))
    )
    assert before is not None and after is not None
    assert after.score <= before.score + 1e-12


def test_more_readers_of_a_kernel_that_a_copy_would_not_help_do_not_hide_another_that_it_would() -> None:
    helped = LaunchTotals("k", 20, (132, 1, 1), (256, 1, 1), 0, 1, 132, 1056, 10560, 337920, 10, 80, warp_words=8000,
                          again_words=7000, met_words=1000, costliest=Costliest(5, 6, 7, 8))  # fmt: skip
    other = replace(helped, kernel="l", warp_words=1100, again_words=100, met_words=100)
    few, many = (seen([helped, replace(other, warp_words=1000 + n, again_words=n)], []).get("shared") for n in (0, 400))
    assert few is not None and few == many and few.score == pytest.approx(2000 / (1000 + 8000 / 1.5))


@pytest.mark.parametrize("name", [name for name in OF if name != "occupancy"])
@few
@given(launches_of, lines_of)
def test_a_score_has_no_cliff_one_more_of_what_is_lost_costs_about_its_share(
    name: str, launches: list[LaunchTotals], lines: list[LineCost]
) -> None:
    launch, line = more_of(name, launches[0], lines[0], 1)
    before = seen([launches[0]], [lines[0]]).get(OF[name])
    after = seen([launch], [line]).get(OF[name])
    first = launches[0]
    of_how_much = {
        "coalescing": lines[0].sectors, "shared": lines[0].shared_wavefronts, "intensity": first.ideal_sectors,
        "waiting": first.warp_instructions, "collisions": first.warp_instructions / properties.COLLISION_SLOTS,
        "divergence": first.warp_instructions, "busiest warp": first.busiest_warp,
        "busiest block": first.busiest_block, "readers": first.warp_words,
    }  # fmt: skip
    share = properties.WORTHWHILE_READERS / of_how_much[name]
    assert before is not None and after is not None and before.score - after.score <= share + 1e-9


@given(launches_of, lines_of, st.integers(16, 200), st.integers(0, 55))
def test_more_registers_never_raise_occupancy(
    launches: list[LaunchTotals], lines: list[LineCost], registers: int, more: int
) -> None:
    few, many = (seen(launches, lines, registers=r).get("occupancy") for r in (registers, registers + more))
    assert few is not None and many is not None and many.score <= few.score


# ---- sharing: whether shared memory would help where none is used ----


def examined(
    kernel: str, grid: Any, block: Any, given: Sequence[Any], arrays: dict[str, NDArray[Any]], **options: Any
) -> tuple[SimulatorResult, Structure]:
    result = run(FILE, kernel, grid, block, given, arrays, **options)
    assert result.faults == ()
    found = structure(result.launches, result.lines, H100, resources={}, compulsory_bytes=result.compulsory_bytes)
    assert all(is_told(p) for p in found.properties), found.properties
    return result, found


def product(block: tuple[int, int], kernel: str = "product", **options: Any) -> Property | None:
    n, (x, y) = 64, block
    arrays = {name: floats(n, n) for name in "abc"}
    return examined(kernel, (n // x, n // y), block, ("a", "b", "c", n), arrays, **options)[1].get("shared")


@pytest.mark.parametrize(
    ("block", "readers"), [((32, 32), (32 + 32 * 32) / 64), ((32, 8), (8 + 8 * 32) / 40), ((16, 16), (16 + 128) / 32)]
)
def test_a_plain_product_of_matrices_would_be_helped_as_many_times_as_warps_read_a_word(
    block: tuple[int, int], readers: float
) -> None:
    found = product(block)
    assert found is not None and found.unit == READERS and found.raw == pytest.approx(readers)
    assert found.score == pytest.approx(1.5 / readers) and found.source == "simulator"
    assert found.line == line_of(FILE, "the same words of b") and f"{readers:.3g} of its warps" in found.reason
    assert "shared memory" in found.remedy


def test_sampled_blocks_tell_the_same_of_sharing() -> None:
    assert product((16, 16), instrument="sampled") == product((16, 16))


@pytest.mark.parametrize("schedule", ["reverse", "shuffled"])
def test_the_order_in_which_warps_run_does_not_change_who_shares(schedule: str) -> None:
    assert product((16, 16), schedule=schedule) == product((16, 16))


def test_where_each_warp_reads_its_own_no_copy_would_help() -> None:
    assert product((64, 1)) is None  # a word of a for both warps of a block, 64 of b for one each
    assert product((8, 4)) is None  # blocks of one warp


def test_a_dummy_in_shared_memory_does_not_hide_that_a_copy_would_help() -> None:
    found = product((32, 32), "product_with_a_dummy")
    assert found is not None and found.unit == READERS and found.score < 0.1


def window(radius: int) -> Property | None:
    n = 1024
    arrays = {"x": floats(n + 2 * radius), "y": floats(n)}
    return examined(f"window<{radius}>", n // 256, 256, ("x", "y", n), arrays)[1].get("shared")


def test_a_window_over_a_line_would_be_helped_once_it_is_as_wide_as_a_warp() -> None:
    assert window(1) is None and window(3) is None
    wide, wider = window(16), window(32)
    assert wide is not None and wide.raw == pytest.approx(8 * 64 / 288)
    assert wider is not None and wider.raw == pytest.approx(2.4) and wider.score < wide.score


@pytest.mark.parametrize("radius", [1, 2, 4])
def test_a_stencil_in_two_dimensions_would_be_helped_the_more_the_wider_it_is(radius: int) -> None:
    m = 64 + 2 * radius
    arrays = {"x": floats(m, m), "y": floats(m, m)}
    found = examined(f"cross<{radius}>", (2, 8), (32, 8), ("x", "y", m), arrays)[1].get("shared")
    read, needed = 8 * (32 * (2 * radius + 1) + 2 * radius), 32 * (8 + 2 * radius) + 16 * radius
    assert found is not None and found.raw == pytest.approx(read / needed)


def test_bodies_that_all_threads_visit_in_turn_would_be_helped() -> None:
    found = examined("bodies", 2, 256, ("x", "f", 512), {"x": floats(512), "f": floats(512)})[1].get("shared")
    assert found is not None and found.raw == pytest.approx(8.0) and found.line


@pytest.mark.parametrize(
    ("kernel", "grid", "block", "given"),
    [
        ("biased", (2, 8), (32, 8), ("x", "bias", "y", 64)),  # 8 rows share 32 words of 288
        ("rows", 1, 64, ("x", "bias", "y", 64)),
        ("accumulated", 16, 256, ("x", "y", 3)),  # the same thread reads the same word again
    ],
)
def test_streams_and_short_rows_that_everyone_reads_would_not_be_helped(
    kernel: str, grid: Any, block: Any, given: tuple[Any, ...]
) -> None:
    arrays = {"x": floats(64, 64), "bias": floats(64), "y": floats(64, 64)}
    used = {name: arrays[name] for name in given if isinstance(name, str)}
    assert examined(kernel, grid, block, given, used)[1].get("shared") is None


# ---- odd kernels ----

ALWAYS = {"occupancy", "divergence", "balance"}
ints = np.zeros(256, np.int32)
ODD: dict[str, tuple[Any, Any, tuple[Any, ...], dict[str, NDArray[Any]], set[str]]] = {
    "nothing": (300, 64, (), {}, set()),
    "only_atomics": (4, 128, ("c",), {"c": ints}, {"coalescing", "intensity", "synchronisation"}),
    "only_shared": (4, 32, (33,), {}, {"shared"}),
    "doubles": (8, 128, ("x", "y"), {"x": floats(1024).astype(float), "y": np.zeros(1024)},
                {"coalescing", "intensity"}),
    "first_members": (8, 128, ("x", "y"), {"x": floats(4096), "y": floats(1024)}, {"coalescing", "intensity"}),
    "speaking": (8, 128, ("x",), {"x": floats(8)}, {"coalescing", "intensity"}),
}  # fmt: skip


@pytest.mark.parametrize("kernel", ODD)
def test_an_odd_kernel_has_the_properties_that_apply_and_no_other(kernel: str) -> None:
    grid, block, given, arrays, more = ODD[kernel]
    _, found = examined(kernel, grid, block, given, {name: array.copy() for name, array in arrays.items()})
    assert {p.name for p in found.properties} == ALWAYS | more
    assert all(p.line for p in found.properties)


def test_one_thread_alone_is_told_of_lanes_blocks_and_multiprocessors() -> None:
    _, found = examined("nothing", 1, 1, (), {})
    assert scores(found) == {"occupancy": 0.5, "divergence": 1 / 32, "balance": pytest.approx(1 / 132)}


def test_doubles_are_coalesced_and_members_of_structures_are_not() -> None:
    doubles, members = (examined(k, *ODD[k][:3], dict(ODD[k][3]))[1].get("coalescing")
                        for k in ("doubles", "first_members"))
    assert doubles is not None and members is not None
    assert doubles.score == 1.0 and doubles.raw == 8.0
    assert members.score == pytest.approx(12 / 36) and "struct" in members.remedy  # two reads of 16, a write of 4


def test_a_host_loop_of_many_launches_scores_as_one_launch_does() -> None:
    x = floats(1024)
    given = ("x", "y", 1024)
    arrays = {"x": floats(1024 + 32), "y": x}
    before = [launch_of("window<16>", 4, 256, given)] * 40
    once = examined("window<16>", 4, 256, given, dict(arrays))[1]
    result, often = examined("window<16>", 4, 256, given, dict(arrays), before=before)
    assert often.launches == 41 and len(result.launches) == 1
    assert {k: v for k, v in scores(often).items() if k != "intensity"} == pytest.approx(
        {k: v for k, v in scores(once).items() if k != "intensity"}
    )


# ---- where time is lost ----


def test_the_barrier_that_is_waited_at_is_named_not_the_one_that_is_met_first() -> None:
    arrays = {"x": floats(128), "y": floats(128)}
    _, found = examined("two_waits", 1, 128, ("x", "y", 100), arrays)
    p = found.get("synchronisation")
    assert p is not None and p.score < 0.5 and p.line == line_of(FILE, "three warps wait for the first")


def test_atomics_that_one_lane_does_for_all_cost_one_wait_and_not_one_a_lane() -> None:
    result, found = examined("combined_atomics", 1, 256, ("x", "c"), {"x": np.zeros(256, np.uint8), "c": ints.copy()})
    (launch,) = result.launches
    assert (launch.collisions, launch.combined_collisions) == (8 * 31, 8 * 30)
    p = found.get("synchronisation")
    assert p is not None and p.raw == pytest.approx(16 / (launch.warp_instructions + launch.barrier_lost + 16))


# ---- kernels as they are written ----


def low_and_not_told(outcome: Outcome) -> list[Property]:
    return [p for p in outcome.structure.properties if not is_told(p)] if outcome.structure else []


@pytest.mark.slow
def test_every_low_score_of_an_honest_kernel_names_reason_remedy_and_line() -> None:
    first = {file.path.parent.name: file for file in reversed(honest_kernels())}
    with Bench("simulator") as bench:
        outcomes = [outcome_of(bench, function, file) for function, file in first.items()]
    assert sum(outcome.structure is not None for outcome in outcomes) > 10
    assert [p for outcome in outcomes for p in low_and_not_told(outcome)] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", ["matmul/matmul.c", "sparse/csr_spmv.c", "histograms/histogram256.c", "scans/prefix_sum.c", "dynamic/lcs.c"]
)
def test_every_low_score_of_a_translation_names_reason_remedy_and_line(path: str) -> None:
    file = next(file for file in load_corpus() if file.path == path)
    task, function = read_task(file.source, entry=file.entry, sizes=file.size, ranges=file.ranges)
    with Bench("simulator") as bench:
        (*_, episode) = play([settled(task, function)], SearchPolicy(function), bench, turns=1)
    assert episode.turns[0].outcome.structure is not None
    assert low_and_not_told(episode.turns[0].outcome) == []
