"""Whether a C function's own index arithmetic overflows at sizes at which nobody can afford to watch it run.

Interval arithmetic over sizes and loop variables. What the data decides is left to the runs at small sizes: only what
grows with the sizes is asked about here. It runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cudaperf_magic.compiler.c.types import type_of
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Cast,
    Const,
    Declare,
    Expr,
    Function,
    If,
    Loop,
    Name,
    Stmt,
    Symbols,
    Ternary,
    Unary,
    While,
    expressions,
    walk,
)

Interval = tuple[int, int]
INT = (-(2**31), 2**31 - 1)  # of every signed type that arithmetic happens in and that sizes can outgrow


def overflowing_line(function: Function, sizes: Mapping[str, int], before: Mapping[str, int]) -> int:
    """The line of the first sum, difference or product of ints that may leave its type at `sizes`, and did not at
    `before`; 0 when there is none.
    """
    found = set(_overflows(function, sizes))
    return min(found - set(_overflows(function, before)), default=0) if found else 0


def _overflows(function: Function, sizes: Mapping[str, int]) -> Iterator[int]:
    names: dict[str, Interval] = {}
    for name, _, text in function.constants:
        value = Const(text).value
        if isinstance(value, int):
            names[name] = (value, value)
    names |= {name: (value, value) for name, value in sizes.items()}
    reader = _Reader(function)
    reader.statements(function.body, names)
    yield from reader.lines


class _Reader:
    """Follows the statements once; a scalar that is set twice or more stands for nothing."""

    def __init__(self, function: Function) -> None:
        self.types = Symbols.of(function).types
        self.results = {helper.name: helper.return_type for helper in function.helpers}
        self.lines: list[int] = []
        self.line = 0
        sets = [s.target.name for s in walk(function.body) if isinstance(s, Assign) and isinstance(s.target, Name)]
        sets += [s.name for s in walk(function.body) if isinstance(s, Declare) and s.init is not None]
        self.changing = {name for name in sets if sets.count(name) > 1}

    def statements(self, body: tuple[Stmt, ...], names: dict[str, Interval]) -> None:
        for statement in body:
            self.line = getattr(statement, "line", 0) or self.line
            for expression in expressions(statement):
                self.value(expression, names)
            match statement:
                case Declare(name, init=init) if init is not None:
                    self.learn(name, init, names)
                case Assign(Name(name), "", value):
                    self.learn(name, value, names)
                case Loop():
                    self.loop(statement, names)
                case While(body=inside):
                    self.statements(inside, dict(names))
                case If(then=then, other=other):
                    self.statements(then, dict(names))
                    self.statements(other, dict(names))

    def learn(self, name: str, value: Expr, names: dict[str, Interval]) -> None:
        found = None if name in self.changing else self.value(value, names)
        if found is None:
            names.pop(name, None)
        else:
            names[name] = found

    def loop(self, loop: Loop, names: dict[str, Interval]) -> None:
        start, stop = self.value(loop.start, names), self.value(loop.stop, names)
        inside = dict(names)
        inside.pop(loop.var, None)
        if start is not None and stop is not None:
            ends = (start[0], stop[1] - 1) if loop.step > 0 else (stop[0] + 1, start[1])
            if ends[0] > ends[1]:
                return  # no iteration at these sizes
            inside[loop.var] = ends
        self.statements(loop.body, inside)

    def value(self, expression: Expr, names: Mapping[str, Interval]) -> Interval | None:
        match expression:
            case Const():
                number = expression.value
                return (number, number) if isinstance(number, int) else None
            case Name(name):
                return names.get(name)
            case Cast(kind, operand):
                inner = self.value(operand, names)
                return inner if kind not in ("float", "double") else None
            case Unary("-", operand):
                inner = self.value(operand, names)
                return None if inner is None else (-inner[1], -inner[0])
            case Ternary(condition, then, other):
                self.value(condition, names)
                sides = self.value(then, names), self.value(other, names)
                return None if sides[0] is None or sides[1] is None else _hull(*sides[0], *sides[1])
            case Binary():
                return self.binary(expression, names)
            case _:
                for child in getattr(expression, "subscripts", getattr(expression, "arguments", ())):
                    self.value(child, names)
                return None

    def binary(self, binary: Binary, names: Mapping[str, Interval]) -> Interval | None:
        left, right = self.value(binary.left, names), self.value(binary.right, names)
        if left is None or right is None:
            return None
        found = _combined(binary.op, left, right)
        if found is None or binary.op not in ("+", "-", "*"):
            return found
        if type_of(binary, self.types, self.results) != "int":
            return found
        if found[0] < INT[0] or found[1] > INT[1]:
            self.lines.append(self.line)
            return None
        return found


def _combined(op: str, left: Interval, right: Interval) -> Interval | None:
    (a, b), (c, d) = left, right
    match op:
        case "+":
            return a + c, b + d
        case "-":
            return a - d, b - c
        case "*":
            return _hull(a * c, a * d, b * c, b * d)
        case "/" if c > 0:
            return _hull(*(int(x / y) if abs(x) < 2**53 else x // y for x in (a, b) for y in (c, d)))
        case "%" if c > 0:
            return (0 if a >= 0 else 1 - d), d - 1
        case _:
            return None


def _hull(*values: int) -> Interval:
    return min(values), max(values)
