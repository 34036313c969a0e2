"""A long reduction or scan of a single block becomes many blocks' work: parts first, then the one that joins them.

Reduction: kernel 1 leaves one part a block, kernel 2 combines the parts. Scan: kernel 1 leaves each block's total,
kernel 2 turns totals into starting values, kernel 3 scans every block's own stretch from its starting value.
Everything around the loop stays where it was, in the last kernel or, cut off, in one of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cudaperf_magic.compiler.analysis.affine import integer, simplify
from cudaperf_magic.compiler.analysis.dependence import Facts
from cudaperf_magic.compiler.analysis.reductions import Reduction
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Call,
    Cast,
    Const,
    Declare,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Stmt,
    Symbols,
    loops_of,
    names_in,
    substitute_expression,
    walk_expression,
)
from cudaperf_magic.compiler.lowering.snippets import neutral
from cudaperf_magic.compiler.program import Nest, Node, Program, Workspace
from cudaperf_magic.compiler.promote import promote

OWN_NAMES = {"block", "per_block", "block_first", "block_last", "part"}  # what the made kernels call their own
SENTENCE_PARTS = "First pass: every block reduces its own stretch and leaves one part."
SENTENCE_JOIN = "Second pass: one block combines the parts."


def in_two_passes(program: Program, nest: Nest, facts: Facts, blocks: int, label: str = "") -> Program | str:
    """The program with the nest's first long reduction split over blocks; the reason, where there is none to split.

    label: of a loop inside the reduction's, in a perfect nest; then the blocks share its range instead.
    """
    if nest.loops or nest.team <= 1:
        return f"{nest.name} is not the work of a single block"
    at = next((i for i, s in enumerate(nest.body) if isinstance(s, Loop) and is_long(s, facts)), None)
    if at is None:
        return f"{nest.name} has no reduction over a whole range that blocks could share"
    loop = nest.body[at]
    assert isinstance(loop, Loop)
    reductions = facts.loop(loop.label).reductions
    shared = _shared_loop(loop, label, facts)
    if isinstance(shared, str):
        return shared
    symbols = Symbols.of(program.function)
    if clash := OWN_NAMES & set(symbols.types):
        return f"the C uses the name {min(clash)}, which the blocks' stretches need"
    accumulators = {name for reduction in reductions for name in reduction.names}
    first = at
    while first > 0 and sets_only(nest.body[first - 1], accumulators):
        first -= 1
    before, starts, after = nest.body[:first], nest.body[first:at], nest.body[at + 1 :]
    if any(_is_last(r) and not _starts_early(r, starts, loop) for r in reductions):
        return "of equal values the last wins, and where the index starts from is not known to come before them all"
    taken = {space.name for space in program.workspaces} | set(symbols.types)
    spaces = [_parts(name, symbols.types[name], blocks, taken) for name in sorted(accumulators)]
    places = {name: space.name for name, space in zip(sorted(accumulators), spaces, strict=True)}
    parts = replace(
        nest,
        name=f"{nest.name}_parts",
        loops=(block_loop(blocks),),
        axes=("block",),
        body=_part_body(loop, shared, starts, reductions, places, blocks, symbols),
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


SHORT = 1024  # iterations that one block does as well as many


def is_long(loop: Loop, facts: Facts) -> bool:
    """Whether a loop only reduces into scalars, over a range that is known before it starts."""
    found = facts.loop(loop.label)
    if found.kind != "reduction" or found.last_values or not found.reductions:
        return False
    span = integer(simplify(Binary("-", loop.stop, loop.start)))
    if span is not None and span <= SHORT:
        return False  # the parts of an earlier pass, say: one block is quicker
    if any(isinstance(part, Load) for e in (loop.start, loop.stop) for part in walk_expression(e)):
        return False
    return loop.step == 1 and all(
        isinstance(r.target, Name)
        and r.store is None
        and all(isinstance(p, Name) for p, _ in r.companions)
        and (not r.by_index or r.companions[0][1] == Name(loop.var))
        for r in found.reductions
    )


def _shared_loop(loop: Loop, label: str, facts: Facts) -> Loop | str:
    """The loop whose range the blocks share: the reduction's own, or one inside it that does as well."""
    inner = loop
    while label and inner.label != label:
        if len(inner.body) != 1 or not isinstance(inner.body[0], Loop):
            return f"{label} is no loop of a perfect nest that reduces"
        inner = inner.body[0]
    if inner is loop:
        return loop
    around = {outer.var for outer in loops_of((loop,))}
    if names_in(inner.start) & around or names_in(inner.stop) & around or not is_long(inner, facts):
        return f"the range of {label} is not the same for all iterations around it"
    if any(r.companions or r.by_index for r in facts.loop(loop.label).reductions):
        return "where the best value stands depends on the order of the outer loop"
    return inner


def _is_last(reduction: Reduction) -> bool:
    return reduction.ties == "last" and (bool(reduction.companions) or reduction.by_index)


def _starts_early(reduction: Reduction, starts: tuple[Stmt, ...], loop: Loop) -> bool:
    """Whether the index of an arg-min or arg-max starts no later than the range, and is the loop's own variable."""
    place: Expr
    if reduction.by_index:
        place = reduction.target
    elif len(reduction.companions) == 1 and reduction.companions[0][1] == Name(loop.var):
        place = reduction.companions[0][0]
    else:
        return False
    first, begin = None, integer(loop.start)
    for statement in starts:
        if isinstance(statement, Declare) and Name(statement.name) == place and statement.init is not None:
            first = integer(statement.init)
        elif isinstance(statement, Assign) and statement.target == place:
            first = integer(statement.value) if not statement.op else None
    return first is not None and begin is not None and first <= begin


def sets_only(statement: Stmt, names: set[str]) -> bool:
    """Whether a statement does nothing but declare or set one of the scalars."""
    if isinstance(statement, Declare):
        return statement.name in names and not statement.shape
    return isinstance(statement, Assign) and isinstance(statement.target, Name) and statement.target.name in names


def _parts(name: str, type: str, blocks: int, taken: set[str]) -> Workspace:
    space, number = f"{name}_parts", 2
    while space in taken:
        space, number = f"{name}_parts{number}", number + 1
    taken.add(space)
    return Workspace(space, type, (Const(str(blocks)),), why=f"one part of {name} from every block")


def block_loop(blocks: int) -> Loop:
    """The band of a kernel whose points are the blocks' own stretches."""
    return Loop("block", Const("0"), Const(str(blocks)), 1, (), "block")


def stretch(loop: Loop, blocks: int) -> tuple[tuple[Stmt, ...], Loop]:
    """A block's own stretch of a loop whose step is 1 or -1: declarations of its ends, and the loop over it."""
    up = loop.step > 0
    count = simplify(Binary("-", loop.stop, loop.start) if up else Binary("-", loop.start, loop.stop))
    per_block = Binary("/", simplify(Binary("+", count, Const(str(blocks - 1)))), Const(str(blocks)))
    first, last, share = Name("block_first"), Name("block_last"), Name("per_block")
    begins: Expr = Binary("*", Name("block"), share)
    if not up or loop.start != Const("0"):
        begins = Binary("+" if up else "-", loop.start, begins)
    ends = (
        Call("min", (Binary("+", first, share), in_type(loop, loop.stop)))
        if up
        else _lower_end(first, share, loop.stop)
    )
    made: tuple[Stmt, ...] = (
        Declare(share.name, loop.type, init=per_block),
        Declare(first.name, loop.type, init=begins),
        Declare(last.name, loop.type, init=ends),
    )
    return made, replace(loop, start=first, stop=last)


def in_type(loop: Loop, bound: Expr) -> Expr:
    """A bound in the loop's own type: min has one for both its arguments."""
    return bound if loop.type == "int" else Cast(loop.type, bound)


def _lower_end(first: Name, share: Name, stop: Expr) -> Expr:
    return Call("max", (Binary("-", first, share), stop))


def _part_body(
    loop: Loop,
    shared: Loop,
    starts: tuple[Stmt, ...],
    reductions: tuple[Reduction, ...],
    places: Mapping[str, str],
    blocks: int,
    symbols: Symbols,
) -> tuple[Stmt, ...]:
    ends, own = stretch(shared, blocks)
    whole = _with_inner(loop, own)
    resets = neutral_starts(starts, reductions, symbols)
    stores = tuple(Assign(Load(space, (Name("block"),)), "", Name(name)) for name, space in sorted(places.items()))
    return (*ends, *resets, whole, *stores)


def neutral_starts(starts: tuple[Stmt, ...], reductions: tuple[Reduction, ...], symbols: Symbols) -> tuple[Stmt, ...]:
    """What a part starts from: a neutral element, or where there is none (min, and, ...) what the whole starts from."""
    made: list[Stmt] = []
    for reduction in reductions:
        target = reduction.target
        assert isinstance(target, Name)
        zero = neutral(reduction.operator, symbols.types[target.name])
        if zero is not None:
            starts = tuple(s for s in starts if not sets_only(s, {target.name}))
            made.append(Declare(target.name, symbols.types[target.name], init=zero))
    return (*starts, *made)


def _with_inner(loop: Loop, own: Loop) -> Loop:
    """The nest with the loop of that label replaced."""
    if loop.label == own.label:
        return own
    inner = loop.body[0]
    assert isinstance(inner, Loop)
    return replace(loop, body=(_with_inner(inner, own),))


def _join_loop(reductions: tuple[Reduction, ...], places: Mapping[str, str], blocks: int) -> Loop:
    number = Name("part")
    body: list[Stmt] = []
    for reduction in reductions:
        target = reduction.target
        assert isinstance(target, Name)
        part = Load(places[target.name], (number,))
        operator = reduction.operator
        if operator in ("min", "max", "argmin", "argmax"):
            sets: list[Stmt] = [Assign(target, "", part)]
            for place, _ in reduction.companions if not reduction.by_index else ():
                assert isinstance(place, Name)
                sets.append(Assign(place, "", Load(places[place.name], (number,))))
            body.append(If(_is_better(reduction, part, places, number), tuple(sets)))
        elif operator in ("&&", "||"):
            body.append(Assign(target, "", Binary(operator, target, part)))
        else:
            body.append(Assign(target, operator, part))
    return Loop(number.name, Const("0"), Const(str(blocks)), 1, tuple(body), "part")


def _is_better(reduction: Reduction, part: Load, places: Mapping[str, str], number: Name) -> Expr:
    """Whether a block's part beats the best so far; a block that found nothing holds what all began with."""
    target = reduction.target
    relation = "<" if reduction.operator.endswith("min") else ">"
    ours: Expr = part
    best: Expr = target
    index: tuple[Expr, Expr] = (part, target)
    if reduction.by_index:
        variable = reduction.companions[0][1]
        assert isinstance(variable, Name) and isinstance(target, Name)
        compared = reduction.updates[0].value
        ours = substitute_expression(compared, {variable.name: part})
        best = substitute_expression(compared, {variable.name: target})
    elif reduction.companions:
        place = reduction.companions[0][0]
        assert isinstance(place, Name)
        index = (Load(places[place.name], (number,)), place)
    better: Expr = Binary(relation, ours, best)
    if _is_last(reduction):
        better = Binary("||", better, Binary("&&", Binary("==", ours, best), Binary(">", *index)))
    if reduction.by_index:  # where nothing was found there may be no element to look at
        better = Binary("&&", Binary("!=", part, target), better)
    return better
