"""The largest subscript of an access over all sizes, and accesses that surely leave their array for some size.

Subscripts that are affine go to isl, with their conditions; products of unknowns go by monotony, taking scalar
parameters as not negative. It says nothing of accesses whose subscript or condition comes from data.
"""

from __future__ import annotations

import islpy as isl

from cudaperf_magic.compiler.analysis.accesses import Access
from cudaperf_magic.compiler.analysis.affine import (
    Polynomial,
    add,
    expression_of,
    simplify,
)
from cudaperf_magic.compiler.analysis.formulas import Instance, Scope
from cudaperf_magic.compiler.analysis.monotony import highest
from cudaperf_magic.compiler.analysis.piece import Piece
from cudaperf_magic.compiler.analysis.presburger import limited
from cudaperf_magic.compiler.analysis.scalars import live_at_end
from cudaperf_magic.compiler.analysis.values import written_arrays
from cudaperf_magic.compiler.c_printer import print_expression
from cudaperf_magic.compiler.loops import Binary, Expr, Function, Name, Ternary, names_in

USUAL_SIZE = 8  # sizes from here on decide which case of a maximum is the general one


def _instance(piece: Piece, access: Access) -> Instance:
    scope = Scope(piece.typing, piece.typing.changing(piece.statements), written_arrays(piece.statements))
    instance = Instance(scope, {loop.var: f"i_{loop.var}" for loop in access.loops})
    for frame in access.frames:
        instance.enter(frame, is_outside=True)
    return instance


# ------------------------------------------------------------------------ largest


def largest(piece: Piece, access: Access) -> Expr | None:
    """The largest value of the (one) subscript, as an expression over scalar parameters; None when data decides it."""
    return _by_isl(piece, access) or _by_monotony(piece, access)


def _by_isl(piece: Piece, access: Access) -> Expr | None:
    instance = _instance(piece, access)
    value = instance.affine(access.subscripts[0])
    variables = [*instance.dims.values(), *instance.fresh]
    inner = " and ".join(f"({c})" for c in [*instance.scope.definitions, *instance.constraints, f"e = {value}"])
    where = f"exists ({', '.join(variables)} : {inner})" if variables else inner
    parameters = sorted(instance.scope.parameters)
    names = {f"p_{name.replace('.', '_')}": name for name in piece.typing.types}
    try:
        with limited():
            reached = isl.Set(f"[{', '.join(parameters)}] -> {{ [e] : {where} }}")
            usual = " and ".join(f"{p} >= {USUAL_SIZE}" for p in parameters) or "0 = 0"
            context = isl.Set(f"[{', '.join(parameters)}] -> {{ : {usual} }}")
            if reached.is_empty() or not reached.dim_has_upper_bound(isl.dim_type.set, 0):
                return None
            general = reached.intersect_params(context)
            top = (reached if general.is_empty() else general).dim_max(0)
            pieces = [(where, aff) for where, aff in top.coalesce().get_pieces()]
    except isl.Error:
        return None
    if not 1 <= len(pieces) <= 2:
        return None
    values = [_from_aff(aff, names) for _, aff in pieces]
    if any(v is None for v in values):
        return None
    first, *rest = [simplify(v) for v in values if v is not None]
    return first if not rest else Ternary(Binary(">", first, rest[0]), first, rest[0])


def _from_aff(aff: isl.Aff, names: dict[str, str]) -> Expr | None:
    """An isl affine expression in parameters alone, without divisions."""
    if aff.dim(isl.dim_type.div) or not aff.get_denominator_val().is_one():
        return None
    terms: Polynomial = {}
    for position in range(aff.dim(isl.dim_type.param)):
        coefficient = int(aff.get_coefficient_val(isl.dim_type.param, position).to_python())
        name = names.get(aff.get_dim_name(isl.dim_type.param, position) or "")
        if coefficient and name is None:
            return None
        if coefficient and name is not None:
            terms[(Name(name),)] = coefficient
    return expression_of(add(terms, {(): int(aff.get_constant_val().to_python())}))


def _by_monotony(piece: Piece, access: Access) -> Expr | None:
    terms = piece.typing.expand(access.subscripts[0])
    top = highest(terms, access.frames, piece.typing, piece.typing.changing(piece.statements))
    return None if top is None else expression_of(top)


# ------------------------------------------------------------------ out of bounds


def out_of_bounds(function: Function) -> tuple[tuple[int, str, str], ...]:
    """(line, array, sentence) of every access that is outside its declared shape for some sizes, whatever the data."""
    piece = Piece(function, function.body, live_at_end(function), {})
    found: dict[tuple[int, str, str], None] = {}
    for access in piece.accesses:
        shape = piece.typing.shapes.get(access.array)
        if not shape or not access.is_sure or len(shape) != len(access.subscripts):
            continue
        for subscript, extent in zip(access.subscripts, shape, strict=True):
            example = _example(piece, access, subscript, extent)
            if example is not None:
                spelled = print_expression(access.original)
                declared = access.array + "".join(f"[{print_expression(e)}]" for e in shape)
                sentence = f"line {access.line}: {spelled} is outside {declared}, for example with {example}"
                found[(access.line, access.array, sentence)] = None
                break
    return tuple(found)


def _example(piece: Piece, access: Access, subscript: Expr, extent: Expr) -> str | None:
    """Sizes and loop variables, as text, for which the subscript leaves the extent; None when it never surely does."""
    instance = _instance(piece, access)
    value, limit = instance.affine(subscript), instance.affine(extent)
    if not instance.is_exact:
        return None
    parameters = sorted(instance.scope.parameters)
    sizes = sorted(f"p_{name}" for e in piece.typing.shapes.values() for s in e or () for name in names_in(s))
    positive = [f"{p} >= 1" for p in dict.fromkeys(sizes) if p in parameters]
    inner = [*instance.scope.definitions, *instance.constraints, f"({value} < 0 or {value} >= {limit})", *positive]
    variables = [*parameters, *instance.dims.values()]
    where = " and ".join(f"({c})" for c in inner)
    if instance.fresh:
        where = f"exists ({', '.join(instance.fresh)} : {where})"
    try:
        with limited():
            outside = isl.Set(f"{{ [{', '.join(variables)}] : {where} }}")
            if outside.is_empty():
                return None
            near = outside.intersect(isl.Set(f"{{ [{', '.join(variables)}] : {_small(variables)} }}"))
            point = (outside if near.is_empty() else near.lexmin()).sample_point()
    except isl.Error:
        return None
    values = [int(point.get_coordinate_val(isl.dim_type.set, k).to_python()) for k in range(len(variables))]
    told = [f"{v.removeprefix('p_').removeprefix('i_')}={x}" for v, x in zip(variables, values, strict=True)]
    return ", ".join(told) or "any sizes"


def _small(variables: list[str]) -> str:
    return " and ".join(f"-100 <= {v} <= 100" for v in variables) or "0 = 0"
