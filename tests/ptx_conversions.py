"""What PTX says of cvt, on exact fractions and on lists of all codes: the reference of tests of the simulator.

A result is a list of lanes, each its bits or None for NaN, with the type of a lane.
"""

from __future__ import annotations

import bisect
import functools
import math
from fractions import Fraction

from ptx_floats import FORMATS, MODES, bits_of, clamped, flushed, number, rounded
from ptx_integers import as_type, clamp

WHOLE = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}
# Of the small formats: bits of exponent and fraction, bias, the code of the largest number and that of NaN.
SMALL = {
    "e4m3": (4, 3, 7, 0x7E, 0x7F), "e5m2": (5, 2, 15, 0x7B, 0x7F), "e2m3": (2, 3, 1, 0x1F, 0x1F),
    "e3m2": (3, 2, 3, 0x1F, 0x1F), "e2m1": (2, 1, 1, 0x7, 0x7),
}  # fmt: skip


def code_value(code: int, kind: str) -> Fraction:
    """The number that a code without its sign stands for, as if there were no NaN."""
    _, fraction, bias, _, _ = SMALL[kind]
    exponent, rest = code >> fraction, code & ((1 << fraction) - 1)
    unit = Fraction(2) ** (max(exponent, 1) - bias - fraction)
    return (rest + ((1 << fraction) if exponent else 0)) * unit


@functools.cache
def values(kind: str) -> list[Fraction]:
    return [code_value(code, kind) for code in range(SMALL[kind][3] + 1)]


def encoded(x: float, kind: str) -> int:
    """The code nearest to x, a tie going to the even one; what is too large becomes the largest."""
    bits, fraction, _, most, nan = SMALL[kind]
    if math.isnan(x):
        return nan
    sign = int(math.copysign(1.0, x) < 0) << (bits + fraction)
    if math.isinf(x):
        return sign | most
    size, known = abs(Fraction(x)), values(kind)
    above = min(bisect.bisect_left(known, size), most)
    below = max(above - 1, 0)
    distances = (size - known[below], known[above] - size)
    nearer = below if distances[0] < distances[1] or (distances[0] == distances[1] and below % 2 == 0) else above
    return sign | nearer


def decoded(code: int, kind: str) -> float:
    bits, fraction, _, most, _ = SMALL[kind]
    size, sign = code & ((1 << (bits + fraction)) - 1), code >> (bits + fraction) & 1
    if size > most:
        return math.copysign(math.inf, -1.0 if sign else 1.0) if kind == "e5m2" and size == most + 1 else math.nan
    return math.copysign(float(code_value(size, kind)), -1.0 if sign else 1.0)


def power(x: float, parts: list[str]) -> int:
    """A code of ue8m0, an exponent alone: the sign is lost."""
    if math.isnan(x):
        return 255
    if math.isinf(x):
        return 254 if "satfinite" in parts else 255
    size = abs(Fraction(x))
    code = 0
    while code < 254 and Fraction(2) ** (code + 1 - 127) <= size:
        code += 1
    if "rp" in parts and Fraction(2) ** (code - 127) < size:
        code += 1
    return 254 if code == 255 and "satfinite" in parts else code


def relu(x: float, parts: list[str]) -> float:
    return 0.0 if "relu" in parts and x <= 0 else x


def to_float(x: float | Fraction, kind: str, parts: list[str]) -> int | None:
    """A number, or a whole one as a fraction, in a floating-point type."""
    mode = next((p for p in parts if p in MODES), "rn")
    if isinstance(x, float):
        x = relu(x, parts)
        if "sat" in parts:
            x = clamped(x)
        if math.isnan(x):
            return None
        exact = Fraction(x) if math.isfinite(x) else None
    else:
        exact = x
    form = "tf32" if kind == "tf32" else kind
    found = rounded(exact, form, mode) if exact else float(x)
    holder = "f32" if kind == "tf32" else kind
    found = flushed(found, "f32") if "ftz" in parts and kind == "f32" else found
    return bits_of(found, holder)


def to_whole(x: float, parts: list[str]) -> float:
    if not math.isfinite(x):
        return x
    way = next(WHOLE[p] for p in parts if p in WHOLE)
    return math.copysign(float(way(Fraction(x))), x)


def to_integer(x: float, kind: str, source: str, parts: list[str]) -> int:
    width = int(kind[1:])
    if math.isnan(x):
        return as_type(1 << (width - 1), kind) if source == "f64" or width == 64 else 0
    if math.isinf(x):
        return clamp((1 if x > 0 else -1) << 70, kind)
    way = next((WHOLE[p] for p in parts if p in WHOLE), math.trunc)
    return clamp(way(Fraction(x)), kind)


def convert(opcode: str, bits: int) -> tuple[int | None, str]:
    """One number into one; of an integer the value, which fills the register with its sign."""
    parts = opcode.split(".")
    target, source = parts[-2:]
    if source in FORMATS:
        x = number(bits, source)
        x = flushed(x, "f32") if "ftz" in parts and source == "f32" else x
        if target[0] in "us":
            return to_integer(x, target, source, parts), target
        x = to_whole(x, parts) if any(p in WHOLE for p in parts) else x
        return to_float(x, target, parts), "f32" if target == "tf32" else target
    value = as_type(bits, source)
    if target[0] in "us":
        return clamp(value, target) if "sat" in parts else as_type(value, target), target
    return to_float(Fraction(value), target, parts), target


def pair(opcode: str, high: float, low: float) -> list[tuple[int | None, str]]:
    """Two numbers into one register: the lanes, the lower first."""
    parts = opcode.split(".")
    target = next(p for p in parts if p.endswith("x2")).removesuffix("x2")
    if target in FORMATS:
        return [(to_float(v, target, parts), target) for v in (low, high)]
    if target == "ue8m0":
        return [(power(v, parts), "u8") for v in (low, high)]
    return [(encoded(relu(v, parts), target), "u4" if target == "e2m1" else "u8") for v in (low, high)]


def from_pair(opcode: str, bits: int) -> list[tuple[int | None, str]]:
    parts = opcode.split(".")
    target, source = (p.removesuffix("x2") for p in parts[-2:])
    if source in ("f16", "bf16"):
        high, low = (number(bits >> s & 0xFFFF, source) for s in (16, 0))
        return pair(".".join(parts[:-1]), high, low)
    width = 4 if source == "e2m1" else 8
    codes = [bits >> s & ((1 << width) - 1) for s in (0, width)]
    if source == "ue8m0":
        numbers = [math.nan if c == 255 else 2.0 ** (c - 127) for c in codes]
    else:
        numbers = [decoded(c, source) for c in codes]
    return [(to_float(v, target, parts), target) for v in numbers]


def packed(opcode: str, a: int, b: int, c: int) -> int:
    kind = opcode.split(".")[3]
    width = int(kind[1:])
    x, y = (clamp(as_type(v, "s32"), kind) & ((1 << width) - 1) for v in (a, b))
    return c << 2 * width | x << width | y
