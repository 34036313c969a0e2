"""A reduction dealt out to a team: every thread its own part, the parts combined, everybody told."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cudaperf_magic.compiler.analysis.dependence import LoopFacts
from cudaperf_magic.compiler.analysis.reductions import Reduction
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Call,
    Const,
    Declare,
    Evaluate,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Stmt,
    Symbols,
    While,
    map_statement,
    substitute_expression,
)
from cudaperf_magic.compiler.lowering.atomics import without_atomic
from cudaperf_magic.compiler.lowering.snippets import SMALL, Snippet, arg_reducer, neutral, reducer, wide


@dataclass
class Part:
    """One accumulator: the thread's own `part` stands in for `target` inside the loop."""

    target: Name | Load
    operator: str
    type: str
    part: str
    start: Expr
    index: Name | None = None  # arg-min and arg-max: where the best is kept
    index_part: str = ""
    index_type: str = ""
    first_wins: bool = True
    compared: Expr | None = None  # arg by index: the value at the part's index
    store: Expr | None = None  # a constant that is stored once anything was found

    def reducer(self, scope: str, style: str) -> Snippet:
        if self.operator in ("argmin", "argmax"):
            return arg_reducer(self.operator, self.type, self.index_type, scope, self.first_wins)
        return reducer(self.operator, self.type, scope, style)


@dataclass
class Parts:
    loop: Loop
    parts: list[Part]
    scattered: frozenset[str] = frozenset()
    stores: set[str] = field(default_factory=set)

    @property
    def before(self) -> list[Stmt]:
        made: list[Stmt] = []
        for part in self.parts:
            if part.compared is None:
                made.append(Declare(part.part, part.type, init=part.start))
            if part.index is not None:
                made.append(Declare(part.index_part, part.index_type, init=part.index))
        return made

    @property
    def names(self) -> set[str]:
        return {name for part in self.parts for name in (part.part, part.index_part) if name}

    def snippets(self, scope: str, style: str) -> list[Snippet]:
        return [part.reducer(scope, style) for part in self.parts]

    def after(self, scope: str, style: str, rank: Expr) -> list[Stmt]:
        made: list[Stmt] = []
        for part in self.parts:
            call = part.reducer(scope, style).name
            if part.store is not None:
                found = Call(call, (Name(part.part),))
                made.append(If(found, (Assign(part.target, "", part.store),)))
                continue
            if part.operator in ("argmin", "argmax"):
                made += _arg_after(part, call, self.loop)
                continue
            total = Call(call, (Name(part.part),))
            accumulates = neutral(part.operator, part.type) is not None
            if isinstance(part.target, Name):
                made.append(_assign(part.target, part.operator, total, accumulates))
            else:
                made.append(Assign(Name(part.part), "", total))
                store = _assign(part.target, part.operator, Name(part.part), accumulates)
                made.append(If(Binary("==", rank, Const("0")), (store,)))
        return made


def split_reductions(facts: LoopFacts, loop: Loop, symbols: Symbols, number: str = "") -> Parts | None:
    """How to deal a loop out, or None when one of its reductions cannot be. `number` ends the parts' names."""
    parts: list[Part] = []
    scattered: set[str] = set()
    if without_atomic(facts.reductions, symbols.types) is not None:
        return None
    for reduction in facts.reductions:
        if reduction.scope == "scattered":
            if not isinstance(reduction.target, Load) or reduction.companions:
                return None
            scattered.add(reduction.target.array)
            continue
        part = _part(reduction, loop, symbols, number)
        if part is None:
            return None
        parts.append(part)
    replaced: dict[Expr, Expr] = {}
    for part in parts:
        if part.compared is None:
            replaced[part.target] = Name(part.part)
        if part.index is not None:
            replaced[part.index] = Name(part.index_part)
    flags = {part.target: part.part for part in parts if part.store is not None}
    body = tuple(map_statement(s, lambda e: replaced.get(e, e)) for s in _flagged(loop.body, flags))
    for part in parts:
        symbols.types[part.part] = part.type
        if part.index_part:
            symbols.types[part.index_part] = part.index_type
    stores = {part.target.array for part in parts if isinstance(part.target, Load)}
    return Parts(replace(loop, body=body), parts, frozenset(scattered), stores)


def _flagged(statements: tuple[Stmt, ...], flags: dict[Name | Load, str]) -> tuple[Stmt, ...]:
    """Stores of a constant become the raising of a thread's own flag."""

    def flag(statement: Stmt) -> Stmt:
        match statement:
            case Assign() if statement.target in flags:
                return replace(statement, target=Name(flags[statement.target]), value=Const("1"))
            case If():
                return replace(statement, then=inside(statement.then), other=inside(statement.other))
            case Loop() | While():
                return replace(statement, body=inside(statement.body))
            case _:
                return statement

    def inside(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(flag(statement) for statement in body)

    return inside(statements) if flags else statements


def _part(reduction: Reduction, loop: Loop, symbols: Symbols, number: str) -> Part | None:
    target, operator = reduction.target, reduction.operator
    name = target.name if isinstance(target, Name) else target.array
    element = symbols.types.get(name)
    if element is None or (isinstance(target, Load) and target.field):
        return None
    if reduction.store is not None:
        return Part(target, "||", "int", f"{name}_found{number}", Const("0"), store=reduction.store)
    type = wide(element) if operator not in ("argmin", "argmax") else element
    if operator in ("argmin", "argmax"):
        return _arg_part(reduction, loop, symbols, type, number)
    start = neutral(operator, type)
    if element in SMALL and operator in ("+", "*"):
        return None  # the C wraps at every step; partial sums in a wider type are the same only modulo the store
    return Part(target, operator, type, f"{name}_part{number}", start if start is not None else target)


def _arg_part(reduction: Reduction, loop: Loop, symbols: Symbols, type: str, number: str) -> Part | None:
    if len(reduction.companions) != 1:
        return None
    place, value = reduction.companions[0]
    if not isinstance(place, Name) or value != Name(loop.var):
        return None
    first = reduction.ties == "first"
    if loop.step < 0:
        first = not first
    index_type = symbols.types[place.name]
    if reduction.by_index:
        compared = reduction.updates[0].value
        kind = _type_of(compared, symbols)
        if kind is None:
            return None
        at = substitute_expression(compared, {loop.var: Name(f"{place.name}_part{number}")})
        return Part(
            Name(f"{place.name}_value{number}"), reduction.operator, kind, f"{place.name}_value{number}", at, place,
            f"{place.name}_part{number}", index_type, first, at,
        )  # fmt: skip
    target = reduction.target
    name = target.name if isinstance(target, Name) else target.array
    if not isinstance(target, Name):
        return None
    return Part(
        target,
        reduction.operator,
        type,
        f"{name}_part{number}",
        target,
        place,
        f"{place.name}_part{number}",
        index_type,
        first,
    )


def _arg_after(part: Part, call: str, loop: Loop) -> list[Stmt]:
    """Combine the parts; where the best is known by its index only, not before the loop has an iteration."""
    assert part.index is not None
    made: list[Stmt] = []
    if part.compared is not None:
        made.append(Declare(part.part, part.type, init=part.compared))
    made.append(Evaluate(Call(call, (Name(part.part), Name(part.index_part)))))
    if part.compared is None:
        made.append(Assign(part.target, "", Name(part.part)))
    made.append(Assign(part.index, "", Name(part.index_part)))
    if part.compared is None:
        return made
    return [If(Binary("<" if loop.step > 0 else ">", loop.start, loop.stop), tuple(made))]


def _assign(target: Name | Load, operator: str, total: Expr, accumulates: bool) -> Stmt:
    if not accumulates:
        return Assign(target, "", total)
    return Assign(target, operator, total)


def _type_of(expression: Expr, symbols: Symbols) -> str | None:
    if isinstance(expression, Load) and not expression.field:
        return symbols.types.get(expression.array)
    return None
