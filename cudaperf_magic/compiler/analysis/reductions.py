"""Loops whose iterations only update an accumulator: which, by what operator, and where it lies.

It knows spellings and mentions of scalars; that array elements really are the same place is for dependence.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cudaperf_magic.compiler.analysis.updates import Operator, Place, Update, selection, update_of
from cudaperf_magic.compiler.loops import (
    Assign,
    Const,
    Declare,
    Expr,
    If,
    Name,
    Stmt,
    bodies,
    expressions,
    names_in,
)

Scope = Literal["scalar", "fixed", "scattered"]


@dataclass(frozen=True)
class Reduction:
    """An accumulator of a loop: `target` starts with what it holds and takes in one value an iteration.

    scope: a scalar; one array element that this loop does not move ("fixed"); or elements chosen by this loop or by
    loops inside it, which may coincide ("scattered": atomics). `is_uniform`: scattered, but only by inner loops.
    companions, ties, by_index: of arg-min and arg-max, as in `Update`.
    store: for `if (c) found = 1`: the constant that is stored; any number of times in any order is the same.
    """

    target: Place
    operator: Operator
    scope: Scope
    updates: tuple[Update, ...] = ()
    companions: tuple[tuple[Place, Expr], ...] = ()
    ties: Literal["first", "last"] = "first"
    by_index: bool = False
    store: Expr | None = None
    lines: tuple[int, ...] = ()
    is_uniform: bool = False

    @property
    def names(self) -> frozenset[str]:
        """Scalars that this reduction accounts for."""
        places = (self.target, *(place for place, _ in self.companions))
        return frozenset(place.name for place in places if isinstance(place, Name))


def scalar_reduction(body: tuple[Stmt, ...], name: str) -> Reduction | None:
    """The reduction that keeps scalar `name`, when the body only ever updates it with one operator."""
    found = _Mentions(name)
    if not found.collect(body):
        return None
    if found.stores and not found.updates:
        return _constant_store(name, found.stores)
    if not found.updates or found.stores:
        return None
    first = found.updates[0]
    places = [place for place, _ in first.companions]
    for other in found.updates[1:]:
        alike = (other.target, other.operator, other.ties) == (first.target, first.operator, first.ties)
        if not alike or [place for place, _ in other.companions] != places:
            return None
    return reduction_of(tuple(found.updates), "scalar")


def reduction_of(updates: tuple[Update, ...], scope: Scope) -> Reduction:
    first = updates[0]
    return Reduction(
        first.target,
        first.operator,
        scope,
        updates,
        first.companions,
        first.ties,
        first.by_index,
        lines=tuple(dict.fromkeys(u.line for u in updates)),
    )


def _constant_store(name: str, stores: list[Assign]) -> Reduction | None:
    value = stores[0].value
    if not isinstance(value, Const) or any(s.value != value for s in stores):
        return None
    return store_reduction(Name(name), value, "scalar", tuple(s.line for s in stores))


def store_reduction(target: Place, value: Const, scope: Scope, lines: tuple[int, ...]) -> Reduction:
    operator: Operator = "&&" if value.value == 0 or value.text == "false" else "||"
    return Reduction(target, operator, scope, store=value, lines=tuple(dict.fromkeys(lines)))


class _Mentions:
    """Every mention of one scalar in a body, sorted into updates and plain stores."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.updates: list[Update] = []
        self.stores: list[Assign] = []

    def collect(self, body: tuple[Stmt, ...]) -> bool:
        """False as soon as the scalar is mentioned in any other way."""
        return all(self.statement(statement) for statement in body)

    def statement(self, statement: Stmt) -> bool:
        if isinstance(statement, If):
            update = selection(statement)
            if update is not None and self.concerns(update):
                self.updates.append(update)
                return True
        if isinstance(statement, Declare) and statement.name == self.name:
            return False
        if isinstance(statement, Assign) and statement.target == Name(self.name):
            update = update_of(statement)
            if update is not None:
                self.updates.append(update)
                return True
            if statement.op or self.name in names_in(statement.value):
                return False
            self.stores.append(statement)
            return True
        if any(self.name in names_in(e) for e in expressions(statement)):
            return False
        return all(self.collect(inner) for inner in bodies(statement))

    def concerns(self, update: Update) -> bool:
        return Name(self.name) in (update.target, *(place for place, _ in update.companions))
