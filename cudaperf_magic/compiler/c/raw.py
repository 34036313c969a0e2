"""C's loops before they are counted: RawLoop, an IR statement that only the C reader's own passes see.

Also the traversals that know it. It decides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from cudaperf_magic.compiler.loops import (
    Assign,
    Break,
    Continue,
    Declare,
    Evaluate,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Return,
    Stmt,
    While,
    bodies,
    expressions,
    map_expression,
    walk_expression,
)


@dataclass(frozen=True)
class RawLoop:
    """`init; while (before, condition, after) { body; next }`, as C says it; `after` are effects of the condition."""

    init: tuple[AnyStmt, ...]
    before: tuple[AnyStmt, ...]
    condition: Expr
    after: tuple[AnyStmt, ...]
    body: tuple[AnyStmt, ...]
    next: tuple[AnyStmt, ...]
    is_do: bool = False
    line: int = 0
    comment: str = ""


AnyStmt = Stmt | RawLoop
Body = tuple[AnyStmt, ...]


def parts(statement: AnyStmt) -> tuple[Body, ...]:
    """The statement lists directly inside a statement."""
    if isinstance(statement, RawLoop):
        return (statement.init, statement.before, statement.after, statement.body, statement.next)
    return bodies(statement)


def walk(statements: Iterable[AnyStmt]) -> Iterator[AnyStmt]:
    for statement in statements:
        yield statement
        for part in parts(statement):
            yield from walk(part)


def own_expressions(statement: AnyStmt) -> tuple[Expr, ...]:
    return (statement.condition,) if isinstance(statement, RawLoop) else expressions(statement)


def all_expressions(statements: Iterable[AnyStmt]) -> Iterator[Expr]:
    """Every expression node, at any depth."""
    for statement in walk(statements):
        for expression in own_expressions(statement):
            yield from walk_expression(expression)


def with_parts(statement: AnyStmt, change: Callable[[Body], Body]) -> AnyStmt:
    """The statement with every list directly inside it passed through `change`."""
    match statement:
        case RawLoop():
            init, before, after, body, last = (change(part) for part in parts(statement))
            return replace(statement, init=init, before=before, after=after, body=body, next=last)
        case Loop() | While():
            return replace(statement, body=_plain(change(statement.body)))
        case If():
            return replace(statement, then=_plain(change(statement.then)), other=_plain(change(statement.other)))
    return statement


def _plain(body: Body) -> tuple[Stmt, ...]:
    """The type checker's view of a list: RawLoops vanish before any other pass sees it."""
    return body  # type: ignore[return-value]


def map_body(statements: Body, change: Callable[[Expr], Expr]) -> Body:
    """Every expression of the statements, at any depth, rebuilt bottom-up through `change`."""

    def on(expression: Expr) -> Expr:
        return map_expression(expression, change)

    def one(statement: AnyStmt) -> AnyStmt:
        statement = with_parts(statement, lambda part: map_body(part, change))
        match statement:
            case RawLoop() | While() | If():
                return replace(statement, condition=on(statement.condition))
            case Loop():
                return replace(statement, start=on(statement.start), stop=on(statement.stop))
            case Declare():
                init = None if statement.init is None else on(statement.init)
                shape, table = tuple(map(on, statement.shape)), tuple(map(on, statement.table))
                return replace(statement, shape=shape, init=init, table=table)
            case Assign():
                target = on(statement.target)
                if not isinstance(target, (Name, Load)):
                    raise TypeError(f"{target} is not a place to write to")
                return replace(statement, target=target, value=on(statement.value))
            case Return(value) if value is not None:
                return replace(statement, value=on(value))
            case Evaluate():
                return replace(statement, value=on(statement.value))
        return statement

    return tuple(one(statement) for statement in statements)


def replace_names(statements: Body, names: Mapping[str, Expr]) -> Body:
    """Replace scalar names, read or written."""
    return map_body(statements, lambda e: names.get(e.name, e) if isinstance(e, Name) else e)


def assigned(statements: Iterable[AnyStmt]) -> Counter[str]:
    """How many statements set each scalar: assignments and declarations."""
    count: Counter[str] = Counter()
    for statement in walk(statements):
        if isinstance(statement, Assign) and isinstance(statement.target, Name):
            count[statement.target.name] += 1
        elif isinstance(statement, Declare):
            count[statement.name] += 1
    return count


def written_arrays(statements: Iterable[AnyStmt]) -> set[str]:
    return {s.target.array for s in walk(statements) if isinstance(s, Assign) and isinstance(s.target, Load)}


def reads(statements: Iterable[AnyStmt]) -> Counter[str]:
    """How often each scalar is read; the target of `x op= e` counts, that of `x = e` does not."""
    count: Counter[str] = Counter()
    for statement in walk(statements):
        found = list(own_expressions(statement))
        if isinstance(statement, Assign) and isinstance(statement.target, Name) and not statement.op:
            found = [statement.value]
        for expression in found:
            count.update(e.name for e in walk_expression(expression) if isinstance(e, Name))
    return count


def is_unchanged(expression: Expr, names: Counter[str], arrays: set[str]) -> bool:
    """Does an expression keep its value while only these names and arrays are written?"""
    for part in walk_expression(expression):
        if (isinstance(part, Name) and part.name in names) or (isinstance(part, Load) and part.array in arrays):
            return False
    return True


def leaves_here(statements: Iterable[AnyStmt], kind: type[Break] | type[Continue]) -> bool:
    """Is there a break (or continue) that belongs to the loop whose body this is?"""
    for statement in statements:
        if isinstance(statement, kind):
            return True
        if isinstance(statement, If) and any(leaves_here(part, kind) for part in parts(statement)):
            return True
    return False


def before_each(statements: Body, kind: type[Break] | type[Continue], added: Body) -> Body:
    """Put statements in front of each break (or continue) of the loop whose body this is."""
    result: list[AnyStmt] = []
    for statement in statements:
        if isinstance(statement, kind):
            result.extend(added)
        if isinstance(statement, If):
            statement = with_parts(statement, lambda part: before_each(part, kind, added))
        result.append(statement)
    return tuple(result)
