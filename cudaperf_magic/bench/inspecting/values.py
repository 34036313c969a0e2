"""Values for arrays and numbers that nobody gave: deterministic by name and seed, so that a longer array begins as a
shorter one does. Ranges are read here too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.host.types import BFLOAT, VOID, Arithmetic, ArrayType, StructType, Type
from cudaperf_magic.bench.inspecting.parameters import dtype_of
from cudaperf_magic.errors import UsageError
from cudaperf_magic.tasks.expressions import Unknown, value_of

SPREAD = 2.0  # floating values lie in [-2, 2)
ORDERS = ("ascending", "permutation")
Array = NDArray[Any]


@dataclass(frozen=True)
class Range:
    """`low:high[:order]`, evaluated; bounds inclusive, None where nothing is said."""

    low: float | None = None
    high: float | None = None
    order: str = ""


def read_range(name: str, written: str, scalars: Mapping[str, int | float]) -> Range:
    """A --range option.

    Raises:
        UsageError: it is not of the form, or names what is no scalar.
    """
    parts = [part.strip() for part in written.split(":")]
    order = parts[2] if len(parts) == 3 else ""
    if len(parts) not in (2, 3) or order not in ("", "any", *ORDERS):
        raise UsageError(f"--range {name}={written}: write low:high, low:high:ascending or low:high:permutation")
    try:
        low, high = (value_of(part, scalars) if part else None for part in parts[:2])
    except Unknown as unknown:
        raise UsageError(f"--range {name}={written}: {unknown} is not known here") from None
    if low is not None and high is not None and low > high:
        raise UsageError(f"--range {name}={written}: its lower end is above its upper end; exchange them")
    return Range(low, high, order if order in ORDERS else "")


def made_up(name: str, type_: Type, count: int, most: int, ranges: Mapping[str, Range], seed: int) -> Array:
    """`count` elements.

    Args:
        most: integers lie below this, so that they can be subscripts.
        ranges: by name, or `name.field`.
    """
    dtype = dtype_of(type_, name)
    array: Array = np.zeros(count, dtype)
    _fill(array, name, type_, most, ranges, seed)
    return array


def number(name: str, seed: int) -> float:
    """A floating-point scalar away from 0 and 1, at which a parameter that is ignored would not be missed."""
    return round(float(_generator(name, seed).uniform(0.5, 1.5)), 3)


def _fill(view: Array, path: str, type_: Type, most: int, ranges: Mapping[str, Range], seed: int) -> None:
    if isinstance(type_, StructType):
        for field in type_.fields:
            _fill(view[field.name], f"{path}.{field.name}", field.type, most, ranges, seed)
    elif isinstance(type_, ArrayType):
        _fill(view, path, type_.element, most, ranges, seed)
    else:
        limits = ranges.get(path, Range())
        random = _generator(path, seed)
        view[...] = _values(type_, view.size, most, limits, random).reshape(view.shape)


def _values(type_: Type, count: int, most: int, limits: Range, random: np.random.Generator) -> Array:
    kind = type_.kind if isinstance(type_, Arithmetic) else "unsigned"
    if kind == "bool":
        return random.random(count) < 0.5
    if kind == "float":
        low = -SPREAD if limits.low is None else limits.low
        high = max(low, SPREAD if limits.high is None else limits.high)
        reals = low + (high - low) * random.random(count)
        reals = np.sort(reals) if limits.order == "ascending" else reals
        return bits_of_bfloat(reals) if type_ is BFLOAT else reals
    size = 1 if type_ == VOID else type_.size
    top = (1 << (8 * size - (kind == "signed"))) - 1
    low = int(limits.low or 0)
    high = max(low, int(limits.high) if limits.high is not None else min(top, low + max(most, 1) - 1))
    if limits.order == "permutation":
        return low + random.permutation(count)
    whole = random.integers(low, high, count, endpoint=True)
    return np.sort(whole) if limits.order == "ascending" else whole


def bits_of_bfloat(reals: Array) -> Array:
    """The nearest bfloat16 of each, as 16 bits."""
    bits = np.asarray(reals, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) >> np.uint64(16)).astype(np.uint16)


def reals_of_bfloat(bits: Array) -> Array:
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def _generator(name: str, seed: int) -> np.random.Generator:
    digest = hashlib.sha256(f"{name}|{seed}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "little"))
