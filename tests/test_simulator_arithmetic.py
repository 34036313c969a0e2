"""Arithmetic, bit for bit where PTX is exact, and to a few units in the last place where the maths library is not.

The reference is NumPy and Python's own unbounded integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from simulated import run

N = 512
RNG = np.random.default_rng(3)


def evaluate(kernel: str, x: NDArray[Any], y: NDArray[Any], count: int) -> NDArray[Any]:
    out = np.zeros((count, len(x)), x.dtype)
    arrays = {"x": x, "y": y, "out": out}
    result = run("arithmetic.cu", kernel, -(-len(x) // 128), 128, ("x", "y", "out", len(x)), arrays)
    assert not result.faults
    return out


def wrapped(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def quotient(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def integers(bits: int) -> tuple[NDArray[Any], NDArray[Any]]:
    kind = f"i{bits // 8}"
    edge = [0, 1, -1, 2, -(1 << (bits - 1)), (1 << (bits - 1)) - 1, 31, 33]
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    x = np.concatenate([np.repeat(edge, 8), RNG.integers(low, high, N - 64)]).astype(kind)
    y = np.concatenate([np.tile(edge, 8), RNG.integers(low, high, N - 64)]).astype(kind)
    return x, y


def check_integers(kernel: str, bits: int, rows: list[Callable[[int, int], int]]) -> None:
    x, y = integers(bits)
    out = evaluate(kernel, x, y, len(rows))
    for k, row in enumerate(rows):
        expected = [wrapped(row(a, b), bits) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
        wrong = [i for i, value in enumerate(expected) if value != out[k, i]]
        assert not wrong, f"expression {k} of {kernel} at x={x[wrong[0]]}, y={y[wrong[0]]}: {out[k, wrong[0]]}"


M = 0xFFFFFFFF


def bytes_of(x: int) -> list[int]:
    return [x >> 8 * i & 255 for i in range(4)]


def test_32_bit_integer_arithmetic_is_exact() -> None:
    check_integers("integers", 32, [
        lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x - 3 * y, lambda x, y: quotient(x, y) if y else -1,
        lambda x, y: x - wrapped(quotient(x, y), 64) * y if y else x, lambda x, y: (x & M) % 77,
        lambda x, y: x * y >> 32,
        lambda x, y: min(x, y), lambda x, y: max(x, y), lambda x, y: abs(x), lambda x, y: x >> (y & 31),
        lambda x, y: x << (y & 31), lambda x, y: (x & M) >> (y & 31), lambda x, y: (x & M).bit_count(),
        lambda x, y: 32 - (x & M).bit_length(), lambda x, y: (x & -x).bit_length(),
        lambda x, y: int(f"{x & M:032b}"[::-1], 2), lambda x, y: (x & y) | ((~x & 7) ^ y),
        lambda x, y: wrapped(x, 8) + (y & 255), lambda x, y: wrapped(x, 16) * 3,
        lambda x, y: 3 + sum(wrapped(a, 8) * wrapped(b, 8) for a, b in zip(bytes_of(x), bytes_of(y), strict=True)),
        lambda x, y: sum((bytes_of(x) + bytes_of(y))[s] << 8 * i for i, s in enumerate((1, 4, 2, 5))),
        lambda x, y: ((y & M) << 32 | (x & M)) << 5 >> 32, lambda x, y: x * 3 if x < y else y - 2,
    ])  # fmt: skip


def test_64_and_128_bit_integer_arithmetic_is_exact() -> None:
    check_integers("longs", 64, [
        lambda x, y: x + y, lambda x, y: x * y, lambda x, y: quotient(x, y | 1),
        lambda x, y: x - quotient(x, y | 1) * (y | 1), lambda x, y: x * y >> 64, lambda x, y: x >> (y & 63),
        lambda x, y: (x & (2**64 - 1)).bit_count(), lambda x, y: 64 - (x & (2**64 - 1)).bit_length(),
        lambda x, y: (x * y + x) >> 7,
    ])  # fmt: skip


def reals(kind: str) -> tuple[NDArray[Any], NDArray[Any]]:
    size = RNG.choice([1e-3, 1.0, 30.0], N)
    return (RNG.standard_normal(N) * size).astype(kind), (RNG.standard_normal(N) * size[::-1]).astype(kind)


def test_float_arithmetic_and_conversions_are_exact() -> None:
    x, y = reals("f4")
    x[:4] = [0.0, -0.0, 0.5, 2.5]
    wide = x.astype(np.float64)
    expected = [
        x + y, x * y, x / y, (wide * y + 1.5).astype("f4"), np.sqrt(np.abs(x)), np.minimum(x, y), np.floor(x),
        np.rint(x), np.trunc(x), np.copysign(x, y), np.trunc(x), np.rint(x), np.floor(x),
        np.where(x > y, 1, np.where(x == y, 2, 3)),
        np.trunc(x), x,
    ]  # fmt: skip
    out = evaluate("floats", x, y, len(expected))
    for k, row in enumerate(expected):
        assert np.array_equal(out[k], row.astype("f4")), f"expression {k}"


def test_directed_rounding_is_exact() -> None:
    x, y = reals("f4")
    out = evaluate("directed", x, y, 6)
    for i in range(N):
        a, b = Fraction(float(x[i])), Fraction(float(y[i]))
        for exact, (down, up, zero) in ((a + b, out[:3, i]), (a * b, out[3:, i])):
            assert Fraction(float(down)) <= exact <= Fraction(float(up))
            assert float(up) in (float(down), float(np.nextafter(down, np.float32(np.inf))))
            assert zero == (down if exact > 0 else up)


def within(out: NDArray[Any], expected: list[Any], ulps: float) -> None:
    epsilon = np.finfo(out.dtype).eps
    for k, row in enumerate(expected):
        wanted = np.asarray(row, np.float64)
        error = np.abs(out[k].astype(np.float64) - wanted) / np.maximum(np.abs(wanted), np.finfo(out.dtype).tiny)
        assert error.max() <= ulps * epsilon, f"expression {k}: {error.max() / epsilon:.1f} units at {error.argmax()}"


def test_float_functions_are_within_a_few_units_in_the_last_place() -> None:
    x, y = reals("f4")
    a, b = x.astype(np.float64), np.abs(y.astype(np.float64))
    large = (x * np.float32(1e6)).astype(np.float64)
    within(evaluate("functions", x, y, 14), [
        np.sin(a), np.cos(a), np.exp(a), np.log(b), np.tanh(a), np.vectorize(math.erf)(a), np.arctan2(a, b),
        b ** np.float64(np.float32(0.7)), np.cbrt(a), np.log1p(b), np.exp2(a), np.hypot(a, b), 1 / np.sqrt(b),
        np.sin(large),
    ], 8)  # fmt: skip


def test_double_arithmetic_and_functions() -> None:
    x, y = reals("f8")
    b = np.abs(y)
    out = evaluate("doubles", x, y, 12)
    for k, row in enumerate((x * b, x / b, np.sqrt(b))):
        assert np.array_equal(out[k], row), f"expression {k}"
    assert np.array_equal(out[4], np.floor(x)) and np.array_equal(out[5], np.fmod(x, b))
    fused = [float(Fraction(float(p)) * Fraction(float(q)) - Fraction(float(p))) for p, q in zip(x, b, strict=True)]
    assert np.array_equal(out[3], fused)
    within(out[6:], [np.sin(x), np.exp(x), np.log(b), b**0.3, np.vectorize(math.erf)(x), np.tanh(x)], 8)
