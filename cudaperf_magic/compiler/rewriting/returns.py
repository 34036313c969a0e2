"""`return value;` becomes a store to the `result` parameter, wherever it is not inside a loop."""

from __future__ import annotations

from dataclasses import replace

from cudaperf_magic.compiler.loops import Assign, Const, Function, If, Load, Loop, Parameter, Return, Stmt, While
from cudaperf_magic.compiler.rewriting.structured import ended


def returns_to_result(function: Function) -> Function:
    """The function as void, with one more parameter when it returned a value.

    Early returns outside loops become if/else. A Return that stays is inside a loop.
    """
    if function.return_type == "void":
        return replace(function, body=_tail(function.body, ""))
    result = Parameter(function.result_name, function.return_type, (Const("1"),), line=function.line)
    body = _tail(function.body, result.name)
    return replace(function, body=body, return_type="void", parameters=(*function.parameters, result))


def _tail(statements: tuple[Stmt, ...], result: str) -> tuple[Stmt, ...]:
    plain = ended(statements, Return, lambda jump: _store(jump, result) if isinstance(jump, Return) else ())
    return tuple(_keep(statement, result) for statement in plain)


def _store(statement: Return, result: str) -> tuple[Stmt, ...]:
    if statement.value is None or not result:
        return ()
    return (Assign(Load(result, (Const("0"),)), "", statement.value, statement.line),)


def _keep(statement: Stmt, result: str) -> Stmt:
    """A statement with no return outside its loops: those inside keep leaving, after their store."""
    if isinstance(statement, (Loop, While)):
        return replace(statement, body=_stored(statement.body, result))
    if isinstance(statement, If):
        return replace(statement, then=_stored(statement.then, result), other=_stored(statement.other, result))
    return statement


def _stored(statements: tuple[Stmt, ...], result: str) -> tuple[Stmt, ...]:
    kept: list[Stmt] = []
    for statement in statements:
        if isinstance(statement, Return):
            kept += [*_store(statement, result), Return(None, statement.line)]
        else:
            kept.append(_keep(statement, result))
    return tuple(kept)
