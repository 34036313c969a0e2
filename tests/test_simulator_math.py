"""CUDA's math library in the simulator, against high precision and the bounds of the CUDA C++ Programming Guide."""

from __future__ import annotations

import ctypes
import ctypes.util
import math
from typing import Any

import numpy as np
import pytest
from math_references import FUNCTIONS, INTRINSICS, PRECISION_BITS, Function, growth
from mpmath import mp, mpf
from numpy.typing import NDArray
from simulated import KERNELS, run

N = 96
FILES = {"f4": "coverage/math_float.cu", "f8": "coverage/math_double.cu"}
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, 2.0, 3.0, -2.5]


def calls(kind: str, part: int) -> list[str]:
    """The expressions of a kernel, in their order."""
    text = (KERNELS / FILES[kind]).read_text().split(f"void part{part}(")[1].split("\n}")[0]
    return [line.strip()[4:-2] for line in text.splitlines() if line.strip().startswith("PUT(")]


def evaluate(kind: str, part: int, columns: list[NDArray[Any]]) -> NDArray[Any]:
    n = len(columns[0])
    out = np.zeros((len(calls(kind, part)), n), kind)
    arrays = dict(zip("xyz", columns, strict=True)) | {"out": out}
    assert not run(FILES[kind], f"part{part}", -(-n // 96), 96, ("x", "y", "z", "out", n), arrays).faults
    return out


def function_of(call: str, kind: str) -> tuple[str, Function]:
    """The function that an expression calls; a float's name ends in f."""
    name = call.removeprefix("(float)").removeprefix("(double)").split("(")[0]
    if name in INTRINSICS:
        return name, INTRINSICS[name]
    plain = name[:-1] if kind == "f4" and name[-1] == "f" else name
    return plain, FUNCTIONS[plain]


def operands(call: str, row: tuple[float, ...], i: int) -> tuple[Any, ...]:
    """The values of a call's arguments; i is the thread."""
    text = call.removeprefix("(float)").removeprefix("(double)")
    names = {"x": row[0], "y": row[1], "z": row[2], "i": i}
    return tuple(eval(part.replace("(int)", ""), {}, names) for part in text.split("(", 1)[1][:-1].split(","))


def inputs(kind: str) -> list[NDArray[Any]]:
    """Numbers about one, within one, and of every size that exp still takes."""
    random = np.random.default_rng(17)
    third = N // 3
    columns = []
    for _ in range(3):
        sizes = [random.standard_normal(third), random.uniform(-1, 1, third), random.standard_normal(third) * 40]
        columns.append(np.concatenate(sizes).astype(kind))
    columns[0][:8] = [0.5, 1.0, 2.5, -1.5, 1e-5, -1e-7, 1e4, 30.0]
    return columns


def rounded(exact: Any, kind: str) -> tuple[float, float]:
    """The nearest number of the type, and the distance between numbers there."""
    info = np.finfo(kind)
    if exact == 0 or not mp.isfinite(exact):
        return float(exact), float(info.smallest_subnormal)
    exponent = max(mp.frexp(exact)[1] - 1, info.minexp)
    unit = mpf(2) ** (exponent - info.nmant)
    steps = mp.nint(exact / unit)  # ties to even
    found = steps * unit
    if abs(found) > mpf(float(info.max)):
        return math.copysign(math.inf, float(mp.sign(found))), float(unit)
    return float(found), float(unit)


def too_far(name: str, function: Function, given: tuple[Any, ...], found: float, kind: str) -> str:
    """What is wrong with a result; empty when nothing is."""
    with mp.workprec(PRECISION_BITS):
        numbers = tuple(mpf(v) if isinstance(v, float) else v for v in given)
        if not function.domain(*numbers):
            return ""
        try:
            exact = function.exact(*numbers)
        except (ValueError, ZeroDivisionError):
            return ""
        if isinstance(exact, mp.mpc) or mp.isnan(exact):
            return "" if math.isnan(found) else f"{found}, not NaN"
        nearest, unit = rounded(exact, kind)
    units = function.float_ulps if kind == "f4" else function.double_ulps
    allowed = max((units + growth(name, *given)) * unit, function.absolute[kind == "f8"])
    if found == nearest or abs(found - nearest) <= allowed:
        return ""
    return f"{found!r}, not {nearest!r}: {(found - nearest) / unit:.1f} units, {units} allowed"


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_math_functions_are_within_the_bounds_of_the_guide(kind: str, part: int) -> None:
    columns = inputs(kind)
    out = evaluate(kind, part, columns)
    rows = list(zip(*(c.tolist() for c in columns), strict=True))
    wrong = []
    for call, results in zip(calls(kind, part), out.tolist(), strict=True):
        if "nextafter" in call:
            continue  # a step, not a value: tested below
        name, function = function_of(call, kind)
        for i, (row, found) in enumerate(zip(rows, results, strict=True)):
            given = operands(call, row, i)
            problem = too_far(name, function, given, found, kind)
            if problem:
                wrong.append(f"{call} of {given}: {problem}")
                break
    assert not wrong, "\n".join(wrong)


# What the C library answers for infinities, zeros and NaN, CUDA's does too (C99, annex F).
AS_IN_C = """
    sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc
    tgamma floor ceil trunc rint round nearbyint logb hypot atan2 pow fmod remainder fdim copysign nextafter
"""


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_infinities_zeros_and_nan_give_what_the_c_library_gives(kind: str) -> None:
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    letter, real = ("f", ctypes.c_float) if kind == "f4" else ("", ctypes.c_double)
    x, y = (np.array(v, kind) for v in zip(*[(a, b) for a in SPECIAL for b in SPECIAL], strict=True))
    seen = set()
    for part in range(4):
        out = evaluate(kind, part, [x, y, x])
        for call, results in zip(calls(kind, part), out, strict=True):
            name = call.split("(")[0].removesuffix(letter) if letter else call.split("(")[0]
            if name not in AS_IN_C.split() or call.startswith("("):
                continue
            seen.add(name)
            count = call.count(",") + 1
            c_function = getattr(library, name + letter)
            c_function.restype, c_function.argtypes = real, [real] * count
            for a, b, found in zip(x.tolist(), y.tolist(), results.tolist(), strict=True):
                wanted = c_function(*(a, b)[:count])
                same = math.isnan(found) if math.isnan(wanted) else math.isclose(found, wanted, rel_tol=1e-6)
                assert same and (math.isnan(wanted) or math.copysign(1, found) == math.copysign(1, wanted)), (
                    f"{call} of {a}, {b}: {found}, but {wanted} in C"
                )
    assert seen == set(AS_IN_C.split())


def fast(part: int, columns: list[NDArray[Any]], *options: str) -> NDArray[Any]:
    n = len(columns[0])
    out = np.zeros((len(calls("f4", part)), n), np.float32)
    arrays = dict(zip("xyz", (c.copy() for c in columns), strict=True)) | {"out": out}
    assert not run(FILES["f4"], f"part{part}", 1, n, ("x", "y", "z", "out", n), arrays, nvrtc=options).faults
    return out


@pytest.mark.parametrize("part", range(4))
def test_fast_math_stays_close_where_it_may_be_used(part: int) -> None:
    columns = [np.minimum(np.abs(c) + np.float32(0.25), np.float32(3.0)) for c in inputs("f4")]
    pairs = zip(calls("f4", part), fast(part, columns), fast(part, columns, "-use_fast_math"), strict=True)
    for call, slow, quick in pairs:
        if "remainder" not in call and "fmod" not in call and "quotient" not in call:  # a step where y divides x
            assert np.allclose(slow, quick, rtol=2e-4, atol=2e-5, equal_nan=True), call


def test_fast_math_flushes_subnormal_numbers() -> None:
    part, tiny = next(p for p in range(4) if "fabsf(x)" in calls("f4", p)), np.full(32, 1e-40, np.float32)
    at = calls("f4", part).index("fabsf(x)")
    assert (fast(part, [tiny] * 3)[at] == tiny).all()
    assert (fast(part, [tiny] * 3, "-use_fast_math")[at] == 0).all()
