"""Local arrays with initialisers: constant ones become tables of the file, changing ones are filled by assignments."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from cudaperf_magic.compiler.affine import integer
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
    Table,
    While,
    walk_expression,
)
from cudaperf_magic.compiler.usage import usage


def lift_tables(function: Function) -> Function:
    """The function with no `Declare.table` left."""
    stored = usage(function.body).stores
    names = {table.name for table in function.tables}
    constants = {name for name, _, _ in function.constants}
    lifted: list[Table] = []

    def inside(statements: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(made for s in statements for made in one(s))

    def one(statement: Stmt) -> tuple[Stmt, ...]:
        match statement:
            case Declare() if statement.table:
                if statement.name in names | stored or not all(_is_constant(e, constants) for e in statement.table):
                    return (replace(statement, table=()), *_assignments(statement))
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


def _assignments(declaration: Declare) -> tuple[Stmt, ...]:
    """One assignment an element, the last subscript running fastest."""
    shape = [int(integer(extent) or 0) for extent in declaration.shape]
    made: list[Stmt] = []
    for number, value in enumerate(declaration.table):
        subscripts: list[Expr] = []
        for dimension in range(len(shape)):
            inner = prod(shape[dimension + 1 :])
            subscripts.append(Const(str(number // inner % shape[dimension])))
        made.append(Assign(Load(declaration.name, tuple(subscripts)), "", value, declaration.line))
    return tuple(made)
