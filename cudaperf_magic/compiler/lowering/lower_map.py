"""A nest with a thread a point: index, guard, body; a thread may take several points along an axis."""

from __future__ import annotations

from cudaperf_magic.compiler.loops import Binary, Call, Cast, Const, Declare, Expr, If, Loop, Name, Stmt, Symbols
from cudaperf_magic.compiler.lowering.atomics import with_atomics
from cudaperf_magic.compiler.lowering.grid import Axis, all_of, axes_of, block_index, ceil_div, shifted, thread_index
from cudaperf_magic.compiler.lowering.kernel import Kernel, declared_locals
from cudaperf_magic.compiler.program import Nest


def lower_map(nest: Nest, symbols: Symbols, host_names: set[str]) -> Kernel:
    """The kernel of a nest whose points are independent threads."""
    axes = axes_of(nest.loops, nest.axes)
    if axes is None:
        raise ValueError(f"{nest.name}: its loops have no bounds that the host knows")
    updated, snippets = with_atomics(nest.body, nest.atomic, symbols)
    own = {loop.var for loop in nest.loops}
    body = (*declared_locals(updated, symbols, host_names | own), *updated)
    for axis in _outermost_last(axes, nest):
        body = _walk_axis(axis, nest, body)
    grid = tuple(
        ceil_div(axis.count, width * points)
        for axis, width, points in zip(axes, nest.block, _coarsen(nest), strict=True)
    )
    return Kernel(nest, _merged(body, own), grid, nest.block, tuple(axis.count for axis in axes), snippets)


def _coarsen(nest: Nest) -> tuple[int, ...]:
    return nest.coarsen or (1,) * len(nest.axes)


def _outermost_last(axes: tuple[Axis, ...], nest: Nest) -> tuple[Axis, ...]:
    """Innermost loop first, so that wrapping leaves the outermost outside."""
    by_label = {axis.loop.label: axis for axis in axes}
    return tuple(by_label[loop.label] for loop in reversed(nest.loops))


def _walk_axis(axis: Axis, nest: Nest, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    number = "xyz".index(axis.position)
    width, points = nest.block[number], _coarsen(nest)[number]
    if points > 1:
        return _several(axis, width, points, body)
    index = own_index(axis)
    condition = all_of(axis.guards)
    assert condition is not None
    return (Declare(axis.loop.var, axis.loop.type, init=index), If(condition, body))


def own_index(axis: Axis, points: int = 1) -> Expr:
    """`low + (blockIdx.x * blockDim.x + threadIdx.x)`, times the loop's step and the neighbouring points a thread."""
    position, step = axis.position, axis.loop.step
    block: Expr = block_index(position)
    if axis.loop.type not in ("int", "unsigned int", "short", "unsigned short", "char"):
        block = Cast(axis.loop.type, block)
    number: Expr = Binary("+", Binary("*", block, Name(f"blockDim.{position}")), thread_index(position))
    if abs(step) * points != 1:
        number = Binary("*", number, Const(str(abs(step) * points)))
    if step > 0:
        return shifted(axis.low, number)
    return Binary("-", axis.low, Cast(axis.loop.type, number))


def _several(axis: Axis, width: int, points: int, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Points a block apart, so that neighbouring threads still touch neighbouring elements."""
    loop, position = axis.loop, axis.position
    step = loop.step
    first = Name(f"{loop.var}_first")
    block_points = width * points * abs(step)
    start = Binary("+", Binary("*", block_index(position), Const(str(block_points))), _scaled(position, abs(step)))
    low = shifted(axis.low, start) if step > 0 else Binary("-", axis.low, start)
    reach = Const(str(block_points))
    stop = (
        Call("min", (Binary("+", first, reach), loop.stop))
        if step > 0
        else Call("max", (Binary("-", first, reach), loop.stop))
    )
    inner = Loop(loop.var, first, stop, step * width, body, loop.label, loop.type, loop.line)
    guards = axis.guards[:-1]  # the upper guard is the loop's own bound
    condition = all_of(guards)
    if condition is not None:
        inner = Loop(loop.var, first, stop, step * width, (If(condition, body),), loop.label, loop.type, loop.line)
    return (Declare(first.name, loop.type, init=low), inner)


def _scaled(position: str, by: int) -> Expr:
    return thread_index(position) if by == 1 else Binary("*", thread_index(position), Const(str(by)))


def _merged(body: tuple[Stmt, ...], own: set[str]) -> tuple[Stmt, ...]:
    """Nested index-and-guard pairs of the axes read better as all indices, then one condition."""
    declarations: list[Stmt] = []
    conditions: list[Expr] = []
    while len(body) == 2 and isinstance(body[0], Declare) and isinstance(body[1], If) and body[0].name in own:
        declarations.append(body[0])
        conditions.append(body[1].condition)
        body = body[1].then
    condition = all_of(tuple(conditions))
    return body if condition is None else (*declarations, If(condition, body))
