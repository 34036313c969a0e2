"""Every array element that a function reads or writes, with the loops and conditions around it.

It records what the program says, with integer scalars substituted; it decides nothing about dependence.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from cudaperf_magic.compiler.analysis.updates import Update, selection, update_of
from cudaperf_magic.compiler.analysis.values import Environment, Typing, assigned_names, written_arrays
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
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
    Ternary,
    While,
    bodies,
    children,
    walk,
)


@dataclass(frozen=True, eq=False)
class Frame:
    """A loop, a while or a condition around an access. Expressions are as they were when the frame was entered.

    `assigned` and `written` are what changes inside it: expressions that mention those do not hold there.
    """

    kind: Literal["loop", "while", "guard"]
    at: int
    assigned: frozenset[str]
    written: frozenset[str]
    loop: Loop | None = None
    start: Expr | None = None
    stop: Expr | None = None
    condition: Expr | None = None
    positive: bool = True


@dataclass(frozen=True, eq=False)
class Access:
    """One reading or writing of `array[subscripts].field` in the program text.

    `at` orders accesses of one loop body; `update` is the operator when the access belongs to `a[e] op= v`.
    `is_sure`: it happens in every iteration of its loops that meets its guards.
    """

    array: str
    field: str
    subscripts: tuple[Expr, ...]
    original: Load
    is_write: bool
    frames: tuple[Frame, ...]
    at: int
    line: int
    is_sure: bool
    update: Update | None = None
    stored: Expr | None = None  # the right-hand side of a plain assignment to it
    path: tuple[int, ...] = ()  # positions in the statement lists around it, outermost first

    @property
    def loops(self) -> tuple[Loop, ...]:
        return tuple(f.loop for f in self.frames if f.loop is not None)

    def inside(self, label: str) -> bool:
        return any(loop.label == label for loop in self.loops)


@dataclass(frozen=True)
class Record:
    """All accesses in program order; for each loop label the frames around it, its own last, and its path."""

    accesses: tuple[Access, ...]
    around: dict[str, tuple[Frame, ...]]
    paths: dict[str, tuple[int, ...]]


def record(statements: tuple[Stmt, ...], typing: Typing) -> Record:
    """Walk the statements and record every access."""
    walker = _Walker(typing)
    walker.body(statements)
    return Record(tuple(walker.found), walker.around, walker.paths)


def leaves(statements: tuple[Stmt, ...]) -> bool:
    """Whether the last statement surely jumps away."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, If):
        return leaves(last.then) and leaves(last.other)
    return isinstance(last, (Break, Continue, Return))


def jumps(statements: tuple[Stmt, ...], kinds: tuple[type, ...]) -> Iterator[Stmt]:
    """Breaks and continues that act on the loop whose body this is, and returns at any depth."""
    for statement in statements:
        if isinstance(statement, kinds):
            yield statement
        elif isinstance(statement, (Loop, While)):
            yield from (s for s in walk(statement.body) if isinstance(s, Return) and Return in kinds)
        else:
            for body in bodies(statement):
                yield from jumps(body, kinds)


class _Walker:
    def __init__(self, typing: Typing) -> None:
        self.typing = typing
        self.values = Environment(typing)
        self.frames: list[Frame] = []
        self.found: list[Access] = []
        self.around: dict[str, tuple[Frame, ...]] = {}
        self.paths: dict[str, tuple[int, ...]] = {}
        self.path: list[int] = []
        self.clock = 0
        self.is_sure = True
        self.has_returned = False
        self.updates: list[Update] = []

    def tick(self) -> int:
        self.clock += 1
        return self.clock

    @contextmanager
    def framed(self, frame: Frame) -> Iterator[None]:
        depth = len(self.frames)
        self.frames.append(frame)
        yield
        del self.frames[depth:]

    def guard(self, condition: Expr, positive: bool, inside: tuple[Stmt, ...] = ()) -> Frame:
        names, arrays = assigned_names(inside), written_arrays(inside)
        return Frame("guard", self.tick(), names, arrays, condition=condition, positive=positive)

    # ------------------------------------------------------------- expressions

    def read(self, expression: Expr, line: int) -> None:
        """Record the loads of an expression; those that && || ?: skip stand under a guard."""
        match expression:
            case Binary("&&" | "||" as op, left, right):
                self.read(left, line)
                with self.framed(self.guard(self.values.resolve(left), op == "&&")):
                    self.read(right, line)
            case Ternary(condition, then, other):
                self.read(condition, line)
                for arm, positive in ((then, True), (other, False)):
                    with self.framed(self.guard(self.values.resolve(condition), positive)):
                        self.read(arm, line)
            case _:
                for child in children(expression):
                    self.read(child, line)
                if isinstance(expression, Load):
                    self.record(expression, False, line)

    def record(self, load: Load, is_write: bool, line: int, stored: Expr | None = None) -> None:
        update = next((u for u in self.updates if load in (u.target, *(place for place, _ in u.companions))), None)
        resolved = tuple(self.values.resolve(s) for s in load.subscripts)
        sure = self.is_sure and not self.has_returned
        self.found.append(
            Access(
                load.array, load.field, resolved, load, is_write, tuple(self.frames), self.tick(), line, sure, update,
                stored, tuple(self.path),
            )
        )  # fmt: skip

    # -------------------------------------------------------------- statements

    def body(self, statements: tuple[Stmt, ...]) -> None:
        depth = len(self.frames)
        self.path.append(0)
        for position, statement in enumerate(statements):
            self.path[-1] = position
            condition = self.values.resolve(statement.condition) if isinstance(statement, If) else None
            self.statement(statement)
            rest = statements[position + 1 :]
            if not rest or not isinstance(statement, If) or condition is None:
                continue
            if leaves(statement.then) or leaves(statement.other):
                # What follows runs only where the branch that jumps away was not taken.
                changed = (*statement.then, *statement.other, *rest)
                self.frames.append(self.guard(condition, not leaves(statement.then), changed))
        self.path.pop()
        del self.frames[depth:]

    def statement(self, statement: Stmt) -> None:
        match statement:
            case Declare():
                self.declare(statement)
            case Assign():
                self.assign(statement)
            case Loop() | While():
                self.loop(statement)
            case If():
                self.branch(statement)
            case Return(value, line):
                if value is not None:
                    self.read(value, line)
                self.has_returned = self.has_returned or bool(self.frames)
            case Evaluate(value, line):
                self.read(value, line)

    def declare(self, statement: Declare) -> None:
        for expression in (*statement.shape, *statement.table):
            self.read(expression, statement.line)
        if statement.shape:
            self.values.forget((), (statement.name,))
        elif statement.init is None:
            self.values.forget((statement.name,))
        else:
            self.read(statement.init, statement.line)
            self.values.assign(statement.name, "", statement.init)

    def assign(self, statement: Assign) -> None:
        update = update_of(statement)
        if update is not None:
            self.updates.append(update)
        self.read(statement.value, statement.line)
        if isinstance(statement.target, Name):
            self.values.assign(statement.target.name, statement.op, statement.value)
        else:
            for subscript in statement.target.subscripts:
                self.read(subscript, statement.line)
            if statement.op:
                self.record(statement.target, False, statement.line)
            self.record(statement.target, True, statement.line, None if statement.op else statement.value)
            self.values.forget((), (statement.target.array,))
        if update is not None:
            self.updates.pop()

    def branch(self, statement: If) -> None:
        update = selection(statement)
        if update is not None:
            self.updates.append(update)
        self.read(statement.condition, statement.line)
        condition = self.values.resolve(statement.condition)
        before = self.values
        ends = []
        for body, positive in ((statement.then, True), (statement.other, False)):
            self.values = before.copy()
            returned = self.has_returned
            with self.framed(self.guard(condition, positive, body)):
                self.body(body)
            told = leaves(body)  # then the guard on what follows says exactly when the last jump was not taken
            if told:
                self.has_returned = returned
            if any(True for _ in jumps(body[:-1] if told else body, (Break, Continue, Return))):
                self.is_sure = False
            ends.append(self.values)
        self.values = before
        if leaves(statement.then) != leaves(statement.other):
            self.values = ends[1] if leaves(statement.then) else ends[0]
        else:
            self.values.join(condition, ends[0], ends[1], (*statement.then, *statement.other))
        if update is not None:
            self.updates.pop()

    def loop(self, statement: Loop | While) -> None:
        names = assigned_names((statement,))
        arrays = written_arrays(statement.body)
        frame = Frame("while", self.tick(), names, arrays)
        if isinstance(statement, Loop):
            self.read(statement.start, statement.line)
            self.read(statement.stop, statement.line)
            start, stop = self.values.resolve(statement.start), self.values.resolve(statement.stop)
            frame = replace(frame, kind="loop", loop=statement, start=start, stop=stop)
            self.around[statement.label] = (*self.frames, frame)
            self.paths[statement.label] = tuple(self.path)
        self.values.forget(names, arrays)
        was_sure = self.is_sure
        stops_early = any(True for _ in jumps(statement.body, (Break, Return)))
        if stops_early or isinstance(statement, While):
            self.is_sure = False
        with self.framed(frame):
            if isinstance(statement, While):
                self.read(statement.condition, statement.line)
            self.body(statement.body)
        self.is_sure = was_sure
        if any(True for _ in jumps(statement.body, (Return,))):
            self.has_returned = True
        self.values.forget(names, arrays)
