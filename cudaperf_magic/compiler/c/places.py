"""C lvalues -> places: variables, elements, struct fields, and pointers with what they point into.

Loads and stores of whole structs go leaf by leaf. Arithmetic and calls are c_expressions.py's and c_calls.py's.
"""

from __future__ import annotations

import difflib
from dataclasses import replace

from pycparser import c_ast

from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c import globals as c_globals
from cudaperf_magic.compiler.c.scope import (
    AddressOf,
    ArraySymbol,
    Element,
    PointerLike,
    PointerSymbol,
    PointerValue,
    ScalarSymbol,
    Scopes,
    StructPlace,
    StructValue,
    Value,
)
from cudaperf_magic.compiler.c.syntax import where
from cudaperf_magic.compiler.c.types import Array, CType, Scalar, StructType
from cudaperf_magic.compiler.loops import Expr, Load, Name, walk_expression
from cudaperf_magic.errors import TaskError

Place = ScalarSymbol | Element | StructPlace | PointerSymbol | PointerValue | AddressOf | StructValue


def place(s: Scopes, node: c_ast.Node) -> Place:
    """Where an lvalue is. A row of a matrix comes as the pointer that it decays to."""
    line = where(node).line
    match node:
        case c_ast.ID():
            symbol = s.find(node.name) or c_globals.find(s, node.name, line)
            if symbol is None:
                raise TaskError(_unknown(s, node.name), line)
            return symbol.value if isinstance(symbol, ArraySymbol) else symbol
        case c_ast.ArrayRef():
            return _element(s, node, line)
        case c_ast.StructRef():
            if node.type == "->":
                return field_of(s, dereference(s, pointer(s, node.name), line), node.field.name, line)
            return field_of(s, place(s, node.name), node.field.name, line)
        case c_ast.UnaryOp() if node.op == "*":
            return dereference(s, pointer(s, node.expr), line)
    value = s.value(node)
    if isinstance(value, (Element, StructPlace, StructValue, PointerValue, AddressOf)):
        return value
    raise TaskError("this is not something that can be assigned to", line)


def _unknown(s: Scopes, name: str) -> str:
    if name in s.program.functions or name in s.program.prototypes:
        return f"{name} is a function, and function pointers cannot be translated; call it by name"
    visible = [known for scope in s.names for known in scope] + list(s.program.globals) + list(s.program.constants)
    near = difflib.get_close_matches(name, visible, 1)
    return f"'{name}' is not declared" + (f"; did you mean {near[0]}?" if near else "; declare it or pass it in")


def _element(s: Scopes, node: c_ast.ArrayRef, line: int | None) -> Place:
    base: Place | Value
    if isinstance(node.name, (c_ast.StructRef, c_ast.ArrayRef)):
        inner = place(s, node.name)
        if isinstance(inner, (Element, StructPlace)) and isinstance(inner.type, Array):
            index = c_fold.evaluate(s.rvalue(node.subscript), s.program.constant_values)
            if not isinstance(index, int):
                advice = "index it by constants, or use separate fields"
                raise TaskError(f"an array inside a struct cannot be indexed by a variable; {advice}", line)
            leaf = replace(inner, path=f"{inner.path}_{index}", type=inner.type.element)
            return _leaf(leaf, line)
        base = load(s, inner, line)
    else:
        base = pointer(s, node.name)
    if not isinstance(base, (PointerValue, AddressOf)):
        raise TaskError("this is used as a pointer or array, but it is neither", line)
    index_value = s.rvalue(node.subscript)
    if isinstance(base, AddressOf):
        if c_fold.integer(index_value) != 0:
            raise TaskError("this points to one variable; only its element 0 exists", line)
        return base.target
    return base.at(index_value)


def dereference(s: Scopes, target: PointerLike, line: int | None) -> Place:
    return target.target if isinstance(target, AddressOf) else target.at(c_fold.ZERO)


def field_of(s: Scopes, outer: Place, name: str, line: int | None) -> Place:
    """`outer.name`"""
    kind = outer.type if isinstance(outer, (Element, StructPlace, StructValue)) else None
    if not isinstance(kind, StructType):
        raise TaskError(f".{name} is asked of something that is not a struct", line)
    fields = dict(s.program.types.structs.get(kind.name, ()))
    if name not in fields:
        near = difflib.get_close_matches(name, fields, 1)
        guess = f"; did you mean {near[0]}?" if near else ""
        raise TaskError(f"struct {kind.name} has no field {name}{guess}", line)
    if isinstance(outer, StructValue):
        return _part(outer, name, fields[name])
    if isinstance(outer, (Element, StructPlace)):
        path = f"{outer.path}.{name}" if outer.path else name
        return _leaf(replace(outer, path=path, type=fields[name]), line)
    raise TaskError(f".{name} is asked of something that is not a struct", line)


def _part(outer: StructValue, name: str, kind: CType) -> Place:
    """A field of a struct that was computed; a leaf is wrapped as a struct of the empty path."""
    inside = tuple((p[len(name) :].lstrip("."), e) for p, e in outer.leaves if p == name or p.startswith(f"{name}."))
    return StructValue(kind, inside)


def _leaf(found: Element | StructPlace, line: int | None) -> Place:
    """A struct variable's leaf is a scalar of its own."""
    if isinstance(found, StructPlace) and isinstance(found.type, Scalar):
        symbols = dict(found.fields)
        if found.path not in symbols:
            raise TaskError(f"there is no element {found.path} in this struct", line)
        return symbols[found.path]
    return found


def load(s: Scopes, found: Place, line: int | None) -> Value:
    """The value at a place; an array decays to a pointer."""
    match found:
        case ScalarSymbol():
            return found.expression
        case Element() if isinstance(found.type, Scalar):
            return found.load
        case PointerSymbol():
            return s.pointer(found, line)
        case StructValue() if isinstance(found.type, Scalar):
            return found.leaves[0][1]
    return found


def pointer(s: Scopes, node: c_ast.Node) -> PointerLike:
    """The pointer that an expression is."""
    found = s.value(node)
    if isinstance(found, (PointerValue, AddressOf)):
        return found
    if isinstance(found, (Element, StructPlace)) and isinstance(found.type, Array):
        sentence = "an array inside a struct can only be indexed by constants; use a separate array"
        raise TaskError(sentence, where(node).line)
    raise TaskError("this is used as a pointer or array, but it is neither", where(node).line)


# -------------------------------------------------------------------- structs


def leaf_values(s: Scopes, value: Value, line: int | None) -> list[tuple[str, Expr]]:
    """(leaf path, expression) of a struct that is read."""
    match value:
        case StructValue():
            return list(value.leaves)
        case StructPlace(fields, path, kind):
            symbols = dict(fields)
            leaves = s.program.types.leaves(kind, line, path)
            cut = len(path) + 1 if path else 0
            return [(leaf[cut:], symbols[leaf].expression) for leaf, _ in leaves]
        case Element():
            result: list[tuple[str, Expr]] = []
            for leaf, _ in s.program.types.leaves(value.type, line):
                dot = f"{value.path}." if value.path else ""
                result.append((leaf, Load(value.array.name, value.subscripts, dot + leaf)))
            return result
    raise TaskError("a struct is expected here", line)


def assign_struct(s: Scopes, target: Element | StructPlace, value: Value, line: int | None) -> None:
    """Store a struct leaf by leaf; through temporaries when the value reads what is being written."""
    if isinstance(value, (Element, StructPlace, StructValue)) and value.type != target.type:
        raise TaskError("the two structs are of different types", line)
    new = leaf_values(s, value, line)
    old = leaf_values(s, target, line)
    if isinstance(value, StructValue):
        written = {e.name if isinstance(e, Name) else e.array for _, e in old if isinstance(e, (Name, Load))}
        if any(_mentions(e, written) for _, e in new):
            new = [(path, s.fresh(path.replace(".", "_"), s.type_of(e), e)) for path, e in new]
    for (_, where_to), (_, expression) in zip(old, new, strict=True):
        if isinstance(where_to, (Name, Load)):
            s.assign(where_to, expression)


def _mentions(expression: Expr, names: set[str]) -> bool:
    return any(
        (isinstance(e, Name) and e.name in names) or (isinstance(e, Load) and e.array in names)
        for e in walk_expression(expression)
    )


def set_pointer(s: Scopes, symbol: PointerSymbol, value: PointerLike) -> None:
    """`p = value`: from here on, what p points to is known by what it was set to."""
    if isinstance(value, AddressOf):
        if isinstance(value.target, Element):
            subscripts = tuple(settled(s, e, symbol.name) for e in value.target.subscripts)
            value = AddressOf(replace(value.target, subscripts=subscripts))
        s.pointers[symbol.key] = value
        return
    prefix = tuple(settled(s, e, symbol.name) for e in value.prefix)
    if symbol.is_moving:
        s.assign(Name(symbol.offset), value.offset)
        offset: Expr = Name(symbol.offset)
    else:
        offset = settled(s, value.offset, symbol.name)
    s.pointers[symbol.key] = replace(value, prefix=prefix, offset=offset)


def settled(s: Scopes, expression: Expr, name: str) -> Expr:
    """The expression itself when it keeps its value for as long as the pointer lives, else a copy in a scalar."""
    for part in walk_expression(expression):
        if isinstance(part, Load) or (isinstance(part, Name) and not s.is_steady(part.name, part.name.split("#")[0])):
            return s.fresh(f"{name}_at", s.type_of(expression), expression)
    return expression


def step_pointer(s: Scopes, symbol: PointerSymbol, by: Expr, op: str, line: int | None) -> None:
    """`p += by` or `p -= by`"""
    value = s.pointer(symbol, line)
    if not isinstance(value, PointerValue):
        raise TaskError(f"{symbol.name} points to one variable and cannot step", line)
    s.assign(Name(symbol.offset), c_fold.times(by, value.step), op)


def struct_literal(s: Scopes, kind: StructType, init: c_ast.Node, line: int | None) -> StructValue:
    """`{1, 2}` or `{.y = 2}` as the value of a struct; fields that are not named are zero."""
    leaves = s.program.types.leaves(kind, line)
    values: dict[str, Expr] = {}
    at = 0
    for item in _flat(init, ""):
        path, node = item
        if path:
            at = next((i for i, (leaf, _) in enumerate(leaves) if leaf == path), len(leaves))
        if at >= len(leaves):
            raise TaskError(f"the initialiser does not fit struct {kind.name}", line)
        values[leaves[at][0]] = s.rvalue(node)
        at += 1
    return StructValue(kind, tuple((leaf, values.get(leaf, c_fold.ZERO)) for leaf, _ in leaves))


def _flat(node: c_ast.Node, path: str) -> list[tuple[str, c_ast.Node]]:
    if isinstance(node, c_ast.InitList):
        return [item for inner in node.exprs for item in _flat(inner, path)]
    if isinstance(node, c_ast.NamedInitializer):
        name = ".".join(part.name for part in node.name if isinstance(part, c_ast.ID))
        return _flat(node.expr, f"{path}.{name}" if path else name)
    return [(path, node)]
