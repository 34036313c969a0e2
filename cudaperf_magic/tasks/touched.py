"""How much of each array a C function surely reads and surely writes, whatever the data: what no kernel can do without.

"Surely" is a promise: what depends on values (a condition, an early exit, a subscript from an array) counts as nothing.
It runs nothing, and knows bytes only as shares of an array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from cudaperf_magic.compiler.analysis.accesses import Access
from cudaperf_magic.compiler.analysis.conflicts import Region
from cudaperf_magic.compiler.analysis.coverage import writes_all
from cudaperf_magic.compiler.analysis.piece import Piece
from cudaperf_magic.compiler.analysis.scalars import live_at_end
from cudaperf_magic.compiler.analysis.subscripts import split_shape
from cudaperf_magic.compiler.loops import Expr, Function, Load, Parameter, walk_expression
from cudaperf_magic.tasks.expressions import Unknown, value_of

MARGINS = (0, 1, 2, 4, 8)  # borders that a stencil leaves out


@dataclass(frozen=True)
class Touched:
    """Shares of an array's elements, from 0 to 1.

    read: surely read at some time. written: surely written. first_read: surely read before anything is written there.
    is_read, is_written: whether that may happen at all.
    """

    read: float = 0.0
    written: float = 0.0
    first_read: float = 0.0
    is_read: bool = True
    is_written: bool = True


def touched(function: Function, sizes: Mapping[str, int]) -> dict[str, Touched]:
    """Of each array parameter, by name, for these values of the integer scalars."""
    piece = Piece(function, function.body, live_at_end(function), {})
    return {p.name: _touched(piece, p, sizes) for p in function.parameters if p.is_array}


def _touched(piece: Piece, parameter: Parameter, sizes: Mapping[str, int]) -> Touched:
    members = [a for a in piece.accesses if a.array == parameter.name]
    reads = [a for a in members if not a.is_write]
    writes = [a for a in members if a.is_write]
    known = Touched(is_read=bool(reads), is_written=bool(writes))
    if not parameter.shape:
        return known
    # Of structs, the fields that are left out share their sectors with the others: all or nothing is counted.
    paths = _fields(piece.function, parameter.type)
    read, written = (
        min(_share(piece, parameter, [a for a in some if _holds(a.field, path)], sizes) for path in paths)
        for some in (reads, writes)
    )
    # Where each write is of an element's new value from its own old one, no element is lost before it is read.
    first = read if not writes else min(read, written) if all(_reads_itself(a) for a in writes) else 0.0
    return replace(known, read=read, written=written, first_read=first)


def _fields(function: Function, kind: str) -> list[str]:
    """Paths of a struct's plain fields; "" alone where it is none."""
    struct = next((s for s in function.structs if s.name == kind), None)
    if struct is None:
        return [""]
    inner = ((name, path) for name, type in struct.fields for path in _fields(function, type))
    return [f"{name}.{path}" if path else name for name, path in inner]


def _holds(accessed: str, path: str) -> bool:
    """Whether an access to a field, or to the whole element, touches a plain field."""
    return accessed in ("", path) or path.startswith(accessed + ".")


def _reads_itself(write: Access) -> bool:
    if write.update is not None:
        return True
    loads = () if write.stored is None else walk_expression(write.stored)
    return any(isinstance(load, Load) and load == write.original for load in loads)


def _share(piece: Piece, parameter: Parameter, found: Sequence[Access], sizes: Mapping[str, int]) -> float:
    """Of the array's elements, those that the accesses surely reach: all but a margin, or none."""
    shape = _shape(piece, parameter)
    if not found or shape is None:
        return 0.0
    region = Region(piece.typing, piece.shaped, (), piece.statements, {})
    asked = [replace(access, is_write=True) for access in found]
    for margin in MARGINS:
        if writes_all(region, asked, shape, margin, sizes):
            return _inside(shape, margin, sizes)
    return 0.0


def _shape(piece: Piece, parameter: Parameter) -> tuple[Expr, ...] | None:
    """With the dimensions by which the function walks the array, where it is declared flat."""
    shape = parameter.shape or ()
    strides = piece.shaped.strides.get(parameter.name)
    if not strides:
        return shape
    return split_shape(shape[0], strides) if len(shape) == 1 else None


def _inside(shape: Sequence[Expr], margin: int, sizes: Mapping[str, int]) -> float:
    if not margin:
        return 1.0
    try:
        extents = [int(value_of(extent, sizes)) for extent in shape]
    except Unknown:
        return 0.0
    return prod(max(0, extent - 2 * margin) / max(extent, 1) for extent in extents)
