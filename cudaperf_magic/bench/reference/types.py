"""C's arithmetic types as the oracle needs them: promotion, conversion, and what a call to <math.h> gives back.

It names types and nothing else; the C that uses them is written by reference_c.py. Types are the canonical spellings of
compiler/loops.py, and `long` has 64 bits.
"""

from __future__ import annotations

# Rank of the types that arithmetic happens in; everything narrower is promoted to int first.
_RANKS = ("int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "float", "double")
NUMPY = {
    "bool": "bool", "char": "int8", "signed char": "int8", "unsigned char": "uint8", "short": "int16",
    "unsigned short": "uint16", "int": "int32", "unsigned int": "uint32", "long": "int64", "unsigned long": "uint64",
    "long long": "int64", "unsigned long long": "uint64", "float": "float32", "double": "float64",
}  # fmt: skip
FLOATING = ("float", "double")
SIGNED_ARITHMETIC = ("int", "long", "long long")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=", "&&", "||")

# <math.h> by base name. Exact: the result is one of a few representable numbers, no rounding noise belongs to it.
EXACT = frozenset((
    "fabs", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "fmin", "fmax", "copysign", "fmod", "remainder",
    "nextafter", "logb",
))  # fmt: skip
# Correctly rounded, like + and *: one rounding, no more.
ROUNDED = frozenset(("sqrt", "fma", "fdim", "ldexp", "scalbn", "scalbln"))
APPROXIMATE = frozenset((
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp",
    "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "pow", "cbrt", "hypot", "erf", "erfc", "tgamma",
    "lgamma", "j0", "j1", "jn", "y0", "y1", "yn",
))  # fmt: skip
_ROUND_TO_INTEGER = {
    "lround": "long", "lrint": "long", "llround": "long long", "llrint": "long long", "ilogb": "int",
}  # fmt: skip
_CLASSES = frozenset(("isnan", "isinf", "isfinite", "isnormal", "signbit"))
_INTEGER = {"abs": "int", "labs": "long", "llabs": "long long"}
# Which arguments of a floating function are integers, by place.
INTEGER_ARGUMENTS = {"ldexp": (1,), "scalbn": (1,), "scalbln": (1,), "jn": (0,), "yn": (0,)}


def is_floating(kind: str) -> bool:
    return kind in FLOATING


def promoted(kind: str) -> str:
    """Integer promotion: every type narrower than int fits an int."""
    return kind if kind in _RANKS else "int"


def common(left: str, right: str) -> str:
    """The usual arithmetic conversions."""
    left, right = promoted(left), promoted(right)
    higher = max(left, right, key=_RANKS.index)
    lower = min(left, right, key=_RANKS.index)
    # unsigned long with long long: both have 64 bits, so the signed one cannot hold it.
    if higher == "long long" and lower == "unsigned long":
        return "unsigned long long"
    return higher


def integer_limits(kind: str) -> tuple[int, int]:
    """Least and greatest value of an integer type."""
    if kind == "bool":
        return 0, 1
    name = NUMPY[kind]
    bits = int(name.lstrip("uint"))
    return (0, 2**bits - 1) if name.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def base_name(function: str) -> str:
    """`sqrtf` -> `sqrt`; a name that is no <math.h> function stays."""
    known = EXACT | ROUNDED | APPROXIMATE | frozenset(_ROUND_TO_INTEGER)
    if function not in known and function.endswith("f") and function[:-1] in known:
        return function[:-1]
    return function


def math_result(function: str) -> str | None:
    """What a <math.h> or <stdlib.h> function gives back, or None when it is not known."""
    if function in _INTEGER:
        return _INTEGER[function]
    if function in _CLASSES:
        return "int"
    base = base_name(function)
    if base in _ROUND_TO_INTEGER:
        return _ROUND_TO_INTEGER[base]
    if base in EXACT or base in ROUNDED or base in APPROXIMATE:
        return "float" if function != base else "double"
    return None


def math_argument(function: str, place: int) -> str | None:
    """The type an argument is converted to on the way in; None for the type-generic isnan and its kin."""
    if function in _INTEGER:
        return _INTEGER[function]
    if function in _CLASSES:
        return None
    base = base_name(function)
    if place in INTEGER_ARGUMENTS.get(base, ()):
        return "long" if base == "scalbln" else "int"
    return "float" if function != base else "double"
