"""The cvt instruction between all types, in every rounding, against exact fractions."""

from __future__ import annotations

import math

import numpy as np
import ptx_conversions
import pytest
from ptx_floats import FORMATS, number
from ptx_integers import as_type
from simulated import KERNELS, run
from test_simulator_ptx import special

FILE = "coverage/conversions.cu"
ARCH = "sm_100a"  # has every form
RESULT_BITS = {"H": 16, "R": 32, "L": 64}


def lines_of(kernel: str) -> list[tuple[str, str]]:
    """The lines of a kernel, as shape and opcode."""
    text = (KERNELS / FILE).read_text().split(f"void {kernel}(")[1].split("\n}")[0]
    lines = [line.strip().partition('("') for line in text.splitlines()]
    return [(shape, rest.split('"')[0]) for shape, _, rest in lines if shape.isupper() or shape[:-1].isupper()]


def results(kernel: str, columns: list[np.ndarray], count: int, arch: str = ARCH) -> list[list[int]]:
    n = len(columns[0])
    out = np.zeros((count, n), np.uint64)
    names = [f"x{i}" for i in range(len(columns))]
    arrays = dict(zip(names, columns, strict=True)) | {"out": out}
    assert not run(FILE, kernel, -(-n // 128), 128, (*names, "out", n), arrays, arch=arch).faults
    return out.tolist()


def differs(found: int, wanted: int | None, kind: str) -> bool:
    return not math.isnan(number(found, kind)) if wanted is None else found != wanted


def numbers(kind: str) -> list[int]:
    """Bits of special numbers, ends of integer ranges and what lies about them, ties, and random numbers."""
    random, form = np.random.default_rng(7), FORMATS[kind]
    found = special(kind)
    holder = {"f16": "f2", "f64": "f8"}.get(kind, "f4")
    for power in (0, 7, 8, 15, 16, 31, 32, 63, 64):
        for offset in (-1.0, -0.5, 0.0, 0.5, 1.0, 1.5):
            size = 2.0**power + offset
            if size < float(np.finfo(holder).max):
                bits = [int(np.array(v, holder).view(f"u{holder[1]}")) for v in (size, -size)]
                found += [v >> 16 for v in bits] if kind == "bf16" else bits
    found += [int(v) for v in random.integers(0, 1 << (form.width - 1), 100, dtype=np.uint64)]
    bias, fraction = (1 << (form.width - form.precision - 1)) - 1, form.precision - 1
    for spread in (3, 20, 70):
        exponents = np.clip(bias + random.integers(-spread, spread, 60), 0, 2 * bias)
        mantissas = random.integers(0, 1 << 62, 60) >> (62 - fraction)
        found += [int(e) << fraction | int(m) for e, m in zip(exponents, mantissas, strict=True)]
        found += [int(e) << fraction | 1 << max(fraction - 11, 0) | 1 << (fraction - 1) for e in exponents]
    return found


@pytest.mark.parametrize(("kernel", "kind", "arch"), [
    ("from_floats", "f32", ARCH), ("from_doubles", "f64", ARCH), ("from_halves", "f16", ARCH),
    ("from_bfloats", "bf16", ARCH), ("from_floats", "f32", "sm_90"), ("from_doubles", "f64", "sm_90"),
])  # fmt: skip
def test_floating_point_numbers_convert_to_every_type(kernel: str, kind: str, arch: str) -> None:
    given, lines = numbers(kind), lines_of(kernel)
    out = results(kernel, [np.array(given, f"u{FORMATS[kind].width // 8}")], len(lines), arch)
    wrong = []
    for (shape, opcode), row in zip(lines, out, strict=True):
        for bits, found in zip(given, row, strict=True):
            wanted, result = ptx_conversions.convert(opcode, bits)
            if wanted is not None and result[0] in "us":
                wanted &= (1 << RESULT_BITS[shape[1]]) - 1
            if differs(found, wanted, result):
                wrong.append(f"{opcode} of {bits:#x} ({number(bits, kind)}): {found:#x}, not {wanted}")
                break
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("kernel", "width"), [("from_words", 32), ("from_doublewords", 64)])
def test_integers_convert_to_every_type(kernel: str, width: int) -> None:
    random, lines = np.random.default_rng(11), lines_of(kernel)
    given = [v + d for w in (0, 7, 8, 15, 16, 24, 31, 32, 53, 63, 64) for v in (1 << w, -(1 << w)) for d in (-1, 0, 1)]
    given += [
        (1 << w) + (1 << max(w - b, 0)) + d for w in range(9, 64, 3) for b in (8, 9, 11, 12, 24) for d in (-1, 0, 1)
    ]
    given = [v % (1 << width) for v in given]
    given += [int(v) >> int(s) for v, s in zip(random.integers(0, 1 << width, 99, np.uint64), range(99), strict=True)]
    out = results(kernel, [np.array(given, f"u{width // 8}")], len(lines))
    wrong = []
    for (shape, opcode), row in zip(lines, out, strict=True):
        for bits, found in zip(given, row, strict=True):
            if "pack" in opcode:
                x = as_type(bits, "s32")
                wanted: int | None = ptx_conversions.packed(
                    opcode, *((x, x >> 17, 0) if shape[-1] == "2" else (x >> 22, x >> 25, x))
                )
                result = "u32"
            else:
                wanted, result = ptx_conversions.convert(opcode, bits)
            if wanted is not None and result[0] in "us":
                wanted &= (1 << RESULT_BITS[shape[1]]) - 1
            if differs(found, wanted, result):
                wrong.append(f"{opcode} of {bits:#x}: {found:#x}, not {wanted}")
                break
    assert not wrong, "\n".join(wrong)


def check_lanes(opcode: str, found: int, lanes: list[tuple[int | None, str]], of: str) -> None:
    at = 0
    for wanted, kind in lanes:
        width = FORMATS[kind].width if kind in FORMATS else int(kind[1:])
        part = found >> at & ((1 << width) - 1)
        assert not differs(part, wanted, kind), f"{opcode} of {of}: {found:#x}, its part {part:#x} should be {wanted}"
        at += width


def test_two_floats_convert_into_one_register() -> None:
    given, lines = numbers("f32"), lines_of("pairs_from_floats")
    low = given[::-1]
    out = results("pairs_from_floats", [np.array(v, np.uint32) for v in (given, low)], len(lines))
    for (_, opcode), row in zip(lines, out, strict=True):
        for a, b, found in zip(given, low, row, strict=True):
            x, y = number(a, "f32"), number(b, "f32")
            check_lanes(opcode, found, ptx_conversions.pair(opcode.removesuffix(".f32"), x, y), f"{x}, {y}")


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_pairs_of_halves_convert_to_pairs_of_smaller_numbers(kind: str) -> None:
    halves, lines = numbers(kind), lines_of("pairs_from_pairs")
    given = [a << 16 | b for a, b in zip(halves, halves[::-1], strict=True)]
    out = results("pairs_from_pairs", [np.array(given, np.uint32)], len(lines))
    for (_, opcode), row in zip(lines, out, strict=True):
        if opcode.endswith(f".{kind}x2"):
            for bits, found in zip(given, row, strict=True):
                check_lanes(opcode, found, ptx_conversions.from_pair(opcode, bits), hex(bits))


def test_every_code_of_the_small_formats_converts_back() -> None:
    lines = lines_of("pairs_of_halves")
    given = [a << 8 | (a * 7 + 3) % 256 for a in range(256)]
    out = results("pairs_of_halves", [np.array(given, np.uint16)], len(lines))
    for (_, opcode), row in zip(lines, out, strict=True):
        for bits, found in zip(given, row, strict=True):
            if not opcode.endswith(("e2m3x2", "e3m2x2")) or bits & 0xC0C0 == 0:  # their upper two bits are zero
                check_lanes(opcode, found, ptx_conversions.from_pair(opcode, bits), hex(bits))
