"""Value-based flow: which reads get a value that was written earlier in the same run of a region (isl's dataflow).

Reads are over-approximated, writes under-approximated, so "covered" is certain and "not covered" is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import islpy as isl

from cudaperf_magic.compiler.analysis.accesses import Access
from cudaperf_magic.compiler.analysis.conflicts import Region
from cudaperf_magic.compiler.analysis.formulas import Instance, Scope, rules
from cudaperf_magic.compiler.analysis.presburger import limited
from cudaperf_magic.compiler.loops import Expr


def are_covered(region: Region, found: Sequence[Access]) -> bool:
    """Whether every read among the accesses (of one array) surely follows a write of the same element in the region."""
    flow = _Flow(region, found)
    return flow.is_covered()


def writes_all(
    region: Region,
    found: Sequence[Access],
    shape: Sequence[Expr],
    margin: int = 0,
    sizes: Mapping[str, int] | None = None,
) -> bool:
    """Whether the writes among the accesses surely reach every element of the shape.

    Args:
        margin: elements at both ends of each dimension that are not asked about.
        sizes: values of scalar parameters; without them the answer is for all values.
    """
    return _Flow(region, found).writes_all(shape, margin, sizes or {})


class _Flow:
    def __init__(self, region: Region, found: Sequence[Access]) -> None:
        self.region = region
        self.scope: Scope = region.scope()
        self.outer = region.context(self.scope)
        self.found = found
        self.depth = 2 * max((len(self._inner_loops(a)) for a in found), default=0) + 1

    def _inner_loops(self, access: Access) -> list[tuple[int, str, int]]:
        inner = access.frames[len(self.region.frames) :]
        return [(f.at, f.loop.var, f.loop.step) for f in inner if f.loop is not None]

    def is_covered(self) -> bool:
        reads, writes, schedule = [], [], []
        for position, access in enumerate(self.found):
            name = f"S{position}"
            text, is_exact = self._relation(name, access)
            schedule.append(self._schedule(name, access))
            if not access.is_write:
                reads.append(text)
            elif is_exact and access.is_sure:
                writes.append(text)
        if not reads:
            return True
        if not writes:
            return False
        try:
            with limited():
                sinks, sources, times = self._union(reads), self._union(writes), self._union(schedule)
                info = isl.UnionAccessInfo.from_sink(sinks).set_must_source(sources).set_schedule_map(times)
                return bool(info.compute_flow().get_must_no_source().is_empty())
        except isl.Error:
            return False

    def writes_all(self, shape: Sequence[Expr], margin: int, sizes: Mapping[str, int]) -> bool:
        reached = []
        for position, access in enumerate(self.found):
            text, is_exact = self._relation(f"S{position}", access)
            has_shape = len(self.region.shaped.subscripts(access)) == len(shape)
            if access.is_write and is_exact and access.is_sure and has_shape:
                reached.append(text)
        instance = Instance(self.scope, {})
        index = [f"e{k}" for k in range(len(shape))]
        ends = ((e, instance.affine(x)) for e, x in zip(index, shape, strict=True))
        bounds = " and ".join(f"{margin} <= {e} < {end} - {margin}" for e, end in ends)
        fixed = (f"p_{name} = {value}" for name, value in sizes.items() if f"p_{name}" in self.scope.parameters)
        bounds = " and ".join([bounds, *self.scope.definitions, *fixed])
        if not reached or instance.fresh:
            return False
        try:
            with limited():
                everything = isl.UnionSet(f"{self._parameters()} -> {{ A[{', '.join(index)}] : {bounds} }}")
                return bool(everything.is_subset(self._union(reached).range()))
        except isl.Error:
            return False

    def _union(self, texts: Iterable[str]) -> isl.UnionMap:
        return isl.UnionMap(f"{self._parameters()} -> {{ {'; '.join(texts)} }}")

    def _parameters(self) -> str:
        return f"[{', '.join(sorted(self.scope.parameters))}]"

    def _relation(self, name: str, access: Access) -> tuple[str, bool]:
        """`S[loops] -> A[subscripts]`, and whether it holds exactly where the access happens."""
        inner = access.frames[len(self.region.frames) :]
        dims = {f.loop.var: f"i_{f.loop.var}" for f in inner if f.loop is not None}
        instance = Instance(self.scope, dims)
        for frame in inner:
            instance.enter(frame)
        subscripts = [instance.affine(s) for s in self.region.shaped.subscripts(access)]
        index = [f"e{k}" for k in range(len(subscripts))]
        terms = [*self.outer.terms, *instance.terms]
        conditions = [
            *self.scope.definitions,
            *self.outer.constraints,
            *instance.constraints,
            *rules(terms, False),
            *(f"{e} = {s}" for e, s in zip(index, subscripts, strict=True)),
        ]
        fresh = [*self.outer.fresh, *instance.fresh]
        inside = " and ".join(f"({c})" for c in conditions) or "0 = 0"
        where = f"exists ({', '.join(fresh)} : {inside})" if fresh else inside
        text = f"{name}[{', '.join(dims.values())}] -> A[{', '.join(index)}] : {where}"
        return text, instance.is_exact

    def _schedule(self, name: str, access: Access) -> str:
        loops = self._inner_loops(access)
        time = [part for at, var, step in loops for part in (str(at), f"i_{var}" if step > 0 else f"-i_{var}")]
        time.append(str(access.at))
        time += ["0"] * (self.depth - len(time))
        return f"{name}[{', '.join(f'i_{var}' for _, var, _ in loops)}] -> [{', '.join(time)}]"
