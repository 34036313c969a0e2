"""Wavefronts: a nest of two sequential loops becomes a sequence of diagonals whose points are independent.

`wave` finds weights such that every dependence goes from a smaller `weight * i + weight * j` to a greater one; it asks
the exact analysis, so it holds for uniform distances (Gauss-Seidel, edit distance) and for triangles (chains of
products) alike. `skewed` writes the nest as a loop over diagonals around a loop over one diagonal's points.
"""

from __future__ import annotations

from cudaperf_magic.compiler.analysis.accesses import jumps
from cudaperf_magic.compiler.analysis.affine import constant, integer, simplify
from cudaperf_magic.compiler.analysis.bands import carries_scalar, pairs_of, ways
from cudaperf_magic.compiler.analysis.conflicts import earlier
from cudaperf_magic.compiler.analysis.dependence import Facts
from cudaperf_magic.compiler.analysis.values import assigned_names
from cudaperf_magic.compiler.fresh import taken_name
from cudaperf_magic.compiler.loops import (
    Binary,
    Break,
    Call,
    Const,
    Declare,
    Expr,
    If,
    Loop,
    Name,
    Return,
    Stmt,
    names_in,
)
from cudaperf_magic.compiler.lowering.grid import Boxes, all_of, extreme, value_range

WEIGHTS = ((1, 1), (2, 1), (1, 2), (3, 1), (1, 3))


def wave(facts: Facts, outer: Loop, inner: Loop) -> tuple[int, int] | None:
    """Coefficients of the two variables in the diagonal's number, or None when no small ones order everything."""
    piece = facts.piece
    loops = (outer, inner)
    if any(True for _ in jumps(inner.body, (Break, Return))) or any(carries_scalar(loop) for loop in loops):
        return None
    if assigned_names(outer.body) & piece.live_after[outer.label]:
        return None
    pairs = list(pairs_of(piece.inside(outer.label)))
    if not all(a.inside(inner.label) for pair in pairs for a in pair):
        return None
    region = piece.region(outer.label)
    steps = [1 if loop.step > 0 else -1 for loop in loops]
    for weights in WEIGHTS:
        a, b = (sign * weight for sign, weight in zip(steps, weights, strict=True))
        numbers = [f"{a} * {at}_{outer.var} + {b} * {at}_{inner.var}" for at in ("a", "b")]
        backwards = f"{numbers[1]} <= {numbers[0]}"
        if not any(region.meet(s, t, earlier(loops), backwards) for pair in pairs for s, t in ways(*pair)):
            return a, b
    return None


def skewed(outer: Loop, inner: Loop, weights: tuple[int, int], labels: set[str]) -> Loop | None:
    """The nest by diagonals; None when the diagonals' range is not known outside."""
    if abs(outer.step) != 1 or abs(inner.step) != 1:
        return None
    boxes: Boxes = {}
    for loop in (outer, inner):
        low = extreme(loop.start, boxes, want_low=loop.step > 0)
        high = extreme(loop.stop, boxes, want_low=loop.step < 0)
        if low is None or high is None:
            return None
        boxes[loop.var] = value_range(loop, low, high)
    by_var = dict(zip((outer.var, inner.var), weights, strict=True))
    solved = inner.var if abs(by_var[inner.var]) == 1 else outer.var
    if abs(by_var[solved]) != 1:
        return None
    free = outer if solved == inner.var else inner
    number = taken_name("diagonal", labels)
    total = Binary("+", _times(by_var[outer.var], outer.var), _times(by_var[inner.var], inner.var))
    first, last = extreme(total, boxes, want_low=True), extreme(total, boxes, want_low=False)
    if first is None or last is None:
        return None
    other = inner if solved == inner.var else outer
    sign = by_var[solved]
    value = simplify(_scaled(sign, Binary("-", Name(number), _times(by_var[free.var], free.var))))
    slope = by_var[free.var] * sign
    start, stop = _points(free, slope, _scaled(sign, Name(number)), boxes[solved], boxes[free.var])
    body: tuple[Stmt, ...] = (Declare(solved, other.type, init=value, line=other.line), *inner.body)
    is_rectangle = outer.var not in names_in(inner.start) | names_in(inner.stop)
    if abs(slope) != 1 or not is_rectangle:  # else the range of points says it all
        guard = all_of((*_within(other), *_within(free)))
        assert guard is not None
        body = (body[0], If(guard, inner.body, line=inner.line))
    points = Loop(free.var, start, stop, 1, body, taken_name(f"{free.var}_point", labels), free.type, free.line)
    stop_ = simplify(Binary("+", last, Const("1")))
    comment = outer.comment or f"One diagonal {number} = {_shown(by_var, outer.var, inner.var)} after the other."
    return Loop(number, first, stop_, 1, (points,), number, "int", outer.line, comment)


def _points(
    free: Loop, slope: int, number: Expr, solved: tuple[Expr, Expr], range_: tuple[Expr, Expr]
) -> tuple[Expr, Expr]:
    """First and end of the free variable on a diagonal: `solved = number - slope * free` stays in its range."""
    low, high = range_
    if slope == 1:
        first, last = Binary("-", number, solved[1]), Binary("-", number, solved[0])
    elif slope == -1:
        first, last = Binary("-", solved[0], number), Binary("-", solved[1], number)
    elif slope > 1 and (integer(low) or 0) >= 0 and integer(low) is not None:
        above = Binary("+", Binary("-", number, solved[1]), Const(str(slope - 1)))
        first = Binary("/", simplify(above), Const(str(slope)))  # rounding up: below zero the maximum takes over
        last = Binary("/", simplify(Binary("-", number, solved[0])), Const(str(slope)))
    else:
        return low, simplify(Binary("+", high, Const("1")))
    end = simplify(Binary("+", last, Const("1")))
    return Call("max", (low, simplify(first))), Call("min", (simplify(Binary("+", high, Const("1"))), end))


def _within(loop: Loop) -> tuple[Expr, Expr]:
    var = Name(loop.var)
    if loop.step > 0:
        return Binary(">=", var, loop.start), Binary("<", var, loop.stop)
    return Binary("<=", var, loop.start), Binary(">", var, loop.stop)


def _times(weight: int, var: str) -> Expr:
    return Binary("*", constant(weight), Name(var))


def _scaled(sign: int, expression: Expr) -> Expr:
    return expression if sign == 1 else Binary("*", constant(sign), expression)


def _shown(weights: dict[str, int], *names: str) -> str:
    parts = [
        f"{'-' if weights[n] < 0 else '+'} {'' if abs(weights[n]) == 1 else f'{abs(weights[n])} * '}{n}" for n in names
    ]
    return " ".join(parts).removeprefix("+ ")
