"""CUDA's device libraries run right and unaccused: cub, cooperative_groups, cuda::std and what cuda:: adds for threads.

Each file of kernels is one build, since the headers take seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from simulated import KERNELS, launch_of

from cudaperf_magic.bench.nvrtc import Compiled, build
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.simulator.launch import simulate

pytestmark = pytest.mark.slow
Arrays = dict[str, NDArray[Any]]
ORDERS = ("forward", "reverse", "shuffled")

REDUCTIONS = [f"reduce<cub::BLOCK_REDUCE_{a}>" for a in ("RAKING", "RAKING_COMMUTATIVE_ONLY", "WARP_REDUCTIONS")]
SCANS = [f"scan<cub::BLOCK_SCAN_{a}>" for a in ("RAKING", "RAKING_MEMOIZE", "WARP_SCANS")]
MOVES = [
    f"load_and_store<cub::BLOCK_LOAD_{a}, cub::BLOCK_STORE_{a}>"
    for a in ("DIRECT", "STRIPED", "VECTORIZE", "TRANSPOSE", "WARP_TRANSPOSE", "WARP_TRANSPOSE_TIMESLICED")
]
HISTOGRAMS = [f"histogram<cub::BLOCK_HISTO_{a}>" for a in ("SORT", "ATOMIC")]
WIDTHS = (4, 16, 32)
TILES = (1, 2, 4, 8, 16, 32)
NAMES = {
    "block_algorithms.cu": (*REDUCTIONS, *SCANS, *MOVES, *HISTOGRAMS, *(f"warp_algorithms<{w}>" for w in WIDTHS)),
    "groups.cu": tuple(f"tiles<{n}>" for n in TILES),
    "standard_library.cu": (),
}
_BUILT: dict[str, Compiled] = {}


def built(file: str) -> Compiled:
    if file not in _BUILT:
        _BUILT[file] = build((KERNELS / file).read_text(), names=NAMES[file])
        assert _BUILT[file].build.ok, _BUILT[file].build.log
    return _BUILT[file]


def right(
    file: str, kernel: str, arrays: Arrays, *more: int, grid: int = 1, block: int = 128, schedule: Any = "forward"
) -> None:
    """Runs the kernel on one block (or a few), and expects that nothing is reported."""
    launch = launch_of(kernel, grid, block, (*arrays, *more))
    result = simulate(built(file), LaunchPlan((launch,)), arrays, schedule=schedule)
    assert not result.faults, result.faults
    assert result.is_complete


def ints(*shape: int, low: int = -100, high: int = 100, seed: int = 0) -> NDArray[np.int32]:
    return np.random.default_rng(seed).integers(low, high, shape, np.int32)


def none(*shape: int) -> NDArray[np.int32]:
    return np.full(shape, -7, np.int32)


# ---- cub ----

CUB = "block_algorithms.cu"


@pytest.mark.parametrize("kernel", REDUCTIONS)
def test_a_block_reduces_all_or_some_of_its_items(kernel: str) -> None:
    x, y = ints(128), none(3)
    right(CUB, kernel, {"x": x, "y": y}, 50)
    assert y.tolist() == [x.sum(), x.max(), x[:50].sum()]


@pytest.mark.parametrize("kernel", SCANS)
def test_a_block_scans_its_items(kernel: str) -> None:
    x, y, z, total = ints(512), none(512), none(512), none(1)
    right(CUB, kernel, {"x": x, "y": y, "z": z, "total": total})
    assert np.array_equal(y, np.cumsum(x) - x)
    assert np.array_equal(z, np.maximum.accumulate(x))
    assert total[0] == x.sum()


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_block_sorts_by_digits_and_keeps_equal_keys_in_order(schedule: str) -> None:
    x = np.random.default_rng(0).integers(0, 200, 512).astype(np.uint32) * np.uint32(20_000_003)
    y, positions = np.zeros(512, np.uint32), none(512)
    right(CUB, "radix_sort", {"x": x, "y": y, "positions": positions}, schedule=schedule)
    assert np.array_equal(positions, np.argsort(x, kind="stable"))
    assert np.array_equal(y, np.sort(x))


def test_a_block_sorts_by_merging() -> None:
    x, y = np.random.default_rng(1).standard_normal(512, np.float32), np.zeros(512, np.float32)
    right(CUB, "merge_sort", {"x": x, "y": y})
    assert np.array_equal(y, np.sort(x))


@pytest.mark.parametrize("kernel", MOVES)
@pytest.mark.parametrize("count", [512, 301])
def test_every_way_to_load_and_store_moves_the_same_items(kernel: str, count: int) -> None:
    x, y = ints(512, low=0), none(512)
    right(CUB, kernel, {"x": x[:count].copy(), "y": y}, count)
    t = np.arange(512)
    turn = t // 128 if "STRIPED" in kernel else t % 4
    assert np.array_equal(y[:count], (x * 10 + turn)[:count])
    assert (y[count:] == -7).all()


@pytest.mark.parametrize("kernel", HISTOGRAMS)
def test_a_block_counts_its_bytes(kernel: str) -> None:
    x, counts = np.random.default_rng(2).integers(0, 64, 512).astype(np.uint8), none(64)
    right(CUB, kernel, {"x": x, "counts": counts})
    assert np.array_equal(counts, np.bincount(x, minlength=64))


def test_neighbours_differences_heads_and_exchanges() -> None:
    x = ints(512, low=0, high=3)
    arrays = {"x": x, "differences": none(512), "heads": none(512), "turned": none(512), "shifted": none(128)}
    right(CUB, "neighbours", arrays)
    assert np.array_equal(arrays["differences"][1:], np.diff(x))
    assert np.array_equal(arrays["heads"], np.concatenate([[1], np.diff(x) != 0]))
    assert np.array_equal(arrays["turned"], x)
    assert np.array_equal(arrays["shifted"][:127], x[::4][1:])


@pytest.mark.parametrize("width", WIDTHS)
def test_parts_of_a_warp_reduce_scan_and_sort(width: int) -> None:
    x = ints(128)
    arrays = {"x": x, "sums": none(128 // width), "scanned": none(128), "sorted": none(128)}
    right(CUB, f"warp_algorithms<{width}>", arrays)
    parts = x.reshape(-1, width)
    assert np.array_equal(arrays["sums"], parts.sum(1))
    assert np.array_equal(arrays["scanned"].reshape(parts.shape), np.cumsum(parts, 1) - parts)
    assert np.array_equal(arrays["sorted"].reshape(parts.shape), np.sort(parts, 1))


# ---- cooperative_groups ----

GROUPS = "groups.cu"


@pytest.mark.parametrize("size", TILES)
@pytest.mark.parametrize("schedule", ORDERS)
def test_tiles_of_every_size_reduce_scan_and_vote(size: int, schedule: str) -> None:
    x = ints(64, low=0, high=50)
    arrays = {"x": x, "sums": none(64), "scans": none(64), "ranks": none(64)}
    right(GROUPS, f"tiles<{size}>", arrays, block=64, schedule=schedule)
    tiles = x.reshape(-1, size)
    t = np.arange(64).reshape(tiles.shape)
    assert np.array_equal(arrays["sums"].reshape(tiles.shape), np.repeat(tiles.sum(1, keepdims=True), size, 1))
    assert np.array_equal(arrays["scans"].reshape(tiles.shape), np.cumsum(tiles, 1))
    votes = (tiles == 3).any(1, keepdims=True) * 100_000 + tiles[:, -1:] * 1_000_000
    assert np.array_equal(arrays["ranks"].reshape(tiles.shape), t % size + 1000 * (t // size) + votes)


def test_threads_that_took_the_same_branch_are_a_group() -> None:
    x = ints(64, low=0)
    arrays = {"x": x, "sums": none(64), "ranks": none(64)}
    right(GROUPS, "coalesced", arrays, block=64)
    for warp in (slice(0, 32), slice(32, 64)):
        chosen = x[warp] % 3 == 0
        group = x[warp][chosen]
        assert (arrays["sums"][warp][chosen] == group.sum()).all()
        assert np.array_equal(
            arrays["ranks"][warp][chosen], np.arange(len(group)) * 100 + len(group) + 10_000 * group[0]
        )


def test_groups_by_label_and_by_choice() -> None:
    x = ints(32, low=0, high=40)
    arrays = {"x": x, "by_label": none(32), "by_choice": none(32)}
    right(GROUPS, "partitions", arrays, block=32)
    assert np.array_equal(arrays["by_label"], [x[x % 5 == v % 5].sum() for v in x])
    assert np.array_equal(arrays["by_choice"], [x[(x > 10) == (v > 10)].max() for v in x])


def test_every_operator_of_a_reduction() -> None:
    x = np.random.default_rng(5).integers(0, 2**20, 32).astype(np.uint32)
    y, f = np.zeros(160, np.uint32), np.zeros(32, np.float32)
    right(GROUPS, "operators", {"x": x, "y": y, "f": f}, block=32)
    for row, expected in enumerate((np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.minimum)):
        assert (y[32 * row : 32 * row + 32] == expected.reduce(x)).all()
    assert np.array_equal(y[128:], np.cumsum(x) - x)
    assert np.allclose(f, x.sum())


@pytest.mark.parametrize(("kernel", "block", "part"), [("copied", 256, 256), ("copied_by_warp", 128, 32)])
def test_a_group_copies_together_and_waits(kernel: str, block: int, part: int) -> None:
    x, y = ints(block), none(block)
    right(GROUPS, kernel, {"x": x, "y": y}, block=block)
    assert np.array_equal(y.reshape(-1, part), x.reshape(-1, part)[:, ::-1])


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_barrier_in_two_halves(schedule: str) -> None:
    x, y = ints(128), none(128)
    right(GROUPS, "split_barrier", {"x": x, "y": y}, schedule=schedule)
    assert np.array_equal(y, 2 * x + x[::-1])


@pytest.mark.parametrize("schedule", ORDERS)
def test_the_blocks_of_a_cooperative_launch_meet(schedule: str) -> None:
    x, y = ints(96), none(96)
    expected = np.roll(x, -3) + 3
    launch = launch_of("whole_grid", 3, 32, ("x", "y", 3))
    cooperative = type(launch)(**{**vars(launch), "is_cooperative": True})
    result = simulate(built(GROUPS), LaunchPlan((cooperative,)), {"x": x, "y": y}, schedule=schedule)
    assert not result.faults, result.faults
    assert np.array_equal(x, expected)


# ---- cuda::std and cuda:: ----

STANDARD = "standard_library.cu"


def test_the_vocabulary_of_the_standard_library() -> None:
    x, y = np.random.default_rng(6).standard_normal(32).astype(np.float32), np.zeros(192, np.float32)
    right(STANDARD, "vocabulary", {"x": x, "y": y}, 32, block=32)
    t = np.arange(32)
    assert np.array_equal(y[:32], np.where(t % 2, x, np.float32(-1)))
    product = (x + 1j) * (2 - 1j)
    assert np.allclose(y[32:64], product.real) and np.allclose(y[64:96], product.imag)
    bits = [int(v).bit_count() + (1 << int(v).bit_length()) + 32 - int(v).bit_length() for v in t]
    assert np.array_equal(y[96:128], 10 + np.array(bits))
    assert np.array_equal(y[128:160], x.reshape(4, 8)[t % 4, t // 4])
    assert np.array_equal(y[160:], np.gcd(t, 12) + 1)


@pytest.mark.parametrize("schedule", ORDERS)
def test_atomic_references_of_every_scope(schedule: str) -> None:
    counts, sums, wide, log = np.zeros(5, np.int32), np.zeros(4, np.float32), np.zeros(3, np.uint64), none(128)
    arrays = {"counts": counts, "sums": sums, "wide": wide, "log": log}
    right(STANDARD, "atomics", arrays, grid=2, block=64, schedule=schedule)
    assert counts.tolist() == [32, 32, 32, 32, 256]
    assert sums.tolist() == [48.0] * 4
    assert wide.tolist() == [0, 127, 7]
    assert (log == 1).all()


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_value_handed_over_with_release_and_acquire_is_no_race(schedule: str) -> None:
    arrays = {"value": none(64), "flag": np.zeros(1, np.int32), "y": none(64)}
    right(STANDARD, "handed_over", arrays, grid=2, block=64, schedule=schedule)
    assert np.array_equal(arrays["y"], 3 * np.arange(64))


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_barrier_in_shared_memory_counts_its_threads(schedule: str) -> None:
    x, y = ints(128), none(128)
    right(STANDARD, "barrier", {"x": x, "y": y}, 3, schedule=schedule)
    v = x.copy()
    for _ in range(3):
        v = (v + np.roll(v, -1)) * 2
    assert np.array_equal(y, v)


@pytest.mark.parametrize("schedule", ORDERS)
def test_copies_told_by_a_barrier_arrive(schedule: str) -> None:
    x, y = ints(512), none(512)
    right(STANDARD, "copied_to_a_barrier", {"x": x, "y": y}, schedule=schedule)
    assert np.array_equal(y, x[::-1])


@pytest.mark.parametrize("kernel", ["pipelined", "shared_pipeline"])
@pytest.mark.parametrize("schedule", ORDERS)
def test_pipelines_of_a_thread_and_of_a_block(kernel: str, schedule: str) -> None:
    x, y = ints(128 * 5), none(128)
    right(STANDARD, kernel, {"x": x, "y": y}, 5, schedule=schedule)
    assert np.array_equal(y, x.reshape(5, 128).sum(0)[::-1])


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_latch_and_a_semaphore(schedule: str) -> None:
    y = none(64)
    right(STANDARD, "latch_and_semaphore", {"y": y}, block=64, schedule=schedule)
    assert (y == 64).all()
