"""Types and declarators as they are written: `const float *const x[2]`, `T &`, `struct {...}`, `template<int B>`
arguments."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from cudaperf_magic.bench.host.scope import (
    Expr,
    Scope,
    compile_expression,
    constant,
    constant_int,
    convert,
    refuse,
    shorten,
)
from cudaperf_magic.bench.host.source import function_of, line_of, text
from cudaperf_magic.bench.host.types import (
    INT,
    KERNEL,
    NAMED_TYPES,
    VOID,
    Arithmetic,
    ArrayType,
    Field,
    OpaqueType,
    PointerType,
    ReferenceType,
    StructType,
    Type,
    enumeration,
    sized_type,
)  # fmt: skip

AUTO = OpaqueType("auto")
_MAX_ELEMENTS = 1 << 16  # of a host array


class Written(NamedTuple):
    """The type before the declarators of a declaration."""

    type: Type
    is_const: bool


class Declared(NamedTuple):
    name: str
    type: Type
    is_const: bool
    arguments: Node | None = None  # of `dim3 grid(n)`, which reads like a function's declaration


def written_type(node: Node, scope: Scope) -> Written:
    """From a declaration, parameter, field or type_descriptor: the type and its qualifiers, no declarator."""
    qualifiers = {text(child) for child in node.children if child.type == "type_qualifier"}
    named = node.child_by_field_name("type")
    if named is None:
        refuse(node, f"{shorten(node)} has no type")
    return Written(type_of(named, scope), bool(qualifiers & {"const", "constexpr"}))


def type_of(node: Node, scope: Scope) -> Type:
    if node.type == "placeholder_type_specifier":
        return AUTO
    words = scope.unit.vocabulary
    of_library = words.type_of(node, scope) if words is not None else None
    if of_library is not None:
        return of_library
    if node.type == "struct_specifier":
        return read_struct(node, scope)
    if node.type == "enum_specifier":
        return read_enum(node, scope)
    if node.type == "sized_type_specifier":
        found = sized_type(text(node).split())
    elif node.type == "type_descriptor":
        written = written_type(node, scope)
        return declared(node.child_by_field_name("declarator"), written, scope).type
    else:
        name = text(node).rsplit("::", 1)[-1]
        found = scope.find_type(name) or NAMED_TYPES.get(name)
    if found is None:
        refuse(node, f"the type {shorten(node)} is not known to the reader of host code; use plain C types there")
    return found


def is_type_name(name: str, scope: Scope) -> bool:
    return scope.find(name) is None and (scope.find_type(name) or NAMED_TYPES.get(name)) is not None


def declared(node: Node | None, written: Written, scope: Scope) -> Declared:
    """Applies one declarator (or none: an abstract type) to the written type."""
    type_, is_const = written
    if node is None:
        return Declared("", type_, is_const)
    inner = node.child_by_field_name("declarator")
    if node.type in ("identifier", "field_identifier", "type_identifier"):
        return Declared(text(node), type_, is_const)
    if node.type in ("pointer_declarator", "abstract_pointer_declarator"):
        own_const = any(text(child) == "const" for child in node.children if child.type == "type_qualifier")
        return declared(inner, Written(PointerType(type_, is_const), own_const), scope)
    if node.type in ("reference_declarator", "abstract_reference_declarator"):
        last = node.named_children[-1] if node.named_children else None
        return declared(last, Written(ReferenceType(type_), is_const), scope)
    if node.type in ("array_declarator", "abstract_array_declarator"):
        size = node.child_by_field_name("size")
        length = None if size is None else constant_int(size, scope, "the size of an array in host code")
        if length is not None and not 0 < length <= _MAX_ELEMENTS:
            refuse(node, f"a host array of {length} elements; 1 to {_MAX_ELEMENTS:,} can be read")
        return declared(inner, Written(ArrayType(type_, length), is_const), scope)
    if node.type == "abstract_function_declarator":  # void (*)(float *, int)
        return Declared("", KERNEL, False)
    if node.type == "parenthesized_declarator":
        return declared(node.named_children[0], written, scope)
    if node.type == "function_declarator" and inner is not None:
        return _function_declarator(node, inner, written, scope)
    refuse(node, f"the declaration {shorten(node)} is not read; write it more plainly")


def _function_declarator(node: Node, inner: Node, written: Written, scope: Scope) -> Declared:
    if inner.type == "parenthesized_declarator":  # void (*kernel)(float *, int)
        name, type_ = inner, Written(KERNEL, False)
        while name.type != "identifier":
            if not name.named_children:
                refuse(node, f"the declaration {shorten(node)} is not read; use `auto`")
            if name.type == "array_declarator":  # void (*kernels[])(float *, int)
                return declared(name, type_, scope)
            name = name.named_children[-1]
        return Declared(text(name), KERNEL, False)
    return Declared(text(inner), written.type, written.is_const, node.child_by_field_name("parameters"))


def read_struct(node: Node, scope: Scope) -> Type:
    """A struct of plain fields, and its methods, which are read where they are called."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    label = text(name) if name else f"struct at line {line_of(node)}"
    if body is None:
        found = scope.find_type(label) or NAMED_TYPES.get(label)
        return found or refuse(node, f"struct {label} is not defined above this line")
    fields: list[Field] = []
    methods = [function_of(m, None) for m in body.named_children if m.type == "function_definition"]
    if any(_does_something(member) for member in body.named_children):
        scope.unit.constructed.add(scope.unit.namespace + label)
    for member in body.named_children:
        if member.type != "field_declaration" or member.child_by_field_name("type") is None:
            continue
        if any(text(child) == "static" for child in member.children):
            _static_member(label, member, scope)
            continue
        written = written_type(member, scope)
        for declarator in member.children_by_field_name("declarator"):
            if declarator.type != "function_declarator":
                found_field = declared(declarator, written, scope)
                fields.append(Field(found_field.name, found_field.type, _default(member, scope)))
    made = StructType(scope.unit.namespace + label, tuple(fields))
    if name:
        scope.types[label] = made
    scope.unit.methods |= {(made.name, method.name): method for method in methods if method is not None}
    return made


def _does_something(member: Node) -> bool:
    """A constructor or destructor that does more than to set fields."""
    inside = member.child_by_field_name("body")
    is_special = member.type == "function_definition" and member.child_by_field_name("type") is None
    return is_special and inside is not None and any(child.type != "comment" for child in inside.named_children)


def _default(member: Node, scope: Scope) -> int | float | None:
    """Of `int threads = 128;` in a struct."""
    value = member.child_by_field_name("default_value")
    expr = compile_expression(value, scope) if value is not None else None
    return expr.value if expr is not None and expr.is_constant and isinstance(expr.value, int | float) else None


def _static_member(struct: str, member: Node, scope: Scope) -> None:
    """`static constexpr int TILE = 16;` in a struct is the constant `Struct::TILE`."""
    name, value = member.child_by_field_name("declarator"), member.child_by_field_name("default_value")
    type_ = written_type(member, scope).type
    if name is not None and value is not None and isinstance(type_, Arithmetic):
        start = convert(compile_expression(value, scope), type_, value)
        scope.names[f"{struct}::{text(name)}"] = start


def read_enum(node: Node, scope: Scope) -> Type:
    """Enumerators become constants; those of an `enum class` under its name only."""
    body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
    if body is None and name is not None:
        return scope.find_type(text(name)) or INT
    is_scoped = any(child.type in ("class", "struct") for child in node.children)
    made = enumeration(scope.unit.namespace + text(name)) if name else INT
    if name:
        scope.types[text(name)] = made
    following = 0
    for item in body.named_children if body else ():
        label, value = item.child_by_field_name("name"), item.child_by_field_name("value")
        if item.type == "enumerator" and label is not None:
            following = constant_int(value, scope, "an enumerator") if value else following
            if name:
                scope.names[f"{text(name)}::{text(label)}"] = constant(made, following)
            if not is_scoped:
                scope.names[text(label)] = constant(made, following)
            following += 1
    return made


def template_argument(node: Node, scope: Scope) -> Type | Expr | str:
    """What stands between < and >: a type, a constant, or the text of something that only the device compiler knows."""
    if node.type != "type_descriptor":
        return compile_expression(node, scope)
    named = node.child_by_field_name("type")
    if named is not None and node.child_by_field_name("declarator") is None:
        name = text(named).rsplit("::", 1)[-1]
        variable = scope.find_qualified(text(named))
        if variable is not None:
            return variable
        if named.type in ("type_identifier", "qualified_identifier", "template_type") and not is_type_name(name, scope):
            return text(node)  # a functor, a device function, a type of a device header
    type_ = type_of(node, scope)
    return VOID if type_ == AUTO else type_
