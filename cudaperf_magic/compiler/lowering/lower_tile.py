"""A nest whose blocks first bring what they share into shared memory: tiles of a contraction, halos, transposes.

A block covers `block * coarsen` points along each axis. Without a tiled loop the staged arrays are brought in once.
With one, the loop is cut into steps: bring the step's tiles in, barrier, let every thread take in what it needs,
barrier. A thread with several points keeps their running values in register arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cudaperf_magic.compiler.analysis.affine import integer, same, simplify
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.fresh import unused_name
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Call,
    Const,
    Declare,
    Evaluate,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Shared,
    Stmt,
    Symbols,
    Ternary,
    map_expression,
    map_statement,
    names_in,
)
from cudaperf_magic.compiler.lowering.footprint import Footprint, Span, footprints, planes_apart, stores_of
from cudaperf_magic.compiler.lowering.grid import (
    Axis,
    all_of,
    axes_of,
    block_index,
    ceil_div,
    extreme,
    rank_in_block,
    shifted,
    thread_index,
)
from cudaperf_magic.compiler.lowering.kernel import Kernel, declared_locals
from cudaperf_magic.compiler.lowering.snippets import literal
from cudaperf_magic.compiler.lowering.tile_edge import adds_zero
from cudaperf_magic.compiler.program import Nest

MOST_TURNS = 16  # copies of an element a thread that are unrolled when a tile is brought in
SYNC = Evaluate(Call("__syncthreads", ()))


def lower_tile(nest: Nest, symbols: Symbols, host_names: set[str]) -> Kernel:
    """The kernel of a nest with staged arrays. Raises ValueError where the arrays have no box of constant size."""
    axes = axes_of(nest.loops, nest.axes)
    if axes is None:
        raise ValueError(f"{nest.name}: its loops have no bounds that the host knows")
    writer = _Tiler(nest, axes, symbols, host_names)
    body = writer.body()
    points = [width * count for width, count in zip(nest.block, writer.coarsen, strict=True)]
    grid = tuple(ceil_div(axis.count, number) for axis, number in zip(axes, points, strict=True))
    return Kernel(nest, body, grid, nest.block, tuple(axis.count for axis in axes))


@dataclass
class _Tiler:
    nest: Nest
    axes: tuple[Axis, ...]
    symbols: Symbols
    host_names: set[str]

    def __post_init__(self) -> None:
        self.coarsen = self.nest.coarsen or (1,) * len(self.axes)
        self.kept: set[str] = set()
        self.apart = False  # whether kept scalars must be declared outside a guard that their first value stands in
        self.spans: dict[str, Span] = {}
        self.ends = {axis.loop.var: axis.high for axis in self.axes}
        for number, axis in enumerate(self.axes):
            self.spans[axis.loop.var] = (self.base(axis), self.nest.block[number] * self.coarsen[number])

    def base(self, axis: Axis) -> Name:
        return Name(f"{axis.loop.var}0")

    # ------------------------------------------------------------------ body

    def body(self) -> tuple[Stmt, ...]:
        inner = self.staged_once() if self.nest.tile is None else self.tiled(*self.nest.tile)
        bases: list[Stmt] = []
        for number, axis in enumerate(self.axes):
            points = self.nest.block[number] * self.coarsen[number]
            start = Binary("*", block_index(axis.position), Const(str(points)))
            bases.append(Declare(self.base(axis).name, axis.loop.type, init=shifted(axis.low, start)))
        if not self.is_coarse:
            bases += [self.own(axis) for axis in reversed(self.axes)]
        return (*bases, *inner)

    @property
    def is_coarse(self) -> bool:
        return any(count > 1 for count in self.coarsen)

    def own(self, axis: Axis) -> Declare:
        """The thread's own index along an axis, or that of its point number `r_x` there."""
        offset: Expr = thread_index(axis.position)
        number = "xyz".index(axis.position)
        if self.coarsen[number] > 1:
            offset = Binary("+", offset, Binary("*", self.counter(axis), Const(str(self.nest.block[number]))))
        return Declare(axis.loop.var, axis.loop.type, init=Binary("+", self.base(axis), offset))

    def counter(self, axis: Axis) -> Name:
        return Name(f"r_{axis.position}")

    def points(self, statements: tuple[Stmt, ...], guarded: bool) -> tuple[Stmt, ...]:
        """The statements for each of the thread's points."""
        if not statements:
            return ()
        condition = all_of(tuple(g for axis in reversed(self.axes) for g in axis.guards)) if guarded else None
        body = statements if condition is None else (If(condition, statements),)
        if not self.is_coarse:
            return body
        used = set(usage(statements).exposed) | (names_in(condition) if condition is not None else set())
        indices = tuple(self.own(axis) for axis in reversed(self.axes) if axis.loop.var in used)
        body = (*indices, *body)
        for number, axis in enumerate(self.axes):
            if self.coarsen[number] > 1:
                count, counter = Const(str(self.coarsen[number])), self.counter(axis).name
                body = (Loop(counter, Const("0"), count, 1, body, counter, pragma="unroll"),)
        return body

    # --------------------------------------------------------------- staging

    def staged_once(self) -> tuple[Stmt, ...]:
        prints = [found for array in self.nest.staged for found in self.prints_of(array, self.nest.body, {})]
        body = self.through(prints, self.nest.body)
        local = declared_locals(body, self.symbols, self.host_names | set(self.spans))
        shared = tuple(self.shared(found) for found in prints)
        brought = tuple(s for found in prints for s in self.bring(found))
        return (*shared, *brought, SYNC, *self.points((*local, *body), True))

    def prints_of(self, array: str, statements: tuple[Stmt, ...], more: dict[str, Span]) -> tuple[Footprint, ...]:
        found = footprints(array, statements, self.spans | more, frozenset(usage(self.nest.body).assigned))
        if not found:
            raise ValueError(f"{self.nest.name}: what a block reads of {array} has no box of constant size")
        return found

    def through(self, prints: list[Footprint], statements: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """The statements reading the tiles instead of the arrays."""
        by_load = {load: found for found in prints for load in found.loads}
        written = {place for found in prints for place in stores_of(found.array, statements)}

        def tiled(expression: Expr) -> Expr:
            if isinstance(expression, Load) and expression in by_load and expression not in written:
                found = by_load[expression]
                return Load(found.tile, found.within(expression))
            return expression

        return tuple(map_statement(statement, tiled) for statement in statements)

    def shared(self, found: Footprint) -> Shared:
        *outer, last = found.extents
        return Shared(found.tile, self.symbols.types[found.array], (*outer, last + self.nest.pad))

    def bring(self, found: Footprint) -> tuple[Stmt, ...]:
        """All threads of the block copy a tile in, neighbours taking neighbouring elements; outside there is zero."""
        threads = 1
        for width in self.nest.block:
            threads *= width
        used = set(self.symbols.types)
        place = unused_name("t", used)
        indices: list[Expr] = []
        size = found.elements
        for extent in found.extents:
            size //= extent
            index: Expr = place if size == 1 else Binary("/", place, Const(str(size)))
            if indices or size * extent < found.elements:
                index = Binary("%", index, Const(str(extent)))
            indices.append(Const("0") if extent == 1 else index)
        names = [
            None if extent == 1 else place if index == place else unused_name(f"{place.name}{number}", used)
            for number, (extent, index) in enumerate(zip(found.extents, indices, strict=True))
        ]
        declared = tuple(
            Declare(name.name, "int", init=index)
            for name, index in zip(names, indices, strict=True)
            if name and name != place
        )
        at = tuple(name if name else Const("0") for name in names)
        source = tuple(simplify(Binary("+", start, i)) for start, i in zip(found.origin, at, strict=True))
        condition = all_of(self.in_bounds(found, source))
        value: Expr = Load(found.array, source)
        if condition is not None:
            value = Ternary(condition, value, literal("0", self.symbols.types[found.array]))
        copy = Assign(Load(found.tile, at), "", value)
        rank, turns = rank_in_block(self.nest.block), -(-found.elements // threads)
        count = Const(str(found.elements))
        if not 1 < turns <= MOST_TURNS:
            return (Loop(place.name, rank, count, threads, (*declared, copy), f"t_{found.array}"),)
        # A known number of turns: unrolled, all loads of a thread are under way before the first is stored.
        turn = unused_name("turn", used)
        own = Declare(place.name, "int", init=Binary("+", Binary("*", turn, Const(str(threads))), rank))
        body: tuple[Stmt, ...] = (*declared, copy)
        if found.elements % threads:
            body = (If(Binary("<", place, count), body),)
        return (Loop(turn.name, Const("0"), Const(str(turns)), 1, (own, *body), f"t_{found.array}", pragma="unroll"),)

    def in_bounds(self, found: Footprint, source: tuple[Expr, ...]) -> tuple[Expr, ...]:
        conditions: list[Expr] = []
        shape = self.symbols.shapes.get(found.array) or ()
        for number, (index, origin, extent) in enumerate(zip(source, found.origin, shape, strict=True)):
            moved = found.varies_with[number]
            if not moved and integer(origin) is not None:
                continue
            if may_be_negative(origin) and not self.starts_inside(origin):
                conditions.append(Binary(">=", index, Const("0")))
            conditions.append(Binary("<", index, extent))
            at = next(iter(found.loads)).subscripts[number]
            end = self.ends.get(at.name) if self.is_cut(found.array) and isinstance(at, Name) else None
            if end is not None and not same(end, extent):  # past it lie elements that the kernel may be writing
                conditions.append(Binary("<", index, end))
        return tuple(conditions)

    def is_cut(self, array: str) -> bool:
        """Whether tiles of the array end where the loops do, since past that lies what the kernel writes."""
        return array in usage(self.nest.body).stores and not planes_apart(array, self.nest.body)

    def starts_inside(self, origin: Expr) -> bool:
        """Whether the first block's tile starts at 0 or later: `i0 - 1` where i goes from 1."""
        lows = {self.base(axis): axis.low for axis in self.axes}
        first = integer(simplify(map_expression(origin, lambda e: lows.get(e, e) if isinstance(e, Name) else e)))
        return first is not None and first >= 0

    # ---------------------------------------------------------------- tiling

    def tiled(self, label: str, depth: int) -> tuple[Stmt, ...]:
        at = next(i for i, s in enumerate(self.nest.body) if isinstance(s, Loop) and s.label == label)
        loop = self.nest.body[at]
        assert isinstance(loop, Loop)
        before, after = self.nest.body[:at], self.nest.body[at + 1 :]
        start = Name(f"{loop.var}0")
        steps_: dict[str, Span] = {loop.var: (start, depth)}
        prints = [found for array in self.nest.staged for found in self.prints_of(array, loop.body, steps_)]
        span = self.block_range(loop)
        if span is None:
            raise ValueError(f"{self.nest.name}: the range of {loop.var} is not known for a whole block")
        low, high = span
        self.ends[loop.var] = high
        inside = self.through(prints, loop.body)
        compute = self.compute(
            loop, start, depth, inside, prints, uniform=(same(low, loop.start), same(high, loop.stop))
        )
        self.keep(before, compute, after)
        self.apart = self.must_guard(before)
        steps = Loop(
            start.name, low, high, depth,
            (*(s for found in prints for s in self.bring(found)), SYNC, *self.in_registers(compute), SYNC),
            f"{label}0", loop.type, loop.line,
        )  # fmt: skip
        shared = tuple(self.shared(found) for found in prints)
        first = self.in_registers(self.points(before, self.must_guard(before)))
        last = self.in_registers(self.points(after, True))
        return (*shared, *self.registers((*before, loop, *after)), *first, steps, *last)

    def block_range(self, loop: Loop) -> tuple[Expr, Expr] | None:
        """From where to where the tiled loop goes for any point of the block; None when only a thread knows."""
        boxes: dict[str, tuple[Expr, Expr]] = {
            var: (first, simplify(Binary("+", first, Const(str(count - 1)))))
            for var, (first, count) in self.spans.items()
        }
        own = usage(self.nest.body).assigned
        low, high = extreme(loop.start, boxes, True), extreme(loop.stop, boxes, False)
        if low is None or high is None or loop.step != 1 or (names_in(low) | names_in(high)) & own:
            return None
        return low, high

    def must_guard(self, statements: tuple[Stmt, ...]) -> bool:
        return bool(usage(statements).arrays)

    def compute(
        self,
        loop: Loop,
        start: Name,
        depth: int,
        inside: tuple[Stmt, ...],
        prints: list[Footprint],
        uniform: tuple[bool, bool],
    ) -> tuple[Stmt, ...]:
        """One step's work of a thread: `k` from `k0` on, for each of its points."""
        conditions: list[Expr] = []
        if not uniform[0]:
            conditions.append(Binary(">=", Name(loop.var), loop.start))
        cut = frozenset(found.array for found in prints if self.is_cut(found.array))
        if not uniform[1] or not adds_zero(loop, prints, self.symbols.shapes, cut):
            conditions.append(Binary("<", Name(loop.var), loop.stop))
        condition = all_of(tuple(conditions))
        body = inside if condition is None else (If(condition, inside),)
        touched = usage(inside)
        tiles = {found.tile for found in prints}
        body = self.points(body, bool(touched.arrays - tiles))
        stop = simplify(Binary("+", start, Const(str(depth))))
        return (replace(loop, start=start, stop=stop, body=body, pragma="unroll" if depth <= 32 else "", comment=""),)

    # ------------------------------------------------------------- registers

    def keep(self, before: tuple[Stmt, ...], compute: tuple[Stmt, ...], after: tuple[Stmt, ...]) -> None:
        """Scalars that a point carries from one phase to the next: with several points they become arrays."""
        first, middle, last = usage(before), usage(compute), usage(after)
        self.kept = (first.assigned & (middle.exposed | last.exposed)) | (middle.assigned & last.exposed)
        self.kept |= middle.assigned & middle.exposed
        self.kept -= {axis.loop.var for axis in self.axes}

    def registers(self, statements: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        touched = usage(statements)
        if not self.is_coarse:
            missing = sorted(self.kept if self.apart else self.kept - touched.declared)
            rest = declared_locals(statements, self.symbols, self.host_names | set(self.spans) | set(missing))
            return (*(Declare(name, self.symbols.types[name]) for name in missing), *rest)
        shape = tuple(Const(str(count)) for count in reversed(self.coarsen) if count > 1)
        made: list[Stmt] = [Declare(name, self.symbols.types[name], shape) for name in sorted(self.kept)]
        given = self.host_names | set(self.spans) | self.kept
        return (*made, *declared_locals(statements, self.symbols, given))

    def in_registers(self, statements: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        if not self.is_coarse or not self.kept:
            return _as_assignments(statements, self.kept) if self.apart else statements
        at = tuple(self.counter(axis) for axis in reversed(self.axes) if self.coarsen["xyz".index(axis.position)] > 1)

        def kept(expression: Expr) -> Expr:
            return (
                Load(expression.name, at)
                if isinstance(expression, Name) and expression.name in self.kept
                else expression
            )

        return tuple(map_statement(s, kept) for s in _as_assignments(statements, self.kept))


def _as_assignments(statements: tuple[Stmt, ...], kept: set[str]) -> tuple[Stmt, ...]:
    """Declarations of kept scalars become assignments: the arrays are declared elsewhere."""
    made: list[Stmt] = []
    for statement in statements:
        match statement:
            case Declare() if statement.name in kept:
                if statement.init is not None:
                    made.append(Assign(Name(statement.name), "", statement.init, statement.line, statement.comment))
            case Loop():
                made.append(replace(statement, body=_as_assignments(statement.body, kept)))
            case If():
                then, other = _as_assignments(statement.then, kept), _as_assignments(statement.other, kept)
                made.append(replace(statement, then=then, other=other))
            case _:
                made.append(statement)
    return tuple(made)


def stageable(nest: Nest, array: str, statements: tuple[Stmt, ...], symbols: Symbols) -> tuple[Footprint, ...]:
    """The tiles of an array that a block of the nest would hold; none when one has no constant size."""
    axes = axes_of(nest.loops, nest.axes)
    if axes is None or array not in symbols.shapes:
        return ()
    tiler = _Tiler(nest, axes, symbols, set())
    more: dict[str, Span] = {}
    if nest.tile is not None:
        loop = next(s for s in nest.body if isinstance(s, Loop) and s.label == nest.tile[0])
        more = {loop.var: (Name(f"{loop.var}0"), nest.tile[1])}
    return footprints(array, statements, tiler.spans | more, frozenset(usage(nest.body).assigned))


def has_block_range(nest: Nest, loop: Loop, symbols: Symbols) -> bool:
    """Whether a block of the nest can walk the loop together, tile by tile."""
    axes = axes_of(nest.loops, nest.axes)
    return axes is not None and _Tiler(nest, axes, symbols, set()).block_range(loop) is not None


def may_be_negative(origin: Expr) -> bool:
    """Whether a tile may start before its array: only where something is subtracted."""
    if isinstance(origin, Binary):
        return origin.op == "-" or may_be_negative(origin.left) or may_be_negative(origin.right)
    return not isinstance(origin, (Name, Const)) and (integer(origin) or 0) < 0
