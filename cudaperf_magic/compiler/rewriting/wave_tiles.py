"""Wavefronts by tiles: a launch for each diagonal of tiles, in the place of one for each diagonal of points.

waves.py has written a nest as a loop over diagonals `i + j` around their points. Where every dependence points forward
in i and in j, squares of points may go as one: tiles of a diagonal side by side, and inside a tile its own diagonals,
one after the other. It recovers the ranges from the form that waves.py writes, and returns None for any other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cudaperf_magic.compiler.analysis.affine import same, simplify
from cudaperf_magic.compiler.analysis.bands import pairs_of, ways
from cudaperf_magic.compiler.analysis.conflicts import earlier
from cudaperf_magic.compiler.analysis.dependence import Facts
from cudaperf_magic.compiler.fresh import taken_name
from cudaperf_magic.compiler.loops import (
    Binary,
    Call,
    Comment,
    Const,
    Declare,
    Expr,
    If,
    Loop,
    Name,
    Stmt,
    names_in,
)
from cudaperf_magic.compiler.lowering.grid import shifted

SENTENCE = "Tiles of {size} by {size} points, a diagonal of tiles a launch; in a tile, one diagonal after the other."


@dataclass(frozen=True)
class Front:
    """A loop over diagonals `row + column`: the variables, and the first and last value of each."""

    loop: Loop
    points: Loop
    column: Declare
    rows: tuple[Expr, Expr]
    columns: tuple[Expr, Expr]

    @property
    def body(self) -> tuple[Stmt, ...]:
        return self.points.body[1:]


def front_of(loop: Loop) -> Front | None:
    """The front that a loop walks, when it has the form of waves.py with weights of 1; None otherwise."""
    inside = [s for s in loop.body if not isinstance(s, Comment)]
    if loop.step != 1 or len(inside) != 1 or not isinstance(inside[0], Loop) or not inside[0].body:
        return None
    points, column = inside[0], inside[0].body[0]
    number, row = Name(loop.var), Name(points.var)
    if not isinstance(column, Declare) or column.init is None or points.step != 1:
        return None
    if not same(column.init, Binary("-", number, row)):
        return None
    starts, stops = _apart(points.start, "max", loop.var), _apart(points.stop, "min", loop.var)
    if starts is None or stops is None:
        return None
    last_row = simplify(Binary("-", stops[0], Const("1")))
    last_column = simplify(Binary("-", number, starts[1]))
    first_column = simplify(Binary("-", Binary("+", number, Const("1")), stops[1]))
    if loop.var in names_in(last_column) | names_in(first_column):
        return None
    return Front(loop, points, column, (starts[0], last_row), (first_column, last_column))


def _apart(bound: Expr, function: str, number: str) -> tuple[Expr, Expr] | None:
    """The two sides of a bound: the one that is the same on all diagonals, and the one that is not."""
    if not isinstance(bound, Call) or bound.function != function or len(bound.arguments) != 2:
        return None
    fixed, moving = sorted(bound.arguments, key=lambda side: number in names_in(side))
    return (fixed, moving) if number in names_in(moving) and number not in names_in(fixed) else None


def points_forward(front: Front, facts: Facts) -> bool:
    """Whether every dependence goes to the same row or a later one, and to the same column or a later one."""
    label, row, number = front.loop.label, front.points.var, front.loop.var
    region = facts.piece.region(label)
    back = f"b_{row} < a_{row} or b_{number} - b_{row} < a_{number} - a_{row}"
    pairs = list(pairs_of(facts.piece.inside(label)))
    if not all(access.inside(front.points.label) for pair in pairs for access in pair):
        return False
    order = earlier((front.loop, front.points))
    return not any(region.meet(source, sink, order, back) for pair in pairs for source, sink in ways(*pair))


def tiled(front: Front, size: int, taken: set[str], labels: set[str]) -> Loop:
    """The front by tiles of `size` by `size` points. That it points forward is the caller's to know."""
    names = {n: Name(taken_name(n, taken)) for n in ("front", "tile_row", "step", "point")}
    edge, row = Const(str(size)), front.points.var
    (top, bottom), (left, right) = front.rows, front.columns
    tiles_down, tiles_across = _tiles(top, bottom, size), _tiles(left, right, size)
    tile_column = Binary("-", names["front"], names["tile_row"])
    own_row = shifted(top, Binary("+", Binary("*", names["tile_row"], edge), names["point"]))
    along = Binary("-", names["step"], names["point"])
    own_column = shifted(left, Binary("+", Binary("*", tile_column, edge), along))
    inside = Binary("&&", Binary("<=", Name(row), bottom), Binary("<=", Name(front.column.name), right))
    body: tuple[Stmt, ...] = (
        Declare(row, front.points.type, init=own_row),
        replace(front.column, init=own_column),
        If(inside, front.body, line=front.loop.line),
    )
    point = _loop(names["point"], *_diagonal(names["step"], size), body, front, labels)
    step = _loop(names["step"], Const("0"), Const(str(2 * size - 1)), (point,), front, labels)
    first = Call("max", (Const("0"), simplify(Binary("-", names["front"], Binary("-", tiles_across, Const("1"))))))
    stop = Call("min", (tiles_down, simplify(Binary("+", names["front"], Const("1")))))
    tile = _loop(names["tile_row"], first, stop, (step,), front, labels)
    fronts = simplify(Binary("-", Binary("+", tiles_down, tiles_across), Const("1")))
    return replace(
        _loop(names["front"], Const("0"), fronts, (tile,), front, labels), comment=SENTENCE.format(size=size)
    )


def _diagonal(step: Name, size: int) -> tuple[Expr, Expr]:
    """First and end of the points of a tile on its own diagonal number `step`."""
    first = Call("max", (Const("0"), Binary("-", step, Const(str(size - 1)))))
    return first, Call("min", (Const(str(size)), Binary("+", step, Const("1"))))


def _loop(var: Name, start: Expr, stop: Expr, body: tuple[Stmt, ...], front: Front, labels: set[str]) -> Loop:
    return Loop(var.name, start, stop, 1, body, taken_name(var.name, labels), "int", front.loop.line)


def _tiles(first: Expr, last: Expr, size: int) -> Expr:
    """How many tiles cover a range; none for an empty one."""
    span = simplify(Binary("+", Binary("-", last, first), Const(str(size))))
    return Binary("/", span, Const(str(size)))
