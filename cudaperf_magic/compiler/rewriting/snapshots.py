"""A loop that only overwrites what earlier iterations have read can read a copy made before it instead.

`for (i...) a[i] = a[i + 1];` carries no value from iteration to iteration, only an order. With the old values kept
aside the order does not matter.
"""

from __future__ import annotations

from dataclasses import replace

from cudaperf_magic.compiler.analysis.dependence import Facts
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Const,
    Declare,
    Expr,
    Load,
    Loop,
    Name,
    Stmt,
    Symbols,
    expressions,
    loops_of,
    map_statement,
    walk,
    walk_expression,
)


def from_snapshot(loop: Loop, facts: Facts, symbols: Symbols, labels: set[str]) -> tuple[Stmt, ...] | None:
    """Declaration of the copies, the copying, and the loop reading them; None where values do flow on."""
    carried = facts.loop(loop.label).carried
    arrays = sorted({dependence.name for dependence in carried})
    if not arrays or any(dependence.kind != "anti" for dependence in carried):
        return None
    shapes = {name: symbols.shapes.get(name) for name in arrays}
    if not all(shapes.values()) or any(f"{name}_before" in symbols.types for name in arrays):
        return None
    if not all(_is_read_first(name, loop, facts) for name in arrays):
        return None
    made: list[Stmt] = []
    for name in arrays:
        shape = shapes[name] or ()
        copy = f"{name}_before"
        made.append(Declare(copy, symbols.types[name], shape, line=loop.line))
        made.append(_copying(name, copy, shape, loop.line, labels))

    def old(expression: Expr) -> Expr:
        if isinstance(expression, Load) and expression.array in shapes:
            return Load(f"{expression.array}_before", expression.subscripts, expression.field)
        return expression

    changed = map_statement(loop, old)
    assert isinstance(changed, Loop)
    return (*made, _storing_back(changed, {f"{name}_before": name for name in arrays}))


def _is_read_first(name: str, loop: Loop, facts: Facts) -> bool:
    """Whether an iteration reads the array only before it writes to it, and no inner loop passes values on."""
    if any(d.name == name for inner in loops_of(loop.body) for d in facts.loop(inner.label).carried):
        return False
    written = False
    for statement in walk(loop.body):
        parts = expressions(statement)
        if isinstance(statement, Assign):
            parts = (statement.value, *(statement.target.subscripts if isinstance(statement.target, Load) else ()))
        reads = any(isinstance(p, Load) and p.array == name for e in parts for p in walk_expression(e))
        stores = isinstance(statement, Assign) and isinstance(statement.target, Load) and statement.target.array == name
        if written and (reads or (stores and isinstance(statement, Assign) and statement.op)):
            return False
        written = written or stores
    return True


def _storing_back(loop: Loop, originals: dict[str, str]) -> Loop:
    """Writes go to the arrays themselves; `a[i] += e` reads the old `a[i]`."""
    def one(statement: Stmt) -> Stmt:
        inner: dict[str, tuple[Stmt, ...]] = {
            field: tuple(one(s) for s in getattr(statement, field))
            for field in ("body", "then", "other")
            if hasattr(statement, field)
        }
        if inner:
            return replace(statement, **inner)  # type: ignore[arg-type]
        if not isinstance(statement, Assign) or not isinstance(statement.target, Load):
            return statement
        array = statement.target.array
        if array not in originals:
            return statement
        value = Binary(statement.op, statement.target, statement.value) if statement.op else statement.value
        return replace(statement, target=replace(statement.target, array=originals[array]), op="", value=value)

    changed = one(loop)
    assert isinstance(changed, Loop)
    return changed


def _copying(name: str, copy: str, shape: tuple[Expr, ...], line: int, labels: set[str]) -> Stmt:
    variables = [f"{name}_at{number}" if len(shape) > 1 else f"{name}_at" for number in range(len(shape))]
    at = tuple(Name(variable) for variable in variables)
    body: Stmt = Assign(Load(copy, at), "", Load(name, at), line)
    for variable, extent in reversed(list(zip(variables, shape, strict=True))):
        label, number = variable, 2
        while label in labels:
            label, number = f"{variable}_{number}", number + 1
        labels.add(label)
        body = Loop(variable, Const("0"), extent, 1, (body,), label, line=line)
    return body

