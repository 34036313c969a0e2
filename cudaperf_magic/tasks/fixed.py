"""What dimensions that are numbers say of sizes: with `double A[120][120]` and a loop `i < n` over A[i][...], n is at
most 120. It looks at plain subscripts only; what it does not see, running the C on the inputs made finds out.
"""

from __future__ import annotations

from cudaperf_magic.compiler.analysis.affine import integer, linear, loads_in
from cudaperf_magic.compiler.loops import (
    Const,
    Expr,
    Function,
    Load,
    Loop,
    Name,
    Stmt,
    Symbols,
    expressions,
    names_in,
    walk,
)


def most_by_dimensions(function: Function) -> dict[str, int]:
    """For scalar parameters that end loops along fixed dimensions: the greatest value that stays inside."""
    scalars = {p.name for p in function.parameters if not p.is_array}
    constants = {name: Const(text).value for name, _, text in function.constants}
    shapes = Symbols.of(function).shapes
    found: dict[str, int] = {}
    for loop in (s for s in walk(function.body) if isinstance(s, Loop)):
        ending = _offset(loop.stop if loop.step > 0 else loop.start, scalars)
        if ending is None:
            continue
        name, beyond = ending
        last = beyond - 1 if loop.step > 0 else beyond
        for load in _loads(loop.body):
            for subscript, dimension in zip(load.subscripts, shapes.get(load.array) or (), strict=False):
                extent, place = _number(dimension, constants), _offset(subscript, {loop.var})
                if extent is not None and place is not None:
                    most = extent - 1 - place[1] - last
                    found[name] = min(found.get(name, most), most)
    return {name: most for name, most in found.items() if most > 0}


def _loads(body: tuple[Stmt, ...]) -> list[Load]:
    return [load for statement in walk(body) for e in expressions(statement) for load in loads_in(e)]


def _offset(expression: Expr, names: set[str]) -> tuple[str, int] | None:
    """`name + number` as its two parts, where the name is one of `names` and nothing else is in it."""
    inside = names_in(expression)
    if len(inside) != 1 or not inside <= names:
        return None
    (name,) = inside
    parts = linear(expression, (name,))
    rest = None if parts is None or parts.constant_coefficient(name) != 1 else integer(parts.rest)
    return None if rest is None else (name, rest)


def _number(dimension: Expr, constants: dict[str, int | float | None]) -> int | None:
    value = constants.get(dimension.name) if isinstance(dimension, Name) else integer(dimension)
    return value if isinstance(value, int) else None
