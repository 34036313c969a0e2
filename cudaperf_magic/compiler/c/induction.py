"""Secondary induction variables -> expressions of the loop variable: `k++` beside `i++` makes k `k0 + (i - start)`.

This is what turns pointer walks, running indices and `j--` beside `i++` into plain subscripts. Accumulators that the
loop does not otherwise read stay as they are: they are reductions, which dependence.py knows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c.ranges import entry_value, trip_count, trip_fact
from cudaperf_magic.compiler.c.raw import (
    AnyStmt,
    Body,
    assigned,
    before_each,
    is_unchanged,
    leaves_here,
    map_body,
    reads,
    replace_names,
    with_parts,
    written_arrays,
)
from cudaperf_magic.compiler.c.types import INTEGERS, SIZES
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Break,
    Cast,
    Const,
    Continue,
    Declare,
    Expr,
    Loop,
    Name,
    Stmt,
)


@dataclass
class Inductions:
    """Rewrites the loops of one function, innermost first."""

    types: dict[str, str]
    managed: set[str]
    type_of: Callable[[Expr], str]
    unique: Callable[[str], str]

    def rewrite(self, body: Body) -> Body:
        done: list[AnyStmt] = []
        for statement in body:
            statement = with_parts(statement, self.rewrite)
            if isinstance(statement, Loop):
                self._loop(statement, done)
            else:
                done.append(statement)
        return tuple(done)

    def _loop(self, loop: Loop, done: list[AnyStmt]) -> None:
        after: list[AnyStmt] = []
        while (at := self._candidate(loop)) is not None:
            loop = self._substitute(loop, at, done, after)
        done.append(loop)
        done.extend(after)

    def _candidate(self, loop: Loop) -> int | None:
        """The index of a statement `k += c` that every iteration runs once, k being read elsewhere in the body."""
        if leaves_here(loop.body, Continue):
            return None
        total, arrays, used = assigned(loop.body), written_arrays(loop.body), reads(loop.body)
        total[loop.var] += 1
        for at, statement in enumerate(loop.body):
            if not isinstance(statement, Assign) or not isinstance(statement.target, Name):
                continue
            name = statement.target.name
            by = _increment(statement)
            if by is None or total[name] != 1 or used[name] <= reads((statement,))[name]:
                continue
            if self.types.get(name, "?") not in INTEGERS or loop.type not in INTEGERS:
                continue
            if Name(name) in (loop.start, loop.stop) or not self._is_exact(by[1], name):
                continue
            if name not in reads((Assign(Name("_"), "", by[1]),)) and is_unchanged(by[1], total, arrays):
                return at
        return None

    def _is_exact(self, by: Expr, name: str) -> bool:
        """Is stepping by this many the same as adding the product at once?"""
        kind = self.type_of(by)
        return (kind in INTEGERS and SIZES[kind] <= SIZES[self.types[name]]) or c_fold.integer(by) is not None

    def _substitute(self, loop: Loop, at: int, done: list[AnyStmt], after: list[AnyStmt]) -> Loop:
        step = loop.body[at]
        assert isinstance(step, Assign) and isinstance(step.target, Name)
        name, increment = step.target.name, _increment(step)
        assert increment is not None
        op, by = increment
        head, tail = loop.body[:at], loop.body[at + 1 :]
        leaves = leaves_here(loop.body, Break)
        entry = self._entry(name, loop, done, leaves)
        turns = self._turns(loop, name)
        before, later = _moved(entry, op, by, turns), _moved(entry, op, by, c_fold.plus(turns, c_fold.ONE))
        first: Body = replace_names(head, {name: before})
        second: Body = replace_names(tail, {name: later})
        total = trip_count(loop.start, loop.stop, loop.step)
        if self.types[name] != loop.type and c_fold.integer(total) is None:
            total = Cast(self.types[name], total)
        end = Assign(Name(name), "", _moved(entry, op, by, total), step.line)
        if leaves:
            first = before_each(first, Break, (Assign(Name(name), "", before),))
            second = before_each(second, Break, (Assign(Name(name), "", later),))
            done.append(end)
        else:
            after.append(end)
        self.managed.add(name)
        return replace(loop, body=_typed(_with_facts((*first, *second))))

    def _entry(self, name: str, loop: Loop, done: list[AnyStmt], leaves: bool) -> Expr:
        """What the variable holds when the loop begins, as an expression that keeps its value inside."""
        known = entry_value(name, done)
        if known is not None and is_unchanged(known, assigned((loop,)), written_arrays((loop,))):
            same = self.type_of(known) == self.types[name] or c_fold.integer(known) is not None
            return known if same else Cast(self.types[name], known)
        if not leaves:
            return Name(name)
        start = self.unique(f"{name.split('#')[0]}_start")
        self.types[start] = self.types[name]
        self.managed.add(start)
        done.append(Declare(start, self.types[name], init=Name(name)))
        return Name(start)

    def _turns(self, loop: Loop, name: str) -> Expr:
        """Iterations done so far, in the variable's own type."""
        own: Expr = Name(loop.var)
        start = loop.start
        if self.types[name] != loop.type:
            own = Cast(self.types[name], own)
            start = start if c_fold.integer(start) is not None else Cast(self.types[name], start)
        distance = c_fold.minus(own, start) if loop.step > 0 else c_fold.minus(start, own)
        return distance if abs(loop.step) == 1 else Binary("/", distance, Const(str(abs(loop.step))))


def _typed(body: Body) -> tuple[Stmt, ...]:
    return body  # type: ignore[return-value]


def _increment(statement: Assign) -> tuple[str, Expr] | None:
    value = statement.value
    if statement.op in ("+", "-"):
        return statement.op, value
    if statement.op == "" and isinstance(value, Binary) and value.op in "+-":
        if value.left == statement.target:
            return value.op, value.right
        if value.op == "+" and value.right == statement.target:
            return "+", value.left
    return None


def _moved(entry: Expr, op: str, by: Expr, turns: Expr) -> Expr:
    """entry op turns * by"""
    amount = c_fold.times(turns, by)
    if op == "-":
        return c_fold.minus(entry, amount)
    if isinstance(entry, Const) or not isinstance(amount, Const):
        return c_fold.plus(entry, amount)
    return c_fold.plus(amount, entry) if c_fold.integer(amount) is None else c_fold.plus(entry, amount)


def _with_facts(body: Body) -> Body:
    """Inside a loop that runs, its count is not zero: `m > 0 ? m : 0` is m there."""

    def one(statement: AnyStmt) -> AnyStmt:
        statement = with_parts(statement, _with_facts)
        if isinstance(statement, Loop):
            fact = trip_fact(statement.start, statement.stop, statement.step)
            inner = map_body(statement.body, lambda e: c_fold.assume(e, fact))
            return replace(statement, body=_typed(inner))
        return statement

    return tuple(one(statement) for statement in body)
