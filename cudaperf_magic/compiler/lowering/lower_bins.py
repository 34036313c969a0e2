"""A nest whose blocks first collect colliding updates in bins of their own, in shared memory, then hand on the totals.

Bins of constant size are ordinary shared arrays; those whose size the call decides take the launch's dynamic shared
memory. That they fit is the caller's affair (moves/bins.py asks the host).
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from cudaperf_magic.compiler.analysis.affine import integer, simplify
from cudaperf_magic.compiler.analysis.updates import Update
from cudaperf_magic.compiler.fresh import unused_name
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Call,
    Declare,
    Evaluate,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Shared,
    Stmt,
    Symbols,
    map_statement,
)
from cudaperf_magic.compiler.lowering.atomics import atomic_update, updates_to
from cudaperf_magic.compiler.lowering.grid import rank_in_block
from cudaperf_magic.compiler.lowering.kernel import Kernel
from cudaperf_magic.compiler.lowering.lower_map import lower_map
from cudaperf_magic.compiler.lowering.snippets import Snippet, identity
from cudaperf_magic.compiler.program import Nest

SYNC = Evaluate(Call("__syncthreads", ()))


def lower_bins(nest: Nest, symbols: Symbols, host_names: set[str]) -> Kernel:
    """The kernel of a nest with a thread a point and bins that each block has to itself."""
    own = {array: unused_name(f"{array}_block", set(symbols.types)).name for array in nest.private_bins}
    for array, name in own.items():
        symbols.types[name] = symbols.types[array]
        symbols.shapes[name] = (bin_count(array, symbols),)

    parts: dict[Load, Name] = {}
    for array in own:
        target = fixed_bin(nest.body, array)
        if target is not None:
            parts[target] = unused_name(f"{array}_part", set(symbols.types))
    symbols.types |= {part.name: symbols.types[target.array] for target, part in parts.items()}

    def in_own(expression: Expr) -> Expr:
        if isinstance(expression, Load) and expression in parts:
            return parts[expression]
        if isinstance(expression, Load) and expression.array in own:
            return Load(own[expression.array], (flat_index(expression, symbols),))
        return expression

    body = tuple(map_statement(statement, in_own) for statement in nest.body)
    atomic = (nest.atomic - set(own)) | set(own.values())
    given = host_names | {part.name for part in parts.values()}
    kernel = lower_map(replace(nest, body=body, atomic=atomic), symbols, given)
    declared, cleared, handed_on = [], [], []
    snippets: dict[str, Snippet] = {snippet.name: snippet for snippet in kernel.snippets}
    sizes: list[Expr] = []
    for array, name in own.items():
        count = bin_count(array, symbols)
        known = integer(count)
        if known is None:
            sizes.append(Binary("*", count, Name(f"sizeof({symbols.types[array]})")))
        declared.append(Shared(name, symbols.types[array], () if known is None else (known,)))
        bin_ = unused_name("bin", set(symbols.types))
        operator = operator_of(nest.body, array)
        zero = identity(operator, symbols.types[array])
        assert zero is not None
        target, value = Load(array, (bin_,)), Load(name, (bin_,))
        total = atomic_update(Update(target, operator, value, 0), target, symbols, snippets)  # type: ignore[arg-type]
        cleared.append(_each_bin(nest, bin_, count, Assign(value, "", zero), f"clear_{array}"))
        handed_on.append(_each_bin(nest, bin_, count, If(Binary("!=", value, zero), (total,)), f"hand_on_{array}"))
    begun, ended = _in_registers(nest.body, parts, own, symbols, snippets)
    made: tuple[Stmt, ...] = (*declared, *cleared, *begun, SYNC, *kernel.body, *ended, SYNC, *handed_on)
    shared_bytes = sizes[0] if sizes else None
    return replace(kernel, nest=nest, body=made, snippets=tuple(snippets.values()), shared_bytes=shared_bytes)


def _in_registers(
    body: tuple[Stmt, ...],
    parts: dict[Load, Name],
    own: dict[str, str],
    symbols: Symbols,
    snippets: dict[str, Snippet],
) -> tuple[list[Stmt], list[Stmt]]:
    """For a bin that all points hit: a register of each thread, and what the thread hands to its block at the end."""
    begun: list[Stmt] = []
    ended: list[Stmt] = []
    for target, part in parts.items():
        kind, operator = symbols.types[target.array], operator_of(body, target.array)
        begun.append(Declare(part.name, kind, init=identity(operator, kind)))
        place = Load(own[target.array], (flat_index(target, symbols),))
        ended.append(atomic_update(Update(place, operator, part, 0), place, symbols, snippets))  # type: ignore[arg-type]
    return begun, ended


def fixed_bin(body: tuple[Stmt, ...], array: str) -> Load | None:
    """The one element, at constant subscripts, that all updates of the array hit; None when there are others."""
    targets = {update.target for update in updates_to(body, array)}
    target = targets.pop() if len(targets) == 1 else None
    is_fixed = isinstance(target, Load) and all(integer(s) is not None for s in target.subscripts)
    return target if isinstance(target, Load) and is_fixed else None


def _each_bin(nest: Nest, bin_: Name, count: Expr, statement: Stmt, label: str) -> Loop:
    return Loop(bin_.name, rank_in_block(nest.block), count, prod(nest.block), (statement,), label)


def operator_of(body: tuple[Stmt, ...], array: str) -> str:
    """The one operator of all updates of the array; "" when they differ or there is none."""
    operators = {update.operator for update in updates_to(body, array)}
    return operators.pop() if len(operators) == 1 else ""


def bin_count(array: str, symbols: Symbols) -> Expr:
    """The number of elements of an array whose shape is known."""
    shape = symbols.shapes.get(array) or ()
    count: Expr = shape[0]
    for extent in shape[1:]:
        count = Binary("*", count, extent)
    return simplify(count)


def flat_index(load: Load, symbols: Symbols) -> Expr:
    """The element's number in row-major order."""
    shape = symbols.shapes.get(load.array) or ()
    index = load.subscripts[0]
    for subscript, extent in zip(load.subscripts[1:], shape[1:], strict=True):
        index = Binary("+", Binary("*", index, extent), subscript)
    return index
