"""Statements of host code: declarations and control flow, syntax node -> a closure that runs them on a frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from .host_declared import AUTO, Declared, Written, declared, read_enum, read_struct, type_of, written_type
from .host_expressions import initialiser, part
from .host_runtime import HostPlace
from .host_scope import (
    BREAK,
    CONTINUE,
    RESULT,
    RETURN,
    Expr,
    Frame,
    Get,
    Run,
    Scope,
    Signal,
    compile_expression,
    compile_statement,
    constant,
    convert,
    copied,
    decay,
    initial,
    load,
    machine,
    refuse,
    shorten,
    statement,
    truth,
)  # fmt: skip
from .host_source import line_of, reparse, text
from .host_types import VOID, Arithmetic, ArrayType, ReferenceType, Type, describe


def _nothing(frame: Frame) -> Signal | None:
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
    if not node.named_children:
        return _nothing
    return _discarding(compile_expression(node.named_children[0], scope).get)


def _discarding(get: Get) -> Run:
    def run(frame: Frame) -> Signal | None:
        get(frame)
        return None

    return run


@statement("comment", "preproc_call", "static_assert_declaration", "attributed_statement", "using_declaration", ";")
def ignored(node: Node, scope: Scope) -> Run:
    return _nothing


@statement("type_definition")
def type_definition(node: Node, scope: Scope) -> Run:
    written = Written(type_of(part(node, "type"), scope), False)
    for declarator in node.children_by_field_name("declarator"):
        named = declared(declarator, written, scope)
        scope.types[named.name] = named.type
    return _nothing


@statement("alias_declaration")
def alias(node: Node, scope: Scope) -> Run:
    scope.types[text(part(node, "name"))] = type_of(part(node, "type"), scope)
    return _nothing


@statement("struct_specifier")
def struct(node: Node, scope: Scope) -> Run:
    read_struct(node, scope)
    return _nothing


@statement("enum_specifier")
def enumeration(node: Node, scope: Scope) -> Run:
    read_enum(node, scope)
    return _nothing


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
        return _nothing
    if is_static:
        return _declare_static(found, start, scope)
    slot = scope.variable(found.name, found.type, is_const=found.is_const).slot
    assert slot is not None

    def run(frame: Frame) -> Signal | None:
        frame[slot] = start(frame)
        return None

    return run


def _start(found: Declared, value: Node | None, node: Node, scope: Scope) -> tuple[Declared, Get, Expr | None]:
    """The declared name with its full type, what it starts as, and that value's Expr where it is a constant."""
    type_: Type = found.type
    if value is None:
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
    type_ = expr.type if type_ == AUTO else _auto_pointer(type_, expr.type)
    if type_ == VOID:
        refuse(node, f"{shorten(value)} has no value")
    converted = convert(expr, type_, value)
    return found._replace(type=type_), converted.get, converted if converted.is_constant else None


def _auto_pointer(type_: Type, given: Type) -> Type:
    """`auto *p = x` and `const auto *p = x` take the pointer's own type."""
    return given if getattr(type_, "target", None) == AUTO else type_


def _bind(found: Declared, value: Node | None, node: Node, scope: Scope) -> Run:
    assert isinstance(found.type, ReferenceType)
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
        from .host_scope import local

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


@statement("if_statement")
def if_statement(node: Node, scope: Scope) -> Run:
    scope = scope.inner()
    before, test, condition = _condition(part(node, "condition"), scope)
    alternative = node.child_by_field_name("alternative")
    if alternative is not None and alternative.type == "else_clause":
        alternative = alternative.named_children[-1]
    chosen = part(node, "consequence")
    if condition.is_constant and before is _nothing:  # if constexpr, and its plain relatives
        branch = chosen if condition.value else alternative
        return compile_statement(branch, scope.inner()) if branch is not None else _nothing
    yes = compile_statement(chosen, scope.inner())
    no = compile_statement(alternative, scope.inner()) if alternative is not None else _nothing

    def run(frame: Frame) -> Signal | None:
        before(frame)
        return yes(frame) if test(frame) else no(frame)

    return run


def _condition(node: Node, scope: Scope) -> tuple[Run, Get, Expr]:
    """The parts of `(int r = f(); r > 3)`."""
    if node.type == "parenthesized_expression":
        node_value = node.named_children[0] if node.named_children else refuse(node, "an empty condition")
        expr = compile_expression(node_value, scope)
        return _nothing, truth(expr, node), expr
    start = node.child_by_field_name("initializer")
    before = (
        compile_statement(start.named_children[0], scope) if start is not None and start.named_children else _nothing
    )
    value = part(node, "value")
    if value.type == "declaration":
        refuse(value, "a declaration as a condition is not read; declare the variable before")
    expr = compile_expression(value, scope)
    return before, truth(expr, value), expr


@statement("while_statement")
def while_statement(node: Node, scope: Scope) -> Run:
    scope = scope.inner()
    before, test, _ = _condition(part(node, "condition"), scope)
    return _loop(before, test, compile_statement(part(node, "body"), scope.inner()), None, line_of(node))


@statement("for_statement")
def for_statement(node: Node, scope: Scope) -> Run:
    scope = scope.inner()
    start, test, step = (node.child_by_field_name(name) for name in ("initializer", "condition", "update"))
    before: Run = _nothing
    if start is not None:
        is_declaration = start.type == "declaration"
        before = (
            compile_statement(start, scope) if is_declaration else _discarding(compile_expression(start, scope).get)
        )
    check: Get = truth(compile_expression(test, scope), test) if test is not None else (lambda frame: True)
    after = compile_expression(step, scope).get if step is not None else None
    return _loop(before, check, compile_statement(part(node, "body"), scope.inner()), after, line_of(node))


def _loop(before: Run, test: Get, body: Run, after: Get | None, line: int) -> Run:
    step: Callable[[Frame], Any] = after or _nothing

    def run(frame: Frame) -> Signal | None:
        before(frame)
        tick = machine(frame).tick
        while test(frame):
            tick(line)
            signal = body(frame)
            if signal is not None:
                if signal is RETURN:
                    return signal
                if signal is BREAK:
                    break
            step(frame)
        return None

    return run


@statement("do_statement")
def do_statement(node: Node, scope: Scope) -> Run:
    body = compile_statement(part(node, "body"), scope.inner())
    _, test, _ = _condition(part(node, "condition"), scope)
    line = line_of(node)

    def run(frame: Frame) -> Signal | None:
        tick = machine(frame).tick
        while True:
            tick(line)
            signal = body(frame)
            if signal is RETURN:
                return signal
            if signal is BREAK or not test(frame):
                return None

    return run


@statement("for_range_loop")
def for_range(node: Node, scope: Scope) -> Run:
    scope = scope.inner()
    start = part(node, "right")
    if start.type == "initializer_list":
        items = [compile_expression(child, scope) for child in start.named_children if child.type != "comment"]
        if not items or any(item.type != items[0].type for item in items):
            refuse(start, "the values of a range loop must all have one type")
        element: Type = items[0].type
        values: Get = lambda frame: [item.get(frame) for item in items]  # noqa: E731
    else:
        array = compile_expression(start, scope)
        if not isinstance(array.type, ArrayType):
            refuse(start, f"{shorten(start)}: a range loop needs a host array")
        element, values = array.type.element, array.get
    found = declared(part(node, "declarator"), written_type(node, scope), scope)
    if isinstance(found.type, ReferenceType):
        refuse(node, "a range loop by reference is not read; use an index")
    type_ = element if found.type == AUTO else _auto_pointer(found.type, element)
    slot = scope.variable(found.name, type_).slot
    assert slot is not None
    change = convert(Expr(element, lambda holder: holder[0]), type_, node).get
    body = compile_statement(part(node, "body"), scope.inner())
    line = line_of(node)

    def run(frame: Frame) -> Signal | None:
        for value in values(frame):
            machine(frame).tick(line)
            frame[slot] = change([value])
            signal = body(frame)
            if signal is RETURN:
                return signal
            if signal is BREAK:
                break
        return None

    return run


@statement("switch_statement")
def switch(node: Node, scope: Scope) -> Run:
    scope = scope.inner()
    before, _, subject = _condition(part(node, "condition"), scope)
    cases: list[tuple[int | None, int]] = []  # value (None: default) and the first statement to run
    runs: list[Run] = []
    for item in part(node, "body").named_children:
        if item.type == "comment":
            continue
        if item.type != "case_statement":
            refuse(item, "a statement before the first case is not read")
        value = item.child_by_field_name("value")
        label = compile_expression(value, scope) if value is not None else constant(VOID, None)
        if not label.is_constant:
            refuse(item, f"{shorten(item)}: a case must be a constant")
        cases.append((label.value, len(runs)))
        inside = [c for c in item.named_children if c.type != "comment" and c != value]
        runs.extend(compile_statement(child, scope) for child in inside)
    get = subject.get
    starts = {value: first for value, first in reversed(cases)}

    def run(frame: Frame) -> Signal | None:
        before(frame)
        first = starts.get(get(frame), starts.get(None, len(runs)))
        for each in runs[first:]:
            signal = each(frame)
            if signal is not None:
                return None if signal is BREAK else signal
        return None

    return run


@statement("break_statement")
def break_statement(node: Node, scope: Scope) -> Run:
    return lambda frame: BREAK


@statement("continue_statement")
def continue_statement(node: Node, scope: Scope) -> Run:
    return lambda frame: CONTINUE


@statement("return_statement")
def return_statement(node: Node, scope: Scope) -> Run:
    routine = scope.routine
    values = [child for child in node.named_children if child.type != "comment"]
    if not values:
        return lambda frame: RETURN
    if values[0].type == "initializer_list" and routine.result is not None:
        get = initialiser(values[0], routine.result, scope)
    else:
        expr = decay(compile_expression(values[0], scope))
        if routine.result is None:
            routine.result = expr.type
        get = expr.get if routine.result == VOID else convert(expr, routine.result, values[0]).get

    def run(frame: Frame) -> Signal | None:
        frame[RESULT] = get(frame)
        return RETURN

    return run
