"""Calls in host code: casts, <math.h>, min and max, and the file's own host functions and lambdas, which are read in
turn.

The CUDA runtime's functions are in host_cuda.py, launches in host_launch.py; both register themselves in `BUILTINS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tree_sitter import Node

from cudaperf_magic.bench.host.declared import is_type_name, type_of
from cudaperf_magic.bench.host.functions import LambdaType, call_function
from cudaperf_magic.bench.host.initialisers import initialiser
from cudaperf_magic.bench.host.literals import number_limits
from cudaperf_magic.bench.host.math import BITS, REAL_FUNCTIONS, TESTS, TO_INTEGER
from cudaperf_magic.bench.host.runtime import PlanError
from cudaperf_magic.bench.host.scope import (
    CompileExpression,
    Expr,
    Frame,
    Scope,
    compile_expression,
    constant,
    convert,
    copied,
    decay,
    expression,
    load,
    part,
    refuse,
    shorten,
    store,
    truth,
)  # fmt: skip
from cudaperf_magic.bench.host.source import line_of, reparse, text
from cudaperf_magic.bench.host.types import (
    BFLOAT,
    BOOL,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    NAMED_TYPES,
    VOID,
    Arithmetic,
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


def arguments_of(node: Node) -> list[Node]:
    return [child for child in part(node, "arguments").named_children if child.type != "comment"]


@expression("call_expression")
def call(node: Node, scope: Scope) -> Expr:
    function = part(node, "function")
    if any(child.type == "kernel_call_syntax" for child in node.children):
        return LAUNCH[0](node, scope)
    while function.type == "parenthesized_expression" and len(function.named_children) == 1:
        function = function.named_children[0]
    words = scope.unit.vocabulary
    of_library = words.call(node, function, scope) if words is not None else None
    if of_library is not None:
        return of_library
    if function.type == "lambda_expression":  # called where it stands
        return _call_variable(compile_expression(function, scope), None, node, scope)
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
    vector = NAMED_TYPES.get(name.removeprefix("make_")) if name.startswith("make_") else None
    if isinstance(vector, StructType):  # make_float3(x, y, z)
        return construct(vector, node, scope)
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


@builtin("__float2half", "__float2half_rn", "__double2half", "__int2half_rn", "make_half")
def to_half(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    return convert(expect(node, nodes, 1, scope)[0], HALF, node)


@builtin("__float2bfloat16", "__float2bfloat16_rn", "__double2bfloat16")
def to_bfloat(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    return convert(expect(node, nodes, 1, scope)[0], BFLOAT, node)


@builtin("__half2float", "__bfloat162float")
def to_single(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    return convert(expect(node, nodes, 1, scope)[0], FLOAT, node)


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


@builtin("clamp")
def clamped(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    if len(nodes) != 3:
        refuse(node, f"{shorten(node)}: clamp takes a value, the least and the most")
    values = [compile_expression(n, scope) for n in nodes]
    type_ = values[0].type
    if any(each.type != type_ for each in values) or not isinstance(type_, Arithmetic):
        refuse(node, f"{shorten(node)}: clamp takes three numbers of one type")
    value, low, high = (each.get for each in values)
    return Expr(type_, lambda frame: min(max(value(frame), low(frame)), high(frame)))


@builtin("min", "max")
def smaller_or_larger(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    if len(nodes) == 1 and nodes[0].type == "initializer_list":
        return _of_list(node, [child for child in nodes[0].named_children if child.type != "comment"], scope)
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


def _of_list(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """`std::min({a, b, c})`."""
    values = [compile_expression(n, scope) for n in nodes]
    if not values or any(v.type != values[0].type or not isinstance(v.type, Arithmetic) for v in values):
        refuse(node, f"{shorten(node)}: the list needs numbers of one type")
    gets = [value.get for value in values]
    pick: Callable[[Any], Any] = min if callee(part(node, "function"))[0] == "min" else max
    return Expr(values[0].type, lambda frame: pick([get(frame) for get in gets]))


@builtin(*BITS)
def bits(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """What compilers and CUDA know of a number's bits: leading and trailing zeros, ones, the first one."""
    (value,) = expect(node, nodes, 1, scope)
    wanted, count = BITS[callee(part(node, "function"))[0]]
    get = convert(value, wanted, node).get
    made = Expr(INT, lambda frame: count(get(frame)))
    return constant(INT, made.get([])) if value.is_constant else made


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
