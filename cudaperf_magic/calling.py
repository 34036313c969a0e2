"""A Python call's arguments, checked against a task's parameters before a kernel sees them.

Each refusal is one sentence that names the argument and what to write instead. It copies nothing and runs nothing:
`bind` answers with the caller's own arrays, which the kernel's results are written to, as C would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import UsageError
from .records import Argument, Task

if TYPE_CHECKING:
    import numpy as np

@dataclass(frozen=True)
class Bound:
    """Scalars by value, and arrays by reference, by parameter name."""

    scalars: dict[str, Any]
    arrays: dict[str, np.ndarray[Any, Any]]


def bind(task: Task, positional: Sequence[Any], named: Mapping[str, Any]) -> Bound:
    """The arguments by parameter name, each checked.

    Raises:
        UsageError: one sentence for the first argument that does not fit.
    """
    given = _by_name(task, positional, named)
    scalars = {a.name: _scalar(task, a, given[a.name]) for a in task.arguments if a.name in given and not a.is_pointer}
    whole = {name: value for name, value in scalars.items() if isinstance(value, int)}
    arrays = {}
    for argument in task.arguments:
        if argument.is_pointer and not argument.is_result:
            array = _array(task, argument, given[argument.name])
            _fit(task, argument, array, _shape(argument, whole))
            arrays[argument.name] = array
    _separate(task, arrays)
    return Bound(scalars, arrays)


def _by_name(task: Task, positional: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    names = [a.name for a in task.arguments if not a.is_result]
    signature = f"{task.entry}({', '.join(names)})"
    if len(positional) > len(names):
        raise UsageError(f"{signature} takes {len(names)} arguments, not {len(positional)}")
    given = dict(zip(names, positional, strict=False))
    for name, value in named.items():
        if name not in names:
            raise UsageError(f"{signature} has no argument {name}")
        if name in given:
            raise UsageError(f"{signature}: {name} is given twice")
        given[name] = value
    missing = [name for name in names if name not in given]
    if missing:
        raise UsageError(f"{signature}: {missing[0]} is missing")
    return given


def _scalar(task: Task, argument: Argument, value: Any) -> int | float | bool:
    import numpy as np

    place = f"{task.entry}: {argument.name}"
    item = np.asarray(value)
    if item.shape != () or item.dtype.kind not in "biuf":
        raise UsageError(f"{place} must be one {argument.c_type} number, not {type(value).__name__}")
    dtype = np.dtype(argument.dtype)
    if dtype.kind == "f":
        return float(item)
    if dtype.kind == "b":
        return bool(item)
    whole = int(item)
    if whole != item:
        raise UsageError(f"{place} must be a whole number, not {value}")
    limits = np.iinfo(dtype)
    if not limits.min <= whole <= limits.max:
        raise UsageError(f"{place} = {whole} does not fit a C {argument.c_type}")
    return whole


def _array(task: Task, argument: Argument, value: Any) -> np.ndarray[Any, Any]:
    import numpy as np

    place = f"{task.entry}: {argument.name}"
    dtype = _dtype(argument)
    if not isinstance(value, np.ndarray):
        raise UsageError(f"{place} must be a NumPy array of {dtype}, not {type(value).__name__}")
    if value.dtype != dtype:
        cast = f"{argument.name}.astype('{dtype}')"
        if argument.role != "in":  # a copy made in the call would be written and lost
            cast = f"{argument.name} = {cast} before the call"
        raise UsageError(f"{place} must be an array of {dtype}, not {value.dtype}; write {cast}")
    if not value.flags.c_contiguous:
        raise UsageError(f"{place} must be C-contiguous; write np.ascontiguousarray({argument.name})")
    if argument.role != "in" and not value.flags.writeable:
        raise UsageError(f"{place} is written by the function, but this array is read-only; pass a copy")
    return value


def _dtype(argument: Argument) -> np.dtype[Any]:
    import numpy as np

    if ":" not in argument.dtype:
        return np.dtype(argument.dtype)
    fields = [tuple(part.split(":")) for part in argument.dtype.split(",")]
    return np.dtype([(name, kind) for name, kind in fields], align=True)


def _shape(argument: Argument, scalars: Mapping[str, int]) -> tuple[int, ...]:
    from .tasks.expressions import Unknown, value_of

    try:
        return tuple(max(0, int(value_of(extent, scalars))) for extent in argument.shape)
    except Unknown as unknown:
        raise UsageError(f"the extent of {argument.name} depends on {unknown}, which is not known here") from None


def _fit(task: Task, argument: Argument, array: np.ndarray[Any, Any], shape: tuple[int, ...]) -> None:
    """The same shape, or the same elements in one dimension; a longer one-dimensional array will do, as in C."""
    needed = 1
    for extent in shape:
        needed *= extent
    is_flat = array.ndim <= 1 or len(shape) <= 1
    if array.shape == shape or (is_flat and array.size >= needed and (array.ndim <= 1 or array.size == needed)):
        return
    written = "[" + "][".join(argument.shape) + "]" if argument.shape else ""
    wanted = f"{argument.name}{written} = {shape}" if shape else f"{argument.name}, one element"
    raise UsageError(f"{task.entry}: {argument.name} has shape {array.shape}, but the C reads {wanted}")


def _separate(task: Task, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """The kernel was verified on arrays that do not overlap; it may not be called with others."""
    import numpy as np

    names = list(arrays)
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            is_written = {task.argument(first).role, task.argument(second).role} != {"in"}
            if is_written and np.may_share_memory(arrays[first], arrays[second]):
                raise UsageError(
                    f"{task.entry}: {first} and {second} share memory and one of them is written; pass a copy of one"
                )
