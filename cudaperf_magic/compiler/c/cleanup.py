"""Removes what the reader itself added and nothing reads: final values of loop variables, copies of parameters.

The person's own variables are left alone, dead or not. Works by liveness on the structured IR.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cudaperf_magic.compiler.c.raw import AnyStmt, Body, all_expressions, own_expressions, with_parts
from cudaperf_magic.compiler.loops import (
    Assign,
    Break,
    Continue,
    Declare,
    Expr,
    If,
    Loop,
    Name,
    Return,
    Stmt,
    While,
    walk_expression,
)

Live = frozenset[str]
NONE: Live = frozenset()


def clean(body: Body, managed: set[str]) -> Body:
    """The body without dead stores to managed names, and without declarations that nothing mentions."""
    while True:
        shorter = _Liveness(managed).body(body, NONE, NONE, NONE)[0]
        shorter = _without_unused(shorter, managed)
        shorter = _joined(shorter, managed)
        if shorter == body:
            return body
        body = shorter


def _names(expressions: tuple[Expr, ...]) -> Live:
    return frozenset(e.name for expression in expressions for e in walk_expression(expression) if isinstance(e, Name))


@dataclass
class _Liveness:
    managed: set[str]

    def body(self, body: Body, after: Live, at_break: Live, at_continue: Live) -> tuple[Body, Live]:
        """The statements that matter, and what is live before them."""
        live, kept = after, []
        for statement in reversed(body):
            new, live = self.statement(statement, live, at_break, at_continue)
            if new is not None:
                kept.append(new)
        return tuple(reversed(kept)), live

    def statement(
        self, statement: AnyStmt, live: Live, at_break: Live, at_continue: Live
    ) -> tuple[AnyStmt | None, Live]:
        match statement:
            case Break():
                return statement, at_break
            case Continue():
                return statement, at_continue
            case Return():
                return statement, _names(own_expressions(statement))
            case Assign(Name(name), op, value):
                if name in self.managed and name not in live:
                    return None, live
                rest = live if op else live - {name}
                return statement, rest | _names((value,))
            case Declare(name):
                if name in self.managed and name not in live and statement.init is not None:
                    return replace(statement, init=None), live
                return statement, (live - {name}) | _names(own_expressions(statement))
            case If(condition, then, other):
                new_then, live_then = self.body(then, live, at_break, at_continue)
                new_other, live_other = self.body(other, live, at_break, at_continue)
                both = live_then | live_other | _names((condition,))
                new = replace(statement, then=_typed(new_then), other=_typed(new_other))
                is_empty = not new_then and not new_other and (then or other)
                return (None, live) if is_empty else (new, both)
            case Loop() | While():
                return self._loop(statement, live)
        return statement, live | _names(own_expressions(statement))

    def _loop(self, loop: Loop | While, live: Live) -> tuple[AnyStmt, Live]:
        own = _names(own_expressions(loop))
        head = live | own
        while True:
            body, before = self.body(loop.body, head, live, head)
            more = head | before
            if more == head:
                break
            head = more
        return replace(loop, body=_typed(body)), head if isinstance(loop, While) else (head | own)


def _typed(body: Body) -> tuple[Stmt, ...]:
    return body  # type: ignore[return-value]


def _without_unused(body: Body, managed: set[str]) -> Body:
    """Drop declarations of managed names that no expression and no assignment mentions."""
    mentioned = _mentioned(body)

    def keep(part: Body) -> Body:
        kept = []
        for statement in part:
            is_unused = isinstance(statement, Declare) and statement.name in managed
            if is_unused and statement.name not in mentioned:  # type: ignore[union-attr]
                continue
            kept.append(with_parts(statement, keep))
        return tuple(kept)

    return keep(body)


def _joined(body: Body, managed: set[str]) -> Body:
    """`int k; ... k = 0;` becomes `... int k = 0;` for the reader's own names, where nothing between mentions k."""

    def join(part: Body) -> Body:
        result: list[AnyStmt] = [with_parts(statement, join) for statement in part]
        for at, statement in enumerate(part):
            if not isinstance(statement, Declare) or statement.name not in managed or statement.init is not None:
                continue
            later = (i for i in range(at + 1, len(part)) if statement.name in _mentioned((part[i],)))
            first = next(later, None)
            setter = part[first] if first is not None else None
            if first is None or not isinstance(setter, Assign) or statement.shape or setter.op:
                continue
            if setter.target == Name(statement.name) and Name(statement.name) not in walk_expression(setter.value):
                comment = statement.comment or setter.comment
                result[first] = replace(statement, init=setter.value, line=setter.line, comment=comment)
                result[at] = _GONE
        return tuple(statement for statement in result if statement is not _GONE)

    return join(body)


_GONE = Break(-1)


def _mentioned(statements: Body) -> set[str]:
    """Scalars that are read or written anywhere inside."""
    return {e.name for e in all_expressions(statements) if isinstance(e, Name)}
