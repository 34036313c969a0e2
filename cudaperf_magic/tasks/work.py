"""How much a C function has to do for given sizes: loop iterations and elements, estimated without running it."""

from __future__ import annotations

from collections.abc import Mapping

from cudaperf_magic.compiler.loops import Assign, Const, Declare, Expr, Function, If, Loop, Name, Stmt, While
from cudaperf_magic.tasks.expressions import Number, Unknown, value_of

GUESSED_TRIPS = 8  # of a loop whose bounds the data decides


def estimated_steps(function: Function, sizes: Mapping[str, int]) -> float:
    """About how many loop iterations the function takes: bounds at the middle of the loops around them."""
    names: dict[str, Number] = {name: value for name, value in sizes.items()}
    for name, _, text in function.constants:
        try:
            names[name] = value_of(text, {})
        except (Unknown, ValueError):
            continue
    return _steps(function.body, names)


def _steps(statements: tuple[Stmt, ...], names: dict[str, Number]) -> float:
    total = 0.0
    for statement in statements:
        match statement:
            case Declare(name, shape=(), init=init) if init is not None:
                _learn(name, init, names)
            case Assign(Name(name), op, value):
                if op:
                    names.pop(name, None)
                else:
                    _learn(name, value, names)
            case Loop():
                total += _loop_steps(statement, names)
            case While():
                total += GUESSED_TRIPS * (1 + _steps(statement.body, dict(names)))
            case If():
                total += max(_steps(statement.then, dict(names)), _steps(statement.other, dict(names)))
    return total


def _learn(name: str, value: Expr, names: dict[str, Number]) -> None:
    try:
        names[name] = value_of(value, names)
    except Unknown:
        names.pop(name, None)


def _loop_steps(loop: Loop, names: dict[str, Number]) -> float:
    inside = dict(names)
    start, stop = _known(loop.start, names), _known(loop.stop, names)
    if start is not None and stop is not None:
        trips = max(0.0, (stop - start) / loop.step)
        inside[loop.var] = int((start + stop) // 2)
    else:
        # One end from the data: at most about the other end's size. Both: rows of a sparse matrix.
        end = stop if start is None else start if loop.step < 0 else None
        trips = GUESSED_TRIPS if end is None else max(0.0, abs(end) / abs(loop.step))
        inside.pop(loop.var, None)
    return trips * (1 + _steps(loop.body, inside))


def _known(expression: Expr, names: Mapping[str, Number]) -> Number | None:
    try:
        return value_of(expression, names)
    except Unknown:
        return None


def _plain_fields(function: Function, kind: str) -> int:
    struct = next((s for s in function.structs if s.name == kind), None)
    return 1 if struct is None else sum(_plain_fields(function, inner) for _, inner in struct.fields)


def elements(function: Function, sizes: Mapping[str, int]) -> int:
    """Plain elements of all array parameters together; what cannot be told counts as none."""
    total = 0
    for parameter in function.parameters:
        count = _plain_fields(function, parameter.type)
        for dimension in parameter.shape or (Const("0"),):
            try:
                count *= max(0, int(value_of(dimension, sizes)))
            except Unknown:
                count = 0
        total += count
    return total
