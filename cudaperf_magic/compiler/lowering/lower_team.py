"""A nest whose points are each worked on by a team: a block, or a warp.

Everything outside the inner parallel loops is executed alike by all threads of the team (scalars live in registers,
the same in each); inner parallel loops and reductions are dealt out; element writes outside them are done by thread 0.
Barriers go where hazards.py finds a write that meets another thread's access.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cudaperf_magic.compiler.analysis.affine import integer
from cudaperf_magic.compiler.analysis.dependence import Facts, LoopFacts
from cudaperf_magic.compiler.analysis.recurrences import scan_of
from cudaperf_magic.compiler.analysis.usage import Usage, usage
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Break,
    Call,
    Const,
    Continue,
    Declare,
    Evaluate,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Return,
    Shared,
    Stmt,
    Symbols,
    While,
    loops_of,
    map_statement,
    walk,
)
from cudaperf_magic.compiler.lowering.atomics import with_atomics
from cudaperf_magic.compiler.lowering.grid import (
    all_of,
    ascending,
    axes_of,
    block_index,
    ceil_div,
    shifted,
    thread_index,
)
from cudaperf_magic.compiler.lowering.hazards import Pending
from cudaperf_magic.compiler.lowering.kernel import Kernel, declared_locals
from cudaperf_magic.compiler.lowering.snippets import Snippet
from cudaperf_magic.compiler.lowering.team_reduce import Parts, split_reductions
from cudaperf_magic.compiler.lowering.team_scan import scan_statements
from cudaperf_magic.compiler.program import Nest

WARP = 32
FEW = 16  # a loop of fewer iterations is not worth dealing out when another can be


def lower_team(nest: Nest, facts: Facts, symbols: Symbols, host_names: set[str]) -> Kernel:
    """The kernel of a nest whose points are teams of `nest.team` threads; 1 is a single thread for everything."""
    axes = axes_of(nest.loops, nest.axes)
    if axes is None:
        raise ValueError(f"{nest.name}: its loops have no bounds that the host knows")
    writer = TeamWriter(nest, facts, symbols)
    inside = writer.sequence(nest.body)
    own = {loop.var for loop in nest.loops}
    body: tuple[Stmt, ...] = (*declared_locals(inside, symbols, host_names | own), *inside)
    body = writer.hoisted(body)
    by_label = {axis.loop.label: axis for axis in axes}
    rows = nest.rows
    for loop in reversed(nest.loops):
        axis = by_label[loop.label]
        number: Expr = block_index(axis.position)
        if axis.position == "x" and rows > 1:
            number = Binary("+", Binary("*", number, Const(str(rows))), thread_index("y"))
        if abs(loop.step) != 1:
            number = Binary("*", number, Const(str(abs(loop.step))))
        index = shifted(axis.low, number) if loop.step > 0 else Binary("-", axis.low, number)
        guards = axis.guards if rows > 1 and axis.position == "x" else axis.guards[:-1]
        if axis.high != loop.stop:
            guards = axis.guards
        condition = all_of(guards)
        guarded = body if condition is None else (If(condition, body),)
        body = (Declare(loop.var, loop.type, init=index), *guarded)
    grid = tuple(ceil_div(axis.count, rows if axis.position == "x" else 1) for axis in axes) or (Const("1"),)
    block = (nest.team, rows) if rows > 1 else (nest.team,)
    return Kernel(nest, body, grid, block, tuple(axis.count for axis in axes), tuple(writer.snippets.values()))


@dataclass
class TeamWriter:
    nest: Nest
    facts: Facts
    symbols: Symbols
    snippets: dict[str, Snippet] = field(default_factory=dict)
    pending: Pending = field(default_factory=Pending)
    shared: dict[str, Shared] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)  # names of parts

    @property
    def team(self) -> int:
        return self.nest.team

    @property
    def scope(self) -> str:
        return "warp" if self.team == WARP else "block"

    @property
    def rank(self) -> Expr:
        return thread_index("x")

    # ---------------------------------------------------------- statements

    def sequence(self, statements: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        result: list[Stmt] = []
        position = 0
        while position < len(statements):
            group = position
            while group < len(statements) and self.is_alone(statements[group]):
                group += 1
            if group > position:
                result += self.alone(statements[position:group])
                position = group
                continue
            result += self.statement(statements[position])
            position += 1
        return tuple(result)

    def is_alone(self, statement: Stmt) -> bool:
        """Whether one thread should do it: it writes elements and has nothing to deal out."""
        if self.team == 1 or self.is_shared_work(statement) or _leaves(statement):
            return False
        return bool(usage((statement,)).stores)

    def is_shared_work(self, statement: Stmt) -> bool:
        """Whether a loop inside can be dealt out to the threads."""
        return self.team > 1 and any(self.deals(loop) for loop in loops_of((statement,)))

    def deals(self, loop: Loop) -> bool:
        if scan_of(loop, self.facts) is not None and self.scope == "block":
            return True
        facts = self.facts.loop(loop.label)
        if facts.kind not in ("parallel", "reduction") or facts.last_values or facts.assumes:
            return False
        return split_reductions(facts, loop, self.symbols) is not None

    def statement(self, statement: Stmt) -> list[Stmt]:
        match statement:
            case Declare() if statement.shape and not statement.table and self.team > 1:
                self.shared[statement.name] = self._shared(statement)
                return []
            case Loop() if self.team > 1 and self.deals(statement):
                return self.deal(statement)
            case Loop() | While() if self.is_shared_work(statement) or _leaves(statement):
                return self.uniform_loop(statement)
            case If() if self.is_shared_work(statement) or _leaves(statement):
                return self.uniform_if(statement)
            case _:
                return [*self.barrier(usage((statement,)), False), statement]

    def alone(self, statements: tuple[Stmt, ...]) -> list[Stmt]:
        found = usage(statements)
        before = self.barrier(found, True)
        set_ = sorted(found.assigned - found.declared)
        guarded: list[Stmt] = [*statements]
        after: list[Stmt] = []
        for name in set_:  # what thread 0 computed, everybody needs
            slot = f"{name}_shared"
            self.shared[slot] = Shared(slot, self.symbols.types[name], (1,))
            self.symbols.types[slot] = self.symbols.types[name]
            guarded.append(Assign(Load(slot, (Const("0"),)), "", Name(name)))
            after.append(Assign(Name(name), "", Load(slot, (Const("0"),))))
        result = [*before, If(Binary("==", self.rank, Const("0")), tuple(guarded))]
        if after:
            result += [self.sync(), *after, self.sync()]
        return result

    # -------------------------------------------------------------- barriers

    def sync(self) -> Stmt:
        self.pending.clear()
        return Evaluate(Call("__syncwarp" if self.scope == "warp" else "__syncthreads", ()))

    def barrier(self, found: Usage, alone: bool) -> list[Stmt]:
        """A barrier if these accesses need one; then they are pending themselves."""
        needed = self.team > 1 and self.pending.needs_barrier(found, alone)
        result = [self.sync()] if needed else []
        self.pending.add(found, alone)
        return result

    def header(self, *expressions: Expr) -> list[Stmt]:
        found = Usage()
        for expression in expressions:
            found.read(expression, frozenset())
        return self.barrier(found, False)

    # ---------------------------------------------------- control that all share

    def uniform_loop(self, loop: Loop | While) -> list[Stmt]:
        heads = (loop.start, loop.stop) if isinstance(loop, Loop) else (loop.condition,)
        before = self.header(*heads)
        entry, taken = self.pending.copy(), set(self.taken)
        is_ordered = not (isinstance(loop, Loop) and self.facts.loop(loop.label).kind == "parallel")
        body = self._body(loop, heads)
        if is_ordered:
            # Once more, with what an iteration leaves pending for the next one.
            self.pending, self.taken = entry.join(self.pending), taken
            body = self._body(loop, heads)
        self.pending = entry.join(self.pending)
        return [*before, replace(loop, body=body)]

    def _body(self, loop: Loop | While, heads: tuple[Expr, ...]) -> tuple[Stmt, ...]:
        body = self.sequence(loop.body)
        if isinstance(loop, While):
            body = (*body, *self.header(*heads))
        return body

    def uniform_if(self, statement: If) -> list[Stmt]:
        before = self.header(statement.condition)
        entry = self.pending.copy()
        then = self.sequence(statement.then)
        after_then, self.pending = self.pending, entry.copy()
        other = self.sequence(statement.other)
        self.pending = after_then.join(self.pending).join(entry)
        return [*before, replace(statement, then=then, other=other)]

    # ---------------------------------------------------------------- dealing

    def deal(self, loop: Loop) -> list[Stmt]:
        scan = scan_of(loop, self.facts)
        if scan is not None and self.scope == "block":
            before = self.barrier(usage((loop,)), False)
            made, snippets = scan_statements(loop, scan, self.team, self.symbols)
            self.snippets |= {snippet.name: snippet for snippet in snippets}
            return [*before, *made]
        facts = self.facts.loop(loop.label)
        parts = self._parts(facts, loop)
        inner = self._better_inside(loop, facts)
        if inner is not None and any(isinstance(r.target, Load) for r in facts.reductions):
            return self.uniform_loop(loop)
        before = self.barrier(usage((loop,)), False)
        body = self._dealt(ascending(parts.loop), inner.label if inner is not None else loop.label, parts)
        result = [*before, *parts.before, body]
        for snippet in parts.snippets(self.scope, self.nest.reduce_style):
            self.snippets[snippet.name] = snippet
        result += parts.after(self.scope, self.nest.reduce_style, self.rank)
        if parts.stores:
            self.pending.add(Usage(stores=set(parts.stores), loads=set(parts.stores)), True)
        return result

    def _parts(self, facts: LoopFacts, loop: Loop) -> Parts:
        """The loop's parts under names that no other loop of the kernel has taken."""
        number = 1
        parts = split_reductions(facts, loop, self.symbols)
        while parts is not None and parts.names & self.taken:
            number += 1
            parts = split_reductions(facts, loop, self.symbols, str(number))
        assert parts is not None
        self.taken |= parts.names
        return parts

    def _better_inside(self, loop: Loop, facts: LoopFacts) -> Loop | None:
        """The innermost loop of a perfect nest, when its iterations may be dealt out instead."""
        found: Loop | None = None
        while len(loop.body) == 1 and isinstance(loop.body[0], Loop):
            loop = loop.body[0]
            if scan_of(loop, self.facts) or not self.deals(loop):
                break
            inner = self.facts.loop(loop.label)
            if not {r.target for r in inner.reductions} <= {r.target for r in facts.reductions}:
                break  # an accumulator of its own would have to be combined in every turn of the loops around
            span = integer(Binary("-", loop.stop, loop.start)) or integer(loop.stop)
            if span is not None and span < FEW:
                break
            found = loop
        return found

    def _dealt(self, loop: Loop, label: str, parts: Parts) -> Stmt:
        """The loop with the iterations of the one labelled `label` dealt out, a team apart."""
        if loop.label != label:
            inner = loop.body[0]
            assert isinstance(inner, Loop)
            return replace(loop, body=(self._dealt(ascending(inner), label, parts),))
        start = self.rank if abs(loop.step) == 1 else Binary("*", self.rank, Const(str(abs(loop.step))))
        first = shifted(loop.start, start) if loop.step > 0 else Binary("-", loop.start, start)
        body, snippets = with_atomics(loop.body, parts.scattered, self.symbols)
        self.snippets |= {snippet.name: snippet for snippet in snippets}
        return replace(loop, start=first, step=loop.step * self.team, body=body)

    # ----------------------------------------------------------------- shared

    def _shared(self, declaration: Declare) -> Shared:
        extents = [integer(extent) for extent in declaration.shape]
        if any(extent is None for extent in extents):
            raise ValueError(f"line {declaration.line}: the size of {declaration.name} must be a constant")
        return Shared(declaration.name, declaration.type, tuple(int(e or 0) for e in extents))

    def hoisted(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Shared arrays are declared first; a warp of several in a block has its own row of each."""
        rows = self.nest.rows
        if not self.shared:
            return body
        declarations = [replace(s, shape=(rows, *s.shape)) if rows > 1 else s for s in self.shared.values()]
        if rows > 1:

            def own(expression: Expr) -> Expr:
                if isinstance(expression, Load) and expression.array in self.shared:
                    return replace(expression, subscripts=(thread_index("y"), *expression.subscripts))
                return expression

            body = tuple(map_statement(statement, own) for statement in body)
        return (*declarations, *body)


def _leaves(statement: Stmt) -> bool:
    """Whether control may leave by it: then all threads must take the same way."""
    if isinstance(statement, (Break, Continue, Return)):
        return True
    if isinstance(statement, (Loop, While)):
        return any(isinstance(s, Return) for s in walk((statement,)))
    return isinstance(statement, If) and any(_leaves(s) for s in (*statement.then, *statement.other))
