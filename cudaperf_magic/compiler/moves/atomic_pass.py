"""A long reduction of a single block becomes many blocks' work, each of which hands its part on by one atomic.

Only for operators that are exact in any order (whole numbers): then the result does not depend on who comes first.
"""

from __future__ import annotations

from dataclasses import replace

from cudaperf_magic.compiler.analysis.affine import INTEGER_TYPES, integer
from cudaperf_magic.compiler.analysis.dependence import Facts
from cudaperf_magic.compiler.analysis.reductions import Reduction
from cudaperf_magic.compiler.analysis.updates import Update
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.loops import Assign, Binary, Const, If, Load, Loop, Name, Stmt, Symbols
from cudaperf_magic.compiler.lowering.atomics import NATIVE, atomic_update
from cudaperf_magic.compiler.lowering.grid import thread_index
from cudaperf_magic.compiler.lowering.snippets import Snippet
from cudaperf_magic.compiler.moves.two_pass import OWN_NAMES, block_loop, is_long, neutral_starts, sets_only, stretch
from cudaperf_magic.compiler.program import Nest, Program, Workspace
from cudaperf_magic.compiler.promote import cell, promote

SENTENCE = "Every block reduces its own stretch and hands its part on by one atomic: whole numbers have no order."
FIRST = "The result must hold its first value before any block adds to it."


def in_atomic_pass(program: Program, nest: Nest, facts: Facts, blocks: int) -> Program | str:
    """The program with the nest's first long reduction shared by blocks; the reason, where that cannot be."""
    if nest.loops or nest.team <= 1:
        return f"{nest.name} is not the work of a single block"
    symbols = Symbols.of(program.function)
    if clash := OWN_NAMES & set(symbols.types):
        return f"the C uses the name {min(clash)}, which the blocks' stretches need"
    at = next((i for i, s in enumerate(nest.body) if isinstance(s, Loop) and is_long(s, facts)), None)
    if at is None:
        return f"{nest.name} has no reduction over a whole range that blocks could share"
    loop = nest.body[at]
    assert isinstance(loop, Loop)
    reductions = facts.loop(loop.label).reductions
    if any(not _is_exact(reduction, symbols) for reduction in reductions):
        return "only sums, extrema and bit operations of whole numbers come out the same in any order"
    names = {name for reduction in reductions for name in reduction.names}
    first = at
    while first > 0 and sets_only(nest.body[first - 1], names):
        first -= 1
    before, starts, after = nest.body[:first], nest.body[first:at], nest.body[at + 1 :]
    if not names <= usage(starts).assigned:
        return "what the result starts from is computed elsewhere"
    places = {r.target: cell(name) for r in reductions for name in r.names}
    direct = _stored_at(after, reductions, symbols)
    if direct is not None:
        places, starts_all, after = {reductions[0].target: direct}, (*starts, *after), ()
    else:
        starts_all = starts
    parts = _parts(loop, starts, reductions, places, blocks, symbols)
    if parts is None:
        return "the hardware has no atomic for it"
    alone = not any(isinstance(s, Loop) for s in before)
    start = replace(
        nest, name=f"{nest.name}_start", body=(*before, *starts_all), team=1 if alone else nest.team, comments=(FIRST,)
    )
    shared = replace(
        nest, name=nest.name, loops=(block_loop(blocks),), axes=("block",), body=parts, comments=(SENTENCE,),
        reduce_style="shuffle",
    )  # fmt: skip
    nodes = [start, shared]
    if after:
        nodes.append(replace(nest, name=f"{nest.name}_after", body=after))
    changed = program.changed(nest.name, lambda _: tuple(nodes))
    return promote(changed if direct is not None else _with_cells(changed, names, symbols))


def _with_cells(program: Program, names: set[str], symbols: Symbols) -> Program:
    have = {space.name for space in program.workspaces}
    spaces = tuple(
        Workspace(cell(name).array, symbols.types[name], (Const("1"),), why=f"{name}, handed from kernel to kernel")
        for name in sorted(names)
        if cell(name).array not in have
    )
    return replace(program, workspaces=(*program.workspaces, *spaces))


def _is_exact(reduction: Reduction, symbols: Symbols) -> bool:
    kind = symbols.types.get(reduction.target.name) if isinstance(reduction.target, Name) else None
    if reduction.companions or kind not in INTEGER_TYPES:
        return False
    wide = {"+": {"long", "unsigned long", "long long"}}.get(reduction.operator, set())
    return kind in NATIVE.get(reduction.operator, set()) | wide


def _stored_at(after: tuple[Stmt, ...], reductions: tuple[Reduction, ...], symbols: Symbols) -> Load | None:
    """`result[0]`, when all that follows is `result[0] = s` of the same type: then the atomics can go there."""
    if len(reductions) != 1 or len(after) != 1 or not isinstance(after[0], Assign):
        return None
    store = after[0]
    if store.op or store.value != reductions[0].target or not isinstance(store.target, Load) or store.target.field:
        return None
    target, name = store.target, reductions[0].target
    assert isinstance(name, Name)
    is_fixed = all(integer(s) is not None for s in target.subscripts)
    return target if is_fixed and symbols.types.get(target.array) == symbols.types[name.name] else None


def _parts(
    loop: Loop,
    starts: tuple[Stmt, ...],
    reductions: tuple[Reduction, ...],
    places: dict[Name | Load, Load],
    blocks: int,
    symbols: Symbols,
) -> tuple[Stmt, ...] | None:
    ends, own = stretch(loop, blocks)
    atomics: list[Stmt] = []
    snippets: dict[str, Snippet] = {}
    for reduction in reductions:
        target = reduction.target
        assert isinstance(target, Name)
        place, kind = places[target], symbols.types[target.name]
        symbols.types.setdefault(place.array, kind)
        atomics.append(atomic_update(Update(place, reduction.operator, target, 0), place, symbols, snippets))
    if snippets:
        return None
    first = If(Binary("==", thread_index("x"), Const("0")), tuple(atomics))
    return (*ends, *neutral_starts(starts, reductions, symbols), own, first)
