"""Template arguments, given or deduced, of kernels and of host functions."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from cudaperf_magic.bench.host.declared import declared, template_argument, written_type
from cudaperf_magic.bench.host.runtime import PlanError
from cudaperf_magic.bench.host.scope import Expr, Scope, convert, refuse, shorten
from cudaperf_magic.bench.host.source import Function, TemplateParameter
from cudaperf_magic.bench.host.types import (
    NAMED_TYPES,
    Arithmetic,
    ArrayType,
    OpaqueType,
    PointerType,
    ReferenceType,
    Type,
    describe,
)

Argument = Type | Expr | str


@dataclass(frozen=True)
class Bound:
    """A function with its template arguments: their text, and the scope in which its parameters are read."""

    text: str  # "<float, 256>", or "" for what is no template
    scope: Scope


def bind_template(function: Function, given: Node | None, types: list[Type], node: Node, scope: Scope) -> Bound:
    """Takes the arguments between < and >, then what the call's argument types say, then the defaults."""
    inner = scope.top.inner()
    if not function.template:
        if given is not None:
            refuse(node, f"{function.name} is not a template")
        return Bound("", inner)
    nodes = [child for child in given.named_children if child.type != "comment"] if given is not None else []
    if len(nodes) > len(function.template):
        refuse(node, f"{function.name} has {len(function.template)} template parameters, not {len(nodes)}")
    found: dict[str, Argument] = {}
    for parameter, written in zip(function.template, nodes, strict=False):
        found[parameter.name] = _checked(parameter, template_argument(written, scope), written, inner)
        _bind(parameter, found[parameter.name], inner)
    if len(found) < len(function.template):
        for name, type_ in _deduced(function, types, found, scope).items():
            found.setdefault(name, type_)
    for parameter in function.template:
        if parameter.name not in found:
            found[parameter.name] = _default(parameter, function, node, inner)
        _bind(parameter, found[parameter.name], inner)
    return Bound(f"<{', '.join(_spelled(found[p.name]) for p in function.template)}>", inner)


def _checked(parameter: TemplateParameter, value: Argument, node: Node, scope: Scope) -> Argument:
    if isinstance(value, str):
        return value
    if parameter.is_type == isinstance(value, Expr):
        refuse(node, f"template parameter {parameter.name} takes a {'type' if parameter.is_type else 'constant'}")
    if not isinstance(value, Expr):
        return value
    if not value.is_constant:
        refuse(node, f"the template argument {shorten(node)} must be a constant; it is known only at run time")
    type_ = _value_type(parameter, scope)
    return (
        convert(value, type_, node) if isinstance(type_, Arithmetic) and isinstance(value.type, Arithmetic) else value
    )


def _value_type(parameter: TemplateParameter, scope: Scope) -> Type | None:
    try:
        return written_type(parameter.declaration, scope).type
    except PlanError:
        return None  # a type that only the device compiler knows


def _bind(parameter: TemplateParameter, value: Argument, scope: Scope) -> None:
    if isinstance(value, Expr):
        scope.names[parameter.name] = value
    elif not isinstance(value, str):
        scope.types[parameter.name] = value


def _default(parameter: TemplateParameter, function: Function, node: Node, scope: Scope) -> Argument:
    written = parameter.declaration.child_by_field_name("default_type" if parameter.is_type else "default_value")
    if written is None:
        refuse(node, f"template parameter {parameter.name} of {function.name} is not given and cannot be deduced")
    return _checked(parameter, template_argument(written, scope), written, scope)


def _spelled(value: Argument) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, Expr):
        return describe(value)
    if isinstance(value.type, Arithmetic) and value.type.name not in NAMED_TYPES:
        return f"({value.type.name}){value.value}"  # an enumerator
    return str(value.value).lower() if isinstance(value.value, bool) else str(value.value)


def _deduced(function: Function, types: list[Type], known: dict[str, Argument], scope: Scope) -> dict[str, Type]:
    """What `f(const T *x, T a)` called with (float *, float) says about T."""
    trial = scope.top.inner()
    for parameter in function.template:
        value = known.get(parameter.name)
        if parameter.is_type and (value is None or isinstance(value, str)):
            trial.types[parameter.name] = OpaqueType(f"?{parameter.name}")
        elif value is not None:
            _bind(parameter, value, trial)
    found: dict[str, Type] = {}
    for written, given in zip(function.parameters, types, strict=False):
        try:
            pattern = declared(written.child_by_field_name("declarator"), written_type(written, trial), trial).type
        except PlanError:
            continue
        _unify(pattern, given, found)
    return found


def _unify(pattern: Type, given: Type, found: dict[str, Type]) -> None:
    if isinstance(pattern, OpaqueType) and pattern.name.startswith("?"):
        found.setdefault(pattern.name[1:], given)
    elif isinstance(pattern, ReferenceType):
        _unify(pattern.target, given, found)
    elif isinstance(pattern, PointerType) and isinstance(given, PointerType):
        _unify(pattern.target, given.target, found)
    elif isinstance(pattern, ArrayType) and isinstance(given, PointerType):
        _unify(pattern.element, given.target, found)
