"""The verdict on one loop: iterations in any order, a reduction, or one after the other, and why.

It rests on scalars.py (set before read), reductions.py (accumulators) and conflicts.py (elements that meet).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from cudaperf_magic.compiler.analysis.accesses import Access, jumps
from cudaperf_magic.compiler.analysis.affine import loads_in
from cudaperf_magic.compiler.analysis.conflicts import Region, different, ordered, overlap
from cudaperf_magic.compiler.analysis.coverage import are_covered
from cudaperf_magic.compiler.analysis.piece import Piece
from cudaperf_magic.compiler.analysis.reductions import Reduction, reduction_of, scalar_reduction, store_reduction
from cudaperf_magic.compiler.analysis.scalars import Exposure, exposure
from cudaperf_magic.compiler.analysis.values import assigned_names
from cudaperf_magic.compiler.c_printer import print_expression
from cudaperf_magic.compiler.loops import (
    Assign,
    Break,
    Const,
    Declare,
    Expr,
    Load,
    Loop,
    Name,
    Return,
    Stmt,
    bodies,
    names_in,
    walk,
)

Kind = Literal["parallel", "reduction", "sequential"]


@dataclass(frozen=True)
class Dependence:
    """Why an iteration must wait for another. "control": the loop may be left early.

    distance: iterations apart along this loop and the loops inside it that both lines share; None where it varies.
    """

    kind: Literal["flow", "anti", "output", "control"]
    name: str
    source_line: int
    sink_line: int
    distance: tuple[int | None, ...] | None
    sentence: str


@dataclass(frozen=True)
class LoopFacts:
    """What is known of one loop.

    kind: "parallel" (any order, given that each iteration has its own `private` names), "reduction" (the same, once the
    accumulators are combined), "sequential" (`carried` says why).
    private: scalars and local arrays that every iteration sets before reading and that nobody reads afterwards.
    last_values: as private, but read afterwards: the value of the last iteration, which always sets it.
    private_arrays: arrays of wider scope that each iteration fills before reading; if each iteration had its own, their
    entries in `carried` would go (who reads them afterwards must then get the last iteration's).
    assumes: expressions taken to be greater than zero to come to this (symbolic strides).
    """

    label: str
    kind: Kind
    private: frozenset[str] = frozenset()
    last_values: frozenset[str] = frozenset()
    reductions: tuple[Reduction, ...] = ()
    carried: tuple[Dependence, ...] = ()
    private_arrays: frozenset[str] = frozenset()
    assumes: tuple[Expr, ...] = ()

    @property
    def is_parallel(self) -> bool:
        return self.kind == "parallel"


def judge(piece: Piece, label: str) -> LoopFacts:
    """The verdict on the loop of that label."""
    return _Verdict(piece, label).facts()


class _Verdict:
    def __init__(self, piece: Piece, label: str) -> None:
        self.all = piece
        self.label = label
        self.tree = piece.tree(label)
        self.region = piece.region(label)
        self.live = piece.live_after[label]
        self.private: set[str] = set()
        self.last: set[str] = set()
        self.private_arrays: set[str] = set()
        self.reductions: list[Reduction] = []
        self.carried: list[Dependence] = []

    def facts(self) -> LoopFacts:
        self.exits()
        self.scalars()
        self.arrays()
        kind: Kind = "sequential" if self.carried else "reduction" if self.reductions else "parallel"
        return LoopFacts(
            self.label,
            kind,
            frozenset(self.private),
            frozenset(self.last),
            tuple(self.reductions),
            tuple(self.carried),
            frozenset(self.private_arrays),
            tuple(self.region.assumed),
        )

    def exits(self) -> None:
        for jump in jumps(self.tree.body, (Break, Return)):
            line = jump.line if isinstance(jump, (Break, Return)) else 0
            sentence = f"line {line}: the loop over {self.tree.var} may end here, so later iterations wait to know"
            self.carried.append(Dependence("control", "", line, self.tree.line, None, sentence))

    # ---------------------------------------------------------------- scalars

    def scalars(self) -> None:
        body = self.tree.body
        inner = {s.var for s in walk(body) if isinstance(s, Loop)}
        seen = exposure(body)
        names = assigned_names(body) - inner - {self.tree.var}
        for name in sorted(names):
            if name not in seen.exposed and name not in self.live:
                self.private.add(name)
            elif name not in seen.exposed and name in seen.defined:
                self.last.add(name)
            else:
                self.accumulator(name, seen)

    def accumulator(self, name: str, seen: Exposure) -> None:
        if any(name in r.names for r in self.reductions):
            return
        reduction = scalar_reduction(self.tree.body, name)
        if reduction is not None and self.is_sound(reduction):
            self.reductions.append(self.placed(reduction))
            return
        written = _lines_that_set(self.tree.body, name)
        source = written[-1] if written else self.tree.line
        if name in seen.exposed:
            line = seen.lines.get(name, source)
            sentence = f"line {line}: {name} needs its value of the iteration before (set in line {source})"
            self.carried.append(Dependence("flow", name, source, line, (1,), sentence))
        else:
            told = "is read after the loop, and the data decides which iteration sets it last"
            sentence = f"line {source}: {name} {told}"
            self.carried.append(Dependence("output", name, source, source, None, sentence))

    def is_sound(self, reduction: Reduction) -> bool:
        """The companions of an arg-max must move together with its target, and scalars be mentioned nowhere else."""
        places = (reduction.target, *(place for place, _ in reduction.companions))
        elements = [place for place in places if isinstance(place, Load)]
        if any(scalar_reduction(self.tree.body, name) is None for name in reduction.names):
            return False
        if all(self.is_still(element) for element in elements):
            return True
        return len(elements) == len(places) and len({element.subscripts for element in elements}) == 1

    # ----------------------------------------------------------------- arrays

    def arrays(self) -> None:
        found = self.all.inside(self.label)
        by_array: dict[str, list[Access]] = {}
        for access in found:
            by_array.setdefault(access.array, []).append(access)
        for name, members in by_array.items():
            conflicts, combined = self.pairs(members)
            self.assume(self.all.shaped.assumed.get(name, ()))
            doubtful = [*conflicts, *(pair for pair in combined if pair[0].update is None)]
            if doubtful and name in self.all.leniently_shaped.assumed:
                others = self.pairs(members, self.all.region(self.label, is_lenient=True))
                if not others[0] and all(pair[0].update is not None for pair in others[1]):
                    conflicts, combined = others
                    self.assume(self.all.leniently_shaped.assumed[name])
            if conflicts and self.is_private(members):
                if self.is_local(name) and name not in self.live:
                    self.private.add(name)
                    continue
                self.private_arrays.add(name)
            self.carried.extend(self.sentences([*conflicts, *self.combine(combined)]))

    def assume(self, positive: Iterable[Expr]) -> None:
        self.region.assumed.extend(e for e in positive if e not in self.region.assumed)

    def pairs(
        self, members: list[Access], among: Region | None = None
    ) -> tuple[list[tuple[Access, Access]], list[tuple[Access, Access]]]:
        """The pairs that meet in different iterations: those that forbid it, and those of one associative update."""
        region = among or self.region
        conflicts: list[tuple[Access, Access]] = []
        combined: list[tuple[Access, Access]] = []
        for position, first in enumerate(members):
            for second in members[position:]:
                if not (first.is_write or second.is_write) or not overlap(first, second):
                    continue
                if region.never_meets_across(first, second, self.tree):
                    continue
                if region.meet(first, second, different(self.tree.var)):
                    (combined if combines(first, second) else conflicts).append((first, second))
        return conflicts, combined

    def is_local(self, name: str) -> bool:
        return self.all.function.parameter(name) is None

    def is_private(self, members: list[Access]) -> bool:
        """Whether every element read in an iteration was set earlier in the same iteration."""
        frames = self.all.around[self.label]
        inner = Region(self.all.typing, self.all.shaped, frames, self.tree.body, self.all.orders)
        fields = {a.field for a in members}
        return all(are_covered(inner, [a for a in members if a.field == f]) for f in fields)

    def combine(self, pairs: list[tuple[Access, Access]]) -> list[tuple[Access, Access]]:
        """Turn pairs of updates into reductions; returns the pairs that are none after all."""
        updates = list(dict.fromkeys(a.update for pair in pairs for a in pair if a.update is not None))
        wrong: list[tuple[Access, Access]] = []
        for update in updates:
            if any(update in r.updates for r in self.reductions):
                continue
            same = tuple(u for u in updates if (u.target, u.operator) == (update.target, update.operator))
            reduction = reduction_of(same, "fixed")
            if isinstance(update.target, Load) and self.is_sound(reduction):
                self.reductions.append(self.placed(reduction))
            else:
                wrong.extend(p for p in pairs if any(a.update == update for a in p))
        for access in dict.fromkeys(a for pair in pairs for a in pair if a.update is None):
            target, value = access.original, access.stored
            if isinstance(value, Const) and not any(r.target == target for r in self.reductions):
                self.reductions.append(self.placed(store_reduction(target, value, "fixed", (access.line,))))
        return wrong

    def is_still(self, element: Load) -> bool:
        """Whether the element is one and the same in all iterations, as its spelling shows."""
        names = frozenset[str]().union(*(names_in(s) for s in element.subscripts))
        moving = assigned_names(self.tree.body) | {self.tree.var}
        return not names & moving and not any(loads_in(s) for s in element.subscripts)

    def placed(self, reduction: Reduction) -> Reduction:
        target = reduction.target
        if isinstance(target, Name):
            return reduction
        if self.is_still(target):
            return replace(reduction, scope="fixed")
        names = frozenset[str]().union(*(names_in(s) for s in target.subscripts))
        inner = {loop.var for loop in walk(self.tree.body) if isinstance(loop, Loop)}
        moving = assigned_names(self.tree.body) | {self.tree.var}
        is_uniform = names & moving <= inner and not any(loads_in(s) for s in target.subscripts)
        return replace(reduction, scope="scattered", is_uniform=is_uniform)

    # -------------------------------------------------------------- sentences

    def sentences(self, conflicts: list[tuple[Access, Access]]) -> Iterable[Dependence]:
        found: dict[tuple[str, int, int, str], Dependence] = {}
        for first, second in conflicts:
            ways = [(first, second)] if first is second else [(first, second), (second, first)]
            for source, sink in ways:
                key = (_dependence_kind(source, sink), source.line, sink.line, sink.array)
                if key not in found and self.region.meet(source, sink, ordered(self.tree)):
                    found[key] = self.describe(source, sink)
        return found.values()

    def describe(self, source: Access, sink: Access) -> Dependence:
        kind = _dependence_kind(source, sink)
        common = [loop for loop in source.loops if any(loop is other for other in sink.loops)]
        labels = [loop.label for loop in common]
        shared = common[labels.index(self.label) :]
        distance = self.region.distance(source, sink, ordered(self.tree), shared)
        here, there = print_expression(sink.original), print_expression(source.original)
        steps = distance[0] if distance else None
        when = f"of {steps} iterations before" if steps else "of an earlier iteration"
        when = "of the iteration before" if steps == 1 else when
        if kind == "flow":
            told = f"{here} needs {there} (line {source.line}) {when}"
        elif kind == "anti":
            told = f"{here} overwrites what {there} (line {source.line}) {when} has to read first"
        else:
            told = f"{here} may be written again after {there} (line {source.line}) {when}"
        return Dependence(kind, sink.array, source.line, sink.line, distance, f"line {sink.line}: {told}")


def combines(first: Access, second: Access) -> bool:
    """Whether the two belong to updates that may be done in any order."""
    if first.update is not None and second.update is not None:
        return first.update.operator == second.update.operator
    if first.is_write and second.is_write and first.update is None and second.update is None:
        return isinstance(first.stored, Const) and first.stored == second.stored
    return False


def _dependence_kind(source: Access, sink: Access) -> Literal["flow", "anti", "output"]:
    if source.is_write:
        return "output" if sink.is_write else "flow"
    return "anti"


def _lines_that_set(body: tuple[Stmt, ...], name: str) -> list[int]:
    lines = []
    for statement in body:
        if isinstance(statement, Assign) and statement.target == Name(name):
            lines.append(statement.line)
        if isinstance(statement, Declare) and statement.name == name:
            lines.append(statement.line)
        for inner in bodies(statement):
            lines.extend(_lines_that_set(inner, name))
    return lines

