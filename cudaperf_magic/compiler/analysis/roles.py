"""Which parameters a function only reads, only writes, or both.

"out" is a promise: every element of the declared extent is written, before any read of it, whatever the sizes and data.
"""

from __future__ import annotations

from cudaperf_magic.compiler.analysis.accesses import Access
from cudaperf_magic.compiler.analysis.conflicts import Region
from cudaperf_magic.compiler.analysis.coverage import are_covered, writes_all
from cudaperf_magic.compiler.analysis.piece import Piece
from cudaperf_magic.compiler.analysis.scalars import exposure, live_at_end
from cudaperf_magic.compiler.analysis.subscripts import split_shape
from cudaperf_magic.compiler.analysis.values import assigned_names
from cudaperf_magic.compiler.loops import Function, Parameter
from cudaperf_magic.records import Role


def roles(function: Function) -> dict[str, Role]:
    """The role of every parameter. A scalar passed by value is "in" even when the function changes its copy."""
    piece = Piece(function, function.body, live_at_end(function), {})
    seen = exposure(function.body)
    changed = assigned_names(function.body)
    found: dict[str, Role] = {}
    for parameter in function.parameters:
        if parameter.is_array:
            found[parameter.name] = _array_role(piece, parameter)
        elif parameter.is_global and parameter.name in changed:
            is_set = parameter.name in seen.defined and parameter.name not in seen.exposed
            found[parameter.name] = "out" if is_set else "inout"
        else:
            found[parameter.name] = "in"
    return found


def _array_role(piece: Piece, parameter: Parameter) -> Role:
    members = [a for a in piece.accesses if a.array == parameter.name]
    if not any(a.is_write for a in members):
        return "in"
    if not parameter.shape:
        return "inout"
    return "out" if all(_is_filled(piece, parameter, part) for part in _parts(piece, parameter, members)) else "inout"


def _parts(piece: Piece, parameter: Parameter, members: list[Access]) -> list[list[Access]]:
    """The accesses to each plain field of a struct; to the elements themselves when they are no structs."""
    structs = {s.name: s.fields for s in piece.function.structs}
    paths = [""]
    if parameter.type in structs:
        paths = _leaves(structs, parameter.type)
    return [[a for a in members if a.field in ("", path) or path.startswith(a.field + ".")] for path in paths]


def _leaves(structs: dict[str, tuple[tuple[str, str], ...]], type: str) -> list[str]:
    found: list[str] = []
    for name, kind in structs[type]:
        inner = _leaves(structs, kind) if kind in structs else []
        found.extend(f"{name}.{path}" for path in inner)
        if not inner:
            found.append(name)
    return found


def _is_filled(piece: Piece, parameter: Parameter, members: list[Access]) -> bool:
    shape = parameter.shape or ()
    strides = piece.shaped.strides.get(parameter.name)
    if strides:
        split = split_shape(shape[0], strides) if len(shape) == 1 else None
        if split is None:
            return False
        shape = split
    region = Region(piece.typing, piece.shaped, (), piece.statements, {})
    return are_covered(region, members) and writes_all(region, members, shape)
