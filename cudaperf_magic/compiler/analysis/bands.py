"""What pairs and bands of loops allow: interchange, fusion, fission, distances, a cut at a pivot.

Legality is memory-based. It answers questions and rewrites nothing; only fission returns statements, uncopied.
"""

from __future__ import annotations

from collections.abc import Iterator

from cudaperf_magic.compiler.analysis.accesses import Access, jumps
from cudaperf_magic.compiler.analysis.affine import loads_in, same
from cudaperf_magic.compiler.analysis.conflicts import Region, different, earlier, ordered, overlap
from cudaperf_magic.compiler.analysis.piece import Piece
from cudaperf_magic.compiler.analysis.scalars import exposure
from cudaperf_magic.compiler.analysis.values import assigned_names
from cudaperf_magic.compiler.analysis.verdicts import combines, judge
from cudaperf_magic.compiler.loops import (
    Break,
    Comment,
    Continue,
    Declare,
    Expr,
    Loop,
    Name,
    Return,
    Stmt,
    expressions,
    loops_of,
    names_in,
    walk,
)

Pair = tuple[Access, Access]


def pairs_of(found: tuple[Access, ...]) -> Iterator[Pair]:
    """Each unordered pair with a write, once."""
    for position, first in enumerate(found):
        for second in found[position:]:
            if (first.is_write or second.is_write) and overlap(first, second):
                yield first, second


def ways(first: Access, second: Access) -> list[Pair]:
    return [(first, second)] if first is second else [(first, second), (second, first)]


def carries_scalar(loop: Loop) -> bool:
    """Whether some scalar crosses iterations of the loop."""
    names = assigned_names(loop.body) - {inner.var for inner in loops_of(loop.body)}
    return bool(names & exposure(loop.body).exposed)


# --------------------------------------------------------------------- interchange


def chain(piece: Piece, outer_label: str, inner_label: str) -> tuple[Loop, ...] | None:
    """The loops from outer to inner when each holds nothing but the next (and comments)."""
    here = piece.tree(outer_label)
    loops = [here]
    while here.label != inner_label:
        body = [s for s in here.body if not isinstance(s, Comment)]
        if len(body) != 1 or not isinstance(body[0], Loop):
            return None
        here = body[0]
        loops.append(here)
    return tuple(loops)


def can_interchange(piece: Piece, outer_label: str, inner_label: str) -> bool:
    """Whether the loops at the two ends of a perfect nest may change places, their bounds unchanged."""
    loops = chain(piece, outer_label, inner_label)
    if loops is None or len(loops) < 2 or any(True for _ in jumps(loops[-1].body, (Break, Return))):
        return False
    variables = {loop.var for loop in loops}
    if any(names_in(bound) & variables for loop in loops for bound in (loop.start, loop.stop)):
        return False
    return _keeps_order(piece, loops, (loops[-1], *loops[1:-1], loops[0]))


def can_move_out(piece: Piece, outer_label: str, inner_label: str) -> bool:
    """Whether the inner loop of a perfect nest may become its outermost; the others may bound each other."""
    loops = chain(piece, outer_label, inner_label)
    if loops is None or len(loops) < 2 or any(True for _ in jumps(loops[-1].body, (Break, Return))):
        return False
    inner = loops[-1]
    around = {loop.var for loop in loops[:-1]}
    if (names_in(inner.start) | names_in(inner.stop)) & around or loads_in(inner.start) or loads_in(inner.stop):
        return False
    return _keeps_order(piece, loops, (inner, *loops[:-1]))


def _keeps_order(piece: Piece, loops: tuple[Loop, ...], swapped: tuple[Loop, ...]) -> bool:
    """Whether no dependence of the nest runs backwards once its loops stand in another order."""
    if not _scalars_allow(piece, loops):
        return False
    outer_label = loops[0].label
    region = piece.region(outer_label)
    backwards = " or ".join(f"({c})" for c in _later(swapped))
    for first, second in pairs_of(piece.inside(outer_label)):
        if combines(first, second):
            continue
        for source, sink in ways(first, second):
            if region.meet(source, sink, earlier(loops), backwards):
                return False
    return True


def _later(loops: tuple[Loop, ...]) -> list[str]:
    cases: list[str] = []
    equal: list[str] = []
    for loop in loops:
        cases.append(" and ".join([*equal, ordered(loop, "b_", "a_")]))
        equal.append(f"a_{loop.var} = b_{loop.var}")
    return cases


def _scalars_allow(piece: Piece, loops: tuple[Loop, ...]) -> bool:
    """Every scalar is set anew by each innermost iteration and not wanted later, or only combined."""
    innermost = judge(piece, loops[-1].label)
    outermost = judge(piece, loops[0].label)
    plain = [r.names for r in innermost.reductions if r.operator not in ("argmin", "argmax")]  # ties have an order
    combined = frozenset[str]().union(*plain)
    everywhere = frozenset[str]().union(*(r.names for r in outermost.reductions))
    names = assigned_names(loops[0].body) - {inner.var for inner in loops_of((loops[0],))}
    return names <= innermost.private | (combined & everywhere)


# ------------------------------------------------------------------------ distances


def distances(piece: Piece, labels: tuple[str, ...]) -> tuple[tuple[int, ...], ...] | None:
    """The distance vectors, in iterations, of all dependences between iterations of the band; None if not uniform."""
    loops = tuple(piece.tree(label) for label in labels)
    if not loops or any(True for _ in jumps(loops[-1].body, (Break, Return))):
        return None
    if assigned_names(loops[0].body) & piece.live_after[labels[0]] or any(carries_scalar(loop) for loop in loops):
        return None
    region = piece.region(labels[0])
    found: set[tuple[int, ...]] = set()
    for first, second in pairs_of(piece.inside(labels[0])):
        for source, sink in ways(first, second):
            if not all(a.inside(label) for a in (source, sink) for label in labels):
                return None
            if not region.meet(source, sink, earlier(loops)):
                continue
            vectors = region.vectors(source, sink, earlier(loops), loops)
            if vectors is None:
                return None
            found.update(vectors)
    return tuple(sorted(found))


# --------------------------------------------------------------------------- fusion


def can_fuse(piece: Piece, first_label: str, second_label: str) -> bool:
    """Whether two neighbouring loops of the same iterations may run as one, body after body."""
    first, second = piece.tree(first_label), piece.tree(second_label)
    if not _have_same_header(first, second) or piece.around[first_label][:-1] != piece.around[second_label][:-1]:
        return False
    if any(True for loop in (first, second) for _ in jumps(loop.body, (Break, Return, Continue))):
        return False
    if _share_scalars(first, second):
        return False
    around = piece.around[first_label][:-1]
    region = Region(piece.typing, piece.shaped, around, (first, second), piece.orders)
    reads = [a for a in piece.accesses if a.inside(first_label)]
    later = [a for a in piece.accesses if a.inside(second_label)]
    relation = ">" if first.step > 0 else "<"
    for source in reads:
        for sink in later:
            if not (source.is_write or sink.is_write) or not overlap(source, sink) or combines(source, sink):
                continue
            if region.meet(source, sink, f"a_{first.var} {relation} b_{second.var}"):
                return False
    return True


def _have_same_header(first: Loop, second: Loop) -> bool:
    return first.step == second.step and same(first.start, second.start) and same(first.stop, second.stop)


def _share_scalars(first: Loop, second: Loop) -> bool:
    """Whether a scalar that one loop sets matters to the other: set there too without being set anew, or read."""
    own = {loop.var for loop in loops_of((first, second))}
    set_first, set_second = assigned_names(first.body) - own, assigned_names(second.body) - own
    seen_first, seen_second = exposure(first.body), exposure(second.body)
    bounds = frozenset[str]().union(*(names_in(e) for e in (second.start, second.stop)))
    return bool(set_first & (seen_second.exposed | bounds) or set_second & seen_first.exposed or set_first & bounds)


# -------------------------------------------------------------------------- fission


def fission(piece: Piece, label: str) -> tuple[tuple[Stmt, ...], ...]:
    """The body in strongly connected groups, in a legal order; statements that share a scalar stay together."""
    body = piece.tree(label).body
    if any(True for _ in jumps(body, (Break, Return, Continue))):
        return (body,)
    blocks = _with_comments(body)
    after: list[set[int]] = [set() for _ in blocks]
    for one, other in _scalar_ties(blocks):
        after[one].add(other)
        after[other].add(one)
    for one, other in _element_edges(piece, label, blocks):
        after[one].add(other)
    groups = _components(after)
    return tuple(tuple(s for position in sorted(group) for s in blocks[position]) for group in groups)


def _with_comments(body: tuple[Stmt, ...]) -> list[tuple[Stmt, ...]]:
    blocks: list[tuple[Stmt, ...]] = []
    waiting: list[Stmt] = []
    for statement in body:
        waiting.append(statement)
        if not isinstance(statement, Comment):
            blocks.append(tuple(waiting))
            waiting = []
    if waiting:
        blocks.append(tuple(waiting))
    return blocks


def _scalar_ties(blocks: list[tuple[Stmt, ...]]) -> Iterator[tuple[int, int]]:
    """Pairs of blocks of which one sets a scalar, or declares an array, that the other mentions."""
    own = {loop.var for block in blocks for loop in loops_of(block)}
    sets = []
    mentions = []
    for block in blocks:
        local = frozenset(s.name for s in walk(block) if isinstance(s, Declare))
        sets.append((assigned_names(block) | local) - own)
        read = [e for s in walk(block) for e in expressions(s)]
        names = frozenset[str]().union(*(names_in(e) for e in read)) | frozenset(
            load.array for e in read for load in loads_in(e)
        )
        mentions.append(names | sets[-1])
    for one in range(len(blocks)):
        for other in range(len(blocks)):
            if one != other and sets[one] & mentions[other]:
                yield one, other


def _element_edges(piece: Piece, label: str, blocks: list[tuple[Stmt, ...]]) -> Iterator[tuple[int, int]]:
    """(a, b) when an element touched in block a is touched later in block b, in the same or a later iteration."""
    loop, region = piece.tree(label), piece.region(label)
    block_of = [k for k, block in enumerate(blocks) for _ in block]
    depth = len(piece.paths[label])
    for first, second in pairs_of(piece.inside(label)):
        a, b = block_of[first.path[depth]], block_of[second.path[depth]]
        if a == b:
            continue
        earlier_block, later_block = (first, second) if a < b else (second, first)
        low, high = min(a, b), max(a, b)
        same_or_later = f"a_{loop.var} = b_{loop.var} or {ordered(loop)}"
        if region.meet(earlier_block, later_block, same_or_later):
            yield low, high
        if region.meet(later_block, earlier_block, ordered(loop)):
            yield high, low


def _components(after: list[set[int]]) -> list[set[int]]:
    """Strongly connected groups in a topological order that keeps the source's order where it can."""
    count = len(after)
    reach = [_reached(after, start) for start in range(count)]
    groups: list[set[int]] = []
    for node in range(count):
        if not any(node in group for group in groups):
            groups.append({node} | {other for other in range(count) if other in reach[node] and node in reach[other]})
    ordered_groups: list[set[int]] = []
    while groups:
        ready = next(g for g in groups if not any(g & reach[o] for h in groups if h is not g for o in h))
        groups.remove(ready)
        ordered_groups.append(ready)
    return ordered_groups


def _reached(after: list[set[int]], start: int) -> set[int]:
    found: set[int] = set()
    waiting = [start]
    while waiting:
        for node in after[waiting.pop()] - found:
            found.add(node)
            waiting.append(node)
    return found


# ---------------------------------------------------------------------------- pivots


def pivot_split(piece: Piece, label: str) -> Expr | None:
    """An outer loop's variable p such that the parts before, at and after p are each parallel; None without one."""
    loop, facts = piece.tree(label), judge(piece, label)
    arrays = {d.name for d in facts.carried}
    if facts.kind != "sequential" or arrays - {a.array for a in piece.inside(label)}:
        return None
    conflicts = [
        (first, second)
        for first, second in pairs_of(piece.inside(label))
        if first.array in arrays and not combines(first, second)
    ]
    region = piece.region(label)
    for frame in reversed(piece.around[label][:-1]):
        if frame.loop is None:
            continue
        pivot = f"p_{frame.loop.var}"
        parts = [f"a_{loop.var} {r} {pivot} and b_{loop.var} {r} {pivot}" for r in ("<", ">")]
        if not any(region.meet(a, b, different(loop.var), part) for a, b in conflicts for part in parts):
            return Name(frame.loop.var)
    return None
