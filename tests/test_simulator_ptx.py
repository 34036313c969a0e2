"""Every integer, bit and floating-point opcode of PTX against references of their own, bit for bit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import ptx_floats
import ptx_integers
import pytest
from numpy.typing import NDArray
from simulated import KERNELS, run

INTEGERS, FLOATS = "coverage/integers.cu", "coverage/floats.cu"
N = 640
MASK32 = 0xFFFFFFFF


class Line(NamedTuple):
    shape: str  # the macro: what operands are made of x, y and z
    opcode: str
    table: int


def lines_of(file: str, kernel: str) -> list[Line]:
    """The opcodes of a kernel of a file, in their order."""
    text = (KERNELS / file).read_text().split(f"void {kernel}(")[1].split("\n}")[0]
    found = []
    for line in text.splitlines():
        shape, is_call, rest = line.strip().partition('("')
        if is_call and shape[:1] in "HRLPFDQ":
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
    lines = lines_of(INTEGERS, kernel)
    out = np.zeros((len(lines), N), np.uint64)
    arrays = dict(zip("xyz", columns, strict=True)) | {"out": out}
    assert not run(INTEGERS, kernel, -(-N // 128), 128, ("x", "y", "z", "out", N), arrays).faults
    rows = list(zip(*(c.tolist() for c in columns), strict=True))
    wrong = []
    for line, results in zip(lines, out.tolist(), strict=True):
        function = ptx_integers.reference(line.opcode, line.table)
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
    assert not run(INTEGERS, "carries", 5, 128, ("x", "y", "z", "out", N), arrays).faults
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


def special(kind: str) -> list[int]:
    """Bits of numbers at which something changes: zeros, the ends of every range, ties, NaN."""
    form = ptx_floats.FORMATS[kind]
    fraction, sign = form.precision - 1, 1 << (form.width - 1)
    top = (1 << (form.width - form.precision)) - 1  # the exponent of infinity
    one = top // 2 << fraction
    found = [
        0, 1, 2, (1 << fraction) - 1, 1 << fraction, one, one + 1, one - 1, one | 1 << (fraction - 1), 2 << fraction,
        (top << fraction) - 1, top << fraction, top << fraction | 1 << (fraction - 1), one + (fraction << fraction),
    ]  # fmt: skip
    return [v | s for v in found for s in (0, sign)]


def float_bits(kind: str, seed: int) -> list[list[int]]:
    """Three columns of bits: pairs of special numbers, then random ones, most of them near one."""
    form, random = ptx_floats.FORMATS[kind], np.random.default_rng(seed)
    edges = special(kind)
    rows = [(a, b, edges[(i * 7 + j * 3) % len(edges)]) for i, a in enumerate(edges) for j, b in enumerate(edges)]
    bias, fraction = (1 << (form.width - form.precision - 1)) - 1, form.precision - 1
    for _ in range(400):
        spread = int(random.choice([2, form.precision, bias // 2]))
        row = []
        for _ in range(3):
            exponent = int(np.clip(bias + random.integers(-spread, spread + 1), 0, 2 * bias))
            mantissa = int(random.integers(0, 1 << 62)) >> (62 - fraction)
            kept = int(random.choice([3, fraction // 2, fraction]))  # short ones make ties
            mantissa &= ~((1 << (fraction - min(kept, fraction))) - 1)
            row.append(int(random.integers(0, 2)) << (form.width - 1) | exponent << fraction | mantissa)
        rows.append((row[0], row[1], row[2]))
    return [list(column) for column in zip(*rows, strict=True)]


CASES = [
    ("halves", "f16", 1, "sm_90"), ("halves", "bf16", 1, "sm_90"), ("pairs", "f16", 2, "sm_90"),
    ("pairs", "bf16", 2, "sm_90"), ("floats", "f32", 1, "sm_90"), ("doubles", "f64", 1, "sm_90"),
    ("float_pairs", "f32", 2, "sm_100"), ("triples", "f32", 1, "sm_100"), ("floats", "f32", 1, "sm_120"),
]  # fmt: skip


def wrong_lanes(wanted: list[int | None], result: int, kinds: list[str]) -> bool:
    """Whether a result differs: any NaN is as good as another."""
    for i, (expected, kind) in enumerate(zip(wanted, kinds, strict=True)):
        width = ptx_floats.FORMATS[kind].width if kind in ptx_floats.FORMATS else int(kind[1:])
        found = result >> width * i & ((1 << width) - 1)
        if expected is None:
            if not np.isnan(ptx_floats.number(found, kind)):
                return True
        elif found != expected:
            return True
    return False


@pytest.mark.parametrize(("kernel", "kind", "lanes", "arch"), CASES)
def test_every_floating_point_opcode_is_exact(kernel: str, kind: str, lanes: int, arch: str) -> None:
    columns = float_bits(kind, lanes)
    width = ptx_floats.FORMATS[kind].width
    if lanes == 2:
        columns = [[a | b << width for a, b in zip(c, reversed(c), strict=True)] for c in columns]
    n = len(columns[0])
    given = [np.array(column, f"u{width * lanes // 8}") for column in columns]
    lines = lines_of(FLOATS, kernel)
    out = np.zeros((len(lines), n), np.uint64)
    arrays = dict(zip("xyz", given, strict=True)) | {"out": out}
    assert not run(FLOATS, kernel, -(-n // 128), 128, ("x", "y", "z", "out", n), arrays, arch=arch).faults
    rows = list(zip(*columns, strict=True))
    wrong, seen = [], 0
    for line, results in zip(lines, out.tolist(), strict=True):
        last = line.opcode.split(".")[-1].removesuffix("x2")
        if last != kind:
            continue
        seen += 1
        function = ptx_floats.reference(line.opcode)
        result = line.opcode.split(".")[-2] if line.opcode.startswith("set") and line.shape.endswith("N") else kind
        kinds = [result if lanes == 1 or result == kind else "u16"] * lanes
        for row, found in zip(rows, results, strict=True):
            operands = row[: int(line.shape[1])]
            if wrong_lanes(function(*operands), found, kinds):
                expected = [v if v is None else hex(v) for v in function(*operands)]
                wrong.append(f"{line.opcode} of {[hex(v) for v in operands]}: {found:#x}, not {expected}")
                break
    assert seen and not wrong, "\n".join(wrong)


def test_sums_of_mixed_precision_are_exact() -> None:
    columns = float_bits("f16", 3)
    n = len(columns[0])
    given = [np.array(column, np.uint16) for column in columns]
    lines = lines_of(FLOATS, "mixed")
    out = np.zeros((len(lines), n), np.uint64)
    arrays = dict(zip("xyz", given, strict=True)) | {"out": out}
    assert not run(FLOATS, "mixed", -(-n // 128), 128, ("x", "y", "z", "out", n), arrays, arch="sm_100").faults
    for line, results in zip(lines, out.tolist(), strict=True):
        function = ptx_floats.mixed(line.opcode)
        for x, y, z, found in zip(*columns, results, strict=True):
            operands = (x, y << 16 | z) if line.shape[1] == "2" else (x, y, y << 16 | z)
            assert not wrong_lanes(function(*operands), found, ["f32"]), f"{line.opcode} of {operands}: {found:#x}"
