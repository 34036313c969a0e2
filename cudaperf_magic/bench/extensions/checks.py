"""Macros of torch's headers: TORCH_CHECK and its kin, CUDA's error checks, and AT_DISPATCH over dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from ..host.calls import callee
from ..host.containers import VectorType
from ..host.functions import LambdaType
from ..host.scope import Expr, Frame, Get, Scope, compile_expression, decay, part, refuse, shorten, truth
from ..host.source import text
from ..host.types import TEXT, VOID, Arithmetic, Type
from .types import C_TYPES, DEVICE, DEVICE_TYPE, PROPERTIES, SCALAR_NAMES, SCALAR_TYPE
from .words import word

FLOATING = ("float64", "float32")
INTEGRAL = ("uint8", "int8", "int32", "int64", "int16")
DISPATCHED: dict[str, tuple[tuple[str, ...], int]] = {  # dtypes, and how many more are given in front
    f"AT_DISPATCH_{name}{suffix}": ((*dtypes, *more), count)
    for name, dtypes in (("FLOATING_TYPES", FLOATING), ("INTEGRAL_TYPES", INTEGRAL), ("ALL_TYPES", INTEGRAL + FLOATING))
    for suffix, more, count in (
        ("", (), 0), ("_AND_HALF", ("float16",), 0), ("_AND", (), 1), ("_AND2", (), 2), ("_AND3", (), 3),
    )
}  # fmt: skip
_ERRORS: dict[str, type[Exception]] = {
    "TORCH_CHECK": RuntimeError, "AT_ASSERT": RuntimeError, "AT_ASSERTM": RuntimeError,
    "TORCH_INTERNAL_ASSERT": RuntimeError, "TORCH_INTERNAL_ASSERT_DEBUG_ONLY": RuntimeError,
    "TORCH_CHECK_VALUE": ValueError, "TORCH_CHECK_TYPE": TypeError, "TORCH_CHECK_INDEX": IndexError,
}  # fmt: skip
_ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\'": "'", "\\\\": "\\"}


@word(*_ERRORS)
def check(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    name = callee(part(node, "function"))[0]
    if not nodes:
        refuse(node, f"{name} needs a condition")
    test = truth(compile_expression(nodes[0], scope), nodes[0])
    words = _message(nodes[1:], scope)
    unsaid = f"Expected {' '.join(text(nodes[0]).split())} to be true, but got false."
    error = _ERRORS[name]

    def get(frame: Frame) -> None:
        if not test(frame):
            raise error(words(frame) or unsaid)

    return Expr(VOID, get)


@word("AT_ERROR")
def fail(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    words = _message(nodes, scope)

    def get(frame: Frame) -> None:
        raise RuntimeError(words(frame))

    return Expr(VOID, get)


@word("C10_CUDA_CHECK", "AT_CUDA_CHECK", "TORCH_CUDA_CHECK", "C10_CUDA_KERNEL_LAUNCH_CHECK", "C10_CUDA_ERROR_HANDLED")
def checked(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """What fails here raises by itself; what stands between the parentheses is done."""
    gets = [compile_expression(each, scope).get for each in nodes]

    def get(frame: Frame) -> None:
        for each in gets:
            each(frame)

    return Expr(VOID, get)


def _message(nodes: list[Node], scope: Scope) -> Callable[[Frame], str]:
    """The arguments one after another, as c10::str writes them."""
    parts = [_written(node, scope) for node in nodes]
    return lambda frame: "".join(part(frame) for part in parts)


def _written(node: Node, scope: Scope) -> Get:
    if node.type in ("string_literal", "concatenated_string"):
        said = _literal(node)
        return lambda frame: said
    expr = decay(compile_expression(node, scope))
    get, type_ = expr.get, expr.type
    if isinstance(type_, Arithmetic):
        return (lambda frame: f"{get(frame):g}") if type_.is_float else (lambda frame: str(int(get(frame))))
    if type_ == SCALAR_TYPE:
        return lambda frame: SCALAR_NAMES.get(get(frame), get(frame))
    if isinstance(type_, VectorType) and isinstance(type_.of, Arithmetic):
        return lambda frame: str([*get(frame)])
    if type_ in (DEVICE, DEVICE_TYPE):
        return get
    if type_ == TEXT and not expr.is_constant:
        return get
    refuse(node, f"{shorten(node)} cannot be written into a message")


def _literal(node: Node) -> str:
    if node.type == "concatenated_string":
        return "".join(_literal(child) for child in node.named_children)
    return "".join(_ESCAPES.get(text(child), text(child)) for child in node.named_children)


@word(*DISPATCHED)
def dispatch(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """One reading of the lambda for each dtype, with scalar_t as that type."""
    macro = callee(part(node, "function"))[0]
    dtypes, count = DISPATCHED[macro]
    if len(nodes) != count + 3:
        refuse(node, f"{macro} takes {count + 3} arguments")
    extra = [_dtype(each, scope) for each in nodes[:count]]
    given = compile_expression(nodes[count], scope)
    if given.type not in (SCALAR_TYPE, PROPERTIES):
        refuse(nodes[count], f"{shorten(nodes[count])} is not a dtype")
    which, name = given.get, _written(nodes[count + 1], scope)
    reads_type = given.type == PROPERTIES
    branches = {dtype: _branch(nodes[count + 2], C_TYPES[dtype], node, scope) for dtype in (*dtypes, *extra)}
    result = next(iter(branches.values())).type

    def get(frame: Frame) -> Any:
        value = which(frame)
        dtype = str(value.dtype).removeprefix("torch.") if reads_type else value
        if dtype not in branches:
            raise RuntimeError(f"\"{name(frame)}\" not implemented for '{SCALAR_NAMES.get(dtype, dtype)}'")
        return branches[dtype].get(frame)

    return Expr(result, get)


def _dtype(node: Node, scope: Scope) -> str:
    found = compile_expression(node, scope)
    if found.type != SCALAR_TYPE or not found.is_constant or found.value not in C_TYPES:
        refuse(node, f"{shorten(node)} is not a dtype that is known here")
    return str(found.value)


def _branch(function: Node, scalar: Type, site: Node, scope: Scope) -> Expr:
    inner = scope.inner()
    inner.types["scalar_t"] = scalar
    made = compile_expression(function, inner)
    if not isinstance(made.type, LambdaType) or made.type.call is None:
        refuse(function, "AT_DISPATCH takes a lambda")
    return made.type.call(site, [], inner, made)
