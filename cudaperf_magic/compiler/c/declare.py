"""Declarations of locals and parameters -> symbols, and the statements that initialise them."""

from __future__ import annotations

from pycparser import c_ast

from cudaperf_magic.compiler.c import expressions as c_expressions
from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c import globals as c_globals
from cudaperf_magic.compiler.c import places as c_places
from cudaperf_magic.compiler.c.scope import (
    ArrayInfo,
    ArraySymbol,
    PointerSymbol,
    PointerValue,
    ScalarSymbol,
    Scopes,
    StructPlace,
    Symbol,
)
from cudaperf_magic.compiler.c.syntax import where
from cudaperf_magic.compiler.c.types import FLOATS, Array, CType, FunctionType, Pointer, Scalar, StructType
from cudaperf_magic.compiler.loops import Const, Declare, Expr, Name, Parameter, Table, map_expression
from cudaperf_magic.errors import TaskError


def declare(s: Scopes, node: c_ast.Decl) -> None:
    """One local declaration."""
    line = where(node).line
    s.line = line or s.line
    if isinstance(node.type, c_ast.FuncDecl) or "extern" in node.storage:
        return
    kind = s.program.types.resolve(node.type, node.name or "")
    if node.name is None:
        return
    if any(word in node.storage for word in ("static", "_Thread_local")):
        if isinstance(kind, Array) and kind.is_const and node.init is not None:
            _static_table(s, node, kind, line)
            return
        if "const" not in node.quals or node.init is None:
            sentence = f"static {node.name} keeps its value between calls, which cannot be translated; pass it in"
            raise TaskError(sentence, line)
    match kind:
        case Scalar("void"):
            raise TaskError(f"{node.name} has type void", line)
        case Scalar(name):
            value = _initial(s, node)
            symbol = ScalarSymbol(s.fresh(node.name, name, value), name, "const" in node.quals)
            s.declare(node.name, symbol)
        case StructType():
            _struct(s, node, kind, line)
        case Array():
            _array(s, node, kind, line)
        case Pointer():
            _pointer(s, node, kind, line)
        case FunctionType():
            return


def _initial(s: Scopes, node: c_ast.Decl) -> Expr | None:
    init = node.init
    if isinstance(init, c_ast.InitList) and len(init.exprs) == 1:
        init = init.exprs[0]
    return None if init is None else s.rvalue(init)


def _struct(s: Scopes, node: c_ast.Decl, kind: StructType, line: int | None) -> None:
    if isinstance(node.init, c_ast.InitList):
        value = c_places.struct_literal(s, kind, node.init, line)
        place = struct_variable(s, node.name, kind, [e for _, e in value.leaves], line)
    elif node.init is not None:
        leaves = c_places.leaf_values(s, s.value(node.init), line)
        place = struct_variable(s, node.name, kind, [e for _, e in leaves], line)
    else:
        place = struct_variable(s, node.name, kind, None, line)
    s.declare(node.name, place)


def struct_variable(s: Scopes, name: str, kind: StructType, values: list[Expr] | None, line: int | None) -> StructPlace:
    """A scalar for each leaf of a struct."""
    fields: list[tuple[str, ScalarSymbol]] = []
    leaves = s.program.types.leaves(kind, line)
    if values is not None and len(values) != len(leaves):
        raise TaskError("the two structs are of different types", line)
    for at, (path, leaf) in enumerate(leaves):
        value = None if values is None else values[at]
        scalar = s.fresh(f"{name}_{path.replace('.', '_')}", leaf, value)
        s.unsteady.add(scalar.name)
        fields.append((path, ScalarSymbol(scalar, leaf)))
    return StructPlace(tuple(fields), "", kind)


def _array(s: Scopes, node: c_ast.Decl, kind: Array, line: int | None) -> None:
    element, extents = c_globals.unfold(kind)
    if not isinstance(element, (Scalar, StructType)):
        raise TaskError(f"{node.name} is an array of pointers; use a matrix or an array of indices", line)
    shape: list[Expr] = []
    for at, extent in enumerate(extents):
        if extent is None and (at > 0 or node.init is None):
            raise TaskError(f"{node.name} has no size; write it between the brackets", line)
        value = Const(str(c_globals.length(node.init))) if extent is None else s.rvalue(extent)
        known = c_fold.evaluate(value, s.program.constant_values)
        value = Const(str(known)) if isinstance(known, int) else value
        shape.append(c_places.settled(s, value, f"{node.name}_size"))
    name = s.unique(node.name)
    table: tuple[Expr, ...] = ()
    if node.init is not None:
        sizes = [c_fold.evaluate(e, s.program.constant_values) for e in shape]
        if not isinstance(element, Scalar) or not all(isinstance(size, int) and size > 0 for size in sizes):
            raise TaskError(f"{node.name} cannot be initialised here; assign its elements in a loop", line)
        whole = tuple(int(size) for size in sizes if size is not None)
        table = tuple(c_globals.Initialiser(element.name, whole, s.program, s).elements(node.init))
    s.emit(Declare(name, element.name, tuple(shape), None, table, line or 0))
    c_globals.note_types(s, name, element, line)
    info = ArrayInfo(name, element, tuple(shape), kind.is_const)
    s.declare(node.name, ArraySymbol(PointerValue(info, (), c_fold.ZERO, tuple(shape[1:])), kind))


def _static_table(s: Scopes, node: c_ast.Decl, kind: Array, line: int | None) -> None:
    """A static const array of a function is a table of the file."""
    element, extents = c_globals.unfold(kind)
    if not isinstance(element, Scalar):
        raise TaskError(f"{node.name} is a table of structs; use one table for each field", line)
    shape = [Const(str(c_globals.length(node.init))) if e is None else s.rvalue(e) for e in extents]
    sizes = [c_fold.evaluate(e, s.program.constant_values) for e in shape]
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise TaskError(f"the size of {node.name} is not a positive constant", line)
    whole = tuple(int(size) for size in sizes if size is not None)
    name = s.program.uses.local_tables.setdefault(id(node), s.unique(node.name))
    values = tuple(c_globals.Initialiser(element.name, whole, s.program, s).elements(node.init))
    s.program.uses.tables[name] = Table(name, element.name, whole, values)
    s.types[name] = element.name
    info = ArrayInfo(name, element, tuple(shape), True)
    s.declare(node.name, ArraySymbol(PointerValue(info, (), c_fold.ZERO, tuple(shape[1:])), kind))


def _pointer(s: Scopes, node: c_ast.Decl, kind: Pointer, line: int | None) -> None:
    symbol = pointer_variable(s, node.name, kind, line)
    s.declare(node.name, symbol)
    if node.init is not None:
        value = s.value(node.init)
        if isinstance(value, PointerValue):
            c_places.set_pointer(s, symbol, c_expressions.viewed(s, value, kind, line))
        else:
            c_places.set_pointer(s, symbol, c_places.pointer(s, node.init))


def pointer_variable(s: Scopes, name: str, kind: Pointer, line: int | None) -> PointerSymbol:
    """A pointer that points nowhere yet; the offset of one that steps is an integer variable."""
    if isinstance(kind.target, FunctionType):
        raise TaskError(f"{name} is a function pointer, which cannot be translated; call the function by name", line)
    if isinstance(kind.target, Pointer):
        raise TaskError(f"{name} is a pointer to pointers; write it as a matrix, float {name}[n][m]", line)
    symbol = PointerSymbol(s.unique(name), kind.target, name, name in s.moving)
    if symbol.is_moving:
        s.types[symbol.offset] = s.offset_type
        s.unsteady.add(symbol.offset)
        s.managed.add(symbol.offset)
        s.emit(Declare(symbol.offset, s.offset_type, line=line or 0))
    return symbol


# ----------------------------------------------------------------- parameters


def parameter(s: Scopes, name: str, kind: CType, node: c_ast.Decl, function_line: int) -> Parameter:
    """A parameter of the entry function or of a helper: its symbol is declared, its IR returned."""
    line = where(node).line or function_line
    unique = s.unique(name)
    match kind:
        case Scalar(spelling):
            s.types[unique] = spelling
            symbol: Symbol = ScalarSymbol(Name(unique), spelling, "const" in node.quals)
            if name in s.modified:
                suffix = "now" if spelling in FLOATS else "left"
                copy = s.fresh(f"{name}_{suffix}", spelling, Name(unique))
                s.managed.add(copy.name)
                s.originals[copy.name] = Name(unique)
                symbol = ScalarSymbol(copy, spelling)
            s.declare(name, symbol)
            return Parameter(unique, spelling, line=line)
        case StructType():
            advice = f"pass its fields, or a pointer: const struct {kind.name} *{name}"
            raise TaskError(f"{name} is a struct passed by value, which cannot be translated; {advice}", line)
        case Pointer() | Array():
            return _array_parameter(s, name, unique, kind, line)
    raise TaskError(f"parameter {name} cannot be translated", line)


def _extent(s: Scopes, node: c_ast.Node) -> Expr:
    """An extent in terms of the parameters as they are passed, also when the body changes its copies."""
    return map_expression(s.rvalue(node), lambda e: s.originals.get(e.name, e) if isinstance(e, Name) else e)


def _array_parameter(s: Scopes, name: str, unique: str, kind: Pointer | Array, line: int) -> Parameter:
    element, extents = c_globals.unfold(kind if isinstance(kind, Array) else Array(kind.target, None))
    if isinstance(element, (Pointer, FunctionType)):
        raise TaskError(f"{name} is a pointer to pointers; write it as a matrix, float {name}[n][m]", line)
    if element == Scalar("void"):
        raise TaskError(f"{name} is void *, which has no element type; write the type", line)
    if not isinstance(element, (Scalar, StructType)):
        raise TaskError(f"parameter {name} cannot be translated", line)
    inner = [_extent(s, extent) for extent in extents[1:] if extent is not None]
    if len(inner) != len(extents) - 1:
        raise TaskError(f"only the first size of {name} can be left out", line)
    dims = (_extent(s, extents[0]), *inner) if extents[0] is not None else None
    info = ArrayInfo(unique, element, dims, kind.is_const)
    c_globals.note_types(s, unique, element, line)
    value = PointerValue(info, (), c_fold.ZERO, tuple(inner))
    if name in s.modified:
        symbol = pointer_variable(s, name, Pointer(element), line)
        c_places.set_pointer(s, symbol, value)
        s.declare(name, symbol)
    else:
        s.declare(name, ArraySymbol(value, kind))
    return Parameter(unique, element.name, dims, kind.is_const, kind.is_restrict, line=line)
