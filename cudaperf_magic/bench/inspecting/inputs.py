"""What the parameters hold: given with options, taken from the notebook by name, or made up; each says which it was.

Arrays of the notebook are copied, never altered. Sizes of pointers that nobody gives are extents.py's to guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.host.source import Program
from cudaperf_magic.bench.host.types import BFLOAT, BOOL, Arithmetic, describe, wrapper
from cudaperf_magic.bench.inspecting import values
from cudaperf_magic.bench.inspecting.parameters import Parameter, dtype_of, element_words
from cudaperf_magic.bench.inspecting.usage import counts_of, shapes_of, sizes_of, whole_of
from cudaperf_magic.errors import UsageError, did_you_mean
from cudaperf_magic.records_inspection import ScalarTaken
from cudaperf_magic.tasks.expressions import Unknown, value_of

Array = NDArray[Any]
Number = int | float | bool
# Small, so that a cubic kernel still answers at once; odd, so that a last block is not full and sides are not alike.
MADE_UP_SIZES = {1: (1000,), 2: (100, 70), 3: (40, 33, 50)}
WHOLE_SIZES = (128, 256)  # of what the program divides without a rest
SMALLER_SIZE = 100  # of the only one, where 1000 makes a large grid
MANY_SIZES, MADE_UP_COUNT = (24, 20, 28, 22), 3
MOST_BYTES = 1 << 30  # of one array


@dataclass(frozen=True)
class Inputs:
    """The values of the scalars, the notebook's arrays, and how many elements the other pointers were said to have."""

    parameters: tuple[Parameter, ...]
    scalars: dict[str, Number]
    taken: tuple[ScalarTaken, ...]
    arrays: dict[str, Array] = field(default_factory=dict)
    extents: dict[str, int] = field(default_factory=dict)  # given with --size
    ranges: dict[str, values.Range] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)  # the integers that look like sizes
    notes: tuple[str, ...] = ()
    seed: int = 0

    @property
    def pointers(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if p.is_pointer)

    def made(self, parameter: Parameter, count: int) -> Array:
        """A made-up array of `count` elements."""
        size = dtype_of(parameter.element, parameter.name).itemsize * count
        if size > MOST_BYTES:
            small = next(iter(self.sizes), parameter.name)
            words = f"{parameter.name} would hold {size:,} bytes"
            raise UsageError(f"{words}; the simulator is for small sizes: take a smaller --size {small}=...")
        most = min([v for v in self.sizes.values() if v > 0], default=values_of_a_byte)
        ranges = {key.replace(alias, parameter.name, 1) if key.split(".")[0] == alias else key: limits
                  for alias in parameter.names for key, limits in self.ranges.items()}  # fmt: skip
        return values.made_up(parameter.name, parameter.element, count, most, ranges, self.seed)


values_of_a_byte = 256  # what an index array may hold where no size is known


def take(
    parameters: tuple[Parameter, ...],
    program: Program,
    function: str,
    *,
    sizes: Mapping[str, str],
    ranges: Mapping[str, str],
    named: Mapping[str, Any],
    seed: int,
    is_small: bool = False,
) -> Inputs:
    """The inputs of a run, but for the arrays that are to be made up.

    Args:
        is_small: whether a size that stands alone is made up smaller than usual.
        sizes: --size options: values of scalars, and elements of pointers as expressions over them.
        ranges: --range options. named: the notebook's variables.

    Raises:
        UsageError: an option names what is not there, or a variable does not fit; one sentence.
    """
    _refuse_strangers("--size", sizes, parameters, function)
    _refuse_strangers("--range", {key.split(".")[0]: value for key, value in ranges.items()}, parameters, function)
    found = {p.name: taken for p in parameters if p.is_pointer if (taken := _array(p, named)) is not None}
    arrays = {name: array for name, (array, _) in found.items()}
    looks_like_size = {p.name for p in parameters if p.is_integer and sizes_of(program) & set(p.names)}
    if not looks_like_size:
        looks_like_size = {p.name for p in parameters if p.is_integer}
    counts = {p.name for p in parameters if p.is_integer and counts_of(program) & set(p.names)} - looks_like_size
    scalars = _Scalars(parameters, sizes, named)
    scalars.take_given()
    notes = (*(note for _, note in found.values() if note), *scalars.take_lengths(looks_like_size, arrays))
    for name, value in shapes_of(program).items():
        scalars.make_up_one(name, value)
    for number, name in enumerate(sorted(looks_like_size & whole_of(program))):
        scalars.make_up_one(name, WHOLE_SIZES[number % len(WHOLE_SIZES)])
    scalars.make_up(looks_like_size, counts, (SMALLER_SIZE,) if is_small else None, seed)
    known: dict[str, Any] = {**scalars.aliases(), **scalars.found}
    extents = {p.name: _extent(p, text, known) for p in parameters if p.is_pointer if (text := _own(p, sizes))}
    for name in extents.keys() & arrays.keys():
        raise UsageError(f"--size {name}: {name} is an array of the notebook, whose size is its own; leave it out")
    return Inputs(
        parameters,
        scalars.found,
        tuple(scalars.taken[p.name] for p in parameters if p.name in scalars.taken),
        arrays,
        extents,
        {key: values.read_range(key, text, known) for key, text in ranges.items()},
        {name: int(value) for name, value in scalars.found.items() if name in looks_like_size},
        notes,
        seed,
    )


def _refuse_strangers(flag: str, given: Iterable[str], parameters: tuple[Parameter, ...], function: str) -> None:
    known = [name for p in parameters for name in p.names]
    for name in given:
        if name not in known:
            there = f"; it has {', '.join(p.name for p in parameters)}" if parameters else ""
            raise UsageError(f"{flag} {name}: {function} has no {name}{did_you_mean(name, known) or there}")


def _own(parameter: Parameter, options: Mapping[str, str]) -> str | None:
    return next((options[name] for name in parameter.names if name in options), None)


class _Scalars:
    """The values of the by-value parameters, from several sources in turn."""

    def __init__(self, parameters: tuple[Parameter, ...], sizes: Mapping[str, str], named: Mapping[str, Any]) -> None:
        self.parameters = [p for p in parameters if not p.is_pointer]
        self.sizes, self.named = sizes, named
        self.found: dict[str, Number] = {}
        self.taken: dict[str, ScalarTaken] = {}
        for p in self.parameters:
            if not isinstance(p.type, Arithmetic):
                what = f"{p.name} is of type {describe(p.type)} and passed by value"
                raise UsageError(f"{what}; write its value into the launch, {describe(p.type)}{{...}} in its place")

    def aliases(self) -> dict[str, Number]:
        return {alias: self.found[p.name] for p in self.parameters if p.name in self.found for alias in p.aliases}

    def take_given(self) -> None:
        """From options, which may speak of each other, and from numbers of the notebook."""
        waiting = {p.name: text for p in self.parameters if (text := _own(p, self.sizes)) is not None}
        for p in self.parameters:
            name = next((n for n in p.names if _is_number(self.named.get(n), p)), None)
            if p.name not in waiting and name is not None:
                self.put(p, self.named[name], "notebook")
        problem = ""
        while waiting:
            done = []
            for name, text in waiting.items():
                try:
                    value = value_of(text, {**self.aliases(), **self.found})
                except Unknown as unknown:
                    problem = f"--size {name}={text}: {unknown} is not known; give it too"
                    continue
                self.put(next(p for p in self.parameters if p.name == name), value, "given")
                done.append(name)
            if not done:
                raise UsageError(problem)
            waiting = {name: text for name, text in waiting.items() if name not in done}

    def take_lengths(self, sizes: set[str], arrays: Mapping[str, Array]) -> tuple[str, ...]:
        """One size that is missing beside arrays of one length is that length."""
        missing = [p for p in self.parameters if p.name in sizes and p.name not in self.found]
        if not missing or not arrays:
            return ()
        lengths = {array.size for array in arrays.values()}
        if len(missing) > 1 or len(lengths) > 1:
            names, options = " and ".join(p.name for p in missing), " ".join(f"--size {p.name}=..." for p in missing)
            theirs = ", ".join(arrays)
            raise UsageError(f"no value is known for {names}, to go with the notebook's {theirs}; give {options}")
        self.put(missing[0], lengths.pop(), "notebook")
        return (f"{missing[0].name} is the length of {next(iter(arrays))}",)

    def make_up_one(self, name: str, value: int) -> None:
        for p in self.parameters:
            if p.is_integer and p.name == name and name not in self.found:
                self.put(p, value, "made up")

    def make_up(self, sizes: set[str], counts: set[str], small: tuple[int] | None, seed: int) -> None:
        missing = [p for p in self.parameters if p.name not in self.found]
        lengths = [p.name for p in missing if p.name in sizes]
        pattern = MADE_UP_SIZES.get(len(lengths), MANY_SIZES)
        pattern = small if small is not None and len(lengths) == 1 else pattern
        made = {name: pattern[i % len(pattern)] for i, name in enumerate(lengths)}
        for p in missing:
            assert isinstance(p.type, Arithmetic)
            if p.type.is_float:
                self.put(p, values.number(p.name, seed), "made up")
            else:
                self.put(p, made.get(p.name, MADE_UP_COUNT if p.name in counts else 1), "made up")

    def put(self, p: Parameter, value: Any, origin: Literal["given", "made up", "notebook"]) -> None:
        assert isinstance(p.type, Arithmetic)
        shown = f"{p.name} = {value}"
        if p.type.is_float:
            kept: Number = wrapper(p.type)(float(value))
        elif p.type == BOOL:
            kept = bool(value)
        else:
            if int(value) != value:
                raise UsageError(f"{shown}: {p.name} is a whole number, {p.type.name}")
            kept = int(value)
            if wrapper(p.type)(kept) != kept:
                raise UsageError(f"{shown} does not fit a C {p.type.name}")
        self.found[p.name] = kept
        text = {True: "true", False: "false"}[kept] if isinstance(kept, bool) else repr(kept)
        if p.type.is_float and p.type.size <= 4:
            text = str(np.float32(kept))  # the shortest that means this number
        self.taken[p.name] = ScalarTaken(p.name, p.type.name, text, origin)


def _is_number(value: Any, parameter: Parameter) -> bool:
    if isinstance(value, bool | np.bool_):
        return parameter.type == BOOL
    is_real = isinstance(parameter.type, Arithmetic) and parameter.type.is_float
    return isinstance(value, int | np.integer) or (is_real and isinstance(value, float | np.floating))


def _extent(parameter: Parameter, text: str, known: Mapping[str, Number]) -> int:
    try:
        count = value_of(text, known)
    except Unknown as unknown:
        raise UsageError(f"--size {parameter.name}={text}: {unknown} is not a number that is known here") from None
    if count != int(count) or count < 0:
        raise UsageError(f"--size {parameter.name}={text}: the elements of an array are a whole number, not {count}")
    return int(count)


def _array(parameter: Parameter, named: Mapping[str, Any]) -> tuple[Array, str] | None:
    """A copy of the notebook's array of one of the parameter's names, in the type that the kernel takes, and a note
    where it is not the very one that the launch names.

    Raises:
        UsageError: its elements are of another kind.
    """
    name = next((name for name in parameter.names if _is_array(named.get(name))), None)
    if name is None:
        return None
    array = on_the_host(named[name])
    dtype = dtype_of(parameter.element, parameter.name)
    words = element_words(parameter.element)
    renamed = "" if name == parameter.name else f"{parameter.name} is {name} of the notebook"
    changed = f"{renamed or name}{', which' if renamed else ''} holds {array.dtype} and was converted to {words}"
    if array.dtype == dtype:
        return np.array(array, order="C", copy=True).reshape(-1), renamed
    if parameter.element is BFLOAT and array.dtype.kind == "f":
        return values.bits_of_bfloat(array).reshape(-1), renamed  # NumPy has no such type to hold them in
    if array.dtype.kind == dtype.kind and dtype.kind in "fiu":
        converted = array.astype(dtype).reshape(-1)
        if dtype.kind == "f" or np.array_equal(converted, array.reshape(-1)):
            return converted, changed
    raise UsageError(
        f"{name} of the notebook holds {array.dtype}, the kernel takes {words}; write {name} = {name}.astype('{dtype}')"
    )


def _is_array(value: Any) -> bool:
    """NumPy's, CuPy's, PyTorch's and whatever else has elements of a type, and is no class."""
    return not isinstance(value, type) and all(hasattr(value, name) for name in ("dtype", "shape", "__len__"))


def on_the_host(value: Any) -> Array:
    """Any array as NumPy's.

    Raises:
        UsageError: NumPy has no such type.
    """
    if hasattr(value, "detach"):  # PyTorch's, from its graph and its device
        value = value.detach().cpu()
        value = value.float() if str(value.dtype) == "torch.bfloat16" else value
    elif hasattr(value, "__cuda_array_interface__") and callable(getattr(value, "get", None)):  # CuPy's
        value = value.get()
    try:
        return np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as problem:
        raise UsageError(f"a {type(value).__name__} of the notebook is not read: {problem}") from None
