"""Moves on memory: tiles of a contraction, staged halos and transposes, padding against bank conflicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from math import prod

from cudaperf_magic.compiler.analysis.accesses import jumps
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.loops import Assign, Break, Load, Loop, Name, Return, Stmt, walk
from cudaperf_magic.compiler.lowering.apart import reads_apart
from cudaperf_magic.compiler.lowering.footprint import Footprint
from cudaperf_magic.compiler.lowering.keep import kept_in_register
from cudaperf_magic.compiler.lowering.lower import symbols_of
from cudaperf_magic.compiler.lowering.lower_tile import has_block_range, stageable
from cudaperf_magic.compiler.moves.move import Context, Move, Refused, with_decisions
from cudaperf_magic.compiler.program import Nest, Program
from cudaperf_magic.compiler.schedule import Step

SHARED_BYTES = 48 * 1024  # what a block may have without asking for more
TILED_BLOCKS = {1: (128,), 2: (16, 16), 3: (16, 16, 1)}
STAGED_BLOCKS = {1: (256,), 2: (32, 8), 3: (32, 4, 2)}


def _tile(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    label, depth = str(step.values[0]), int(step.values[1])
    _plain(nest)
    loop = next((s for s in nest.body if isinstance(s, Loop) and s.label == label), None)
    if loop is None:
        raise Refused(f"{nest.name} has no loop {label} directly inside a point")
    if any(True for _ in jumps(loop.body, (Break, Return))):
        raise Refused(f"the loop over {loop.var} can be left early, and a tile's step would go on")
    body = kept_in_register(nest.body, loop, symbols_of(program).types, partial(reads_apart, program, nest))
    loop = next(s for s in body if isinstance(s, Loop) and s.label == label)
    block = TILED_BLOCKS[len(nest.axes)]
    changed = replace(nest, body=body, block=block, coarsen=(1,) * len(block), tile=(label, depth))
    if not has_block_range(changed, loop, symbols_of(program)):
        raise Refused(f"the range of {loop.var} is not known for a whole block")
    staged = _worth_staging(changed, loop.body, program)
    if not staged:
        raise Refused(f"no array that {label} reads is shared by the threads of a block")
    names = " and ".join(staged)
    sentence = (
        f"The loop over {loop.var} goes in steps of {depth}: the block brings a tile of {names} into shared memory, "
        "and every thread reads it from there."
    )
    return program.changed(nest.name, lambda _: (replace(changed, staged=staged, comments=nest.saying(sentence)),))


def _tile_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    if nest.team > 1 or not nest.loops or nest.tile or nest.staged:
        return
    depth = 16 if len(nest.axes) > 1 else 128
    for statement in nest.body:
        if isinstance(statement, Loop) and statement.step == 1:
            yield Step("tile", nest.name, (statement.label, depth))


def _stage(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    _plain(nest)
    block = STAGED_BLOCKS[len(nest.axes)]
    coarsen = (1,) * len(block)
    if len(nest.axes) == 2:
        block, coarsen = (32, 8), (1, 4)
    changed = replace(nest, block=block, coarsen=coarsen)
    wanted = tuple(str(v) for v in step.values) or _worth_staging(changed, nest.body, program)
    if not wanted and len(nest.axes) == 2:  # a transpose: once its stores are in order, its loads need the tile
        turned = replace(changed, axes=tuple(reversed(nest.axes)))
        wanted = _out_of_order(turned, program)
        changed = turned if wanted else changed
    if not wanted:
        raise Refused(f"{nest.name} reads no element twice in a block, and none out of order")
    _check(replace(changed, staged=wanted), nest.body, wanted, program)
    names = " and ".join(wanted)
    sentence = f"The block first brings what it reads of {names} into shared memory, neighbours fetching neighbours."
    return program.changed(nest.name, lambda _: (replace(changed, staged=wanted, comments=nest.saying(sentence)),))


def _out_of_order(nest: Nest, program: Program) -> tuple[str, ...]:
    """What is worth staging when every store of the nest is in the order of the threads."""
    x = Name(nest.loop(nest.axes[0]).var)
    stores = [s.target for s in walk(nest.body) if isinstance(s, Assign) and isinstance(s.target, Load)]
    in_order = bool(stores) and all(store.subscripts[-1] == x for store in stores)
    return _worth_staging(nest, nest.body, program) if in_order else ()


def _stage_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    if nest.team == 1 and nest.loops and not nest.tile and not nest.staged:
        yield Step("stage", nest.name)


def _pad(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    if not nest.staged or nest.pad:
        raise Refused(f"{nest.name} has no tile without padding")
    shapes = symbols_of(program).shapes
    if all(len(shapes.get(array) or ()) < 2 for array in nest.staged):
        raise Refused(f"{nest.name} has tiles of a single row, which have no columns")
    sentence = "Rows of the tile are one element longer, so that a column's elements lie in different banks."
    return with_decisions(program, nest, pad=1, comments=nest.saying(sentence))


def _pad_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    if nest.staged and not nest.pad:
        yield Step("pad", nest.name)


def _plain(nest: Nest) -> None:
    if nest.team > 1 or not nest.loops:
        raise Refused("only a kernel with a thread a point can stage what its block shares")
    if nest.tile or nest.staged or nest.vector > 1:
        raise Refused(f"{nest.name} stages already, or moves vectors")
    if nest.atomic or any(abs(loop.step) != 1 or loop.step < 0 for loop in nest.loops):
        raise Refused(f"{nest.name} has atomics or strides, which tiles do not take")


def _worth_staging(nest: Nest, statements: tuple[Stmt, ...], program: Program) -> tuple[str, ...]:
    """Arrays that a block reads more often than they have elements there, or across x, as far as they fit."""
    touched = usage(nest.body)
    candidates: list[tuple[float, str, int]] = []
    symbols = symbols_of(program)
    for array in sorted(usage(statements).loads):
        prints = stageable(nest, array, statements, symbols)
        if array in touched.stores and not _are_apart(prints, nest, program):
            continue
        elements = sum(found.elements for found in prints)
        if elements <= len(prints):
            continue  # none, or a single address, which a warp gets from one sector anyway
        reuse = min(_uses(nest, found) / found.elements for found in prints)
        if reuse >= 2 or any(_is_out_of_order(nest, found) for found in prints):
            candidates.append((reuse, array, elements * {"double": 8, "float": 4}.get(symbols.types[array], 8)))
    chosen: list[str] = []
    room = SHARED_BYTES
    for _, array, bytes_ in sorted(candidates, reverse=True):
        if bytes_ <= room:
            chosen.append(array)
            room -= bytes_
    return tuple(sorted(chosen))


def _are_apart(prints: tuple[Footprint, ...], nest: Nest, program: Program) -> bool:
    """Whether the kernel writes nothing of what a block would bring in."""
    return all(reads_apart(program, nest, found.array, found.loads) for found in prints)


def _uses(nest: Nest, found: Footprint) -> int:
    """How often a block reads a tile: a thread's second look at one place is in its registers."""
    return prod(nest.block) * prod(nest.coarsen) * len(found.loads) * (nest.tile[1] if nest.tile else 1)


def _is_out_of_order(nest: Nest, found: Footprint) -> bool:
    """Whether neighbouring threads read a tile down a column, or every so many elements of a row (r g b r g b ...)."""
    across = nest.loop(nest.axes[0]).var not in found.varies_with[-1] and len(found.extents) > 1
    strided = found.extents[-1] >= 2 * nest.block[0] * (nest.coarsen or (1,))[0]
    return (across and any(found.varies_with[:-1])) or strided


def _check(nest: Nest, statements: tuple[Stmt, ...], arrays: tuple[str, ...], program: Program) -> None:
    touched = usage(statements)
    for array in arrays:
        prints = stageable(nest, array, statements, symbols_of(program))
        if array in touched.stores and not _are_apart(prints, nest, program):
            raise Refused(f"{array} is written by the same kernel")
        if not prints:
            raise Refused(f"what a block reads of {array} has no box of constant size")


TILE = Move("tile", ("intensity", "coalescing"), "A contraction goes by tiles.", _tile, _tile_options)
STAGE = Move("stage", ("coalescing", "intensity"), "A block brings its input in first.", _stage, _stage_options)
PAD = Move("pad", ("shared",), "Rows of a tile are one element longer.", _pad, _pad_options)
