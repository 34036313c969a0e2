"""Calls in host code: casts, <math.h>, min and max, and the file's own host functions and lambdas, which are read in
turn.

The CUDA runtime's functions are in host_cuda.py, launches in host_launch.py; both register themselves in `BUILTINS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tree_sitter import Node

from .host_declared import AUTO, declared, is_type_name, type_of, written_type
from .host_expressions import initialiser, part
from .host_literals import number_limits
from .host_math import REAL_FUNCTIONS, TESTS, TO_INTEGER
from .host_runtime import HostPlace, Limits, Machine, PlanError
from .host_scope import (
    MACHINE,
    RESULT,
    CompileExpression,
    Expr,
    Frame,
    Get,
    Routine,
    Run,
    Scope,
    compile_expression,
    constant,
    convert,
    copied,
    decay,
    expression,
    load,
    machine,
    refuse,
    shorten,
    store,
    truth,
)  # fmt: skip
from .host_source import Function, line_of, reparse, text
from .host_statements import block
from .host_templates import bind_template
from .host_types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    VOID,
    Arithmetic,
    ArrayType,
    OpaqueType,
    PointerType,
    ReferenceType,
    StructType,
    Type,
    arithmetic_converter,
    common,
    describe,
    promote,
    wrapper,
)  # fmt: skip

Builtin = Callable[[Node, list[Node], Scope], Expr]
BUILTINS: dict[str, Builtin] = {}
_Handler = TypeVar("_Handler", bound=Builtin)
_CASTS = {"static_cast", "reinterpret_cast", "const_cast"}
_LIBRARIES = (
    "cublas",
    "cufft",
    "cudnn",
    "cusparse",
    "cusolver",
    "curand",
    "nccl",
    "cutlass",
    "thrust",
    "cub",
    "at::",
    "torch",
)


def builtin(*names: str) -> Callable[[_Handler], _Handler]:
    def register(handler: _Handler) -> _Handler:
        BUILTINS.update(dict.fromkeys(names, handler))
        return handler

    return register


@dataclass(frozen=True)
class LambdaType(OpaqueType):
    """Every lambda has a type of its own, which knows how to call it."""

    call: Callable[[Node, list[Node], Scope, Expr], Expr] | None = None


def arguments_of(node: Node) -> list[Node]:
    return [child for child in part(node, "arguments").named_children if child.type != "comment"]


@expression("call_expression")
def call(node: Node, scope: Scope) -> Expr:
    function = part(node, "function")
    if any(child.type == "kernel_call_syntax" for child in node.children):
        return LAUNCH[0](node, scope)
    while function.type == "parenthesized_expression" and len(function.named_children) == 1:
        function = function.named_children[0]
    name, templated = callee(function)
    if templated is not None and name in _CASTS:
        wanted = [child for child in templated.named_children if child.type != "comment"]
        values = arguments_of(node)
        if len(wanted) != 1 or len(values) != 1:
            refuse(node, f"{name} takes one type and one value")
        return convert(compile_expression(values[0], scope), type_of(wanted[0], scope), node, is_cast=True)
    found = scope.find(name)
    if found is not None:
        return _call_variable(found, templated, node, scope)
    if function.type in ("primitive_type", "sized_type_specifier") or is_type_name(name, scope):
        return construct(type_of(function, scope), node, scope)
    if function.type == "qualified_identifier" and "numeric_limits" in text(function):
        return number_limits(function, name, scope)
    if scope.functions(name):
        return call_function(name, templated, node, scope)
    if name in BUILTINS:
        return BUILTINS[name](node, arguments_of(node), scope)
    if text(function).startswith(_LIBRARIES):
        refuse(node, f"{shorten(function)} is a library's function; a candidate computes with its own kernels")
    refuse(
        node,
        f"the function {shorten(function)} is not known to the reader of host code; define it in this file as plain C",
    )


def callee(function: Node) -> tuple[str, Node | None]:
    """The last name of `std::max<int>`, and its template arguments."""
    node = function
    while node.type == "qualified_identifier":
        node = part(node, "name")
    if node.type == "template_function":
        return text(part(node, "name")), node.child_by_field_name("arguments")
    return text(node), None


def _call_variable(found: Expr, templated: Node | None, node: Node, scope: Scope) -> Expr:
    if isinstance(found.type, LambdaType) and found.type.call is not None:
        return found.type.call(node, arguments_of(node), scope, found)
    if templated is not None:  # `a < b && c > (d)`, which the grammar took for a template's call
        whole = text(node)
        again = reparse(f"({found.name}){whole[len(found.name) :]}", line_of(node))
        if again is not None and again.type != "call_expression":
            return compile_expression(again, scope)
    refuse(node, f"{found.name} is a {describe(found.type)} and cannot be called")


def construct(type_: Type, node: Node, scope: Scope) -> Expr:
    """`int(x)`, `dim3(4, 2)`."""
    values = arguments_of(node)
    if isinstance(type_, StructType):
        return Expr(type_, initialiser(part(node, "arguments"), type_, scope))
    if len(values) > 1:
        refuse(node, f"{describe(type_)} is made of one value, not {len(values)}")
    if not values:
        return constant(type_, 0.0 if isinstance(type_, Arithmetic) and type_.is_float else 0)
    return convert(compile_expression(values[0], scope), type_, node, is_cast=True)


def call_function(name: str, templated: Node | None, node: Node, scope: Scope) -> Expr:
    nodes = arguments_of(node)
    values = [decay(compile_expression(n, scope)) for n in nodes]
    fitting = [
        f for f in scope.functions(name) if f.is_host and len(f.parameters) == len(values) and f.body is not None
    ]
    if not fitting:
        if any(f.is_kernel for f in scope.functions(name)):
            refuse(node, f"{name} is a kernel; launch it with {name}<<<grid, block>>>(...)")
        if not any(f.is_host for f in scope.functions(name)):
            refuse(node, f"{name} is a __device__ function; host code cannot call it without __host__")
        refuse(node, f"no host function {name} takes {len(values)} arguments")
    instance = _instance(fitting[0], templated, values, node, scope)
    gets = [_passed(value, type_, n) for value, (_, type_), n in zip(values, instance.parameters, nodes, strict=True)]
    slots = [slot for slot, _ in instance.parameters]
    line = line_of(node)

    def get(frame: Frame) -> Any:
        owner = machine(frame)
        owner.tick(line)
        inner: Frame = [None] * instance.routine.slots
        inner[MACHINE] = owner
        for slot, value in zip(slots, gets, strict=True):
            inner[slot] = value(frame)
        instance.run(inner)
        result = inner[RESULT]
        if result is None and instance.result != VOID:
            raise PlanError(f"{name} ends without returning a value", line)
        return result

    result = Expr(instance.result, get, name=name)
    if all(v.is_constant for v in values) and "constexpr" in fitting[0].words:
        return _evaluated(result, scope)
    return result


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


def compile_function(function: Function, key: str, scope: Scope, node: Node) -> Instance:
    """Compiles once; a function that is met again while it is being compiled calls itself."""
    compiled = scope.unit.compiled
    identity = (function.node.start_byte, key)
    if identity in compiled:
        found = compiled[identity]
        if found is None:
            refuse(node, f"{function.name} calls itself; recursion is not read in host code, write a loop")
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
    instance = Instance(routine, read_parameters(function.parameters, inner))
    body = function.body
    assert body is not None
    instance.run = block(body, inner)
    if routine.result is None:
        routine.result = VOID
    compiled[identity] = instance
    return instance


def read_parameters(nodes: list[Node], scope: Scope) -> list[tuple[int, Type]]:
    """Makes each parameter a variable of the scope; gives its slot and type."""
    found: list[tuple[int, Type]] = []
    for node in nodes:
        made = declared(node.child_by_field_name("declarator"), written_type(node, scope), scope)
        type_ = made.type
        if isinstance(type_, ArrayType):
            type_ = PointerType(type_.element, made.is_const)
        if type_ == AUTO:
            refuse(node, f"{shorten(node)}: give the parameter a type")
        scope.variable(made.name, type_, is_const=made.is_const)
        found.append((scope.routine.slots - 1, type_))
    return found


@expression("lambda_expression")
def lambda_expression(node: Node, scope: Scope) -> Expr:
    """A lambda lives in the frame of its function; one that captures by value keeps a copy of the frame."""
    captures = text(part(node, "captures"))
    is_copy = "=" in captures or (captures not in ("[]", "[&]") and "&" not in captures)
    routine = Routine("lambda", None)
    inner = Scope(scope.unit, _Nested(scope.routine, routine), scope)
    declarator = node.child_by_field_name("declarator")
    listed = declarator.child_by_field_name("parameters") if declarator is not None else None
    parameters = read_parameters(
        [p for p in listed.named_children if p.type.endswith("declaration")] if listed else [], inner
    )
    for child in declarator.named_children if declarator is not None else ():
        if child.type == "trailing_return_type":
            inner.routine.result = type_of(child.named_children[0], scope)
    run = block(part(node, "body"), inner)
    result = inner.routine.result or VOID

    def call_lambda(site: Node, nodes: list[Node], site_scope: Scope, value: Expr) -> Expr:
        if len(nodes) != len(parameters):
            refuse(site, f"{value.name} takes {len(parameters)} arguments, not {len(nodes)}")
        gets = [_passed(compile_expression(n, site_scope), t, n) for n, (_, t) in zip(nodes, parameters, strict=True)]
        captured, line = value.get, line_of(site)

        def get(frame: Frame) -> Any:
            machine(frame).tick(line)
            values = [each(frame) for each in gets]
            own = captured(frame)
            for (slot, _), passed in zip(parameters, values, strict=True):
                own[slot] = passed
            own[RESULT], kept = None, own[RESULT]
            run(own)
            answer, own[RESULT] = own[RESULT], kept
            return answer

        return Expr(result, get)

    return Expr(LambdaType("lambda", 8, call_lambda), (lambda frame: list(frame)) if is_copy else (lambda frame: frame))


class _Nested(Routine):
    """A lambda's routine: slots come from the function around it, the return type is its own."""

    def __init__(self, outer: Routine, own: Routine) -> None:
        super().__init__(own.name, own.result, outer.slots)
        self.outer = outer

    def new_slot(self) -> int:
        self.slots = self.outer.new_slot() + 1
        return self.slots - 1


def _real(name: str, function: Callable[..., float], fixed: Arithmetic | None) -> Builtin:
    def compile_call(node: Node, nodes: list[Node], scope: Scope) -> Expr:
        values = [compile_expression(n, scope) for n in nodes]
        is_single = all(v.type == FLOAT for v in values) and bool(values)
        type_ = fixed or (FLOAT if is_single else DOUBLE)
        gets = [convert(v, type_, n).get for v, n in zip(values, nodes, strict=True)]
        fit = wrapper(type_)

        def get(frame: Frame) -> float:
            try:
                return fit(function(*[each(frame) for each in gets]))  # type: ignore[no-any-return]
            except TypeError:
                raise PlanError(f"{name} does not take {len(gets)} arguments", line_of(node)) from None

        known = all(v.is_constant for v in values)
        return constant(type_, get([])) if known else Expr(type_, get)

    return compile_call


for _name, _function in REAL_FUNCTIONS.items():
    BUILTINS[_name] = _real(_name, _function, None)
    BUILTINS[_name + "f"] = _real(_name, _function, FLOAT)


@builtin(*TESTS)
def test_number(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    (value,) = expect(node, nodes, 1, scope)
    get, test = convert(value, DOUBLE, node).get, TESTS[callee(part(node, "function"))[0]]
    return Expr(BOOL, lambda frame: test(get(frame)))


@builtin(*TO_INTEGER, *(name + "f" for name in TO_INTEGER))
def to_integer(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    (value,) = expect(node, nodes, 1, scope)
    name = callee(part(node, "function"))[0]
    get, round_ = convert(value, DOUBLE, node).get, TO_INTEGER[name.removesuffix("f")]
    change = arithmetic_converter(DOUBLE, LONG)
    assert change is not None
    return Expr(LONG, lambda frame: change(round_(get(frame))))


def expect(node: Node, nodes: list[Node], count: int, scope: Scope) -> list[Expr]:
    if len(nodes) != count:
        refuse(node, f"{shorten(part(node, 'function'))} takes {count} arguments, not {len(nodes)}")
    return [decay(compile_expression(n, scope)) for n in nodes]


@builtin("min", "max")
def smaller_or_larger(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    left, right = expect(node, nodes, 2, scope)
    if not isinstance(left.type, Arithmetic) or not isinstance(right.type, Arithmetic):
        refuse(node, f"{shorten(node)}: only numbers are compared")
    name, templated = callee(part(node, "function"))
    type_ = left.type if left.type == right.type else common(left.type, right.type)
    if templated is not None and templated.named_children:
        wanted = type_of(templated.named_children[0], scope)
        type_ = wanted if isinstance(wanted, Arithmetic) else type_
    first, second = convert(left, type_, nodes[0]).get, convert(right, type_, nodes[1]).get
    pick: Callable[[Any, Any], Any] = min if name == "min" else max
    made = Expr(type_, lambda frame: pick(first(frame), second(frame)))
    return constant(type_, made.get([])) if left.is_constant and right.is_constant else made


@builtin("abs", "labs", "llabs")
def absolute(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    (value,) = expect(node, nodes, 1, scope)
    if not isinstance(value.type, Arithmetic):
        refuse(node, f"{shorten(node)}: only numbers have a magnitude")
    type_ = promote(value.type)
    get, fit = convert(value, type_, node).get, wrapper(type_)
    return Expr(type_, lambda frame: fit(abs(get(frame))))


@builtin("swap")
def swap(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    left, right = (
        (compile_expression(n, scope) for n in nodes) if len(nodes) == 2 else refuse(node, "swap takes two variables")
    )
    one, other, name = left.place, right.place, shorten(node)
    if one is None or other is None or left.type != right.type:
        refuse(node, f"{name}: swap takes two variables of the same type")

    def get(frame: Frame) -> None:
        first, second = one(frame), other(frame)
        kept = load(first, name), load(second, name)
        store(first, copied(kept[1]), name)
        store(second, copied(kept[0]), name)

    return Expr(VOID, get)


@builtin("printf", "fprintf", "puts", "fflush", "perror", "fputs")
def print_nothing(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """What the host prints is of no use to anybody here; its arguments are not even looked at."""
    return Expr(INT, lambda frame: 0)


@builtin("exit", "abort", "_Exit", "terminate")
def leave(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    def get(frame: Frame) -> None:
        raise PlanError("the host function gives up here", line_of(node))

    return Expr(VOID, get)


@builtin("assert")
def assertion(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    (value,) = expect(node, nodes, 1, scope)
    test = truth(value, node)

    def get(frame: Frame) -> None:
        if not test(frame):
            raise PlanError(f"the host function's {shorten(node)} does not hold", line_of(node))

    return Expr(VOID, get)


LAUNCH: list[CompileExpression] = []  # filled by host_launch, which needs this module
