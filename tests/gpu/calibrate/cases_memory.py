"""Cases about global memory: sectors and requests by stride, offset, element and layout; caches and DRAM; atomics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .case import Array, Arrays, CalibrationCase, floats, ints, zeros
from .lane_patterns import PATTERNS, indices

N = 1 << 19
SIDE = 512


def _blocks(n: int, block: int = 256) -> int:
    return -(-n // block)


def _copies() -> list[CalibrationCase]:
    found = []
    kinds: tuple[tuple[str, Any, int], ...] = (
        ("char", np.int8, 1), ("__half2", np.float16, 2), ("float", np.float32, 1), ("float2", np.float32, 2),
        ("double", np.float64, 1), ("float4", np.float32, 4),
    )  # fmt: skip
    for c_type, dtype, width in kinds:
        n = N // width

        def arrays(dtype: Any = dtype, n: int = n, width: int = width) -> Arrays:
            return {"in": ints(n * width, high=100).astype(dtype), "out": zeros(n * width, dtype=dtype)}

        found.append(
            CalibrationCase(
                f"copy<{c_type}>", "copies.cu", f"copy<{c_type}>", _blocks(n), 256, ("in", "out", n), arrays,
                lambda a: {"out": a["in"]},
            )
        )  # fmt: skip
    return found


def _by_index(
    name: str, kernel: str, n: int, more: tuple[int, ...], room: int, take: Callable[[Arrays], Array], **options: Any
) -> CalibrationCase:
    """A kernel (in, out, n, ...) with one thread an element."""
    return CalibrationCase(
        name, "copies.cu", kernel, _blocks(n), 256, ("in", "out", n, *more),
        lambda: {"in": floats(room), "out": zeros(n)}, lambda a: {"out": take(a)}, **options,
    )  # fmt: skip


def _strides() -> list[CalibrationCase]:
    n = N // 8
    found = [
        _by_index(f"read_stride {k}", "read_stride", n, (k,), n * k, lambda a, k=k: a["in"][::k])
        for k in (2, 3, 7, 8, 32)
    ]
    for k in (2, 5, 8):
        found.append(
            CalibrationCase(
                f"write_stride {k}", "copies.cu", "write_stride", _blocks(n), 256, ("in", "out", n, k),
                lambda k=k: {"in": floats(n), "out": zeros(n * k)},
                lambda a, k=k: {"out": np.stack([a["in"]] + [np.zeros_like(a["in"])] * (k - 1), 1).reshape(-1)},
            )
        )  # fmt: skip
    found += [
        _by_index(f"copy_offset {k}", "copy_offset", N, (k,), N + 8, lambda a, k=k: a["in"][k : k + N]) for k in (1, 8)
    ]
    found.append(
        _by_index(
            "read_block_of_four", "read_block_of_four", n, (), 4 * n,
            lambda a: a["in"].reshape(-1, 4).sum(1), tolerance=1e-5,
        )
    )  # fmt: skip
    found.append(
        CalibrationCase(
            "copy_grid_stride", "copies.cu", "copy_grid_stride", 264, 256, ("in", "out", N - 100),
            lambda: {"in": floats(N), "out": zeros(N)},
            lambda a: {"out": np.where(np.arange(N) < N - 100, a["in"], 0)},
        )
    )  # fmt: skip
    return found


def _layouts() -> list[CalibrationCase]:
    n = N // 4

    def length(p: Array) -> Array:
        return np.sqrt((p.astype(np.float64) ** 2).sum(1))

    order = np.random.default_rng(5).permutation(n).astype(np.int32)
    return [
        CalibrationCase(
            "length_of_records", "copies.cu", "length_of_records", _blocks(n), 256, ("p", "out", n),
            lambda: {"p": floats(n, 3), "out": zeros(n)}, lambda a: {"out": length(a["p"])}, tolerance=1e-6,
        ),
        CalibrationCase(
            "length_of_columns", "copies.cu", "length_of_columns", _blocks(n), 256, ("x", "y", "z", "out", n),
            lambda: {k: floats(n, seed=i) for i, k in enumerate("xyz")} | {"out": zeros(n)},
            lambda a: {"out": length(np.stack([a["x"], a["y"], a["z"]], 1))}, tolerance=1e-6,
        ),
        CalibrationCase(
            "broadcast_add", "copies.cu", "broadcast_add", _blocks(n), 256, ("row", "scale", "out", n),
            lambda: {"row": floats(n), "scale": floats(_blocks(n), seed=3), "out": zeros(n)},
            lambda a: {"out": (a["row"].reshape(-1, 256) * a["scale"][:, None]).reshape(-1)},
        ),
        CalibrationCase(
            "gather", "copies.cu", "gather", _blocks(n), 256, ("in", "at", "out", n),
            lambda: {"in": floats(n), "at": order.copy(), "out": zeros(n)}, lambda a: {"out": a["in"][a["at"]]},
        ),
        CalibrationCase(
            "scatter", "copies.cu", "scatter", _blocks(n), 256, ("in", "at", "out", n),
            lambda: {"in": floats(n), "at": order.copy(), "out": zeros(n)},
            lambda a: {"out": a["in"][np.argsort(a["at"])]},
        ),
        CalibrationCase(
            "saxpy", "copies.cu", "saxpy", _blocks(N), 256, (N, 2.5, "x", "y"),
            lambda: {"x": floats(N), "y": floats(N, seed=4)}, lambda a: {"y": np.float32(2.5) * a["x"] + a["y"]},
            tolerance=1e-5,
        ),
        CalibrationCase(
            "half_axpy", "copies.cu", "half_axpy", _blocks(n), 256, (n, 0.5, "x", "y"),
            lambda: {k: ints(2 * n, high=64, seed=i).astype(np.float16) for i, k in enumerate("xy")},
            lambda a: {"y": np.float16(0.5) * a["x"] + a["y"]},
        ),
    ]  # fmt: skip


def _transposes() -> list[CalibrationCase]:
    def one(name: str, kernel: str, grid: tuple[int, int], block: tuple[int, int], dtype: Any, n: int, **options: Any):  # type: ignore[no-untyped-def]
        return CalibrationCase(
            name, "transposes.cu", kernel, grid, block, ("a", "b", n),
            lambda: {"a": floats(n, n).astype(dtype), "b": zeros(n, n, dtype=dtype)},
            lambda a: {"b": a["a"].T}, **options,
        )  # fmt: skip

    tiles = (SIDE // 32, SIDE // 32)
    return [
        one("transpose naive", "naive", tiles, (32, 32), np.float32, SIDE),
        one("transpose tiled<0>", "tiled<0>", tiles, (32, 8), np.float32, SIDE),
        one("transpose tiled<1>", "tiled<1>", tiles, (32, 8), np.float32, SIDE),
        one("transpose swizzled", "swizzled", tiles, (32, 8), np.float32, SIDE),
        one("transpose tiled_double<0>", "tiled_double<0>", tiles, (32, 8), np.float64, SIDE),
        one("transpose tiled_double<1>", "tiled_double<1>", tiles, (32, 8), np.float64, SIDE),
        one("transpose naive 4096", "naive", (128, 128), (32, 32), np.float32, 4096, is_large=True),
        one("transpose tiled<1> 4096", "tiled<1>", (128, 128), (32, 8), np.float32, 4096, is_large=True),
    ]


def _beyond_the_caches() -> list[CalibrationCase]:
    """Working sets from well inside to well beyond the L2 of 50 MB, read once and again."""
    found = []
    threads = 132 * 8 * 256
    for megabytes in (16, 32, 40, 48, 96):
        n = megabytes << 16  # float4
        whole = n // threads * threads

        def expected(a: Arrays, whole: int = whole, n: int = n) -> Arrays:
            each = a["in"].reshape(n, 4).astype(np.float64).sum(1)
            out = each[:whole].reshape(-1, threads).sum(0)
            out[: n - whole] += each[whole:]
            return {"out": 2 * out}

        found.append(
            CalibrationCase(
                f"read_again {megabytes} MB", "copies.cu", "read_again", 132 * 8, 256, ("in", "out", n, 2),
                lambda n=n: {"in": ints(4 * n, high=8).astype(np.float32), "out": zeros(threads)}, expected,
                is_large=True,
            )
        )  # fmt: skip
    n = 1 << 24
    found += [
        CalibrationCase(
            "copy<float> 64 MB", "copies.cu", "copy<float>", _blocks(n), 256, ("in", "out", n),
            lambda: {"in": floats(n), "out": zeros(n)}, lambda a: {"out": a["in"]}, is_large=True,
        ),
        CalibrationCase(
            "read_stride 32 of 128 MB", "copies.cu", "read_stride", 4096, 256, ("in", "out", 1 << 20, 32),
            lambda: {"in": floats(1 << 25), "out": zeros(1 << 20)}, lambda a: {"out": a["in"][::32]}, is_large=True,
        ),
        CalibrationCase(
            "gather from 64 MB", "copies.cu", "gather", 8192, 256, ("in", "at", "out", 1 << 21),
            lambda: {"in": floats(n), "at": ints(1 << 21, high=n), "out": zeros(1 << 21)},
            lambda a: {"out": a["in"][a["at"]]}, is_large=True,
        ),
        CalibrationCase(
            "copy<float> 20 MB", "copies.cu", "copy<float>", _blocks(5 << 20), 256, ("in", "out", 5 << 20),
            lambda: {"in": floats(5 << 20), "out": zeros(5 << 20)}, lambda a: {"out": a["in"]}, is_large=True,
        ),
        CalibrationCase(
            "fill 96 MB", "copies.cu", "fill", _blocks(6 << 20), 256, ("out", 6 << 20, 1.5),
            lambda: {"out": zeros(24 << 20)}, lambda a: {"out": np.full_like(a["out"], 1.5)}, is_large=True,
        ),
        CalibrationCase(
            "fill 40 MB", "copies.cu", "fill", _blocks(5 << 19), 256, ("out", 5 << 19, 1.5),
            lambda: {"out": zeros(10 << 20)}, lambda a: {"out": np.full_like(a["out"], 1.5)}, is_large=True,
        ),
        CalibrationCase(
            "write_stride 8 of 24 MB", "copies.cu", "write_stride", 3072, 256, ("in", "out", 3 << 18, 8),
            lambda: {"in": floats(3 << 18), "out": zeros(6 << 20)},
            lambda a: {"out": np.stack([a["in"]] + [np.zeros_like(a["in"])] * 7, 1).reshape(-1)}, is_large=True,
        ),
        CalibrationCase(
            "increment 64 MB", "copies.cu", "increment", _blocks(n), 256, ("x", n),
            lambda: {"x": floats(n)}, lambda a: {"x": a["x"] + np.float32(1)}, is_large=True,
        ),
        CalibrationCase(
            "scatter into 64 MB", "copies.cu", "scatter", 8192, 256, ("in", "at", "out", 1 << 21),
            lambda: {
                "in": floats(1 << 21), "at": np.random.default_rng(3).permutation(n)[: 1 << 21].astype(np.int32),
                "out": zeros(n),
            },
            lambda a: {"out": _scattered(a)}, is_large=True,
        ),
        CalibrationCase(
            "write_stride 8 of 64 MB", "copies.cu", "write_stride", 8192, 256, ("in", "out", 1 << 21, 8),
            lambda: {"in": floats(1 << 21), "out": zeros(n)},
            lambda a: {"out": np.stack([a["in"]] + [np.zeros_like(a["in"])] * 7, 1).reshape(-1)}, is_large=True,
        ),
        CalibrationCase(
            "space7 64 MB", "stencils.cu", "space7", (8, 32), (32, 8), ("a", "b", 256, 256, 256),
            lambda: {"a": floats(256, 256, 256), "b": zeros(256, 256, 256)}, space7, tolerance=1e-4, is_large=True,
        ),
        CalibrationCase(
            "table_lookup", "copies.cu", "table_lookup", 264, 256, ("in", "table", "out", N),
            lambda: {"in": ints(N, high=256).astype(np.uint8), "table": floats(256), "out": zeros(N)},
            lambda a: {"out": a["table"][a["in"]]},
        ),
        CalibrationCase(
            "past_l1", "copies.cu", "past_l1", _blocks(N), 256, ("in", "out", N),
            lambda: {"in": floats(N), "out": zeros(N)},
            lambda a: {"out": a["in"] + a["in"].reshape(-1, 2)[:, ::-1].reshape(-1)},
        ),
        CalibrationCase(
            "plane5 32 MB", "stencils.cu", "plane5", (64, 512), (32, 8), ("a", "b", 2048, 4096),
            lambda: {"a": floats(4096, 2048), "b": zeros(4096, 2048)}, lambda a: {"b": plane5(a["a"])},
            tolerance=1e-4, is_large=True,
        ),
    ]  # fmt: skip
    return found


def _stencils() -> list[CalibrationCase]:
    n, w, h, d = N // 2, 512, 256, 16

    def line3(a: Arrays) -> Arrays:
        out = np.zeros_like(a["a"])
        out[1:-1] = 0.25 * a["a"][:-2] + 0.5 * a["a"][1:-1] + 0.25 * a["a"][2:]
        return {"b": out}

    def plane(a: Arrays) -> Arrays:
        return {"b": plane5(a["a"])}

    def row() -> Arrays:
        return {"a": floats(n), "b": zeros(n)}

    def sheet() -> Arrays:
        return {"a": floats(h, w), "b": zeros(h, w)}

    return [
        CalibrationCase("line3", "stencils.cu", "line3", n // 256, 256, ("a", "b", n), row, line3, tolerance=1e-4),
        CalibrationCase(
            "line3_shared", "stencils.cu", "line3_shared", n // 256, 256, ("a", "b", n), row, line3, tolerance=1e-4
        ),
        CalibrationCase(
            "plane5", "stencils.cu", "plane5", (w // 32, h // 8), (32, 8), ("a", "b", w, h), sheet, plane,
            tolerance=1e-4,
        ),
        CalibrationCase(
            "plane5_shared", "stencils.cu", "plane5_shared", (w // 32, h // 8), (32, 8), ("a", "b", w, h), sheet, plane,
            tolerance=1e-4,
        ),
        CalibrationCase(
            "space7", "stencils.cu", "space7", (4, 16), (32, 8), ("a", "b", 128, 128, d),
            lambda: {"a": floats(d, 128, 128), "b": zeros(d, 128, 128)}, space7, tolerance=1e-4,
        ),
    ]  # fmt: skip


def plane5(a: Array) -> Array:
    out = np.zeros_like(a)
    out[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1])
    return out


def space7(a: Arrays) -> Arrays:
    v, out = a["a"].astype(np.float64), np.zeros_like(a["a"])
    inner = v[1:-1, 1:-1, 1:-1]
    around = v[:-2, 1:-1, 1:-1] + v[2:, 1:-1, 1:-1] + v[1:-1, :-2, 1:-1] + v[1:-1, 2:, 1:-1]
    out[1:-1, 1:-1, 1:-1] = 0.125 * (around + v[1:-1, 1:-1, :-2] + v[1:-1, 1:-1, 2:]) + 0.25 * inner
    return {"b": out}


def _scattered(a: Arrays) -> Array:
    out = np.zeros_like(a["out"])
    out[a["at"]] = a["in"]
    return out


def _narrow() -> list[CalibrationCase]:
    """Elements of one and two bytes, and atomics of eight."""
    found = []
    for name in ("linear", "same", "stride 4", "random", "every other lane"):
        at = indices(name)
        where, taken = np.where(at >= 0, at, 0), at[at >= 0]
        for c_type, dtype in (("unsigned char", np.uint8), ("unsigned short", np.uint16)):

            def loaded(a: Arrays, at: Array = at, where: Array = where) -> Arrays:
                return {"out": np.where(at >= 0, a["in"][where], 0).astype(np.uint32)}

            found.append(
                CalibrationCase(
                    f"global_load_narrow<{c_type}> {name}", "lanes.cu", f"global_load_narrow<{c_type}>", 8, 256,
                    ("at", "in", "out"),
                    lambda at=at, dtype=dtype: {
                        "at": at.copy(), "in": ints(1024).astype(dtype), "out": zeros(2048, dtype=np.uint32),
                    },
                    loaded,
                )
            )  # fmt: skip

        def added(a: Arrays, taken: Array = taken) -> Arrays:
            return {"out": a["out"] + 3 * np.bincount(taken, minlength=1024).astype(np.uint64)}

        found.append(
            CalibrationCase(
                f"global_reduce_long {name}", "lanes.cu", "global_reduce_long", 8, 256, ("at", "out"),
                lambda at=at: {"at": at.copy(), "out": zeros(1024, dtype=np.uint64)}, added,
            )
        )  # fmt: skip
    return found


def _patterns() -> list[CalibrationCase]:
    found = []
    kinds: tuple[tuple[str, int, tuple[str, ...]], ...] = (
        ("unsigned", 1, tuple(PATTERNS)),
        ("uint2", 2, ("linear", "pairs", "stride 2", "stride 4", "random", "every other lane")),
        ("uint4", 4, ("linear", "quads", "stride 2", "random", "every other lane")),
    )
    for c_type, width, names in kinds:
        for name in names:
            at = indices(name)
            where = np.where(at >= 0, at, 0)

            def expected_load(a: Arrays, at: Array = at, where: Array = where) -> Arrays:
                return {"out": np.where(at >= 0, np.bitwise_xor.reduce(a["in"][where], 1), 0).astype(np.uint32)}

            found.append(
                CalibrationCase(
                    f"global_load<{c_type}> {name}", "lanes.cu", f"global_load<{c_type}>", 8, 256, ("at", "in", "out"),
                    lambda at=at, width=width: {
                        "at": at.copy(), "in": ints(1024, width, high=2**31 - 1).astype(np.uint32),
                        "out": zeros(2048, dtype=np.uint32),
                    },
                    expected_load,
                )
            )  # fmt: skip
    for name in ("linear", "reversed", "pairs", "stride 2", "same", "random", "every other lane"):
        at = indices(name)
        taken = at[at >= 0]

        def stored(a: Arrays, taken: Array = taken) -> Arrays:
            out = a["out"].copy()
            out[taken, 0] = taken.astype(np.uint32) * np.uint32(2654435761)
            return {"out": out}

        def added(a: Arrays, taken: Array = taken) -> Arrays:
            return {"out": a["out"] + 3 * np.bincount(taken, minlength=1024).astype(np.uint32)[:, None]}

        def exchanged(a: Arrays, taken: Array = taken, at: Array = at) -> Arrays:
            out = a["out"].copy()
            out[taken] = 5
            return {"out": out, "seen": np.where(at >= 0, 0, 1).astype(np.uint32)}

        kernels: tuple[tuple[str, tuple[str, ...], Callable[[Arrays], Arrays]], ...] = (
            ("global_store<unsigned>", ("at", "out"), stored),
            ("global_reduce", ("at", "out"), added),
            ("global_exchange", ("at", "out", "seen"), exchanged),
        )
        for kernel, arguments, expected in kernels:
            found.append(
                CalibrationCase(
                    f"{kernel} {name}", "lanes.cu", kernel, 8, 256, arguments,
                    lambda at=at: {
                        "at": at.copy(), "out": zeros(1024, 1, dtype=np.uint32), "seen": zeros(2048, dtype=np.uint32),
                    },
                    expected,
                )
            )  # fmt: skip
    return found


MEMORY_CASES: tuple[CalibrationCase, ...] = tuple(
    _copies() + _strides() + _layouts() + _transposes() + _stencils() + _beyond_the_caches() + _patterns() + _narrow()
)
