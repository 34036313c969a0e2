"""What PTX says of floating-point opcodes, on exact fractions: the reference of tests of the simulator.

Numbers are Python floats, which hold every half, bfloat16 and float. `reference(opcode)` gives a function of bits; NaN
is None in its answer.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple


class Format(NamedTuple):
    """A binary format: bits of significand with the hidden one, least and greatest exponent, width."""

    precision: int
    least: int
    most: int
    width: int

    @property
    def largest(self) -> Fraction:
        return Fraction(2) ** (self.most + 1) - Fraction(2) ** (self.most + 1 - self.precision)


FORMATS = {
    "f16": Format(11, -14, 15, 16), "bf16": Format(8, -126, 127, 16), "f32": Format(24, -126, 127, 32),
    "f64": Format(53, -1022, 1023, 64), "tf32": Format(11, -126, 127, 32),
}  # fmt: skip
MODES = ("rn", "rz", "rm", "rp", "rna")


def number(bits: int, kind: str) -> float:
    """The number that bits of a type stand for."""
    if kind == "bf16":
        return number(bits << 16, "f32")
    letter, size = {"f16": ("e", 2), "f32": ("f", 4), "f64": ("d", 8)}[kind]
    return float(struct.unpack(f"<{letter}", bits.to_bytes(size, "little"))[0])


def bits_of(value: float, kind: str) -> int:
    """The bits of a number that the type holds exactly."""
    if kind == "bf16":
        return bits_of(value, "f32") >> 16
    letter = {"f16": "e", "f32": "f", "f64": "d"}[kind]
    return int.from_bytes(struct.pack(f"<{letter}", value), "little")


def rounded(exact: Fraction, kind: str, mode: str = "rn") -> float:
    """The number of the type that stands for a fraction other than zero."""
    form = FORMATS[kind]
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, form.least) - form.precision + 1)
    steps = size / unit
    whole, rest = math.floor(steps), steps - math.floor(steps)
    is_up = {
        "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1), "rna": rest >= Fraction(1, 2),
        "rz": False, "rm": exact < 0 and rest > 0, "rp": exact > 0 and rest > 0,
    }[mode]  # fmt: skip
    found = (whole + is_up) * unit
    sign = -1.0 if exact < 0 else 1.0
    if found > form.largest:
        stays = mode == "rz" or (mode == "rm" and exact > 0) or (mode == "rp" and exact < 0)
        return sign * (float(form.largest) if stays else math.inf)
    return math.copysign(float(found), sign)


def sum_of(addends: list[Fraction], signs: list[bool], kind: str, mode: str) -> float:
    """The rounded sum; `signs` say which addends are negative, for a sum of zero."""
    total = sum(addends, Fraction(0))
    if total:
        return rounded(total, kind, mode)
    if all(signs):
        return -0.0
    return -0.0 if mode == "rm" and any(signs) else 0.0


def negative(x: float) -> bool:
    return math.copysign(1.0, x) < 0


def fused(x: float, y: float, z: float, kind: str, mode: str) -> float:
    if math.isnan(x) or math.isnan(y) or math.isnan(z):
        return math.nan
    if math.isinf(x) or math.isinf(y):
        product = x * y
        return product + z
    if math.isinf(z):
        return z
    product = Fraction(x) * Fraction(y)
    return sum_of([product, Fraction(z)], [negative(x) != negative(y), negative(z)], kind, mode)


def times(x: float, y: float, kind: str, mode: str) -> float:
    if not math.isfinite(x) or not math.isfinite(y) or not x or not y:
        return x * y
    return rounded(Fraction(x) * Fraction(y), kind, mode)


def over(x: float, y: float, kind: str, mode: str) -> float:
    if math.isnan(x) or math.isnan(y) or (math.isinf(x) and math.isinf(y)) or (not x and not y):
        return math.nan
    if math.isinf(x) or not y:
        return math.copysign(math.inf, -1.0 if negative(x) != negative(y) else 1.0)
    if math.isinf(y) or not x:
        return math.copysign(0.0, -1.0 if negative(x) != negative(y) else 1.0)
    return rounded(Fraction(x) / Fraction(y), kind, mode)


def root(x: float, kind: str, mode: str) -> float:
    if math.isnan(x) or x < 0:
        return math.nan
    if not x or math.isinf(x):
        return x
    exact = Fraction(x)
    scaled = math.floor(exact * 4**600)
    whole = math.isqrt(scaled)
    # Between two neighbours of so fine a grid nothing can be a tie.
    inexact = whole * whole != scaled or Fraction(scaled) != exact * 4**600
    return rounded((Fraction(whole) + (Fraction(1, 2) if inexact else 0)) / 2**600, kind, mode)


def extreme(name: str, given: list[float], parts: list[str]) -> float:
    numbers = [abs(v) for v in given] if "abs" in parts else given
    if all(map(math.isnan, numbers)) or ("NaN" in parts and any(map(math.isnan, numbers))):
        return math.nan
    real = [v for v in numbers if not math.isnan(v)]
    order = sorted(real, key=lambda v: (v, not negative(v)))  # the zero with a sign is the smaller
    found = order[0] if name == "min" else order[-1]
    if "xorsign" in parts:
        return math.copysign(found, -1.0 if negative(given[0]) != negative(given[1]) else 1.0)
    return found


def holds(relation: str, x: float, y: float) -> bool:
    is_ordered = not math.isnan(x) and not math.isnan(y)
    if relation in ("num", "nan"):
        return is_ordered == (relation == "num")
    if not is_ordered:
        return relation.endswith("u") and len(relation) == 3
    plain = relation[:2]
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[plain]


def flushed(x: float, kind: str) -> float:
    least = Fraction(2) ** FORMATS[kind].least
    return math.copysign(0.0, x) if math.isfinite(x) and abs(Fraction(x)) < least else x


def clamped(x: float) -> float:
    return 0.0 if math.isnan(x) or x <= 0 else min(x, 1.0)


ARITHMETIC: dict[str, Callable[..., float]] = {
    "add": lambda x, y, kind, mode: fused(x, 1.0, y, kind, mode),
    "sub": lambda x, y, kind, mode: fused(x, 1.0, -y, kind, mode),
    "mul": times, "div": over, "fma": fused, "sqrt": root, "rcp": lambda x, kind, mode: over(1.0, x, kind, mode),
}  # fmt: skip


def lane(parts: list[str], kind: str, given: list[float]) -> float:
    """One lane of an arithmetic opcode, on numbers of its type."""
    name = parts[0]
    mode = next((p for p in parts if p in MODES), "rn")
    given = [flushed(v, kind) for v in given] if "ftz" in parts else given
    if name in ("min", "max"):
        found = extreme(name, given, parts)
    elif name in ("abs", "neg"):
        found = abs(given[0]) if name == "abs" else -given[0]
    elif name == "copysign":
        found = math.copysign(given[1], -1.0 if negative(given[0]) else 1.0)
    else:
        found = ARITHMETIC[name](*given, kind, mode)
    found = flushed(found, kind) if "ftz" in parts and not math.isnan(found) else found
    if "relu" in parts and found <= 0:
        found = 0.0
    return clamped(found) if "sat" in parts else found


def compared(parts: list[str], kind: str, x: float, y: float, result: str) -> int:
    """One lane of set: all ones, or one in floating point."""
    relation = next(p for p in parts if p in ("num", "nan") or p[:2] in ("eq", "ne", "lt", "le", "gt", "ge"))
    x, y = (flushed(x, kind), flushed(y, kind)) if "ftz" in parts else (x, y)
    if not holds(relation, x, y):
        return 0
    return bits_of(1.0, result) if result in FORMATS else (1 << int(result[1:])) - 1


def reference(opcode: str) -> Callable[..., list[int | None]]:
    """The function of an opcode: from the bits of its operands to the bits of each lane of the result."""
    parts = opcode.split(".")
    kinds = [p for p in parts[1:] if p in FORMATS or p.endswith("x2") or p in ("u32", "s32")]
    kind = kinds[-1].removesuffix("x2")
    lanes = 2 if kinds[-1].endswith("x2") else 1
    width = FORMATS[kind].width

    def function(*operands: int) -> list[int | None]:
        found: list[int | None] = []
        for i in range(lanes):
            given = [number(v >> width * i & ((1 << width) - 1), kind) for v in operands]
            if parts[0] == "set":
                result = kinds[0].removesuffix("x2") if kinds[0] in (kinds[1], "f32") or lanes == 1 else "u16"
                found.append(compared(parts, kind, *given, result))
                continue
            value = lane(parts, kind, given)
            found.append(None if math.isnan(value) else bits_of(value, kind))
        return found

    return function


def mixed(opcode: str) -> Callable[..., list[int | None]]:
    """add, sub and fma of floats whose first operands are half or bfloat16."""
    parts = opcode.split(".")

    def function(*operands: int) -> list[int | None]:
        given = [number(v, parts[-1]) for v in operands[:-1]] + [number(operands[-1], "f32")]
        value = lane(parts, "f32", given)
        return [None if math.isnan(value) else bits_of(value, "f32")]

    return function
