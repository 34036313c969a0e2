"""C's operators on values: arithmetic with the right type, wrap and rounding, comparisons, and pointer arithmetic.

`operation` takes the operand types and gives the result's type with a plain function of two values; it sees no syntax.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from cudaperf_magic.bench.host.runtime import HostPlace, Machine, Place, PlanError
from cudaperf_magic.bench.host.types import (
    BOOL,
    LONG,
    Arithmetic,
    PointerType,
    Type,
    arithmetic_converter,
    common,
    describe,
    promote,
    wrapper,
)  # fmt: skip

Operation = Callable[[Any, Any], Any]

_COMPARE: dict[str, Operation] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
_BITS: dict[str, Operation] = {"&": operator.and_, "|": operator.or_, "^": operator.xor}


def operation(symbol: str, left: Type, right: Type) -> tuple[Type, Operation] | str:
    """The result's type and the function that computes it, or why the operator does not apply to these types."""
    if isinstance(left, Arithmetic) and isinstance(right, Arithmetic):
        return _arithmetic(symbol, left, right)
    if symbol in _COMPARE:
        return BOOL, _compare_places(_COMPARE[symbol])
    if isinstance(left, PointerType) and _is_integer(right) and symbol in "+-":
        size = left.target.size
        return left, (lambda a, b: offset(a, b, size)) if symbol == "+" else (lambda a, b: offset(a, -b, size))
    if isinstance(right, PointerType) and _is_integer(left) and symbol == "+":
        size = right.target.size
        return right, lambda a, b: offset(b, a, size)
    if isinstance(left, PointerType) and isinstance(right, PointerType) and symbol == "-":
        return LONG, _distance(left.target.size)
    return f"{describe(left)} {symbol} {describe(right)} has no meaning"


def _is_integer(type_: Type) -> bool:
    return isinstance(type_, Arithmetic) and not type_.is_float


def _arithmetic(symbol: str, left: Arithmetic, right: Arithmetic) -> tuple[Type, Operation] | str:
    if symbol in ("<<", ">>"):
        return (
            (promote(left), _shift(symbol, promote(left)))
            if _is_integer(left) and _is_integer(right)
            else _no_floats(symbol)
        )
    shared = common(left, right)
    if symbol in _COMPARE:
        return BOOL, _converted(_COMPARE[symbol], left, right, shared)
    if shared.is_float:
        if symbol not in "+-*/":
            return _no_floats(symbol)
        raw: Operation = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": _divide_float}[symbol]
        if shared.name == "double":
            return shared, _converted(raw, left, right, shared)
        fit = wrapper(shared)  # double holds products and quotients of floats closely enough to round only once
        return shared, _converted(lambda a, b: fit(raw(a, b)), left, right, shared)
    if symbol in _BITS:
        return shared, _converted(_BITS[symbol], left, right, shared)
    raw = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": _divide, "%": _remainder}[symbol]
    return shared, _converted(_wrapped(raw, shared), left, right, shared)


def _no_floats(symbol: str) -> str:
    return f"{symbol} takes integers, not floating-point numbers"


def _wrapped(raw: Operation, type_: Arithmetic) -> Operation:
    fit = wrapper(type_)
    bits = type_.size * 8
    low, high = (0, (1 << bits) - 1) if type_.kind == "unsigned" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)

    def compute(a: Any, b: Any) -> Any:
        value = raw(a, b)
        return value if low <= value <= high else fit(value)

    return compute


def _converted(raw: Operation, left: Arithmetic, right: Arithmetic, shared: Arithmetic) -> Operation:
    first, second = arithmetic_converter(left, shared), arithmetic_converter(right, shared)
    if first is None and second is None:
        return raw
    if second is None and first is not None:
        return lambda a, b: raw(first(a), b)
    if first is None and second is not None:
        return lambda a, b: raw(a, second(b))
    assert first is not None and second is not None
    return lambda a, b: raw(first(a), second(b))


def _divide(a: int, b: int) -> int:
    if b == 0:
        raise PlanError("the host function divides by zero")
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int) -> int:
    return a - b * _divide(a, b)


def _divide_float(a: float, b: float) -> float:
    if b:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, math.copysign(1.0, a) * math.copysign(1.0, b))


def _shift(symbol: str, type_: Arithmetic) -> Operation:
    bits, fit = type_.size * 8, wrapper(type_)

    def shift(a: int, b: int) -> int:
        if not 0 <= b < bits:
            raise PlanError(f"a shift by {b} of a number of {bits} bits is undefined in C")
        return fit(a << b) if symbol == "<<" else a >> b

    return shift


def offset(pointer: Any, count: int, size: int) -> Any:
    """`pointer + count` for elements of `size` bytes."""
    if isinstance(pointer, Place):
        return Place(pointer.buffer, pointer.offset + count * size)
    if not isinstance(pointer, HostPlace):
        raise PlanError("arithmetic on something that is not a pointer to data")
    if count and pointer.container and isinstance(pointer.container[0], Machine):
        raise PlanError("pointer arithmetic beyond a host variable")
    return HostPlace(pointer.container, pointer.position + count)


def _distance(size: int) -> Operation:
    def distance(a: Any, b: Any) -> int:
        if isinstance(a, Place) and isinstance(b, Place) and a.buffer is b.buffer:
            return _divide(a.offset - b.offset, max(size, 1))
        if isinstance(a, HostPlace) and isinstance(b, HostPlace) and a.container is b.container:
            return a.position - b.position
        raise PlanError("the difference of pointers into two different arrays is undefined in C")

    return distance


def _compare_places(raw: Operation) -> Operation:
    is_equality = raw in (operator.eq, operator.ne)

    def compare(a: Any, b: Any) -> bool:
        first, second = _address(a), _address(b)
        if not is_equality and first[0] != second[0]:
            raise PlanError("the order of pointers into two different arrays is undefined in C")
        return bool(raw(first, second))

    return compare


def _address(value: Any) -> tuple[int, int]:
    if isinstance(value, Place | HostPlace):
        return (0 if value[0] is None else id(value[0])), value[1]
    return 0, int(value) if isinstance(value, int) else id(value)  # nullptr and 0, or a stream or kernel
