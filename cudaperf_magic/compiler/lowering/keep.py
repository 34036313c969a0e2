"""An array element that a loop updates in every iteration lives in a register while the loop runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.loops import (
    Assign,
    Declare,
    Expr,
    Load,
    Loop,
    Name,
    Stmt,
    expressions,
    loops_of,
    map_statement,
    names_in,
    walk,
    walk_expression,
)


def kept_in_register(
    body: tuple[Stmt, ...],
    loop: Loop,
    types: Mapping[str, str],
    is_apart: Callable[[str, Collection[Load]], bool] = lambda array, loads: False,
) -> tuple[Stmt, ...]:
    """`for k: C[i][j] += ...` becomes load, loop on a scalar, store; unchanged where another access may alias.

    The load before is a read that the C makes too, in the loop's first iteration; with no iteration the store writes
    back what was read. is_apart: whether these other elements of the array are sure to be none that is written.
    """
    target = _fixed_target(loop, is_apart)
    if target is None or target.field or target.array not in types:
        return body
    name = f"{target.array}_own"
    changed = map_statement(loop, lambda e: Name(name) if e == target else e)
    at = body.index(loop)
    load = Declare(name, types[target.array], init=target, line=loop.line)
    store = Assign(target, "", Name(name), loop.line)
    return (*body[:at], load, changed, store, *body[at + 1 :])


def _fixed_target(loop: Loop, is_apart: Callable[[str, Collection[Load]], bool]) -> Load | None:
    """The one element that the loop writes, when it does not move and no other access to its array may meet it."""
    stores = [s.target for s in walk(loop.body) if isinstance(s, Assign) and isinstance(s.target, Load)]
    if not stores or any(store != stores[0] for store in stores):
        return None
    target = stores[0]
    moving = {inner.var for inner in loops_of((loop,))} | usage(loop.body).assigned
    if any(names_in(subscript) & moving for subscript in target.subscripts):
        return None
    others = {load for load in _loads(loop.body) if load.array == target.array and load != target}
    return None if others and not is_apart(target.array, others) else target


def _loads(statements: tuple[Stmt, ...]) -> list[Load]:
    found: list[Load] = []
    for statement in walk(statements):
        for expression in expressions(statement):
            found += _in(expression)
    return found


def _in(expression: Expr) -> list[Load]:
    return [part for part in walk_expression(expression) if isinstance(part, Load)]
