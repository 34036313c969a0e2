"""A candidate's output against the reference's: equal, or off by no more than honest rounding.

The yardstick is the reference's own spread: how far the same operations, rounded a little differently, stray from the
widened result, element by element (at large sizes among 1,024 neighbours). So a re-ordered sum passes, and the same sum
in less precision does not. Where the runs with noise disagree about an integer or a branch, any of their answers is
right; at large sizes, where few runs cannot name every such element, a few more than they show may differ as much.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.compare_c import BLOCK, BLOCK_SHIFT, WIDE, Found, Yardstick, distances
from cudaperf_magic.bench.reference.run import Leaf
from cudaperf_magic.records import OutputError, Tolerance

Array = NDArray[Any]
Doubles = NDArray[np.float64]

BRINK = 2.0**-6  # of the type's greatest value
FLOOR_ULPS = 4.0  # of the element itself: x / 3 against x * (1 / 3), and the last rounding
NOISY_MULTIPLE = 16.0  # how far an element that has lost half its digits may lie off, in spreads that a few runs showed
OUTLIER = 50.0  # a spread so many times the ninth decile belongs to a branch that rounding decides, not to rounding
# At large sizes few runs stand for all: of millions of elements some lie five times as far off as those show.
LARGE, LARGE_MEAN = 2.5, 1024  # times the multiple; and from so many elements on the mean is known as well as ever
TORN_MULTIPLE, TORN_MORE = 3, 8  # at large sizes: elements that rounding decides, of those that the runs show, and more
MOST_YARDSTICKS = 4096  # outputs whose yardsticks are kept


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
    """Hold one output (of the leaf's dtype and shape) against the reference.

    Raises:
        ToolchainError: there is no C compiler.
    """
    flat = np.ascontiguousarray(got).reshape(-1)
    if leaf.plain.dtype.kind != "f":
        return _compare_integers(leaf, flat)
    return _compare_floats(_measures(leaf), flat, tolerance)


def outlying(spread: Doubles) -> float:
    """The spread above which an element's belongs to a branch that rounding decides."""
    positive = spread[spread > 0]
    if positive.size < 2:
        return float("inf")
    return float(OUTLIER * np.quantile(positive, 0.9, method="lower"))


def _first(wrong: NDArray[np.bool_]) -> int | None:
    return int(np.argmax(wrong)) if bool(wrong.any()) else None


# ------------------------------------------------------------------ integers


def _compare_integers(leaf: Leaf, got: Array) -> Comparison:
    plain = leaf.plain.reshape(-1)
    if plain.dtype.kind == "b":  # bitwise: a bool that holds 2 is not true
        plain, got = plain.view(np.uint8), got.view(np.uint8)
    wrong = got != plain
    different = int(np.count_nonzero(wrong))
    unsure_count = leaf.torn
    if leaf.neighbours == 1 and leaf.low is not leaf.plain:
        low, high = (end.reshape(-1).astype(np.longdouble) for end in (leaf.low, leaf.high))
        unsure = low < high
        unsure_count = int(np.count_nonzero(unsure))
        if unsure_count and different:
            span, value = high - low, got.astype(np.longdouble)
            wrong &= ~(unsure & (value >= low - span) & (value <= high + span))
    elif leaf.torn and 0 < different <= _most_torn(leaf):
        places = np.flatnonzero(wrong)
        apart = np.abs(got[places].astype(np.longdouble) - plain[places].astype(np.longdouble))
        wrong[places[apart <= 2 * leaf.torn_most]] = False
    share, own = different / max(1, plain.size), unsure_count / max(1, plain.size)
    error = OutputError(leaf.key, share, float(share > 0), own, float(own > 0))
    return Comparison(error, _first(wrong), int(np.count_nonzero(wrong)))


def _most_torn(leaf: Leaf) -> int:
    """How many elements may differ as much as the runs of the reference do where rounding decides."""
    return TORN_MULTIPLE * leaf.torn + TORN_MORE if leaf.torn else 0


# ------------------------------------------------------------------ floats


@dataclass(frozen=True)
class _Measures:
    """What every comparison with one leaf needs, worked out once: flat arrays, and figures over its finite elements."""

    leaf: Leaf
    plain: Array
    wide: Array
    spread: Doubles
    varies: Array | None
    scale: float  # root mean square of the magnitudes
    typical: float  # root mean square of the spread
    largest: float
    outlier: float


_KNOWN: OrderedDict[int, tuple[weakref.ref[Leaf], _Measures]] = OrderedDict()
_LOCK = Lock()


def _measures(leaf: Leaf) -> _Measures:
    with _LOCK:
        known = _KNOWN.get(id(leaf))
        if known is not None and known[0]() is leaf:
            return known[1]
    made = _measured(leaf)
    with _LOCK:
        _KNOWN[id(leaf)] = (weakref.ref(leaf), made)
        while len(_KNOWN) > MOST_YARDSTICKS:
            _KNOWN.popitem(last=False)
    return made


def _measured(leaf: Leaf) -> _Measures:
    plain = np.ascontiguousarray(leaf.plain).reshape(-1)
    wide = np.ascontiguousarray(leaf.wide).reshape(-1).astype(WIDE[plain.dtype], copy=False)
    varies = np.ascontiguousarray(leaf.varies).reshape(-1)
    spread = np.ascontiguousarray(leaf.spread, np.float64).reshape(-1)
    scale, typical, outlier = leaf.scale or 0.0, leaf.typical or 0.0, float("inf")
    if leaf.neighbours == 1:
        judged = np.isfinite(plain) & np.isfinite(wide)
        if varies.size:
            judged &= ~varies
        spread = np.where(judged, spread, 0.0)
        outlier = outlying(spread)
        typical, scale = _rms(spread[judged & (spread <= outlier)]), _rms(wide[judged])
    is_varying = varies.size > 0 and bool(varies.any())
    flags = varies.view(np.uint8) if is_varying else None
    largest = max(float(np.max(spread, initial=0)), leaf.torn_most)
    return _Measures(leaf, plain, wide, spread, flags, scale, typical, largest, outlier)


def _compare_floats(leaf: _Measures, got: Array, tolerance: Tolerance) -> Comparison:
    information = np.finfo(leaf.plain.dtype)
    floor = FLOOR_ULPS * float(information.eps)
    least = 4 * float(information.smallest_subnormal)
    is_large = leaf.leaf.neighbours == BLOCK
    multiple = tolerance.multiple * (LARGE if is_large else 1.0)
    in_the_mean = multiple if is_large and leaf.plain.size < LARGE_MEAN else tolerance.multiple
    by = Yardstick(
        multiple=multiple,
        floor=floor,
        extra=multiple * leaf.typical + tolerance.floor * leaf.scale + least,
        noisy=0.0 if is_large else NOISY_MULTIPLE,
        half_digits=float(np.sqrt(information.eps)),
        outlier=leaf.outlier,
        brink=BRINK * float(information.max),
        shift=BLOCK_SHIFT if is_large else 0,
        excused=TORN_MULTIPLE * leaf.leaf.torn_most,
    )
    found = distances(leaf.plain, leaf.wide, got, leaf.spread, leaf.varies, by)
    error = found.root / max(1, found.usual) ** 0.5
    wrong, count = _wrong(found, leaf.leaf)
    allowed = in_the_mean * leaf.typical + (floor + tolerance.floor) * leaf.scale + least
    if wrong is None and error > allowed:
        wrong, count = _farthest(leaf, got), 1
    return Comparison(_output_error(leaf, found.largest, error), wrong, count)


def _wrong(found: Found, leaf: Leaf) -> tuple[int | None, int]:
    if found.excused > _most_torn(leaf):
        first = min(found.first_excused, found.first_wrong) if found.wrong else found.first_excused
        return first, found.wrong + found.excused
    return (found.first_wrong, found.wrong) if found.wrong else (None, 0)


def _farthest(leaf: _Measures, got: Array) -> int:
    """The element that is off most, of those that count in the mean."""
    with np.errstate(all="ignore"):
        distance = np.abs(got.astype(leaf.wide.dtype) - leaf.wide)
    spread = np.repeat(leaf.spread, leaf.leaf.neighbours)[: distance.size]
    usual = np.isfinite(distance) & (spread <= leaf.outlier)
    if leaf.varies is not None:
        usual &= leaf.varies == 0
    return int(np.argmax(np.where(usual, distance, -1)))


def _rms(values: Array) -> float:
    largest = float(np.max(np.abs(values), initial=0))
    if largest == 0 or not np.isfinite(largest):
        return largest
    # Scaled, so that squares neither overflow nor vanish.
    return largest * float(np.sqrt(np.mean((values / largest) ** 2)))


def _output_error(leaf: _Measures, largest: float, error: float) -> OutputError:
    unit = leaf.scale or 1.0
    figures = (error / unit, largest / unit, leaf.typical / unit, leaf.largest / unit)
    rms, most, own_rms, own_most = (figure if np.isfinite(figure) else None for figure in figures)
    return OutputError(leaf.leaf.key, rms, most, own_rms or 0.0, own_most or 0.0)
