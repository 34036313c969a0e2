"""Statements of host code: declarations and control flow, syntax node -> a closure that runs them on a frame."""

from __future__ import annotations

from tree_sitter import Node

from cudaperf_magic.bench.host.declared import (
    AUTO,
    Declared,
    Written,
    declared,
    read_enum,
    read_struct,
    type_of,
    written_type,
)
from cudaperf_magic.bench.host.initialisers import initialiser, refuse_constructed
from cudaperf_magic.bench.host.runtime import HostPlace
from cudaperf_magic.bench.host.scope import (
    Expr,
    Frame,
    Get,
    Run,
    Scope,
    Signal,
    compile_expression,
    compile_statement,
    convert,
    copied,
    decay,
    initial,
    load,
    local,
    machine,
    part,
    refuse,
    shorten,
    statement,
)  # fmt: skip
from cudaperf_magic.bench.host.source import line_of, reparse, text
from cudaperf_magic.bench.host.types import VOID, Arithmetic, ArrayType, ReferenceType, StructType, Type, describe


def nothing(frame: Frame) -> Signal | None:
    return None


@statement("compound_statement")
def block(node: Node, scope: Scope) -> Run:
    return sequence(node.named_children, scope.inner())


def sequence(nodes: list[Node], scope: Scope) -> Run:
    runs = [compile_statement(child, scope) for child in nodes if child.type not in ("comment", ";")]
    if len(runs) == 1:
        return runs[0]

    def run(frame: Frame) -> Signal | None:
        for each in runs:
            signal = each(frame)
            if signal is not None:
                return signal
        return None

    return run


@statement("expression_statement")
def expression_statement(node: Node, scope: Scope) -> Run:
    if not node.named_children or _is_printed(node.named_children[0]):
        return nothing
    return discarding(compile_expression(node.named_children[0], scope).get)


def _is_printed(node: Node) -> bool:
    """`std::cout << n << std::endl`: as of printf, what the host prints is not even looked at."""
    left = node.child_by_field_name("left")
    while node.type == "binary_expression" and left is not None:
        node, left = left, left.child_by_field_name("left")
    return text(node).removeprefix("std::") in ("cout", "cerr", "clog")


def discarding(get: Get) -> Run:
    def run(frame: Frame) -> Signal | None:
        get(frame)
        return None

    return run


@statement("comment", "preproc_call", "static_assert_declaration", "attributed_statement", "using_declaration", ";")
def ignored(node: Node, scope: Scope) -> Run:
    return nothing


@statement("type_definition")
def type_definition(node: Node, scope: Scope) -> Run:
    written = Written(type_of(part(node, "type"), scope), False)
    for declarator in node.children_by_field_name("declarator"):
        named = declared(declarator, written, scope)
        scope.types[named.name] = named.type
    return nothing


@statement("alias_declaration")
def alias(node: Node, scope: Scope) -> Run:
    scope.types[text(part(node, "name"))] = type_of(part(node, "type"), scope)
    return nothing


@statement("struct_specifier")
def struct(node: Node, scope: Scope) -> Run:
    read_struct(node, scope)
    return nothing


@statement("enum_specifier")
def enumeration(node: Node, scope: Scope) -> Run:
    read_enum(node, scope)
    return nothing


@statement("declaration")
def declaration(node: Node, scope: Scope) -> Run:
    written = written_type(node, scope)
    words = {text(child) for child in node.children if child.type in ("storage_class_specifier", "type_qualifier")}
    if "__shared__" in words or any(child.type == "__shared__" for child in node.children):
        refuse(node, "__shared__ belongs in a kernel")
    runs = [_declare(d, written, scope, "static" in words) for d in node.children_by_field_name("declarator")]
    if len(runs) == 1:
        return runs[0]

    def run(frame: Frame) -> Signal | None:
        for each in runs:
            each(frame)
        return None

    return run


def _declare(node: Node, written: Written, scope: Scope, is_static: bool) -> Run:
    value = node.child_by_field_name("value") if node.type == "init_declarator" else None
    inner = part(node, "declarator") if node.type == "init_declarator" else node
    if inner.type == "structured_binding_declarator":
        return _bind_parts(inner, value, node, scope)
    found = declared(part(node, "declarator") if node.type == "init_declarator" else node, written, scope)
    if found.arguments is not None:
        again = reparse(f"T{text(found.arguments)}", line_of(node))
        value = again.child_by_field_name("arguments") if again is not None else None
        if value is None:
            refuse(node, f"the declaration {shorten(node)} is not read; write it with =")
    if isinstance(found.type, ReferenceType):
        return _bind(found, value, node, scope)
    found, start, known = _start(found, value, node, scope)
    if known is not None and found.is_const and isinstance(found.type, Arithmetic):
        scope.names[found.name] = Expr(found.type, known.get, value=known.value, name=found.name, is_const=True)
        return nothing
    if is_static or scope.parent is None:  # file scope
        return _declare_static(found, start, scope)
    slot = scope.variable(found.name, found.type, is_const=found.is_const).slot
    assert slot is not None

    def run(frame: Frame) -> Signal | None:
        frame[slot] = start(frame)
        return None

    return run


def _bind_parts(names: Node, value: Node | None, node: Node, scope: Scope) -> Run:
    """`auto [grid, block] = shape(n);`"""
    start = compile_expression(value, scope) if value is not None else refuse(node, f"{shorten(node)} binds nothing")
    type_ = start.type
    wanted = [text(child) for child in names.named_children if child.type == "identifier"]
    if isinstance(type_, StructType):
        types = [field.type for field in type_.fields]
    elif isinstance(type_, ArrayType):
        types = [type_.element] * (type_.length or 0)
    else:
        refuse(node, f"{shorten(node)}: a {describe(type_)} has no parts to bind")
    if len(wanted) != len(types):
        refuse(node, f"{shorten(node)} binds {len(wanted)} of {len(types)} parts")
    slot, get = scope.routine.new_slot(), start.get
    for index, (name, each) in enumerate(zip(wanted, types, strict=True)):
        scope.names[name] = part_of(slot, index, name, each)

    def run(frame: Frame) -> Signal | None:
        frame[slot] = copied(get(frame))
        return None

    return run


def part_of(slot: int, index: int, name: str, type_: Type) -> Expr:
    """A name for one part of the struct or array that lies in a slot."""

    def place(frame: Frame) -> HostPlace:
        return HostPlace(frame[slot], index)

    return Expr(type_, lambda frame: load(place(frame), name), place, name=name)


def _start(found: Declared, value: Node | None, node: Node, scope: Scope) -> tuple[Declared, Get, Expr | None]:
    """The declared name with its full type, what it starts as, and that value's Expr where it is a constant."""
    type_: Type = found.type
    if value is None:
        refuse_constructed(type_, node, scope)
        if type_ == AUTO or (isinstance(type_, ArrayType) and type_.length is None):
            refuse(node, f"{found.name} needs a value to start with")
        blank = initial(type_)
        return found, (lambda frame: copied(blank)), None
    is_list = value.type in ("initializer_list", "argument_list")
    if is_list and not isinstance(type_, ArrayType) and len(value.named_children) == 1 and type_ == AUTO:
        value, is_list = value.named_children[0], False
    if is_list:
        if isinstance(type_, ArrayType) and type_.length is None:
            type_ = ArrayType(type_.element, len([c for c in value.named_children if c.type != "comment"]))
        only = value.named_children[0] if len(value.named_children) == 1 and isinstance(type_, Arithmetic) else None
        if only is None:
            return found._replace(type=type_), initialiser(value, type_, scope), None
        value = only
    expr = decay(compile_expression(value, scope))
    type_ = expr.type if type_ == AUTO else auto_pointer(type_, expr.type)
    if type_ == VOID:
        refuse(node, f"{shorten(value)} has no value")
    converted = convert(expr, type_, value)
    return found._replace(type=type_), converted.get, converted if converted.is_constant else None


def auto_pointer(type_: Type, given: Type) -> Type:
    """`auto *p = x` and `const auto *p = x` take the pointer's own type."""
    return given if getattr(type_, "target", None) == AUTO else type_


def _bind(found: Declared, value: Node | None, node: Node, scope: Scope) -> Run:
    assert isinstance(found.type, ReferenceType)
    if scope.parent is None:
        refuse(node, f"{found.name}: references at file scope are not read")
    target = compile_expression(value, scope) if value is not None else refuse(node, f"{found.name} refers to nothing")
    type_ = target.type if found.type.target == AUTO else found.type.target
    place = target.place
    if place is None:  # const int &n = 3;
        converted = convert(target, type_, node).get
        slot = scope.variable(found.name, type_, is_const=True).slot
    else:
        converted, slot = place, None
        if target.type != type_:
            refuse(node, f"{found.name} refers to a {describe(target.type)}")
        bound = scope.routine.new_slot()
        scope.names[found.name] = local(bound, found.name, ReferenceType(type_), found.is_const)
        slot = bound
    assert slot is not None

    def run(frame: Frame) -> Signal | None:
        frame[slot] = converted(frame)
        return None

    return run


def global_variable(index: int, name: str, type_: Type, is_const: bool) -> Expr:
    def place(frame: Frame) -> HostPlace:
        return HostPlace(machine(frame).globals, index)

    return Expr(type_, lambda frame: load(place(frame), name), place, name=name, is_const=is_const)


def _declare_static(found: Declared, start: Get, scope: Scope) -> Run:
    """Starts once in a reading of the entry: what one call leaves behind is not there in the next."""
    index = scope.unit.global_count
    scope.unit.global_count += 1
    scope.names[found.name] = global_variable(index, found.name, found.type, found.is_const)
    is_zeroed = copied(initial(found.type, is_zeroed=True))

    def run(frame: Frame) -> Signal | None:
        variables = machine(frame).globals
        if variables[index] is None:
            value = start(frame)
            variables[index] = copied(is_zeroed) if value is None else value
        return None

    return run
