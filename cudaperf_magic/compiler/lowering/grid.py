"""Where a nest's points lie: the box that a grid must cover, and the index of a thread's own point."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cudaperf_magic.compiler.analysis.affine import constant, integer, is_extremum, linear, same, simplify
from cudaperf_magic.compiler.fresh import unused_name
from cudaperf_magic.compiler.loops import (
    Binary,
    Call,
    Const,
    Declare,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Ternary,
    names_in,
    walk_expression,
)

ZERO, ONE = Const("0"), Const("1")
Boxes = dict[str, tuple[Expr, Expr]]  # variable -> its smallest and largest value


@dataclass(frozen=True)
class Axis:
    """One parallel loop of a nest and its bounding range, in terms that the host knows.

    low, high: smallest value and the end (exclusive) over all points, for a step above zero; for a step below zero
    `low` is the first value and points go down to `high`. count: the most points along it. position: x, y or z.
    """

    loop: Loop
    low: Expr
    high: Expr
    position: str

    @property
    def count(self) -> Expr:
        step = self.loop.step
        length = Binary("-", self.high, self.low) if step > 0 else Binary("-", self.low, self.high)
        return ceil_div(simplify(length), abs(step))

    @property
    def guards(self) -> tuple[Expr, ...]:
        """What a thread must ask before it works on its point; the bound against the end comes last."""
        var = Name(self.loop.var)
        beyond: Expr = Binary("<" if self.loop.step > 0 else ">", var, self.loop.stop)
        if same(self.low, self.loop.start):
            return (beyond,)
        return (Binary(">=", var, self.loop.start), beyond)


def axes_of(loops: tuple[Loop, ...], order: tuple[str, ...]) -> tuple[Axis, ...] | None:
    """The axes, x first, of a band given outermost first; None when a bound cannot be known outside."""
    boxes: Boxes = {}
    axes: dict[str, Axis] = {}
    for loop in loops:
        low = extreme(loop.start, boxes, want_low=loop.step > 0)
        high = extreme(loop.stop, boxes, want_low=loop.step < 0)
        if low is None or high is None or (names_in(loop.start) & set(boxes) and loop.step != 1):
            return None
        axes[loop.label] = Axis(loop, low, high, "xyz"[order.index(loop.label)])
        boxes[loop.var] = value_range(loop, low, high)
    return tuple(axes[label] for label in order)


def value_range(loop: Loop, low: Expr, high: Expr) -> tuple[Expr, Expr]:
    """Smallest and largest value of a loop's variable, from its extreme start and end."""
    if loop.step > 0:
        return low, simplify(Binary("-", high, ONE))
    return simplify(Binary("+", high, ONE)), low


def extreme(expression: Expr, boxes: Boxes, want_low: bool) -> Expr | None:
    """The smallest (or largest) value of an expression over boxes of its variables, or a bound of it, as an expression.

    Takes linear expressions, and minima and maxima of them; None otherwise.
    """
    if any(isinstance(part, Load) for part in walk_expression(expression)):
        return None
    if not names_in(expression) & set(boxes):
        return expression
    if is_extremum(expression) and isinstance(expression, Call):
        sides = tuple(extreme(side, boxes, want_low) for side in expression.arguments)
        known = tuple(side for side in sides if side is not None)
        return Call(expression.function, known) if len(known) == len(sides) else None
    if isinstance(expression, Ternary):
        return _extreme_choice(expression, boxes, want_low)
    parts = linear(expression, boxes)
    if parts is None:
        return _extreme_sum(expression, boxes, want_low)
    total = parts.rest
    for name in parts.coefficients:
        coefficient = parts.constant_coefficient(name)
        if coefficient is None:
            return None
        end = boxes[name][0 if (coefficient > 0) == want_low else 1]
        total = Binary("+", total, Binary("*", constant(coefficient), end))
    return simplify(total)


def _extreme_sum(expression: Expr, boxes: Boxes, want_low: bool) -> Expr | None:
    """Of a sum with remainders in it: `x % 2` lies between -1 and 1."""
    match expression:
        case Binary("%", _, Const() as period) if (integer(period) or 0) > 0:
            reach = int(integer(period) or 1) - 1
            return constant(-reach if want_low else reach)
        case Binary("+", left, right):
            ends = extreme(left, boxes, want_low), extreme(right, boxes, want_low)
            return None if ends[0] is None or ends[1] is None else simplify(Binary("+", ends[0], ends[1]))
        case _:
            return None


def normalised(loop: Loop, around: tuple[Loop, ...], taken: set[str]) -> Loop | None:
    """A loop of another step than 1 whose start depends on loops around it, counted from 0; None for other loops.

    Its points are asked whether they lie before the end, for the count is the most that there may be.
    """
    if loop.step < 2 or not names_in(loop.start) & {outer.var for outer in around}:
        return None
    boxes: Boxes = {}
    for outer in around:
        low, high = extreme(outer.start, boxes, outer.step > 0), extreme(outer.stop, boxes, outer.step < 0)
        if low is None or high is None:
            return None
        boxes[outer.var] = value_range(outer, low, high)
    first, last = extreme(loop.start, boxes, True), extreme(loop.stop, boxes, False)
    if first is None or last is None:
        return None
    number = unused_name(f"{loop.var}_number", taken)
    index = Binary("+", loop.start, Binary("*", Const(str(loop.step)), number))
    inside = If(Binary("<", Name(loop.var), loop.stop), loop.body, line=loop.line)
    count = ceil_div(simplify(Binary("-", last, first)), loop.step)
    own = (Declare(loop.var, loop.type, init=index, line=loop.line), inside)
    return replace(loop, var=number.name, start=ZERO, stop=count, step=1, body=own)


def _extreme_choice(choice: Ternary, boxes: Boxes, want_low: bool) -> Expr | None:
    """`a < b ? a : b`: bounded by the extremes of both sides, whichever is taken."""
    condition = choice.condition
    if not (isinstance(condition, Binary) and condition.op in ("<", "<=", ">", ">=")):
        return None
    if {condition.left, condition.right} != {choice.then, choice.other}:
        return None
    takes_smaller = (condition.op in ("<", "<=")) == (condition.left == choice.then)
    then, other = extreme(choice.then, boxes, want_low), extreme(choice.other, boxes, want_low)
    if then is None or other is None:
        return None
    return Ternary(Binary("<" if takes_smaller else ">", then, other), then, other)


def ceil_div(count: Expr, by: int) -> Expr:
    """`(count + by - 1) / by`, for a count that is not negative."""
    if by == 1:
        return count
    known = integer(count)
    if known is not None:
        return Const(str(-(-known // by)))
    return Binary("/", simplify(Binary("+", count, Const(str(by - 1)))), Const(str(by)))


def ascending(loop: Loop) -> Loop:
    """A loop whose order is free, counting up when it counted down by one (`i > -1` is no bound for unsigned i)."""
    if loop.step != -1:
        return loop
    start, stop = (simplify(Binary("+", end, ONE)) for end in (loop.stop, loop.start))
    return replace(loop, start=start, stop=stop, step=1)


def block_index(position: str) -> Name:
    return Name(f"blockIdx.{position}")


def thread_index(position: str) -> Name:
    return Name(f"threadIdx.{position}")


def rank_in_block(block: tuple[int, ...]) -> Expr:
    """A thread's number in a block of that shape, x fastest."""
    rank: Expr = thread_index("x")
    stride = block[0]
    for number, width in enumerate(block[1:], start=1):
        if width > 1:
            part = Binary("*", thread_index("xyz"[number]), Const(str(stride)))
            rank = Binary("+", part, rank)
        stride *= width
    return rank


def shifted(low: Expr, offset: Expr) -> Expr:
    """`low + offset`, without a zero."""
    return offset if integer(low) == 0 else Binary("+", low, offset)


def all_of(conditions: tuple[Expr, ...]) -> Expr | None:
    """The conjunction; None for no condition."""
    result: Expr | None = None
    for condition in conditions:
        result = condition if result is None else Binary("&&", result, condition)
    return result
