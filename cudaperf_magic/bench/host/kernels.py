"""Kernels as values of host code: which one a name with template arguments means, and what its parameters are."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from cudaperf_magic.bench.host.declared import declared, written_type
from cudaperf_magic.bench.host.runtime import PlanError
from cudaperf_magic.bench.host.scope import Expr, Scope, constant, refuse, shorten
from cudaperf_magic.bench.host.source import Function, line_of
from cudaperf_magic.bench.host.templates import bind_template
from cudaperf_magic.bench.host.types import KERNEL, ArrayType, PointerType, Type


@dataclass(frozen=True)
class Kernel:
    """A kernel with its template arguments, as a value of host code."""

    name: str
    parameters: tuple[tuple[str, Type | None], ...]  # None: a type that only the device compiler knows


def kernel_expression(
    name: str, templated: Node | None, node: Node, scope: Scope, types: list[Type] | None = None
) -> Expr:
    kernels = [f for f in scope.functions(name) if f.is_kernel]
    if not kernels:
        refuse(node, f"there is no kernel {name} in this file")
    fitting = kernels if types is None else [k for k in kernels if len(k.parameters) == len(types)]
    if not fitting:
        raise wrong_count(name, len(kernels[0].parameters), len(types or ()), node)
    bound = bind_template(fitting[0], templated, types or [], node, scope)
    whole = fitting[0].namespace + name + bound.text
    scope.unit.kernels[whole] = None
    return constant(KERNEL, Kernel(whole, _parameters(fitting[0], bound.scope)))


def wrong_count(name: str, expected: int, given: int, node: Node) -> PlanError:
    return PlanError(f"{name} takes {expected} argument{'s' * (expected != 1)}, not {given}", line_of(node))


def _parameters(function: Function, scope: Scope) -> tuple[tuple[str, Type | None], ...]:
    found: list[tuple[str, Type | None]] = []
    for node in function.parameters:
        try:
            made = declared(node.child_by_field_name("declarator"), written_type(node, scope), scope)
        except PlanError:
            found.append((shorten(node), None))
            continue
        type_ = PointerType(made.type.element, made.is_const) if isinstance(made.type, ArrayType) else made.type
        found.append((made.name, type_))
    return tuple(found)
