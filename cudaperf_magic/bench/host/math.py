"""The functions of <math.h> and <algorithm> that host code may call: names to plain functions on Python floats.

C's rules for the edges (domain, poles, overflow) instead of Python's exceptions. Rounding to float is done by the
caller.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from cudaperf_magic.bench.host.types import UINT, ULLONG, Arithmetic

Real = Callable[..., float]


def _guarded(function: Real, pole: float | None = None) -> Real:
    """Python raises where C answers with NaN or infinity."""

    def call(*values: float) -> float:
        try:
            return function(*values)
        except OverflowError:
            return math.inf
        except ValueError:
            return pole if pole is not None and values[0] == 0 else math.nan

    return call


def _pow(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:
        return math.inf if x == 0 else math.nan


def _exp2(x: float) -> float:
    return math.inf if x >= 1024 else 2.0**x


def _whole(function: Callable[[float], float]) -> Real:
    """Rounding functions keep NaN, infinities and the sign of zero."""
    return lambda x: math.copysign(float(function(x)), x) if math.isfinite(x) else x


def _round(x: float) -> float:
    whole = float(math.trunc(x))
    return whole + math.copysign(1.0, x) if abs(x - whole) >= 0.5 else whole


def _fmod(x: float, y: float) -> float:
    return math.fmod(x, y) if math.isfinite(x) and y else math.nan


def _fmax(x: float, y: float) -> float:
    return y if math.isnan(x) or x < y else x


def _fmin(x: float, y: float) -> float:
    return y if math.isnan(x) or y < x else x


def _rsqrt(x: float) -> float:
    return 1.0 / math.sqrt(x)


# The name of the double version; `f` behind it is the float version.
REAL_FUNCTIONS: dict[str, Real] = {
    **{
        name: _guarded(getattr(math, name))
        for name in ("sqrt", "exp", "expm1", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
                     "asinh", "acosh", "atanh", "erf", "erfc", "atan2", "hypot", "copysign", "fabs", "cbrt")
    },
    **{name: _guarded(getattr(math, name), -math.inf) for name in ("log", "log2", "log10", "log1p")},
    "tgamma": _guarded(math.gamma), "lgamma": _guarded(math.lgamma, math.inf), "pow": _pow, "exp2": _exp2,
    "floor": _whole(math.floor), "ceil": _whole(math.ceil), "trunc": _whole(math.trunc), "round": _whole(_round),
    "rint": _whole(round), "nearbyint": _whole(round), "fmod": _fmod, "fmax": _fmax, "fmin": _fmin,
    "fdim": lambda x, y: x - y if x > y else 0.0 if x <= y else math.nan, "rsqrt": _guarded(_rsqrt, math.inf),
}  # fmt: skip

TESTS: dict[str, Callable[[float], bool]] = {"isnan": math.isnan, "isinf": math.isinf, "isfinite": math.isfinite}
TO_INTEGER: dict[str, Real] = {
    "lround": _whole(_round), "llround": _whole(_round), "lrint": _whole(round), "llrint": _whole(round),
}  # fmt: skip
# Of an unsigned number: the type that it is taken as, and the count. The hardware's answers for 0 are taken.
BITS: dict[str, tuple[Arithmetic, Callable[[int], int]]] = {
    **{name: (UINT, lambda v: 32 - v.bit_length()) for name in ("__builtin_clz", "__clz")},
    **{name: (ULLONG, lambda v: 64 - v.bit_length()) for name in ("__builtin_clzll", "__builtin_clzl", "__clzll")},
    **{name: (UINT, int.bit_count) for name in ("__builtin_popcount", "__popc")},
    **{name: (ULLONG, int.bit_count) for name in ("__builtin_popcountll", "__builtin_popcountl", "__popcll")},
    **{name: (UINT, lambda v: (v & -v).bit_length()) for name in ("__builtin_ffs", "__ffs")},
    "__builtin_ctz": (UINT, lambda v: (v & -v).bit_length() - 1 if v else 32),
    "__builtin_ctzll": (ULLONG, lambda v: (v & -v).bit_length() - 1 if v else 64),
}
