"""From a function to the plainest parallel program: parallel loops become grids, the rest one block or the host.

Walks the body once. Parallel loops become nests with a thread a point; sequential loops around parallel ones become
host loops; what lies between (scalars, reductions, scans, serial pieces) is gathered into runs, each one a nest with a
single point that a block works on together. It decides no performance: moves do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from cudaperf_magic.compiler.analysis.affine import integer, simplify
from cudaperf_magic.compiler.analysis.dependence import Facts, LoopFacts
from cudaperf_magic.compiler.analysis.recurrences import scan_of
from cudaperf_magic.compiler.analysis.subscripts import delinearise
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Break,
    Comment,
    Const,
    Continue,
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
    walk,
    walk_expression,
)
from cudaperf_magic.compiler.lowering.atomics import without_atomic
from cudaperf_magic.compiler.lowering.grid import all_of, ascending, axes_of, normalised
from cudaperf_magic.compiler.moves.loops import shaped
from cudaperf_magic.compiler.program import HostIf, HostLoop, HostScalar, Nest, Node, Program, Workspace, walk_nodes
from cudaperf_magic.compiler.promote import cell, promote
from cudaperf_magic.compiler.rewriting.restructure import has_static_header, restructure
from cudaperf_magic.compiler.rewriting.returns import returns_to_result
from cudaperf_magic.compiler.rewriting.searches import first_hits
from cudaperf_magic.compiler.rewriting.structured import without_continue
from cudaperf_magic.compiler.rewriting.tables import lift_tables
from cudaperf_magic.compiler.schedule import Step

TEAM = 256  # threads of the one block that works on a single point
MAX_AXES = 3  # a grid has x, y and z
ATOMIC_TYPES = {"int", "unsigned int", "long long", "unsigned long long", "unsigned long", "long", "float", "double"}
ATOMIC_OPERATORS = {"+", "min", "max", "&", "|", "^"}
DEFAULT_BLOCKS = {1: (256,), 2: (16, 16), 3: (32, 4, 2)}


def plan(function: Function, orders: Mapping[str, str] | None = None, loop_steps: tuple[Step, ...] = ()) -> Program:
    """The naive program of a function. `orders` says which index arrays ascend or are permutations.

    loop_steps: moves on the function's own loops (moves/loops.py), made first.

    Raises:
        Refused: one of the steps does not apply.
    """
    function, facts = _restructured(function, tuple(sorted((orders or {}).items())))
    made = shaped(function, facts, loop_steps, orders or {})
    function, facts = made.function, made.facts
    mapper = _Mapper(function, facts, Symbols.of(function), made.one_block)
    nodes = _named(function.name, mapper.map(function.body))
    reasons = tuple(dict.fromkeys(mapper.reasons))
    used = {array for node in walk_nodes(nodes) if isinstance(node, Nest) for array in _arrays_outside(node)}
    spaces = tuple(space for space in mapper.workspaces if space.name in used)
    return promote(Program(function, nodes, spaces, frozenset(mapper.host_scalars), reasons))


@lru_cache(maxsize=32)  # every schedule of a function starts from the same tree
def _restructured(function: Function, orders: tuple[tuple[str, str], ...]) -> tuple[Function, Facts]:
    function = without_continue(returns_to_result(first_hits(lift_tables(function))))
    return restructure(delinearise(function), dict(orders))


def _arrays_outside(nest: Nest) -> set[str]:
    touched = usage(nest.body)
    return touched.arrays - touched.declared


@dataclass
class _Mapper:
    function: Function
    facts: Facts
    symbols: Symbols
    one_block: frozenset[str] = frozenset()  # loops that a block runs, though the host could
    workspaces: list[Workspace] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    host_scalars: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        constants = {name for name, _, _ in self.function.constants}
        self.host_scalars = _host_scalars(self.function, self.facts, self.one_block) | constants

    # ------------------------------------------------------------ statements

    def map(self, statements: tuple[Stmt, ...]) -> tuple[Node, ...]:
        if any(isinstance(s, Return) for s in walk(statements)):
            return (self._run(statements),)  # a return inside a loop leaves everything: it must all be one kernel
        nodes: list[Node] = []
        run: list[Stmt] = []

        def flush() -> None:
            if run:
                nodes.append(self._run(tuple(run)))
                run.clear()

        for statement in statements:
            if self._is_workspace(statement) or isinstance(statement, Comment):
                continue
            node = self._node(statement)
            if node is None:
                run.append(statement)
                continue
            if not (isinstance(node, HostScalar) and _is_fresh(node, run)):
                flush()
            nodes.append(node)
        flush()
        return tuple(nodes)

    def _is_workspace(self, statement: Stmt) -> bool:
        """A local array outside every kernel becomes device memory; a bare scalar declaration needs nothing."""
        if not isinstance(statement, Declare):
            return False
        if statement.shape:
            if not any(space.name == statement.name for space in self.workspaces):
                why = (statement.comment.splitlines() or ["a local array of the C"])[0]
                self.workspaces.append(Workspace(statement.name, statement.type, statement.shape, why=why))
            return True
        return statement.init is None

    def _node(self, statement: Stmt) -> Node | None:
        match statement:
            case Declare() | Assign() if self._on_host(statement):
                return HostScalar(statement)
            case Loop():
                return self._loop(statement)
            case If() if self._evaluable(statement.condition) and _has_nest(statement, self.facts):
                return HostIf(statement.condition, self.map(statement.then), self.map(statement.other))
            case _:
                return None

    def _on_host(self, statement: Declare | Assign) -> bool:
        if isinstance(statement, Declare):
            return not statement.shape and statement.name in self.host_scalars
        return isinstance(statement.target, Name) and statement.target.name in self.host_scalars

    def _evaluable(self, expression: Expr) -> bool:
        return all(
            not isinstance(part, Load) and (not isinstance(part, Name) or part.name in self.host_scalars)
            for part in walk_expression(expression)
        )

    # ----------------------------------------------------------------- loops

    def _loop(self, loop: Loop) -> Node | None:
        header = self._evaluable(loop.start) and self._evaluable(loop.stop)
        if header and self.is_grid(loop):
            return self._guarded(loop, self._nest(loop))
        self.reasons.extend(d.sentence for d in self.facts.loop(loop.label).carried)
        if header and loop.label not in self.one_block and is_host_loop(loop, self.facts):
            return HostLoop(replace(loop, body=()), self.map(loop.body))
        return None

    def is_grid(self, loop: Loop) -> bool:
        """Whether the loop's iterations may be threads: parallel, or colliding only where atomics can add."""
        facts = self.facts.loop(loop.label)
        own = facts.private | (facts.private_arrays if facts.kind == "sequential" else frozenset())
        if not all(self._fits_in_thread(name) for name in own) or _has_sized_locals(loop):
            return False
        if not all(self._evaluable(expression) for expression in facts.assumes):
            return False
        if loop.step < -1 and loop.type.startswith("unsigned"):
            return False
        if is_free(facts):
            return True
        return (
            facts.kind == "reduction"
            and not facts.last_values
            and all(
                isinstance(reduction.target, Load)
                and reduction.operator in ATOMIC_OPERATORS
                and self.symbols.types.get(reduction.target.array) in ATOMIC_TYPES
                and not reduction.target.field
                for reduction in facts.reductions
            )
        )

    def _guarded(self, loop: Loop, nest: Nest) -> Node:
        """The nest, and for strides that are not above zero, as the analysis took them to be, one thread instead."""
        inside = [loop.label, *(inner.label for inner in nest.loops)]
        assumed = dict.fromkeys(e for label in inside for e in self.facts.loop(label).assumes)
        if not assumed:
            return nest
        condition = all_of(tuple(Binary(">", expression, Const("0")) for expression in assumed))
        assert condition is not None
        return HostIf(condition, (nest,), (Nest(name="", loops=(), body=(loop,), is_fallback=True),))

    def _fits_in_thread(self, name: str) -> bool:
        """A scalar, or an array of constant size that is not the caller's: each thread may have its own."""
        shape = self.symbols.shapes.get(name)
        if name not in self.symbols.shapes:
            return True
        is_local = self.function.parameter(name) is None
        return is_local and shape is not None and all(integer(extent) is not None for extent in shape)

    def _own_arrays(self, names: frozenset[str], body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Declarations of the private arrays that are declared outside the loop."""
        inside = usage(body)
        wanted = sorted((names & inside.arrays) - inside.declared)
        return tuple(Declare(name, self.symbols.types[name], self.symbols.shapes[name] or ()) for name in wanted)

    def _nest(self, loop: Loop) -> Nest:
        band, body = [loop], loop.body
        while len(band) < MAX_AXES and len(body) == 1 and isinstance(body[0], Loop):
            inner = body[0]
            if not self.is_grid(inner) or not has_static_header(inner, tuple(b.var for b in band)):
                break
            if self.facts.loop(inner.label).kind == "reduction" and self.facts.loop(loop.label).kind == "parallel":
                break  # a private sum stays inside its thread
            inner = normalised(inner, tuple(band), set(self.symbols.types)) or inner
            if axes_of((*band, inner), tuple(member.label for member in (*band, inner))) is None:
                break  # its points lie in no box that the host knows
            band.append(inner)
            body = inner.body
        atomic: set[str] = set()
        for member in band:
            facts = self.facts.loop(member.label)
            atomic |= {r.target.array for r in facts.reductions if isinstance(r.target, Load)}
        last = self.facts.loop(loop.label).last_values
        if last:
            body = (*body, _keep_last(loop, sorted(last)))
        axes = tuple(member.label for member in reversed(band))
        found = [self.facts.loop(member.label) for member in band]
        private = frozenset[str]().union(*(facts.private | facts.private_arrays for facts in found))
        body = (*self._own_arrays(private, body), *body)
        return Nest(
            name="",
            loops=tuple(ascending(replace(member, body=())) for member in band),
            body=body,
            axes=axes,
            block=DEFAULT_BLOCKS[len(band)],
            coarsen=(1,) * len(band),
            atomic=frozenset(atomic),
            private=private,
        )

    def _can_be_shared(self, loop: Loop) -> bool:
        """Whether a block's threads could do the loop together."""
        facts = self.facts.loop(loop.label)
        collides = without_atomic(facts.reductions, self.symbols.types)
        if collides is not None and isinstance(collides.target, Load):
            array, line = collides.target.array, next(iter(collides.lines), loop.line)
            why = f"and there is no atomic for {self.symbols.types.get(array, 'it')}"
            self.reasons.append(f"line {line}: iterations may update one element of {array}, {why}")
            return False
        return facts.kind != "sequential" or scan_of(loop, self.facts) is not None

    def _run(self, statements: tuple[Stmt, ...]) -> Nest:
        shares = any(self._can_be_shared(loop) for loop in loops_of(statements))
        if not shares:
            labels = [loop.label for loop in loops_of(statements)]
            self.reasons.extend(d.sentence for label in labels for d in self.facts.loop(label).carried)
        return Nest(name="", loops=(), body=statements, team=TEAM if shares else 1)


def _has_sized_locals(loop: Loop) -> bool:
    """Whether an iteration declares an array whose size is not a constant: a thread cannot."""
    return any(isinstance(s, Declare) and any(integer(extent) is None for extent in s.shape) for s in walk(loop.body))


def is_free(facts: LoopFacts) -> bool:
    """Whether iterations may run in any order once each has its own copy of what is private."""
    if facts.kind == "parallel":
        return True
    names = {dependence.name for dependence in facts.carried}
    return bool(names) and not facts.reductions and names <= facts.private_arrays


def is_host_loop(loop: Loop, facts: Facts) -> bool:
    """A loop that must go in order, but around something parallel, and that nothing leaves early."""
    if any(isinstance(s, (Break, Continue, Return)) for s in _own(loop.body)):
        return False
    return _has_nest(loop, facts)


def _has_nest(statement: Stmt, facts: Facts) -> bool:
    """Whether a parallel loop lies inside, not under a loop that only a kernel could run."""
    for inner in _own((statement,)):
        if inner is not statement and isinstance(inner, Loop) and is_free(facts.loop(inner.label)):
            return True
    return False


def _own(statements: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Statements inside, but not inside uncounted loops."""
    found: list[Stmt] = []
    for statement in statements:
        found.append(statement)
        if isinstance(statement, Loop):
            found.extend(_own(statement.body))
        elif isinstance(statement, If):
            found.extend(_own(statement.then + statement.other))
        elif isinstance(statement, While):
            found.extend(s for s in walk(statement.body) if isinstance(s, Return))
    return tuple(found)


def _is_fresh(node: HostScalar, run: list[Stmt]) -> bool:
    """Whether a host scalar may be computed before the pending run instead of after it."""
    if not isinstance(node.statement, Declare):
        return False
    touched = usage(run)
    return node.statement.name not in touched.exposed | touched.assigned


def _keep_last(loop: Loop, names: list[str]) -> Stmt:
    """In the last iteration's thread, leave the scalars that are read after the loop in their cells."""
    stores = tuple(Assign(cell(name), "", Name(name)) for name in names)
    following = simplify(Binary("+", Name(loop.var), Const(str(loop.step))))
    return If(Binary(">=" if loop.step > 0 else "<=", following, loop.stop), stores)


def _host_scalars(function: Function, facts: Facts, one_block: frozenset[str]) -> set[str]:
    """Scalars whose every assignment the host can carry out: parameters, loop variables, and what follows from them."""
    symbols = Symbols.of(function)
    known = {name for name in symbols.types if name not in symbols.shapes}
    while True:
        dropped = {name for name in _device_assigned(function.body, known, facts, one_block) if name in known}
        if not dropped:
            return known
        known -= dropped


def _device_assigned(
    statements: tuple[Stmt, ...], known: set[str], facts: Facts, one_block: frozenset[str]
) -> set[str]:
    def evaluable(expression: Expr) -> bool:
        return all(
            not isinstance(part, Load) and (not isinstance(part, Name) or part.name in known)
            for part in walk_expression(expression)
        )

    found: set[str] = set()
    for statement in statements:
        match statement:
            case Declare() if not statement.shape and statement.init is not None:
                if not evaluable(statement.init):
                    found.add(statement.name)
            case Assign() if isinstance(statement.target, Name):
                if not evaluable(statement.value):
                    found.add(statement.target.name)
            case Loop():
                on_host = facts.loop(statement.label).kind == "sequential" and is_host_loop(statement, facts)
                on_host = on_host and statement.label not in one_block
                if on_host and evaluable(statement.start) and evaluable(statement.stop):
                    found |= _device_assigned(statement.body, known, facts, one_block)
                else:
                    found |= usage(statement.body).assigned
            case If():
                if evaluable(statement.condition) and _has_nest(statement, facts):
                    found |= _device_assigned(statement.then + statement.other, known, facts, one_block)
                else:
                    found |= usage(statement.then + statement.other).assigned
            case While():
                found |= usage(statement.body).assigned
            case _:
                pass
    return found


def _named(function: str, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Give every nest its kernel's name: the function's, with a number when there are several."""
    count = sum(isinstance(node, Nest) for node in walk_nodes(nodes))
    numbers = iter(range(1, count + 1))

    def name(node: Node) -> Node:
        match node:
            case Nest():
                number = next(numbers)
                return replace(node, name=f"{function}_kernel" if count == 1 else f"{function}_kernel{number}")
            case HostLoop():
                return replace(node, body=tuple(name(inner) for inner in node.body))
            case HostIf():
                then = tuple(name(inner) for inner in node.then)
                return replace(node, then=then, other=tuple(name(inner) for inner in node.other))
            case _:
                return node

    return tuple(name(node) for node in nodes)
