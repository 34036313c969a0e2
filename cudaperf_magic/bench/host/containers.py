"""Containers of C++'s standard library in host code: std::vector as a list, std::pair as a struct.

Values only: what a vector's growth does to pointers into it is not followed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tree_sitter import Node

from cudaperf_magic.bench.host.initialisers import initialiser
from cudaperf_magic.bench.host.runtime import HostPlace, PlanError
from cudaperf_magic.bench.host.scope import (
    Expr,
    Frame,
    Get,
    Scope,
    compile_expression,
    convert,
    copied,
    initial,
    load,
    shorten,
)  # fmt: skip
from cudaperf_magic.bench.host.types import (
    BOOL,
    LONG,
    Arithmetic,
    Field,
    LibraryType,
    PointerType,
    StructType,
    Type,
    describe,
)  # fmt: skip

MOST_ELEMENTS = 1 << 20  # of a vector: a plan is about the device's memory


def bounded(count: int) -> int:
    """A vector's length as asked for.

    Raises:
        PlanError: it is negative, or far more than a plan needs.
    """
    if not 0 <= count <= MOST_ELEMENTS:
        raise PlanError(f"a std::vector of {count:,} elements; up to {MOST_ELEMENTS:,} are read")
    return count


def changed(expr: Expr, target: Type, change: Callable[[Any], Any]) -> Expr:
    get = expr.get
    return Expr(target, lambda frame: change(get(frame)), name=expr.name)


@dataclass(frozen=True)
class VectorType(LibraryType):
    """std::vector and c10::ArrayRef; an array of one is made of one number."""

    of: Type = LONG

    def taken(self, expr: Expr, node: Node) -> Expr | None:
        if isinstance(expr.type, VectorType) and expr.type.of == self.of:
            return changed(expr, self, copied)
        if isinstance(expr.type, VectorType) and isinstance(self.of, Arithmetic):
            each = convert(Expr(expr.type.of, lambda holder: holder[0]), self.of, node).get
            return changed(expr, self, lambda values: [each([value]) for value in values])
        if isinstance(expr.type, Arithmetic) and self.of == LONG:
            return changed(convert(expr, LONG, node), self, lambda value: [value])
        return None

    def listed(self, nodes: list[Node], scope: Scope) -> Get | None:
        is_constructed = bool(nodes) and nodes[0].parent is not None and nodes[0].parent.type == "argument_list"
        if not is_constructed:
            gets = [initialiser(node, self.of, scope) for node in nodes]
            return lambda frame: [get(frame) for get in gets]
        first = compile_expression(nodes[0], scope)
        if isinstance(first.type, VectorType) and len(nodes) == 1:
            return convert(first, self, nodes[0]).get
        if not isinstance(first.type, Arithmetic) or len(nodes) > 2:
            return None
        count, start = convert(first, LONG, nodes[0]).get, initial(self.of, is_zeroed=True)
        value: Get = initialiser(nodes[1], self.of, scope) if len(nodes) == 2 else lambda frame: start
        return lambda frame: [copied(value(frame)) for _ in range(bounded(count(frame)))]

    def element(self, base: Expr, index: Expr, node: Node) -> Expr | None:
        if not isinstance(index.type, Arithmetic) or index.type.is_float:
            return None
        values, position, name = base.get, index.get, shorten(node)

        def place(frame: Frame) -> HostPlace:
            return HostPlace(values(frame), position(frame))

        return Expr(self.of, lambda frame: load(place(frame), name), place, name=name, is_const=base.is_const)

    def operated(self, symbol: str, left: Expr, right: Expr) -> Expr | None:
        compare = {"==": operator.eq, "!=": operator.ne}.get(symbol)
        if compare is None or not isinstance(left.type, VectorType) or not isinstance(right.type, VectorType):
            return None
        if not isinstance(left.type.of, Arithmetic) or not isinstance(right.type.of, Arithmetic):
            return None
        first, second = left.get, right.get
        return Expr(BOOL, lambda frame: bool(compare(first(frame), second(frame))))

    def blank(self) -> list[Any]:
        return []


def vector_of(element: Type) -> VectorType:
    return VectorType(f"std::vector<{describe(element)}>", of=element)


def pair_of(first: Type, second: Type) -> StructType:
    """std::pair, by its two fields."""
    return StructType(
        f"std::pair<{describe(first)}, {describe(second)}>", (Field("first", first), Field("second", second))
    )


def elements_of(base: Expr) -> tuple[Type, Get] | None:
    """The type of a container's elements, and the list that holds them; None for what holds none."""
    if isinstance(base.type, VectorType):
        return base.type.of, base.get
    element = getattr(base.type, "element", None)  # of an array
    return (element, base.get) if element is not None and not callable(element) else None


def pointer_to(base: Expr, element: Type) -> Expr:
    """`.data()`: host memory, which a copy to the device may read."""
    get = base.get
    return Expr(PointerType(element, base.is_const), lambda frame: HostPlace(get(frame), 0), name=base.name)
