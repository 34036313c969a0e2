"""A long reduction or scan of a single block becomes many blocks' work: parts first, then the one that joins them.

Reduction: kernel 1 leaves one part a block, kernel 2 combines the parts. Scan: kernel 1 leaves each block's total,
kernel 2 turns totals into starting values, kernel 3 scans every block's own stretch from its starting value.
Everything around the loop stays where it was, in the last kernel or, cut off, in one of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cudaperf_magic.compiler.affine import simplify
from cudaperf_magic.compiler.dependence import Facts
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Call,
    Const,
    Declare,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Stmt,
    Symbols,
    walk_expression,
)
from cudaperf_magic.compiler.program import Nest, Node, Program, Workspace
from cudaperf_magic.compiler.promote import promote
from cudaperf_magic.compiler.reductions import Reduction
from cudaperf_magic.compiler.snippets import neutral

SENTENCE_PARTS = "First pass: every block reduces its own stretch and leaves one part."
SENTENCE_JOIN = "Second pass: one block combines the parts."


def in_two_passes(program: Program, nest: Nest, facts: Facts, blocks: int, sizes: Mapping[str, int]) -> Program | str:
    """The program with the nest's first long reduction split over blocks; the reason, where there is none to split."""
    if nest.loops or nest.team <= 1:
        return f"{nest.name} is not the work of a single block"
    at = next((i for i, s in enumerate(nest.body) if isinstance(s, Loop) and _is_long(s, facts)), None)
    if at is None:
        return f"{nest.name} has no reduction over a whole range that blocks could share"
    loop = nest.body[at]
    assert isinstance(loop, Loop)
    reductions = facts.loop(loop.label).reductions
    symbols = Symbols.of(program.function)
    accumulators = {name for reduction in reductions for name in reduction.names}
    first = at
    while first > 0 and _sets_only(nest.body[first - 1], accumulators):
        first -= 1
    before, starts, after = nest.body[:first], nest.body[first:at], nest.body[at + 1 :]
    taken = {space.name for space in program.workspaces} | set(symbols.types)
    spaces = [_parts(name, symbols.types[name], blocks, taken) for name in sorted(accumulators)]
    places = {name: space.name for name, space in zip(sorted(accumulators), spaces, strict=True)}
    parts = replace(
        nest,
        name=f"{nest.name}_parts",
        loops=(_block_loop(blocks),),
        axes=("block",),
        body=_part_body(loop, starts, reductions, places, blocks, symbols),
        comments=(SENTENCE_PARTS,),
        reduce_style="shuffle",
    )
    joined = replace(
        nest,
        body=(*starts, _join_loop(reductions, places, blocks), *after),
        comments=nest.saying(SENTENCE_JOIN),
        reduce_style="shuffle",
    )
    nodes: tuple[Node, ...] = (parts, joined)
    if before:
        nodes = (replace(nest, name=f"{nest.name}_before", body=before), *nodes)
    changed = program.changed(nest.name, lambda _: nodes)
    return promote(replace(changed, workspaces=(*changed.workspaces, *spaces)))


def _is_long(loop: Loop, facts: Facts) -> bool:
    found = facts.loop(loop.label)
    if found.kind != "reduction" or found.last_values or not found.reductions:
        return False
    if any(isinstance(part, Load) for e in (loop.start, loop.stop) for part in walk_expression(e)):
        return False
    return loop.step == 1 and all(
        isinstance(r.target, Name)
        and r.store is None
        and not r.by_index
        and all(isinstance(p, Name) for p, _ in r.companions)
        for r in found.reductions
    )


def _sets_only(statement: Stmt, names: set[str]) -> bool:
    if isinstance(statement, Declare):
        return statement.name in names and not statement.shape
    return isinstance(statement, Assign) and isinstance(statement.target, Name) and statement.target.name in names


def _parts(name: str, type: str, blocks: int, taken: set[str]) -> Workspace:
    space, number = f"{name}_parts", 2
    while space in taken:
        space, number = f"{name}_parts{number}", number + 1
    taken.add(space)
    return Workspace(space, type, (Const(str(blocks)),), why=f"one part of {name} from every block")


def _block_loop(blocks: int) -> Loop:
    return Loop("block", Const("0"), Const(str(blocks)), 1, (), "block")


def stretch(loop: Loop, blocks: int) -> tuple[tuple[Stmt, ...], Loop]:
    """A block's own stretch of a loop: declarations of its ends, and the loop over it."""
    count = simplify(Binary("-", loop.stop, loop.start))
    per_block = Binary("/", simplify(Binary("+", count, Const(str(blocks - 1)))), Const(str(blocks)))
    first, last, share = Name("block_first"), Name("block_last"), Name("per_block")
    begins: Expr = Binary("*", Name("block"), share)
    if loop.start != Const("0"):
        begins = Binary("+", loop.start, begins)
    made: tuple[Stmt, ...] = (
        Declare(share.name, loop.type, init=per_block),
        Declare(first.name, loop.type, init=begins),
        Declare(last.name, loop.type, init=Call("min", (Binary("+", first, share), loop.stop))),
    )
    return made, replace(loop, start=first, stop=last)


def _part_body(
    loop: Loop,
    starts: tuple[Stmt, ...],
    reductions: tuple[Reduction, ...],
    places: Mapping[str, str],
    blocks: int,
    symbols: Symbols,
) -> tuple[Stmt, ...]:
    ends, own = stretch(loop, blocks)
    resets: list[Stmt] = []
    for reduction in reductions:
        target = reduction.target
        assert isinstance(target, Name)
        zero = neutral(reduction.operator, symbols.types[target.name])
        if zero is not None:
            resets.append(Assign(target, "", zero))
    stores = tuple(Assign(Load(space, (Name("block"),)), "", Name(name)) for name, space in sorted(places.items()))
    return (*ends, *starts, *resets, own, *stores)


def _join_loop(reductions: tuple[Reduction, ...], places: Mapping[str, str], blocks: int) -> Loop:
    number = Name("part")
    body: list[Stmt] = []
    for reduction in reductions:
        target = reduction.target
        assert isinstance(target, Name)
        part = Load(places[target.name], (number,))
        operator = reduction.operator
        if operator in ("min", "max", "argmin", "argmax"):
            relation = "<" if operator.endswith("min") else ">"
            relation += "=" if reduction.ties == "last" and reduction.companions else ""
            sets: list[Stmt] = [Assign(target, "", part)]
            for place, _ in reduction.companions:
                assert isinstance(place, Name)
                sets.append(Assign(place, "", Load(places[place.name], (number,))))
            body.append(If(Binary(relation, part, target), tuple(sets)))
        elif operator in ("&&", "||"):
            body.append(Assign(target, "", Binary(operator, target, part)))
        else:
            body.append(Assign(target, operator, part))
    return Loop(number.name, Const("0"), Const(str(blocks)), 1, tuple(body), "part")
