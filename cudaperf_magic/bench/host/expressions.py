"""Expressions of host code: syntax node -> Expr. Calls are in calls.py, launches in launch.py, braces in
initialisers.py."""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from cudaperf_magic.bench.host.declared import type_of
from cudaperf_magic.bench.host.initialisers import initialiser
from cudaperf_magic.bench.host.kernels import kernel_expression
from cudaperf_magic.bench.host.literals import CONSTANTS
from cudaperf_magic.bench.host.operators import offset, operation
from cudaperf_magic.bench.host.runtime import HostPlace
from cudaperf_magic.bench.host.scope import (
    Expr,
    Frame,
    Get,
    Scope,
    compile_expression,
    constant,
    convert,
    decay,
    expression,
    load,
    part,
    refuse,
    shorten,
    store,
    truth,
)  # fmt: skip
from cudaperf_magic.bench.host.source import line_of, text
from cudaperf_magic.bench.host.types import (
    BOOL,
    INT,
    KERNEL,
    TEXT,
    Arithmetic,
    LibraryType,
    PointerType,
    StructType,
    Type,
    common,
    describe,
    promote,
    wrapper,
)  # fmt: skip

_PREDEFINED = ("__LINE__", "__FILE__", "__func__", "__FUNCTION__", "__PRETTY_FUNCTION__")


@expression("identifier", "type_identifier", "field_identifier")
def identifier(node: Node, scope: Scope) -> Expr:
    return named(text(node), node, scope)


@expression("qualified_identifier")
def qualified(node: Node, scope: Scope) -> Expr:
    found = scope.find_qualified(text(node))
    if found is None and scope.unit.vocabulary is not None:
        found = scope.unit.vocabulary.named(text(node), node, scope)
    if found is not None:
        return found  # an enumerator, a static member, a constant of a library
    scope_node = node.child_by_field_name("scope")
    if scope_node is not None and scope_node.type == "template_type":
        refuse(node, f"{shorten(node)}: members of class templates are not read; use a constexpr variable")
    last = node
    while last.type == "qualified_identifier" and last.child_by_field_name("name") is not None:
        last = last.child_by_field_name("name") or last
    return compile_expression(last, scope)


def named(name: str, node: Node, scope: Scope) -> Expr:
    found = scope.find(name) or CONSTANTS.get(name)
    if found is None and scope.unit.vocabulary is not None:
        found = scope.unit.vocabulary.named(name, node, scope)
    if found is not None:
        return found
    if name in _PREDEFINED:
        return constant(INT, line_of(node)) if name == "__LINE__" else constant(TEXT, "the candidate")
    if any(function.is_kernel for function in scope.functions(name)):
        return kernel_expression(name, None, node, scope)
    refuse(
        node, f"{name} is not declared; the host function sees its parameters, its own variables and constants above it"
    )


@expression("template_function")
def template_function(node: Node, scope: Scope) -> Expr:
    name = node.child_by_field_name("name")
    return kernel_expression(text(name) if name else "", node.child_by_field_name("arguments"), node, scope)


@expression("parenthesized_expression")
def parenthesized(node: Node, scope: Scope) -> Expr:
    inner = [child for child in node.named_children if child.type != "comment"]
    return compile_expression(inner[0], scope) if inner else refuse(node, "an empty pair of parentheses")


@expression("comma_expression")
def comma(node: Node, scope: Scope) -> Expr:
    left, right = (compile_expression(part(node, side), scope) for side in ("left", "right"))
    first, second = left.get, right.get

    def get(frame: Frame) -> Any:
        first(frame)
        return second(frame)

    return Expr(right.type, get)


@expression("binary_expression")
def binary(node: Node, scope: Scope) -> Expr:
    symbol = text(part(node, "operator"))
    left_node, right_node = part(node, "left"), part(node, "right")
    left, right = compile_expression(left_node, scope), compile_expression(right_node, scope)
    symbol = {"and": "&&", "or": "||", "not_eq": "!="}.get(symbol, symbol)
    if symbol in ("&&", "||"):
        return folded(_logic(symbol, truth(left, left_node), truth(right, right_node)), left, right)
    return apply(symbol, decay(left), decay(right), node)


def apply(symbol: str, left: Expr, right: Expr, node: Node) -> Expr:
    for library in (left.type, right.type):
        if isinstance(library, LibraryType):
            made: Expr | None = library.operated(symbol, left, right)
            return made or refuse(node, f"`{shorten(node)}` is not read for a {describe(library)}")
    found = operation(symbol, left.type, right.type)
    if isinstance(found, str):
        refuse(node, f"in `{shorten(node)}`: {found}")
    type_, compute = found
    first, second = left.get, right.get
    return folded(Expr(type_, lambda frame: compute(first(frame), second(frame)), name=left.name), left, right)


def folded(expr: Expr, *parts: Expr) -> Expr:
    """An expression of constants is a constant."""
    return constant(expr.type, expr.get([])) if all(p.is_constant for p in parts) else expr


def _logic(symbol: str, first: Get, second: Get) -> Expr:
    if symbol == "&&":
        return Expr(BOOL, lambda frame: bool(first(frame) and second(frame)))
    return Expr(BOOL, lambda frame: bool(first(frame) or second(frame)))


@expression("unary_expression")
def unary(node: Node, scope: Scope) -> Expr:
    symbol = text(part(node, "operator"))
    inner_node = part(node, "argument")
    inner = compile_expression(inner_node, scope)
    if symbol in ("!", "not"):
        test = truth(inner, inner_node)
        return folded(Expr(BOOL, lambda frame: not test(frame)), inner)
    if not isinstance(inner.type, Arithmetic):
        refuse(node, f"{symbol} does not apply to a {describe(inner.type)}")
    type_ = promote(inner.type)
    value = convert(inner, type_, inner_node)
    get, fit = value.get, wrapper(type_)
    if symbol == "+":
        return value
    if symbol == "-":
        return folded(Expr(type_, lambda frame: fit(-get(frame))), inner)
    if symbol == "~" and not type_.is_float:
        return folded(Expr(type_, lambda frame: fit(~get(frame))), inner)
    refuse(node, f"{symbol} does not apply to a {describe(type_)}")


@expression("pointer_expression")
def pointer(node: Node, scope: Scope) -> Expr:
    inner = compile_expression(part(node, "argument"), scope)
    if text(part(node, "operator")) == "&":
        if inner.type is KERNEL:
            return inner
        if inner.place is None:
            refuse(node, f"{shorten(node)}: only a variable has an address")
        return Expr(PointerType(inner.type, inner.is_const), inner.place, name=inner.name)
    inner = decay(inner)
    if inner.type is KERNEL:
        return inner
    if not isinstance(inner.type, PointerType):
        refuse(node, f"{shorten(node)}: {describe(inner.type)} is not a pointer")
    return _element(inner, inner.get, node)


@expression("subscript_expression")
def subscript(node: Node, scope: Scope) -> Expr:
    array = decay(compile_expression(part(node, "argument"), scope))
    inside = part(node, "indices").named_children
    if len(inside) != 1:
        refuse(node, f"{shorten(node)} needs one index")
    index = compile_expression(inside[0], scope)
    if isinstance(array.type, LibraryType):
        found: Expr | None = array.type.element(array, index, node)
        return found or refuse(node, f"{shorten(node)}: a {describe(array.type)} is not indexed so")
    if not isinstance(array.type, PointerType) or not isinstance(index.type, Arithmetic) or index.type.is_float:
        refuse(node, f"{shorten(node)}: only an array or a pointer is indexed, by an integer")
    base, position, size = array.get, index.get, array.type.target.size
    return _element(array, lambda frame: offset(base(frame), position(frame), size), node)


def _element(array: Expr, place: Get, node: Node) -> Expr:
    assert isinstance(array.type, PointerType)
    name = shorten(node)
    return Expr(
        array.type.target, lambda frame: load(place(frame), name), place, name=array.name, is_const=array.type.is_const
    )


@expression("field_expression")
def member(node: Node, scope: Scope) -> Expr:
    base = compile_expression(part(node, "argument"), scope)
    name = text(part(node, "field"))
    whole = shorten(node)
    if text(part(node, "operator")) == "->":
        if not isinstance(base.type, PointerType):
            refuse(node, f"{whole}: {describe(base.type)} is not a pointer")
        address = base.get
        base = Expr(base.type.target, lambda frame: load(address(frame), whole), address)
    if not isinstance(base.type, StructType):
        refuse(node, f"{whole}: {describe(base.type)} has no fields")
    index = base.type.index(name)
    if index is None:
        refuse(node, f"{base.type.name} has no field {name}")
    get = base.get
    type_ = base.type.fields[index].type
    return Expr(
        type_,
        lambda frame: load(HostPlace(get(frame), index), whole),
        lambda frame: HostPlace(get(frame), index),
        name=name,
    )


@expression("assignment_expression")
def assignment(node: Node, scope: Scope) -> Expr:
    symbol = text(part(node, "operator"))
    left_node, right_node = part(node, "left"), part(node, "right")
    left = compile_expression(left_node, scope)
    if symbol != "=":
        return _compound(symbol[:-1], left, decay(compile_expression(right_node, scope)), node)
    if right_node.type == "initializer_list":
        value = initialiser(right_node, left.type, scope)
    else:
        value = convert(compile_expression(right_node, scope), left.type, right_node).get
    return _stored(left, value, node)


def _writable(left: Expr, node: Node) -> None:
    if left.is_const:
        refuse(node, f"{shorten(node)}: {left.name} is const")
    if left.place is None:
        refuse(node, f"{shorten(node)}: the left side is not a variable")


def _stored(left: Expr, value: Get, node: Node) -> Expr:
    _writable(left, node)
    slot, place, name = left.slot, left.place, shorten(node)
    if slot is not None:
        return Expr(left.type, _assign_slot(slot, value), place)

    def assign_place(frame: Frame) -> Any:
        result = value(frame)
        assert place is not None
        store(place(frame), result, name)
        return result

    return Expr(left.type, assign_place, place)


def _assign_slot(slot: int, value: Get) -> Get:
    def assign(frame: Frame) -> Any:
        result = value(frame)
        frame[slot] = result
        return result

    return assign


def _compound(symbol: str, left: Expr, right: Expr, node: Node) -> Expr:
    _writable(left, node)
    place, name = left.place, shorten(node)
    assert place is not None
    if left.slot is not None:
        return _stored(left, convert(apply(symbol, left, right, node), left.type, node, is_cast=True).get, node)
    found = operation(symbol, left.type, right.type)
    if isinstance(found, str):
        refuse(node, f"in `{name}`: {found}")
    type_, compute = found
    amount = right.get

    def assign(frame: Frame) -> Any:
        where = place(frame)
        result = back([compute(load(where, name), amount(frame))])
        store(where, result, name)
        return result

    back = convert(Expr(type_, lambda holder: holder[0]), left.type, node, is_cast=True).get
    return Expr(left.type, assign, place)


@expression("update_expression")
def update(node: Node, scope: Scope) -> Expr:
    inner = compile_expression(part(node, "argument"), scope)
    symbol = text(part(node, "operator"))[0]
    changed = _compound(symbol, inner, constant(INT, 1), node)
    if node.children[0].type in ("++", "--"):
        return changed
    before, change = inner.get, changed.get

    def get(frame: Frame) -> Any:
        value = before(frame)
        change(frame)
        return value

    return Expr(inner.type, get)


@expression("conditional_expression")
def conditional(node: Node, scope: Scope) -> Expr:
    test_node = part(node, "condition")
    test = compile_expression(test_node, scope)
    sides = [part(node, "consequence"), part(node, "alternative")]
    yes, no = (decay(compile_expression(side, scope)) for side in sides)
    type_: Type
    if isinstance(yes.type, Arithmetic) and isinstance(no.type, Arithmetic):
        type_ = yes.type if yes.type == no.type else common(yes.type, no.type)
    else:
        type_ = no.type if yes.is_constant and not no.is_constant else yes.type
    first, second = convert(yes, type_, sides[0]), convert(no, type_, sides[1])
    if test.is_constant:
        return first if test.value else second
    check, one, other = truth(test, test_node), first.get, second.get
    return Expr(type_, lambda frame: one(frame) if check(frame) else other(frame), name=yes.name)


@expression("cast_expression")
def cast(node: Node, scope: Scope) -> Expr:
    return convert(
        compile_expression(part(node, "value"), scope), type_of(part(node, "type"), scope), node, is_cast=True
    )
