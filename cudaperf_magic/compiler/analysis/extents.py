"""How large arrays must be, from the elements that a function touches; what integer arrays index; who is out of bounds.

Extents are expressions over the function's scalar parameters, for sizes that are not negative. What cannot be told
(an index that comes from data) is absent, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from cudaperf_magic.compiler.analysis.accesses import Access
from cudaperf_magic.compiler.analysis.affine import (
    INTEGER_TYPES,
    Polynomial,
    add,
    expand,
    expression_of,
    integer,
    linear,
    loads_in,
    multiply,
    simplify,
)
from cudaperf_magic.compiler.analysis.bounds import largest, out_of_bounds
from cudaperf_magic.compiler.analysis.piece import Piece
from cudaperf_magic.compiler.analysis.roles import roles
from cudaperf_magic.compiler.analysis.scalars import live_at_end
from cudaperf_magic.compiler.analysis.values import settled_values
from cudaperf_magic.compiler.loops import (
    Binary,
    Const,
    Expr,
    Function,
    Load,
    Loop,
    Name,
    Ternary,
    map_expression,
    names_in,
)

__all__ = ["IndexUse", "extents", "out_of_bounds", "roles", "subscript_uses"]


@dataclass(frozen=True)
class IndexUse:
    """An integer array whose values select elements of `indexes`, which has `extent` of them (None: not known).

    "ascending": its neighbouring values bound a loop, as the row pointers of a sparse matrix do; they go from 0 to the
    extent inclusive. "any": its values are subscripts, from 0 to below the extent.
    """

    indexes: str
    extent: Expr | None
    order: Literal["any", "ascending"] = "any"


def extents(function: Function, given: Mapping[str, tuple[Expr, ...]] | None = None) -> dict[str, tuple[Expr, ...]]:
    """Extents of the arrays that the signature leaves open and `given` does not settle."""
    known = given or {}
    piece = Piece(function, function.body, live_at_end(function), {})
    found: dict[str, tuple[Expr, ...]] = {}
    for parameter in function.parameters:
        if parameter.shape is None and parameter.name not in known:
            extent = _extent(piece, [a for a in piece.accesses if a.array == parameter.name])
            extent = None if extent is None else _in_parameters(extent, function)
            if extent is not None:
                found[parameter.name] = (extent,)
    return found


def _in_parameters(extent: Expr, function: Function) -> Expr | None:
    """The extent with the function's own once-set locals replaced; None when it needs anything else."""
    values = settled_values(function.body)
    for _ in range(4):  # locals set from locals
        extent = map_expression(extent, lambda e: values.get(e.name, e) if isinstance(e, Name) else e)
    known = {p.name for p in function.parameters if not p.is_array} | {name for name, _, _ in function.constants}
    return None if names_in(extent) - known or loads_in(extent) else simplify(extent)


def _extent(piece: Piece, members: list[Access]) -> Expr | None:
    """One more than the largest subscript; accesses whose subscript comes from data say nothing."""
    candidates: list[Polynomial] = []
    others: list[Expr] = []
    for access in members:
        if len(access.subscripts) != 1:
            return None
        top = _top_of_rows(piece, access) or largest(piece, access)
        if top is not None:
            more = simplify(Binary("+", top, Const("1")))
            (others.append(more) if isinstance(top, Ternary) else candidates.append(expand(more)))
        elif not any(loads_in(e) for e in access.subscripts) and not names_in(access.subscripts[0]):
            return None
    kept: list[Polynomial] = []
    for candidate in candidates:
        if not any(_covers(other, candidate) for other in kept):
            kept = [other for other in kept if not _covers(candidate, other)] + [candidate]
    whole = [expression_of(k) for k in kept] + [e for e in dict.fromkeys(others)]
    if not whole or len(whole) > 3:
        return None
    extent = whole[0]
    for other in whole[1:]:
        extent = Ternary(Binary(">", extent, other), extent, other)
    return extent


def _top_of_rows(piece: Piece, access: Access) -> Expr | None:
    """Of a flat array walked as rows: the last element of the last row that is touched."""
    strides = piece.shaped.strides.get(access.array)
    if not strides:
        return None
    split = piece.shaped.subscripts(access)
    row = largest(piece, replace(access, subscripts=split[:1]))
    if row is None or isinstance(row, Ternary) or split[-1] == Const("0"):
        return None
    rows = add(expand(row), {(): 1})
    return expression_of(add(multiply(rows, {strides[0].symbols: strides[0].factor}), {(): -1}))


def _covers(larger: Polynomial, smaller: Polynomial) -> bool:
    """Whether the first is at least the second for all values of their names from 1 on."""
    shifted: Polynomial = {}
    for monomial, coefficient in add(larger, smaller, -1).items():
        moved: Polynomial = {(): coefficient}
        for atom in monomial:
            moved = multiply(moved, {(atom,): 1, (): 1})
        shifted = add(shifted, moved)
    return all(coefficient >= 0 for coefficient in shifted.values())


# ------------------------------------------------------------------ index arrays


def subscript_uses(function: Function, given: Mapping[str, tuple[Expr, ...]] | None = None) -> dict[str, IndexUse]:
    """What each integer array that serves as a subscript, or bounds a loop, selects from."""
    piece = Piece(function, function.body, live_at_end(function), {})
    shapes: dict[str, tuple[Expr, ...]] = {p.name: p.shape for p in function.parameters if p.shape}
    shapes |= {t.name: tuple(Const(str(e)) for e in t.shape) for t in function.tables}
    shapes |= extents(function, given) | dict(given or {})
    found: dict[str, IndexUse] = {}
    for name, use in (*_subscripts(piece, shapes), *_pointers(piece, shapes)):
        known = found.get(name)
        # Several uses: the row-pointer reading is the stricter one, then the first whose extent is known.
        if known is None or (known.order == "any" and use.order == "ascending") or known.extent is None:
            found[name] = use
    return found


def _subscripts(piece: Piece, shapes: Mapping[str, tuple[Expr, ...]]) -> Iterable[tuple[str, IndexUse]]:
    for access in piece.accesses:
        shape = shapes.get(access.array)
        for position, subscript in enumerate(access.subscripts):
            for load in loads_in(subscript):
                if not _is_index(piece, load):
                    continue
                extent = shape[position] if shape and position < len(shape) else None
                yield load.array, IndexUse(access.array, _selectable(piece, subscript, load, extent))


def _selectable(piece: Piece, subscript: Expr, load: Load, extent: Expr | None) -> Expr | None:
    """How many values `load` may take so that `coefficient * load + rest` stays below the extent."""
    if extent is None:
        return None
    terms = expand(subscript)
    coefficient = terms.pop((load,), None)
    if coefficient is None or coefficient <= 0 or any(load in loads_in(a) for m in terms for a in m):
        return None
    room = add(expand(extent), _top(piece, terms), -1)
    if coefficient == 1:
        return expression_of(room)
    room = add(room, {(): coefficient - 1})
    return simplify(Binary("/", expression_of(room), Const(str(coefficient))))


def _top(piece: Piece, terms: Polynomial) -> Polynomial:
    """The rest of a subscript at its largest; what is not known counts as nothing."""
    fixed = {m: c for m, c in terms.items() if not any(loads_in(a) for a in m)}
    variables = {loop.var: loop for loop in _loops(piece)}
    total: Polynomial = {}
    for monomial, coefficient in fixed.items():
        value: Polynomial = {(): coefficient}
        for atom in monomial:
            loop = variables.get(atom.name) if isinstance(atom, Name) else None
            last: Polynomial = {(atom,): 1} if loop is None else add(expand(loop.stop), {(): -1})
            value = multiply(value, last if coefficient > 0 or loop is None else expand(loop.start))
        total = add(total, value)
    return total


def _loops(piece: Piece) -> Iterable[Loop]:
    return (piece.tree(label) for label in piece.labels)


def _pointers(piece: Piece, shapes: Mapping[str, tuple[Expr, ...]]) -> Iterable[tuple[str, IndexUse]]:
    """Arrays p of loops `for (k = p[i]; k < p[i + 1]; k++)`, with what k selects."""
    for label in piece.labels:
        frame = piece.around[label][-1]
        for load in {*_bound_loads(frame.start), *_bound_loads(frame.stop)}:
            if not _is_index(piece, load) or frame.loop is None:
                continue
            order: Literal["any", "ascending"] = "ascending" if _are_neighbours(frame.start, frame.stop) else "any"
            for access in piece.accesses:
                if not access.inside(label):
                    continue
                for position, subscript in enumerate(access.subscripts):
                    moved = linear(subscript, (frame.loop.var,))
                    if moved is not None and moved.constant_coefficient(frame.loop.var) == 1:
                        shape = shapes.get(access.array)
                        extent = shape[position] if shape and position < len(shape) else None
                        yield load.array, IndexUse(access.array, extent, order)


def _bound_loads(bound: Expr | None) -> tuple[Load, ...]:
    return () if bound is None else loads_in(bound)


def _are_neighbours(start: Expr | None, stop: Expr | None) -> bool:
    if not isinstance(start, Load) or not isinstance(stop, Load) or start.array != stop.array:
        return False
    if len(start.subscripts) != 1 or len(stop.subscripts) != 1:
        return False
    apart = add(expand(stop.subscripts[0]), expand(start.subscripts[0]), -1)
    return integer(expression_of(apart)) == 1


def _is_index(piece: Piece, load: Load) -> bool:
    parameter = piece.function.parameter(load.array)
    is_read_only = not any(a.is_write and a.array == load.array for a in piece.accesses)
    return parameter is not None and piece.typing.type_of_load(load) in INTEGER_TYPES and is_read_only
