"""Local arrays with initialisers: constant ones become tables of the file, changing ones are filled by statements."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from cudaperf_magic.compiler.analysis.affine import integer
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.fresh import unused_name
from cudaperf_magic.compiler.loops import (
    Assign,
    Const,
    Declare,
    Expr,
    Function,
    If,
    Load,
    Loop,
    Name,
    Stmt,
    Symbols,
    Table,
    While,
    walk_expression,
)
from cudaperf_magic.compiler.lowering.snippets import literal

MOST_ZEROS = 8  # more than so many zeros are filled in by a loop


def lift_tables(function: Function) -> Function:
    """The function with no `Declare.table` left."""
    stored = usage(function.body).stores
    names = {table.name for table in function.tables}
    constants = {name for name, _, _ in function.constants}
    lifted: list[Table] = []
    used = set(Symbols.of(function).types)

    def inside(statements: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(made for s in statements for made in one(s))

    def one(statement: Stmt) -> tuple[Stmt, ...]:
        match statement:
            case Declare() if statement.table:
                if statement.name in names | stored or not all(_is_constant(e, constants) for e in statement.table):
                    return (replace(statement, table=()), *_filled(statement, used))
                shape = tuple(int(integer(extent) or 0) for extent in statement.shape)
                lifted.append(Table(statement.name, statement.type, shape, statement.table))
                names.add(statement.name)
                return ()
            case Loop() | While():
                return (replace(statement, body=inside(statement.body)),)
            case If():
                return (replace(statement, then=inside(statement.then), other=inside(statement.other)),)
            case _:
                return (statement,)

    body = inside(function.body)
    return replace(function, body=body, tables=(*function.tables, *lifted))


def _is_constant(expression: Expr, constants: set[str]) -> bool:
    return all(
        not isinstance(part, Load) and (not isinstance(part, Name) or part.name in constants)
        for part in walk_expression(expression)
    )


def _filled(declaration: Declare, used: set[str]) -> tuple[Stmt, ...]:
    """One assignment an element, the last subscript running fastest; of many zeros, a loop and then the others."""
    shape = [int(integer(extent) or 0) for extent in declaration.shape]
    made: list[Stmt] = []
    zeros = [_is_zero(value) for value in declaration.table]
    by_loop = sum(zeros) > MOST_ZEROS
    if by_loop:
        made.append(_zeroed(declaration, used))
    for number, value in enumerate(declaration.table):
        if by_loop and zeros[number]:
            continue
        subscripts: list[Expr] = []
        for dimension in range(len(shape)):
            inner = prod(shape[dimension + 1 :])
            subscripts.append(Const(str(number // inner % shape[dimension])))
        made.append(Assign(Load(declaration.name, tuple(subscripts)), "", value, declaration.line))
    return tuple(made)


def _is_zero(value: Expr) -> bool:
    return isinstance(value, Const) and value.text.rstrip("fFuUlL") in {"0", "0.0", "0."}


def _zeroed(declaration: Declare, used: set[str]) -> Stmt:
    variables = [unused_name("e", used) for _ in declaration.shape]
    zero, line = literal("0", declaration.type), declaration.line
    statement: Stmt = Assign(Load(declaration.name, tuple(variables)), "", zero, line)
    for variable, extent in reversed(list(zip(variables, declaration.shape, strict=True))):
        statement = Loop(variable.name, Const("0"), extent, 1, (statement,), variable.name, line=line)
    return statement
