"""torch's classes as a host function meets them: tensors, options, dtypes, devices, vectors, tuples, optionals.

A dtype's value is its name ("float32"), a device's its text ("cuda:0"), a vector's or tuple's a list, a tensor's the
torch.Tensor itself. Nothing here imports torch, so that reading a source does not need it.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from tree_sitter import Node

from ..host.containers import VectorType, changed
from ..host.initialisers import initialiser
from ..host.scope import Expr, Frame, Get, Scope, compile_expression, convert
from ..host.types import (
    BFLOAT,
    BOOL,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    SCHAR,
    SHORT,
    UCHAR,
    Arithmetic,
    LibraryType,
    Type,
    describe,
)  # fmt: skip

C_TYPES: dict[str, Arithmetic] = {
    "float32": FLOAT, "float64": DOUBLE, "float16": HALF, "bfloat16": BFLOAT, "int32": INT, "int64": LONG,
    "int16": SHORT, "int8": SCHAR, "uint8": UCHAR, "bool": BOOL,
}  # fmt: skip
DTYPES = {c_type: name for name, c_type in C_TYPES.items()}
# c10::ScalarType's own names, as messages spell them.
SCALAR_NAMES = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int32": "Int",
    "int64": "Long", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool",
}  # fmt: skip


class _Nothing:
    """An optional without a value: None stands for what must not be read."""


NOTHING = _Nothing()


@dataclass(frozen=True)
class ComparedType(LibraryType):
    """Values that are only equal or not."""

    def operated(self, symbol: str, left: Expr, right: Expr) -> Expr | None:
        compare = {"==": operator.eq, "!=": operator.ne}.get(symbol)
        right = _as_type(right, left.type)
        if compare is None or right.type != left.type:
            return None
        first, second = left.get, right.get
        return Expr(BOOL, lambda frame: bool(compare(first(frame), second(frame))))


def _as_type(expr: Expr, wanted: Type) -> Expr:
    """A device's kind compares as a device without a number."""
    return changed(expr, DEVICE, lambda kind: kind) if wanted == DEVICE and expr.type == DEVICE_TYPE else expr


@dataclass(frozen=True)
class _DeviceType(ComparedType):
    def taken(self, expr: Expr, node: Node) -> Expr | None:
        return changed(expr, self, lambda kind: kind) if expr.type == DEVICE_TYPE else None


@dataclass(frozen=True)
class _OptionsType(LibraryType):
    """torch::TensorOptions: a dict of what was said."""

    def taken(self, expr: Expr, node: Node) -> Expr | None:
        key = "dtype" if expr.type == SCALAR_TYPE else "device" if expr.type in (DEVICE, DEVICE_TYPE) else ""
        return changed(expr, self, lambda value: {key: value}) if key else None

    def listed(self, nodes: list[Node], scope: Scope) -> Get | None:
        if len(nodes) == 1:
            return convert(compile_expression(nodes[0], scope), self, nodes[0]).get
        return None if nodes else dict

    def blank(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True)
class _TensorType(LibraryType):
    def listed(self, nodes: list[Node], scope: Scope) -> Get | None:
        only = compile_expression(nodes[0], scope) if len(nodes) == 1 else None
        return only.get if only is not None and only.type == self else None


@dataclass(frozen=True)
class TupleType(LibraryType):
    of: tuple[Type, ...] = ()

    def listed(self, nodes: list[Node], scope: Scope) -> Get | None:
        if len(nodes) != len(self.of):
            return None
        gets = [initialiser(node, type_, scope) for node, type_ in zip(nodes, self.of, strict=True)]
        return lambda frame: [get(frame) for get in gets]

    def taken(self, expr: Expr, node: Node) -> Expr | None:
        if not isinstance(expr.type, TupleType) or len(expr.type.of) != len(self.of):
            return None
        each = [
            convert(Expr(given, lambda holder: holder[0]), wanted, node).get
            for given, wanted in zip(expr.type.of, self.of, strict=True)
        ]
        return changed(expr, self, lambda values: [get([v]) for get, v in zip(each, values, strict=True)])


@dataclass(frozen=True)
class OptionalType(LibraryType):
    of: Type = LONG

    def taken(self, expr: Expr, node: Node) -> Expr | None:
        if expr.type == NULLOPT:
            return Expr(self, lambda frame: NOTHING)
        return changed(convert(expr, self.of, node), self, lambda value: value)

    def given(self, expr: Expr, target: Type, node: Node) -> Expr | None:
        return changed(expr, BOOL, lambda value: value is not NOTHING) if target == BOOL else None

    def listed(self, nodes: list[Node], scope: Scope) -> Get | None:
        return None if nodes else lambda frame: NOTHING

    def blank(self) -> Any:
        return NOTHING


@dataclass(frozen=True)
class _GuardType(LibraryType):
    """CUDAGuard and its kin: the fast way stays on the current device, and says so where another is meant."""

    def listed(self, nodes: list[Node], scope: Scope) -> Get | None:
        if len(nodes) != 1:
            return None
        device = convert(compile_expression(nodes[0], scope), DEVICE, nodes[0]).get

        def get(frame: Frame) -> list[Any]:
            frame[0].place.must_be_current(device(frame))
            return []

        return get


TENSOR = _TensorType("torch::Tensor")
OPTIONS = _OptionsType("torch::TensorOptions")
SCALAR_TYPE = ComparedType("torch::ScalarType")
DEVICE = _DeviceType("torch::Device")
DEVICE_TYPE = ComparedType("torch::DeviceType")
PROPERTIES = LibraryType("the result of Tensor::type()")
NULLOPT = LibraryType("nullopt_t")
GUARD = _GuardType("a device guard")
SIZES = VectorType("IntArrayRef", of=LONG)


def tuple_of(elements: tuple[Type, ...]) -> TupleType:
    return TupleType(f"std::tuple<{', '.join(map(describe, elements))}>", of=elements)


def optional_of(element: Type) -> OptionalType:
    return OptionalType(f"optional<{describe(element)}>", of=element)
