"""Moves on how elements are read and written: vectors of neighbours, the no-overlap promise, unrolled loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudaperf_magic.compiler.analysis.affine import integer, simplify
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.loops import Binary, Const, If, Loop, Stmt, While, loops_of
from cudaperf_magic.compiler.lowering.grid import all_of, axes_of
from cudaperf_magic.compiler.lowering.lower import symbols_of
from cudaperf_magic.compiler.lowering.lower_vector import alignment, vectors
from cudaperf_magic.compiler.lowering.snippets import BYTES
from cudaperf_magic.compiler.moves.move import Context, Move, Refused, with_decisions
from cudaperf_magic.compiler.program import HostIf, Nest, Node, Program
from cudaperf_magic.compiler.schedule import Step

MOST_BYTES = 16  # the widest access that a thread can make
COUNTS = (16, 8, 4, 2)
FULL = 32  # a loop of at most so many iterations is unrolled altogether


def _vector(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    count = int(step.values[0])
    if nest.team > 1 or not nest.loops or nest.staged or nest.atomic or nest.vector > 1:
        raise Refused("only a plain kernel with a thread a point and no colliding updates can move vectors")
    if count not in COUNTS or max(nest.coarsen, default=1) > 1:
        raise Refused(f"a thread takes 2, 4, 8 or 16 neighbours, and no further points; not {count}")
    axes = axes_of(nest.loops, nest.axes)
    x = nest.loop(nest.axes[0])
    if axes is None or x.step != 1 or len(axes[0].guards) > 1:
        raise Refused(f"the points of {nest.name} along {x.var} do not follow one another from a first that rows share")
    low = integer(axes[0].low)
    if low is None or low % count:
        raise Refused(f"{x.var} does not start at a multiple of {count}, so no vector would be aligned")
    changed = replace(nest, vector=count)
    symbols = symbols_of(program)
    found = vectors(changed, symbols)
    if not found:
        raise Refused(f"{nest.name} touches no element at exactly [{x.var}] in every point")
    widest = max(BYTES[symbols.types[v.element.array]] for v in found)
    if widest * count > MOST_BYTES:
        raise Refused(f"{count} elements of {widest} bytes are more than the {MOST_BYTES} bytes of one access")
    try:
        rows = alignment(changed, symbols)
    except ValueError as error:
        raise Refused(str(error)) from None
    names = " and ".join(dict.fromkeys(v.element.array for v in found))
    sentence = (
        f"Each thread takes {count} neighbouring {x.var} and moves their elements of {names} in one access. That needs "
        f"them aligned: arrays begin where cudaMalloc puts them, and every start is a multiple of {count}."
    )
    changed = replace(changed, comments=nest.saying(sentence))
    return program.changed(nest.name, lambda _: _where_aligned(changed, nest, rows, count))


def _where_aligned(changed: Nest, nest: Nest, rows: tuple[object, ...], count: int) -> tuple[Node, ...]:
    """The nest with vectors, under the host's question whether every row starts aligned."""
    conditions = tuple(Binary("==", Binary("%", row, Const(str(count))), Const("0")) for row in rows)  # type: ignore[arg-type]
    condition = all_of(conditions)
    if condition is None:
        return (changed,)
    plain = replace(nest, name=f"{nest.name}_unaligned")
    return (HostIf(condition, (changed,), (plain,)),)


def _vector_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    if nest.team > 1 or not nest.loops or nest.staged or nest.atomic or nest.vector > 1:
        return
    symbols = symbols_of(program)
    found = vectors(nest, symbols)
    if found:
        widest = max(BYTES[symbols.types[v.element.array]] for v in found)
        yield Step("vector", nest.name, (min(MOST_BYTES // widest, 4 if widest > 1 else MOST_BYTES),))


def _restrict(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    if nest.restrict:
        raise Refused(f"{nest.name} promises that already")
    touched = usage(nest.body)
    if not touched.loads - touched.stores - nest.atomic:
        raise Refused(f"{nest.name} has no array that it only reads")
    sentence = (
        "__restrict__: the arrays of a call do not overlap (the C is taken to say so), so what is only read may go "
        "through the read-only cache."
    )
    return with_decisions(program, nest, restrict=True, comments=nest.saying(sentence))


def _restrict_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    if not nest.restrict:
        yield Step("restrict", nest.name)


def _unroll(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    label, times = str(step.values[0]), int(step.values[1])
    loop = next((found for found in loops_of(nest.body) if found.label == label), None)
    if loop is None:
        raise Refused(f"{nest.name} has no loop {label} inside a point")
    if loop.pragma or (nest.tile and nest.tile[0] == label):
        raise Refused(f"{label} is unrolled already")
    if times < 2:
        raise Refused("unrolling means at least 2 iterations at a time")
    touched = usage(loop.body)
    loads = touched.loads - usage(nest.body).declared
    gain = "independent loads are under way at the same time" if loads else "less is spent on counting and jumping"
    sentence = f"The loop over {loop.var} is unrolled, so that {gain}."
    body = _with_pragma(nest.body, label, f"unroll {times}")
    return with_decisions(program, nest, body=body, comments=nest.saying(sentence))


def _with_pragma(body: tuple[Stmt, ...], label: str, pragma: str) -> tuple[Stmt, ...]:
    def on(statement: Stmt) -> Stmt:
        match statement:
            case Loop():
                own = pragma if statement.label == label else statement.pragma
                return replace(statement, body=_with_pragma(statement.body, label, pragma), pragma=own)
            case While():
                return replace(statement, body=_with_pragma(statement.body, label, pragma))
            case If():
                then, other = (_with_pragma(part, label, pragma) for part in (statement.then, statement.other))
                return replace(statement, then=then, other=other)
            case _:
                return statement

    return tuple(on(statement) for statement in body)


def _unroll_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    for loop in loops_of(nest.body):
        if loop.pragma or loops_of(loop.body) or (nest.tile and nest.tile[0] == loop.label):
            continue
        count = integer(simplify(Binary("-", loop.stop, loop.start)))
        trips = None if count is None else -(-abs(count) // abs(loop.step))
        yield Step("unroll", nest.name, (loop.label, trips if trips is not None and 2 <= trips <= FULL else 4))


VECTOR = Move(
    "vector", ("coalescing", "intensity"), "A thread moves several neighbours at once.", _vector, _vector_options
)
RESTRICT = Move(
    "restrict", ("coalescing",), "Read-only arrays are promised not to overlap.", _restrict, _restrict_options
)
UNROLL = Move("unroll", ("intensity", "balance"), "An inner loop is unrolled.", _unroll, _unroll_options)
