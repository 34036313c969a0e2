"""A nest whose threads each take a few neighbouring points along x and move their elements in one access.

Only elements at the point's own index, in a row or a flat array, travel as vectors, and the few that belong to a point
where they lie interleaved (r g b r g b); others stay as they are. Points at the end that do not fill a vector are done
one by one. Where rows must start aligned, moves/access.py has the host ask.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cudaperf_magic.compiler.analysis.affine import expand, expression_of, integer, linear, simplify
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.fresh import unused_name
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Call,
    Const,
    Declare,
    Evaluate,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Stmt,
    Symbols,
    Ternary,
    Unary,
    children,
    expressions,
    map_statement,
    names_in,
    substitute_expression,
    walk_expression,
)
from cudaperf_magic.compiler.lowering.footprint import loads_of, stores_of
from cudaperf_magic.compiler.lowering.grid import Axis, all_of, axes_of, ceil_div
from cudaperf_magic.compiler.lowering.kernel import Kernel, declared_locals
from cudaperf_magic.compiler.lowering.lower_map import own_index
from cudaperf_magic.compiler.lowering.snippets import BYTES, vector
from cudaperf_magic.compiler.program import Nest


@dataclass(frozen=True)
class Vector:
    """Elements that travel together: those at `element` for the thread's points, in the variable `register`.

    stride: how many neighbours each point has there, from `element` on; more than 1 only in what is read.
    """

    element: Load
    register: str
    is_loaded: bool
    is_stored: bool
    stride: int = 1

    def place(self, load: Load, lane: Name, var: str) -> Load:
        """Where an element is in the register."""
        if self.stride == 1:
            return Load(self.register, (lane,))
        parts = linear(load.subscripts[-1], (var,))
        assert parts is not None
        index = Binary("*", lane, Const(str(self.stride)))
        return Load(self.register, (simplify(Binary("+", index, parts.rest)),))


def lower_vector(nest: Nest, symbols: Symbols, host_names: set[str]) -> Kernel:
    """The kernel of a nest with `nest.vector` points a thread along x."""
    axes = axes_of(nest.loops, nest.axes)
    if axes is None:
        raise ValueError(f"{nest.name}: its loops have no bounds that the host knows")
    x, count = axes[0], nest.vector
    found = vectors(nest, symbols)
    own = {loop.var for loop in nest.loops}
    body = (*declared_locals(nest.body, symbols, host_names | own), *nest.body)
    first = unused_name(f"{x.loop.var}_first", set(symbols.types))
    snippets = {vector(symbols.types[v.element.array], count * v.stride) for v in found}
    made: tuple[Stmt, ...] = (
        If(
            Binary("<=", Binary("+", first, Const(str(count))), x.loop.stop),
            _together(body, found, first, x.loop, count, symbols),
            (replace(x.loop, start=first, body=body, comment="", pragma=""),),
        ),
    )
    made = (Declare(first.name, x.loop.type, init=own_index(x, count)), *made)
    for axis in axes[1:]:
        made = _guarded(axis, made)
    grid = [ceil_div(axis.count, width) for axis, width in zip(axes, nest.block, strict=True)]
    grid[0] = ceil_div(x.count, nest.block[0] * count)
    ordered = tuple(sorted(snippets, key=lambda snippet: snippet.name))
    return Kernel(nest, made, tuple(grid), nest.block, tuple(axis.count for axis in axes), ordered)


def _guarded(axis: Axis, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    condition = all_of(axis.guards)
    assert condition is not None
    return (Declare(axis.loop.var, axis.loop.type, init=own_index(axis)), If(condition, body))


def _together(
    body: tuple[Stmt, ...], found: tuple[Vector, ...], first: Name, loop: Loop, count: int, symbols: Symbols
) -> tuple[Stmt, ...]:
    lane = unused_name("v", set(symbols.types))
    places = {v.element: v for v in found if v.stride == 1}
    groups = {v.element.array: v for v in found if v.stride > 1}

    def in_register(expression: Expr) -> Expr:
        if not isinstance(expression, Load):
            return expression
        v = places.get(expression) or groups.get(expression.array)
        return expression if v is None else v.place(expression, lane, loop.var)

    def start(v: Vector) -> Expr:
        *outer, last = v.element.subscripts
        return Unary("&", replace(v.element, subscripts=(*outer, substitute_expression(last, {loop.var: first}))))

    loads: list[Stmt] = []
    for v in found:
        kind = vector(symbols.types[v.element.array], count * v.stride).name
        init = Call(f"load_x{count * v.stride}", (start(v),)) if v.is_loaded else None
        loads.append(Declare(v.register, kind, init=init))
    inside = tuple(map_statement(statement, in_register) for statement in body)
    index = Declare(loop.var, loop.type, init=Binary("+", first, lane))
    if loop.var in _read(inside):
        inside = (index, *inside)
    each = Loop(lane.name, Const("0"), Const(str(count)), 1, inside, f"{loop.label}_v", pragma="unroll")
    stores = tuple(Evaluate(Call(f"store_x{count}", (start(v), Name(v.register)))) for v in found if v.is_stored)
    return (*loads, each, *stores)


def _read(statements: tuple[Stmt, ...]) -> set[str]:
    return usage(statements).exposed


def vectors(nest: Nest, symbols: Symbols) -> tuple[Vector, ...]:
    """The elements of a nest that may travel as vectors: at the point's own x, touched by every point.

    A stored array travels only when all its accesses are that one element: then no other point meets it.
    """
    x = nest.loop(nest.axes[0])
    sure, moving = list(_sure_loads(nest.body)), usage(nest.body).assigned
    touched = usage(nest.body)
    surely_stored = {s.target for s in nest.body if isinstance(s, Assign) and isinstance(s.target, Load)}
    found: dict[Load, Vector] = {}
    taken = set(symbols.types)
    for element in dict.fromkeys((*sure, *(load for load in surely_stored if isinstance(load, Load)))):
        array = element.array
        if not _is_own(element, x.var, moving) or symbols.types.get(array) not in BYTES or array in touched.declared:
            continue
        is_stored = array in touched.stores
        touching = {*loads_of(array, nest.body), *stores_of(array, nest.body)}
        if is_stored and (element not in surely_stored or touching != {element}):
            continue
        register = unused_name(f"{array}_x{nest.vector}", taken)
        taken.add(register.name)
        found[element] = Vector(element, register.name, not is_stored or _reads_first(nest.body, element), is_stored)
    ordered = sorted(found.values(), key=lambda v: (v.is_stored, v.register))
    return (*_interleaved(nest, symbols, {load.array for load in sure}, taken), *ordered)


def _interleaved(nest: Nest, symbols: Symbols, sure: set[str], taken: set[str]) -> Iterator[Vector]:
    """Flat arrays that are only read, at a few neighbours for each point: `rgb[3 * i]`, `rgb[3 * i + 1]`, ..."""
    x, touched = nest.loop(nest.axes[0]), usage(nest.body)
    for array in sorted((touched.loads & sure) - touched.stores - touched.declared):
        if symbols.types.get(array) not in BYTES:
            continue
        loads = loads_of(array, nest.body)
        parts = [linear(load.subscripts[0], (x.var,)) for load in loads if len(load.subscripts) == 1 and not load.field]
        strides = {p.constant_coefficient(x.var) for p in parts if p is not None}
        offsets = [integer(p.rest) for p in parts if p is not None]
        stride = strides.pop() if len(strides) == 1 else None
        if stride is None or not 2 <= stride <= 4 or len(offsets) != len(loads):
            continue
        if all(offset is not None and 0 <= offset < stride for offset in offsets):
            register = unused_name(f"{array}_x{nest.vector * stride}", taken)
            taken.add(register.name)
            base = Binary("*", Const(str(stride)), Name(x.var))
            yield Vector(Load(array, (base,)), register.name, True, False, stride)


def _is_own(element: Load, var: str, moving: set[str]) -> bool:
    """Whether it is `A[...][x]` or `A[... + x]`, all else in the subscripts the same for all the thread's points."""
    *outer, last = element.subscripts
    parts = linear(last, (var,))
    if parts is None or parts.constant_coefficient(var) != 1 or element.field:
        return False
    for subscript in (*outer, parts.rest):
        if names_in(subscript) & (moving | {var}) or any(isinstance(e, Load) for e in walk_expression(subscript)):
            return False
    return True


def _sure_loads(body: tuple[Stmt, ...]) -> list[Load]:
    """Elements that every point reads, whatever the data."""
    found: list[Load] = []
    for statement in body:
        if isinstance(statement, Assign):
            found += _always(statement.value)
            if statement.op and isinstance(statement.target, Load):
                found.append(statement.target)
        else:
            for expression in expressions(statement):
                found += _always(expression)
    return found


def _always(expression: Expr) -> list[Load]:
    """Loads that evaluating the expression always does."""
    own = [expression] if isinstance(expression, Load) else []
    inside = children(expression)
    if isinstance(expression, Ternary) or (isinstance(expression, Binary) and expression.op in ("&&", "||")):
        inside = inside[:1]
    return [*own, *(load for child in inside for load in _always(child))]


def _reads_first(body: tuple[Stmt, ...], element: Load) -> bool:
    """Whether the element's old value may be wanted: it is read before its first sure store."""
    for statement in body:
        is_store = isinstance(statement, Assign) and statement.target == element
        if is_store and isinstance(statement, Assign):
            return bool(statement.op) or element in list(walk_expression(statement.value))
        if element in loads_of(element.array, (statement,)):
            return True
    return True


def _multiples(offset: Expr, variables: set[str], count: int, array: str) -> list[Expr]:
    """What must be a multiple of `count` so that an offset is one for all values of the points' variables.

    Raises:
        ValueError: a constant part is none.
    """
    wanted: list[Expr] = []
    for atoms, coefficient in expand(offset).items():
        if coefficient % count == 0:
            continue
        fixed = tuple(atom for atom in atoms if not names_in(atom) & variables)
        if not fixed:
            raise ValueError(f"elements of {array} do not start at multiples of {count}")
        wanted.append(expression_of({fixed: coefficient}))
    return wanted


def alignment(nest: Nest, symbols: Symbols) -> tuple[Expr, ...]:
    """The row lengths that `nest.vector` must divide so that every row starts aligned; constants that do are left out.

    Raises:
        ValueError: a constant row length does not divide.
    """
    wanted: list[Expr] = []
    variables = {loop.var for loop in nest.loops}
    for v in vectors(nest, symbols):
        parts = linear(v.element.subscripts[-1], (nest.loop(nest.axes[0]).var,))
        assert parts is not None
        wanted += _multiples(parts.rest, variables, nest.vector, v.element.array)
        if len(v.element.subscripts) == 1:
            continue
        row = (symbols.shapes.get(v.element.array) or ())[-1]
        known = integer(row)
        if known is None:
            wanted.append(row)
        elif known % nest.vector:
            raise ValueError(f"rows of {v.element.array} have {known} elements, which {nest.vector} does not divide")
    return tuple(dict.fromkeys(wanted))
