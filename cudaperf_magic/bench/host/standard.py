"""The Vocabulary of C++'s standard library and of the text's own structs: containers, and methods of both.

What a launcher's host function may say beside C and CUDA; an extension's text has torch's Vocabulary instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from cudaperf_magic.bench.host.calls import arguments_of, callee
from cudaperf_magic.bench.host.containers import VectorType, bounded, elements_of, pair_of, pointer_to, vector_of
from cudaperf_magic.bench.host.declared import template_argument, type_of
from cudaperf_magic.bench.host.functions import call_method
from cudaperf_magic.bench.host.runtime import HostPlace, PlanError
from cudaperf_magic.bench.host.scope import (
    Expr,
    Frame,
    Get,
    Scope,
    compile_expression,
    convert,
    copied,
    decay,
    initial,
    load,
    part,
    refuse,
    shorten,
)  # fmt: skip
from cudaperf_magic.bench.host.source import text
from cudaperf_magic.bench.host.types import (
    BOOL,
    ULONG,
    VOID,
    Arithmetic,
    ArrayType,
    PointerType,
    StructType,
    Type,
    describe,
)  # fmt: skip


class StandardWords:
    """The Vocabulary of scope.py."""

    def type_of(self, node: Node, scope: Scope) -> Type | None:
        name, arguments = _template(node)
        if name == "vector" and arguments:
            return vector_of(type_of(arguments[0], scope))
        if name == "pair" and len(arguments) == 2:
            return pair_of(type_of(arguments[0], scope), type_of(arguments[1], scope))
        if name != "array" or len(arguments) != 2:
            return None
        length = template_argument(arguments[1], scope)
        if not isinstance(length, Expr) or not length.is_constant:
            refuse(node, f"{shorten(node)}: the length must be a constant")
        return ArrayType(type_of(arguments[0], scope), int(length.value))

    def named(self, name: str, node: Node, scope: Scope) -> Expr | None:
        return None

    def call(self, node: Node, function: Node, scope: Scope) -> Expr | None:
        if function.type == "field_expression":
            return _method(node, function, scope)
        if callee(function)[0] == "make_pair" and len(arguments_of(node)) == 2:
            values = [decay(compile_expression(each, scope)) for each in arguments_of(node)]
            first, second = (each.get for each in values)
            return Expr(pair_of(values[0].type, values[1].type), lambda frame: [first(frame), second(frame)])
        return None


def _template(node: Node) -> tuple[str, list[Node]]:
    """The last name of `std::vector<int>`, and what stands between < and >."""
    while node.type == "qualified_identifier" and node.child_by_field_name("name") is not None:
        node = part(node, "name")
    if node.type != "template_type":
        return "", []
    listed = [child for child in part(node, "arguments").named_children if child.type != "comment"]
    return text(part(node, "name")), listed


def _method(node: Node, function: Node, scope: Scope) -> Expr:
    base = compile_expression(part(function, "argument"), scope)
    name = text(part(function, "field"))
    if text(part(function, "operator")) == "->" and isinstance(base.type, PointerType):
        address, whole = base.get, shorten(function)
        base = Expr(base.type.target, lambda frame: load(address(frame), whole), address, name=base.name)
    if isinstance(base.type, StructType):
        method = scope.unit.methods.get((base.type.name, name))
        if method is not None:
            return call_method(method, base.type, base, node, scope)
        refuse(node, f"{base.type.name} has no method {name} that is read; write it in the struct itself")
    held = elements_of(base)
    made = _of_container(base, held[0], name, node, scope) if held is not None else None
    return made or refuse(node, f"{shorten(function)} of a {describe(base.type)} is not read; use plain C there")


def _of_container(base: Expr, element: Type, name: str, node: Node, scope: Scope) -> Expr | None:
    """What a vector and an array have in common; then what only a vector has."""
    nodes, values = arguments_of(node), base.get
    if name in ("size", "length") and not nodes:
        return Expr(ULONG, lambda frame: len(values(frame)))
    if name == "empty" and not nodes:
        return Expr(BOOL, lambda frame: not values(frame))
    if name == "data" and not nodes:
        return pointer_to(base, element)
    if name in ("front", "back") and not nodes:
        return _place_of(base, element, 0 if name == "front" else -1, shorten(node))
    if name == "at" and len(nodes) == 1:
        index, what = compile_expression(nodes[0], scope).get, shorten(node)

        def at(frame: Frame) -> HostPlace:
            return HostPlace(values(frame), index(frame))

        return Expr(element, lambda frame: load(at(frame), what), at, name=base.name)
    if name == "fill" and len(nodes) == 1:
        value = convert(compile_expression(nodes[0], scope), element, nodes[0]).get
        return _changing(lambda frame: _set_all(values(frame), value(frame)))
    return _of_vector(base, element, name, nodes, scope) if isinstance(base.type, VectorType) else None


def _place_of(base: Expr, element: Type, position: int, what: str) -> Expr:
    values = base.get

    def place(frame: Frame) -> HostPlace:
        held = values(frame)
        return HostPlace(held, position if position >= 0 else len(held) + position)

    return Expr(element, lambda frame: load(place(frame), what), place, name=base.name)


def _of_vector(base: Expr, element: Type, name: str, nodes: list[Node], scope: Scope) -> Expr | None:
    values = base.get
    if name in ("push_back", "emplace_back") and len(nodes) == 1:
        value = convert(compile_expression(nodes[0], scope), element, nodes[0]).get
        return _changing(lambda frame: _push(values(frame), value(frame)))
    if name == "pop_back" and not nodes:
        return _changing(lambda frame: _pop(values(frame)))
    if name == "clear" and not nodes:
        return _changing(lambda frame: values(frame).clear())
    if name == "reserve" and len(nodes) == 1:
        return _changing(compile_expression(nodes[0], scope).get)
    if name in ("resize", "assign") and 1 <= len(nodes) <= 2 and isinstance(element, Arithmetic | PointerType):
        count = convert(compile_expression(nodes[0], scope), ULONG, nodes[0]).get
        start = initial(element, is_zeroed=True)
        start_with: Get | None = None
        if len(nodes) == 2:
            start_with = convert(compile_expression(nodes[1], scope), element, nodes[1]).get
        kept = name == "resize"

        def resize(frame: Frame) -> None:
            held, wanted = values(frame), bounded(count(frame))
            del held[wanted if kept else 0 :]
            held += [start_with(frame) if start_with is not None else start for _ in range(wanted - len(held))]

        return _changing(resize)
    return None


def _changing(act: Callable[[Frame], Any]) -> Expr:
    def get(frame: Frame) -> None:
        act(frame)

    return Expr(VOID, get)


def _push(held: list[Any], value: Any) -> None:
    bounded(len(held) + 1)
    held.append(copied(value))


def _pop(held: list[Any]) -> None:
    if not held:
        raise PlanError("pop_back of an empty vector")
    held.pop()


def _set_all(held: list[Any], value: Any) -> None:
    held[:] = [copied(value) for _ in held]
