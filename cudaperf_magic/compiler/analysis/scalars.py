"""Scalars through a loop body: which are read before they are set, which are surely set, which are read later.

Names stand for arrays too in `live_after` (a write of one element ends nothing). It does not look at values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cudaperf_magic.compiler.analysis.affine import integer
from cudaperf_magic.compiler.loops import (
    Assign,
    Break,
    Continue,
    Declare,
    Expr,
    Function,
    If,
    Load,
    Loop,
    Name,
    Return,
    Stmt,
    While,
    expressions,
    names_in,
    walk_expression,
)

Names = frozenset[str]


@dataclass
class Exposure:
    """Of one pass over a loop body: `exposed` names are read before set, `defined` ones are set on every way through.

    `lines` gives the first line that reads an exposed name.
    """

    exposed: set[str] = field(default_factory=set)
    lines: dict[str, int] = field(default_factory=dict)
    defined: Names = frozenset()


def exposure(body: tuple[Stmt, ...]) -> Exposure:
    walker = _Exposure()
    walker.result.defined = walker.loop_body(body, frozenset()) or frozenset()
    return walker.result


class _Exposure:
    def __init__(self) -> None:
        self.result = Exposure()
        self.continues: list[list[Names]] = []

    def read(self, expression: Expr, defined: Names, line: int) -> None:
        for name in names_in(expression) - defined:
            self.result.exposed.add(name)
            self.result.lines.setdefault(name, line)

    def loop_body(self, body: tuple[Stmt, ...], defined: Names) -> Names | None:
        self.continues.append([])
        end = self.body(body, defined)
        ends = [*self.continues.pop(), *([] if end is None else [end])]
        return frozenset.intersection(*ends) if ends else None

    def body(self, statements: tuple[Stmt, ...], defined: Names) -> Names | None:
        """Names set when control falls out of the statements; None when it never does."""
        for statement in statements:
            after = self.statement(statement, defined)
            if after is None:
                return None
            defined = after
        return defined

    def statement(self, statement: Stmt, defined: Names) -> Names | None:
        match statement:
            case Assign(target=Name(name), op=op, value=value, line=line):
                self.read(value, defined, line)
                if op:
                    self.read(Name(name), defined, line)
                return defined | {name}
            case Declare(name=name, shape=shape, line=line):
                for expression in expressions(statement):
                    self.read(expression, defined, line)
                return defined if shape else defined | {name}
            case Loop() | While():
                return self.loop(statement, defined)
            case If(condition=condition, then=then, other=other, line=line):
                self.read(condition, defined, line)
                ends = [e for e in (self.body(then, defined), self.body(other, defined)) if e is not None]
                return frozenset.intersection(*ends) if ends else None
            case Continue():
                if self.continues:
                    self.continues[-1].append(defined)
                return None
            case Break() | Return():
                for expression in expressions(statement):
                    self.read(expression, defined, statement.line)
                return None
        for expression in expressions(statement):
            self.read(expression, defined, getattr(statement, "line", 0))
        return defined

    def loop(self, statement: Loop | While, defined: Names) -> Names:
        if isinstance(statement, While):
            if not statement.is_do:
                self.read(statement.condition, defined, statement.line)
            end = self.loop_body(statement.body, defined)
            if statement.is_do:
                self.read(statement.condition, defined if end is None else end, statement.line)
            return end if statement.is_do and end is not None and not _has_break(statement.body) else defined
        for expression in expressions(statement):
            self.read(expression, defined, statement.line)
        end = self.loop_body(statement.body, defined | {statement.var})
        if end is not None and surely_runs(statement) and not _has_break(statement.body):
            return end - {statement.var}
        return defined


def surely_runs(loop: Loop) -> bool:
    """Whether the bounds are numbers with at least one iteration between them."""
    start, stop = integer(loop.start), integer(loop.stop)
    return start is not None and stop is not None and (start < stop if loop.step > 0 else start > stop)


def _has_break(body: tuple[Stmt, ...]) -> bool:
    for statement in body:
        if isinstance(statement, Break):
            return True
        if isinstance(statement, If) and (_has_break(statement.then) or _has_break(statement.other)):
            return True
    return False


# --------------------------------------------------------------------- liveness


def live_after(statements: tuple[Stmt, ...], at_end: Iterable[str]) -> dict[str, Names]:
    """For each loop label, the names whose values may be read once the loop has ended."""
    walker = _Liveness(frozenset(at_end))
    walker.body(statements, walker.at_end, walker.at_end, walker.at_end)
    return walker.after


def live_at_end(function: Function) -> Names:
    """What outlives the call: arrays that came in as parameters, and global scalars."""
    return frozenset(p.name for p in function.parameters if p.is_array or p.is_global)


class _Liveness:
    def __init__(self, at_end: Names) -> None:
        self.at_end = at_end
        self.after: dict[str, Names] = {}

    def body(self, statements: tuple[Stmt, ...], out: Names, broken: Names, continued: Names) -> Names:
        for statement in reversed(statements):
            out = self.statement(statement, out, broken, continued)
        return out

    def statement(self, statement: Stmt, out: Names, broken: Names, continued: Names) -> Names:
        match statement:
            case Assign(target=Name(name), op=op, value=value):
                return (out - {name}) | _reads(value) | ({name} if op else frozenset())
            case Assign(target=Load() as target, op=op, value=value):
                inside = frozenset[str]().union(*(_reads(s) for s in target.subscripts))
                return out | _reads(value) | inside | ({target.array} if op else frozenset())
            case Declare(name=name):
                return (out - {name}).union(*(_reads(e) for e in expressions(statement)))
            case If(condition=condition, then=then, other=other):
                ends = (self.body(branch, out, broken, continued) for branch in (then, other))
                return _reads(condition).union(*ends)
            case Loop() | While():
                return self.loop(statement, out)
            case Break():
                return broken
            case Continue():
                return continued
            case Return(value=value):
                return self.at_end | (_reads(value) if value is not None else frozenset())
        return out.union(*(_reads(e) for e in expressions(statement)))

    def loop(self, statement: Loop | While, out: Names) -> Names:
        own = {statement.var} if isinstance(statement, Loop) else frozenset[str]()
        if isinstance(statement, Loop):
            self.after[statement.label] = out
        reads = frozenset[str]().union(*(_reads(e) for e in expressions(statement)))
        head = out | (reads if isinstance(statement, While) else frozenset())
        while True:
            wider = head | (self.body(statement.body, head, out, head) - own)
            if wider == head:
                return head | reads
            head = wider


def _reads(expression: Expr) -> Names:
    arrays = (e.array for e in walk_expression(expression) if isinstance(e, Load))
    return names_in(expression) | frozenset(arrays)
