"""Jumps out of the middle become conditions: `if (c) continue; rest` is `if (!c) { rest }`, and so for returns.

With its jumps gone a loop's body is a plain list of statements, which may become a thread's work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cudaperf_magic.compiler.loops import Binary, Continue, Expr, Function, If, Loop, Stmt, Unary, While

Leaf = Callable[[Stmt], tuple[Stmt, ...]]
NEGATED = {"==": "!=", "!=": "=="}


def without_continue(function: Function) -> Function:
    """The function with no Continue left in its counted loops."""
    return replace(function, body=_inside(function.body))


def _inside(statements: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    made: list[Stmt] = []
    for statement in statements:
        match statement:
            case Loop():
                made.append(replace(statement, body=ended(_inside(statement.body), Continue, lambda _: ())))
            case While():
                made.append(replace(statement, body=_inside(statement.body)))
            case If():
                made.append(replace(statement, then=_inside(statement.then), other=_inside(statement.other)))
            case _:
                made.append(statement)
    return tuple(made)


def ended(statements: tuple[Stmt, ...], jump: type[Stmt], leaf: Leaf) -> tuple[Stmt, ...]:
    """The list without jumps of a kind outside its inner loops: what follows one moves into the other branch.

    leaf: what is left where the jump stood.
    """
    kept: list[Stmt] = []
    for position, statement in enumerate(statements):
        rest = statements[position + 1 :]
        if isinstance(statement, jump):
            return (*kept, *leaf(statement))
        if isinstance(statement, If) and jumps_in(statement, jump):
            then = statement.then if _ends(statement.then, jump) else statement.then + rest
            other = statement.other if _ends(statement.other, jump) else statement.other + rest
            return (*kept, *_if(statement, ended(then, jump, leaf), ended(other, jump, leaf)))
        kept.append(statement)
    return tuple(kept)


def _if(statement: If, then: tuple[Stmt, ...], other: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    if then:
        return (replace(statement, then=then, other=other),)
    return (replace(statement, condition=negated(statement.condition), then=other, other=()),) if other else ()


def negated(condition: Expr) -> Expr:
    """The opposite condition; comparisons of floats keep their `!`, for NaN is on neither side."""
    if isinstance(condition, Unary) and condition.op == "!":
        return condition.operand
    if isinstance(condition, Binary) and condition.op in NEGATED:
        return replace(condition, op=NEGATED[condition.op])
    return Unary("!", condition)


def jumps_in(statement: If, jump: type[Stmt]) -> bool:
    """Whether a jump lies in the branches, outside loops."""
    return any(
        isinstance(inner, jump) or (isinstance(inner, If) and jumps_in(inner, jump))
        for inner in statement.then + statement.other
    )


def _ends(statements: tuple[Stmt, ...], jump: type[Stmt]) -> bool:
    """Whether control never falls out of the end of the list."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, jump):
        return True
    return isinstance(last, If) and _ends(last.then, jump) and _ends(last.other, jump)

