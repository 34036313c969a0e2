"""Runs a reference at a size that fills a GPU: as written, widened, loosely; says how far these lie apart.

It is meant for a child process: the person's C runs here, unwatched. The checked build has run small sizes of the same
proportions before. Outputs are left in memory that the caller shares; judging is compare.py's.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.compare import outlying
from cudaperf_magic.bench.compare_c import BLOCK, VARYING_ROOM, WIDE, apart
from cudaperf_magic.bench.reference.fast_build import FastBuild
from cudaperf_magic.bench.reference.run import STACK_BYTES, Leaf, at_path, leaf_paths, widened, wider_type
from cudaperf_magic.bench.sandbox import SharedArrays
from cudaperf_magic.records import Argument

Array = NDArray[Any]
Arrays = dict[str, Array]

# How much further than its loose twin the C as written may stray and still be a yardstick; of few elements the twin may
# be right by chance.
CLIP, CLIP_FEW, FEW = 16.0, 64.0, 1024
MOST_TORN = 2.0**-7  # of the elements
SPINS = "2000"  # turns that a core waits for the others awake; by default it waits for milliseconds

PLAIN, WIDENED, SPREAD = "plain", "wide", "spread"


@dataclass(frozen=True)
class LeafFigures:
    """What `Leaf` says of one output at a large size, without its arrays. `varying`: places whose NaN varies."""

    name: str
    path: str
    typical: float = 0.0
    scale: float = 0.0
    torn: int = 0
    torn_most: float = 0.0
    varying: tuple[int, ...] = ()


@dataclass(frozen=True)
class FastResult:
    """`seconds` of each run: as written, widened, loose."""

    leaves: tuple[LeafFigures, ...]
    seconds: tuple[float, ...]


def outputs_of(arguments: Sequence[Argument]) -> tuple[Argument, ...]:
    return tuple(a for a in arguments if a.is_pointer and a.role != "in")


def rooms(arguments: Sequence[Argument], inputs: Mapping[str, Array]) -> dict[str, tuple[tuple[int, ...], Any]]:
    """Shapes and dtypes of what the child fills: for each output "plain:y", "wide:y" and "spread:y:path"."""
    found: dict[str, tuple[tuple[int, ...], Any]] = {}
    for argument in outputs_of(arguments):
        array = inputs[argument.name]
        found[f"{PLAIN}:{argument.name}"] = (array.shape, array.dtype)
        found[f"{WIDENED}:{argument.name}"] = (array.shape, wider_type(array.dtype))
        for path in leaf_paths(array.dtype):
            if at_path(array, path).dtype.kind == "f":
                found[f"{SPREAD}:{argument.name}:{path}"] = ((-(-array.size // BLOCK),), np.float64)
    return found


def leaves_of(arguments: Sequence[Argument], room: Mapping[str, Array], result: FastResult) -> tuple[Leaf, ...]:
    """The leaves whose arrays a child has left in the room."""
    scalars = {a.name for a in arguments if a.shape in ((), ("1",))}
    found = []
    for figures in result.leaves:
        plain = at_path(room[f"{PLAIN}:{figures.name}"], figures.path)
        is_float = plain.dtype.kind == "f"
        wide = at_path(room[f"{WIDENED}:{figures.name}"], figures.path) if is_float else plain
        spread = room.get(f"{SPREAD}:{figures.name}:{figures.path}", np.zeros(0))
        varies = np.zeros(plain.size if figures.varying else 0, bool)
        varies[list(figures.varying)] = True
        leaf = Leaf(figures.name, figures.path, plain, wide, spread, plain, plain, varies, np.zeros(0, bool))
        rest = {k: v for k, v in vars(figures).items() if k in ("typical", "scale", "torn", "torn_most")}
        found.append(replace(leaf, is_scalar=figures.name in scalars, neighbours=BLOCK, **rest))
    return tuple(found)


def run_fast(
    build: FastBuild, arguments: tuple[Argument, ...], inputs: SharedArrays, room: SharedArrays, has_floats: bool
) -> FastResult:
    """Fill the room. Three runs side by side where each uses one core, else one after the other.

    Raises:
        ValueError: so many elements are NaN in one run and not in another that nothing can be compared.
    """
    given, left = inputs.arrays(), room.arrays()
    outputs = outputs_of(arguments)
    for argument in outputs:
        left[f"{PLAIN}:{argument.name}"][...] = given[argument.name]
    plain = {name: left.get(f"{PLAIN}:{name}", array) for name, array in given.items()}
    loose = {a.name: given[a.name].copy() for a in outputs}

    def run_plain() -> float:
        if build.as_written:
            return _person(build.as_written, plain)
        return _printed(build.plain, arguments, plain, build.threads)

    def run_wide() -> float:
        wide = {name: widened(array) for name, array in given.items()}
        for argument in outputs:
            room_of = left[f"{WIDENED}:{argument.name}"]
            room_of[...] = wide[argument.name]
            wide[argument.name] = room_of
        return _printed(build.widened, arguments, wide, build.threads)

    def run_loose() -> float:
        return _printed(build.loose, arguments, {**given, **loose}, build.threads)

    runs: list[Callable[[], float]] = [run_plain, run_wide, run_loose] if has_floats else [run_plain]
    os.environ["GOMP_SPINCOUNT"] = SPINS
    threading.stack_size(STACK_BYTES)
    with ThreadPoolExecutor(1 if build.is_parallel else len(runs)) as pool:
        seconds = tuple(each.result() for each in [pool.submit(run) for run in runs])
    threading.stack_size(0)
    return FastResult(tuple(_figures(outputs, left, loose if has_floats else None)), seconds)


def _figures(outputs: Sequence[Argument], left: Arrays, loose: Arrays | None) -> list[LeafFigures]:
    found = []
    for argument in outputs:
        plain, wide = left[f"{PLAIN}:{argument.name}"], left[f"{WIDENED}:{argument.name}"]
        for path in leaf_paths(plain.dtype):
            if loose is None:
                found.append(LeafFigures(argument.name, path))
                continue
            three = [_flat(at_path(array, path)) for array in (plain, wide, loose[argument.name])]
            if three[0].dtype.kind == "f":
                found.append(_floats(argument.name, path, three, left[f"{SPREAD}:{argument.name}:{path}"]))
            else:
                found.append(_integers(argument.name, path, three))
    return found


def _flat(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(-1)


def _floats(name: str, path: str, three: list[Array], into: Array) -> LeafFigures:
    plain = three[0]
    if not plain.size:
        return LeafFigures(name, path)
    wide, loose = three[1].astype(WIDE[plain.dtype], copy=False), three[2]
    spread, _, found = apart(plain, wide, loose, clip=0.0)  # nothing of the C as written
    typical = found.root / max(1, found.count) ** 0.5
    clip = CLIP if plain.size >= FEW else CLIP_FEW
    limit = outlying(spread)
    spread, varying, found = apart(plain, wide, loose, limit=limit, clip=clip, least=typical)
    if found.torn > MOST_TORN * plain.size:
        # No branch that rounding decides now and then: the C as written has lost its way everywhere.
        spread, varying, found = apart(plain, wide, loose, clip=clip, least=typical)
    if found.varying > VARYING_ROOM:
        raise ValueError(f"{found.varying} elements of {name} are NaN or infinite by rounding alone")
    into[...] = spread
    typical = found.root / max(1, found.count - found.torn) ** 0.5
    scale = found.magnitude_root / max(1, found.count) ** 0.5
    return LeafFigures(name, path, typical, scale, found.torn, found.torn_most, tuple(varying.tolist()))


def _integers(name: str, path: str, three: list[Array]) -> LeafFigures:
    plain = three[0]
    differs = (plain != three[1]) | (plain != three[2])
    torn = int(np.count_nonzero(differs))
    values = [each[differs].astype(np.longdouble) for each in three]
    most = max((float(np.max(np.abs(values[0] - other), initial=0)) for other in values[1:]), default=0.0)
    return LeafFigures(name, path, torn=torn, torn_most=most)


# ------------------------------------------------------------------ calling


def pointers(arrays: Sequence[Array]) -> Any:
    """The addresses of the arrays, as the C takes them."""
    return (ctypes.c_void_p * max(1, len(arrays)))(*(array.ctypes.data for array in arrays))


def _person(path: str, arrays: Arrays) -> float:
    call = ctypes.CDLL(path).cudaperf_reference_call
    started = time.perf_counter()
    call(pointers(list(arrays.values())))
    return time.perf_counter() - started


def _printed(path: str, arguments: Sequence[Argument], arrays: Arrays, threads: int) -> float:
    parameters = [a for a in arguments if not a.is_result]
    extents = [extent for a in parameters if a.is_pointer or a.is_array for extent in arrays[a.name].shape]
    call = ctypes.CDLL(path).cp_fast
    started = time.perf_counter()
    sizes = (ctypes.c_int64 * max(1, len(extents)))(*extents)
    call(pointers(list(arrays.values())), sizes, ctypes.c_int(threads))
    return time.perf_counter() - started
