"""Moves on the C's own loops, made before any loop is mapped to a grid: distribute, swap, fuse, panel, one_block, ...

They rewrite the function (or, one_block, tell the mapping which loop stays on the device) and are asked of the
dependence analysis every time. A schedule's steps on loops come before its steps on kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from cudaperf_magic.compiler.analysis.affine import integer
from cudaperf_magic.compiler.analysis.dependence import Facts, analyse
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.fresh import unused_name
from cudaperf_magic.compiler.loops import (
    Comment,
    Declare,
    Expr,
    Function,
    If,
    Load,
    Loop,
    Name,
    Return,
    Stmt,
    Symbols,
    While,
    loops_of,
    map_statement,
    names_in,
    substitute,
    walk,
)
from cudaperf_magic.compiler.moves.distribute import distributed
from cudaperf_magic.compiler.moves.hold import carried, held
from cudaperf_magic.compiler.moves.move import Refused
from cudaperf_magic.compiler.rewriting.panels import STRIPS, Panelled, panelled
from cudaperf_magic.compiler.rewriting.replacing import exchanged, worded
from cudaperf_magic.compiler.rewriting.restructure import interchanged
from cudaperf_magic.compiler.rewriting.wave_tiles import front_of, points_forward, tiled
from cudaperf_magic.compiler.schedule import Schedule, Step

SENTENCE_FUSED = "What a second loop did, in the same pass: what both touch is still at hand."
SENTENCE_ONE_BLOCK = "One block runs the whole loop, with barriers between its steps in the place of launches."

Change = Callable[[Function, Facts, Loop, Step], Function | Panelled]
STRIP = 32  # iterations of a strip: a tile's edge, and little enough for one block
MOST_STRIP = 256


@dataclass(frozen=True)
class LoopMove:
    """A rewrite of the function at one loop; `helps` and `teaches` as for moves on kernels."""

    name: str
    helps: tuple[str, ...]
    teaches: str
    change: Change


@dataclass(frozen=True)
class Shaped:
    """A function after the steps on its loops, and the host loops that one block is to run."""

    function: Function
    facts: Facts
    one_block: frozenset[str] = frozenset()


def parted(schedule: Schedule) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """A schedule's steps on loops, and those on kernels."""
    on_loops = tuple(step for step in schedule.steps if step.move in LOOP_MOVES)
    return on_loops, tuple(step for step in schedule.steps if step.move not in LOOP_MOVES)


def shaped(function: Function, facts: Facts, steps: tuple[Step, ...], orders: Mapping[str, str]) -> Shaped:
    """The function after the steps.

    Raises:
        Refused: there is no such loop, or the move does not apply to it.
    """
    one_block: set[str] = set()
    for step in steps:
        loop = next((found for found in loops_of(function.body) if found.label == step.target), None)
        if loop is None:
            labels = ", ".join(found.label for found in loops_of(function.body))
            raise Refused(f"there is no loop {step.target}; there are {labels}")
        move = LOOP_MOVES[step.move]
        changed = move.change(function, facts, loop, step)
        if isinstance(changed, Panelled):
            one_block |= changed.one_block
            changed = changed.function
        if changed is not function:
            function, facts = changed, analyse(changed, orders)
    return Shaped(function, facts, frozenset(one_block))


def loop_options(function: Function, facts: Facts, fills: bool = False) -> Iterator[tuple[LoopMove, Step]]:
    """The steps on loops worth trying, with `fills` for sizes that fill a device; some are refused when made."""
    strips = [loop for loop in loops_of(function.body) if loop.label.endswith(STRIPS)]
    in_strips = {inner.label for strip in strips for inner in loops_of(strip.body)}
    for loop in loops_of(function.body):
        kind = facts.loop(loop.label).kind
        may_part = kind == "parallel" or fills
        if may_part and len(worded(loop.body)) > 1 and any(isinstance(s, Loop) for s in loop.body):
            yield DISTRIBUTE, Step("distribute", loop.label)
        if kind != "parallel" and interchanged(loop, facts) is not None:
            yield SWAP, Step("swap", loop.label)
        if kind == "reduction" and fills:
            reductions = facts.loop(loop.label).reductions
            if all(isinstance(r.target, Load) for r in reductions):
                yield HOLD, Step("hold", loop.label)
            if any(r.by_index for r in reductions):
                yield CARRY, Step("carry", loop.label)
        if kind == "sequential" and fills and front_of(loop) is not None:
            yield WAVE_TILES, Step("wave_tiles", loop.label, (STRIP,))
        if kind == "sequential" and fills and loop.label not in in_strips and _has_triangle(loop, facts):
            yield PANEL, Step("panel", loop.label, (STRIP,))
        if kind == "sequential" and any(facts.loop(inner.label).is_parallel for inner in loops_of(loop.body)):
            yield ONE_BLOCK, Step("one_block", loop.label)
    for first, second in _neighbours(function.body):
        same = facts.loop(first.label).kind == facts.loop(second.label).kind  # else what was parallel no longer is
        if same and facts.can_fuse(first.label, second.label):
            yield FUSE, Step("fuse", first.label, (second.label,))


def _has_triangle(loop: Loop, facts: Facts) -> bool:
    """Whether a loop inside, itself not in order, begins or ends with the loop's variable."""
    inner = [found for found in loops_of(loop.body) if facts.loop(found.label).kind != "sequential"]
    return any(loop.var in names_in(found.start) | names_in(found.stop) for found in inner)


def _neighbours(body: tuple[Stmt, ...]) -> Iterator[tuple[Loop, Loop]]:
    """Pairs of loops that follow one another, at any depth."""
    statements = worded(body)
    for first, second in pairwise(statements):
        if isinstance(first, Loop) and isinstance(second, Loop):
            yield first, second
    for statement in statements:
        if isinstance(statement, (Loop, While)):
            yield from _neighbours(statement.body)
        elif isinstance(statement, If):
            yield from _neighbours(statement.then)
            yield from _neighbours(statement.other)


# ------------------------------------------------------------------------- swap


def _swap(function: Function, facts: Facts, loop: Loop, step: Step) -> Function:
    if facts.loop(loop.label).is_parallel:
        raise Refused(f"{loop.label} is parallel where it is")
    turned = interchanged(loop, facts)
    if turned is None:
        raise Refused(f"no parallel loop of a perfect nest may move out of {loop.label}")
    return exchanged(function, (loop,), turned)


# ------------------------------------------------------------------------- fuse


def _fuse(function: Function, facts: Facts, loop: Loop, step: Step) -> Function:
    other = str(step.values[0])
    pair = next(((a, b) for a, b in _neighbours(function.body) if a is loop and b.label == other), None)
    if pair is None:
        raise Refused(f"{other} does not follow {loop.label} at once")
    if not facts.can_fuse(loop.label, other):
        raise Refused(f"an iteration of {other} needs what later iterations of {loop.label} do, or their bounds differ")
    return exchanged(function, pair, (_fused(loop, pair[1], facts, set(Symbols.of(function).types)),))


def _fused(first: Loop, second: Loop, facts: Facts, taken: set[str]) -> Loop:
    """One loop of both bodies; loops inside them that then lie side by side are fused as well where they may."""
    clashes = {first.var, *(s.name for s in walk(first.body) if isinstance(s, Declare))}
    body = tuple(substitute(s, {second.var: Name(first.var)}) for s in _renamed(second.body, clashes, taken))
    inside = (worded(first.body), worded(body))
    if all(len(part) == 1 and isinstance(part[0], Loop) for part in inside):
        outer, inner = inside[0][0], inside[1][0]
        assert isinstance(outer, Loop) and isinstance(inner, Loop)
        if _may_join(outer, inner, second, facts):
            return replace(first, body=(_fused(outer, inner, facts, taken),))
    return replace(first, body=(*first.body, Comment(SENTENCE_FUSED), *body))


def _may_join(outer: Loop, inner: Loop, second: Loop, facts: Facts) -> bool:
    """Whether the inner loops of two fused loops may be fused too: where every pair of points keeps to itself.

    With both pairs of loops parallel, the two nests meet only in equal points if the outer and the inner ranges both
    say so; the analysis has no question for that, so only nests that touch each shared element at equal subscripts do.
    """
    if (outer.start, outer.stop, outer.step) != (inner.start, inner.stop, inner.step):
        return False
    if not (facts.loop(outer.label).is_parallel and facts.loop(inner.label).is_parallel):
        return False
    moved = tuple(substitute(s, {inner.var: Name(outer.var)}) for s in inner.body)
    one, two = usage(outer.body), usage(moved)
    shared = (one.stores & two.arrays) | (one.arrays & two.stores)
    if one.assigned & two.exposed or two.assigned & one.exposed:
        return False
    places = [_places(part, shared) for part in (outer.body, moved)]
    return all(len({*places[0].get(a, set()), *places[1].get(a, set())}) == 1 for a in shared)


def _places(body: tuple[Stmt, ...], arrays: set[str]) -> dict[str, set[Load]]:
    found: dict[str, set[Load]] = {}

    def note(expression: Expr) -> Expr:
        if isinstance(expression, Load) and expression.array in arrays:
            found.setdefault(expression.array, set()).add(expression)
        return expression

    for statement in body:
        map_statement(statement, note)
    return found


def _renamed(body: tuple[Stmt, ...], clashes: set[str], taken: set[str]) -> tuple[Stmt, ...]:
    """The statements with locals and loop variables renamed whose names clash with what stands around them."""
    names: dict[str, str] = {}
    for statement in walk(body):
        own = statement.name if isinstance(statement, Declare) else statement.var if isinstance(statement, Loop) else ""
        if own in clashes and own not in names:
            new = unused_name(own, taken)
            taken.add(new.name)
            names[own] = new.name
    if not names:
        return body

    def on_expression(expression: Expr) -> Expr:
        if isinstance(expression, Name) and expression.name in names:
            return Name(names[expression.name])
        if isinstance(expression, Load) and expression.array in names:
            return replace(expression, array=names[expression.array])
        return expression

    def on(statement: Stmt) -> Stmt:
        match statement:
            case Declare():
                return replace(statement, name=names.get(statement.name, statement.name))
            case Loop():
                var = names.get(statement.var, statement.var)
                return replace(statement, var=var, body=tuple(on(s) for s in statement.body))
            case While():
                return replace(statement, body=tuple(on(s) for s in statement.body))
            case If():
                then, other = (tuple(on(s) for s in part) for part in (statement.then, statement.other))
                return replace(statement, then=then, other=other)
            case _:
                return statement

    return tuple(on(map_statement(statement, on_expression)) for statement in body)


# -------------------------------------------------------------------- one block


def _one_block(function: Function, facts: Facts, loop: Loop, step: Step) -> Panelled:
    if facts.loop(loop.label).kind != "sequential":
        raise Refused(f"{loop.label} is no loop of the host: its iterations are threads already")
    if not any(facts.loop(inner.label).is_parallel for inner in loops_of(loop.body)):
        raise Refused(f"{loop.label} holds nothing that a block's threads could share")
    if any(isinstance(s, Return) for s in walk(loop.body)):
        raise Refused(f"{loop.label} may be left by a return")
    for statement in walk(loop.body):
        if isinstance(statement, Declare) and any(integer(extent) is None for extent in statement.shape):
            raise Refused(f"{statement.name} has no constant size, which an array of a block must have")
    comment = "\n".join(part for part in (loop.comment, SENTENCE_ONE_BLOCK) if part)
    changed = exchanged(function, (loop,), (replace(loop, comment=comment),))
    return Panelled(changed, frozenset({loop.label}))


# ----------------------------------------------------------------------- panels


def _panel(function: Function, facts: Facts, loop: Loop, step: Step) -> Panelled:
    size = int(step.values[0])
    if facts.loop(loop.label).kind != "sequential":
        raise Refused(f"{loop.label} need not go in order, so that it needs no strips")
    if not 2 <= size <= MOST_STRIP:
        raise Refused(f"a strip has 2 to {MOST_STRIP} iterations")
    made = panelled(function, loop, size, facts.piece.orders)
    if made is None:
        raise Refused(f"nothing can be taken out of a strip of {loop.label}: every piece needs what the others do")
    return made


# -------------------------------------------------------------------- wavefronts


def _wave_tiles(function: Function, facts: Facts, loop: Loop, step: Step) -> Function:
    size, front = int(step.values[0]), front_of(loop)
    if front is None:
        raise Refused(f"{loop.label} does not walk the diagonals of a rectangle of points")
    if not 2 <= size <= MOST_STRIP:
        raise Refused(f"a tile has 2 to {MOST_STRIP} rows")
    if not points_forward(front, facts):
        raise Refused(f"a point of {loop.label} needs one of a later row or column: tiles would need each other")
    taken, labels = set(Symbols.of(function).types), {found.label for found in loops_of(function.body)}
    return exchanged(function, (loop,), (tiled(front, size, taken, labels),))


DISTRIBUTE = LoopMove(
    "distribute", ("coalescing", "balance"), "A loop over several pieces of work becomes one for each.", distributed
)
SWAP = LoopMove("swap", ("coalescing", "balance"), "A parallel loop moves out of one that is not.", _swap)
FUSE = LoopMove("fuse", ("intensity", "coalescing"), "Two loops over the same range become one.", _fuse)
ONE_BLOCK = LoopMove(
    "one_block", ("synchronisation",), "One block runs the whole loop: barriers in the place of launches.", _one_block
)
PANEL = LoopMove("panel", ("intensity", "balance"), "A loop goes by strips, the rest in one go for each.", _panel)
WAVE_TILES = LoopMove(
    "wave_tiles", ("intensity", "synchronisation"), "A wavefront goes by tiles of points.", _wave_tiles
)
HOLD = LoopMove("hold", ("synchronisation", "balance"), "A sum into one element is kept in a scalar.", held)
CARRY = LoopMove("carry", ("coalescing", "intensity"), "The best value travels with its index.", carried)
LOOP_MOVES: dict[str, LoopMove] = {
    move.name: move for move in (DISTRIBUTE, SWAP, FUSE, PANEL, WAVE_TILES, HOLD, CARRY, ONE_BLOCK)
}

__all__ = ["LOOP_MOVES", "LoopMove", "Shaped", "loop_options", "parted", "shaped"]
