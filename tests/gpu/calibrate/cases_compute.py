"""Cases that compute: products, rows, sorting, sparse, local memory and spills, tensor cores, occupancy."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Array, Arrays, CalibrationCase, floats, ints, zeros


def _products() -> list[CalibrationCase]:
    def square(kernel: str, grid: int, block: int | tuple[int, int], n: int) -> CalibrationCase:
        return CalibrationCase(
            f"gemm {kernel}", "gemms.cu", kernel, (grid, grid), block, ("a", "b", "c", n),
            lambda: {"a": floats(n, n), "b": floats(n, n, seed=2), "c": zeros(n, n)},
            lambda a: {"c": a["a"].astype(np.float64) @ a["b"]}, tolerance=1e-3,
        )  # fmt: skip

    count, n = 2048, 128
    return [
        square("naive", 8, (16, 16), 128),
        square("tiled", 8, (16, 16), 128),
        square("in_registers", 4, 256, 256),
        CalibrationCase(
            "gemm small_batched", "gemms.cu", "small_batched", count // 8, 256, ("a", "b", "c", count),
            lambda: {"a": floats(count, 8, 8), "b": floats(count, 8, 8, seed=2), "c": zeros(count, 8, 8)},
            lambda a: {"c": a["a"].astype(np.float64) @ a["b"]}, tolerance=1e-3,
        ),
        CalibrationCase(
            "gemm tensor cores", "tensor.cu", "product", (n // 8, n // 16), 32, ("a", "b", "c", n),
            lambda: {
                "a": ints(n, n, low=-4, high=5).astype(np.float16), "b": ints(n, n, low=-4, high=5).astype(np.float16),
                "c": zeros(n, n),
            },
            lambda a: {"c": a["a"].astype(np.float32) @ a["b"].astype(np.float32)},
        ),
        CalibrationCase(
            "double_buffered", "async.cu", "double_buffered", 64, 128, ("in", "out", 16),
            lambda: {"in": ints(64, 16, 512, high=50).astype(np.float32), "out": zeros(64, 128)},
            lambda a: {"out": a["in"].reshape(64, 16 * 4, 128).sum(1)},
        ),
    ]  # fmt: skip


def _rows() -> list[CalibrationCase]:
    rows, n = 128, 1000

    def softmax(a: Arrays) -> Arrays:
        e = np.exp(a["in"].astype(np.float64) - a["in"].max(1, keepdims=True))
        return {"out": e / e.sum(1, keepdims=True)}

    def layer_norm(a: Arrays) -> Arrays:
        v = a["in"].astype(np.float64)
        return {"out": (v - v.mean(1, keepdims=True)) / np.sqrt(v.var(1, keepdims=True) + 1e-5) * a["gain"] + a["bias"]}

    return [
        CalibrationCase(
            "softmax", "rows.cu", "softmax", rows, 256, ("in", "out", n),
            lambda: {"in": floats(rows, n), "out": zeros(rows, n)}, softmax, tolerance=1e-3, is_exact=False,
            why="expf ends in ex2.approx, which may differ from the GPU's in the last bits",
        ),
        CalibrationCase(
            "layer_norm", "rows.cu", "layer_norm", rows, 256, ("in", "gain", "bias", "out", n),
            lambda: {
                "in": floats(rows, n), "gain": floats(n, seed=2), "bias": floats(n, seed=3), "out": zeros(rows, n),
            },
            layer_norm, tolerance=1e-3,
        ),
    ]  # fmt: skip


def _arithmetic() -> list[CalibrationCase]:
    n = 1 << 16

    def hashed(a: Arrays) -> Arrays:
        v = a["in"].copy()
        for _ in range(8):
            v ^= v >> np.uint32(16)
            v *= np.uint32(0x85EBCA6B)
            v ^= v >> np.uint32(13)
            v *= np.uint32(0xC2B2AE35)
            v ^= v >> np.uint32(16)
        return {"out": v}

    def doubles(a: Arrays) -> Arrays:
        v = a["in"].copy()
        for _ in range(16):
            v = np.sqrt(np.abs(v * v - 0.75)) + 1.0 / (v + 3.0)
        return {"out": v}

    points, centres = floats(n // 4, 4), floats(32, 4, seed=9)
    return [
        CalibrationCase(
            "hash", "arithmetic.cu", "hash", n // 256, 256, ("in", "out", n, 8),
            lambda: {"in": ints(n, high=2**31 - 1).astype(np.uint32), "out": zeros(n, dtype=np.uint32)}, hashed,
        ),
        CalibrationCase(
            "n_body", "arithmetic.cu", "n_body", 8, 128, ("at", "force", 1024),
            lambda: {"at": floats(1024, 4), "force": zeros(1024, 4)}, _n_body, tolerance=1e-2,
        ),
        CalibrationCase(
            "mandelbrot", "arithmetic.cu", "mandelbrot", (8, 32), (32, 8), ("out", 256, 256, 100),
            lambda: {"out": zeros(256, 256, dtype=np.int32)}, lambda a: {},
            why="which points leave depends on contraction into fma; the GPU itself is the reference",
        ),
        CalibrationCase(
            "mixed_precision", "arithmetic.cu", "mixed_precision", n // 1024, 256, ("in", "out", n // 4),
            lambda: {"in": np.abs(floats(n // 4)).astype(np.float64), "out": zeros(n // 4, dtype=np.float64)}, doubles,
            tolerance=1e-6,
        ),
        CalibrationCase(
            "bitonic_sort", "arithmetic.cu", "bitonic_sort", 64, 256, ("keys",),
            lambda: {"keys": ints(64, 512, high=100000)}, lambda a: {"keys": np.sort(a["keys"], 1)},
        ),
        CalibrationCase(
            "nearest_centre", "arithmetic.cu", "nearest_centre", n // 1024, 256,
            ("points", "centres", "out", n // 4, 32),
            lambda: {"points": points.copy(), "centres": centres.copy(), "out": zeros(n // 4, dtype=np.int32)},
            lambda a: {"out": ((a["points"][:, None] - a["centres"]) ** 2).sum(2).argmin(1).astype(np.int32)},
        ),
    ]  # fmt: skip


def _n_body(a: Arrays) -> Arrays:
    at = a["at"].astype(np.float64)
    way = at[None, :, :3] - at[:, None, :3]
    square = (way**2).sum(2) + 0.01
    force = np.zeros_like(a["at"])
    force[:, :3] = (way * (at[None, :, 3] / (square * np.sqrt(square)))[:, :, None]).sum(1)
    return {"force": force}


def _sparse() -> list[CalibrationCase]:
    rows = 4096
    rng = np.random.default_rng(8)
    lengths = np.minimum(rng.geometric(0.05, rows), 200)
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    column = rng.integers(0, rows, start[-1]).astype(np.int32)

    def data() -> Arrays:
        return {
            "start": start.copy(), "column": column.copy(), "value": floats(int(start[-1])), "x": floats(rows, seed=2),
            "y": zeros(rows),
        }  # fmt: skip

    def product(a: Arrays) -> Arrays:
        return {"y": np.add.reduceat(a["value"].astype(np.float64) * a["x"][a["column"]], a["start"][:-1])}

    arguments = ("start", "column", "value", "x", "y", rows)
    return [
        CalibrationCase(
            f"sparse {kernel}", "sparse.cu", kernel, rows * lanes // 256, 256, arguments, data, product, tolerance=1e-2
        )
        for kernel, lanes in (("row_a_thread", 1), ("row_a_warp", 32))
    ]


def _registers() -> list[CalibrationCase]:
    n = 1 << 14

    def local(a: Arrays) -> Arrays:
        seen = np.tile(np.arange(16, dtype=np.int32), (n, 1))
        v = a["in"].astype(np.uint32)
        for k in range(40):
            v = v * np.uint32(1664525) + np.uint32(1013904223)
            seen[np.arange(n), v >> np.uint32(28)] += k
        return {"out": _folded(seen)}

    def together(a: Arrays) -> Arrays:
        seen = np.tile(np.arange(16, dtype=np.int32), (n, 1))
        for k in range(40):
            seen[:, a["order"][k] & 15] += a["in"] ^ k
        return {"out": _folded(seen)}

    def vectors(a: Arrays) -> Arrays:
        seen = np.arange(8, dtype=np.int32)[:, None] + np.arange(4, dtype=np.int32)
        seen, each, v = np.tile(seen, (n, 1, 1)), np.arange(n), a["in"].astype(np.uint32)
        for k in range(20):
            v = v * np.uint32(1664525) + np.uint32(1013904223)
            at = v >> np.uint32(29)
            x, y, z, w = seen[each, at].T
            seen[each, at] = np.stack([y, z + np.int32(k), w, x ^ np.int32(k)], 1)
        return {"out": _folded(seen @ np.array([1, 3, 5, 7], np.int32))}

    def spilled(a: Arrays) -> Arrays:
        v = [a["in"][(np.arange(n) + k) % n] for k in range(64)]
        return {"out": _mixed(v, 4, np.float32(0.5), 7, 64)}

    def data() -> Arrays:
        return {"in": ints(n), "out": zeros(n, dtype=np.int32), "order": ints(40, seed=3)}

    def line() -> Arrays:
        return {"in": floats(n), "out": zeros(n)}

    weights = np.where(np.arange(64) < 32, np.arange(1, 65), 0).astype(np.float32)
    return [
        CalibrationCase("local_array", "registers.cu", "local_array", n // 256, 256, ("in", "out", 40), data, local),
        CalibrationCase(
            "local_array_together", "registers.cu", "local_array_together", n // 256, 256, ("in", "order", "out", 40),
            data, together,
        ),
        CalibrationCase(
            "local_vectors", "registers.cu", "local_vectors", n // 256, 256, ("in", "out", 20), data, vectors
        ),
        CalibrationCase(
            "spilled", "registers.cu", "spilled", n // 1024, 1024, ("in", "out", n), line, spilled, tolerance=1e-3
        ),
        CalibrationCase(
            "polynomial", "registers.cu", "polynomial", n // 256, 256, ("in", "out", n, 20),
            lambda: {"in": floats(n) / 4, "out": zeros(n)}, lambda a: {"out": np.polyval(weights[:20], a["in"])},
            tolerance=1e-3,
        ),
        CalibrationCase(
            "constant_by_lane", "registers.cu", "constant_by_lane", n // 256, 256, ("in", "out", n), line,
            lambda a: {"out": a["in"] * np.tile(weights[:32], n // 32)},
        ),
    ]  # fmt: skip


def _folded(seen: Array) -> Array:
    out = np.zeros(len(seen), np.int32)
    for k in range(seen.shape[1]):
        out = out * np.int32(31) + seen[:, k]
    return out


def _mixed(v: list[Array], rounds: int, factor: Any, step: int, count: int) -> Array:
    """In place, one after the other, as the kernels do."""
    for _ in range(rounds):
        for k in range(count):
            v[k] = v[k] * factor + v[(k + step) % count]
    return np.sum(np.stack(v).astype(np.float64), 0)


def _occupancy() -> list[CalibrationCase]:
    """Every limiter, in several shapes: registers, shared memory, block size, number of blocks."""
    found = []
    for block in (32, 96, 128, 256, 384, 512):
        n = block * 264
        found.append(
            CalibrationCase(
                f"many_registers x{block}", "registers.cu", "many_registers", 264, block, ("in", "out", 6),
                lambda n=n: {"in": floats(n), "out": zeros(n)},
                lambda a: {"out": _mixed([a["in"] + np.float32(k) for k in range(48)], 6, np.float32(0.75), 1, 48)},
                tolerance=1e-3,
            )
        )  # fmt: skip
    shapes = (
        (32, 1024), (64, 40000), (128, 3000), (192, 16384), (256, 100000), (512, 60000), (768, 8192), (1024, 8192),
        (32, 232448),
    )  # fmt: skip
    for block, shared in shapes:
        n = block * 264
        found.append(
            CalibrationCase(
                f"dynamic_shared x{block}, {shared} bytes", "registers.cu", "dynamic_shared", 264, block, ("in", "out"),
                lambda n=n: {"in": ints(n), "out": zeros(n, dtype=np.int32)},
                lambda a, block=block: {"out": a["in"].reshape(-1, block)[:, ::-1].reshape(-1)}, shared_bytes=shared,
            )
        )  # fmt: skip
    return found


COMPUTE_CASES: tuple[CalibrationCase, ...] = tuple(
    _products() + _rows() + _arithmetic() + _sparse() + _registers() + _occupancy()
)
