"""Moves on the launch: block shape, which loop runs along x, points a thread."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from cudaperf_magic.compiler.moves.move import MOST_THREADS, Context, Move, Refused, with_decisions
from cudaperf_magic.compiler.program import Nest, Program
from cudaperf_magic.compiler.schedule import Step


def _block(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    shape = tuple(int(v) for v in step.values)
    total = prod(shape)
    if not nest.loops or nest.team > 1:
        raise Refused("only a kernel with a thread a point has a block shape of its own")
    if len(shape) != len(nest.axes) or not 1 <= total <= MOST_THREADS:
        raise Refused(f"a block of {nest.name} needs {len(nest.axes)} extents of at most {MOST_THREADS} threads in all")
    return with_decisions(program, nest, block=shape)


def _block_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    shapes = {1: ((128,), (256,), (512,)), 2: ((32, 8), (16, 16), (64, 4), (128, 2)), 3: ((32, 4, 2), (32, 8, 1))}
    if nest.team == 1 and nest.loops and nest.tile is None:
        for shape in shapes[len(nest.axes)]:
            if shape != nest.block:
                yield Step("block", nest.name, shape)


def _interchange(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    order = tuple(str(v) for v in step.values)
    if nest.vector > 1 or nest.staged or nest.team > 1:
        raise Refused(f"{nest.name} has settled which loop runs along x")
    if set(order) != set(nest.axes) or len(order) != len(nest.axes):
        raise Refused(f"the axes of {nest.name} are {', '.join(nest.axes)}")
    sentence = f"Neighbouring threads run along {nest.loop(order[0]).var}, so that they touch neighbouring elements."
    return with_decisions(program, nest, axes=order, comments=nest.saying(sentence))


def _interchange_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    for label in nest.axes[1:]:
        rest = tuple(other for other in nest.axes if other != label)
        yield Step("interchange", nest.name, (label, *rest))


def _coarsen(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    if nest.team > 1 or not nest.loops or nest.vector > 1:
        raise Refused("teams have no points to give a thread, and vectors are several points already")
    counts = tuple(int(v) for v in step.values)
    if len(counts) != len(nest.axes) or min(counts) < 1:
        raise Refused(f"{nest.name} has {len(nest.axes)} axes")
    sentence = "Each thread takes several points, a block apart, and reuses what it has loaded and computed."
    return with_decisions(program, nest, coarsen=counts, comments=nest.saying(sentence))


def _coarsen_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    if nest.team > 1 or not nest.loops or nest.vector > 1 or any(c > 1 for c in nest.coarsen):
        return
    if nest.tile is not None:
        counts: tuple[tuple[int, ...], ...] = ((4, 4), (2, 2)) if len(nest.axes) == 2 else ((2,),)
        if context.fills and len(nest.axes) > 1:
            counts = tuple((*count, *(1 for _ in nest.axes[2:])) for count in ((8, 8), (4, 4), (2, 2)))
        yield from (Step("coarsen", nest.name, count) for count in counts)
    elif nest.staged:
        yield from (Step("coarsen", nest.name, (1, 4)),) if len(nest.axes) == 2 else ()
    else:
        yield Step("coarsen", nest.name, (4, *(1 for _ in nest.axes[1:])))


BLOCK = Move("block", ("occupancy", "balance"), "Another block shape.", _block, _block_options)
INTERCHANGE = Move(
    "interchange", ("coalescing",), "Another loop runs along x, so that neighbours touch neighbours.",
    _interchange, _interchange_options,
)  # fmt: skip
COARSEN = Move("coarsen", ("intensity", "balance"), "A thread takes several points.", _coarsen, _coarsen_options)
