"""Every integer and bit opcode of PTX against a reference of its own, bit for bit, on edges and random operands."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from ptx_integers import reference
from simulated import KERNELS, run

FILE = "coverage/integers.cu"
N = 640
MASK32 = 0xFFFFFFFF


class Line(NamedTuple):
    shape: str  # the macro: what operands are made of x, y and z
    opcode: str
    table: int


def lines_of(kernel: str) -> list[Line]:
    """The opcodes of a kernel of the file, in their order."""
    text = (KERNELS / FILE).read_text().split(f"void {kernel}(")[1].split("\n}")[0]
    found = []
    for line in text.splitlines():
        shape, is_call, rest = line.strip().partition('("')
        if is_call and shape[:1] in "HRL":
            opcode, *others = rest.split('"')
            found.append(Line(shape, opcode, int(others[1], 16) if len(others) > 2 else 0))
    return found


def operands(shape: str, x: int, y: int, z: int) -> tuple[int, ...]:
    small = 127 if shape[0] == "L" else 63
    count = int(shape[1])
    made = {
        "S": (x, y & small, z & small) if count < 4 else (x, y, z & small, z >> 8 & small), "C": (x, y, z & 63),
        "F": (x, y & 31, z % 17 - 8), "W": (x, y, (z & MASK32) << (7 if shape[0] == "H" else 9)),
    }.get(shape[2:], (x, y, z))  # fmt: skip
    return made[:count]


def inputs(width: int) -> list[NDArray[Any]]:
    """Three columns: all pairs of edges, then random numbers, many of them small."""
    random, top = np.random.default_rng(width), 1 << width
    edge = [0, 1, 2, 31, 33, top // 2 - 1, top // 2, top // 2 + 1, top - 2, top - 1, 0x7F80 % top, 0x80FF % top]
    pairs = [(a, b) for a in edge for b in edge]
    rest = random.integers(0, top, (N - len(pairs), 3), dtype=np.uint64 if width == 64 else np.int64)
    rest[::3] >>= rest.dtype.type(width // 2)
    columns = [[p[0] for p in pairs], [p[1] for p in pairs], [edge[i % 11] for i in range(len(pairs))]]
    return [np.array([*c, *rest[:, j].tolist()], f"u{width // 8}") for j, c in enumerate(columns)]


@pytest.mark.parametrize(("kernel", "width"), [("halfwords", 16), ("words", 32), ("doublewords", 64)])
def test_every_integer_opcode_gives_what_ptx_says(kernel: str, width: int) -> None:
    columns = inputs(width)
    lines = lines_of(kernel)
    out = np.zeros((len(lines), N), np.uint64)
    arrays = dict(zip("xyz", columns, strict=True)) | {"out": out}
    assert not run(FILE, kernel, -(-N // 128), 128, ("x", "y", "z", "out", N), arrays).faults
    rows = list(zip(*(c.tolist() for c in columns), strict=True))
    wrong = []
    for line, results in zip(lines, out.tolist(), strict=True):
        function = reference(line.opcode, line.table)
        bits = {"W": 2 * width, "N": 32}.get(line.shape[2:], width)
        for row, result in zip(rows, results, strict=True):
            expected = function(*operands(line.shape, *row)) & ((1 << bits) - 1)
            if expected != result:
                wrong.append(f"{line.opcode} of {operands(line.shape, *row)}: {result:#x}, not {expected:#x}")
                break
    assert not wrong, "\n".join(wrong)


def test_carries_go_from_one_instruction_to_the_next() -> None:
    columns = inputs(32)
    out = np.zeros((22, N), np.uint32)
    arrays = dict(zip("xyz", columns, strict=True)) | {"out": out}
    assert not run(FILE, "carries", 5, 128, ("x", "y", "z", "out", N), arrays).faults
    for i, (x, y, z) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        p, q = x << 32 | y, z << 32 | x
        long, other, total = p << 64 | q, q << 64 | p, (p + q) % 2**64
        numbers = [
            ((x | y << 32 | z << 64) + (y | z << 32 | x << 64), 3),
            ((x | y << 32 | z << 64) - (y | z << 32 | x << 64), 3),
            ((x | y << 32) * (z | y << 32), 4), ((p | q << 64) + (q | p << 64), 4),
            (long * (other + x) - y, 4), (long // (total | 1) >> (x & 31), 4),
        ]  # fmt: skip
        expected = [number >> 32 * j & MASK32 for number, words in numbers for j in range(words)]
        assert out[:, i].tolist() == expected, f"x={x:#x} y={y:#x} z={z:#x}"
