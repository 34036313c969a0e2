"""Operations of a warp against their definitions, in every partition of it; barriers; what CUDA leaves undefined."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from simulated import KERNELS, launch_of, line_of

from cudaperf_magic.bench.nvrtc import Compiled, build
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.bench.simulator.result import SimulatorResult
from cudaperf_magic.errors import Unsupported

FILE = "collectives.cu"
ORDERS = ("forward", "reverse", "shuffled")
POISON = 0x7FBADBAD  # what a lane gets from one that does not take part
Words = NDArray[np.uint32]
EXAMPLES = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

LANES = st.integers(0, 31)
# Three groups that diverge, and lanes that stay away.
groups = st.lists(st.sampled_from([0, 0, 1, 1, 2, 7]), min_size=32, max_size=32)
words = st.lists(st.integers(0, 2**32 - 1), min_size=32, max_size=32)
few = st.lists(st.integers(0, 3), min_size=32, max_size=32)
orders = st.sampled_from(ORDERS)


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    built = build((KERNELS / FILE).read_text())
    assert built.build.ok, built.build.log
    return built


def run(built: Compiled, kernel: str, block: int, arrays: dict[str, NDArray[Any]], **options: Any) -> SimulatorResult:
    return simulate(built, LaunchPlan((launch_of(kernel, 1, block, tuple(arrays)),)), arrays, **options)


def outcome(
    built: Compiled, kernel: str, inputs: dict[str, list[int]], rows: dict[str, int], order: str
) -> list[Words]:
    """The rows of 32 words that the kernel writes, one list entry an array."""
    arrays = {name: np.array(values, np.uint32) for name, values in inputs.items()}
    arrays |= {name: np.zeros(32 * count, np.uint32) for name, count in rows.items()}
    result = run(built, kernel, 32, arrays, schedule=order)
    assert not result.faults, result.faults
    return [arrays[name].reshape(-1, 32) for name in rows]


def partners(group: list[int], lane: int) -> list[int]:
    return [i for i in range(32) if group[i] == group[lane]]


def mask_of(lanes: list[int]) -> int:
    return sum(1 << lane for lane in lanes)


def active(group: list[int]) -> list[int]:
    return [lane for lane in range(32) if group[lane] < 3]


def shuffled(mode: str, lane: int, b: int, c: int, lanes: list[int], x: list[int]) -> tuple[int, int]:
    """The result and predicate of shfl.sync, after its description in the PTX ISA."""
    bval, cval, mask = b & 31, c & 31, c >> 8 & 31
    most = (lane & mask) | (cval & ~mask)
    least = lane & mask
    j, inside = {
        "up": (lane - bval, lane - bval >= most),
        "down": (lane + bval, lane + bval <= most),
        "bfly": (lane ^ bval, (lane ^ bval) <= most),
        "idx": (least | (bval & ~mask), (least | (bval & ~mask)) <= most),
    }[mode]
    source = j if inside else lane
    return (x[source] if source in lanes else POISON), int(inside)


@EXAMPLES
@given(group=groups, x=words, b=st.lists(LANES, min_size=32, max_size=32), c=words, order=orders)
def test_every_shuffle_of_every_width_is_as_described(
    compiled: Compiled, group: list[int], x: list[int], b: list[int], c: list[int], order: str
) -> None:
    y, p = outcome(compiled, "shuffles", {"group": group, "x": x, "b": b, "c": c}, {"y": 4, "p": 4}, order)
    for row, mode in enumerate(("up", "down", "bfly", "idx")):
        for lane in active(group):
            clamp = c[lane] & 0x1F00 if mode == "up" else c[lane]
            expected = shuffled(mode, lane, b[lane], clamp, partners(group, lane), x)
            assert (y[row, lane], p[row, lane]) == expected


@EXAMPLES
@given(group=groups, x=few, order=orders)
def test_votes_count_the_lanes_that_are_named(compiled: Compiled, group: list[int], x: list[int], order: str) -> None:
    (y,) = outcome(compiled, "votes", {"group": group, "x": x}, {"y": 2}, order)
    for lane in active(group):
        lanes = partners(group, lane)
        yes = [i for i in lanes if x[i]]
        assert y[0, lane] == mask_of(yes)
        assert y[1, lane] == bool(yes) + 2 * (yes == lanes) + 4 * (yes in ([], lanes))


@EXAMPLES
@given(group=groups, x=few, order=orders)
def test_a_match_names_the_lanes_of_equal_values(
    compiled: Compiled, group: list[int], x: list[int], order: str
) -> None:
    (y,) = outcome(compiled, "matches", {"group": group, "x": x}, {"y": 5}, order)
    for lane in active(group):
        lanes = partners(group, lane)
        alike = [i for i in lanes if x[i] == x[lane]]
        every = alike == lanes
        assert y[0, lane] == y[3, lane] == mask_of(alike)
        assert (y[1, lane], y[2, lane]) == (mask_of(lanes) if every else 0, every)
        assert y[4, lane] == (mask_of(lanes) + every if every else 0) & 0xFFFFFFFF


@EXAMPLES
@given(group=groups, x=words, order=orders)
def test_a_reduction_takes_the_lanes_that_are_named(
    compiled: Compiled, group: list[int], x: list[int], order: str
) -> None:
    (y,) = outcome(compiled, "reductions", {"group": group, "x": x}, {"y": 8}, order)
    for lane in active(group):
        values = [x[i] for i in partners(group, lane)]
        signed = [v - (v >> 31 << 32) for v in values]
        expected = [
            sum(values), min(values), max(values), min(signed), max(signed), reduce(int.__and__, values),
            reduce(int.__or__, values), reduce(int.__xor__, values),
        ]  # fmt: skip
        assert y[:, lane].tolist() == [v & 0xFFFFFFFF for v in expected]


@EXAMPLES
@given(group=groups, order=orders)
def test_one_lane_of_each_group_is_elected(compiled: Compiled, group: list[int], order: str) -> None:
    (y,) = outcome(compiled, "elected", {"group": group}, {"y": 2}, order)
    for lane in active(group):
        lanes = partners(group, lane)
        assert y[0, lane] in lanes and len({int(y[0, i]) for i in lanes}) == 1
        assert y[1, lane] == (lane == y[0, lane])


@pytest.mark.parametrize(
    ("kernel", "mark", "lane"), [("left_out", "// lane 0", 0), ("gone", "// lane 3 has left", None),
    ("elsewhere", "// the others never come", None), ("masks_differ", "// two masks", None)],
)  # fmt: skip
@pytest.mark.parametrize("order", ORDERS)
def test_what_cuda_leaves_undefined_is_an_error_with_its_line(
    compiled: Compiled, kernel: str, mark: str, lane: int | None, order: str
) -> None:
    fault = run(compiled, kernel, 32, {"y": np.zeros(32, np.uint32)}, schedule=order).faults[0]
    assert (fault.kind, fault.line) == ("divergence", line_of(FILE, mark))
    assert lane is None or fault.thread == (lane, 0, 0)


@pytest.mark.parametrize("order", ORDERS)
def test_halves_of_a_warp_may_shuffle_apart(compiled: Compiled, order: str) -> None:
    y = np.zeros(32, np.uint32)
    assert not run(compiled, "never_together", 32, {"y": y}, schedule=order).faults
    assert y.tolist() == [3] * 16 + [19] * 16


def test_a_value_from_a_lane_that_takes_no_part_is_poison(compiled: Compiled) -> None:
    y = np.zeros(32, np.uint32)
    run(compiled, "from_outside", 32, {"y": y})
    assert (y[:16] == POISON).all()


@pytest.mark.parametrize("order", ORDERS)
def test_counted_barriers_hold_their_own_threads_only(compiled: Compiled, order: str) -> None:
    y = np.zeros(128, np.uint32)
    assert not run(compiled, "counted", 128, {"y": y}, schedule=order).faults
    assert np.array_equal(y.reshape(2, 64), np.arange(128).reshape(2, 64)[:, ::-1])


@pytest.mark.parametrize("order", ORDERS)
def test_who_arrives_goes_on_and_who_syncs_waits_for_them(compiled: Compiled, order: str) -> None:
    y = np.zeros(64, np.uint32)
    assert not run(compiled, "handed_on", 128, {"y": y}, schedule=order).faults
    assert np.array_equal(y, 64 - np.arange(64))


@pytest.mark.parametrize("order", ORDERS)
def test_barriers_that_answer(compiled: Compiled, order: str) -> None:
    x, y = np.random.default_rng(0).integers(0, 16, 96).astype(np.uint32), np.zeros(384, np.uint32)
    x[5] &= ~np.uint32(2)
    assert not run(compiled, "answers", 96, {"x": x, "y": y}, schedule=order).faults
    for row, expected in enumerate(((x & 1).sum(), 0, 1, ((x & 8) > 0).sum())):
        assert (y[96 * row : 96 * row + 96] == expected).all()


def test_a_cluster_of_one_block_meets_and_reaches_itself(compiled: Compiled) -> None:
    y = np.zeros(64, np.uint32)
    assert not run(compiled, "of_a_cluster", 64, {"y": y}).faults
    assert np.array_equal(y, 163 - np.arange(64))


def test_a_cluster_of_two_blocks_is_refused_by_name(compiled: Compiled) -> None:
    with pytest.raises(Unsupported, match="clusters of more than one block"):
        run(compiled, "two_blocks", 32, {"y": np.zeros(32, np.uint32)})
    launch = launch_of("elected", 1, 32, ("group", "y"))
    clustered = type(launch)(**{**vars(launch), "cluster": (2, 1, 1), "line": 7})
    arrays = {"group": np.zeros(32, np.uint32), "y": np.zeros(64, np.uint32)}
    with pytest.raises(Unsupported, match=r"line 7: .*clusters of more than one block"):
        simulate(compiled, LaunchPlan((clustered,)), arrays)
