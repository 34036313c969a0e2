"""Moves that keep in a scalar what a loop would look up or add to in memory, every time: hold and carry.

`hold`: the one element that a loop updates. `carry`: the best value so far, where the C remembers only its index.
"""

from __future__ import annotations

from dataclasses import replace

from cudaperf_magic.compiler.analysis.dependence import Facts
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.fresh import fresh_name
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Declare,
    Expr,
    Function,
    If,
    Load,
    Loop,
    Name,
    Symbols,
    Ternary,
    substitute_expression,
    walk_expression,
)
from cudaperf_magic.compiler.lowering.keep import kept_in_register
from cudaperf_magic.compiler.lowering.snippets import literal
from cudaperf_magic.compiler.moves.move import Refused
from cudaperf_magic.compiler.rewriting.replacing import exchanged, worded
from cudaperf_magic.compiler.schedule import Step

SENTENCE_CARRIED = "The best value so far travels with its index, so that it need not be looked up."


def held(function: Function, facts: Facts, loop: Loop, step: Step) -> Function:
    """The function with the element that the loop updates in a scalar while the loop runs."""
    types = Symbols.of(function).types
    made = kept_in_register((loop,), loop, types)
    if len(made) == 1:
        raise Refused(f"{loop.label} does not update one element that nothing else in it touches")
    if any(isinstance(s, Declare) and s.name in types for s in made):
        raise Refused("the C has the name that the scalar would get")
    return exchanged(function, (loop,), made)


def carried(function: Function, facts: Facts, loop: Loop, step: Step) -> Function:
    """The function with `if (x[i] > x[best]) best = i` comparing with a scalar."""
    found = _compared(loop)
    if found is None or usage(loop.body).stores:
        raise Refused(f"{loop.label} does not look for the index of a best value")
    symbols = Symbols.of(function)
    ours, theirs, best = found
    loads = [e for e in walk_expression(ours) if isinstance(e, Load) and not e.field]
    kind = symbols.types.get(loads[0].array) if loads else None
    if kind is None or ours != substitute_expression(theirs, {best.name: Name(loop.var)}):
        raise Refused(f"what {loop.label} compares is not one expression at two places")
    top = Name(fresh_name(f"{best.name}_value", set(symbols.types)))
    some = Binary("<" if loop.step > 0 else ">", loop.start, loop.stop)
    start = Declare(top.name, kind, init=Ternary(some, theirs, literal("0", kind)), comment=SENTENCE_CARRIED)
    test = next(s for s in loop.body if isinstance(s, If))
    assert isinstance(test.condition, Binary)
    sides = (top if side == theirs else side for side in (test.condition.left, test.condition.right))
    condition = Binary(test.condition.op, *sides)
    changed = replace(test, condition=condition, then=(Assign(top, "", ours), *test.then))
    return exchanged(function, (loop,), (start, replace(loop, body=(changed,))))


def _compared(loop: Loop) -> tuple[Expr, Expr, Name] | None:
    """The new value, the best one's, and the index variable, of a loop that is nothing but a search by index."""
    body = worded(loop.body)
    if len(body) != 1 or not isinstance(body[0], If) or body[0].other or not isinstance(body[0].condition, Binary):
        return None
    then = worded(body[0].then)
    if len(then) != 1 or not isinstance(then[0], Assign) or then[0].op or then[0].value != Name(loop.var):
        return None
    best, condition = then[0].target, body[0].condition
    if not isinstance(best, Name) or condition.op not in ("<", "<=", ">", ">="):
        return None
    sides = (condition.left, condition.right)
    theirs = next((s for s in sides if best in tuple(walk_expression(s))), None)
    if theirs is None:
        return None
    return sides[1] if theirs is sides[0] else sides[0], theirs, best
