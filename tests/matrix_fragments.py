"""Where mma keeps the elements of its matrices, from the tables of the PTX ISA, and how NumPy packs them: for tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Place = Callable[[int, int, int], tuple[int, int]]  # (group, thread in group, element) -> row and column
Array = NDArray[Any]


def _upper(i: int, run: int, wide: bool) -> bool:
    """Whether element i of A is in the upper eight rows: runs alternate between the halves."""
    return i < run or (wide and 2 * run <= i < 3 * run)


def a_16(wide: bool) -> Place:
    return lambda g, t, i: (g if _upper(i, 2, wide) else g + 8, 2 * t + (i & 1) + (8 if i >= 4 else 0))


def a_tf32() -> Place:
    return lambda g, t, i: (g if i in (0, 2) else g + 8, t if i < 2 else t + 4)


def a_8(wide: bool) -> Place:
    return lambda g, t, i: (g if _upper(i, 4, wide) else g + 8, 4 * t + (i & 3) + (16 if i >= 8 else 0))


def a_4(wide: bool) -> Place:
    return lambda g, t, i: (g if _upper(i, 8, wide) else g + 8, 8 * t + (i & 7) + (32 if i >= 16 else 0))


def a_1() -> Place:
    return lambda g, t, i: (g if _upper(i, 32, True) else g + 8, 32 * t + (i & 31) + (128 if i >= 64 else 0))


def b_16() -> Place:
    return lambda g, t, i: (2 * t + (i & 1) + (8 if i >= 2 else 0), g)


def b_tf32() -> Place:
    return lambda g, t, i: (t if i == 0 else t + 4, g)


def b_8() -> Place:
    return lambda g, t, i: (4 * t + (i & 3) + (16 if i >= 4 else 0), g)


def b_4() -> Place:
    return lambda g, t, i: (8 * t + (i & 7) + (32 if i >= 8 else 0), g)


def b_1() -> Place:
    return lambda g, t, i: (32 * t + (i & 31) + (128 if i >= 32 else 0), g)


def row_of(run: int) -> Place:
    """A of eight rows: a thread's elements lie side by side in row g."""
    return lambda g, t, i: (g, run * t + i)


def column_of(run: int) -> Place:
    return lambda g, t, i: (run * t + i, g)


def sums() -> Place:
    return lambda g, t, i: (g if i < 2 else g + 8, 2 * t + (i & 1))


@dataclass(frozen=True)
class Kind:
    """An element type: its bits in a register, and how an array becomes these bits."""

    bits: int
    encode: Callable[[Array], Array]


def _bfloat(x: Array) -> Array:
    return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint64)


def _whole(bits: int) -> Callable[[Array], Array]:
    return lambda x: x.astype(np.int64).astype(np.uint64) & np.uint64((1 << bits) - 1)


def eight_bit_values(exponent_bits: int) -> Array:
    """The 256 values of e4m3 or e5m2; no number where there is a NaN or an infinity."""
    codes = np.arange(256)
    mantissa_bits = 7 - exponent_bits
    e, m = codes >> mantissa_bits & ((1 << exponent_bits) - 1), codes & ((1 << mantissa_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    normal = (1 + m / (1 << mantissa_bits)) * 2.0 ** (e - bias)
    tiny = m / (1 << mantissa_bits) * 2.0 ** (1 - bias)
    values = np.where(e > 0, normal, tiny) * np.where(codes >= 128, -1, 1)
    none = codes & 127 == 127 if exponent_bits == 4 else e == 31
    return np.where(none, np.nan, values)


def _float8(exponent_bits: int) -> Callable[[Array], Array]:
    table = eight_bit_values(exponent_bits)
    return lambda x: np.array([int(np.nanargmin(np.abs(table - v))) for v in x.ravel()], np.uint64).reshape(x.shape)


KINDS = {
    "f16": Kind(16, lambda x: x.astype(np.float16).view(np.uint16).astype(np.uint64)),
    "bf16": Kind(16, _bfloat),
    "tf32": Kind(32, lambda x: x.astype(np.float32).view(np.uint32).astype(np.uint64)),
    "f32": Kind(32, lambda x: x.astype(np.float32).view(np.uint32).astype(np.uint64)),
    "e4m3": Kind(8, _float8(4)),
    "e5m2": Kind(8, _float8(5)),
    "s8": Kind(8, _whole(8)),
    "u8": Kind(8, _whole(8)),
    "s4": Kind(4, _whole(4)),
    "u4": Kind(4, _whole(4)),
    "b1": Kind(1, _whole(1)),
    "s32": Kind(32, _whole(32)),
}


def registers(matrix: Array, kind: str, place: Place, count: int) -> NDArray[np.uint32]:
    """The 32-bit registers of all lanes, `count` elements a lane, that hold `matrix`."""
    bits = KINDS[kind].bits
    codes = KINDS[kind].encode(matrix)
    out = np.zeros((32, count * bits // 32), np.uint32)
    for lane in range(32):
        for i in range(count):
            code = int(codes[place(lane // 4, lane % 4, i)])
            out[lane, i * bits // 32] |= np.uint32(code << i * bits % 32)
    return out


def matrix_of(held: NDArray[np.uint32], kind: str, shape: tuple[int, int]) -> Array:
    """The result matrix in the registers of all lanes."""
    flat = {"f32": np.float32, "s32": np.int32, "f16": np.float16}[kind]
    values = np.ascontiguousarray(held).view(flat)
    out = np.zeros(shape, flat)
    for lane in range(32):
        for i in range(values.shape[1]):
            out[sums()(lane // 4, lane % 4, i)] = values[lane, i]
    return out
