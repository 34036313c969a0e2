"""A long scan of a single block becomes three kernels of many blocks.

Kernel 1 leaves what every block's own stretch adds up to, kernel 2 turns these totals into the values that the blocks
start from, kernel 3 scans every stretch from there. What stands before the loop comes first, what stands after it last.
Inclusive, exclusive, compacting and linear scans need no forms of their own: the loop's body is run as it is written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cudaperf_magic.compiler.analysis.affine import loads_in, simplify
from cudaperf_magic.compiler.analysis.dependence import Facts
from cudaperf_magic.compiler.analysis.recurrences import Scan, scan_of
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.fresh import unused_name
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Const,
    Declare,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Stmt,
    Symbols,
    Ternary,
    map_statement,
)
from cudaperf_magic.compiler.lowering.lower import symbols_of
from cudaperf_magic.compiler.lowering.snippets import literal, neutral
from cudaperf_magic.compiler.moves.two_pass import OWN_NAMES, block_loop, sets_only, stretch
from cudaperf_magic.compiler.program import Nest, Program, Workspace
from cudaperf_magic.compiler.promote import promote

SENTENCE_TOTALS = "First pass: every block leaves what its own stretch adds up to."
SENTENCE_STARTS = "Second pass: one block turns the totals into the value that every stretch starts from."
SENTENCE_SCAN = "Third pass: every block scans its own stretch, from the value that the stretches before it leave."


@dataclass(frozen=True)
class _Long:
    """A scan over a long range: `running` is its accumulator, a scalar, which holds `start` before `loop`."""

    loop: Loop
    scan: Scan
    running: Name
    type: str
    starts: tuple[Stmt, ...]

    @property
    def is_idempotent(self) -> bool:
        """Whether every block may start from the first value of all: it changes nothing to take it in twice."""
        return self.scan.kind == "scan" and neutral(self.scan.operator, self.type) is None


def in_three_passes(program: Program, nest: Nest, facts: Facts, blocks: int) -> Program | str:
    """The program with the nest's first long scan split over blocks; the reason, where there is none to split."""
    if nest.loops or nest.team <= 1:
        return f"{nest.name} is not the work of a single block"
    symbols = symbols_of(program)
    taken = {space.name for space in program.workspaces} | set(symbols.types)
    if clash := OWN_NAMES & taken:
        return f"the C uses the name {min(clash)}, which the blocks' stretches need"
    found = next(((at, long) for at, s in enumerate(nest.body) if (long := _long(s, facts, symbols, taken))), None)
    if found is None:
        return f"{nest.name} has no scan over a whole range that blocks could share"
    at, long = found
    first = at
    if isinstance(long.scan.accumulator, Name):
        while first > 0 and sets_only(nest.body[first - 1], {long.running.name}):
            first -= 1
        long = replace(long, starts=nest.body[first:at])
    before, after = nest.body[:first], nest.body[at + 1 :]
    names = ["scale", "total"] if long.scan.kind == "linear" else ["total"]
    totals = [_space(f"{long.running.name}_{word}s", long.type, blocks, taken) for word in names]
    starts = _space(f"{long.running.name}_starts", long.type, blocks, taken)
    scanning = _scanning(long, starts, blocks)
    nodes = [_kernel(nest, f"{nest.name}_totals", _totals(long, totals, blocks), SENTENCE_TOTALS, blocks)]
    joining = (*long.starts, _joining(long, totals, starts, blocks))
    early = _may_come_early(after, scanning, long)
    nodes.append(_kernel(nest, f"{nest.name}_starts", (*joining, *after) if early else joining, SENTENCE_STARTS, 0))
    nodes.append(_kernel(nest, nest.name, scanning, SENTENCE_SCAN, blocks))
    if before:
        nodes.insert(0, replace(nest, name=f"{nest.name}_before", body=before))
    if after and not early:
        nodes.append(replace(nest, name=f"{nest.name}_after", body=after))
    changed = program.changed(nest.name, lambda _: tuple(nodes))
    return promote(replace(changed, workspaces=(*changed.workspaces, *totals, starts)))


def _long(statement: Stmt, facts: Facts, symbols: Symbols, taken: set[str]) -> _Long | None:
    """The statement as a scan that can be cut, its accumulator made a scalar."""
    if not isinstance(statement, Loop) or abs(statement.step) != 1:
        return None
    scan = scan_of(statement, facts)
    if scan is None or any(loads_in(e) for e in (statement.start, statement.stop)):
        return None
    target = scan.accumulator
    if isinstance(target, Name):
        return _Long(statement, scan, target, symbols.types[target.name], ())
    if target.field or scan.initial is None:
        return None
    running = unused_name(f"{target.array}_running", taken)
    kind = symbols.types[target.array]
    body = _on_scalar(statement.body, target, running)
    # Without an iteration there is no element to start from.
    condition = Binary("<" if statement.step > 0 else ">", statement.start, statement.stop)
    start = Declare(running.name, kind, init=Ternary(condition, simplify(scan.initial), literal("0", kind)))
    return _Long(replace(statement, body=body), scan, running, kind, (start,))


def _on_scalar(body: tuple[Stmt, ...], target: Load, running: Name) -> tuple[Stmt, ...]:
    """`out[i] = out[i - 1] + x[i]` as `running = running + x[i]; out[i] = running`."""
    made: list[Stmt] = []
    for statement in body:
        changed = map_statement(statement, lambda e: running if e == target else e)
        if isinstance(changed, Assign) and isinstance(changed.target, Load) and changed.target.array == target.array:
            value = Binary(changed.op, changed.target, changed.value) if changed.op else changed.value
            made.append(Assign(running, "", value, changed.line, changed.comment))
            made.append(Assign(changed.target, "", running, changed.line))
        else:
            made.append(changed)
    return tuple(made)


def _space(name: str, type: str, blocks: int, taken: set[str]) -> Workspace:
    own = unused_name(name, taken).name
    taken.add(own)
    return Workspace(own, type, (Const(str(blocks)),), why="one value for every block")


def _kernel(nest: Nest, name: str, body: tuple[Stmt, ...], sentence: str, blocks: int) -> Nest:
    """A kernel of so many blocks, each with its own `block`; 0 is the work of a single block, with no number."""
    loops = (block_loop(blocks),) if blocks else ()
    return replace(
        nest, name=name, loops=loops, axes=tuple(loop.label for loop in loops), body=body, comments=(sentence,),
        reduce_style="shuffle",
    )  # fmt: skip


def _totals(long: _Long, totals: list[Workspace], blocks: int) -> tuple[Stmt, ...]:
    """What a stretch adds up to; of a linear recurrence, the one step that all its steps make together."""
    ends, own = stretch(long.loop, blocks)
    scan, block = long.scan, Name("block")
    stores = tuple(Assign(Load(t.name, (block,)), "", _part_of(long, t, totals)) for t in totals)
    if scan.kind != "linear":
        start: tuple[Stmt, ...] = (Assign(long.running, "", neutral(scan.operator, long.type) or long.running),)
        if long.is_idempotent:
            start = long.starts
        adds = joined(long.running, scan.operator, scan.element)
        if scan.guard is not None and scan.kind != "compact":
            adds = If(scan.guard, (adds,))
        return (*ends, *start, replace(own, body=(adds,)), *stores)
    assert scan.coefficient is not None
    scale = Name(totals[0].name.removesuffix("s"))
    multiplied: Stmt = Assign(scale, "*", scan.coefficient)
    stepped: Stmt = Assign(
        long.running, "", Binary("+", Binary("*", scan.coefficient, long.running), scan.element)
    )
    if scan.guard is not None:
        multiplied, stepped = If(scan.guard, (multiplied,)), If(scan.guard, (stepped,))
    again = replace(own, body=(multiplied,), label=f"{own.label}_scale")
    return (
        *ends,
        Declare(scale.name, long.type, init=literal("1", long.type)),
        again,
        Assign(long.running, "", literal("0", long.type)),
        replace(own, body=(stepped,)),
        *stores,
    )


def _part_of(long: _Long, total: Workspace, totals: list[Workspace]) -> Expr:
    return Name(total.name.removesuffix("s")) if total is not totals[-1] else long.running


def _joining(long: _Long, totals: list[Workspace], starts: Workspace, blocks: int) -> Loop:
    """Over the blocks: note what the stretch starts from, take its total in."""
    number = Name("part")
    part = [Load(total.name, (number,)) for total in totals]
    note = Assign(Load(starts.name, (number,)), "", long.running)
    if long.scan.kind == "linear":
        taken: Stmt = Assign(long.running, "", Binary("+", Binary("*", part[0], long.running), part[1]))
    else:
        taken = joined(long.running, long.scan.operator, part[0])
    return Loop(number.name, Const("0"), Const(str(blocks)), 1, (note, taken), "part")


def _scanning(long: _Long, starts: Workspace, blocks: int) -> tuple[Stmt, ...]:
    ends, own = stretch(long.loop, blocks)
    return (*ends, Assign(long.running, "", Load(starts.name, (Name("block"),))), own)


def joined(running: Name, operator: str, value: Expr) -> Stmt:
    """`running = running (operator) value`, as C spells it."""
    if operator in ("min", "max"):
        return If(Binary("<" if operator == "min" else ">", value, running), (Assign(running, "", value),))
    if operator in ("&&", "||"):
        return Assign(running, "", Binary(operator, running, value))
    return Assign(running, operator, value)


def _may_come_early(after: tuple[Stmt, ...], scanning: tuple[Stmt, ...], long: _Long) -> bool:
    """Whether what follows the loop only wants its final value: then it need not wait for the third pass."""
    later, scanned = usage(after), usage(scanning)
    if later.loads & scanned.stores or later.stores & scanned.arrays:
        return False
    return not (later.assigned & scanned.exposed) and not later.exposed & (scanned.assigned - {long.running.name})
