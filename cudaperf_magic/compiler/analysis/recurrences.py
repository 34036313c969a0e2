"""Sequential loops that a scan can do in parallel: running sums, first-order linear recurrences, stream compaction.

It recognises the loop; that nothing else crosses its iterations it takes from dependence.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from cudaperf_magic.compiler.analysis.affine import integer, loads_in, same
from cudaperf_magic.compiler.analysis.dependence import Facts
from cudaperf_magic.compiler.analysis.updates import Operator, Place, as_update, mentions, selection, update_of
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Comment,
    Const,
    Declare,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Stmt,
    Ternary,
    Unary,
    expressions,
    map_expression,
    names_in,
    walk,
)

NEUTRAL = {"+": Const("0"), "*": Const("1"), "|": Const("0"), "^": Const("0"), "||": Const("0"), "&&": Const("1")}


@dataclass(frozen=True)
class Output:
    """`place = value` in every iteration (or where `Scan.guard` holds); `value` reads the accumulator."""

    place: Load
    value: Expr
    line: int = 0


@dataclass(frozen=True)
class Scan:
    """A loop whose accumulator's every intermediate value is wanted; or only the last one, of a linear recurrence.

    kind "scan": `acc = acc (operator) element`. "linear": `acc = coefficient * acc + element`.
    "compact": `if (guard) { place[acc] = value; acc += 1; }`; its element is `guard ? 1 : 0`.
    accumulator: the scalar, or the element of the iteration before (`out[i - 1]`) when an array carries it.
    element, coefficient: what one iteration contributes, in terms of its own loop variable and of nothing it computes.
    inclusive: outputs see the accumulator after this iteration's update, else before it.
    initial: what the accumulator holds before the first iteration. direction: +1 or -1, the sign of the loop's step.
    is_live: a scalar accumulator's final value is read after the loop.
    """

    kind: Literal["scan", "linear", "compact"]
    operator: Operator
    accumulator: Place
    element: Expr
    outputs: tuple[Output, ...]
    inclusive: bool
    initial: Expr | None
    direction: int
    coefficient: Expr | None = None
    guard: Expr | None = None
    is_live: bool = False
    line: int = 0


def scan_of(loop: Loop, facts: Facts) -> Scan | None:
    """The loop as a scan, or None. Only loops that are sequential for this one accumulator are."""
    if loop.label not in facts.labels:
        return None
    verdict = facts.loop(loop.label)
    if verdict.kind != "sequential" or verdict.reductions or verdict.last_values:
        return None
    if any(d.kind == "control" for d in verdict.carried):
        return None
    arrays = {d.name for d in verdict.carried if d.name in facts.piece.typing.shapes}
    scalars = {d.name for d in verdict.carried} - arrays
    live = facts.piece.live_after[loop.label]
    if len(scalars) == 1 and not arrays:
        (name,) = scalars
        return _Body(loop, Name(name), name in live).scan()
    if len(scalars) == 1:
        (name,) = scalars
        return _compaction(loop, name, arrays, name in live)
    if len(arrays) == 1 and all(d.kind == "flow" and (d.distance or (0,))[0] == 1 for d in verdict.carried):
        return _array_scan(loop, next(iter(arrays)))
    return None


def _statements(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    return tuple(s for s in body if not isinstance(s, Comment))


@dataclass
class _Body:
    """A loop body read as temporaries, one update of the accumulator, and outputs."""

    loop: Loop
    accumulator: Place
    is_live: bool = False
    known: dict[Place, Expr] = field(default_factory=dict)
    outputs: list[Output] = field(default_factory=list)
    written: set[str] = field(default_factory=set)
    update: tuple[Expr, Expr | None, int] | None = None  # new value, guard, line
    before: int = 0  # outputs that stand before the update

    def scan(self) -> Scan | None:
        for statement in _statements(self.loop.body):
            if not self.take(statement):
                return None
        if self.update is None or self.before not in (0, len(self.outputs)):
            return None
        value, guard, line = self.update
        if guard is not None and mentions(guard, self.accumulator):
            return None
        return self.made(value, guard, line)

    def take(self, statement: Stmt) -> bool:
        match statement:
            case Declare(init=None, shape=()):
                return True
            case Declare(name=name, init=value, shape=()) if value is not None:
                return self.set(Name(name), value, None, statement.line)
            case Assign(target=target, op=op, value=value, line=line):
                new = Binary(op, target, value) if op else value
                return self.set(target, new, None, line)
            case If():
                return self.branch(statement)
        return False

    def branch(self, statement: If) -> bool:
        update = selection(statement)
        if update is not None and update.target == self.accumulator and not update.companions:
            inner = statement.then[0]
            chosen = Ternary(statement.condition, inner.value, self.accumulator) if isinstance(inner, Assign) else None
            return chosen is not None and update.guard is None and self.set(self.accumulator, chosen, None, update.line)
        body = _statements(statement.then)
        if statement.other or len(body) != 1 or not isinstance(body[0], Assign):
            return False
        only = body[0]
        if only.target != self.accumulator:
            return False
        value = Binary(only.op, only.target, only.value) if only.op else only.value
        return self.set(only.target, value, statement.condition, only.line)

    def set(self, place: Place, value: Expr, guard: Expr | None, line: int) -> bool:
        """Note `place = value`; False when the body stops being a scan with it."""
        inlined = self.inline(value, isinstance(place, Load) and place != self.accumulator)
        condition = None if guard is None else self.inline(guard)
        if inlined is None or (guard is not None and condition is None):
            return False
        if place == self.accumulator:
            if self.update is not None:
                return False
            self.update = (inlined, condition, line)
            self.before = len(self.outputs)
            return True
        if isinstance(place, Name):
            if place in self.known or (self.update is None and mentions(inlined, self.accumulator)):
                return False
            self.known[place] = inlined
            return True
        subscripts = [self.inline(s) for s in place.subscripts]
        if any(s is None or mentions(s, self.accumulator) for s in subscripts):
            return False
        target = Load(place.array, tuple(s for s in subscripts if s is not None), place.field)
        self.outputs.append(Output(target, inlined, line))
        self.known[place] = inlined
        self.written.add(place.array)
        return True

    def inline(self, expression: Expr, is_output: bool = False) -> Expr | None:
        """The expression without temporaries; None when it reads an element that an output has changed.

        A temporary that kept the old element will do for the update, whose elements are all read first, but not for
        an output, which is computed after the outputs before it.
        """

        def known(e: Expr) -> Expr:
            return self.known.get(e, e) if isinstance(e, (Name, Load)) else e

        result = map_expression(expression, known)
        read = loads_in(result) if is_output else [e for e in loads_in(expression) if e not in self.known]
        stale = {load.array for load in read} & self.written
        return None if stale and not isinstance(self.accumulator, Load) else result

    def made(self, value: Expr, guard: Expr | None, line: int) -> Scan | None:
        outputs = tuple(self.outputs)
        inclusive = self.before == 0
        recurrence = recurrence_of(self.accumulator, value, line)
        if recurrence is None:
            return None
        operator, element, coefficient = recurrence
        if not any(mentions(o.value, self.accumulator) for o in outputs) and (coefficient is None or not self.is_live):
            return None  # nobody wants more than the sum: a reduction, unless only a scan can compute it
        if guard is not None:
            neutral = NEUTRAL.get(operator)
            if neutral is None:
                return None
            element = Ternary(guard, element, neutral)
            coefficient = None if coefficient is None else Ternary(guard, coefficient, Const("1"))
        return Scan(
            "scan" if coefficient is None else "linear",
            operator,
            self.accumulator,
            element,
            outputs,
            inclusive,
            self.accumulator,
            1 if self.loop.step > 0 else -1,
            coefficient,
            None,
            self.is_live,
            line,
        )


# -------------------------------------------------------------------- the forms


def recurrence_of(place: Place, value: Expr, line: int) -> tuple[Operator, Expr, Expr | None] | None:
    """`place = value` as (operator, element, None), or as ("+", element, coefficient) of a linear recurrence."""
    update = as_update(place, value, line)
    if update is not None and update.guard is None:
        return update.operator, update.value, None
    if update is not None and update.guard is not None and update.operator in NEUTRAL:
        return update.operator, Ternary(update.guard, update.value, NEUTRAL[update.operator]), None
    parts = linear_in(value, place)
    if parts is None or parts[0] is None:
        return None
    coefficient, rest = parts
    return ("+", Const("0") if rest is None else rest, coefficient)


def linear_in(value: Expr, place: Place) -> tuple[Expr | None, Expr | None] | None:
    """`value` as coefficient * place + rest; None stands for a zero part; None alone when it is not linear."""
    if value == place:
        return Const("1"), None
    if not mentions(value, place):
        return None, value
    match value:
        case Unary("-", operand):
            parts = linear_in(operand, place)
            return None if parts is None else (_negated(parts[0]), _negated(parts[1]))
        case Binary("+" | "-" as op, left, right):
            first, second = linear_in(left, place), linear_in(right, place)
            if first is None or second is None:
                return None
            return _sum(op, first[0], second[0]), _sum(op, first[1], second[1])
        case Binary("*", left, right):
            factor, linear = (right, left) if mentions(left, place) else (left, right)
            parts = None if mentions(factor, place) else linear_in(linear, place)
            return None if parts is None else (_scaled(factor, parts[0]), _scaled(factor, parts[1]))
        case Binary("/", left, right) if not mentions(right, place) and integer(right) is None:
            parts = linear_in(left, place)
            return None if parts is None else (_over(parts[0], right), _over(parts[1], right))
    return None


def _negated(part: Expr | None) -> Expr | None:
    return None if part is None else Unary("-", part)


def _sum(op: str, left: Expr | None, right: Expr | None) -> Expr | None:
    if right is None:
        return left
    if left is None:
        return Unary("-", right) if op == "-" else right
    return Binary(op, left, right)


def _scaled(factor: Expr, part: Expr | None) -> Expr | None:
    if part is None:
        return None
    return factor if part == Const("1") else Binary("*", factor, part)


def _over(part: Expr | None, divisor: Expr) -> Expr | None:
    return None if part is None else Binary("/", part, divisor)


def _array_scan(loop: Loop, array: str) -> Scan | None:
    """`out[i] = out[i - 1] + x[i]`: the array itself carries the running value."""
    writes = [s for s in _statements(loop.body) if isinstance(s, Assign) and _is_of(s.target, array)]
    if len(writes) != 1 or abs(loop.step) != 1 or not isinstance(writes[0].target, Load):
        return None
    target = writes[0].target
    read = _moved(target, loop.var, Binary("-" if loop.step > 0 else "+", Name(loop.var), Const("1")))
    own = {load for s in _statements(loop.body) for load in _loads_of(s, array)} - {target}
    if len(own) != 1:
        return None
    (previous,) = own
    if len(previous.subscripts) != len(read.subscripts) or previous.field != target.field:
        return None
    if not all(same(a, b) for a, b in zip(previous.subscripts, read.subscripts, strict=True)):
        return None
    body = _Body(loop, previous)
    for statement in _statements(loop.body):
        if statement is writes[0]:
            value = body.inline(Binary(writes[0].op, target, writes[0].value) if writes[0].op else writes[0].value)
            if value is None:
                return None
            body.update = (value, None, writes[0].line)
            body.outputs.append(Output(target, previous, writes[0].line))
        elif body.update is not None or not body.take(statement):
            return None
    if len(body.outputs) != 1 or body.update is None:
        return None
    recurrence = recurrence_of(previous, body.update[0], body.update[2])
    parts = [] if recurrence is None else [e for e in recurrence[1:] if e is not None]
    # In place, `a[i] = a[i] + a[i - 1]`: each element is read before its own iteration overwrites it.
    if recurrence is None or any(load.array == array and load != target for e in parts for load in loads_in(e)):
        return None
    operator, element, coefficient = recurrence
    initial = _moved(previous, loop.var, loop.start)
    kind: Literal["scan", "linear"] = "scan" if coefficient is None else "linear"
    direction = 1 if loop.step > 0 else -1
    outputs, line = tuple(body.outputs), writes[0].line
    return Scan(kind, operator, previous, element, outputs, True, initial, direction, coefficient, line=line)


def _is_of(place: Place, array: str) -> bool:
    return isinstance(place, Load) and place.array == array


def _moved(load: Load, var: str, there: Expr) -> Load:
    moved = map_expression(load, lambda e: there if e == Name(var) else e)
    assert isinstance(moved, Load)
    return moved


def _loads_of(statement: Stmt, array: str) -> Iterator[Load]:
    for inner in walk((statement,)):
        for expression in expressions(inner):
            yield from (load for load in loads_in(expression) if load.array == array)


def _compaction(loop: Loop, name: str, arrays: set[str], is_live: bool) -> Scan | None:
    """`if (p) { out[c] = x[i]; c++; }`, the two in either order."""
    body = _Body(loop, Name(name))
    statements = _statements(loop.body)
    if not statements or not isinstance(statements[-1], If) or not all(body.take(s) for s in statements[:-1]):
        return None
    branch = statements[-1]
    inside = _statements(branch.then)
    if branch.other or body.update is not None or body.outputs or not inside:
        return None
    counts = [s for s in inside if isinstance(s, Assign) and s.target == Name(name)]
    stores = [s for s in inside if isinstance(s, Assign) and isinstance(s.target, Load)]
    if len(counts) != 1 or len(counts) + len(stores) != len(inside) or not stores:
        return None
    step = update_of(counts[0])
    guard = body.inline(branch.condition)
    if step is None or step.operator != "+" or integer(step.value) != 1 or guard is None:
        return None
    at = [inside.index(s) < inside.index(counts[0]) for s in stores]
    outputs = _compacted(body, stores, name)
    reads = [guard, *(o.value for o in outputs)]
    if len(set(at)) != 1 or len(outputs) != len(stores) or any(name in names_in(e) for e in reads):
        return None
    targets = {o.place.array for o in outputs}
    if not arrays <= targets or any(load.array in targets for e in reads for load in loads_in(e)):
        return None
    element = Ternary(guard, Const("1"), Const("0"))
    direction = 1 if loop.step > 0 else -1
    counter, inclusive = Name(name), not at[0]
    return Scan(
        "compact", "+", counter, element, outputs, inclusive, counter, direction, None, guard, is_live, branch.line
    )


def _compacted(body: _Body, stores: list[Assign], name: str) -> tuple[Output, ...]:
    """The stores whose one subscript is the counter, with or without something fixed added."""
    outputs = []
    for store in stores:
        value = body.inline(store.value)
        place = store.target
        if value is None or store.op or not isinstance(place, Load):
            continue
        moved = [s for s in place.subscripts if name in names_in(s)]
        if len(moved) == 1 and moved[0] == Name(name) and not any(loads_in(s) for s in place.subscripts):
            outputs.append(Output(place, value, store.line))
    return tuple(outputs)
