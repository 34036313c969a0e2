"""Whether two accesses of a loop can meet at one element in different iterations, decided by isl.

A `Region` is one loop with everything around it held fixed. It answers questions about pairs of accesses; what the
answers mean for the loop is for dependence.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cudaperf_magic.compiler.analysis.accesses import Access, Frame
from cudaperf_magic.compiler.analysis.formulas import Instance, Scope, rules
from cudaperf_magic.compiler.analysis.presburger import fixed_values, is_empty, points
from cudaperf_magic.compiler.analysis.subscripts import Shaped
from cudaperf_magic.compiler.analysis.values import Typing, written_arrays
from cudaperf_magic.compiler.loops import Expr, Load, Loop, Name, Stmt, names_in, walk_expression


@dataclass
class Region:
    """The iterations of the loops inside `outer` (frames), for fixed values of everything outside.

    `common` are the loops that both accesses of a pair run under, outermost first, from the region's own loop on.
    """

    typing: Typing
    shaped: Shaped
    frames: tuple[Frame, ...]  # around the region, not including it
    body: tuple[Stmt, ...]
    orders: Mapping[str, str]
    assumed: list[Expr] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.unstable = self.typing.changing(self.body)
        self.written = written_arrays(self.body)

    # ------------------------------------------------------------ questions

    def meet(self, first: Access, second: Access, order: str, extra: str = "") -> bool:
        """Whether both can touch one element with `order` between their iterations.

        `order` and `extra` are isl formulas over a_<var> and b_<var> (loop variables of first and second) and p_<name>.
        Products with an unknown factor are first taken as scalings by a positive number; when only that settles the
        question, the factor goes into `assumed`.
        """
        pair = _Pair(self, first, second)
        if pair.is_possible(order, extra, True):
            return True
        if pair.factors and pair.is_possible(order, extra, False):
            self.assumed.extend(f for f in pair.factors if f not in self.assumed)
        return False

    def distance(self, first: Access, second: Access, order: str, loops: Sequence[Loop]) -> tuple[int | None, ...]:
        """Iterations between the two along each loop, where that is one number for all of their meetings."""
        return _Pair(self, first, second).distance(order, loops)

    def vectors(
        self, first: Access, second: Access, order: str, loops: Sequence[Loop]
    ) -> tuple[tuple[int, ...], ...] | None:
        """All distances, in iterations, between meetings of the two; None when they are not a few fixed ones."""
        return _Pair(self, first, second).vectors(order, loops)

    def never_meets_across(self, first: Access, second: Access, loop: Loop) -> bool:
        """Quick and sure: one subscript is the same sum for both, and the loop's variable moves it."""
        one, other = self.shaped.subscripts(first), self.shaped.subscripts(second)
        if len(one) != len(other):
            return False
        return any(a == b and self.moves_alone(a, loop.var) for a, b in zip(one, other, strict=True))

    def moves_alone(self, subscript: Expr, var: str) -> bool:
        terms = self.typing.expand(subscript)
        if not terms.pop((Name(var),), 0):
            return False
        for monomial in terms:
            for atom in monomial:
                if isinstance(atom, Load) or any(isinstance(e, Load) for e in walk_expression(atom)):
                    return False
                if names_in(atom) & (self.unstable | {var}):
                    return False
        return True

    def context(self, scope: Scope) -> Instance:
        instance = Instance(scope, {})
        for frame in self.frames:
            instance.enter(frame, is_outside=True)
        return instance

    def scope(self) -> Scope:
        return Scope(self.typing, self.unstable, self.written, self.orders)


class _Pair:
    """The formula of two accesses at one element, each in an iteration of its own."""

    def __init__(self, region: Region, first: Access, second: Access) -> None:
        self.region = region
        self.scope = region.scope()
        outer = region.context(self.scope)
        self.first = self._instance(first, "a_")
        self.second = self._instance(second, "b_")
        here, there = region.shaped.subscripts(first), region.shaped.subscripts(second)
        same = []
        if len(here) == len(there):
            for a, b in zip(here, there, strict=True):
                same.append(f"{self.first.affine(a)} = {self.second.affine(b)}")
        self.instances = (outer, self.first, self.second)
        self.terms = [t for instance in self.instances for t in instance.terms]
        self.parts = [*(c for instance in self.instances for c in instance.constraints), *same]
        self.factors = list(dict.fromkeys(t.factor for t in self.terms if t.factor is not None))

    def _instance(self, access: Access, prefix: str) -> Instance:
        inner = access.frames[len(self.region.frames) :]
        dims = {f.loop.var: prefix + f.loop.var for f in inner if f.loop is not None}
        instance = Instance(self.scope, dims)
        for frame in inner:
            instance.enter(frame)
        return instance

    def text(self, order: str, extra: str, positive: bool, outputs: Sequence[str] = ()) -> str:
        known = rules(self.terms, positive)
        variables = [v for i in self.instances for v in (*i.dims.values(), *i.fresh)]
        conditions = [*self.scope.definitions, *self.parts, *known, order, *([extra] if extra else [])]
        conditions += [f"d{k} = {text}" for k, text in enumerate(outputs)]
        inner = " and ".join(f"({c})" for c in conditions if c)
        exists = f"exists ({', '.join(variables)} : {inner})" if variables else inner
        tuple_ = ", ".join(f"d{k}" for k in range(len(outputs)))
        return f"[{', '.join(sorted(self.scope.parameters))}] -> {{ [{tuple_}] : {exists} }}"

    def is_possible(self, order: str, extra: str, positive: bool) -> bool:
        return not is_empty(self.text(order, extra, positive))

    def vectors(self, order: str, loops: Sequence[Loop]) -> tuple[tuple[int, ...], ...] | None:
        outputs = [f"b_{loop.var} - a_{loop.var}" for loop in loops]
        fixed = fixed_values(self.text(order, "", True, outputs), len(outputs))
        found = points(self.text(order, "", True, outputs)) if None in fixed else [tuple(v or 0 for v in fixed)]
        if found is None:
            return None
        steps = [loop.step for loop in loops]
        return tuple(tuple(v // step for v, step in zip(point, steps, strict=True)) for point in found)

    def distance(self, order: str, loops: Sequence[Loop]) -> tuple[int | None, ...]:
        outputs = [f"b_{loop.var} - a_{loop.var}" for loop in loops]
        text = self.text(order, "", True, outputs)
        values = fixed_values(text, len(outputs))
        return tuple(
            v // loop.step if v is not None and v % loop.step == 0 else None
            for v, loop in zip(values, loops, strict=True)
        )


def overlap(first: Access, second: Access) -> bool:
    """Whether the two name the same array and fields of which one contains the other."""
    if first.array != second.array:
        return False
    one, other = first.field.split("."), second.field.split(".")
    if not first.field or not second.field:
        return True
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def different(var: str) -> str:
    return f"a_{var} < b_{var} or a_{var} > b_{var}"


def ordered(loop: Loop, first: str = "a_", second: str = "b_") -> str:
    """The first access runs in an earlier iteration of the loop than the second."""
    relation = "<" if loop.step > 0 else ">"
    return f"{first}{loop.var} {relation} {second}{loop.var}"


def earlier(loops: Iterable[Loop]) -> str:
    """Lexicographically earlier over the loops."""
    cases: list[str] = []
    equal: list[str] = []
    for loop in loops:
        cases.append(" and ".join([*equal, ordered(loop)]))
        equal.append(f"a_{loop.var} = b_{loop.var}")
    return " or ".join(f"({c})" for c in cases)
