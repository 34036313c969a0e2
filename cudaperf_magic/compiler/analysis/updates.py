"""One statement as an update of a place by an associative operator: `s += e`, `m = e > m ? e : m`, arg-max.

It looks at single statements, in every spelling; whether a loop of them is a reduction is for reductions.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cudaperf_magic.compiler.analysis.affine import MAXIMA, MINIMA
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Call,
    Comment,
    Const,
    Expr,
    If,
    Load,
    Name,
    Ternary,
    Unary,
    map_expression,
    walk_expression,
)

Place = Name | Load
Operator = Literal["+", "*", "min", "max", "&", "|", "^", "&&", "||", "argmin", "argmax"]

COMPOUND: dict[str, Operator] = {"+": "+", "-": "+", "*": "*", "&": "&", "|": "|", "^": "^"}
CHAINS: tuple[Operator, ...] = ("+", "*", "&", "|", "^", "&&", "||")
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
INVERTED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
NEUTRAL = Const("0")  # stands for "nothing combined yet" in a chain; never printed


@dataclass(frozen=True)
class Update:
    """`target = target (operator) value`, executed where `guard` holds.

    Arg-min and arg-max: `companions` are the places set beside the target, with what they are set to. `ties` says
    whether the first or the last of equal values stays. `by_index`: the target is the index itself
    (`if (x[i] > x[best]) best = i`), and `value` is what is compared.
    """

    target: Place
    operator: Operator
    value: Expr
    line: int
    guard: Expr | None = None
    companions: tuple[tuple[Place, Expr], ...] = ()
    ties: Literal["first", "last"] = "first"
    by_index: bool = False


def mentions(expression: Expr, place: Place) -> bool:
    """Whether the expression reads the place, spelled the same."""
    return any(e == place for e in walk_expression(expression))


def update_of(statement: Assign) -> Update | None:
    """The assignment as an update of its own target, or None."""
    target, value, line = statement.target, statement.value, statement.line
    if statement.op:
        operator = COMPOUND.get(statement.op)
        if operator is None or mentions(value, target):
            return None
        return Update(target, operator, Unary("-", value) if statement.op == "-" else value, line)
    return as_update(target, value, line)


def as_update(target: Place, value: Expr, line: int) -> Update | None:
    """`target = value` as an update, when the value combines the target with something else."""
    match value:
        case Ternary(condition, then, other) if not mentions(condition, target):
            # s = c ? s + e : s
            for changed, kept, guard in ((then, other, condition), (other, then, Unary("!", condition))):
                if kept == target and changed != target:
                    inner = as_update(target, changed, line)
                    if inner is None or inner.guard is not None:
                        return None
                    return Update(target, inner.operator, inner.value, line, guard)
            return None
        case Ternary(condition, then, other):
            picked = then if other == target else other if then == target else None
            if picked is None or mentions(picked, target):
                return None
            compared = _comparison(condition, target, picked)
            if compared is None:
                return None
            relation = compared if picked == then else INVERTED[compared]
            return Update(target, "max" if relation in (">", ">=") else "min", picked, line)
        case Call(function, _) if function in MAXIMA | MINIMA:
            names = MAXIMA if function in MAXIMA else MINIMA
            rest = _extremum(value, target, names)
            return None if rest is None else Update(target, "max" if names is MAXIMA else "min", rest, line)
    for operator in CHAINS:
        rest = _chain(value, target, operator)
        if rest is not None and rest is not NEUTRAL:
            return Update(target, operator, rest, line)
    return None


def _chain(expression: Expr, target: Place, operator: str) -> Expr | None:
    """What is left of a chain `target + a - b ...` without the target; None when it is not such a chain."""
    if expression == target:
        return NEUTRAL
    match expression:
        case Binary(op, left, right) if op == operator or (op == "-" and operator == "+"):
            in_left, in_right = mentions(left, target), mentions(right, target)
            if in_left and not in_right:
                rest = _chain(left, target, operator)
                if rest is None:
                    return None
                if rest is NEUTRAL:
                    return Unary("-", right) if op == "-" else right
                return Binary(op, rest, right)
            if in_right and not in_left and op == operator:
                rest = _chain(right, target, operator)
                if rest is None:
                    return None
                return left if rest is NEUTRAL else Binary(op, left, rest)
    return None


def _extremum(expression: Expr, target: Place, names: frozenset[str]) -> Expr | None:
    match expression:
        case Call(function, (left, right)) if function in names:
            for own, value in ((left, right), (right, left)):
                if mentions(value, target):
                    continue
                if own == target:
                    return value
                rest = _extremum(own, target, names)
                if rest is not None:
                    return Call(function, (rest, value))
    return None


def _comparison(condition: Expr, target: Place, value: Expr) -> str | None:
    """The relation r in `value r target` that the condition states, either way round, also under `!`."""
    match condition:
        case Unary("!", inner):
            relation = _comparison(inner, target, value)
            return INVERTED[relation] if relation else None
        case Binary(op, left, right) if op in FLIPPED:
            if (left, right) == (value, target):
                return op
            if (left, right) == (target, value):
                return FLIPPED[op]
    return None


def conjuncts(condition: Expr) -> tuple[Expr, ...]:
    match condition:
        case Binary("&&", left, right):
            return (*conjuncts(left), *conjuncts(right))
    return (condition,)


def selection(statement: If) -> Update | None:
    """`if (e > m) m = e;`, with any further guards and with companions (`{ m = e; at = i; }`), or None."""
    if statement.other:
        return None
    assigns = [s for s in statement.then if not isinstance(s, Comment)]
    if not assigns or not all(isinstance(s, Assign) and not s.op for s in assigns):
        return None
    sets = [(s.target, s.value) for s in assigns if isinstance(s, Assign)]
    if len({place for place, _ in sets}) != len(sets):
        return None
    parts = conjuncts(statement.condition)
    for target, value in sets:
        relations = [(part, _comparison(part, target, value)) for part in parts]
        found = [(part, relation) for part, relation in relations if relation]
        if len(found) == 1:
            part, relation = found[0]
            others = tuple(p for p in parts if p is not part)
            return _selected(statement, target, value, str(relation), others, sets)
    if len(sets) == 1:
        return _selected_by_index(statement, sets[0], parts)
    return None


def _selected(
    statement: If, target: Place, value: Expr, relation: str, others: tuple[Expr, ...], sets: list[tuple[Place, Expr]]
) -> Update | None:
    companions = tuple((place, e) for place, e in sets if place != target)
    places = [target, *(place for place, _ in companions)]
    read = [value, *others, *(e for _, e in companions)]
    if any(mentions(e, place) for e in read for place in places):
        return None
    is_max = relation in (">", ">=")
    operator: Operator = ("argmax" if is_max else "argmin") if companions else ("max" if is_max else "min")
    ties: Literal["first", "last"] = "first" if relation in ("<", ">") else "last"
    return Update(target, operator, value, statement.line, _all(others), companions, ties)


def _selected_by_index(statement: If, set_: tuple[Place, Expr], parts: tuple[Expr, ...]) -> Update | None:
    target, value = set_
    if not isinstance(target, Name) or mentions(value, target):
        return None

    def at_new(expression: Expr) -> Expr:
        return map_expression(expression, lambda e: value if e == target else e)

    for part in parts:
        if not isinstance(part, Binary) or part.op not in FLIPPED:
            continue
        others = tuple(p for p in parts if p is not part)
        for old, new, relation in ((part.right, part.left, part.op), (part.left, part.right, FLIPPED[part.op])):
            fits = mentions(old, target) and not mentions(new, target) and at_new(old) == new
            if fits and not any(mentions(p, target) for p in others):
                operator: Operator = "argmax" if relation in (">", ">=") else "argmin"
                ties: Literal["first", "last"] = "first" if relation in ("<", ">") else "last"
                return Update(
                    target, operator, new, statement.line, _all(others), ((target, value),), ties, by_index=True
                )
    return None


def _all(parts: tuple[Expr, ...]) -> Expr | None:
    total: Expr | None = None
    for part in parts:
        total = part if total is None else Binary("&&", total, part)
    return total
