"""A host function that is evaluated at each call from Python: its arguments and results, and what it does on the way.

Arguments convert as pybind11 converts them, or are a TypeError. What the function throws is an exception of Python;
where its tensors lie and its kernels run is a Place's.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

from ..host import runtime
from ..host.containers import VectorType
from ..host.functions import Instance
from ..host.runtime import DEFAULT_SHARED_BYTES, HostPlace, Limits, Machine, PlanError, check_shape
from ..host.scope import MACHINE, RESULT, Frame
from ..host.types import VOID, Arithmetic, ReferenceType, Type, describe, wrapper
from ..plan import Launch
from .types import NOTHING, TENSOR, OptionalType, TupleType

LIMITS = Limits(iterations=50_000_000)


class Where(Protocol):
    """Where tensors lie and kernels run."""

    def device_of(self, tensor: Any) -> str:
        """As host code sees it: "cuda:0"."""
        ...

    def made_on(self, device: str) -> str:
        """Where a tensor lies of which host code says that it is on `device`."""
        ...

    def must_be_current(self, device: str) -> None: ...
    def used(self, tensor: Any) -> None:
        """Its address was asked for."""
        ...

    def launch(self, step: Launch) -> None:
        """Pointers are absolute addresses, as offsets from no buffer."""
        ...

    def fill(self, address: int, byte: int, size_bytes: int) -> None: ...
    def synchronize(self) -> None: ...
    def attribute(self, which: int) -> int:
        """Of the device, by its CUdevice_attribute."""
        ...


@dataclass
class LiveMachine(Machine):
    """Does at once what a Machine would put into a plan."""

    place: Any = None  # Where

    def launch(self, step: Launch) -> None:
        check_shape(step)
        if step.shared_bytes > max(DEFAULT_SHARED_BYTES, self.shared_limits.get(step.kernel, 0)):
            raise PlanError(
                f"CUDA error: invalid argument: {step.kernel} asks for {step.shared_bytes:,} bytes of shared memory"
            )
        self.place.launch(step)

    def fill(self, place: runtime.Place, byte: int, size_bytes: int, line: int, what: str = "cudaMemset") -> None:
        self.place.fill(place.offset, byte & 0xFF, size_bytes)

    def allocate(self, *_: Any) -> NoReturn:
        raise PlanError("no memory is allocated here but by torch")  # words.py refuses it when the source is read

    def free(self, *_: Any) -> NoReturn:
        raise PlanError("no memory is freed here")

    def copy(self, *_: Any) -> NoReturn:
        raise PlanError("nothing is copied here but by torch")


def live(frame: Frame) -> LiveMachine:
    found: LiveMachine = frame[MACHINE]
    return found


@dataclass(frozen=True)
class HostFunction:
    """One exported function. Call it with what pybind11 would take."""

    name: str
    instance: Instance
    place: Where
    globals: list[Any] = field(repr=False)  # static variables live as long as the module
    shared_limits: dict[str, int] = field(repr=False)

    def __call__(self, *given: Any) -> Any:
        parameters = self.instance.parameters
        if len(given) != len(parameters):
            raise TypeError(f"{self.name}() takes {len(parameters)} arguments, not {len(given)}")
        frame: Frame = [None] * max(self.instance.routine.slots, 2)
        frame[MACHINE] = LiveMachine(LIMITS, globals=self.globals, shared_limits=self.shared_limits, place=self.place)
        for number, ((slot, type_), value) in enumerate(zip(parameters, given, strict=True), 1):
            try:
                frame[slot] = _taken(type_, value)
            except (TypeError, OverflowError, ValueError):
                raise TypeError(
                    f"{self.name}(): incompatible function arguments: argument {number} is a "
                    f"{type(value).__name__}, where a {describe(type_)} is asked for"
                ) from None
        try:
            self.instance.run(frame)
        except PlanError as error:
            raise RuntimeError(error.message) from None
        if frame[RESULT] is None and self.instance.result != VOID:
            raise RuntimeError(f"{self.name} ends without returning a value")
        return _returned(self.instance.result, frame[RESULT])


def is_exchanged(type_: Type, *, is_result: bool = False) -> bool:
    """Whether values of this type go in from Python, or out to it."""
    if isinstance(type_, ReferenceType):
        return is_exchanged(type_.target, is_result=is_result)
    if isinstance(type_, VectorType | OptionalType):
        return is_exchanged(type_.of, is_result=is_result)
    if isinstance(type_, TupleType):
        return is_result and all(is_exchanged(each, is_result=True) for each in type_.of)
    return isinstance(type_, Arithmetic) or type_ == TENSOR or (is_result and type_ == VOID)


def _taken(type_: Type, value: Any) -> Any:
    if isinstance(type_, ReferenceType):
        return HostPlace([_taken(type_.target, value)], 0)
    if isinstance(type_, Arithmetic):
        return _number(type_, value)
    if isinstance(type_, OptionalType):
        return NOTHING if value is None else _taken(type_.of, value)
    if isinstance(type_, VectorType):
        if not isinstance(value, list | tuple):
            raise TypeError
        return [_taken(type_.of, each) for each in value]
    import torch

    if not isinstance(value, torch.Tensor):
        raise TypeError
    return value


def _number(type_: Arithmetic, value: Any) -> Any:
    if type_.kind == "bool":
        if not isinstance(value, bool):
            raise TypeError
        return value
    if isinstance(value, str | bytes):
        raise TypeError
    fit: Callable[[Any], Any] = wrapper(type_)
    if type_.is_float:
        return fit(float(value))
    whole = operator.index(value)
    if fit(whole) != whole:
        raise OverflowError
    return whole


def _returned(type_: Type, value: Any) -> Any:
    if type_ == VOID or value is NOTHING:
        return None
    if isinstance(type_, OptionalType):
        return _returned(type_.of, value)
    if isinstance(type_, VectorType):
        return [_returned(type_.of, each) for each in value]
    if isinstance(type_, TupleType):
        return tuple(_returned(each, v) for each, v in zip(type_.of, value, strict=True))
    return value
