"""Runs the three builds of a reference on one set of inputs, and boils the results down to what a comparison needs.

It is meant for a child process: the person's C runs here. Order: the checked build first, so that the person's own code
runs only on inputs on which it does nothing undefined; then as written; then widened, once plainly and several times
with rounding noise, which samples how far any honest order of the same operations may stray.
"""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.records import Argument

Array = NDArray[Any]

READY, WRITTEN, READ_FIRST = 1, 2, 4
FAULTS = ("", "bounds", "uninitialised", "division", "shift", "limit", "memory")
STACK_BYTES = 512 << 20  # the person's local arrays; address space only, until it is touched
NOISE_ULPS = 2.0  # each rounding moves a result by up to one unit in the last place
_WIDER: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype("float32"): np.dtype("float64"),
    np.dtype("float64"): np.dtype("longdouble"),
}


@dataclass(frozen=True)
class Builds:
    as_written: str
    checked: str
    widened: str


@dataclass(frozen=True)
class Limits:
    budget: int  # loop iterations
    samples: int  # runs with rounding noise; 0 when the function has no floating type


@dataclass(frozen=True)
class RawFault:
    """What the checked build stopped at, in numbers."""

    kind: str
    line: int
    name: int
    subscripts: tuple[int, ...]
    extents: tuple[int, ...]


@dataclass(frozen=True)
class Leaf:
    """One plain output: an array or one field of an array of structs.

    plain: as written. wide: widened, or plain itself for integers. spread: for floating outputs, the greatest distance
    from `wide` of as-written and noisy results, element by element. low, high: of integers, the range seen.
    varies: elements whose NaN or infinity is not the same in all runs. is_written: what the C wrote. is_scalar: whether
    it is one value behind a pointer, such as the one that is returned.

    At sizes that fill a GPU there are three runs only (fast_run.py). Then `spread` holds one value for each run of
    `neighbours` elements, their greatest; `typical` is its root mean square, `scale` that of the magnitudes; `varies`
    and `is_written` may be empty, for none and all. `torn` elements lie apart by more than rounding explains, up to
    `torn_most`: rounding has decided a branch there, or an integer.
    """

    name: str
    path: str
    plain: Array
    wide: Array
    spread: Array
    low: Array
    high: Array
    varies: NDArray[np.bool_]
    is_written: NDArray[np.bool_]
    is_scalar: bool = False
    neighbours: int = 1
    typical: float | None = None
    scale: float | None = None
    torn: int = 0
    torn_most: float = 0.0

    @property
    def key(self) -> str:
        return f"{self.name}.{self.path}" if self.path else self.name


@dataclass(frozen=True)
class CaseResult:
    fault: RawFault | None = None
    overflow_line: int = 0
    conversion_line: int = 0
    steps: int = 0
    leaves: tuple[Leaf, ...] = ()
    read_first: frozenset[str] = frozenset()  # arrays of which an element was read before it was written
    unwritten: frozenset[str] = frozenset()  # outputs of which an element was not written
    disagreement: str = ""  # the output in which the checked reading and the person's C differ


def run_reference(
    builds: Builds, arguments: tuple[Argument, ...], inputs: tuple[dict[str, Array], ...], limits: Limits
) -> tuple[CaseResult, ...]:
    """Run every set of inputs; each maps every argument, in order, to an array (a scalar has one element)."""
    results: list[CaseResult] = []
    runner = Runner(builds, arguments, limits)
    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=lambda: results.extend(runner.case(one) for one in inputs))
    thread.start()
    thread.join()
    threading.stack_size(0)
    if len(results) != len(inputs):
        raise RuntimeError("the reference stopped before its last case")
    return tuple(results)


class _Options(ctypes.Structure):
    _fields_ = (
        ("budget", ctypes.c_int64), ("noise", ctypes.c_int64), ("seed", ctypes.c_uint64),
        ("amplitude", ctypes.c_double),
    )  # fmt: skip


class _Report(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_int64), ("line", ctypes.c_int64), ("name", ctypes.c_int64), ("rank", ctypes.c_int64),
        ("subscript", ctypes.c_int64 * 8), ("extent", ctypes.c_int64 * 8), ("overflow_line", ctypes.c_int64),
        ("conversion_line", ctypes.c_int64), ("steps", ctypes.c_int64),
    )  # fmt: skip


@dataclass
class Watched:
    """One watched run: its report, the arrays after it, their shadows."""

    report: _Report
    data: dict[str, Array]
    shadow: dict[str, NDArray[np.uint8]] = field(default_factory=dict)


class Runner:
    """Runs the builds of one reference in this process."""

    def __init__(self, builds: Builds, arguments: tuple[Argument, ...], limits: Limits) -> None:
        self.arguments = arguments
        self.limits = limits
        self.outputs = tuple(a for a in arguments if a.is_pointer and a.role != "in")
        self.call = ctypes.CDLL(builds.as_written).cudaperf_reference_call
        self.call.restype = None
        self.checked = ctypes.CDLL(builds.checked).cp_run
        self.widened = ctypes.CDLL(builds.widened).cp_run

    def case(self, inputs: dict[str, Array]) -> CaseResult:
        checked = self.watched(self.checked, inputs)
        report = checked.report
        if report.kind:
            rank = int(report.rank)
            subscripts, extents = tuple(report.subscript[:rank]), tuple(report.extent[:rank])
            fault = RawFault(FAULTS[report.kind], report.line, report.name, subscripts, extents)
            return CaseResult(fault=fault, steps=report.steps)
        plain = {name: array.copy() for name, array in inputs.items()}
        self.call(_pointers(list(plain.values())))
        wide, noisy = self._wide_runs(inputs)
        return CaseResult(
            overflow_line=report.overflow_line,
            conversion_line=report.conversion_line,
            steps=report.steps,
            leaves=tuple(self._leaves(plain, wide, noisy, checked)),
            read_first=frozenset(n for n, s in checked.shadow.items() if bool(np.any(s & READ_FIRST))),
            unwritten=frozenset(a.name for a in self.outputs if not self._all_written(a, checked)),
            disagreement=self._disagreement(plain, checked.data),
        )

    def watched(
        self, entry: object, inputs: dict[str, Array], noise: int = 0, is_wide: bool = False, is_lower: bool = False
    ) -> Watched:
        """One run of a printed build; `noise` numbers its noise, 0 is none."""
        data = {n: widened(a) if is_wide else a.copy() for n, a in inputs.items()}
        parameters = [a for a in self.arguments if not a.is_result]
        shadow = {
            a.name: np.full(max(1, data[a.name].size * len(leaf_paths(data[a.name].dtype))), READY, np.uint8)
            for a in parameters
        }
        extents = [extent for a in parameters if a.is_pointer or a.is_array for extent in data[a.name].shape]
        seed = 0x9E3779B97F4A7C15 * (noise + 1) % 2**64
        options = _Options(self.limits.budget, 2 if is_lower else int(noise > 0), seed, NOISE_ULPS)
        report = _Report()
        entry(  # type: ignore[operator]
            _pointers(list(data.values())),
            _pointers(list(shadow.values())),
            (ctypes.c_int64 * max(1, len(extents)))(*extents),
            ctypes.byref(options),
            ctypes.byref(report),
        )
        return Watched(report, data, shadow)

    def _wide_runs(self, inputs: dict[str, Array]) -> tuple[dict[str, Array] | None, list[dict[str, Array]]]:
        """The widened result (None where the wide build strays out of bounds), and those with noise that stayed in."""
        if not self.limits.samples:
            return None, []
        plain = self.watched(self.widened, inputs, is_wide=True)
        runs = [self.watched(self.widened, inputs, k + 1, is_wide=True) for k in range(self.limits.samples)]
        return (None if plain.report.kind else plain.data), [run.data for run in runs if not run.report.kind]

    def _all_written(self, argument: Argument, checked: Watched) -> bool:
        shadow = checked.shadow.get(argument.name)
        size = checked.data[argument.name].size
        return shadow is None or size == 0 or bool(np.all(shadow & WRITTEN))

    def _disagreement(self, plain: dict[str, Array], checked: dict[str, Array]) -> str:
        for argument in self.outputs:
            for path in leaf_paths(plain[argument.name].dtype):
                ours, theirs = at_path(checked[argument.name], path), at_path(plain[argument.name], path)
                same = np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f")
                if not same and not _nearly(ours, theirs):
                    return f"{argument.name}.{path}" if path else argument.name
        return ""

    def _leaves(
        self, plain: dict[str, Array], wide: dict[str, Array] | None, noisy: list[dict[str, Array]], checked: Watched
    ) -> list[Leaf]:
        found = []
        for argument in self.outputs:
            name = argument.name
            paths = leaf_paths(plain[name].dtype)
            shadow = checked.shadow.get(name)
            for k, path in enumerate(paths):
                own = at_path(plain[name], path)
                seen = [at_path(run[name], path) for run in noisy]
                exact = at_path(wide[name], path) if wide is not None else None
                written = np.ones(own.shape, bool)
                if shadow is not None and own.size:
                    written = ((shadow.reshape(-1, len(paths))[:, k] & WRITTEN) > 0).reshape(own.shape)
                leaf = _leaf(name, path, own, exact, seen, written)
                found.append(replace(leaf, is_scalar=argument.shape in ((), ("1",))))
        return found


def _leaf(
    name: str, path: str, own: Array, exact: Array | None, noisy: list[Array], written: NDArray[np.bool_]
) -> Leaf:
    wide = own if exact is None else exact
    if own.dtype.kind != "f":
        every = [own, wide, *noisy]
        low, high = np.minimum.reduce(every), np.maximum.reduce(every)
        still = np.zeros(own.shape, bool)
        return Leaf(name, path, own, own, np.zeros(own.shape), low, high, still, written)
    every = [own.astype(wide.dtype), wide, *noisy]
    kinds = [np.isnan(v) * 3 + np.isposinf(v) * 1 + np.isneginf(v) * 2 for v in every]
    varies = np.logical_or.reduce([kind != kinds[0] for kind in kinds])
    finite = np.logical_and.reduce([kind == 0 for kind in kinds])
    spread = np.zeros(own.shape)
    with np.errstate(all="ignore"):
        for values in every:
            distance = np.abs(values.astype(np.longdouble) - wide.astype(np.longdouble))
            spread = np.maximum(spread, np.where(finite, distance, 0).astype(np.float64))
    return Leaf(name, path, own, wide, spread, own, own, varies, written)


def _nearly(ours: Array, theirs: Array) -> bool:
    """Equal up to a few last places: a compiler folds sin(0.5) more exactly than the library computes it."""
    if ours.dtype.kind != "f":
        return False
    with np.errstate(all="ignore"):
        close = np.isclose(ours, theirs, rtol=64 * float(np.finfo(ours.dtype).eps), atol=0, equal_nan=True)
    return bool(np.all(close))


# ------------------------------------------------------------------ layouts


def leaf_paths(dtype: np.dtype[Any]) -> tuple[str, ...]:
    """Dotted paths of the plain fields of a struct, in order; ("",) for a plain type."""
    if dtype.fields is None:
        return ("",)
    found = []
    for name in dtype.names or ():
        found += [f"{name}.{path}" if path else name for path in leaf_paths(dtype.fields[name][0])]
    return tuple(found)


def at_path(array: Array, path: str) -> Array:
    """A view of one leaf."""
    for part in path.split(".") if path else ():
        array = array[part]
    return array


def wider_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """float32 -> float64, float64 -> long double, field by field; integers stay."""
    if dtype.fields is None:
        wide: np.dtype[Any] = _WIDER.get(dtype, dtype)
        return wide
    fields = [(name, wider_type(dtype.fields[name][0])) for name in dtype.names or ()]
    return np.dtype(fields, align=True)


def widened(array: Array) -> Array:
    """The same values in the wider type and its own layout."""
    wide = np.empty(array.shape, wider_type(array.dtype))
    for path in leaf_paths(array.dtype):
        at_path(wide, path)[...] = at_path(array, path)
    return wide


def _pointers(arrays: list[Array] | list[NDArray[np.uint8]]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * max(1, len(arrays)))(*(array.ctypes.data for array in arrays))
