"""CUDA's math functions in high precision, and how far the CUDA C++ Programming Guide lets each be from it.

Bounds are in units in the last place of the result, from the guide's tables of standard functions (with -ftz=false,
-prec-div=true, -prec-sqrt=true) and of intrinsics; an absolute bound stands where the guide gives one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mpmath import mp, mpf

PRECISION_BITS = 320  # 1 - x keeps every bit of a float's x


@dataclass(frozen=True)
class Function:
    exact: Callable[..., Any]
    float_ulps: float = 0.0
    double_ulps: float = 0.0
    absolute: tuple[float, float] = (0.0, 0.0)  # of float and double, where larger than the units
    domain: Callable[..., bool] = lambda *given: True  # outside of it the guide promises nothing


def is_near(limit: float) -> Callable[..., bool]:
    return lambda *given: all(abs(v) <= limit for v in given)


def truncated(x: Any) -> Any:
    return mp.floor(x) if x >= 0 else mp.ceil(x)


def nearest(x: Any) -> Any:
    """Ties to even."""
    below = mp.floor(x)
    rest = x - below
    return below + (1 if rest > mpf(0.5) or (rest == mpf(0.5) and int(below) % 2) else 0)


def away(x: Any) -> Any:
    return mp.floor(x + mpf(0.5)) if x >= 0 else mp.ceil(x - mpf(0.5))


def logb(x: Any) -> Any:
    return mpf(mp.frexp(x)[1] - 1)


def inverse_error(x: Any) -> Any:
    return mp.erfinv(x) if abs(x) < 1 else mp.sign(x) * mp.inf if abs(x) == 1 else mp.nan


def log_gamma(x: Any) -> Any:
    return mp.re(mp.loggamma(x)) if x > 0 or x != mp.floor(x) else mp.inf


def is_plain_gamma(x: Any) -> bool:
    """Off the poles, and off the zeros between them, near which only the absolute error is small."""
    return x > 0 or (x < -30 and abs(x - nearest(x)) > 0.01 and abs(log_gamma(x)) > 1)


FUNCTIONS: dict[str, Function] = {
    "sqrt": Function(mp.sqrt), "rsqrt": Function(lambda x: 1 / mp.sqrt(x), 2, 1),
    "cbrt": Function(lambda x: mp.sign(x) * mp.cbrt(abs(x)), 1, 1),
    "rcbrt": Function(lambda x: mp.sign(x) / mp.cbrt(abs(x)), 1, 1), "exp": Function(mp.exp, 1, 1),
    "exp2": Function(lambda x: mp.power(2, x), 2, 1), "exp10": Function(lambda x: mp.power(10, x), 2, 1),
    "expm1": Function(mp.expm1, 1, 1), "log": Function(mp.log, 1, 1), "log2": Function(lambda x: mp.log(x, 2), 1, 1),
    "log10": Function(mp.log10, 2, 1), "log1p": Function(mp.log1p, 1, 1), "sin": Function(mp.sin, 2, 2),
    "cos": Function(mp.cos, 2, 2), "tan": Function(mp.tan, 4, 2), "sinpi": Function(mp.sinpi, 1, 2),
    "cospi": Function(mp.cospi, 1, 2), "asin": Function(mp.asin, 2, 2), "acos": Function(mp.acos, 2, 2),
    "atan": Function(mp.atan, 2, 2), "sinh": Function(mp.sinh, 3, 2), "cosh": Function(mp.cosh, 2, 1),
    "tanh": Function(mp.tanh, 2, 1), "asinh": Function(mp.asinh, 3, 3), "acosh": Function(mp.acosh, 4, 3),
    "atanh": Function(mp.atanh, 3, 2), "erf": Function(mp.erf, 2, 2), "erfc": Function(mp.erfc, 4, 5),
    "erfinv": Function(inverse_error, 2, 5), "erfcinv": Function(lambda x: inverse_error(1 - x), 4, 6),
    "erfcx": Function(lambda x: mp.exp(x * x) * mp.erfc(x), 4, 4),
    "normcdf": Function(lambda x: mp.erfc(-x / mp.sqrt(2)) / 2, 5, 5),
    "normcdfinv": Function(lambda x: mp.sqrt(2) * inverse_error(2 * x - 1), 5, 8),
    "lgamma": Function(log_gamma, 6, 4, domain=is_plain_gamma),
    "tgamma": Function(mp.gamma, 5, 10, domain=lambda x: x > 0 or x != mp.floor(x)),
    "j0": Function(lambda x: mp.besselj(0, x), 9, 7, (2.2e-6, 5e-12)),
    "j1": Function(lambda x: mp.besselj(1, x), 9, 7, (2.2e-6, 5e-12)),
    "jn": Function(lambda n, x: mp.besselj(n, x), 9, 7, (2.2e-6, 5e-12)),
    "y0": Function(lambda x: mp.bessely(0, x), 9, 7, (2.2e-6, 5e-12)),
    "y1": Function(lambda x: mp.bessely(1, x), 9, 7, (2.2e-6, 5e-12)),
    "yn": Function(lambda n, x: mp.bessely(n, x), 10, 10, (2.2e-6, 5e-12)),
    "cyl_bessel_i0": Function(lambda x: mp.besseli(0, x), 6, 6),
    "cyl_bessel_i1": Function(lambda x: mp.besseli(1, x), 6, 6), "logb": Function(logb, domain=lambda x: x != 0),
    "ilogb": Function(logb, domain=lambda x: x != 0), "floor": Function(mp.floor), "ceil": Function(mp.ceil),
    "trunc": Function(truncated), "rint": Function(nearest), "nearbyint": Function(nearest), "round": Function(away),
    "lrint": Function(nearest, domain=is_near(2.0**31)), "llround": Function(away, domain=is_near(2.0**31)),
    "fabs": Function(abs), "hypot": Function(lambda x, y: mp.sqrt(x * x + y * y), 3, 2),
    "rhypot": Function(lambda x, y: 1 / mp.sqrt(x * x + y * y), 2, 1), "atan2": Function(mp.atan2, 3, 2),
    "pow": Function(mp.power, 4, 2), "fmod": Function(lambda x, y: x - y * truncated(x / y)),
    "remainder": Function(lambda x, y: x - y * nearest(x / y)), "fdim": Function(lambda x, y: max(x - y, mpf(0))),
    "fmin": Function(min), "fmax": Function(max),
    "copysign": Function(lambda x, y: abs(x) if y > 0 else -abs(x), domain=lambda x, y: y != 0),
    "norm3d": Function(lambda *v: mp.sqrt(sum(a * a for a in v)), 3, 2),
    "rnorm3d": Function(lambda *v: 1 / mp.sqrt(sum(a * a for a in v)), 2, 1),
    "norm4d": Function(lambda *v: mp.sqrt(sum(a * a for a in v)), 3, 2),
    "rnorm4d": Function(lambda *v: 1 / mp.sqrt(sum(a * a for a in v)), 2, 1),
    "fma": Function(lambda x, y, z: x * y + z), "ldexp": Function(lambda x, n: x * mpf(2) ** n),
    "scalbn": Function(lambda x, n: x * mpf(2) ** n),
    "sine_of_both": Function(mp.sin, 2, 2), "cosine_of_both": Function(mp.cos, 2, 2),
    "sinpi_of_both": Function(mp.sinpi, 1, 2), "fraction": Function(lambda x: x - truncated(x)),
    "significand": Function(lambda x: mp.frexp(x)[0]), "quotient": Function(lambda x, y: x - y * nearest(x / y)),
}  # fmt: skip

# Of floats only. The absolute bounds of sine and cosine hold between -pi and pi.
INTRINSICS: dict[str, Function] = {
    "__fdividef": Function(lambda x, y: x / y, 2, domain=lambda x, y: 2.0**-126 <= abs(y) <= 2.0**126),
    "__expf": Function(mp.exp, 2, domain=is_near(80)),
    "__exp10f": Function(lambda x: mp.power(10, x), 2, domain=is_near(35)),
    "__logf": Function(mp.log, 3, absolute=(2.0**-21.41, 0)),
    "__log2f": Function(lambda x: mp.log(x, 2), 2, absolute=(2.0**-22, 0)),
    "__log10f": Function(mp.log10, 3, absolute=(2.0**-24, 0)),
    "__sinf": Function(mp.sin, absolute=(2.0**-21.41, 0), domain=is_near(3.14159)),
    "__cosf": Function(mp.cos, absolute=(2.0**-21.19, 0), domain=is_near(3.14159)),
    "__tanf": Function(mp.tan, 8, absolute=(2.0**-20, 0), domain=is_near(1.5)),
    "__tanhf": Function(mp.tanh, absolute=(2.0**-11, 0)),
    "__saturatef": Function(lambda x: min(max(x, mpf(0)), mpf(1))),
    "__sin2pif": Function(lambda x: mp.sin(2 * mp.pi * x), absolute=(2.0**-20, 0), domain=is_near(1)),
    "__cos2pif": Function(lambda x: mp.cos(2 * mp.pi * x), absolute=(2.0**-20, 0), domain=is_near(1)),
    "__frsqrt_rn": Function(lambda x: 1 / mp.sqrt(x)), "__frcp_rn": Function(lambda x: 1 / x),
    "__frcp_rz": Function(lambda x: 1 / x, 1), "__fsqrt_rd": Function(mp.sqrt, 1),
    "__powf": Function(mp.power, 40, domain=lambda x, y: x > 0 and abs(y * mp.log(x, 2)) < 30),
}  # fmt: skip


def growth(name: str, *given: Any) -> float:
    """Units beyond the first that the guide lets an intrinsic's error grow with its operand."""
    factor = {"__expf": 1.173, "__exp10f": 2.97}.get(name, 0.0)
    return float(mp.floor(abs(factor * given[0]))) if factor else 0.0
