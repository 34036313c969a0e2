"""Calls of helpers that touch memory -> their bodies, with parameters bound to what the caller passes.

Early returns become structured control flow. Scalar helpers are not inlined: they stay calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from pycparser import c_ast

from cudaperf_magic.compiler.c import declare as c_declare
from cudaperf_magic.compiler.c import expressions as c_expressions
from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c import places as c_places
from cudaperf_magic.compiler.c import program as c_program
from cudaperf_magic.compiler.c.raw import AnyStmt, Body, RawLoop, walk, with_parts
from cudaperf_magic.compiler.c.scope import (
    EXPRESSIONS,
    AddressOf,
    ArraySymbol,
    PointerValue,
    ScalarSymbol,
    Scopes,
    StructPlace,
    Value,
)
from cudaperf_magic.compiler.c.syntax import where
from cudaperf_magic.compiler.c.types import Array, CType, Pointer, Scalar, StructType
from cudaperf_magic.compiler.loops import Assign, Break, Cast, Const, Expr, If, Loop, Name, Return, Stmt, Unary, While
from cudaperf_magic.errors import TaskError

MOST_COPIES = 32  # of the statements that follow an early return


def inline(
    s: Scopes,
    function: c_ast.FuncDef,
    arguments: list[c_ast.Node],
    line: int | None,
    read_body: Callable[[Scopes, c_ast.Compound], None],
) -> Value:
    """The value of a call; its statements are emitted before it."""
    name = str(function.decl.name)
    result = s.program.types.resolve(function.decl.type.type)
    if not isinstance(result, (Scalar, StructType)):
        raise TaskError(f"{name} returns a pointer; return an index instead", where(function.decl).line)
    values = [s.value(argument) for argument in arguments]
    changed = c_program.changes(function)
    s.modified |= changed.modified
    s.moving |= changed.moving
    outer, s.names = s.names, [{}]
    s.calls.append(name)
    place = c_declare.struct_variable(s, name, result, None, line) if isinstance(result, StructType) else None
    s.returns.append(place)
    try:
        _bind(s, c_program.parameters_of(function, s.program.types), values, changed, line)
        with s.capture() as body:
            read_body(s, function.body)
    finally:
        s.names = outer
        s.returns.pop()
        s.calls.pop()
    s.line = line or s.line
    if isinstance(result, StructType):
        _emit_body(s, tuple(body), None, name, line)
        return place or c_fold.ZERO
    if result.name == "void":
        _emit_body(s, tuple(body), None, name, line)
        return c_fold.ZERO
    last = body[-1] if body else None
    if isinstance(last, Return) and last.value is not None and sum(isinstance(b, Return) for b in walk(body)) == 1:
        s.out.extend(body[:-1])
        same = s.type_of(last.value) == result.name
        return last.value if same else Cast(result.name, last.value)
    target = s.fresh(f"{name}_value", result.name)
    _emit_body(s, tuple(body), target, name, line)
    return target


def _bind(
    s: Scopes,
    parameters: list[tuple[str, CType, c_ast.Decl]],
    values: list[Value],
    changed: c_program.Changes,
    line: int | None,
) -> None:
    """Give each parameter the caller's value: scalars first, since array extents name them."""
    arrays: list[tuple[str, Pointer | Array, Value]] = []
    for (name, kind, _), value in zip(parameters, values, strict=True):
        if isinstance(kind, (Pointer, Array)):
            arrays.append((name, kind, value))
        elif isinstance(kind, StructType):
            leaves = [e for _, e in c_places.leaf_values(s, value, line)]
            s.declare(name, c_declare.struct_variable(s, name, kind, leaves, line))
        elif isinstance(kind, Scalar) and isinstance(value, EXPRESSIONS):
            s.declare(name, _scalar(s, name, kind.name, value, name in changed.modified))
        else:
            raise TaskError(f"{name} is a number, but something else is passed", line)
    for name, kind, value in arrays:
        if not isinstance(value, (PointerValue, AddressOf)):
            raise TaskError(f"{name} is an array, but something else is passed", line)
        if isinstance(value, PointerValue):
            value = _as_declared(s, value, kind, name, line)
        target = Pointer(kind.element if isinstance(kind, Array) else kind.target)
        if name in changed.modified or isinstance(value, AddressOf):
            symbol = c_declare.pointer_variable(s, name, target, line)
            c_places.set_pointer(s, symbol, value)
            s.declare(name, symbol)
        else:
            prefix = tuple(c_places.settled(s, e, name) for e in value.prefix)
            offset = c_places.settled(s, value.offset, name)
            s.declare(name, ArraySymbol(PointerValue(value.array, prefix, offset, value.below), kind))


def _scalar(s: Scopes, name: str, kind: str, value: Expr, is_modified: bool) -> ScalarSymbol:
    """The caller's own variable or constant when the helper leaves it alone, else a copy."""
    is_steady = isinstance(value, Name) and s.is_steady(value.name, value.name.split("#")[0])
    if (is_steady or isinstance(value, Const)) and not is_modified and s.type_of(value) == kind:
        return ScalarSymbol(value, kind)
    copy = s.fresh(name, kind, value)
    if is_modified:
        s.unsteady.add(copy.name)
    return ScalarSymbol(copy, kind)


def _as_declared(s: Scopes, value: PointerValue, kind: Pointer | Array, name: str, line: int | None) -> PointerValue:
    """The argument seen through the parameter's type: `float A[n][m]` over a flat array has rows of m."""
    target = kind if isinstance(kind, Pointer) else Pointer(kind.element)
    seen = c_expressions.viewed(s, value, target, line)
    extents: list[Expr] = []
    inner = target.target
    while isinstance(inner, Array) and inner.extent is not None:
        extents.append(s.rvalue(inner.extent))
        inner = inner.element
    same = len(extents) == len(seen.below) and all(
        a == b or _known(s, a) == _known(s, b) is not None for a, b in zip(extents, seen.below, strict=True)
    )
    if not same:
        sentence = f"{name} is declared with other extents than the array that is passed; declare both alike"
        raise TaskError(sentence, line)
    return seen


def _known(s: Scopes, extent: Expr) -> int | float | None:
    return c_fold.evaluate(extent, s.program.constant_values)


# ------------------------------------------------------------- early returns


def _emit_body(s: Scopes, body: Body, target: Name | None, name: str, line: int | None) -> None:
    flag = None
    if any(_returns(loop) for loop in walk(body) if isinstance(loop, (RawLoop, While, Loop))):
        flag = s.fresh(f"{name}_returned", "bool", Const("false", "bool"))
    s.out.extend(_Returns(target, flag, line).straight(list(body)))


def _returns(statement: AnyStmt) -> bool:
    return any(isinstance(inner, Return) for inner in walk((statement,)))


def always_leaves(statements: Iterable[AnyStmt]) -> bool:
    """Does every path end in a return?"""
    for statement in statements:
        if isinstance(statement, Return):
            return True
        if isinstance(statement, If) and always_leaves(statement.then) and always_leaves(statement.other):
            return True
    return False


def _typed(statements: list[AnyStmt]) -> tuple[Stmt, ...]:
    """RawLoops are typed away: they are gone before anything but the reader's passes sees the tree."""
    return tuple(statements)  # type: ignore[arg-type]


@dataclass
class _Returns:
    """Rewrites `return e` as `target = e`, so that nothing after it runs."""

    target: Name | None
    flag: Name | None  # set when a return inside a loop was taken
    line: int | None
    copies: int = 0

    def straight(self, statements: list[AnyStmt]) -> list[AnyStmt]:
        """A list outside every loop: what follows a return moves into the branches that do not return."""
        done: list[AnyStmt] = []
        for at, statement in enumerate(statements):
            rest = statements[at + 1 :]
            if isinstance(statement, Return):
                return [*done, *self._set(statement)]
            if not _returns(statement):
                done.append(statement)
                continue
            if isinstance(statement, If):
                then: list[AnyStmt] = [*statement.then]
                other: list[AnyStmt] = [*statement.other]
                if rest and not always_leaves(then) and not always_leaves(other):
                    self.copies += 1
                    if self.copies > MOST_COPIES:
                        raise TaskError("this function returns from too many places; return at the end", self.line)
                then = self.straight(then if always_leaves(then) else then + rest)
                other = self.straight(other if always_leaves(other) else other + rest)
                if not then:
                    flipped = Unary("!", statement.condition)
                    return [*done, replace(statement, condition=flipped, then=_typed(other), other=())]
                return [*done, replace(statement, then=_typed(then), other=_typed(other))]
            done.append(self._loop(statement))
            if rest and self.flag is not None:
                after = self.straight(rest)
                done.append(If(Unary("!", self.flag), _typed(after)))
            return done
        return done

    def _loop(self, loop: AnyStmt) -> AnyStmt:
        return with_parts(loop, self._inside) if _returns(loop) else loop

    def _inside(self, body: Body) -> Body:
        """A list inside a loop: a return sets the flag and leaves the loop; so does each loop around."""
        done: list[AnyStmt] = []
        for statement in body:
            if isinstance(statement, Return):
                done += [*self._set(statement), *self._raise_flag(), Break(statement.line)]
                break
            if isinstance(statement, If):
                done.append(with_parts(statement, self._inside))
            elif _returns(statement):
                done.append(self._loop(statement))
                if self.flag is not None:
                    done.append(If(self.flag, (Break(),)))
            else:
                done.append(statement)
        return tuple(done)

    def _raise_flag(self) -> list[AnyStmt]:
        return [Assign(self.flag, "", Const("true", "bool"))] if self.flag is not None else []

    def _set(self, statement: Return) -> list[AnyStmt]:
        if self.target is None or statement.value is None:
            return []
        return [Assign(self.target, "", statement.value, statement.line)]


def result_place(s: Scopes) -> StructPlace | None:
    """Where the struct that the function being inlined returns goes."""
    return s.returns[-1] if s.returns else None
