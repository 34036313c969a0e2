"""Cases about results and control flow: bit patterns of every kind, matrix fragments, lanes that part and meet."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Array, Arrays, CalibrationCase, ints, zeros

COUNT = 4096
NO_REFERENCE = "NumPy has no such rounding; the GPU itself is the reference"
# Where denormals, infinities, NaNs and halfway cases begin.
SPECIAL = np.array(
    [0, 0x80000000, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001,
     0x7F800001, 0x3F800000, 0xBF800000, 0x3F000000, 0x4B000000, 0x4F000000, 0xCF000000, 0x477FF000, 0x33000001],
    np.uint32,
)  # fmt: skip


def patterns(seed: int) -> Array:
    """Random words: a third any bits, a third floats of moderate size, the rest special ones and their neighbours."""
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 1 << 32, COUNT, dtype=np.uint32)
    third = COUNT // 3
    words[:third] = (rng.standard_normal(third) * 10.0 ** rng.integers(-6, 6, third)).astype(np.float32).view(np.uint32)
    words[-third:] = rng.choice(SPECIAL, third) + rng.integers(-1, 2, third).astype(np.uint32)
    rng.shuffle(words)
    return words


def long_patterns(seed: int) -> Array:
    rng = np.random.default_rng(seed)
    values = patterns(seed).view(np.float32)
    with np.errstate(all="ignore"):
        words = values.astype(np.float64).view(np.uint64)
    low = rng.integers(0, 1 << 29, COUNT, dtype=np.uint64)
    return np.where(rng.random(COUNT) < 0.2, rng.integers(0, 1 << 64, COUNT, dtype=np.uint64), words ^ low)


def _bits() -> list[CalibrationCase]:
    def one(kernel: str, inputs: dict[str, Any], width: int, dtype: Any) -> CalibrationCase:
        return CalibrationCase(
            f"bits of {kernel}", "bits.cu", kernel, COUNT // 256, 256, (*inputs, "out", COUNT),
            lambda: {name: make(seed) for seed, (name, make) in enumerate(inputs.items(), 20)}
            | {"out": zeros(COUNT, width, dtype=dtype)},
            lambda a: {}, why=NO_REFERENCE,
        )  # fmt: skip

    return [
        one("floats", {"x": patterns, "y": patterns, "z": patterns}, 24, np.float32),
        one("doubles", {"x": long_patterns, "y": long_patterns}, 12, np.float64),
        one("conversions", {"x": patterns, "y": long_patterns}, 20, np.uint32),
        one("integers", {"x": patterns, "y": patterns}, 28, np.uint32),
        CalibrationCase(
            "bits of halves",
            "bits.cu",
            "halves",
            COUNT // 256,
            256,
            ("x", "y", "out", "wide", COUNT),
            lambda: {
                "x": patterns(20),
                "y": patterns(21),
                "out": zeros(COUNT, 16, dtype=np.float16),
                "wide": zeros(COUNT, 12),
            },
            lambda a: {},
            why=NO_REFERENCE,
        ),
    ]


def _matrices() -> list[CalibrationCase]:
    """Fragments of small whole numbers, whose products are exact in every order of adding."""
    warps = 16

    def halves(words: int) -> Array:
        return ints(warps * 32, words * 2, low=-8, high=9, seed=31).astype(np.float16).view(np.uint32)

    def bfloats(words: int) -> Array:
        high = ints(warps * 32, words * 2, low=-8, high=9, seed=32).astype(np.float32).view(np.uint32) >> np.uint32(16)
        return high.astype(np.uint16).view(np.uint32)

    def tensor_floats(words: int) -> Array:
        return ints(warps * 32, words, low=-8, high=9, seed=33).astype(np.float32).view(np.uint32)

    def signed_bytes(words: int) -> Array:
        return ints(warps * 32, words * 4, low=-128, high=128, seed=34).astype(np.int8).view(np.uint32)

    def one(kernel: str, make: Any, a_words: int, b_words: int, c: Any, width: int) -> CalibrationCase:
        return CalibrationCase(
            f"mma {kernel}", "matrices.cu", kernel, warps, 32, ("a", "b", "c", "d"),
            lambda: {"a": make(a_words), "b": make(b_words), "c": c(), "d": zeros(warps * 32, width, dtype=c().dtype)},
            lambda a: {}, why="the layout of the fragments is the GPU's; the GPU itself is the reference",
        )  # fmt: skip

    def sums(dtype: Any) -> Any:
        return lambda: ints(warps * 32, 4, low=-50, high=50, seed=35).astype(dtype)

    return [
        one("half_m16n8k16", halves, 4, 2, sums(np.float32), 4),
        one("bfloat_m16n8k16", bfloats, 4, 2, sums(np.float32), 4),
        one("tensor_float_m16n8k8", tensor_floats, 4, 2, sums(np.float32), 4),
        one("bytes_m16n8k32", signed_bytes, 4, 2, sums(np.int32), 4),
        one("half_m16n8k8_in_half", lambda words: halves(words), 2, 1, lambda: halves(2), 2),
    ]


def _flows() -> list[CalibrationCase]:
    n, w, h = 8192, 200, 60

    def data(width: int = 1) -> Any:
        return lambda: {"in": ints(n), "out": zeros(n * width, dtype=np.int32)}

    def nested(a: Arrays) -> Arrays:
        v, i = a["in"], np.arange(n)
        deep = np.where(v & 2, v[(i * 7 + 1) % n] + 1, v[(i * 5 + 3) % n] - 1)
        last = np.where(v & 1, deep, np.where(v & 4, v + v[i * 3 % n], v))
        return {"out": np.concatenate([np.where(v & 1, deep, 0), last])}

    def all_of(a: Arrays) -> Arrays:
        grid = np.pad(np.where(a["in"] > 300, a["in"], 0), 1)
        return {"out": sum(grid[y : y + h, x : x + w] for y in range(3) for x in range(3))}

    def breaks(a: Arrays) -> Arrays:
        i = np.arange(n)
        total, running = np.zeros(n, np.int32), np.ones(n, bool)
        for k in range(64):
            v = a["in"][(i + k * 37) % n]
            running &= (v % 29 != 3) | (v % 5 == 1)
            total = np.where(running & (v % 5 != 1), total + v, total)
        return {"out": np.concatenate([total, total])}

    def calls(a: Arrays) -> Arrays:
        out = []
        for v in a["in"].tolist():
            k = 0
            while k < v % 7:
                low = v & 1023
                v = (low if k > 4 else low * 3 + k) + int(a["in"][(v + k) % n]) % 5
                k += 1
            out.append(v)
        return {"out": np.array(out, np.int32)}

    def rolled(a: Arrays) -> Arrays:
        v, at = a["in"].reshape(-1, 256), np.arange(256) ^ 64
        for _ in range(9):
            v = v + v[:, at]
            v = v + ((v & 1).sum(1, keepdims=True) > 128)
        return {"out": v.reshape(-1)}

    return [
        CalibrationCase("flow nested", "flows.cu", "nested", n // 256, 256, ("in", "out", n), data(2), nested),
        CalibrationCase(
            "flow all_of", "flows.cu", "all_of", (7, 8), (32, 8), ("in", "out", w, h),
            lambda: {"in": ints(h, w), "out": zeros(h, w, dtype=np.int32)}, all_of,
        ),
        CalibrationCase("flow breaks", "flows.cu", "breaks", n // 256, 256, ("in", "out", n), data(2), breaks),
        CalibrationCase("flow calls", "flows.cu", "calls", n // 256, 256, ("in", "out", n), data(), calls),
        CalibrationCase(
            "flow binary_search", "flows.cu", "binary_search", n // 256, 256, ("sorted", "wanted", "out", 5000, n),
            lambda: {
                "sorted": np.sort(ints(5000, high=100000)), "wanted": ints(n, high=100000, seed=5),
                "out": zeros(n, dtype=np.int32),
            },
            lambda a: {"out": np.searchsorted(a["sorted"], a["wanted"]).astype(np.int32)},
        ),
        CalibrationCase(
            "flow named_barriers", "flows.cu", "named_barriers", n // 256, 256, ("in", "out", 9), data(), rolled
        ),
    ]  # fmt: skip


EXACT_CASES: tuple[CalibrationCase, ...] = tuple(_bits() + _matrices() + _flows())
