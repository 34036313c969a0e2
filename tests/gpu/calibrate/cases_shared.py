"""Cases about shared memory, barriers, atomics and branches: banks, reductions, scans, histograms, divergence."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Array, Arrays, CalibrationCase, floats, ints, zeros
from .lane_patterns import PATTERNS, indices

HASH = np.uint32(2654435761)


def _tile(width: int, value: Array) -> Array:
    """What `mixed` makes of an element that was `set` to a value."""
    parts = [value + np.uint32(k) for k in range(width)]
    return np.bitwise_xor.reduce(np.stack(parts), 0).astype(np.uint32)


def _mixed_sums(tile: Array) -> Array:
    """Each of 256 threads folds every 256th element."""
    out = np.zeros(256, np.uint32)
    for k in range(4):
        out = out * np.uint32(31) + tile[k * 256 : k * 256 + 256]
    return out


def _patterns() -> list[CalibrationCase]:
    found = []

    def case(kernel: str, name: str, at: Array, expected: Any) -> CalibrationCase:
        return CalibrationCase(
            f"{kernel} {name}", "lanes.cu", kernel, 8, 256, ("at", "out"),
            lambda: {"at": at.copy(), "out": zeros(2048, dtype=np.uint32)}, lambda a: {"out": expected()},
        )  # fmt: skip

    for c_type, width in (("unsigned", 1), ("uint2", 2), ("uint4", 4)):
        tile = _tile(width, np.arange(1024, dtype=np.uint32) * HASH)
        for name in PATTERNS:
            at = indices(name)

            def loaded(at: Array = at, tile: Array = tile) -> Array:
                return np.where(at >= 0, tile[np.where(at >= 0, at, 0)], 0).astype(np.uint32)

            def stored(at: Array = at, width: int = width) -> Array:
                rows = []
                for mine in at.reshape(8, 256):
                    values = np.full(1024, 7, np.uint32)
                    taken = mine[mine >= 0]
                    values[taken] = taken.astype(np.uint32) * HASH
                    rows.append(_mixed_sums(_tile(width, values)))
                return np.concatenate(rows)

            found.append(case(f"shared_load<{c_type}>", name, at, loaded))
            if width == 1 or name in ("linear", "same", "pairs", "halves", "stride 2", "stride 4", "random"):
                found.append(case(f"shared_store<{c_type}>", name, at, stored))
    for name in ("linear", "same", "pairs", "two words", "stride 2", "stride 32", "random", "every other lane"):
        at = indices(name)

        def added(at: Array = at) -> Array:
            counts = [np.bincount(mine[mine >= 0], minlength=1024) * 3 for mine in at.reshape(8, 256)]
            return np.concatenate([_mixed_sums(c.astype(np.uint32)) for c in counts])

        found.append(case("shared_atomic", name, at, added))
    for name in ("linear", "same", "pairs", "two words", "stride 2", "stride 32", "random", "every other lane"):
        at = indices(name)

        def added_long(at: Array = at) -> Array:
            counts = [np.bincount(mine[mine >= 0], minlength=1024) * 3 for mine in at.reshape(8, 256)]
            return np.concatenate([_mixed_sums(c.astype(np.uint32)) for c in counts])

        found.append(case("shared_atomic_long", name, at, added_long))
        for c_type, mask in (("unsigned char", 0xFF), ("unsigned short", 0xFFFF)):

            def narrow(at: Array = at, mask: int = mask) -> Array:
                return np.where(at >= 0, np.where(at >= 0, at, 0) * 167 & mask, 0).astype(np.uint32)

            found.append(case(f"shared_load_narrow<{c_type}>", name, at, narrow))
    return found


def _asynchronous() -> list[CalibrationCase]:
    """cp.async of 16 bytes, and ldmatrix of four matrices: rows of 16 bytes, from where the pattern says."""
    found = []
    straight = indices("linear").reshape(8, 256) + np.arange(256) // 32 * 32
    for name in ("linear", "pairs", "stride 2", "stride 8", "same", "random", "every other lane"):
        to_one_bank = (straight * 8 + straight // 128).reshape(-1) % 1024
        for ways, to in (("", straight.reshape(-1)), (" to a bank each 8", to_one_bank)):
            at = indices(name)

            def copied(a: Arrays, at: Array = at, to: Array = to) -> Arrays:
                rows = []
                for mine, target in zip(at.reshape(8, 256), to.reshape(8, 256), strict=True):
                    tile = _tile(4, np.full(1024, 5, np.uint32))
                    taken = mine >= 0
                    tile[target[taken]] = np.bitwise_xor.reduce(a["in"][mine[taken]], 1)
                    rows.append(_mixed_sums(tile))
                return {"out": np.concatenate(rows)}

            found.append(
                CalibrationCase(
                    f"copy_async {name}{ways}", "lanes.cu", "copy_async", 8, 256, ("at", "to", "in", "out"),
                    lambda at=at, to=to: {
                        "at": at.copy(), "to": to.astype(np.int32), "in": ints(1024, 4).astype(np.uint32),
                        "out": zeros(2048, dtype=np.uint32),
                    },
                    copied,
                )
            )  # fmt: skip
    for name in ("linear", "stride 2", "stride 4", "stride 8", "by octets", "random", "same", "quads"):
        found.append(
            CalibrationCase(
                f"load_matrix {name}", "lanes.cu", "load_matrix", 8, 256, ("at", "out"),
                lambda name=name: {"at": indices(name), "out": zeros(2048, dtype=np.uint32)},
                lambda a: {"out": _matrices(a["at"])},
            )
        )  # fmt: skip
    return found


def _matrices(at: Array) -> Array:
    """Lane l of ldmatrix.x4 gets word l % 4 of row l / 4 of each matrix; matrix m's rows are those of lanes 8 m on."""
    rows = np.arange(1024, dtype=np.uint32)[:, None] * HASH + np.arange(4, dtype=np.uint32)
    lane = np.arange(32)
    out = np.zeros((64, 32), np.uint32)
    for matrix, factor in enumerate((1, 3, 5, 7)):
        row = at.reshape(64, 32)[:, matrix * 8 + lane // 4]
        out ^= rows[row, lane % 4] * np.uint32(factor)
    return out.reshape(-1)


def _reductions() -> list[CalibrationCase]:
    n = 1 << 17

    def sums(a: Arrays) -> Arrays:
        return {"out": a["in"].reshape(-1, 256).sum(1)}

    def by_grid(a: Arrays) -> Arrays:
        return {"out": a["in"].reshape(-1, 64, 256).sum((0, 2))}

    def data(count: int) -> Any:
        return lambda: {"in": ints(n, low=-100, high=100), "out": zeros(count, dtype=np.int32)}

    found = [
        CalibrationCase(f"reduce {k}", "reductions.cu", k, n // 256, 256, ("in", "out"), data(n // 256), sums)
        for k in ("interleaved", "strided", "sequential", "by_redux")
    ]
    return [
        *found,
        CalibrationCase(
            "reduce by_shuffles", "reductions.cu", "by_shuffles", 64, 256, ("in", "out", n), data(64), by_grid
        ),
        CalibrationCase(
            "reduce by_atomics", "reductions.cu", "by_atomics", n // 256, 256, ("in", "out", n), data(1),
            lambda a: {"out": a["in"].sum(keepdims=True)},
        ),
    ]  # fmt: skip


def _scans() -> list[CalibrationCase]:
    rows = 128

    def data() -> Arrays:
        return {"in": ints(rows, 512), "out": zeros(rows, 512, dtype=np.int32)}

    def exclusive(a: Arrays) -> Arrays:
        return {"out": a["in"].cumsum(1) - a["in"]}

    return [
        CalibrationCase(
            "scan hillis_steele", "scans.cu", "hillis_steele", rows, 512, ("in", "out"), data,
            lambda a: {"out": a["in"].cumsum(1)},
        ),
        CalibrationCase("scan blelloch<0>", "scans.cu", "blelloch<0>", rows, 256, ("in", "out"), data, exclusive),
        CalibrationCase("scan blelloch<1>", "scans.cu", "blelloch<1>", rows, 256, ("in", "out"), data, exclusive),
    ]  # fmt: skip


def _histograms() -> list[CalibrationCase]:
    n = 1 << 17
    rng = np.random.default_rng(6)
    uniform = rng.integers(0, 256, n).astype(np.uint8)
    skewed = np.minimum(rng.geometric(0.2, n), 255).astype(np.uint8)
    return [
        CalibrationCase(
            f"histogram {kernel} {name}", "histograms.cu", kernel, grid, 256, ("in", "out", n),
            lambda data=data: {"in": data.copy(), "out": zeros(256, dtype=np.int32)},
            lambda a: {"out": np.bincount(a["in"], minlength=256).astype(np.int32)},
        )
        for kernel, grid in (("in_shared", 64), ("in_global", n // 256))
        for name, data in (("uniform", uniform), ("skewed", skewed))
    ]  # fmt: skip


def _atomics() -> list[CalibrationCase]:
    n = 1 << 16
    found = []
    kinds = {"int": np.int32, "float": np.float32, "double": np.float64, "unsigned long long": np.uint64}
    for c_type, dtype in kinds.items():
        where = (np.arange(n, dtype=np.uint32) * HASH % np.uint32(4096)).astype(np.int64)

        def spread(a: Arrays, where: Array = where) -> Arrays:
            return {"bins": np.bincount(where, minlength=4096).astype(a["bins"].dtype)}

        found.append(
            CalibrationCase(
                f"add_spread<{c_type}>", "atomics.cu", f"add_spread<{c_type}>", n // 256, 256, ("bins", n, 4096),
                lambda dtype=dtype: {"bins": zeros(4096, dtype=dtype)}, spread,
            )
        )  # fmt: skip
        found.append(
            CalibrationCase(
                f"add_one_place<{c_type}>", "atomics.cu", f"add_one_place<{c_type}>", n // 256, 256, ("sum", n),
                lambda dtype=dtype: {"sum": zeros(1, dtype=dtype)},
                lambda a: {"sum": np.array([n], a["sum"].dtype)},
            )
        )  # fmt: skip

    def kept(a: Arrays) -> Arrays:
        count = int((a["in"] % 8 == 0).sum())
        return {"count": np.array([count], np.int32), "kept": np.bincount(np.arange(count) % 1024, minlength=1024)}

    def at_one_place(a: Arrays) -> Arrays:
        v = a["in"].astype(np.int64)
        return {"sum": v.reshape(-1, 256).sum(1), "most": v.max(keepdims=True), "wide": v.sum(keepdims=True)}

    def shared_place(a: Arrays) -> Arrays:
        v = a["in"].reshape(-1, 256)
        return {"out": v.sum(1) + 256 + v.max(1)}

    def counted(a: Arrays) -> Arrays:
        count = (a["in"].reshape(-1, 256) % 3 == 0).sum(1)
        return {"out": count * (count - 1) // 2}

    return [
        *found,
        CalibrationCase(
            "sums_at_one_place", "atomics.cu", "sums_at_one_place", n // 256, 256, ("in", "sum", "most", "wide", n),
            lambda: {
                "in": ints(n), "sum": zeros(n // 256, dtype=np.int32), "most": zeros(1, dtype=np.int32),
                "wide": zeros(1, dtype=np.uint64),
            },
            at_one_place,
        ),
        CalibrationCase(
            "shared_at_one_place", "atomics.cu", "shared_at_one_place", n // 256, 256, ("in", "out"),
            lambda: {"in": ints(n), "out": zeros(n // 256, dtype=np.int32)}, shared_place,
        ),
        CalibrationCase(
            "counted_places", "atomics.cu", "counted_places", n // 256, 256, ("in", "out"),
            lambda: {"in": ints(n), "out": zeros(n // 256, dtype=np.int32)}, counted,
        ),
        CalibrationCase(
            "maximum_by_swap", "atomics.cu", "maximum_by_swap", n // 256, 256, ("in", "most", n),
            lambda: {"in": np.abs(floats(n)), "most": zeros(1024)},
            lambda a: {"most": a["in"].reshape(-1, 1024).max(0)},
        ),
        CalibrationCase(
            "add_in_shared<float>", "atomics.cu", "add_in_shared", n // 256, 256, ("in", "out", n),
            lambda: {"in": ints(n), "out": zeros(32)},
            lambda a: {"out": np.bincount(a["in"] & 31, minlength=32).astype(np.float32)},
        ),
        CalibrationCase(
            "slots", "atomics.cu", "slots", n // 256, 256, ("in", "count", "kept", n),
            lambda: {"in": ints(n), "count": zeros(1, dtype=np.int32), "kept": zeros(1024, dtype=np.int32)}, kept,
        ),
    ]  # fmt: skip


def _branches() -> list[CalibrationCase]:
    n = 1 << 15

    def data() -> Arrays:
        return {"in": ints(n, low=1, high=5000), "out": zeros(n, dtype=np.int32)}

    def one(kernel: str, expected: Any) -> CalibrationCase:
        return CalibrationCase(
            f"branch {kernel}", "divergence.cu", kernel, n // 128, 128, ("in", "out"), data,
            lambda a: {"out": expected(a["in"])},
        )  # fmt: skip

    rounds = 12
    return [
        one("two_ways", lambda v: _two_ways(v, np.arange(n) % 2 == 1)),
        one("by_whole_warps", lambda v: _two_ways(v, np.arange(n) // 32 % 2 == 1)),
        one("loop_of_lane", _loop_of_lane),
        one("collatz", _collatz),
        one("early_return", _early_return),
        one("cases", _cases),
        one("votes", _votes),
        CalibrationCase(
            "barriers_in_a_loop", "divergence.cu", "barriers_in_a_loop", n // 128, 128, ("in", "out", rounds), data,
            lambda a: {"out": _rolled(a["in"].reshape(-1, 128), rounds).reshape(-1)},
        ),
    ]  # fmt: skip


def _two_ways(v: Array, odd: Array) -> Array:
    a, b = v.copy(), v.copy()
    for _ in range(20):
        a = a * np.int32(1664525) + np.int32(1013904223)
        b = (b ^ (b << 13)) + (b >> 5)
    return np.where(odd, a, b)


def _loop_of_lane(v: Array) -> Array:
    v, lane = v.copy(), np.arange(v.size) % 32
    for k in range(31):
        v = np.where(k < lane, v * np.int32(1664525) + np.int32(k), v)
    return v


def _collatz(v: Array) -> Array:
    now, steps = v.astype(np.int64), np.zeros(v.size, np.int32)
    while (now != 1).any():
        steps += now != 1
        now = np.where(now == 1, 1, np.where(now % 2, 3 * now + 1, now // 2))
    return steps


def _early_return(v: Array) -> Array:
    now = v.copy()
    for _ in range(50):
        now = now * np.int32(1664525) + np.int32(1013904223) + (now >> 16)
    return np.where(v % 4 == 0, now, 0)


def _cases(v: Array) -> Array:
    steps = (
        (10, lambda x: x * 3 + 1), (12, lambda x: x ^ (x << 3)), (14, lambda x: x - (x >> 2)),
        (16, lambda x: x * x + 7), (18, lambda x: (x | 1) * 5), (20, lambda x: x + (x << 7)),
    )  # fmt: skip
    out = -v
    for which, (count, step) in enumerate(steps):
        now = v.copy()
        for _ in range(count):
            now = step(now)
        out = np.where(v & 7 == which, now, out)
    return out


def _votes(v: Array) -> Array:
    rows = v.reshape(-1, 32)
    odd = rows & 1
    total = odd.sum(1, keepdims=True) + 100 * (rows == 3).any(1, keepdims=True) + 1000
    before = np.cumsum(odd, 1) - odd
    alike = ((rows[:, :, None] & 6) == (rows[:, None, :] & 6)) & (odd[:, None, :] == 1)
    return (total + np.where(odd, before + alike.sum(2), 0)).astype(np.int32).reshape(-1)


def _rolled(rows: Array, rounds: int) -> Array:
    for _ in range(rounds):
        rows = rows + np.roll(rows, -1, 1)
    return rows


SHARED_CASES: tuple[CalibrationCase, ...] = tuple(
    _reductions() + _scans() + _histograms() + _atomics() + _branches() + _patterns() + _asynchronous()
)
