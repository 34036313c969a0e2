"""A candidate's output against the reference's: equal, or off by no more than honest rounding.

The yardstick is the reference's own spread: how far the same operations, rounded a little differently, stray from the
widened result, element by element. So a re-ordered sum passes, and the same sum in less precision does not. Where the
runs with noise disagree about an integer or a branch, any of their answers is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.reference.run import Leaf
from cudaperf_magic.records import OutputError, Tolerance

Array = NDArray[Any]
Floats = NDArray[np.longdouble]

BRINK = 2.0**-6  # of the type's greatest value
FLOOR_ULPS = 4.0  # of the element itself: x / 3 against x * (1 / 3), and the last rounding
NOISY_MULTIPLE = 16.0  # how far an element that has lost half its digits may lie off, in spreads that a few runs showed
OUTLIER = 50.0  # a spread so many times the ninth decile belongs to a branch that rounding decides, not to rounding


@dataclass(frozen=True)
class Comparison:
    """`wrong` is the flat index of the first element out of tolerance, None when all are within."""

    error: OutputError
    wrong: int | None = None
    wrong_count: int = 0

    @property
    def ok(self) -> bool:
        return self.wrong is None


def compare(leaf: Leaf, got: Array, tolerance: Tolerance) -> Comparison:
    """Hold one output (of the leaf's dtype and shape) against the reference."""
    flat = np.ascontiguousarray(got).reshape(-1)
    if leaf.plain.dtype.kind != "f":
        return _compare_integers(leaf, flat)
    return _compare_floats(leaf, flat, tolerance)


def _first(wrong: NDArray[np.bool_]) -> int | None:
    return int(np.argmax(wrong)) if bool(wrong.any()) else None


def _compare_integers(leaf: Leaf, got: Array) -> Comparison:
    plain = leaf.plain.reshape(-1)
    if plain.dtype.kind == "b":  # bitwise: a bool that holds 2 is not true
        plain, got = plain.view(np.uint8), got.view(np.uint8)
    wrong = got != plain
    low, high = (end.reshape(-1).astype(np.longdouble) for end in (leaf.low, leaf.high))
    unsure = low < high
    if bool(unsure.any()):
        span, value = high - low, got.astype(np.longdouble)
        wrong &= ~(unsure & (value >= low - span) & (value <= high + span))
    share = float(np.count_nonzero(got != plain)) / max(1, plain.size)
    own = float(np.count_nonzero(unsure)) / max(1, plain.size)
    error = OutputError(leaf.key, share, float(share > 0), own, float(own > 0))
    return Comparison(error, _first(wrong), int(np.count_nonzero(wrong)))


def _compare_floats(leaf: Leaf, got: Array, tolerance: Tolerance) -> Comparison:
    plain, varies = leaf.plain.reshape(-1), leaf.varies.reshape(-1)
    wide: Floats = leaf.wide.reshape(-1).astype(np.longdouble)
    finite = np.isfinite(plain) & np.isfinite(wide) & np.isfinite(got)
    both = (np.isnan(plain) & np.isnan(got)) | (np.isinf(plain) & (plain == got))
    # So near the type's end, one rounding more or less decides whether it overflows.
    brink = np.abs(plain) > BRINK * float(np.finfo(plain.dtype).max)
    wrong = ~(varies | finite | both | (brink & np.isinf(got) & (np.sign(got) == np.sign(plain))))
    judged = finite & ~varies
    spread = np.where(judged, leaf.spread.reshape(-1), 0.0).astype(np.longdouble)
    with np.errstate(all="ignore"):
        distance = np.where(judged, np.abs(got.astype(np.longdouble) - wide), 0)
    magnitude = np.where(judged, np.abs(wide), 0)
    usual = judged & ~_outliers(spread)
    scale, typical, error = _rms(magnitude, judged), _rms(spread, usual), _rms(distance, usual)
    information = np.finfo(plain.dtype)
    floor = FLOOR_ULPS * float(information.eps)
    least = 4 * float(information.smallest_subnormal)
    allowed = tolerance.multiple * (spread + typical) + floor * magnitude + tolerance.floor * scale + least
    allowed += np.where(spread > np.sqrt(information.eps) * magnitude, NOISY_MULTIPLE * spread, 0)
    wrong |= judged & (distance > allowed)
    if not wrong.any() and error > tolerance.multiple * typical + (floor + tolerance.floor) * scale + least:
        wrong = usual & (distance >= np.max(np.where(usual, distance, 0)))
    return Comparison(_output_error(leaf.key, distance, spread, scale, usual), _first(wrong), int(wrong.sum()))


def _outliers(spread: Floats) -> NDArray[np.bool_]:
    positive = spread[spread > 0]
    if positive.size < 2:
        return np.zeros(spread.shape, bool)
    return np.asarray(spread > OUTLIER * np.quantile(positive.astype(np.float64), 0.9, method="lower"))


def _rms(values: Floats, where: NDArray[np.bool_]) -> float:
    count = int(np.count_nonzero(where))
    if not count:
        return 0.0
    largest = float(np.max(values[where]))
    if largest == 0 or not np.isfinite(largest):
        return largest
    # Scaled, so that squares neither overflow nor vanish.
    return largest * float(np.sqrt(np.mean((values[where] / np.longdouble(largest)) ** 2)))


def _output_error(
    key: str, distance: Floats, spread: Floats, scale: float, usual: NDArray[np.bool_]
) -> OutputError:
    unit = scale or 1.0
    figures = [
        _rms(distance, usual) / unit,
        float(np.max(distance, initial=0)) / unit,
        _rms(spread, usual) / unit,
        float(np.max(spread, initial=0)) / unit,
    ]
    rms, largest, own_rms, own_largest = (figure if np.isfinite(figure) else None for figure in figures)
    return OutputError(key, rms, largest, own_rms or 0.0, own_largest or 0.0)
