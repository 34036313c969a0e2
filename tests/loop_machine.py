"""Runs the loop-nest IR in Python, with the iterations of chosen loops in another order: the judge of the analyses.

Memory is a dictionary, so that no subscript is out of bounds; arithmetic is C's on integers that do not overflow.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Break,
    Call,
    Cast,
    Comment,
    Const,
    Continue,
    Declare,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Return,
    Stmt,
    Ternary,
    Unary,
    While,
)

Memory = dict[tuple[object, ...], int]


class Unset(Exception):
    """A scalar was read before it was set."""


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class _Return(Exception):
    pass


class Machine:
    """`orders[label]` reorders the iterations of a loop; `private[label]` names scalars that each iteration owns.

    `last[label]` are private as well, and keep the value that the last iteration, in source order, gave them.
    """

    def __init__(self, scalars: dict[str, int], initial: Callable[[str, tuple[int, ...]], int]) -> None:
        self.scalars = dict(scalars)
        self.memory: Memory = {}
        self.initial = initial
        self.orders: dict[str, Callable[[list[int]], list[int]]] = {}
        self.private: dict[str, frozenset[str]] = {}
        self.last: dict[str, frozenset[str]] = {}
        self.reads: set[tuple[object, ...]] = set()  # elements read before any write

    def run(self, statements: tuple[Stmt, ...]) -> None:
        with contextlib.suppress(_Return):
            self.body(statements)

    def body(self, statements: tuple[Stmt, ...]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, statement: Stmt) -> None:
        match statement:
            case Declare(name=name, init=init, shape=()):
                if init is None:
                    self.scalars.pop(name, None)
                else:
                    self.scalars[name] = self.value(init)
            case Declare(name=name):
                for key in [k for k in self.memory if k[0] == name]:
                    del self.memory[key]
            case Assign(target=target, op=op, value=value):
                new = self.value(Binary(op, target, value) if op else value)
                if isinstance(target, Name):
                    self.scalars[target.name] = new
                else:
                    self.memory[self.place(target)] = new
            case Loop():
                self.loop(statement)
            case While(condition=condition, body=body):
                budget = 40
                while self.value(condition) and budget:
                    budget -= 1
                    try:
                        self.body(body)
                    except _Continue:
                        continue
                    except _Break:
                        break
            case If(condition=condition, then=then, other=other):
                self.body(then if self.value(condition) else other)
            case Break():
                raise _Break
            case Continue():
                raise _Continue
            case Return():
                raise _Return
            case Comment():
                pass
            case _:
                raise AssertionError(statement)

    def loop(self, loop: Loop) -> None:
        start, stop = self.value(loop.start), self.value(loop.stop)
        iterations = list(range(start, stop, loop.step))
        own = self.private.get(loop.label, frozenset()) | self.last.get(loop.label, frozenset())
        kept: dict[str, int] = {}
        for i in self.orders.get(loop.label, list)(iterations):
            self.scalars[loop.var] = i
            for name in own:
                self.scalars.pop(name, None)
            try:
                with contextlib.suppress(_Continue):
                    self.body(loop.body)
            except _Break:
                break
            if i == iterations[-1]:
                kept = {n: self.scalars[n] for n in self.last.get(loop.label, frozenset())}
        for name in own if iterations else ():
            self.scalars.pop(name, None)
        self.scalars.update(kept)

    def place(self, load: Load) -> tuple[object, ...]:
        return (load.array, load.field, *(self.value(s) for s in load.subscripts))

    def value(self, expression: Expr) -> int:
        match expression:
            case Const():
                return int(expression.value or 0)
            case Name(name):
                if name not in self.scalars:
                    raise Unset(name)
                return self.scalars[name]
            case Load(array=array):
                key = self.place(expression)
                if key not in self.memory:
                    self.reads.add(key)
                    self.memory[key] = self.initial(array, key[2:])  # type: ignore[arg-type]
                return self.memory[key]
            case Unary("-", operand):
                return -self.value(operand)
            case Unary("!", operand):
                return int(not self.value(operand))
            case Cast(_, operand) | Unary("+", operand):
                return self.value(operand)
            case Binary("&&", left, right):
                return int(bool(self.value(left)) and bool(self.value(right)))
            case Binary("||", left, right):
                return int(bool(self.value(left)) or bool(self.value(right)))
            case Binary(op, left, right):
                return OPERATIONS[op](self.value(left), self.value(right))
            case Ternary(condition, then, other):
                return self.value(then if self.value(condition) else other)
            case Call("max" | "fmaxf", (left, right)):
                return max(self.value(left), self.value(right))
            case Call("min" | "fminf", (left, right)):
                return min(self.value(left), self.value(right))
        raise AssertionError(expression)


def _divide(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: _divide(a, b) if b else 0,
    "%": lambda a, b: a - b * _divide(a, b) if b else 0,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    ">>": lambda a, b: a >> b,
    "<<": lambda a, b: a << b,
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
}
