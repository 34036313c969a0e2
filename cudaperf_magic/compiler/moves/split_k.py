"""A long reduction inside each of a few points: its parts become points of their own, and a second kernel adds them.

For grids that are too small to fill the machine (tall and skinny products, sums over a few columns).
"""

from __future__ import annotations

from dataclasses import replace

from cudaperf_magic.compiler.analysis.affine import integer, simplify
from cudaperf_magic.compiler.analysis.dependence import Facts
from cudaperf_magic.compiler.analysis.reductions import Reduction
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.fresh import unused_name
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Call,
    Const,
    Declare,
    Expr,
    Load,
    Loop,
    Name,
    Stmt,
    walk_expression,
)
from cudaperf_magic.compiler.lowering.grid import axes_of
from cudaperf_magic.compiler.lowering.keep import kept_in_register
from cudaperf_magic.compiler.lowering.lower import symbols_of
from cudaperf_magic.compiler.lowering.snippets import identity, neutral
from cudaperf_magic.compiler.moves.scan_passes import joined
from cudaperf_magic.compiler.moves.two_pass import in_type, is_long, sets_only
from cudaperf_magic.compiler.program import Nest, Program, Workspace

SENTENCE_PARTS = "There are few points and a long loop in each: the loop goes in parts, every part a thread of its own."
SENTENCE_JOIN = "The parts of every point are combined."
BLOCKS = {2: (32, 8), 3: (32, 4, 2)}


def split_over(program: Program, nest: Nest, facts: Facts, label: str, parts: int) -> Program | str:
    """The program with the nest's loop `label` in parts; the reason, where it cannot be."""
    if nest.team > 1 or nest.staged or nest.atomic or nest.vector > 1 or len(nest.loops) not in (1, 2):
        return "only a plain kernel of one or two axes can be split along a third"
    axes = axes_of(nest.loops, nest.axes)
    loop = next((s for s in nest.body if isinstance(s, Loop) and s.label == label), None)
    if axes is None or loop is None:
        return f"{nest.name} has no loop {label} directly inside a point"
    symbols = symbols_of(program)
    found = _accumulator(nest, loop, facts, symbols.types)
    if found is None:
        return f"{label} does not sum into one scalar or one element"
    body, accumulator, operator = found
    at = next(i for i, s in enumerate(body) if isinstance(s, Loop) and s.label == label)
    reduced = body[at]
    assert isinstance(reduced, Loop)
    kind = _type_of(body, accumulator, symbols.types)
    taken = set(symbols.types) | {space.name for space in program.workspaces}
    zero = neutral(operator, kind) or identity(operator, kind)
    if zero is None:
        return f"parts of {operator} have no value to start from"
    first = at
    while first > 0 and sets_only(body[first - 1], {accumulator.name}):
        first -= 1
    before = _again(body[:first], reduced, accumulator)
    if before is None:
        return "what stands before the loop writes elements, which the parts must not do again"
    part, share = unused_name("part", taken), unused_name("per_part", taken)
    lengths = tuple(axis.count for axis in axes)
    space = Workspace(
        unused_name(f"{accumulator.name}_parts", taken).name, kind, (Const(str(parts)), *reversed(lengths)),
        why=f"{accumulator.name} of every part of {reduced.var}",
    )  # fmt: skip
    place = (part, *(_number(axis.loop, axis.low) for axis in reversed(axes)))
    own = _stretch(reduced, part, share, parts)
    split = replace(
        nest, name=f"{nest.name}_parts", comments=nest.saying(SENTENCE_PARTS),
        loops=(Loop(part.name, Const("0"), Const(str(parts)), 1, (), part.name), *nest.loops),
        axes=(*nest.axes, part.name), block=BLOCKS[len(axes) + 1], coarsen=(1,) * (len(axes) + 1),
        body=(*before, *own[0], Declare(accumulator.name, kind, init=zero), own[1],
              Assign(Load(space.name, place), "", accumulator)),
    )  # fmt: skip
    takes = joined(accumulator, operator, Load(space.name, place))
    joins = Loop(part.name, Const("0"), Const(str(parts)), 1, (takes,), part.name)
    whole = replace(nest, body=(*body[:at], joins, *body[at + 1 :]), comments=(SENTENCE_JOIN,))
    changed = program.changed(nest.name, lambda _: (split, whole))
    return replace(changed, workspaces=(*changed.workspaces, space))


def _again(before: tuple[Stmt, ...], reduced: Loop, accumulator: Name) -> tuple[Stmt, ...] | None:
    """The scalars that the loop wants, computed again for every part; None where that would write elements twice."""
    if not before or not usage(before).assigned & usage((reduced,)).exposed:
        return ()
    again = tuple(s for s in before if not sets_only(s, {accumulator.name}))
    return None if usage(again).stores else again


def _accumulator(
    nest: Nest, loop: Loop, facts: Facts, types: dict[str, str]
) -> tuple[tuple[Stmt, ...], Name, str] | None:
    """The body with the loop's one accumulator in a scalar, that scalar, and its operator."""
    reductions: tuple[Reduction, ...] = facts.loop(loop.label).reductions
    if len(reductions) != 1 or facts.loop(loop.label).kind != "reduction" or loop.step != 1:
        return None
    (reduction,) = reductions
    if reduction.companions or reduction.store is not None or facts.loop(loop.label).last_values:
        return None
    if any(isinstance(part, Load) for e in (loop.start, loop.stop) for part in walk_expression(e)):
        return None
    if isinstance(reduction.target, Name):
        return (nest.body, reduction.target, reduction.operator) if is_long(loop, facts) else None
    body = kept_in_register(nest.body, loop, types)
    if body == nest.body:
        return None
    at = nest.body.index(loop)
    load = body[at]
    return (body, Name(load.name), reduction.operator) if isinstance(load, Declare) else None


def _type_of(body: tuple[Stmt, ...], accumulator: Name, types: dict[str, str]) -> str:
    for statement in body:
        if isinstance(statement, Declare) and statement.name == accumulator.name:
            return statement.type
    return types[accumulator.name]


def _number(loop: Loop, low: Expr) -> Expr:
    """Which point of the axis it is, from 0 on."""
    if loop.step > 0:
        distance: Expr = Name(loop.var) if integer(low) == 0 else Binary("-", Name(loop.var), low)
    else:
        distance = Binary("-", low, Name(loop.var))
    return distance if abs(loop.step) == 1 else Binary("/", distance, Const(str(abs(loop.step))))


def _stretch(loop: Loop, part: Name, share: Name, parts: int) -> tuple[tuple[Stmt, ...], Loop]:
    count = simplify(Binary("-", loop.stop, loop.start))
    length = Binary("/", simplify(Binary("+", count, Const(str(parts - 1)))), Const(str(parts)))
    first: Expr = Binary("*", part, share)
    if integer(loop.start) != 0:
        first = Binary("+", loop.start, first)
    begin, end = Name(f"{loop.var}_first"), Name(f"{loop.var}_last")
    made: tuple[Stmt, ...] = (
        Declare(share.name, loop.type, init=length),
        Declare(begin.name, loop.type, init=first),
        Declare(end.name, loop.type, init=Call("min", (Binary("+", begin, share), in_type(loop, loop.stop)))),
    )
    return made, replace(loop, start=begin, stop=end)
