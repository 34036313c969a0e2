"""The edge of a tiled loop: whether its last, partly filled tile needs a condition. It decides, and prints nothing."""

from __future__ import annotations

from collections.abc import Mapping

from cudaperf_magic.compiler.analysis.affine import same
from cudaperf_magic.compiler.analysis.updates import update_of
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Comment,
    Expr,
    Load,
    Loop,
    Unary,
    names_in,
    substitute_expression,
)
from cudaperf_magic.compiler.lowering.footprint import Footprint

FACTOR_OPERATORS = {"*"}


def adds_zero(
    loop: Loop,
    prints: list[Footprint],
    shapes: Mapping[str, tuple[Expr, ...] | None],
    cut: frozenset[str] = frozenset(),
) -> bool:
    """Whether iterations past the end only add products of zeros: then the edge needs no condition.

    All statements must be `s += product` with at least two staged factors that move with the loop (zero times zero,
    not zero times an infinity that is really there), along dimensions that end where the loop ends: what an array
    still holds past it is no zero. cut: arrays whose tiles are zero past the loop's end, whatever the array holds.
    """
    staged = {found.array for found in prints if any(loop.var in moved for moved in found.varies_with)}
    for statement in loop.body:
        if isinstance(statement, Comment):
            continue
        update = update_of(statement) if isinstance(statement, Assign) else None
        if update is None or update.operator not in ("+", "-") or update.guard is not None:
            return False
        factors = list(_factors(update.value))
        moving = [f for f in factors if loop.var in names_in(f)]
        if len(moving) < 2 or not all(
            isinstance(f, Load)
            and f.array in staged
            and (f.array in cut or _ends_with(loop, f, shapes.get(f.array) or ()))
            for f in moving
        ):
            return False
    return True


def _ends_with(loop: Loop, load: Load, shape: tuple[Expr, ...]) -> bool:
    """Whether the iteration after the last would be past the end of a dimension."""
    moving = [(s, e) for s, e in zip(load.subscripts, shape, strict=False) if loop.var in names_in(s)]
    return any(same(substitute_expression(subscript, {loop.var: loop.stop}), extent) for subscript, extent in moving)


def _factors(expression: Expr) -> list[Expr]:
    if isinstance(expression, Unary) and expression.op == "-":
        return _factors(expression.operand)
    if isinstance(expression, Binary) and expression.op in FACTOR_OPERATORS:
        return _factors(expression.left) + _factors(expression.right)
    return [expression]
