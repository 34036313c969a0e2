"""The move `distribute`: a parallel loop over several pieces of work becomes a loop for each of them.

Scalars that one piece sets and a later one reads get a row, an element for every iteration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cudaperf_magic.compiler.analysis.affine import integer, loads_in, simplify
from cudaperf_magic.compiler.analysis.dependence import Facts, analyse
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.fresh import unused_name
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Declare,
    Expr,
    Function,
    Load,
    Loop,
    Name,
    Stmt,
    Symbols,
    loops_of,
    map_statement,
    names_in,
    walk,
)
from cudaperf_magic.compiler.moves.move import Refused
from cudaperf_magic.compiler.rewriting.replacing import exchanged, worded
from cudaperf_magic.compiler.rewriting.restructure import fresh, interchanged
from cudaperf_magic.compiler.schedule import Step


def distributed(function: Function, facts: Facts, loop: Loop, step: Step) -> Function:
    found = facts.loop(loop.label)
    if not found.is_parallel and (apart := _by_groups(function, facts, loop)) is not None:
        return apart
    if not found.is_parallel or found.last_values:
        raise Refused(f"the iterations of {loop.label} depend on one another, or leave a value behind")
    segments = _segments(loop, facts)
    if len(segments) < 2:
        raise Refused(f"the body of {loop.label} has no parallel loop beside other work")
    known = {p.name for p in function.parameters if not p.is_array} | {name for name, _, _ in function.constants}
    known -= usage(function.body).assigned
    if not names_in(loop.start) | names_in(loop.stop) <= known or loads_in(loop.start) or loads_in(loop.stop):
        raise Refused(f"how many iterations {loop.label} has must follow from the parameters")
    local = {s.name for s in walk(loop.body) if isinstance(s, Declare) and s.shape}
    if any(len([1 for part in segments if usage(part).arrays & {name}]) > 1 for name in local):
        raise Refused(f"a local array of {loop.label} is used on both sides of the cut")
    crossing = _crossing(segments)
    symbols = Symbols.of(function)
    taken = set(symbols.types)
    rows: dict[str, Load] = {}
    made: list[Stmt] = []
    count = simplify(Binary("-", loop.stop, loop.start) if loop.step > 0 else Binary("-", loop.start, loop.stop))
    for name in sorted(crossing):
        array = unused_name(f"{name}_of_{loop.var}", taken)
        taken.add(array.name)
        made.append(Declare(array.name, symbols.types[name], (count,), comment=f"{name} of every {loop.var}"))
        rows[name] = Load(array.name, (_place(loop),))
    labels = {inner.label for inner in loops_of(function.body)}
    for number, segment in enumerate(segments):
        body = _cut(_turned(segment, facts), segments[:number], segments[number + 1 :], rows, symbols)
        piece = replace(loop, body=body, comment=loop.comment if number == 0 else "")
        made.append(piece if number == 0 else fresh(piece, labels))
    return exchanged(function, (loop,), tuple(made))


def _by_groups(function: Function, facts: Facts, loop: Loop) -> Function | None:
    """A loop whose iterations are not free, cut into groups of statements that need not share a loop."""
    groups = facts.fission(loop.label)
    if len(groups) < 2:
        return None
    labels = {inner.label for inner in loops_of(function.body)}
    first, *others = (replace(loop, body=group) for group in groups)
    made = (first, *(fresh(replace(other, comment=""), labels) for other in others))
    function = exchanged(function, (loop,), made)
    after = analyse(function, facts.piece.orders)
    for piece in made:  # alone, a piece may let a parallel loop out that the others kept in
        if not after.loop(piece.label).is_parallel and (turned := interchanged(piece, after)) is not None:
            function = exchanged(function, (piece,), turned)
    return function


def _turned(segment: tuple[Stmt, ...], facts: Facts) -> tuple[Stmt, ...]:
    """A segment that is one nest, with a parallel loop moved out of it so that it joins the grid."""
    (*_, last) = segment
    if len(worded(segment)) > 1 or not isinstance(last, Loop) or facts.loop(last.label).is_parallel:
        return segment
    turned = interchanged(last, facts)
    return segment if turned is None else (*segment[:-1], *turned)


def _segments(loop: Loop, facts: Facts) -> list[tuple[Stmt, ...]]:
    """The body cut around its parallel loops, in their order; what lies between them stays together."""
    segments: list[tuple[Stmt, ...]] = []
    pending: list[Stmt] = []
    for statement in loop.body:
        if isinstance(statement, Loop) and facts.loop(statement.label).is_parallel:
            if worded(tuple(pending)):
                segments.append(tuple(pending))
                pending = []
            segments.append((*pending, statement))
            pending = []
        elif not (isinstance(statement, Declare) and statement.init is None and not statement.shape):
            pending.append(statement)
    if worded(tuple(pending)):
        segments.append(tuple(pending))
    return segments


def _crossing(segments: list[tuple[Stmt, ...]]) -> set[str]:
    """Scalars that one segment sets and a later one reads."""
    found: set[str] = set()
    for number, segment in enumerate(segments):
        later = usage(tuple(s for part in segments[number + 1 :] for s in part)).exposed
        found |= usage(segment).assigned & later
    return found


def _place(loop: Loop) -> Expr:
    """An iteration's own element of an expanded scalar."""
    if loop.step < 0:
        return simplify(Binary("-", loop.start, Name(loop.var)))
    return Name(loop.var) if integer(loop.start) == 0 else simplify(Binary("-", Name(loop.var), loop.start))


def _cut(
    segment: tuple[Stmt, ...],
    earlier: list[tuple[Stmt, ...]],
    later: list[tuple[Stmt, ...]],
    rows: Mapping[str, Load],
    symbols: Symbols,
) -> tuple[Stmt, ...]:
    """A segment that takes the scalars that cross from their rows, and leaves them there."""
    own = usage(segment)
    before = usage(tuple(s for part in earlier for s in part)).assigned
    after = usage(tuple(s for part in later for s in part)).exposed
    taken = own.exposed & before & set(rows)
    left = own.assigned & after & set(rows)
    if not taken & own.assigned and not left and len(worded(segment)) == 1:
        return tuple(map_statement(s, lambda e: rows[e.name] if isinstance(e, Name) and e.name in taken else e)
                     for s in segment)  # fmt: skip
    heads: list[Stmt] = [Declare(name, symbols.types[name], init=rows[name]) for name in sorted(taken)]
    for name in sorted((own.assigned - own.declared - taken) & set(rows)):
        heads.append(Declare(name, symbols.types[name]))
    tails = tuple(Assign(rows[name], "", Name(name)) for name in sorted(left))
    return (*heads, *segment, *tails)
