"""Loop restructuring that turns sequential nests into parallel ones before anything is mapped.

Interchange brings a parallel loop outside the sequential ones around it; fission separates the statements that carry
a dependence from those that do not; splitting a loop at a pivot separates the row that is read from those written.
Each step is asked of the dependence analysis, which is run anew on every changed tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from cudaperf_magic.compiler.analysis.affine import simplify
from cudaperf_magic.compiler.analysis.dependence import Facts, analyse
from cudaperf_magic.compiler.loops import (
    Binary,
    Const,
    Expr,
    Function,
    If,
    Load,
    Loop,
    Stmt,
    Symbols,
    loops_of,
    names_in,
    walk_expression,
)
from cudaperf_magic.compiler.rewriting.snapshots import from_snapshot
from cudaperf_magic.compiler.rewriting.waves import skewed, wave

STEPS = 24  # rewrites tried at most; each makes the tree more parallel, so few are ever needed


def restructure(function: Function, orders: Mapping[str, str]) -> tuple[Function, Facts]:
    """The function with its nests made as parallel as the analysis allows, and the facts of that tree."""
    for _ in range(STEPS):
        facts = analyse(function, orders)
        changed = _improve(function.body, facts, {loop.label for loop in loops_of(function.body)})
        if changed is None:
            return function, facts
        function = replace(function, body=changed)
    return function, analyse(function, orders)


def _improve(statements: tuple[Stmt, ...], facts: Facts, labels: set[str]) -> tuple[Stmt, ...] | None:
    """The list with the first possible rewrite done, or None when there is none."""
    for position, statement in enumerate(statements):
        rewritten: tuple[Stmt, ...] | None = None
        if isinstance(statement, Loop) and facts.loop(statement.label).kind == "parallel":
            rewritten = _split_inside(statement, facts, labels)
        elif isinstance(statement, Loop):
            rewritten = _rewrite(statement, facts, labels)
            if rewritten is None:
                inner = _improve(statement.body, facts, labels)
                rewritten = None if inner is None else (replace(statement, body=inner),)
        elif isinstance(statement, If):
            then = _improve(statement.then, facts, labels)
            other = None if then is not None else _improve(statement.other, facts, labels)
            if then is not None or other is not None:
                rewritten = (replace(statement, then=then or statement.then, other=other or statement.other),)
        if rewritten is not None:
            return statements[:position] + rewritten + statements[position + 1 :]
    return None


def _rewrite(loop: Loop, facts: Facts, labels: set[str]) -> tuple[Stmt, ...] | None:
    """The first rewrite that applies; each makes something parallel that was not."""
    return (
        interchanged(loop, facts)
        or _fission(loop, facts, labels)
        or _split_at_pivot(loop, facts, labels)
        or from_snapshot(loop, facts, Symbols.of(facts.piece.function), labels)
        or _by_diagonals(loop, facts, labels)
    )


# ---------------------------------------------------------------- interchange


def chain(loop: Loop) -> tuple[Loop, ...]:
    """The perfect nest that starts at a loop, outermost first."""
    found = [loop]
    while len(found[-1].body) == 1 and isinstance(found[-1].body[0], Loop):
        found.append(found[-1].body[0])
    return tuple(found)


def has_static_header(loop: Loop, variables: Iterable[str]) -> bool:
    """Whether start and stop can be bounded from outside: they read no element and no more than the loops around."""
    return not any(isinstance(part, Load) for e in (loop.start, loop.stop) for part in walk_expression(e))


def interchanged(loop: Loop, facts: Facts) -> tuple[Stmt, ...] | None:
    """The perfect nest with the first parallel loop inside it moved out to be the outermost; None where none may."""
    nest = chain(loop)
    for position in range(1, len(nest)):
        inner, outer = nest[position], nest[:position]
        if facts.loop(inner.label).kind != "parallel":
            continue
        around = {member.var for member in outer}
        if (names_in(inner.start) | names_in(inner.stop)) & around or not has_static_header(inner, around):
            continue
        if all(facts.can_interchange(member.label, inner.label) for member in outer):
            return (_nested((inner, *outer), inner.body),)
    return None


def _nested(headers: tuple[Loop, ...], body: tuple[Stmt, ...]) -> Loop:
    for header in reversed(headers):
        body = (replace(header, body=body),)
    nest = body[0]
    assert isinstance(nest, Loop)
    return nest


# -------------------------------------------------------------------- fission


def _fission(loop: Loop, facts: Facts, labels: set[str]) -> tuple[Stmt, ...] | None:
    if facts.loop(loop.label).kind != "sequential":
        return None
    groups = facts.fission(loop.label)
    if len(groups) < 2:
        return None
    pieces = [replace(loop, body=groups[0])]
    pieces += [fresh(replace(loop, body=group, comment=""), labels) for group in groups[1:]]
    return tuple(pieces)


def fresh(loop: Loop, labels: set[str]) -> Loop:
    """A copy of a nest whose labels no other loop has."""

    def copy(statement: Stmt) -> Stmt:
        match statement:
            case Loop():
                number = 2
                while f"{statement.var}_{number}" in labels:
                    number += 1
                labels.add(f"{statement.var}_{number}")
                return replace(
                    statement, label=f"{statement.var}_{number}", body=tuple(copy(s) for s in statement.body)
                )
            case If():
                then = tuple(copy(s) for s in statement.then)
                return replace(statement, then=then, other=tuple(copy(s) for s in statement.other))
            case _:
                return statement

    copied = copy(loop)
    assert isinstance(copied, Loop)
    return copied


# ---------------------------------------------------------------- pivot split


def _split_at_pivot(loop: Loop, facts: Facts, labels: set[str]) -> tuple[Stmt, ...] | None:
    pivot: Expr | None = facts.pivot_split(loop.label)
    if pivot is None or loop.step != 1:
        return None
    after = simplify(Binary("+", pivot, Const("1")))
    before = replace(loop, stop=pivot)
    at = fresh(replace(loop, start=pivot, stop=after, comment=""), labels)
    beyond = fresh(replace(loop, start=after, comment=""), labels)
    return (before, at, beyond)


def _split_inside(loop: Loop, facts: Facts, labels: set[str]) -> tuple[Stmt, ...] | None:
    """A parallel loop around one that only its pivot keeps in order: a nest for each part, parallel both ways."""
    inner = loop.body[0] if len(loop.body) == 1 else None
    if not isinstance(inner, Loop) or facts.loop(inner.label).kind != "sequential":
        return None
    parts = None if facts.loop(loop.label).last_values else _split_at_pivot(inner, facts, labels)
    if parts is None:
        return None
    first, *others = parts
    made = [fresh(replace(loop, body=(part,), comment=""), labels) for part in others]
    return (replace(loop, body=(first,)), *made)


# ------------------------------------------------------------------- wavefront


def _by_diagonals(loop: Loop, facts: Facts, labels: set[str]) -> tuple[Stmt, ...] | None:
    nest = chain(loop)
    if len(nest) < 2 or facts.loop(loop.label).kind != "sequential":
        return None
    inner = nest[1]
    if facts.loop(inner.label).kind != "sequential" or not has_static_header(inner, ()):
        return None
    if any(facts.loop(deeper.label).is_parallel for deeper in loops_of(inner.body)):
        return None  # what is parallel inside has more points than a diagonal
    if len(nest) > 2 and facts.loop(nest[2].label).kind == "sequential" and wave(facts, inner, nest[2]) is not None:
        return None  # the inner pair has the longer diagonals: its turn comes when the walk gets there
    weights = wave(facts, loop, inner)
    made = None if weights is None else skewed(loop, inner, weights, labels)
    return None if made is None else (made,)
