"""A scan dealt out to a block: it goes over the range a chunk at a time, every thread one iteration of the chunk.

A block scan gives every thread the accumulator as it stands *before* its own iteration; with that, the loop's body is
run as it is written. So inclusive, exclusive, compacting and linear recurrences need no forms of their own.
"""

from __future__ import annotations

from dataclasses import replace

from cudaperf_magic.compiler.analysis.recurrences import Scan
from cudaperf_magic.compiler.fresh import unused_name
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Call,
    Cast,
    Const,
    Declare,
    Evaluate,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Stmt,
    Symbols,
    Ternary,
    map_statement,
    substitute_expression,
)
from cudaperf_magic.compiler.lowering.grid import all_of, thread_index
from cudaperf_magic.compiler.lowering.snippets import (
    WORDS,
    Snippet,
    combined,
    literal,
    neutral,
    type_word,
    wide,
)

RANK = thread_index("x")


def scan_statements(loop: Loop, scan: Scan, team: int, symbols: Symbols) -> tuple[list[Stmt], tuple[Snippet, ...]]:
    """The loop for a block of `team` threads; the accumulator ends with its final value in every thread."""
    target = scan.accumulator
    name = target.name if isinstance(target, Name) else target.array
    type = symbols.types[name]
    carry = Name(name) if isinstance(target, Name) else Name(f"{name}_running")
    own = Name(f"{name}_before")
    for made in (carry, own):
        symbols.types.setdefault(made.name, type)
    before: list[Stmt] = []
    if isinstance(target, Load):
        before.append(Declare(carry.name, type, init=scan.initial or at_first(target, loop)))
    base = Name(f"{loop.var}_chunk")
    sign = "+" if loop.step > 0 else "-"
    offset: Expr = RANK if abs(loop.step) == 1 else Binary("*", RANK, Const(str(abs(loop.step))))
    index = Declare(loop.var, loop.type, init=Binary(sign, base, Cast(loop.type, offset) if sign == "-" else offset))
    inside = Binary("<" if loop.step > 0 else ">", Name(loop.var), loop.stop)
    run = tuple(map_statement(s, lambda e: own if e == target else e) for s in loop.body)
    step = _linear if scan.kind == "linear" else _associative
    taken = set(symbols.types)
    middle, after, snippet = step(scan, carry, own, wide(type), team, inside, taken)
    chunk = (index, *middle, If(inside, run), *after)
    return [
        *before,
        replace(
            loop, var=base.name, step=loop.step * team, body=chunk, label=f"{loop.label}_chunk", comment=loop.comment
        ),
    ], (snippet,)


def at_first(target: Load, loop: Loop) -> Expr:
    """The element that the first iteration reads as the one before it."""
    subscripts = tuple(substitute_expression(s, {loop.var: loop.start}) for s in target.subscripts)
    return replace(target, subscripts=subscripts)


def _associative(
    scan: Scan, carry: Name, own: Name, type: str, team: int, inside: Expr, taken: set[str]
) -> tuple[tuple[Stmt, ...], tuple[Stmt, ...], Snippet]:
    element, total, before = (unused_name(name, taken) for name in ("element", "total", "earlier"))
    zero = neutral(scan.operator, type)
    start: Expr = zero if zero is not None else carry
    if scan.kind == "compact":
        start = literal("0", type)
    condition = all_of((inside,) if scan.guard is None or scan.kind == "compact" else (inside, scan.guard))
    assert condition is not None
    name = f"block_scan_{WORDS[scan.operator]}_{type_word(type)}"
    snippet = Snippet(
        "block_scan",
        (("name", name), ("type", type), ("threads", str(team)),
         ("combine", scan.operator), ("ordered", combined(scan.operator, "earlier", "later"))),
    )  # fmt: skip
    joined = _joined(scan.operator, carry, before)
    middle: tuple[Stmt, ...] = (
        Declare(element.name, type, init=start),
        If(condition, (Assign(element, "", scan.element),)),
        Declare(total.name, type),
        Declare(before.name, type, init=Call(name, (element, total))),
        Declare(own.name, type, init=Ternary(Binary("==", RANK, Const("0")), carry, joined)),
    )
    return middle, (Assign(carry, "", _joined(scan.operator, carry, total)),), snippet


def _linear(
    scan: Scan, carry: Name, own: Name, type: str, team: int, inside: Expr, taken: set[str]
) -> tuple[tuple[Stmt, ...], tuple[Stmt, ...], Snippet]:
    scale, shift = unused_name("scale", taken), unused_name("shift", taken)
    totals = (unused_name("total_scale", taken), unused_name("total_shift", taken))
    name = f"block_scan_linear_{type_word(type)}"
    snippet = Snippet("block_scan_linear", (("name", name), ("type", type), ("threads", str(team))))
    assert scan.coefficient is not None
    condition = all_of((inside,) if scan.guard is None else (inside, scan.guard))
    assert condition is not None
    middle: tuple[Stmt, ...] = (
        Declare(scale.name, type, init=literal("1", type)),
        Declare(shift.name, type, init=literal("0", type)),
        If(condition, (Assign(scale, "", scan.coefficient), Assign(shift, "", scan.element))),
        *(Declare(total.name, type) for total in totals),
        Evaluate(Call(name, (scale, shift, *totals))),
        Declare(own.name, type, init=Binary("+", Binary("*", scale, carry), shift)),
    )
    after = (Assign(carry, "", Binary("+", Binary("*", totals[0], carry), totals[1])),)
    return middle, after, snippet


def _joined(operator: str, left: Expr, right: Expr) -> Expr:
    if operator in ("min", "max"):
        return Ternary(Binary("<" if operator == "min" else ">", right, left), right, left)
    return Binary(operator, left, right)
