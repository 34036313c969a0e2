"""A guess at a program's memory traffic and use of the machine, to rank proposals before any of them is built.

It counts the 32-byte sectors that each thread's accesses would ask for, from strides alone, and what share of a large
GPU the threads would fill. The number only orders proposals: it is no time, and nobody is shown it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import prod, sqrt

from cudaperf_magic.compiler.analysis.affine import expand, linear
from cudaperf_magic.compiler.loops import (
    Assign,
    Declare,
    Expr,
    If,
    Load,
    Loop,
    Stmt,
    Symbols,
    While,
    expressions,
    names_in,
    walk_expression,
)
from cudaperf_magic.compiler.lowering.grid import axes_of
from cudaperf_magic.compiler.lowering.lower import symbols_of
from cudaperf_magic.compiler.lowering.lower_tile import stageable
from cudaperf_magic.compiler.program import HostIf, HostLoop, Nest, Node, Program
from cudaperf_magic.tasks.expressions import Number, Unknown, value_of

FULL = 132 * 512  # threads that keep the memory of a large GPU busy
LAUNCH = 20_000.0  # sectors that could move while a kernel is launched
GUESSED = 16  # iterations of a loop whose range is data
WIDTHS = {"double": 8, "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8}
WIDTHS |= {"char": 1, "signed char": 1, "unsigned char": 1, "bool": 1, "short": 2, "unsigned short": 2}


def estimate(program: Program, sizes: Mapping[str, int]) -> float:
    """Sectors, weighted by how little of the machine asks for them. Smaller is better."""
    return total_of(program, sizes, lambda traffic: traffic.weighted())


def total_of(
    program: Program, sizes: Mapping[str, int], cost: Callable[[Traffic], float], is_cached: bool = False
) -> float:
    """The costs of all kernels of a program, each as often as the host launches it; of two branches the dearer.

    is_cached: whether what neighbouring points read alike (`a[i - 1]`, `a[i + 1]`) comes from memory only once.
    """
    names: dict[str, Number] = dict(sizes)
    for name, _, text in program.function.constants:
        value = _known_text(text)
        if value is not None:
            names[name] = value
    symbols = symbols_of(program)
    return _nodes(program.nodes, names, lambda nest, known: cost(Traffic(nest, known, symbols, is_cached)))


def _nodes(
    nodes: tuple[Node, ...], names: dict[str, Number], cost: Callable[[Nest, dict[str, Number]], float]
) -> float:
    total = 0.0
    for node in nodes:
        match node:
            case Nest():
                total += 0.0 if node.is_fallback else cost(node, names)
            case HostLoop():
                trips, middle = trips_of(node.loop, names)
                total += trips * _nodes(node.body, names | {node.loop.var: middle}, cost)
            case HostIf():
                total += max(_nodes(part, names, cost) for part in (node.then, node.other))
            case _:
                pass
    return total


@dataclass
class Traffic:
    """What one kernel asks of memory: of its nest, with the sizes and the variables of host loops around it."""

    nest: Nest
    names: dict[str, Number]
    symbols: Symbols
    is_cached: bool = False

    def __post_init__(self) -> None:
        self.inside, self.points = dict(self.names), 1.0
        for loop in self.nest.loops:
            trips, middle = trips_of(loop, self.inside)
            self.inside[loop.var] = middle
            self.points *= max(trips, 1.0)
        for statement in self.nest.body:  # a block's own stretch of a range, say
            if isinstance(statement, Declare) and statement.init is not None:
                with suppress(Unknown):
                    self.inside[statement.name] = value_of(statement.init, self.inside)

    def weighted(self) -> float:
        return self.total_sectors() / sqrt(min(1.0, max(self.threads, 1.0) / FULL)) + LAUNCH

    @property
    def threads(self) -> float:
        nest = self.nest
        return self.points * nest.team / (prod(nest.coarsen or (1,)) * nest.vector)

    def total_sectors(self) -> float:
        nest = self.nest
        staged = self.staged() if nest.staged and axes_of(nest.loops, nest.axes) else 0.0
        return self.points * (self.body(nest.body, self.inside, self.lanes(), 1.0) + staged)

    def lanes(self) -> str:
        """The variable that neighbouring threads differ in; "" for a team, whose dealt loops come deeper."""
        return self.nest.loop(self.nest.axes[0]).var if self.nest.team == 1 and self.nest.axes else ""

    def body(self, statements: tuple[Stmt, ...], names: dict[str, Number], lane: str, times: float) -> float:
        total = 0.0
        for statement in statements:
            match statement:
                case Loop():
                    trips, middle = trips_of(statement, names)
                    inner = statement.var if self.nest.team > 1 else lane
                    total += self.body(statement.body, names | {statement.var: middle}, inner, times * trips)
                case While():
                    total += self.body(statement.body, names, lane, times * GUESSED)
                case If():
                    total += self.body(statement.then + statement.other, names, lane, times)
                case _:
                    pass
            if not isinstance(statement, (Loop, While)):
                total += times * self.own(statement, names, lane)
        return total

    def own(self, statement: Stmt, names: dict[str, Number], lane: str) -> float:
        loads = [e for x in expressions(statement) for e in walk_expression(x) if isinstance(e, Load)]
        if isinstance(statement, Assign) and statement.op and isinstance(statement.target, Load):
            loads.append(statement.target)
        if not self.is_cached:
            return sum(self.sectors(load, names, lane) for load in loads)
        stored = statement.target if isinstance(statement, Assign) else None
        written = self.sectors(stored, names, lane) if isinstance(stored, Load) else 0.0
        return written + sum(self.sectors(load, names, lane) for load in apart(loads))

    def sectors(self, load: Load, names: dict[str, Number], lane: str) -> float:
        """Sectors of one access, shared out over the 32 lanes that make it together."""
        shape = self.symbols.shapes.get(load.array)
        if load.array in self.nest.staged or shape is None or load.array not in self.symbols.types:
            return 0.0
        if not lane:
            return 1 / 32
        width = WIDTHS.get(self.symbols.types[load.array], 4)
        stride = 0.0
        for number, subscript in enumerate(load.subscripts):
            parts = linear(subscript, (lane,))
            step = None if parts is None else parts.constant_coefficient(lane)
            if step is None:
                return 1.0 if lane in names_in(subscript) else 1 / 32
            stride += step * prod((_value(extent, names, 64) for extent in shape[number + 1 :]), start=1.0)
        return max(1.0, min(32.0, abs(stride) * width)) / 32

    def staged(self) -> float:
        """Sectors a point for bringing the tiles in, rows of them side by side."""
        nest, total = self.nest, 0.0
        points = prod(nest.block) * prod(nest.coarsen or (1,))
        body, steps = nest.body, 1.0
        if nest.tile is not None:
            loop = next(s for s in nest.body if isinstance(s, Loop) and s.label == nest.tile[0])
            body, steps = loop.body, max(1.0, trips_of(loop, self.names)[0] / nest.tile[1])
        for array in nest.staged:
            for found in stageable(nest, array, body, self.symbols):
                width = WIDTHS.get(self.symbols.types[array], 4)
                total += steps * found.elements / points * width / 32
        return total


def apart(loads: Iterable[Load]) -> list[Load]:
    """One load for each of those that lie a constant distance apart."""
    found: dict[object, Load] = {}
    for load in loads:
        places = [expand(subscript) for subscript in load.subscripts]
        key = tuple(frozenset((m, c) for m, c in place.items() if m) for place in places)
        found.setdefault((load.array, key), load)
    return list(found.values())


def trips_of(loop: Loop, names: Mapping[str, Number]) -> tuple[float, Number]:
    """Iterations of a loop, and its variable's middle value."""
    try:
        start, stop = value_of(loop.start, names), value_of(loop.stop, names)
    except Unknown:
        return float(GUESSED), GUESSED
    return max(0.0, (stop - start) / loop.step), int((start + stop) // 2)


def _value(expression: Expr, names: Mapping[str, Number], otherwise: float) -> float:
    try:
        return float(value_of(expression, names))
    except Unknown:
        return otherwise


def _known_text(text: str) -> Number | None:
    try:
        return value_of(text, {})
    except (Unknown, ValueError):
        return None
