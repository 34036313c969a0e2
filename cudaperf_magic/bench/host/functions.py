"""The file's own host functions and lambdas: compiled when first called, once for each set of template arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tree_sitter import Node

from cudaperf_magic.bench.host.declared import AUTO, declared, type_of, written_type
from cudaperf_magic.bench.host.runtime import HostPlace, Limits, Machine, PlanError
from cudaperf_magic.bench.host.scope import (
    FIRST_SLOT,
    MACHINE,
    RESULT,
    Expr,
    Frame,
    Get,
    Routine,
    Run,
    Scope,
    compile_expression,
    constant,
    convert,
    decay,
    expression,
    machine,
    part,
    refuse,
    shorten,
)  # fmt: skip
from cudaperf_magic.bench.host.source import Function, first_error, line_of, text
from cudaperf_magic.bench.host.statements import block, part_of
from cudaperf_magic.bench.host.templates import bind_template
from cudaperf_magic.bench.host.types import VOID, ArrayType, OpaqueType, PointerType, ReferenceType, StructType, Type


@dataclass(frozen=True)
class LambdaType(OpaqueType):
    """Every lambda has a type of its own, which knows how to call it."""

    call: Callable[[Node, list[Node], Scope, Expr], Expr] | None = None


def call_function(name: str, templated: Node | None, node: Node, scope: Scope) -> Expr:
    nodes = [child for child in part(node, "arguments").named_children if child.type != "comment"]
    values = [decay(compile_expression(n, scope)) for n in nodes]
    fitting = [f for f in scope.functions(name) if f.is_host and f.body is not None and _takes(f, len(values))]
    if not fitting:
        if any(f.is_kernel for f in scope.functions(name)):
            refuse(node, f"{name} is a kernel; launch it with {name}<<<grid, block>>>(...)")
        if not any(f.is_host for f in scope.functions(name)):
            refuse(node, f"{name} is a __device__ function; host code cannot call it without __host__")
        if any("..." in text(f.declarator) for f in scope.functions(name)):
            refuse(node, f"{name} takes a pack of arguments, which is not read; name its parameters")
        refuse(node, f"no host function {name} takes {len(values)} arguments")
    for left_out in fitting[0].parameters[len(values) :]:
        nodes.append(part(left_out, "default_value"))
        values.append(decay(compile_expression(nodes[-1], scope.top)))
    instance = _instance(fitting[0], templated, values, node, scope)
    gets = [_passed(value, type_, n) for value, (_, type_), n in zip(values, instance.parameters, nodes, strict=True)]
    slots = [slot for slot, _ in instance.parameters]
    result = _called(name, instance, list(zip(slots, gets, strict=True)), line_of(node))
    if all(v.is_constant for v in values) and "constexpr" in fitting[0].words:
        return _evaluated(result, scope)
    return result


def _called(name: str, instance: Instance, passed: list[tuple[int, Get]], line: int) -> Expr:
    """The instance run on a frame of its own, with what is passed in its slots."""

    def get(frame: Frame) -> Any:
        owner = machine(frame)
        owner.tick(line)
        inner: Frame = [None] * instance.routine.slots
        inner[MACHINE] = owner
        for slot, value in passed:
            inner[slot] = value(frame)
        instance.run(inner)
        result = inner[RESULT]
        if result is None and instance.result != VOID:
            raise PlanError(f"{name} ends without returning a value", line)
        return result

    return Expr(instance.result, get, name=name)


def call_method(function: Function, struct: StructType, base: Expr, node: Node, scope: Scope) -> Expr:
    """`config.blocks(n)`: the fields are the method's variables, and what it writes to them stays."""
    nodes = [child for child in part(node, "arguments").named_children if child.type != "comment"]
    if not _takes(function, len(nodes)):
        refuse(node, f"{struct.name}::{function.name} takes {len(function.parameters)} arguments, not {len(nodes)}")
    nodes += [part(left_out, "default_value") for left_out in function.parameters[len(nodes) :]]
    values = [decay(compile_expression(n, scope)) for n in nodes]
    def enter(inner: Scope) -> None:
        inner.routine.new_slot()
        for index, field in enumerate(struct.fields):
            inner.names[field.name] = part_of(inner.routine.slots - 1, index, field.name, field.type)

    instance = compile_function(function, struct.name, scope.top.inner(), node, enter)
    gets = [_passed(value, type_, n) for value, (_, type_), n in zip(values, instance.parameters, nodes, strict=True)]
    passed = [(slot, get) for (slot, _), get in zip(instance.parameters, gets, strict=True)]
    return _called(function.name, instance, [(FIRST_SLOT, base.get), *passed], line_of(node))


def _takes(function: Function, count: int) -> bool:
    """Whether so many arguments will do; parameters with a default may be left out."""
    left_out = function.parameters[count:]
    is_short = count < len(function.parameters) and all(p.child_by_field_name("default_value") for p in left_out)
    return count == len(function.parameters) or is_short


def _evaluated(expr: Expr, scope: Scope) -> Expr:
    """A constexpr function of constants is a constant."""
    return constant(expr.type, expr.get([Machine(Limits(iterations=100_000)), None]))


def _passed(value: Expr, type_: Type, node: Node) -> Get:
    if isinstance(type_, ReferenceType):
        if value.place is not None and value.type == type_.target:
            return value.place
        get = convert(value, type_.target, node).get
        return lambda frame: HostPlace([get(frame)], 0)
    return convert(value, type_, node).get


@dataclass
class Instance:
    """One host function compiled for one set of template arguments."""

    routine: Routine
    parameters: list[tuple[int, Type]]
    run: Run = lambda frame: None

    @property
    def result(self) -> Type:
        return self.routine.result or VOID


def _instance(function: Function, templated: Node | None, values: list[Expr], node: Node, scope: Scope) -> Instance:
    bound = bind_template(function, templated, [v.type for v in values], node, scope)
    return compile_function(function, bound.text, bound.scope, node)


def compile_function(
    function: Function, key: str, scope: Scope, node: Node, enter: Callable[[Scope], None] | None = None
) -> Instance:
    """Compiles once; a function that is met again while it is being compiled calls itself.

    Args:
        enter: gives names to a method's fields, in the first slot, before its parameters get theirs.
    """
    compiled = scope.unit.compiled
    identity = (function.node.start_byte, key)
    if identity in compiled:
        found = compiled[identity]
        if found is None:
            refuse(node, f"{function.name} calls itself; give it a return type that is not auto")
        assert isinstance(found, Instance)
        return found
    compiled[identity] = None
    written = written_type(function.node, scope)
    result = declared(None, written, scope).type
    pointers = function.node.child_by_field_name("declarator")
    while pointers is not None and pointers.type == "pointer_declarator":
        result = PointerType(result, written.is_const)
        pointers = pointers.child_by_field_name("declarator")
    routine = Routine(function.name, None if result == AUTO else result)
    inner = Scope(scope.unit, routine, scope)
    if enter is not None:
        enter(inner)
    instance = Instance(routine, read_parameters(function.parameters, inner))
    if routine.result is not None:
        compiled[identity] = instance  # so that it may call itself
    body = function.body
    assert body is not None
    broken = first_error(function.node)
    if broken is not None:
        missing = f"a {broken.type} is missing" if broken.is_missing else f"`{shorten(broken)}` is not understood"
        refuse(broken, f"syntax: {missing} in {function.name}")
    instance.run = block(body, inner)
    if routine.result is None:
        routine.result = VOID
    compiled[identity] = instance
    return instance


def read_parameters(nodes: list[Node], scope: Scope, given: tuple[Type, ...] = ()) -> list[tuple[int, Type]]:
    """Makes each parameter a variable of the scope; gives its slot and type. `given`: what each `auto` stands for."""
    found: list[tuple[int, Type]] = []
    for index, node in enumerate(nodes):
        made = declared(node.child_by_field_name("declarator"), written_type(node, scope), scope)
        type_ = made.type
        if isinstance(type_, ArrayType):
            type_ = PointerType(type_.element, made.is_const)
        if given:
            of = type_.target if isinstance(type_, ReferenceType) else type_
            is_pointer = isinstance(of, PointerType) and of.target == AUTO
            plain = given[index] if of == AUTO or is_pointer else of
            type_ = ReferenceType(plain) if isinstance(type_, ReferenceType) and not made.is_const else plain
        if type_ == AUTO:
            refuse(node, f"{shorten(node)}: give the parameter a type")
        scope.variable(made.name, type_, is_const=made.is_const)
        found.append((scope.routine.slots - 1, type_))
    return found


@expression("lambda_expression")
def lambda_expression(node: Node, scope: Scope) -> Expr:
    """A lambda lives in the frame of its function; one that captures by value keeps a copy of the frame.

    One with `auto` parameters is compiled where it is called, once for each list of types.
    """
    captures = text(part(node, "captures"))
    is_copy = "=" in captures or (captures not in ("[]", "[&]") and "&" not in captures)
    declarator = node.child_by_field_name("declarator")
    listed = declarator.child_by_field_name("parameters") if declarator is not None else None
    written = [p for p in listed.named_children if p.type.endswith("declaration")] if listed else []
    known: dict[tuple[Type, ...], _Lambda] = {}
    if not any(_is_auto(p) for p in written):
        known[()] = _compiled(node, written, (), scope)

    def call_lambda(site: Node, nodes: list[Node], site_scope: Scope, value: Expr) -> Expr:
        if len(nodes) != len(written):
            refuse(site, f"{value.name or 'the lambda'} takes {len(written)} arguments, not {len(nodes)}")
        values = [compile_expression(n, site_scope) for n in nodes]
        types = () if () in known else tuple(decay(each).type for each in values)
        if types not in known:
            known[types] = _compiled(node, written, types, scope)
        made = known[types]
        gets = [_passed(v, t, n) for v, n, (_, t) in zip(values, nodes, made.parameters, strict=True)]
        return Expr(made.result, _call_of(made, value.get, gets, line_of(site)))

    return Expr(LambdaType("lambda", 8, call_lambda), (lambda frame: list(frame)) if is_copy else (lambda frame: frame))


@dataclass(frozen=True)
class _Lambda:
    """One lambda compiled for its parameters' types."""

    parameters: list[tuple[int, Type]]
    result: Type
    run: Run


def _is_auto(parameter: Node) -> bool:
    kind = parameter.child_by_field_name("type")
    return kind is not None and kind.type == "placeholder_type_specifier"


def _compiled(node: Node, written: list[Node], types: tuple[Type, ...], scope: Scope) -> _Lambda:
    inner = Scope(scope.unit, _Nested(scope.routine, Routine("lambda", None)), scope)
    parameters = read_parameters(written, inner, types)
    declarator = node.child_by_field_name("declarator")
    for child in declarator.named_children if declarator is not None else ():
        if child.type == "trailing_return_type":
            inner.routine.result = type_of(child.named_children[0], scope)
    run = block(part(node, "body"), inner)
    return _Lambda(parameters, inner.routine.result or VOID, run)


def _call_of(made: _Lambda, captured: Get, gets: list[Get], line: int) -> Get:
    def get(frame: Frame) -> Any:
        machine(frame).tick(line)
        values = [each(frame) for each in gets]
        own = captured(frame)
        for (slot, _), passed in zip(made.parameters, values, strict=True):
            own[slot] = passed
        own[RESULT], kept = None, own[RESULT]
        made.run(own)
        answer, own[RESULT] = own[RESULT], kept
        return answer

    return get


class _Nested(Routine):
    """A lambda's routine: slots come from the function around it, the return type is its own."""

    def __init__(self, outer: Routine, own: Routine) -> None:
        super().__init__(own.name, own.result, outer.slots)
        self.outer = outer

    def new_slot(self) -> int:
        self.slots = self.outer.new_slot() + 1
        return self.slots - 1
