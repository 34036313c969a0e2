"""The arithmetic of counted loops: how often one runs, what its variable holds afterwards, what it held before.

Expressions only; c_counted.py decides which loops are counted.
"""

from __future__ import annotations

from dataclasses import replace

from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c.raw import AnyStmt, Body, assigned, is_unchanged, written_arrays
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Break,
    Const,
    Continue,
    Declare,
    Expr,
    Name,
    Return,
    Ternary,
    Unary,
    walk_expression,
)

INVERSE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def trip_fact(start: Expr, stop: Expr, step: int) -> Expr:
    """The condition under which a loop runs at all."""
    if step < 0 and c_fold.integer(stop) == -1:  # right for unsigned variables too, where start may be -1
        return Binary(">", c_fold.plus(start, c_fold.ONE), c_fold.ZERO)
    return Binary(">" if step > 0 else "<", stop, start)


def trip_count(start: Expr, stop: Expr, step: int) -> Expr:
    """How often a loop runs: 0 when it does not run at all."""
    distance = c_fold.minus(stop, start) if step > 0 else c_fold.minus(start, stop)
    size = abs(step)
    if size != 1:
        distance = Binary("/", c_fold.plus(distance, Const(str(size - 1))), Const(str(size)))
    known = c_fold.evaluate(distance, {})
    if isinstance(known, int):
        return Const(str(max(known, 0)))
    return Ternary(trip_fact(start, stop, step), distance, c_fold.ZERO)


def final_value(start: Expr, stop: Expr, step: int) -> Expr:
    """The variable after the last step."""
    if abs(step) == 1:
        a, b = c_fold.integer(start), c_fold.integer(stop)
        if a is not None and b is not None:
            return stop if (b > a) == (step > 0) and a != b else start
        return Ternary(trip_fact(start, stop, step), stop, start)
    return c_fold.plus(start, c_fold.times(trip_count(start, stop, step), Const(str(step))))


def followed(body: Body, rest: Body) -> Body:
    """The body and what comes after it, unless the body's last statement jumps away."""
    return body if body and isinstance(body[-1], (Break, Continue, Return)) else (*body, *rest)


def conjuncts(condition: Expr) -> list[Expr]:
    if isinstance(condition, Binary) and condition.op == "&&":
        return [*conjuncts(condition.left), *conjuncts(condition.right)]
    return [condition]


def inverted(condition: Expr) -> Expr:
    """`!condition`, as a person would write it; == and != are exact for floats too, < is not (NaN)."""
    if isinstance(condition, Binary) and condition.op in ("==", "!="):
        return replace(condition, op=INVERSE[condition.op])
    if isinstance(condition, Unary) and condition.op == "!":
        return condition.operand
    return Unary("!", condition)


def entry_value(var: str, earlier: list[AnyStmt]) -> Expr | None:
    """What a scalar holds after these statements, when an assignment in the same list says so and it still holds."""
    for at in range(len(earlier) - 1, -1, -1):
        statement = earlier[at]
        value = None
        if isinstance(statement, Declare) and statement.name == var:
            value = statement.init
        elif isinstance(statement, Assign) and statement.target == Name(var) and statement.op == "":
            value = statement.value
        elif assigned((statement,))[var] == 0:
            continue
        if value is None or Name(var) in walk_expression(value):
            return None
        between = earlier[at + 1 :]
        return value if is_unchanged(value, assigned(between), written_arrays(between)) else None
    return None
