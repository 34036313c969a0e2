"""Atomics of every operation and type against their definitions; loads and stores with every operator and order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from simulated import KERNELS, launch_of

from cudaperf_magic.bench.nvrtc import Compiled, build
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.bench.simulator.result import SimulatorResult

FILE = "atomics.cu"


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    built = build((KERNELS / FILE).read_text())
    assert built.build.ok, built.build.log
    return built


def run(built: Compiled, kernel: str, arrays: dict[str, NDArray[Any]], *more: int) -> SimulatorResult:
    result = simulate(built, LaunchPlan((launch_of(kernel, 1, 1, (*arrays, *more)),)), arrays)
    assert not result.faults, result.faults
    return result


def signed(v: int, bits: int) -> int:
    return v - (v >> (bits - 1) << bits)


def lesser(a: int, b: int, bits: int) -> int:
    return min(a, b, key=lambda v: signed(v, bits))


def greater(a: int, b: int, bits: int) -> int:
    return max(a, b, key=lambda v: signed(v, bits))


WHOLE: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda a, b, bits: a + b & (1 << bits) - 1,
    "min_u": lambda a, b, bits: min(a, b),
    "max_u": lambda a, b, bits: max(a, b),
    "min_s": lesser,
    "max_s": greater,
    "and": lambda a, b, bits: a & b,
    "or": lambda a, b, bits: a | b,
    "xor": lambda a, b, bits: a ^ b,
    "inc": lambda a, b, bits: 0 if a >= b else a + 1,
    "dec": lambda a, b, bits: b if a == 0 or a > b else a - 1,
}
INTEGERS = [
    "add_u32", "add_s32", "add_u64", "min_u32", "min_s32", "min_u64", "min_s64", "max_u32", "max_s32", "max_u64",
    "max_s64", "and_b32", "and_b64", "or_b32", "or_b64", "xor_b32", "xor_b64", "inc_u32", "dec_u32",
]  # fmt: skip


def operands(bits: int, low: int = 0) -> list[int]:
    rng = np.random.default_rng(bits)
    edges = [0, 1, (1 << bits - 1) - 1, 1 << bits - 1, (1 << bits) - 1, 3, 3, 2]
    return [*edges, *(int(v) for v in rng.integers(low, 1 << bits - 1, 12))]


@pytest.mark.parametrize("kernel", INTEGERS)
def test_an_integer_atomic_answers_the_old_value_and_writes_the_new(compiled: Compiled, kernel: str) -> None:
    name, kind = kernel.split("_")
    bits = int(kind[1:])
    change = WHOLE[f"{name}_{kind[0]}" if name in ("min", "max") else name]
    given = operands(bits)
    cell = np.array([5], f"u{bits // 8}")
    old = np.zeros(2 * len(given), cell.dtype)
    run(compiled, kernel, {"cell": cell, "b": np.array(given, cell.dtype), "old": old}, len(given))
    in_global = in_shared = 5
    for i, b in enumerate(given):
        assert (int(old[2 * i]), int(old[2 * i + 1])) == (in_global, in_shared)
        in_global = change(change(in_global, b, bits), b, bits)  # atom, then red
        in_shared = change(in_shared, b, bits)
    assert int(cell[0]) == in_global


@pytest.mark.parametrize("bits", [32, 64])
def test_an_exchange_hands_on(compiled: Compiled, bits: int) -> None:
    b = np.array(operands(bits), f"u{bits // 8}")
    cell, old = np.array([9], b.dtype), np.zeros_like(b)
    run(compiled, f"exch_b{bits}", {"cell": cell, "b": b, "old": old}, len(b))
    assert old.tolist() == [9, *b[:-1].tolist()] and cell[0] == b[-1]


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_a_comparison_swaps_what_it_expected_only(compiled: Compiled, bits: int) -> None:
    b = np.array([4, 4, 6, 7, 7, 1, 7, 2, 9], f"u{bits // 8}")
    cell, old = np.array([4], b.dtype), np.zeros_like(b)
    run(compiled, f"cas_b{bits}", {"cell": cell, "b": b, "old": old}, len(b))
    held, seen = 4, []
    for expected, new in zip(b[:-1].tolist(), b[1:].tolist(), strict=True):
        seen.append(held)
        held = new if held == expected else held
    assert old[:-1].tolist() == seen and cell[0] == held


def bfloat(x: NDArray[Any]) -> NDArray[np.float32]:
    """Rounded to bfloat16, nearest even."""
    word = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((word + 0x7FFF + (word >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_a_sum_rounds_once_each_time(compiled: Compiled, kind: str) -> None:
    dtype = np.dtype({"f32": "f4", "f64": "f8"}[kind])
    b = np.random.default_rng(1).standard_normal(20).astype(dtype)
    cell, old = np.array([0.125], dtype), np.zeros(40, dtype)
    run(compiled, f"add_{kind}", {"cell": cell, "b": b, "old": old}, 20)
    in_global = in_shared = dtype.type(0.125)
    for i, value in enumerate(b):
        assert (old[2 * i], old[2 * i + 1]) == (in_global, in_shared)
        in_global, in_shared = in_global + value + value, in_shared + value
    assert cell[0] == in_global


def test_a_sum_in_global_memory_flushes_what_is_subnormal(compiled: Compiled) -> None:
    tiny = np.array([1e-40, 1e-40], np.float32)
    cell, old = np.array([1e-40], np.float32), np.zeros(4, np.float32)
    run(compiled, "add_f32", {"cell": cell, "b": tiny, "old": old}, 2)
    assert cell[0] == 0
    assert old.tolist() == [tiny[0], tiny[0], 0, np.float32(2) * tiny[0]]


@pytest.mark.parametrize("kind", ["f16", "bf16", "f16x2", "bf16x2"])
def test_halves_are_added_and_rounded_to_halves(compiled: Compiled, kind: str) -> None:
    def rounded(x: NDArray[Any]) -> NDArray[Any]:
        return bfloat(x) if kind.startswith("b") else x.astype(np.float16)

    def packed(x: NDArray[Any]) -> NDArray[Any]:
        return (x.view(np.uint32) >> 16).astype(np.uint16) if kind.startswith("b") else x.view(np.uint16)

    lanes = 2 if kind.endswith("x2") else 1
    words = np.uint32 if lanes == 2 else np.uint16
    b = rounded(np.random.default_rng(2).standard_normal((10, lanes)).astype(np.float32))
    start = rounded(np.full((1, lanes), 0.5, np.float32))
    arrays = {"cell": packed(start).reshape(-1).view(words).copy(), "b": packed(b).reshape(-1).view(words).copy()}
    arrays["old"] = np.zeros(20, words)
    run(compiled, f"add_{kind}", arrays, 10)
    total = start
    for value in b:
        total = rounded(rounded(total.astype(np.float32) + value).astype(np.float32) + value)
    assert np.array_equal(arrays["cell"].view(np.uint16), packed(total).reshape(-1))


def test_atomics_on_vectors_change_each_element(compiled: Compiled) -> None:
    f, old = np.array([1, 2, 3, 4], np.float32), np.zeros(4, np.float32)
    h = np.array([0.5, 2, -1, 1], np.float16)
    pairs = packed = (np.array([0.5, 2, 1, 3], np.float32).view(np.uint32) >> 16).astype(np.uint16)
    arrays = {"f": f, "h": h.view(np.uint16), "pairs": packed.view(np.uint32), "old": old}
    run(compiled, "vectors", arrays)
    assert old.tolist() == [1, 2, 3, 4] and f.tolist() == [12, 24, 6, 8]
    assert h.tolist() == [1, 2, 1, 1]
    assert (pairs.astype(np.uint32) << 16).view(np.float32).tolist() == [0.5, 1, 1, 1]


def test_sixteen_bytes_are_swapped_at_once(compiled: Compiled) -> None:
    cell, old = np.array([3, 4], np.uint64), np.zeros(4, np.uint64)
    run(compiled, "wide", {"cell": cell, "old": old})
    assert old.tolist() == [3, 4, 77, 88] and cell.tolist() == [5, 6]


def test_loads_and_stores_of_every_operator_and_order(compiled: Compiled) -> None:
    x, y = np.array([7, 11, 13, 17], np.uint32), np.zeros(10, np.uint32)
    run(compiled, "operators", {"x": x, "y": y})
    assert y[:9].tolist() == [13 * 7 + 7 + 110 + 1700 + 7 + i for i in range(9)]
    assert y[9] == 7
