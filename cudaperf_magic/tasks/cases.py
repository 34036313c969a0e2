"""(task, case) -> arrays: what the inputs of one case hold. Deterministic in the program and the case.

Families change the kind of values, never the range that an argument has: whoever fits a kernel to one kind of input is
found out by another. It chooses no sizes (sizes.py) and does not know whether the C is content with them (the oracle).
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.records import Argument, Case, Task, ValueRange
from cudaperf_magic.tasks.expressions import Unknown, value_of

Array = NDArray[Any]
Inputs = dict[str, Array]

FAMILIES = (
    "nominal", "negated", "x100", "x0.01", "mixed magnitude", "offset", "zeros and ties", "integer-exact", "structured",
)  # fmt: skip
SPREAD = 2.0  # floating values lie in [-2, 2] unless something is known of them
OFFSETS = (50.0, 1000.0)  # of the family "offset": what a formula that subtracts large squares loses, and all of it
INTEGER_SPREAD = 1000
CHUNK = 1 << 20  # elements drawn at once where there are more
WORKERS = 16  # NumPy draws without Python's lock


def numpy_dtype(text: str) -> np.dtype[Any]:
    """An Argument's dtype: "float32", or "x:float32,pos.y:float32" laid out as C lays out the struct."""
    if ":" not in text:
        return np.dtype(text)
    return _struct_dtype([tuple(part.split(":")) for part in text.split(",")])


def _struct_dtype(leaves: list[tuple[str, ...]]) -> np.dtype[Any]:
    inner: dict[str, list[tuple[str, ...]]] = {}
    for path, kind in leaves:
        head, _, rest = path.partition(".")
        inner.setdefault(head, []).append((rest, kind))
    fields = [(n, np.dtype(p[0][1]) if p[0][0] == "" else _struct_dtype(p)) for n, p in inner.items()]
    return np.dtype(fields, align=True)


def shape_of(argument: Argument, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Extents for concrete sizes, none below zero. A pointer to one element, or a scalar, has shape (1,)."""
    if not argument.shape:
        return (1,)
    return tuple(max(0, int(value_of(extent, sizes))) for extent in argument.shape)


def materialise(task: Task, case: Case) -> Inputs:
    """The arguments in the function's order; scalars and the returned value are arrays of one element.

    Raises:
        Unknown: a shape or a range needs a value that the case does not hold.
    """
    sizes = case.size
    inputs: Inputs = {}
    for argument in task.arguments:
        random = _generator(task, case, argument.name)
        dtype = numpy_dtype(argument.dtype)
        if not argument.is_pointer and argument.name in sizes:
            inputs[argument.name] = np.array([sizes[argument.name]]).astype(dtype)
        elif argument.is_result:
            inputs[argument.name] = np.zeros(1, dtype)
        else:
            inputs[argument.name] = _array(argument, dtype, shape_of(argument, sizes), case, random)
        if not argument.is_pointer and dtype.kind in "iu":
            sizes.setdefault(argument.name, int(inputs[argument.name][0]))
    return inputs


def fresh_cases(task: Task) -> tuple[Case, ...]:
    """The task's cases again, hidden, on seeds from the operating system's entropy. Never shown to a policy."""
    return tuple(replace(case, seed=secrets.randbits(62), hidden=True) for case in task.cases)


def _generator(task: Task, case: Case, name: str) -> np.random.Generator:
    # Not the task's key: roles and ranges settle after the first inputs were tried, and inputs must not move with them.
    text = repr((task.source, task.entry, task.defines, case.sizes, case.family, case.seed, name))
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "little"))


def _array(
    argument: Argument, dtype: np.dtype[Any], shape: tuple[int, ...], case: Case, random: np.random.Generator
) -> Array:
    fields = dict(argument.field_values)
    array: Array = np.zeros(shape, dtype)

    def fill(view: Array, path: str) -> None:
        if view.dtype.fields is not None:
            for name in view.dtype.names or ():
                fill(view[name], f"{path}.{name}" if path else name)
        else:
            limits = fields.get(path, argument.values)
            view[...] = _values(view.dtype, shape, limits, case, random, not argument.is_pointer)

    fill(array, "")
    return array


def _values(
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    limits: ValueRange | None,
    case: Case,
    random: np.random.Generator,
    is_scalar: bool,
) -> Array:
    count = int(np.prod(shape))
    if count > CHUNK and case.family == "nominal" and (limits is None or limits.order == "any"):
        return _in_chunks(dtype, count, limits, case, random).reshape(shape)
    if dtype.kind == "b":
        share = {"zeros and ties": 0.1, "structured": 0.9}.get(case.family, 0.5)
        return (random.random(shape) < share).astype(dtype)
    values: NDArray[Any]
    if limits is not None and (limits.low is not None or limits.high is not None):
        values = _ranged(dtype, count, limits, case, random)
    elif limits is not None and limits.order == "permutation":
        values = random.permutation(count)
    elif dtype.kind == "f":
        values = _free_floats(count, case, random, is_scalar)
    else:
        values = _free_integers(dtype, count, case, random)
    if limits is not None and limits.order == "ascending":
        values = np.sort(values)
    return values.reshape(shape).astype(dtype)


def _in_chunks(
    dtype: np.dtype[Any], count: int, limits: ValueRange | None, case: Case, random: np.random.Generator
) -> Array:
    """Chunks that are independent of each other, side by side: half a gigabyte of inputs in a tenth of the time."""
    made = np.empty(count, dtype)
    starts = range(0, count, CHUNK)
    sources = random.spawn(len(starts))

    def fill(first: int) -> None:
        for k in range(first, len(starts), WORKERS):
            chunk = made[starts[k] : starts[k] + CHUNK]
            chunk[...] = _values(dtype, chunk.shape, limits, case, sources[k], False)

    workers = [threading.Thread(target=fill, args=(first,)) for first in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return made


# ------------------------------------------------------------------ families


def _free_floats(count: int, case: Case, random: np.random.Generator, is_scalar: bool) -> NDArray[np.float64]:
    values = random.uniform(-SPREAD, SPREAD, count)
    if is_scalar:
        # Away from 0 and 1, at which a parameter that is ignored would not be missed.
        values = random.uniform(0.5, 2.0, count)
    match case.family:
        case "negated":
            return -values
        case "x100":
            return values * 100
        case "x0.01":
            return values * 0.01
        case "mixed magnitude" if not is_scalar:
            values = values * 10.0 ** random.uniform(-3, 3, count)
            half = count // 2
            # What comes late nearly cancels what came early: a sum in less precision loses everything.
            values[count - half :] = -values[:half] * (1 + random.uniform(-1e-3, 1e-3, half))
            return values
        case "offset":
            return values + OFFSETS[case.seed % len(OFFSETS)]
        case "zeros and ties":
            return random.choice([-1.0, 0.0, 0.0, 0.5, 1.0, 1.0], count)
        case "integer-exact":
            return random.integers(-4, 5, count).astype(np.float64)
        case "structured" if not is_scalar:
            return _structured(count, random) * (SPREAD if _ends_high(case) else -SPREAD)
        case _:
            return values


def _ends_high(case: Case) -> bool:
    """Whether the last element of a structured input is its greatest or its least: an extremum is found by one only."""
    return case.seed % 2 == 0


def _structured(count: int, random: np.random.Generator) -> NDArray[np.float64]:
    """A ramp, a plateau that ends in the greatest value, and far spikes: order, place and long memory matter."""
    ramp = np.linspace(-1, 1, count) if count > 1 else np.ones(count)
    values = np.where(np.arange(count) < count * 2 // 3, ramp, 0.25)
    spikes = random.integers(0, max(1, count), max(1, count // 17)) if count else np.zeros(0, np.int64)
    values[spikes] = 1.5 * random.choice([-1.0, 1.0], len(spikes))
    if count:
        values[-1] = 2.0
    return values


def _free_integers(
    dtype: np.dtype[Any], count: int, case: Case, random: np.random.Generator
) -> NDArray[np.int64] | NDArray[np.uint64]:
    info = np.iinfo(dtype)  # type: ignore[arg-type, unused-ignore]
    low, high = max(info.min, -INTEGER_SPREAD), min(info.max, INTEGER_SPREAD)
    match case.family:
        case "x100":
            low, high = max(info.min, low * 100), min(info.max, high * 100)
        case "mixed magnitude":  # every bit of the type; wraps around wherever the C lets it
            return random.integers(info.min, info.max, count, dtype=dtype.type, endpoint=True)
        case "x0.01":
            low, high = max(info.min, -10), 10
        case "zeros and ties":
            low, high = 0, 2
        case "integer-exact":
            low, high = max(info.min, -4), 4
        case "structured":
            ramp = np.arange(count) % min(info.max, 97)
            ramp[-1:] = min(info.max, 97)
            return ramp if _ends_high(case) else min(info.max, 97) - ramp
        case _:
            pass
    values = random.integers(low, high, count, endpoint=True)
    return -values if case.family == "negated" and info.min < 0 and low > info.min else values


def _ranged(
    dtype: np.dtype[Any], count: int, limits: ValueRange, case: Case, random: np.random.Generator
) -> NDArray[np.float64] | NDArray[np.int64]:
    """Inside the range, by family: all of it, its ends, few values that tie, a ramp."""
    names = case.size
    is_float = dtype.kind == "f"
    given_low = value_of(limits.low, names) if limits.low is not None else None
    given_high = value_of(limits.high, names) if limits.high is not None else None
    width = 2 * SPREAD if is_float else INTEGER_SPREAD
    low = given_low if given_low is not None else (given_high or 0) - width
    high = given_high if given_high is not None else low + width
    if high < low:
        if count:
            raise Unknown(f"the range {limits.low} to {limits.high} is empty")
        high = low
    if not is_float:
        return _ranged_integers(count, int(low), int(high), limits, case, random)
    place = random.random(count)
    match case.family:
        case "x0.01":
            place = place * 0.05
        case "x100":
            place = 1 - place * 0.05
        case "mixed magnitude":
            place = place**4
        case "zeros and ties":
            place = random.choice([0.0, 0.25, 0.25, 0.5, 1.0], count)
        case "structured":
            place = np.linspace(0, 1, count) if count > 1 else np.ones(count)
            place = place if _ends_high(case) else 1 - place
        case _:
            pass
    return low + (high - low) * place


def _ranged_integers(
    count: int, low: int, high: int, limits: ValueRange, case: Case, random: np.random.Generator
) -> NDArray[np.int64]:
    if limits.order == "permutation":
        return low + random.permutation(count)
    if limits.order == "ascending" and limits.why.startswith("its elements delimit"):
        return _row_pointers(count, low, high, case.family, random)
    match case.family:
        case "x0.01":
            high = low + (high - low) // 20
        case "x100":
            low = high - (high - low) // 20
        case "zeros and ties":
            return random.choice([low, low, (low + high) // 2, high], count)
        case "structured":
            ramp = np.arange(count) % max(1, high - low)
            ramp[-1:] = high - low  # and no other
            return low + ramp if _ends_high(case) else high - ramp
        case _:
            pass
    return random.integers(low, high, count, endpoint=True)


def _row_pointers(count: int, low: int, high: int, family: str, random: np.random.Generator) -> NDArray[np.int64]:
    """From low to high; some rows empty, and in two families nearly everything in one row."""
    if family in ("zeros and ties", "structured") and count > 2:
        inner = np.where(random.random(count - 2) < 0.5, low, high)
    else:
        inner = random.integers(low, high, max(0, count - 2), endpoint=True)
    ends = [low, high][:count]
    return np.sort(np.concatenate([np.asarray(ends, np.int64), inner]))
