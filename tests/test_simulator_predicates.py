"""Predicates, selections, tests, moves and special registers of PTX, written by hand in inline assembly."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from simulated import run

M = 0xFFFFFFFF
N = 256


def evaluate(file: str, kernel: str, columns: list[np.ndarray], count: int) -> list[list[int]]:
    """Each thread's results, one row a thread."""
    n = len(columns[0])
    out = np.zeros((count, n), np.uint32)
    arrays = dict(zip("xyz", columns, strict=True)) | {"out": out}
    assert not run(f"coverage/{file}", kernel, -(-n // 128), 128, ("x", "y", "z", "out", n), arrays).faults
    return out.T.tolist()


def words(seed: int) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    columns = [random.integers(-(2**31), 2**31, N).astype(np.int32) for _ in range(3)]
    columns[1][:64] = columns[0][:64]
    columns[2][::5] = 0
    return columns


def both(holds: bool, combine: Callable[[bool], bool] = bool) -> int:
    """What a setp with two results leaves: the first in bit 0, the second in bit 1."""
    return int(combine(holds)) | int(combine(not holds)) << 1


def test_predicates_are_combined_as_setp_says() -> None:
    columns = words(1)
    rows = evaluate("predicates.cu", "predicates", columns, 13)
    for x, y, z, row in zip(*(c.tolist() for c in columns), rows, strict=True):
        r = z > 0
        u, v = x & M, y & M
        expected = [
            both(x < y), both(u < v), both(u >= v), both(x == y), both(x <= y, lambda t, r=r: t and r),
            both(u > v, lambda t, r=r: t or r), both(x != y, lambda t, r=r: t != r),
            both(x >= y, lambda t, r=r: t and not r),
            int((x & y & z) != 0 or r) | (x & y & z & M) << 1,
            5 if not ((x > 0 and y > 0) or ((x > 0) != (not y > 0))) else 9, x if z >= 0 else y,
            x + 7 if x < y else y - 7, M if x < y and r else 0,
        ]  # fmt: skip
        assert row == [value & M for value in expected], (x, y, z)


def test_floats_are_told_apart_and_chosen() -> None:
    special = [0.0, -0.0, 1.0, -3.5, math.inf, -math.inf, math.nan, 1e-40, -1e-44, 1.1754944e-38, 3e38]
    columns = [
        np.array(c, np.float32)
        for c in zip(*[(a, b, c) for a in special for b in special for c in special], strict=True)
    ]
    rows = evaluate("predicates.cu", "tests", columns, 16)
    bits = [c.view(np.uint32).tolist() for c in columns]
    for i, row in enumerate(rows):
        x, y, z = (float(c[i]) for c in columns)
        is_number, is_finite = not math.isnan(x), math.isfinite(x)
        normal = is_finite and abs(x) >= 2.0**-126
        told = [is_finite, math.isinf(x), is_number, not is_number, normal, is_finite and x != 0 and not normal]
        as_double = [*told[:4], is_finite and x != 0, False]
        chosen = x if not x <= 1.0 else -1.0
        total = np.float32(1.5) + columns[0][i]
        assert row[:12] == [int(v) for v in (*told, *as_double)], x
        assert row[12:14] == [bits[0][i] if z >= 0 else bits[1][i], bits[0][i] if x < y else bits[1][i]], (x, y, z)
        if not math.isnan(x):
            assert row[14] == int(np.array(chosen).view(np.uint64) >> np.uint64(32)), x
            assert row[15] == int(total.view(np.uint32))


def test_moves_pack_and_unpack_and_scopes_hide_names() -> None:
    columns = [c.view(np.uint32) for c in words(2)]
    rows = evaluate("predicates.cu", "moves", columns, 12)
    for x, y, z, row in zip(*(c.tolist() for c in columns), rows, strict=True):
        expected = [
            x >> 16 | x << 16, y >> 16 | x << 16, y, (x & 255) << 8 | x >> 8 & 255, (5 ^ x) + (y + 2) + (x + 1),
            11 if x > y else 12, 23 if y > z else 24, (~x & 0xFF00FF00) | 0o17, x ^ 0x80000000, x, x, 32,
        ]  # fmt: skip
        assert row == [value & M for value in expected], (hex(x), hex(y), hex(z))


def test_registers_of_128_bits_keep_every_bit() -> None:
    given = np.random.default_rng(4).integers(0, 2**64, (N, 2), np.uint64)
    out = np.zeros_like(given)
    assert not run("coverage/predicates.cu", "wide_moves", 2, 128, ("x", "out", N), {"x": given, "out": out}).faults
    assert np.array_equal(out, given[:, ::-1])


GRID, BLOCK, DYNAMIC = (3, 2, 2), (8, 4, 3), 300


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_special_registers_tell_each_thread_where_it_is(arch: str) -> None:
    block, blocks = math.prod(BLOCK), math.prod(GRID)
    n = block * blocks
    out = np.zeros((31, n), np.uint32)
    given = ("out", n)
    result = run(
        "coverage/registers.cu",
        "registers",
        GRID,
        BLOCK,
        given,
        {"out": out},
        shared=DYNAMIC,
        arch=arch,
        check_global_races=False,
    )
    assert {fault.kind for fault in result.faults} <= {
        "shared_race"
    }  # all threads write the few words of shared memory
    for i, row in enumerate(out.T.tolist()):
        at, thread = divmod(i, block)
        place = [at % 3, at // 3 % 2, at // 6]
        inside = [thread % 8, thread // 8 % 4, thread // 32]
        lane = thread % 32
        below = (1 << lane) - 1
        assert row[:12] == [*inside, *BLOCK, *place, *GRID]
        assert row[12:19] == [
            lane,
            thread // 32,
            1 << lane,
            below,
            below | 1 << lane,
            ~(below | 1 << lane) & M,
            ~below & M,
        ]
        assert row[19:21] == [DYNAMIC, 384]  # 12 and 300 bytes, in units of 128
        assert row[21] < row[22] and thread // 32 < row[23]
        clock, clock_high, clock64, timer, timer_low, timer_high, grid = row[24:]
        assert clock < clock64 < timer < timer_low and clock_high == timer_high == grid == 0


def test_a_launch_without_clusters_is_made_of_clusters_of_one_block() -> None:
    out = np.zeros((7, 32), np.uint32)
    assert not run("coverage/registers.cu", "clusters", 5, 32, ("out", 32), {"out": out}).faults
    assert out[:, 0].tolist() == [0, 1, 0, 1, 0, 5, 0]


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
@pytest.mark.parametrize("instrument", ["none", "all"])
def test_a_nan_of_arithmetic_has_the_bits_of_a_gpu_and_a_loaded_one_its_own(arch: str, instrument: str) -> None:
    given = np.array([0x7FC00001, 0xFFC12345, 0xFF800000, 0x7F800000], np.uint32)
    out, wide = np.zeros((9, 4), np.uint32), np.zeros(4)
    arrays = {"x": given, "out": out, "wide": wide}
    options = {"arch": arch, "instrument": instrument}
    assert not run("coverage/nans.cu", "nans", 1, 4, ("x", "out", "wide", 4), arrays, **options).faults
    nan = 0x7FFFFFFF
    doubled = [nan, nan, 0xFF800000, 0x7F800000]
    chosen = [given[0], nan, given[2], nan]
    assert out.tolist() == [given.tolist(), [nan] * 4, doubled, *[[nan] * 4] * 3, chosen, [nan] * 4, [0] * 4]
    assert not np.signbit(wide).any() and np.isnan(wide).all()
