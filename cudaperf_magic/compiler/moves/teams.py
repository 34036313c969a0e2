"""Moves that let threads share one point: warps and blocks as teams, shuffles, reductions and scans in two passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudaperf_magic.compiler.analysis.affine import integer, simplify
from cudaperf_magic.compiler.analysis.dependence import Facts
from cudaperf_magic.compiler.loops import Binary, Declare, Loop, Symbols, loops_of
from cudaperf_magic.compiler.lowering.lower import nest_facts, symbols_of
from cudaperf_magic.compiler.lowering.lower_team import FEW, TeamWriter
from cudaperf_magic.compiler.moves.atomic_pass import in_atomic_pass
from cudaperf_magic.compiler.moves.move import MOST_THREADS, WARP, Context, Move, Refused, with_decisions
from cudaperf_magic.compiler.moves.scan_passes import in_three_passes
from cudaperf_magic.compiler.moves.split_k import split_over
from cudaperf_magic.compiler.moves.two_pass import in_two_passes
from cudaperf_magic.compiler.program import Nest, Program
from cudaperf_magic.compiler.schedule import Step


def _team(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    threads = int(step.values[0])
    if not nest.loops or nest.team > 1 or nest.atomic or nest.staged:
        raise Refused("only a plain kernel with a thread a point can be given teams")
    if threads % WARP or not WARP <= threads <= MOST_THREADS:
        raise Refused("a team is a warp of 32 or a block of a multiple of that")
    changed = replace(
        nest, team=threads, rows=8 if threads == WARP else 1, reduce_style="shuffle", block=(), coarsen=()
    )
    facts, symbols = nest_facts(program, nest, context.orders), symbols_of(program)
    if not _has_team_work(changed, facts, symbols):
        raise Refused(f"nothing inside a point of {nest.name} can be dealt out, or too little for a team")
    if any(isinstance(s, Declare) and s.shape and _extent(s) is None for s in nest.body):
        raise Refused("a local array of unknown size cannot be shared by a team")
    who = "A warp works" if threads == WARP else f"A block of {threads} threads works"
    point = ", ".join(loop.var for loop in nest.loops)
    sentence = f"{who} together on one {point}: its threads walk along the inner loop, side by side."
    return program.changed(nest.name, lambda _: (replace(changed, comments=nest.saying(sentence)),))


def _team_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    if nest.loops and nest.team == 1 and not nest.staged and loops_of(nest.body):
        for threads in (32, 128, 256) if context.fills else (32, 128):
            yield Step("team", nest.name, (threads,))


def _has_team_work(nest: Nest, facts: Facts, symbols: Symbols) -> bool:
    """Whether a loop can be dealt out that is not known to be too short: idle threads would only wait for it."""
    writer = TeamWriter(nest, facts, symbols)
    return any(writer.deals(loop) and not _is_short(loop) for loop in loops_of(nest.body))


def _is_short(loop: Loop) -> bool:
    span = integer(simplify(Binary("-", loop.stop, loop.start)))
    return span is not None and abs(span) < FEW * abs(loop.step)


def _shuffle(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    if nest.team <= WARP or nest.reduce_style == "shuffle":
        raise Refused(f"{nest.name} does not combine parts over a block by halving")
    sentence = "Parts are combined by shuffles within each warp first: no shared memory and fewer barriers."
    return with_decisions(program, nest, reduce_style="shuffle", comments=nest.saying(sentence))


def _shuffle_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    if nest.team > WARP and nest.reduce_style == "tree":
        yield Step("shuffle", nest.name)


def _two_pass(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    facts = nest_facts(program, nest, context.orders)
    label = str(step.values[1]) if len(step.values) > 1 else ""
    return _or_refused(in_two_passes(program, nest, facts, _blocks(step), label))


def _two_pass_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    if nest.team == 1 or nest.loops:
        return
    yield Step("two_pass", nest.name, (context.blocks,))
    for statement in nest.body:
        if isinstance(statement, Loop) and len(statement.body) == 1 and isinstance(statement.body[0], Loop):
            yield Step("two_pass", nest.name, (context.blocks, statement.body[0].label))


def _atomic_pass(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    facts = nest_facts(program, nest, context.orders)
    return _or_refused(in_atomic_pass(program, nest, facts, _blocks(step)))


def _atomic_pass_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    if nest.team > 1 and not nest.loops:
        yield Step("atomic_pass", nest.name, (context.blocks,))


def _split_k(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    label, parts = str(step.values[0]), int(step.values[1])
    if parts < 2:
        raise Refused("splitting means at least 2 parts")
    return _or_refused(split_over(program, nest, nest_facts(program, nest, context.orders), label, parts))


def _split_k_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    if nest.team == 1 and len(nest.loops) in (1, 2) and not nest.staged and nest.vector == 1:
        parts = (16, 64) if context.fills else (16,)
        yield from (Step("split_k", nest.name, (s.label, p)) for s in nest.body if isinstance(s, Loop) for p in parts)


def _blocks(step: Step) -> int:
    blocks = int(step.values[0])
    if not 2 <= blocks <= MOST_THREADS:
        raise Refused(f"the range is shared by 2 to {MOST_THREADS} blocks")
    return blocks


def _or_refused(changed: Program | str) -> Program:
    if isinstance(changed, str):
        raise Refused(changed)
    return changed


def _scan_blocks(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    facts = nest_facts(program, nest, context.orders)
    return _or_refused(in_three_passes(program, nest, facts, _blocks(step)))


def _scan_blocks_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    if nest.team > 1 and not nest.loops:
        yield Step("scan_blocks", nest.name, (context.blocks,))


def _extent(declaration: Declare) -> int | None:
    total = 1
    for extent in declaration.shape:
        value = integer(extent)
        if value is None:
            return None
        total *= value
    return total


TEAM = Move("team", ("coalescing", "balance"), "Threads share a point's inner loop.", _team, _team_options)
SHUFFLE = Move("shuffle", ("synchronisation", "shared"), "Parts combine by shuffles.", _shuffle, _shuffle_options)
TWO_PASS = Move("two_pass", ("balance", "occupancy"), "Many blocks, then one.", _two_pass, _two_pass_options)
SCAN_BLOCKS = Move(
    "scan_blocks", ("balance", "occupancy"), "A scan in three passes.", _scan_blocks, _scan_blocks_options
)
ATOMIC_PASS = Move(
    "atomic_pass", ("balance", "occupancy"), "Many blocks, each with one atomic.", _atomic_pass, _atomic_pass_options
)
SPLIT_K = Move(
    "split_k", ("occupancy", "balance"), "Parts of a long reduction are points of their own.",
    _split_k, _split_k_options,
)  # fmt: skip
