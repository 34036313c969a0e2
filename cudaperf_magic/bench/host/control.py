"""Control flow of host code: if, loops, switch, return. Every turn of a loop counts against the machine's limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tree_sitter import Node

from cudaperf_magic.bench.host.containers import elements_of
from cudaperf_magic.bench.host.declared import AUTO, Declared, declared, written_type
from cudaperf_magic.bench.host.initialisers import initialiser
from cudaperf_magic.bench.host.runtime import HostPlace, PlanError
from cudaperf_magic.bench.host.scope import (
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
    decay,
    local,
    machine,
    part,
    refuse,
    shorten,
    statement,
    truth,
)  # fmt: skip
from cudaperf_magic.bench.host.source import line_of, text
from cudaperf_magic.bench.host.statements import auto_pointer, discarding, nothing
from cudaperf_magic.bench.host.types import VOID, ReferenceType, Type, describe


@statement("if_statement")
def if_statement(node: Node, scope: Scope) -> Run:
    scope = scope.inner()
    before, test, condition = _condition(part(node, "condition"), scope)
    alternative = node.child_by_field_name("alternative")
    if alternative is not None and alternative.type == "else_clause":
        alternative = alternative.named_children[-1]
    chosen = part(node, "consequence")
    if condition.is_constant and before is nothing:  # if constexpr, and its plain relatives
        branch = chosen if condition.value else alternative
        return compile_statement(branch, scope.inner()) if branch is not None else nothing
    yes = compile_statement(chosen, scope.inner())
    no = compile_statement(alternative, scope.inner()) if alternative is not None else nothing

    def run(frame: Frame) -> Signal | None:
        before(frame)
        return yes(frame) if test(frame) else no(frame)

    return run


def _condition(node: Node, scope: Scope) -> tuple[Run, Get, Expr]:
    """The parts of `(int r = f(); r > 3)`."""
    if node.type == "parenthesized_expression":
        node_value = node.named_children[0] if node.named_children else refuse(node, "an empty condition")
        expr = compile_expression(node_value, scope)
        return nothing, truth(expr, node), expr
    start = node.child_by_field_name("initializer")
    before = (
        compile_statement(start.named_children[0], scope) if start is not None and start.named_children else nothing
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
    before: Run = nothing
    if start is not None:
        is_declaration = start.type == "declaration"
        before = compile_statement(start, scope) if is_declaration else discarding(compile_expression(start, scope).get)
    check: Get = truth(compile_expression(test, scope), test) if test is not None else (lambda frame: True)
    after = compile_expression(step, scope).get if step is not None else None
    return _loop(before, check, compile_statement(part(node, "body"), scope.inner()), after, line_of(node))


def _loop(before: Run, test: Get, body: Run, after: Get | None, line: int) -> Run:
    step: Callable[[Frame], Any] = after or nothing

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
        held = elements_of(compile_expression(start, scope))
        element, values = held or refuse(start, f"{shorten(start)}: a range loop needs a host array")
    found = declared(part(node, "declarator"), written_type(node, scope), scope)
    if isinstance(found.type, ReferenceType):
        return _by_reference(found, element, values, node, scope)
    type_ = element if found.type == AUTO else auto_pointer(found.type, element)
    slot = scope.variable(found.name, type_).slot
    assert slot is not None
    change = convert(Expr(element, lambda holder: holder[0]), type_, node).get
    return _over(node, scope, slot, lambda frame: (change([value]) for value in values(frame)))


def _by_reference(found: Declared, element: Type, values: Get, node: Node, scope: Scope) -> Run:
    """`for (auto &each : all)`: what is done to the variable is done to the element."""
    assert isinstance(found.type, ReferenceType)
    if found.type.target not in (AUTO, element):
        refuse(node, f"{found.name} refers to a {describe(element)}")
    slot = scope.routine.new_slot()
    scope.names[found.name] = local(slot, found.name, ReferenceType(element), found.is_const)

    def places(frame: Frame) -> Iterator[HostPlace]:
        all_of_them = values(frame)
        return (HostPlace(all_of_them, position) for position in range(len(all_of_them)))

    return _over(node, scope, slot, places)


def _over(node: Node, scope: Scope, slot: int, values: Callable[[Frame], Iterable[Any]]) -> Run:
    """The loop itself: each value in its slot, then the body."""
    body = compile_statement(part(node, "body"), scope.inner())
    line = line_of(node)

    def run(frame: Frame) -> Signal | None:
        for value in values(frame):
            machine(frame).tick(line)
            frame[slot] = value
            signal = body(frame)
            if signal is RETURN:
                return signal
            if signal is BREAK:
                break
        return None

    return run


@statement("try_statement")
def attempted(node: Node, scope: Scope) -> Run:
    """What is thrown ends the reading, so that no handler is ever reached."""
    return compile_statement(part(node, "body"), scope)


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


@statement("throw_statement")
def throw(node: Node, scope: Scope) -> Run:
    """What is thrown is not made; a literal in it is what is said."""
    words = [text(found)[1:-1] for found in _strings(node)]
    said = " ".join(words) or f"the host function gives up: {shorten(node)}"
    line = line_of(node)

    def run(frame: Frame) -> Signal | None:
        raise PlanError(said, line)

    return run


def _strings(node: Node) -> list[Node]:
    return [node] if node.type == "string_literal" else [s for child in node.named_children for s in _strings(child)]


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
