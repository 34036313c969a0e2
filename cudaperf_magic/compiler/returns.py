"""`return value;` becomes a store to the `result` parameter, wherever it is not inside a loop."""

from __future__ import annotations

from dataclasses import replace

from cudaperf_magic.compiler.loops import Assign, Const, Function, If, Load, Loop, Parameter, Return, Stmt, While


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
    kept: list[Stmt] = []
    for position, statement in enumerate(statements):
        rest = statements[position + 1 :]
        if isinstance(statement, Return):
            return (*kept, *_store(statement, result))
        if isinstance(statement, If) and _returns(statement):
            then = statement.then if _ends(statement.then) else statement.then + rest
            other = statement.other if _ends(statement.other) else statement.other + rest
            return (*kept, replace(statement, then=_tail(then, result), other=_tail(other, result)))
        kept.append(_keep(statement, result))
    return tuple(kept)


def _store(statement: Return, result: str) -> tuple[Stmt, ...]:
    if statement.value is None or not result:
        return ()
    return (Assign(Load(result, (Const("0"),)), "", statement.value, statement.line),)


def _keep(statement: Stmt, result: str) -> Stmt:
    """A statement with no return outside its loops: those inside keep leaving, after their store."""
    if isinstance(statement, (Loop, While)):
        return replace(statement, body=_stored(statement.body, result))
    return statement


def _stored(statements: tuple[Stmt, ...], result: str) -> tuple[Stmt, ...]:
    kept: list[Stmt] = []
    for statement in statements:
        if isinstance(statement, Return):
            kept += [*_store(statement, result), Return(None, statement.line)]
        elif isinstance(statement, If):
            then, other = _stored(statement.then, result), _stored(statement.other, result)
            kept.append(replace(statement, then=then, other=other))
        else:
            kept.append(_keep(statement, result))
    return tuple(kept)


def _returns(statement: If) -> bool:
    """Whether a return lies in the branches, outside loops."""
    return any(
        isinstance(inner, Return) or (isinstance(inner, If) and _returns(inner))
        for inner in statement.then + statement.other
    )


def _ends(statements: tuple[Stmt, ...]) -> bool:
    """Whether control never falls out of the end of the list."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, Return):
        return True
    return isinstance(last, If) and _ends(last.then) and _ends(last.other)
