"""Flat subscripts seen as several: `a[i*m + j]` with 0 <= j < m is `a[i][j]`, for analysis.

An array is shaped only when every access to it proves the bounds; otherwise its subscripts stay as written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import gcd

from cudaperf_magic.compiler.analysis.accesses import Access, record
from cudaperf_magic.compiler.analysis.affine import Monomial, Polynomial, add, expand, expression_of, multiply, simplify
from cudaperf_magic.compiler.analysis.formulas import Instance, Scope, rules
from cudaperf_magic.compiler.analysis.monotony import highest
from cudaperf_magic.compiler.analysis.presburger import is_empty
from cudaperf_magic.compiler.analysis.values import Typing, written_arrays
from cudaperf_magic.compiler.loops import (
    Assign,
    Declare,
    Expr,
    Function,
    If,
    Load,
    Loop,
    Name,
    Stmt,
    While,
    expressions,
    map_statement,
    names_in,
    walk,
)


@dataclass(frozen=True)
class Stride:
    """A product of fixed names, times a number: how far apart two neighbours along one dimension lie."""

    symbols: Monomial
    factor: int = 1

    def over(self, below: Stride) -> Polynomial | None:
        """The exact quotient of two strides, or None."""
        symbols = _without(self.symbols, below.symbols)
        return None if symbols is None or self.factor % below.factor else {symbols: self.factor // below.factor}

    def take(self, terms: Polynomial) -> Polynomial | None:
        """Remove the multiples of this stride from the terms and return how many there are; None when not whole."""
        quotient: Polynomial = {}
        for monomial in list(terms):
            other = _without(monomial, self.symbols)
            if other is not None:
                coefficient = terms.pop(monomial)
                if coefficient % self.factor:
                    return None
                quotient = add(quotient, {other: coefficient // self.factor})
        return quotient


UNIT = Stride(())


def _without(monomial: Monomial, part: Monomial) -> Monomial | None:
    """The product without the factors of `part`, or None when they are not all in it."""
    left = list(monomial)
    for factor in part:
        if factor not in left:
            return None
        left.remove(factor)
    return tuple(left)


class Shaped:
    """The subscripts of accesses, with flat arrays split along the symbolic strides that their accesses share.

    `assumed` has, for each array, what was taken to be greater than zero for it: strides, where no loop proves it; and
    only when `is_lenient`, the room that a row leaves (`pitch - width + 1`).
    """

    def __init__(
        self, found: Iterable[Access], statements: tuple[Stmt, ...], typing: Typing, is_lenient: bool = False
    ) -> None:
        self.is_lenient = is_lenient
        self.assumed: dict[str, list[Expr]] = {}
        self.typing = typing
        self.changing = typing.changing(statements)
        self.written = written_arrays(statements)
        self.splits: dict[int, tuple[Expr, ...]] = {}
        self.strides: dict[str, tuple[Stride, ...]] = {}
        by_array: dict[str, list[Access]] = {}
        for access in found:
            by_array.setdefault(access.array, []).append(access)
        for array, members in by_array.items():
            if all(len(a.subscripts) == 1 for a in members):
                self._shape(array, members)

    def subscripts(self, access: Access) -> tuple[Expr, ...]:
        return self.splits.get(id(access), access.subscripts)

    def _shape(self, array: str, members: list[Access]) -> None:
        factors: dict[Monomial, int] = {}
        for access in members:
            variables = {loop.var for loop in access.loops}
            for monomial, coefficient in self.typing.expand(access.subscripts[0]).items():
                inside = [a for a in monomial if isinstance(a, Name) and a.name in variables]
                fixed = tuple(a for a in monomial if a not in inside)
                if inside and fixed and all(self._is_fixed(a) for a in fixed):
                    factors[fixed] = gcd(factors.get(fixed, 0), coefficient)
        strides = [Stride(m, f) for m, f in sorted(factors.items(), key=lambda item: len(item[0]), reverse=True)]
        if not strides or any(a.over(b) is None for a, b in pairwise(strides)):
            return
        splits = {}
        for access in members:
            split = self._split(access, strides)
            if split is None:
                self.assumed.pop(array, None)
                return
            splits[id(access)] = split
        self.splits.update(splits)
        self.strides[array] = tuple(strides)

    def _is_fixed(self, atom: Expr) -> bool:
        return isinstance(atom, Name) and atom.name not in self.changing

    def _split(self, access: Access, strides: list[Stride]) -> tuple[Expr, ...] | None:
        rest = self.typing.expand(access.subscripts[0])
        indices: list[Polynomial] = []
        for stride in strides:
            quotient = stride.take(rest)
            if quotient is None:
                return None
            indices.append(quotient)
        indices.append(rest)
        # Each index but the first lies below the ratio of two neighbouring strides; else carry into the one above.
        for position in range(len(indices) - 1, 0, -1):
            extent = strides[position - 1].over(strides[position] if position < len(strides) else UNIT)
            carry = None if extent is None else self._carry(access, indices[position], expression_of(extent))
            if carry is None or extent is None:
                return None
            if carry:
                indices[position] = add(indices[position], multiply(extent, {(): carry}))
                indices[position - 1] = add(indices[position - 1], {(): -carry})
        return tuple(expression_of(i) for i in indices)

    def _carry(self, access: Access, index: Polynomial, extent: Expr) -> int | None:
        """The whole number k for which 0 <= index + k*extent < extent, wherever the access happens."""
        for assumption in (None, extent):
            for carry in (0, 1, -1):
                shifted = expression_of(add(index, multiply(expand(extent), {(): carry})))
                value_below, value_above = self._leaves(access, shifted, extent, assumption)
                if value_below or value_above:
                    continue
                if assumption is not None:
                    self._assume(access.array, assumption)
                return carry
        if not self.is_lenient or self._leaves(access, expression_of(index), extent, None)[0]:
            return None
        top = highest(index, access.frames, self.typing, self.changing)
        if top is None:
            return None
        self._assume(access.array, expression_of(add(expand(extent), top, -1)))
        return 0

    def _assume(self, array: str, positive: Expr) -> None:
        known = self.assumed.setdefault(array, [])
        if positive not in known:
            known.append(positive)

    def _leaves(self, access: Access, index: Expr, extent: Expr, positive: Expr | None) -> tuple[bool, bool]:
        """Whether the index can be below zero, and whether it can reach the extent."""
        scope = Scope(self.typing, self.changing, self.written)
        instance = Instance(scope, {loop.var: f"a_{loop.var}" for loop in access.loops})
        for frame in access.frames:
            instance.enter(frame, is_outside=True)
        value, limit = instance.affine(index), instance.affine(extent)
        given = [] if positive is None else [f"{instance.affine(positive)} >= 1"]
        found = []
        for outside in (f"{value} < 0", f"{value} >= {limit}"):
            parts = [*scope.definitions, *instance.constraints, *rules(instance.terms, False), *given, outside]
            inner = " and ".join(f"({c})" for c in parts)
            variables = [*instance.dims.values(), *instance.fresh]
            text = f"exists ({', '.join(variables)} : {inner})" if variables else inner
            found.append(not is_empty(f"[{', '.join(sorted(scope.parameters))}] -> {{ [] : {text} }}"))
        return found[0], found[1]


def delinearise(function: Function) -> Function:
    """The function with the flat symbolic subscripts of its parameters split, and their shapes with them.

    Only where all accesses to a parameter split alike and its declared extent is a whole number of rows.
    """
    typing = Typing.of(function).settling(function.body)
    found = record(function.body, typing).accesses
    shaped = Shaped(found, function.body, typing)
    shapes: dict[str, tuple[Expr, ...]] = {}
    for parameter in function.parameters:
        strides = shaped.strides.get(parameter.name)
        if strides and parameter.shape and len(parameter.shape) == 1:
            shape = split_shape(parameter.shape[0], strides)
            if shape is not None:
                shapes[parameter.name] = shape
    splits = {a.original: shaped.splits[id(a)] for a in found if id(a) in shaped.splits and a.array in shapes}
    for access in found:
        if access.array in shapes and splits.get(access.original) != shaped.splits.get(id(access)):
            shapes.pop(access.array)

    def change(e: Expr) -> Expr:
        return replace(e, subscripts=splits[e]) if isinstance(e, Load) and e in splits and e.array in shapes else e

    parameters = tuple(replace(p, shape=shapes.get(p.name, p.shape)) for p in function.parameters)
    body = tuple(map_statement(s, change) for s in function.body)
    return replace(function, parameters=parameters, body=_unread(_names(function.body) - _names(body), body))


def _names(statements: tuple[Stmt, ...]) -> set[str]:
    return {name for statement in walk(statements) for e in expressions(statement) for name in names_in(e)}


def _unread(gone: set[str], statements: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """The statements without the declarations of names that only the subscripts had read, as they were written."""
    gone = gone - {s.target.name for s in walk(statements) if isinstance(s, Assign) and isinstance(s.target, Name)}

    def inside(part: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(one(s) for s in part if not (isinstance(s, Declare) and s.name in gone and not s.shape))

    def one(statement: Stmt) -> Stmt:
        match statement:
            case Loop() | While():
                return replace(statement, body=inside(statement.body))
            case If():
                return replace(statement, then=inside(statement.then), other=inside(statement.other))
            case _:
                return statement

    return inside(statements) if gone else statements


def split_shape(extent: Expr, strides: tuple[Stride, ...]) -> tuple[Expr, ...] | None:
    terms = expand(extent)
    outermost = strides[0].take(terms)
    inner = [a.over(b) for a, b in zip(strides, [*strides[1:], UNIT], strict=True)]
    if outermost is None or terms or any(e is None for e in inner):
        return None
    return (simplify(expression_of(outermost)), *(expression_of(e) for e in inner if e is not None))
