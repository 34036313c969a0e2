"""compare.c, compiled once and called on slices of arrays, on all cores where they are large. It decides nothing.

The bits that it gives back do not depend on the number of slices, but for sums, whose order does.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from math import hypot, inf
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.reference.build import c_compiler, processor_flag, shared_object
from cudaperf_magic.bench.resources import cores

Array = NDArray[Any]
Doubles = NDArray[np.float64]
T = TypeVar("T")

SOURCE = Path(__file__).with_name("compare.c")
FLAGS = ("-O3", "-march=native", "-fno-trapping-math", "-fno-math-errno")
BLOCK = 1024  # as in compare.c: neighbours that share one spread at large sizes
BLOCK_SHIFT = 10
SLICE = 1 << 18  # elements below which another core is not worth waking
VARYING_ROOM = 1 << 16

_I64, _F64 = ctypes.c_int64, ctypes.c_double
WIDE: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype("float32"): np.dtype("float64"),
    np.dtype("float64"): np.dtype("longdouble"),
}
_NAMES = {np.dtype("float32"): "float", np.dtype("float64"): "double"}


class Yardstick(ctypes.Structure):
    """The C's cp_yardstick; its comments say what each is."""

    _fields_ = (
        ("multiple", _F64), ("floor", _F64), ("extra", _F64), ("noisy", _F64), ("half_digits", _F64),
        ("outlier", _F64), ("brink", _F64), ("shift", _I64), ("excused", _F64),
    )  # fmt: skip


class Found(ctypes.Structure):
    """The C's cp_found."""

    _fields_ = (
        ("wrong", _I64), ("first_wrong", _I64), ("excused", _I64), ("first_excused", _I64), ("usual", _I64),
        ("largest", _F64), ("root", _F64),
    )  # fmt: skip


class Apart(ctypes.Structure):
    """The C's cp_spread_found."""

    _fields_ = (
        ("torn", _I64), ("varying", _I64), ("count", _I64), ("torn_most", _F64), ("root", _F64),
        ("magnitude_root", _F64),
    )  # fmt: skip


@functools.cache
def _library() -> ctypes.CDLL:
    """Raises ToolchainError when there is no C compiler."""
    flags = (*FLAGS, processor_flag())
    return ctypes.CDLL(shared_object(c_compiler(), SOURCE.read_text(), flags, False))


def distances(plain: Array, wide: Array, got: Array, spread: Doubles, varies: Array | None, by: Yardstick) -> Found:
    """Every element held against the reference; arrays are flat and contiguous, `wide` of the type in WIDE."""
    call = getattr(_library(), f"cp_compare_{_NAMES[plain.dtype]}")
    flags = ctypes.c_void_p(varies.ctypes.data if varies is not None else 0)
    pointers = (*(ctypes.c_void_p(array.ctypes.data) for array in (plain, wide, got, spread)), flags)

    def one(start: int, end: int) -> Found:
        found = Found()
        call(*pointers, _I64(start), _I64(end), ctypes.byref(by), ctypes.byref(found))
        return found

    return functools.reduce(_joined, _on_slices(one, plain.size))


def _joined(left: Found, right: Found) -> Found:
    return Found(
        left.wrong + right.wrong,
        left.first_wrong if left.wrong else right.first_wrong,
        left.excused + right.excused,
        left.first_excused if left.excused else right.first_excused,
        left.usual + right.usual,
        max(left.largest, right.largest),
        hypot(left.root, right.root),
    )


def apart(
    plain: Array, wide: Array, loose: Array, *, limit: float = inf, clip: float = inf, least: float = 0.0
) -> tuple[Doubles, Array, Apart]:
    """How far three runs of the reference lie apart: (most of each block, places that vary, the rest).

    Args:
        limit: a distance above it is `torn`, counted apart and in no block's most.
        clip: of the distance of `plain`, at most so many times the block's most of `loose`, or of `least`, counts.
    """
    call = getattr(_library(), f"cp_spread_{_NAMES[plain.dtype]}")
    spread = np.zeros(-(-plain.size // BLOCK))
    pointers = tuple(ctypes.c_void_p(array.ctypes.data) for array in (plain, wide, loose))
    numbers = (_F64(limit), _F64(clip), _F64(least), ctypes.c_void_p(spread.ctypes.data))

    def one(start: int, end: int) -> tuple[Apart, Array]:
        found, places = Apart(), np.zeros(VARYING_ROOM, np.int64)
        into = (ctypes.c_void_p(places.ctypes.data), _I64(VARYING_ROOM), ctypes.byref(found))
        call(*pointers, _I64(start), _I64(end), *numbers, *into)
        return found, places[: min(found.varying, VARYING_ROOM)].copy()

    parts = list(_on_slices(one, plain.size))
    found = functools.reduce(_both, (part for part, _ in parts))
    return spread, np.concatenate([places for _, places in parts]), found


def _both(left: Apart, right: Apart) -> Apart:
    return Apart(
        left.torn + right.torn,
        left.varying + right.varying,
        left.count + right.count,
        max(left.torn_most, right.torn_most),
        hypot(left.root, right.root),
        hypot(left.magnitude_root, right.magnitude_root),
    )


def _on_slices(one: Callable[[int, int], T], size: int) -> Iterator[T]:
    """`one` on parts of the range, whole blocks each, on all cores; the results in order."""
    workers = cores()
    step = max(SLICE, -(-size // (4 * workers) // BLOCK) * BLOCK)
    if size <= step:
        yield one(0, size)
        return
    starts = range(0, size, step)
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(lambda start: one(start, min(start + step, size)), starts)
