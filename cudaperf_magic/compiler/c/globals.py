"""File-scope variables and initialised tables, found when a function first uses them.

Arrays that nothing writes become Tables, others parameters (`is_global`). A written scalar is an array of one element.
"""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast

from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c.program import Program
from cudaperf_magic.compiler.c.scope import (
    ArrayInfo,
    ArraySymbol,
    Element,
    PointerValue,
    ScalarSymbol,
    Scopes,
    Symbol,
)
from cudaperf_magic.compiler.c.syntax import where
from cudaperf_magic.compiler.c.types import SIZES, Array, CType, Pointer, Scalar, StructType
from cudaperf_magic.compiler.loops import Cast, Const, Expr, Name, Parameter, Table, walk_expression
from cudaperf_magic.errors import TaskError


def find(s: Scopes, name: str, line: int | None) -> Symbol | None:
    """The symbol of a global, recorded as used; None when there is none of this name."""
    declaration = s.program.globals.get(name)
    if declaration is None:
        return None
    kind = s.program.types.resolve(declaration.type, name)
    at = where(declaration).line or 0
    is_const = "const" in declaration.quals or (isinstance(kind, Array) and kind.is_const)
    if isinstance(kind, Scalar):
        return _scalar(s, declaration, kind, at)
    if isinstance(kind, StructType):
        info = ArrayInfo(name, kind, (c_fold.ONE,))
        _add_parameter(s, Parameter(name, kind.name, (c_fold.ONE,), is_global=True, line=at), kind, line)
        return Element(info, (c_fold.ZERO,), "", kind)
    if isinstance(kind, Pointer):
        if not isinstance(kind.target, (Scalar, StructType)):
            raise TaskError(f"{name} is a pointer to pointers; write it as a matrix, float {name}[n][m]", line)
        parameter = Parameter(name, _name_of(kind.target), None, kind.is_const, is_global=True, line=at)
        _add_parameter(s, parameter, kind.target, line)
        return ArraySymbol(PointerValue(ArrayInfo(name, kind.target, None, kind.is_const)), kind)
    if isinstance(kind, Array):
        return _array(s, declaration, kind, is_const, at)
    return None


def _scalar(s: Scopes, declaration: c_ast.Decl, kind: Scalar, at: int) -> Symbol:
    name = declaration.name
    init = s.program.constant_expression(declaration.init) if declaration.init is not None else None
    _use_constants(s.program, init)
    s.types[name] = kind.name
    if name in s.program.written:
        s.program.uses.parameters[name] = Parameter(name, kind.name, (c_fold.ONE,), is_global=True, init=init, line=at)
        return Element(ArrayInfo(name, kind, (c_fold.ONE,)), (c_fold.ZERO,), "", kind)
    s.program.uses.parameters[name] = Parameter(name, kind.name, is_global=True, init=init, line=at)
    return ScalarSymbol(Name(name), kind.name, "const" in declaration.quals)


def _array(s: Scopes, declaration: c_ast.Decl, kind: Array, is_const: bool, at: int) -> Symbol:
    name = declaration.name
    element, extents = unfold(kind)
    shape = tuple(_extent(s.program, e, declaration, i == 0, at) for i, e in enumerate(extents))
    info = ArrayInfo(name, element, shape, is_const)
    symbol = ArraySymbol(PointerValue(info, (), c_fold.ZERO, shape[1:]), kind)
    is_table = declaration.init is not None and (is_const or name not in s.program.written)
    if is_table and isinstance(element, Scalar):
        sizes = tuple(_size(s.program, e, at) for e in shape)
        if name not in s.program.uses.tables:
            values = Initialiser(element.name, sizes, s.program).elements(declaration.init)
            for value in values:
                _use_constants(s.program, value)
            s.program.uses.tables[name] = Table(name, element.name, sizes, tuple(values))
        s.types[name] = element.name
        return symbol
    for extent in shape:
        _use_constants(s.program, extent)
    parameter = Parameter(name, _name_of(element), shape, is_const, is_global=True, line=at)
    _add_parameter(s, parameter, element, at)
    return symbol


def _name_of(kind: CType) -> str:
    return kind.name if isinstance(kind, (Scalar, StructType)) else "?"


def _add_parameter(s: Scopes, parameter: Parameter, element: CType, line: int | None) -> None:
    s.program.uses.parameters[parameter.name] = parameter
    note_types(s, parameter.name, element, line)


def note_types(s: Scopes, array: str, element: CType, line: int | None) -> None:
    """Record the element types of an array for type_of, and that its struct is used."""
    if isinstance(element, Scalar):
        s.types[array] = element.name
        return
    for path, kind in s.program.types.leaves(element, line):
        s.types[f"{array}.{path}"] = kind
    if isinstance(element, StructType):
        use_struct(s.program, element)


def use_struct(program: Program, kind: StructType) -> None:
    for _, inner in program.types.structs[kind.name]:
        if isinstance(inner, StructType):
            use_struct(program, inner)
    program.uses.structs[kind.name] = None


def unfold(kind: CType) -> tuple[CType, list[c_ast.Node | None]]:
    """The element type of nested arrays, and their extents."""
    extents: list[c_ast.Node | None] = []
    while isinstance(kind, Array):
        extents.append(kind.extent)
        kind = kind.element
    return kind, extents


def _extent(program: Program, node: c_ast.Node | None, declaration: c_ast.Decl, is_first: bool, at: int) -> Expr:
    if node is not None:
        return program.constant_expression(node)
    if is_first and declaration.init is not None:
        return Const(str(length(declaration.init)))
    raise TaskError(f"{declaration.name} has no size; write it between the brackets", at)


def length(init: c_ast.Node) -> int:
    """How many elements an initialiser gives its outermost dimension."""
    if isinstance(init, c_ast.InitList):
        return len(init.exprs)
    return len(text_of(init)) + 1


def _size(program: Program, extent: Expr, line: int | None) -> int:
    value = c_fold.evaluate(extent, program.constant_values)
    if not isinstance(value, int) or value <= 0:
        raise TaskError("the size of this table is not a positive constant", line)
    return value


def _use_constants(program: Program, expression: Expr | None) -> None:
    for part in walk_expression(expression) if expression is not None else ():
        if isinstance(part, Name) and part.name in program.constants:
            program.uses.constants[part.name] = None


# --------------------------------------------------------------- initialisers


def text_of(node: c_ast.Node) -> list[int]:
    """The character codes of a string literal, without the closing zero."""
    text = str(node.value)
    if not text.startswith('"'):
        raise TaskError("wide strings cannot be translated", where(node).line)
    joined = "".join(text[1:-1].split('" "')).replace('""', "")
    return [code - 256 if code > 127 else code for code in joined.encode().decode("unicode_escape").encode("latin-1")]


def text_table(s: Scopes, node: c_ast.Node) -> PointerValue:
    """A string literal in an expression: a table of its own."""
    codes = [*text_of(node), 0]
    name = s.unique("text")
    s.program.uses.tables[name] = Table(name, "char", (len(codes),), tuple(Const(str(code)) for code in codes))
    s.types[name] = "char"
    return PointerValue(ArrayInfo(name, Scalar("char"), (Const(str(len(codes))),), True))


@dataclass
class Initialiser:
    """`{...}` of an array, flattened in row-major order; what is left out is zero. `s` reads local initialisers."""

    type: str
    sizes: tuple[int, ...]
    program: Program
    s: Scopes | None = None

    def elements(self, init: c_ast.Node) -> list[Expr]:
        total = 1
        for size in self.sizes:
            total *= size
        if total > 1 << 20:
            raise TaskError("this table is too large to be written out", where(init).line)
        result: list[Expr] = [zero(self.type)] * total
        self._fill(init, self.sizes, result, 0)
        return result

    def _fill(self, init: c_ast.Node, sizes: tuple[int, ...], result: list[Expr], base: int) -> None:
        line = where(init).line
        if isinstance(init, c_ast.Constant) and str(init.value).endswith('"'):
            for at, code in enumerate(text_of(init)[: sizes[-1]]):
                result[base + at] = Const(str(code))
            return
        if not isinstance(init, c_ast.InitList):
            raise TaskError("an array is initialised with { and }", line)
        inner = 1
        for size in sizes[1:]:
            inner *= size
        cursor = 0
        for item in init.exprs:
            if isinstance(item, c_ast.NamedInitializer):
                cursor, item = self._designated(item) * inner, item.expr
            is_row = isinstance(item, c_ast.InitList) or (len(sizes) > 1 and getattr(item, "type", "") == "string")
            if is_row and len(sizes) > 1:
                self._fill(item, sizes[1:], result, base + cursor)
                cursor += inner
                continue
            if isinstance(item, c_ast.InitList):
                item = item.exprs[0]
            if base + cursor >= len(result) or cursor >= inner * sizes[0]:
                raise TaskError("there are more initial values than elements", where(item).line or line)
            result[base + cursor] = self._element(item)
            cursor += 1

    def _designated(self, item: c_ast.NamedInitializer) -> int:
        designator = item.name[0]
        index = getattr(designator, "expr", designator)
        at = c_fold.evaluate(self.program.constant_expression(index), self.program.constant_values)
        if not isinstance(at, int) or not 0 <= at < self.sizes[0] or len(item.name) > 1:
            raise TaskError("this designator does not fit the array", where(item).line)
        return at

    def _element(self, node: c_ast.Node) -> Expr:
        value = self.s.rvalue(node) if self.s is not None else self.program.constant_expression(node)
        return fitted(value, self.type, self.program)


def zero(kind: str) -> Const:
    return {"float": Const("0.0f", "float"), "double": Const("0.0", "double"), "bool": Const("false", "bool")}.get(
        kind, c_fold.ZERO
    )


def fitted(value: Expr, kind: str, program: Program) -> Expr:
    """An initial value that C++ takes between braces, where it forbids narrowing."""
    known = c_fold.evaluate(value, program.constant_values)
    if kind in ("float", "double") and isinstance(known, (int, float)) and abs(known) < 1 << 24:
        return value
    if isinstance(known, int) and kind in SIZES and kind not in ("float", "double", "bool"):
        bits = 8 * SIZES[kind]
        low, high = (0, 1 << bits) if kind.startswith("unsigned") else (-1 << (bits - 1), 1 << (bits - 1))
        if low <= known < high:
            return value
    if isinstance(value, Const) and value.type == kind:
        return value
    return Cast(kind, value)
