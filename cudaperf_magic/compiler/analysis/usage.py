"""What statements read and write, by name: the liveness that mapping and lowering need. It knows no iteration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cudaperf_magic.compiler.loops import (
    Assign,
    Break,
    Continue,
    Declare,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Return,
    Shared,
    Stmt,
    While,
    expressions,
    walk,
    walk_expression,
)


@dataclass
class Usage:
    """Scalars and arrays that a statement list touches.

    exposed: scalars whose value from before may be read. assigned: scalars that may be written (loop variables of
    counted loops excepted). surely: written on every path. declared: declared inside. loads, stores: arrays.
    """

    exposed: set[str] = field(default_factory=set)
    assigned: set[str] = field(default_factory=set)
    surely: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)
    loads: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)

    @property
    def arrays(self) -> set[str]:
        return self.loads | self.stores

    def read(self, expression: Expr, bound: frozenset[str]) -> None:
        for part in walk_expression(expression):
            if isinstance(part, Load):
                self.loads.add(part.array)
            elif isinstance(part, Name) and part.name not in self.surely and part.name not in bound:
                self.exposed.add(part.name)


def usage(statements: Iterable[Stmt]) -> Usage:
    """Usage of a list in program order."""
    found = Usage()
    _visit(tuple(statements), found, frozenset())
    return found


def _visit(statements: tuple[Stmt, ...], found: Usage, bound: frozenset[str]) -> None:
    for statement in statements:
        match statement:
            case Declare():
                for part in expressions(statement):
                    found.read(part, bound)
                found.declared.add(statement.name)
                if statement.shape:
                    continue
                found.assigned.add(statement.name)
                if statement.init is not None:
                    found.surely.add(statement.name)
            case Assign():
                _assign(statement, found, bound)
            case Loop():
                found.read(statement.start, bound)
                found.read(statement.stop, bound)
                _perhaps(statement.body, found, bound | {statement.var})
            case While():
                if statement.is_do and not _leaves(statement.body):
                    _visit(statement.body, found, bound)
                    found.read(statement.condition, bound)
                else:
                    found.read(statement.condition, bound)
                    _perhaps(statement.body, found, bound)
            case If():
                found.read(statement.condition, bound)
                _both(statement, found, bound)
            case Shared():
                found.declared.add(statement.name)
            case _:
                for part in expressions(statement):
                    found.read(part, bound)


def _assign(statement: Assign, found: Usage, bound: frozenset[str]) -> None:
    found.read(statement.value, bound)
    target = statement.target
    if isinstance(target, Name):
        if statement.op and target.name not in found.surely:
            found.exposed.add(target.name)
        found.assigned.add(target.name)
        found.surely.add(target.name)
        return
    for subscript in target.subscripts:
        found.read(subscript, bound)
    if statement.op:
        found.loads.add(target.array)
    found.stores.add(target.array)


def _perhaps(body: tuple[Stmt, ...], found: Usage, bound: frozenset[str]) -> None:
    """A body that may not run: what it writes is not sure afterwards."""
    before = set(found.surely)
    _visit(body, found, bound)
    found.surely = before


def _both(statement: If, found: Usage, bound: frozenset[str]) -> None:
    before = set(found.surely)
    _visit(statement.then, found, bound)
    after_then = found.surely if not _leaves(statement.then) else None
    found.surely = set(before)
    _visit(statement.other, found, bound)
    after_other = found.surely if not _leaves(statement.other) else None
    if after_then is None:
        found.surely = after_other if after_other is not None else before
    elif after_other is None:
        found.surely = after_then
    else:
        found.surely = after_then & after_other


def _leaves(body: tuple[Stmt, ...]) -> bool:
    """Whether control may leave the list before its end."""
    return any(isinstance(s, (Break, Continue, Return)) for s in walk(body))
