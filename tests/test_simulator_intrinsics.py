"""CUDA's intrinsics on packed integers, each against its definition on every lane."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from ptx_integers import ORDER, as_type, clamp, lowest_bits
from simulated import KERNELS, run

FILE = "coverage/simd.cu"
N = 512
# Of packed lanes: what each does to lanes a and b, given as numbers of `kind`.
LANES: dict[str, Callable[[int, int], int]] = {
    "abs": lambda a, b: abs(a), "neg": lambda a, b: -a, "add": lambda a, b: a + b, "sub": lambda a, b: a - b,
    "avg": lambda a, b: (a + b + (a + b >= 0)) >> 1,  # a half goes away from zero
    "hadd": lambda a, b: (a + b) >> 1, "absdiff": lambda a, b: abs(a - b),
    "max": lambda a, b: max(a, b), "min": lambda a, b: min(a, b),
}  # fmt: skip


def packed(name: str, x: int, y: int) -> int:
    """`__v`, an operation, u or s of the lanes' type, ss or us where it saturates, and how many lanes."""
    count = int(name[-1])
    width, stem = 32 // count, name[:-1]
    saturates = stem.endswith(("ss", "us"))
    stem, sign = (stem[:-2], stem[-2]) if saturates else (stem, "u")
    for prefix in ("cmp", "set", "sad"):
        if stem.startswith(prefix):
            rest = stem.removeprefix(prefix)
            return gathered(prefix, rest[:2], rest[-1], x, y, width)
    if stem[-1] in "us" and stem[:-1] in LANES and stem not in LANES:
        stem, sign = stem[:-1], stem[-1]
    kind = f"{'s' if stem in ('abs', 'neg') else sign}{width}"
    total = 0
    for i in range(0, 32, width):
        value = LANES[stem](as_type(x >> i, kind), as_type(y >> i, kind))
        total |= ((clamp(value, kind) if saturates else value) & lowest_bits(width)) << i
    return total


def gathered(prefix: str, relation: str, sign: str, x: int, y: int, width: int) -> int:
    """Comparisons, whose lanes are all ones or one, and sums of differences."""
    kind = f"{sign if sign in 'us' else 'u'}{width}"
    total = 0
    for i in range(0, 32, width):
        a, b = as_type(x >> i, kind), as_type(y >> i, kind)
        if prefix == "sad":
            total += abs(a - b)
        elif ORDER[relation](a, b):
            total |= (lowest_bits(width) if prefix == "cmp" else 1) << i
    return total


def of_three(name: str, x: int, y: int, z: int) -> int:
    """`__vi`, add and then max or min, or of three; its type; `_relu`."""
    words = name.split("_")
    kind = words[1][:3]
    width = 16 if words[1].endswith("x2") else 32
    choose = max if "max" in words[0] else min
    total = 0
    for i in range(0, 32, width):
        a, b, c = (as_type(v >> i, f"{kind[0]}{width}") for v in (x, y, z))
        given = [as_type(a + b, f"{kind[0]}{width}"), c] if words[0].startswith("viadd") else [a, b, c]
        given = given[:2] if words[0] in ("vimax", "vimin") else given
        value = max(choose(given), 0) if words[-1] == "relu" else choose(given)
        total |= (value & lowest_bits(width)) << i
    return total


def names() -> list[str]:
    lines = (KERNELS / FILE).read_text().splitlines()
    return [line.strip().removeprefix("PUT(__").split("(")[0] for line in lines if line.strip().startswith("PUT(")]


def inputs() -> list[NDArray[Any]]:
    random = np.random.default_rng(5)
    columns = [random.integers(0, 1 << 32, N, dtype=np.uint32) for _ in range(3)]
    edges = np.array([0x00000000, 0x80008000, 0x7FFF8000, 0x80807F7F, 0xFFFFFFFF, 0x01010101, 0xFFFE0001, 0x7F80FF00])
    columns[0][:64], columns[1][:64] = np.repeat(edges, 8), np.tile(edges, 8)
    columns[1][64:128] = columns[0][64:128]
    columns[1][128:160] = columns[0][128:160] ^ 0xFF
    return columns


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_every_intrinsic_of_packed_integers_does_what_it_says_in_each_lane(arch: str) -> None:
    columns, wanted = inputs(), names()
    out = np.zeros((len(wanted), N), np.uint32)
    arrays = dict(zip("xyz", columns, strict=True)) | {"out": out}
    assert not run(FILE, "simd", 4, 128, ("x", "y", "z", "out", N), arrays, arch=arch).faults
    rows = list(zip(*(c.tolist() for c in columns), strict=True))
    for name, results in zip(wanted, out.tolist(), strict=True):
        function = of_three if name.startswith("vi") else lambda name, x, y, z: packed(name[1:], x, y)
        for row, result in zip(rows, results, strict=True):
            expected = function(name, *row) & 0xFFFFFFFF
            assert result == expected, f"__{name} of {[hex(v) for v in row]}: {result:#x}, not {expected:#x}"
