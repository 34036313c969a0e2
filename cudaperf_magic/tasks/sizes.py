"""Which integer scalars are sizes, and which sets of sizes to try: small odd ones to verify, one larger to measure.

A proposal may be wrong (a filter longer than its signal): each place on the list has alternatives, and the bench, which
can run the C, takes the first on which it does nothing undefined. It draws no values; cases.py does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Break,
    Const,
    Declare,
    Expr,
    Function,
    Loop,
    Name,
    Parameter,
    Return,
    Stmt,
    While,
    expressions,
    names_in,
    walk,
    walk_expression,
)
from cudaperf_magic.tasks.fixed import most_by_dimensions
from cudaperf_magic.tasks.work import elements, estimated_steps

# extent: a full dimension. small: what is taken off one (a filter's width). stride: a step inside one. lead: the
# distance between rows, at least a row's length. count: how often something is repeated. limit: when to give up.
# power: its power of two is a size. first: where a loop begins. table: a dimension that no loop runs along.
Kind = Literal["extent", "table", "small", "stride", "lead", "count", "limit", "power", "first"]
Sizes = tuple[tuple[str, int], ...]

MEASURED_STEPS = 2_200_000  # inner iterations of the measured case: 128^3 fits, and the simulator still answers at once
MEASURED_ELEMENTS = 300_000  # plain ones, of all arrays together
VERIFIED_STEPS = 150_000

_ONE = ((1,), (31,), (33,), (2,), (100,), (257,), (1025,), (0,))
_SEVERAL = (
    (1, 1, 1), (31, 33, 17, 29), (33, 17, 31, 9), (1, 67, 5, 12), (67, 1, 19, 3), (64, 32, 48, 16), (3, 130, 7, 11),
    (0, 5, 3, 4), (5, 0, 3, 4),
)  # fmt: skip
# Where the last element falls to an odd round of every block size (1000), or to a middle warp or lane of a block.
_LONG_ONE = ((1000,), (1000,), (49,), (49,), (50,), (50,), (90,), (90,))
_LONG_SEVERAL = ((3, 250, 7, 5), (3, 250, 7, 5), (250, 3, 5, 7), (250, 3, 5, 7))
# By the number of the place, so that they vary with the extents; of two counts the later one is often greater.
_SMALL, _STRIDE, _LEAD = (1, 3, 5, 2, 1, 4, 3), (1, 2, 1, 3, 1, 2, 4), (0, 1, 3, 0, 5)
_COUNT, _LIMIT, _POWER = (1, 3, 2, 5, 4, 12, 2), (1, 50, 20, 7, 30), (0, 5, 3, 1, 8, 4, 2)


@dataclass(frozen=True)
class SizeNames:
    """The size scalars of a function, in parameter order, with what kind of size each is."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    pooled: frozenset[str] = frozenset()  # lengths that a row pointer divides into rows
    most: Mapping[str, int] = field(default_factory=dict)  # by dimensions that are numbers

    @property
    def extents(self) -> tuple[str, ...]:
        return tuple(name for name, kind in self.kinds.items() if kind in ("extent", "table"))


def is_integer_scalar(parameter: Parameter) -> bool:
    return parameter.shape == () and parameter.type not in ("float", "double", "bool")


def size_names(function: Function, pooled: frozenset[str] = frozenset()) -> SizeNames:
    """Every integer scalar that a shape or a loop bound mentions, directly or through local scalars."""
    scalars = [p.name for p in function.parameters if is_integer_scalar(p)]
    places = _Places.of(function)
    most = most_by_dimensions(function)
    kinds = {name: places.kind(name) for name in scalars if name in places.shapes or name in places.bounds}
    kinds |= {name: "extent" for name in most if kinds.get(name) == "count"}
    return SizeNames(kinds, pooled & kinds.keys(), most)


@dataclass(frozen=True)
class _Places:
    """Where names stand in a function: in which dimensions, and at which ends of which loops."""

    dimensions: tuple[Expr, ...]
    shapes: frozenset[str]
    starts: frozenset[str]
    stops: frozenset[str]
    exits: frozenset[str]  # of loops that end early as well
    shifted: frozenset[str]
    factors: frozenset[str]  # of subscripts

    @classmethod
    def of(cls, function: Function) -> _Places:
        origins = _origins(function)
        statements = tuple(walk(function.body))
        dimensions = [d for p in function.parameters for d in p.shape or ()]
        dimensions += [d for s in statements if isinstance(s, Declare) for d in s.shape]
        starts, stops, exits = set[str](), set[str](), set[str]()
        for statement in statements:
            if isinstance(statement, Loop):
                starts |= _resolved(names_in(statement.start), origins)
                leaves = any(isinstance(inner, (Break, Return)) for inner in walk(statement.body))
                (exits if leaves else stops).update(_resolved(names_in(statement.stop), origins))
            elif isinstance(statement, While):
                exits |= _resolved(names_in(statement.condition), origins)
        return cls(
            dimensions=tuple(dimensions),
            shapes=frozenset(name for d in dimensions for name in _resolved(names_in(d), origins)),
            starts=frozenset(starts),
            stops=frozenset(stops),
            exits=frozenset(exits),
            shifted=_shift_counts(statements, dimensions),
            factors=_factors(statements, origins),
        )

    @property
    def bounds(self) -> frozenset[str]:
        return self.starts | self.stops | self.exits

    def kind(self, name: str) -> Kind:
        if name in self.shifted:
            return "power"
        if name not in self.shapes:
            if name in self.stops:
                return "count"
            return "limit" if name in self.exits else "first"
        if any(_divides(name, dimension) for dimension in self.dimensions):
            return "stride"
        if any(_is_taken_off(name, dimension) for dimension in self.dimensions):
            return "small"
        if name in self.bounds:
            return "extent"
        if any(dimension == Name(name) for dimension in self.dimensions) or name not in self.factors:
            return "table"
        if any(_stands_beside_another(name, dimension) for dimension in self.dimensions):
            return "lead"
        return "table" if any(self._spans(name, dimension) for dimension in self.dimensions) else "stride"

    def _spans(self, name: str, dimension: Expr) -> bool:
        """`sw * sh`, along neither of which a loop runs: the sides of a picture."""
        names = names_in(dimension)
        return name in names and len(names) > 1 and not names & self.bounds


def _shift_counts(statements: tuple[Stmt, ...], dimensions: list[Expr]) -> frozenset[str]:
    """Names that something is shifted to the left by."""
    written = [e for statement in statements for e in expressions(statement)]
    parts = [part for expression in (*dimensions, *written) for part in walk_expression(expression)]
    shifts = [part.right for part in parts if isinstance(part, Binary) and part.op == "<<"]
    return frozenset(name for count in shifts for name in names_in(count))


def _factors(statements: tuple[Stmt, ...], origins: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Names by which something is multiplied in a subscript, or in a scalar that becomes one."""
    found: set[str] = set()
    for expression in (e for statement in statements for e in expressions(statement)):
        for part in walk_expression(expression):
            if isinstance(part, Binary) and part.op == "*":
                found |= _resolved(names_in(part), origins)
    return frozenset(found)


def _divides(name: str, dimension: Expr) -> bool:
    """`(n - k) / stride + 1`."""
    parts = [p for p in walk_expression(dimension) if isinstance(p, Binary) and p.op == "/"]
    return any(name in names_in(part.right) for part in parts)


def _is_taken_off(name: str, dimension: Expr) -> bool:
    """`n - k + 1`: k is taken off; so is k in `n + k - 1`, a border."""
    for part in walk_expression(dimension):
        if isinstance(part, Binary) and part.op in ("-", "+") and name in names_in(part.right):
            others = names_in(part.left)
            if part.op == "-" and others and name not in others:
                return True
            is_border = isinstance(part.right, Name) or (
                isinstance(part.right, Binary) and isinstance(part.right.left, Const)
            )
            if is_border and others and name not in others and _only_adds(part.left):
                return True
    return False


def _only_adds(expression: Expr) -> bool:
    return all(not isinstance(p, Binary) or p.op in ("+", "-") for p in walk_expression(expression))


def _stands_beside_another(name: str, dimension: Expr) -> bool:
    """`(n - 1) * lda + m`: a product with the name, and beside it a term without."""
    if not isinstance(dimension, Binary) or dimension.op not in ("+", "-"):
        return False
    sides = (names_in(dimension.left), names_in(dimension.right))
    return any(name in a and name not in b and b for a, b in (sides, sides[::-1]))


def _origins(function: Function) -> dict[str, frozenset[str]]:
    """Local integer scalar -> the names its values come from."""
    found: dict[str, frozenset[str]] = {}
    for statement in walk(function.body):
        if isinstance(statement, Declare) and not statement.shape and statement.init is not None:
            found[statement.name] = found.get(statement.name, frozenset()) | names_in(statement.init)
        elif isinstance(statement, Assign) and isinstance(statement.target, Name):
            name = statement.target.name
            found[name] = found.get(name, frozenset()) | names_in(statement.value)
    return found


def _resolved(names: frozenset[str], origins: Mapping[str, frozenset[str]]) -> set[str]:
    done: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in done:
            done.add(name)
            waiting += origins.get(name, ())
    return done


# ------------------------------------------------------------------ proposals


def measured(function: Function, names: SizeNames, given: Mapping[str, int]) -> tuple[Sizes, ...]:
    """Alternatives for the case that is measured, the best first. What is given stands as it is."""
    found = []
    for small, share in ((5, 1), (1, 1), (5, 16), (1, 256)):
        size = 1 << 16
        while size > 1 and not _fits(function, _at(names, given, size, small)):
            size //= 2
        found.append(_at(names, given, max(1, size // share), small))
    leads = _with_leads(names, found[0], given)
    free = [name for name in leads if name not in given]
    while not _fits(function, leads) and max((leads[name] for name in free), default=1) > 1:
        leads = {name: value if name in given else max(1, value // 2) for name, value in leads.items()}
    found.insert(2, leads)
    return tuple(dict.fromkeys(tuple(sizes.items()) for sizes in found))


def _at(names: SizeNames, given: Mapping[str, int], size: int, small: int) -> dict[str, int]:
    sizes = {}
    for name, kind in names.kinds.items():
        few = {
            "small": small, "stride": 1, "count": 10, "limit": 50, "power": size.bit_length() - 1, "first": 1,
            "table": 1024,
        }.get(kind, size)  # fmt: skip
        is_length = kind == "count" and ("first" in names.kinds.values() or not names.extents)
        plain = size if is_length else min(few, size)
        plain = min(plain, names.most.get(name, plain))
        sizes[name] = given.get(name, plain * 8 if name in names.pooled else plain)
    return sizes


def _fits(function: Function, sizes: Mapping[str, int]) -> bool:
    small = elements(function, sizes) <= MEASURED_ELEMENTS
    return small and estimated_steps(function, sizes) <= MEASURED_STEPS


def verified(
    function: Function, names: SizeNames, bounds: Mapping[str, tuple[int, int]]
) -> tuple[tuple[Sizes, ...], ...]:
    """For each place on the list of small cases its alternatives. `bounds` holds what --range says of sizes."""
    if not names.kinds:
        return (((),),)
    return tuple(dict.fromkeys(_places(function, names, bounds, _ONE if _is_plain(names) else _SEVERAL)))


def long(function: Function, names: SizeNames, bounds: Mapping[str, tuple[int, int]]) -> tuple[tuple[Sizes, ...], ...]:
    """As `verified`, for inputs of which one late element decides; each set comes twice."""
    return _places(function, names, bounds, _LONG_ONE if _is_plain(names) else _LONG_SEVERAL) if names.kinds else ()


def _is_plain(names: SizeNames) -> bool:
    return len(names.extents) + sum(k == "small" for k in names.kinds.values()) <= 1


def _places(
    function: Function,
    names: SizeNames,
    bounds: Mapping[str, tuple[int, int]],
    patterns: tuple[tuple[int, ...], ...],
) -> tuple[tuple[Sizes, ...], ...]:
    places = []
    limits = {name: (0, most) for name, most in names.most.items()} | dict(bounds)
    for k, pattern in enumerate(patterns):
        plain = _from_pattern(names, pattern, k)
        while estimated_steps(function, plain) > VERIFIED_STEPS and max(plain.values()) > 3:
            plain = {name: value if value <= 3 else value // 2 | 1 for name, value in plain.items()}
        narrow = {name: 1 if names.kinds[name] in ("small", "stride") else value for name, value in plain.items()}
        even = {name: -(-value // 4) * 4 if names.kinds[name] == "extent" else value for name, value in plain.items()}
        others = (_with_leads(names, plain, {}), even, narrow, _ordered(names, plain))
        alternatives = [_bounded(sizes, limits) for sizes in (plain, *others)]
        places.append(tuple(dict.fromkeys(tuple(sizes.items()) for sizes in alternatives)))
    return tuple(places)


def _from_pattern(names: SizeNames, pattern: tuple[int, ...], k: int) -> dict[str, int]:
    sizes: dict[str, int] = {}
    cycle = (pattern[i % len(pattern)] for i in range(len(names.kinds)))
    full = dict(zip(names.extents, cycle, strict=False))
    longest = max([*full.values(), 1])
    for place, (name, kind) in enumerate(names.kinds.items(), start=k):
        match kind:
            case "extent" | "table":
                sizes[name] = full[name] * 3 if name in names.pooled else full[name]
            case "small":
                sizes[name] = min(_SMALL[k % len(_SMALL)], max(1, min(full.values(), default=1)))
            case "stride":
                sizes[name] = _STRIDE[k % len(_STRIDE)]
            case "lead":
                sizes[name] = longest + _LEAD[k % len(_LEAD)]
            case "first":
                sizes[name] = place % 3
            case "count":
                sizes[name] = _COUNT[place % len(_COUNT)]
            case "power":
                sizes[name] = _POWER[place % len(_POWER)]
            case "limit":
                sizes[name] = _LIMIT[place % len(_LIMIT)]
    if not full:  # nothing but counts: they are the problem
        sizes.update((name, pattern[0]) for name, kind in names.kinds.items() if kind == "count")
    return sizes


def _with_leads(names: SizeNames, sizes: Mapping[str, int], given: Mapping[str, int]) -> dict[str, int]:
    """The same, but what looked like a stride is the distance between rows."""
    longest = max([sizes[name] for name in names.extents], default=1)
    return {
        name: longest + k if names.kinds[name] == "stride" and name not in given else value
        for k, (name, value) in enumerate(sizes.items())
    }


def _ordered(names: SizeNames, sizes: Mapping[str, int]) -> dict[str, int]:
    """The same extents, greatest first: for functions that need n >= m >= k; the smallest kinds become 1."""
    values = sorted((sizes[name] for name in names.extents), reverse=True)
    falling = dict(zip(names.extents, values, strict=True))
    return {name: falling.get(name, 1) for name in names.kinds}


def _bounded(sizes: Mapping[str, int], bounds: Mapping[str, tuple[int, int]]) -> dict[str, int]:
    return {
        name: min(max(value, bounds[name][0]), bounds[name][1]) if name in bounds else value
        for name, value in sizes.items()
    }
