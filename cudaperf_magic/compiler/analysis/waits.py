"""Why the iterations of a `while` wait for each other, in sentences; of counted loops verdicts.py says it."""

from __future__ import annotations

from collections.abc import Iterator

from cudaperf_magic.compiler.loops import (
    Assign,
    Break,
    Expr,
    Function,
    Load,
    Name,
    Return,
    While,
    names_in,
    walk,
    walk_expression,
)


def waits(function: Function) -> tuple[str, ...]:
    """One sentence for each `while` of a function: what decides whether it goes on, and where that is set."""
    return tuple(_sentence(loop) for loop in walk(function.body) if isinstance(loop, While))


def _sentence(loop: While) -> str:
    for target, line in _set_inside(loop):
        if target in names_in(loop.condition) | _arrays_in(loop.condition):
            where = f" (line {line})" if line and line != loop.line else ""
            return f"line {loop.line}: whether the loop goes on is known only after {target} is set{where}"
    leaves = next((s for s in walk(loop.body) if isinstance(s, (Break, Return))), None)
    line = getattr(leaves, "line", 0) or loop.line
    return f"line {loop.line}: how often the loop runs is known only when it ends (line {line})"


def _set_inside(loop: While) -> Iterator[tuple[str, int]]:
    for statement in walk(loop.body):
        match statement:
            case Assign(Name(name)) | Assign(Load(name)):
                yield name, statement.line


def _arrays_in(expression: Expr) -> set[str]:
    return {part.array for part in walk_expression(expression) if isinstance(part, Load)}
