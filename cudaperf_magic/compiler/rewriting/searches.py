"""Loops that want the first or the last hit become an extremum over the hits' numbers, for threads to look together.

`for (i...) if (c(i)) { ...; break; }` is: the smallest i with c(i), then what was to be done for it. The loop's own
bounds cover every element that the condition reads, so that looking on past the first hit reads nothing new.
`for (i...) if (c(i)) at = i;` is the greatest i likewise.
"""

from __future__ import annotations

from dataclasses import replace

from cudaperf_magic.compiler.analysis.affine import simplify
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.fresh import taken_name
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Break,
    Comment,
    Const,
    Continue,
    Declare,
    Expr,
    Function,
    If,
    Loop,
    Name,
    Return,
    Stmt,
    Symbols,
    substitute,
    walk,
    walk_expression,
)


def first_hits(function: Function) -> Function:
    """The function with its outermost search loops written as minima; other loops are left alone."""
    symbols = Symbols.of(function)
    taken = set(symbols.types)
    return replace(function, body=_outside(function.body, taken, symbols))


def _outside(statements: tuple[Stmt, ...], taken: set[str], symbols: Symbols) -> tuple[Stmt, ...]:
    made: list[Stmt] = []
    for position, statement in enumerate(statements):
        if isinstance(statement, If):
            then, other = (_outside(body, taken, symbols) for body in (statement.then, statement.other))
            made.append(replace(statement, then=then, other=other))
            continue
        after = frozenset(usage(statements[position + 1 :]).exposed)
        found = None
        if isinstance(statement, Loop):
            found = _search(statement, taken, symbols, after) or _last_hit(statement, taken, symbols, after)
        made += found if found is not None else (statement,)
    return tuple(made)


def _search(loop: Loop, taken: set[str], symbols: Symbols, after: frozenset[str]) -> tuple[Stmt, ...] | None:
    """The loop as declaration, minimum and what the hit does; None for a loop that does anything else on its way."""
    body = tuple(s for s in loop.body if not isinstance(s, Comment))
    if loop.step < 0 and loop.type.startswith("unsigned"):
        return None  # its end, -1, is no number below all others
    if abs(loop.step) != 1 or not body or not isinstance(body[-1], If):
        return None
    before, hit = body[:-1], body[-1]
    action = hit.then
    if hit.other or not action or not isinstance(action[-1], (Break, Return)):
        return None
    if any(isinstance(s, (Break, Return)) for s in walk((*before, *action[:-1]))):
        return None
    touched = usage(before)
    if touched.stores or touched.assigned & touched.exposed or touched.assigned & after or _may_trap(hit.condition):
        return None
    name = taken_name(f"first_{loop.var}", taken)
    symbols.types[name] = loop.type
    nearer = Binary("<" if loop.step > 0 else ">", Name(loop.var), Name(name))
    note = Assign(Name(name), "", Name(loop.var), hit.line)
    look = replace(loop, body=(*before, If(Binary("&&", hit.condition, nearer), (note,), line=hit.line)))
    was_found = Binary("<" if loop.step > 0 else ">", Name(name), loop.stop)
    at_hit = tuple(substitute(s, {loop.var: Name(name)}) for s in (*before, *action))
    if isinstance(action[-1], Break):
        at_hit = at_hit[:-1]
    return (Declare(name, loop.type, init=loop.stop, line=loop.line), look, If(was_found, at_hit, line=hit.line))


def _last_hit(loop: Loop, taken: set[str], symbols: Symbols, after: frozenset[str]) -> tuple[Stmt, ...] | None:
    """`for (i...) if (c(i)) at = i;`, which nothing in the loop reads: the greatest i with c(i), then what it sets."""
    body = tuple(s for s in loop.body if not isinstance(s, Comment))
    if abs(loop.step) != 1 or loop.type.startswith("unsigned") or not body or not isinstance(body[-1], If):
        return None
    before, hit = body[:-1], body[-1]
    targets = {s.target.name for s in hit.then if isinstance(s, Assign) and isinstance(s.target, Name) and not s.op}
    if hit.other or not hit.then or len(targets) != len(hit.then) or any(_leaves(s) for s in walk(before)):
        return None
    touched, whole = usage(before), usage(body)
    if touched.stores or touched.assigned & (touched.exposed | after) or targets & whole.exposed:
        return None
    if not any(loop.var in usage((s,)).exposed for s in hit.then) or targets & touched.assigned:
        return None  # a constant is raised like a flag, in whatever order
    name = taken_name(f"last_{loop.var}", taken)
    symbols.types[name] = loop.type
    later, none_yet = (">", "-") if loop.step > 0 else ("<", "+")
    note = Assign(Name(name), "", Name(loop.var), hit.line)
    nearer = Binary(later, Name(loop.var), Name(name))
    look = replace(loop, body=(*before, If(Binary("&&", hit.condition, nearer), (note,), line=hit.line)))
    unmet = simplify(Binary(none_yet, loop.start, Const("1")))
    at_hit = tuple(substitute(s, {loop.var: Name(name)}) for s in (*before, *hit.then))
    was_found = If(Binary(later, Name(name), unmet), at_hit, line=hit.line)
    return (Declare(name, loop.type, init=unmet, line=loop.line), look, was_found)


def _leaves(statement: Stmt) -> bool:
    return isinstance(statement, (Break, Return, Continue))


def _may_trap(condition: Expr) -> bool:
    """Whether it divides by something unknown: a division that the C would not have come to."""
    return any(
        isinstance(part, Binary) and part.op in ("/", "%") and not isinstance(part.right, Const)
        for part in walk_expression(condition)
    )
