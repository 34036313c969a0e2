"""Braces and constructors' arguments as the start of a variable: arrays, structs, a library's classes."""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from cudaperf_magic.bench.host.declared import type_of
from cudaperf_magic.bench.host.scope import (
    Expr,
    Frame,
    Get,
    Scope,
    compile_expression,
    convert,
    copied,
    expression,
    initial,
    part,
    refuse,
    shorten,
    zero,
)  # fmt: skip
from cudaperf_magic.bench.host.source import text
from cudaperf_magic.bench.host.types import ArrayType, LibraryType, StructType, Type, describe


@expression("compound_literal_expression")
def compound_literal(node: Node, scope: Scope) -> Expr:
    type_node = node.child_by_field_name("type")
    if type_node is None or not text(type_node):  # {32, 8} where a dim3 is meant
        refuse(node, f"name the type of {shorten(node)}")
    type_ = type_of(type_node, scope)
    return Expr(type_, initialiser(part(node, "value"), type_, scope))


def initialiser(node: Node, type_: Type, scope: Scope) -> Get:
    """Braces, or one expression, as the start of a variable of `type_`."""
    if node.type not in ("initializer_list", "argument_list"):
        if node.type == "compound_literal_expression" and not text(part(node, "type")):
            return initialiser(part(node, "value"), type_, scope)
        return convert(compile_expression(node, scope), type_, node).get
    items = [child for child in node.named_children if child.type != "comment"]
    if isinstance(type_, LibraryType):
        listed: Get | None = type_.listed(items, scope)
        return listed or refuse(node, f"a {describe(type_)} is not made of {shorten(node)}")
    if not isinstance(type_, ArrayType | StructType):
        if len(items) > 1:
            refuse(node, f"{len(items)} values for one {describe(type_)}")
        start = zero(type_)
        return initialiser(items[0], type_, scope) if items else (lambda frame: start)
    if node.type == "argument_list" and len(items) == 1 and isinstance(type_, StructType):
        only = compile_expression(items[0], scope)
        if only.type == type_:
            return convert(only, type_, items[0]).get
    return _aggregate(node, items, type_, scope)


def refuse_constructed(type_: Type, node: Node, scope: Scope) -> None:
    """A class that owns something is not followed: what its constructor and destructor do would go unseen."""
    if isinstance(type_, StructType) and type_.name in scope.unit.constructed:
        refuse(
            node,
            f"the constructor and destructor of {type_.name} are not read; call what they call in the host function",
        )


def _aggregate(node: Node, items: list[Node], type_: ArrayType | StructType, scope: Scope) -> Get:
    refuse_constructed(type_, node, scope)
    if isinstance(type_, ArrayType):
        types = [type_.element] * (len(items) if type_.length is None else type_.length)
        type_ = ArrayType(type_.element, len(types))
    else:
        types = [field.type for field in type_.fields]
    if len(items) > len(types):
        refuse(node, f"{len(items)} values for a {describe(type_)}, which holds {len(types)}")
    gets = []
    for place, item in enumerate(items):
        position = _designated(item, type_) if item.type == "initializer_pair" else place
        value = part(item, "value") if item.type == "initializer_pair" else item
        gets.append((position, initialiser(value, types[position], scope)))
    blank = initial(type_, is_zeroed=True)

    def get(frame: Frame) -> Any:
        made = copied(blank)
        for index, value in gets:
            made[index] = value(frame)
        return made

    return get


def _designated(pair: Node, type_: Type) -> int:
    """Which field `.n = 3` names."""
    name = text(part(pair, "designator")).lstrip(".")
    index = type_.index(name) if isinstance(type_, StructType) else None
    return index if index is not None else refuse(pair, f"a {describe(type_)} has no field {name}")
