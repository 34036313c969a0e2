"""Which box of an array a block of points reads: the tile that shared memory must hold.

Every subscript must be an integer combination of the block's variables (its axes, the tiled loop, inner loops of
constant range) plus a rest that all accesses share up to a constant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cudaperf_magic.compiler.analysis.affine import constant, expand, expression_of, integer, linear, simplify
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Const,
    Expr,
    Load,
    Loop,
    Name,
    Stmt,
    expressions,
    loops_of,
    names_in,
    walk,
    walk_expression,
)

Span = tuple[Expr, int]  # a variable's first value in the block, and how many values it takes


@dataclass(frozen=True)
class Footprint:
    """A box of one array: where it starts in each dimension, and how far it reaches.

    loads: those that stay in it. number: of the array's boxes, where its loads have several (`A[i][k] * A[j][k]`).
    """

    array: str
    origin: tuple[Expr, ...]
    extents: tuple[int, ...]
    varies_with: tuple[frozenset[str], ...]  # for each dimension, the block's variables that move it
    loads: frozenset[Load]
    number: int = 0

    @property
    def tile(self) -> str:
        """What the box is called in shared memory."""
        return f"{self.array}_tile{self.number + 1 if self.number else ''}"

    @property
    def elements(self) -> int:
        total = 1
        for extent in self.extents:
            total *= extent
        return total

    def within(self, load: Load) -> tuple[Expr, ...]:
        """The load's place in the tile."""
        pairs = zip(load.subscripts, self.origin, strict=True)
        return tuple(_difference(subscript, start) for subscript, start in pairs)


def footprints(
    array: str, statements: tuple[Stmt, ...], spans: dict[str, Span], own: frozenset[str] = frozenset()
) -> tuple[Footprint, ...]:
    """The box that all loads of the array in the statements stay in; one for each way to move where one is too few.

    Empty when a box has no constant size. own: further scalars whose values differ from thread to thread.
    """
    spans = spans | _inner_spans(statements, spans)
    loads = loads_of(array, statements)
    if not loads or any(load.field for load in loads):
        return ()
    if any(len(load.subscripts) != len(loads[0].subscripts) for load in loads):
        return ()
    whole = _footprint(array, loads, statements, spans, own)
    if whole is not None:
        return (whole,)
    alike: dict[object, list[Load]] = {}
    for load in loads:
        alike.setdefault(tuple(frozenset(names_in(s) & set(spans)) for s in load.subscripts), []).append(load)
    found = [_footprint(array, tuple(group), statements, spans, own) for group in alike.values()]
    if len(found) < 2:
        return ()
    made = tuple(replace(each, number=number) for number, each in enumerate(found) if each is not None)
    return made if len(made) == len(found) else ()


def _footprint(
    array: str, loads: tuple[Load, ...], statements: tuple[Stmt, ...], spans: dict[str, Span], own: frozenset[str]
) -> Footprint | None:
    rank = len(loads[0].subscripts)
    origin: list[Expr] = []
    extents: list[int] = []
    moved: list[frozenset[str]] = []
    for dimension in range(rank):
        box = _box(tuple(load.subscripts[dimension] for load in loads), spans)
        if box is None or _moves(box[0], statements, own):
            return None
        origin.append(box[0])
        extents.append(box[1])
        moved.append(box[2])
    return Footprint(array, tuple(origin), tuple(extents), tuple(moved), frozenset(loads))


def _moves(origin: Expr, statements: tuple[Stmt, ...], others: frozenset[str]) -> bool:
    """Whether a box starts somewhere that only the statements themselves, or a thread for itself, know."""
    own = others | usage(statements).assigned | {loop.var for loop in loops_of(statements)}
    return bool(names_in(origin) & own) or any(isinstance(part, Load) for part in walk_expression(origin))


def loads_of(array: str, statements: tuple[Stmt, ...]) -> tuple[Load, ...]:
    """Every element of the array that is read; places that are only written are not."""
    found: list[Load] = []
    for statement in walk(statements):
        for expression in expressions(statement):
            found += [e for e in walk_expression(expression) if isinstance(e, Load) and e.array == array]
        if isinstance(statement, Assign) and not statement.op and statement.target in found:
            found.remove(statement.target)
    return tuple(found)


def stores_of(array: str, statements: tuple[Stmt, ...]) -> tuple[Load, ...]:
    targets = [statement.target for statement in walk(statements) if isinstance(statement, Assign)]
    return tuple(target for target in targets if isinstance(target, Load) and target.array == array)


def planes_apart(array: str, statements: tuple[Stmt, ...]) -> bool:
    """Whether what is read and what is written differ in one subscript for certain: `u[t % 2]` and `u[(t + 1) % 2]`."""
    loads, stores = loads_of(array, statements), stores_of(array, statements)
    if not loads or not stores:
        return True
    moving = {loop.var for loop in loops_of(statements)}
    for dimension in range(len(loads[0].subscripts)):
        read = {load.subscripts[dimension] for load in loads}
        written = {store.subscripts[dimension] for store in stores}
        if len(read) == len(written) == 1:
            one, other = next(iter(read)), next(iter(written))
            if not (names_in(one) | names_in(other)) & moving and _differ(one, other):
                return True
    return False


def _differ(one: Expr, other: Expr) -> bool:
    match one, other:
        case Binary("%", left, Const() as period), Binary("%", right, Const() as same) if period == same:
            distance, turn = integer(simplify(Binary("-", left, right))), integer(period)
            return distance is not None and bool(turn) and distance % int(turn or 1) != 0
    distance = integer(simplify(Binary("-", one, other)))
    return distance is not None and distance != 0


def _inner_spans(statements: tuple[Stmt, ...], known: dict[str, Span]) -> dict[str, Span]:
    spans: dict[str, Span] = {}
    for loop in loops_of(statements):
        span = _constant_span(loop)
        if loop.var not in known and span is not None:
            spans[loop.var] = span
    return spans


def _constant_span(loop: Loop) -> Span | None:
    length = integer(simplify(Binary("-", loop.stop, loop.start)))
    if length is None or loop.step < 1 or length < 1:
        return None
    return loop.start, (length - 1) // loop.step * loop.step + 1


def _box(subscripts: tuple[Expr, ...], spans: dict[str, Span]) -> tuple[Expr, int, frozenset[str]] | None:
    """First index, number of indices, and the variables that move it, over all the subscripts of a dimension."""
    rests: list[Expr] = []
    coefficients: dict[str, int] | None = None
    for subscript in subscripts:
        parts = linear(subscript, spans)
        if parts is None:
            return None
        numbers: dict[str, int] = {}
        for name in parts.coefficients:
            number = parts.constant_coefficient(name)
            if number is None:
                return None
            if number:
                numbers[name] = number
        if coefficients is not None and numbers != coefficients:
            return None
        coefficients = numbers
        rests.append(parts.rest)
    distances = [integer(simplify(Binary("-", rest, rests[0]))) for rest in rests]
    known = [d for d in distances if d is not None]
    if len(known) != len(distances) or coefficients is None:
        return None
    start: Expr = Binary("+", rests[0], constant(min(known)))
    extent = max(known) - min(known) + 1
    for name, number in coefficients.items():
        first, count = spans[name]
        edge = first if number > 0 else Binary("+", first, Const(str(count - 1)))
        start = Binary("+", start, Binary("*", constant(number), edge))
        extent += abs(number) * (count - 1)
    return simplify(start), extent, frozenset(coefficients)


def _difference(subscript: Expr, start: Expr) -> Expr:
    """`i - i0 + 1` rather than `i - (i0 - 1)`."""
    written = simplify(Binary("-", subscript, start))
    collected = expression_of(expand(written))
    return collected if _parts(collected) <= _parts(written) else written


def _parts(expression: Expr) -> int:
    return sum(1 for _ in walk_expression(expression))


def mentions(expression: Expr, names: set[str]) -> bool:
    return any(isinstance(part, Name) and part.name in names for part in walk_expression(expression))
