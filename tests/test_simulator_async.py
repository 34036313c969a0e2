"""Copies that land when they are waited for, and mbarriers: right programs run, each way to be too early is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from simulated import KERNELS, Shape, cost, kinds, launch_of, line_of, only

from cudaperf_magic.bench.nvrtc import Compiled, build
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.bench.simulator.result import SimulatorResult

FILE = "async.cu"
ORDERS = ("forward", "reverse", "shuffled")
NAMES = ("brought<4>", "brought<8>", "brought<16>", "pipeline<2>", "pipeline<4>")
Arrays = dict[str, NDArray[Any]]


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    built = build((KERNELS / FILE).read_text(), names=NAMES)
    assert built.build.ok, built.build.log
    return built


def run(built: Compiled, kernel: str, block: Shape, arrays: Arrays, *more: int, **options: Any) -> SimulatorResult:
    plan = LaunchPlan((launch_of(kernel, 1, block, (*arrays, *more)),))
    return simulate(built, plan, arrays, **options)


def ints(n: int, first: int = 0) -> NDArray[np.int32]:
    return np.arange(first, first + n, dtype=np.int32)


@pytest.mark.parametrize("bytes_", [4, 8, 16])
@pytest.mark.parametrize("instrument", ["none", "all"])
def test_a_copy_that_is_waited_for_brings_its_bytes_and_counts_at_its_line(
    compiled: Compiled, bytes_: int, instrument: str
) -> None:
    each = bytes_ // 4
    x, y = ints(64 * each), np.zeros(64 * each, np.int32)
    result = run(compiled, f"brought<{bytes_}>", 64, {"x": x, "y": y}, instrument=instrument)
    assert not result.faults
    assert np.array_equal(y.reshape(64, each), x.reshape(64, each)[::-1])
    if instrument == "all":
        source = {4: "%2;", 8: "%2;", 16: "16;"}[bytes_]
        line = line_of(FILE, f'[%0], [%1], {source}" ::"r"(shared_address(to)), "l"(from)')
        assert cost(result, line).sectors == 64 * bytes_ // 32
        assert cost(result, line).shared_wavefronts == 2 * each


@pytest.mark.parametrize("stages", [2, 4])
@pytest.mark.parametrize("schedule", ORDERS)
def test_a_pipeline_of_copies_is_right_in_every_order(compiled: Compiled, stages: int, schedule: str) -> None:
    x, y = ints(64 * 7), np.zeros(64, np.int32)
    result = run(compiled, f"pipeline<{stages}>", 64, {"x": x, "y": y}, 7, schedule=schedule)
    # Two stages bring the next tile into the one that others may still read; four do not.
    assert kinds(result) == ({"shared_race"} if stages == 2 and result.faults else set())
    if stages == 4:
        assert not result.faults
        assert np.array_equal(y, x.reshape(7, 64).sum(0)[::-1])


def test_a_read_before_the_wait_gives_the_old_bytes_and_is_named(compiled: Compiled) -> None:
    x, y = ints(32, 100), np.zeros(64, np.int32)
    fault = only(run(compiled, "too_early", 32, {"x": x, "y": y}))
    assert (fault.kind, fault.line) == ("uninitialised", line_of(FILE, "// before the wait"))
    assert "cp.async has not brought yet" in fault.message
    assert (y[:32] == -1).all() and np.array_equal(y[32:], x)


def test_a_wait_for_fewer_groups_leaves_the_last_under_way(compiled: Compiled) -> None:
    fault = only(run(compiled, "one_group_too_many", 32, {"x": ints(64), "y": np.zeros(32, np.int32)}))
    assert (fault.kind, fault.line) == ("uninitialised", line_of(FILE, "// the second is under way"))


@pytest.mark.parametrize(
    ("kernel", "mark"),
    [("without_barrier", "// another's"), ("barrier_before_the_wait", "// landed after the barrier")],
)
def test_what_a_thread_waited_for_is_there_for_others_only_after_a_barrier(
    compiled: Compiled, kernel: str, mark: str
) -> None:
    result = run(compiled, kernel, 64, {"x": ints(64), "y": np.zeros(64, np.int32)})
    assert "shared_race" in kinds(result)
    assert line_of(FILE, mark) in {fault.line for fault in result.faults}


@pytest.mark.parametrize("given", [0, 4, 10, 16])
@pytest.mark.parametrize("ignore", [0, 1])
def test_bytes_that_are_not_given_become_zero_and_are_not_read(compiled: Compiled, given: int, ignore: int) -> None:
    x, y = ints(4 if not ignore else max(1, -(-given // 4)), 0x01020304), np.zeros(8, np.int32)
    assert not run(compiled, "tail", 1, {"x": x, "y": y}, given, ignore).faults
    read = np.zeros(16, np.uint8)
    read[:given] = x.view(np.uint8)[:given]
    assert np.array_equal(y[:4].view(np.uint8), read)
    assert np.array_equal(y[4:], np.zeros(4) if ignore else x)


def test_a_copy_past_its_source_is_named_with_its_thread(compiled: Compiled) -> None:
    fault = only(run(compiled, "past_the_end", 32, {"x": ints(126), "y": np.zeros(128, np.int32)}))
    assert (fault.kind, fault.thread) == ("out_of_bounds", (31, 0, 0))


@pytest.mark.parametrize("schedule", ORDERS)
def test_copies_that_an_mbarrier_tells_of_are_there_after_its_phase(compiled: Compiled, schedule: str) -> None:
    x, y = ints(64 * 5), np.zeros(64, np.int32)
    assert not run(compiled, "told", 64, {"x": x, "y": y}, 5, schedule=schedule).faults
    assert np.array_equal(y, x.reshape(5, 64).sum(0)[::-1])


def test_a_read_before_the_mbarrier_was_asked_is_named(compiled: Compiled) -> None:
    fault = only(run(compiled, "told_too_early", 64, {"x": ints(64), "y": np.zeros(64, np.int32)}))
    assert (fault.kind, fault.line) == ("uninitialised", line_of(FILE, "// nobody waited"))


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_bulk_copy_is_there_once_its_bytes_are_counted(compiled: Compiled, schedule: str) -> None:
    x, y = ints(256), np.zeros(256, np.int32)
    assert not run(compiled, "in_bulk", 64, {"x": x, "y": y}, schedule=schedule).faults
    assert np.array_equal(y, x[::-1])


def test_a_bulk_copy_past_its_source_is_named(compiled: Compiled) -> None:
    result = run(compiled, "in_bulk", 64, {"x": ints(200), "y": np.zeros(256, np.int32)})
    assert "out_of_bounds" in kinds(result)


@pytest.mark.parametrize("schedule", ORDERS)
def test_consumers_see_what_producers_wrote_before_they_arrived(compiled: Compiled, schedule: str) -> None:
    y, log = np.zeros(32, np.int32), np.zeros(32, np.uint32)
    assert not run(compiled, "produced", 64, {"y": y, "log": log}, schedule=schedule).faults
    assert np.array_equal(y, (31 - np.arange(32)) ** 2)
    assert sorted(log) == list(range(1, 33))


def test_a_thread_that_drops_out_is_not_expected_any_more(compiled: Compiled) -> None:
    log = np.zeros(4, np.uint32)
    assert not run(compiled, "dropped", 1, {"log": log}).faults
    assert log.tolist() == [0, 1, 0, 1]


def test_an_arrival_too_many_is_named(compiled: Compiled) -> None:
    fault = only(run(compiled, "once_too_often", 1, {"log": np.zeros(1, np.uint32)}))
    assert (fault.kind, fault.line) == ("divergence", line_of(FILE, "// two of one"))


def test_a_wait_for_an_arrival_that_never_comes_ends(compiled: Compiled) -> None:
    fault = only(run(compiled, "never_told", 64, {"log": np.zeros(64, np.uint32)}, step_limit=1_000_000))
    assert (fault.kind, fault.line) == ("limit", line_of(FILE, "mbarrier.test_wait.shared.b64 p"))


def test_an_mbarrier_that_nobody_initialised_is_named(compiled: Compiled) -> None:
    result = run(compiled, "not_initialised", 32, {"log": np.zeros(32, np.uint32)})
    assert "uninitialised" in kinds(result)
