"""Panels: a loop that must go in order goes in strips, and what a strip does to the rest is done for all of it at once.

LU, Cholesky and triangular solves: the loop over k is cut into strips; every loop inside is cut where the strip ends
(or begins); the pieces that allow it get a loop over the strip of their own (fission); and parallel loops move out.
What stays in order inside a strip is small, the rest is a product of matrices. Each step asks the dependence analysis.
It decides no kernels, and refuses by returning None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from cudaperf_magic.compiler.analysis.accesses import jumps
from cudaperf_magic.compiler.analysis.affine import integer, loads_in, same, simplify
from cudaperf_magic.compiler.analysis.dependence import Facts, analyse
from cudaperf_magic.compiler.fresh import taken_name
from cudaperf_magic.compiler.loops import (
    Binary,
    Break,
    Call,
    Comment,
    Const,
    Continue,
    Expr,
    Function,
    If,
    Loop,
    Name,
    Return,
    Stmt,
    Symbols,
    loops_of,
    names_in,
)
from cudaperf_magic.compiler.rewriting.replacing import worded
from cudaperf_magic.compiler.rewriting.restructure import chain, fresh

MOST_PIECES = 12  # of a strip's body, cut; each is held against each, and so many have never come apart
STRIPS = "_strip"  # how the label of a loop over strips ends
SENTENCE = "Strips of {size}: first the strip itself, then all that lies beyond it, in one go."


@dataclass(frozen=True)
class Panelled:
    """The function by strips, and the loops inside a strip that one block is to run."""

    function: Function
    one_block: frozenset[str]


def panelled(function: Function, loop: Loop, size: int, orders: Mapping[str, str]) -> Panelled | None:
    """The function with a sequential loop in strips of `size`; None where nothing can be taken out of a strip."""
    if loop.step != 1 or loads_in(loop.start) or loads_in(loop.stop):
        return None
    if any(True for _ in jumps(loop.body, (Break, Return, Continue))):
        return None
    labels = {found.label for found in loops_of(function.body)}
    strip = _strip(loop, size, set(Symbols.of(function).types), labels)
    writer = _Panels(function, orders, labels, strip)
    return writer.made(loop)


@dataclass(frozen=True)
class _Strip:
    """A strip of the loop over `var`: from `first` to `end`."""

    var: str
    first: Name
    end: Expr
    outer: Loop  # over the strips; its body is left empty
    inner: Loop  # over one strip, with the body of the loop


def _strip(loop: Loop, size: int, taken: set[str], labels: set[str]) -> _Strip:
    first = Name(taken_name(f"{loop.var}_strip", taken))
    end = Call("min", (Binary("+", first, Const(str(size))), loop.stop))
    comment = "\n".join(part for part in (loop.comment, SENTENCE.format(size=size)) if part)
    outer = replace(
        loop, var=first.name, step=size, body=(), label=taken_name(f"{loop.label}{STRIPS}", labels), comment=comment
    )
    return _Strip(loop.var, first, end, outer, replace(loop, start=first, stop=end, comment=""))


@dataclass
class _Panels:
    function: Function
    orders: Mapping[str, str]
    labels: set[str]
    strip: _Strip

    def made(self, loop: Loop) -> Panelled | None:
        inner = replace(self.strip.inner, body=self.cut(self.strip.inner.body, frozenset({self.strip.var})))
        if len(inner.body) > MOST_PIECES:
            return None
        function = self.with_strip(self.function, loop, (inner,))
        function = self.apart(function, inner)
        pieces = self.pieces(function)
        if len(pieces) < 2:
            return None
        function = self.outward(self.joined(function))
        facts = analyse(function, self.orders)
        small = frozenset(piece.label for piece in self.pieces(function) if self.is_small(piece, facts))
        return Panelled(function, small)

    def with_strip(self, function: Function, old: Loop, pieces: tuple[Stmt, ...]) -> Function:
        """The function with the loop, or its strips, holding these pieces."""
        return replace(function, body=_replaced(function.body, old.label, replace(self.strip.outer, body=pieces)))

    def pieces(self, function: Function) -> tuple[Loop, ...]:
        outer = next(found for found in loops_of(function.body) if found.label == self.strip.outer.label)
        return tuple(piece for piece in outer.body if isinstance(piece, Loop))

    # ------------------------------------------------------------------- cutting

    def cut(self, statements: tuple[Stmt, ...], inside: frozenset[str]) -> tuple[Stmt, ...]:
        """The statements with every loop cut where the strip ends, or begins.

        inside: variables that stay in the strip.
        """
        made: list[Stmt] = []
        for statement in statements:
            match statement:
                case Loop():
                    made += self.cut_loop(statement, inside)
                case If():
                    then, other = self.cut(statement.then, inside), self.cut(statement.other, inside)
                    made.append(replace(statement, then=then, other=other))
                case _:
                    made.append(statement)
        return tuple(made)

    def cut_loop(self, loop: Loop, inside: frozenset[str]) -> list[Stmt]:
        starts_in, stops_in = bool(names_in(loop.start) & inside), bool(names_in(loop.stop) & inside)
        first, end = self.strip.first, self.strip.end
        if loop.step != 1 or starts_in == stops_in:
            own = inside | {loop.var} if starts_in and stops_in else inside
            return [replace(loop, body=self.cut(loop.body, own))]
        if starts_in:  # k + 1 .. n: to the strip's end, and beyond it
            stop = end if same(loop.stop, self.strip.outer.stop) else Call("min", (end, loop.stop))
            near = replace(loop, stop=stop, body=self.cut(loop.body, inside | {loop.var}))
            start = end if self.reaches(loop.start) <= 1 else Call("max", (end, loop.start))
            far = replace(loop, start=start, body=self.cut(loop.body, inside))
            return [near, fresh(replace(far, comment=""), self.labels)]
        start = first if same(loop.start, self.strip.outer.start) else Call("max", (first, loop.start))
        far = replace(loop, stop=first, body=self.cut(loop.body, inside))  # 0 .. k: up to the strip, and in it
        near = replace(loop, start=start, body=self.cut(loop.body, inside | {loop.var}), comment="")
        return [far, fresh(near, self.labels)]

    def reaches(self, start: Expr) -> int:
        """How far past the strip's variable a start lies; a lot when nobody knows."""
        distance = integer(simplify(Binary("-", start, Name(self.strip.var))))
        return 1 << 30 if distance is None else distance

    # ------------------------------------------------------------------- fission

    def apart(self, function: Function, inner: Loop) -> Function:
        """Every statement that may gets a loop of its own, the innermost loops first; then the strip's loop as well."""
        for label in [loop.label for loop in reversed(list(loops_of(inner.body)))] + [inner.label]:
            old = next(loop for loop in loops_of(function.body) if loop.label == label)
            if len(worded(old.body)) < 2:
                continue
            groups = analyse(function, self.orders).fission(label)
            if len(groups) < 2:
                continue
            made: list[Stmt] = [replace(old, body=groups[0])]
            made += [fresh(replace(old, body=group, comment=""), self.labels) for group in groups[1:]]
            function = replace(function, body=_replaced(function.body, label, *made))
        return function

    def joined(self, function: Function) -> Function:
        """Loops that were cut apart and still go together in a piece, one again: then they can move out as one."""
        while True:
            facts = analyse(function, self.orders)
            pair = next((p for piece in self.pieces(function) for p in _fusable(piece.body, facts)), None)
            if pair is None:
                return function
            first, second = pair
            whole = replace(first, body=(*first.body, *second.body))
            function = replace(function, body=_replaced(_replaced(function.body, second.label), first.label, whole))

    # ----------------------------------------------------------- parallel loops out

    def outward(self, function: Function) -> Function:
        """Each piece with its parallel loops outermost."""
        while True:
            facts = analyse(function, self.orders)
            turned = next((t for piece in self.pieces(function) if (t := _turned(piece, facts)) is not None), None)
            if turned is None:
                return function
            old, new = turned
            function = replace(function, body=_replaced(function.body, old.label, new))

    def is_small(self, piece: Loop, facts: Facts) -> bool:
        """Whether a piece that goes in order keeps to the strip, so that one block is enough for it."""
        nest = loops_of((piece,))
        if facts.loop(piece.label).is_parallel:
            return False
        inside = {self.strip.first.name, self.strip.var, *(loop.var for loop in nest)}
        if not all(names_in(loop.start) & inside and names_in(loop.stop) & inside for loop in nest):
            return False
        return any(facts.loop(loop.label).kind != "sequential" for loop in nest)


def _replaced(statements: tuple[Stmt, ...], label: str, *made: Stmt) -> tuple[Stmt, ...]:
    """The statements with one loop replaced."""
    result: list[Stmt] = []
    for statement in statements:
        match statement:
            case Loop() if statement.label == label:
                result += made
            case Loop():
                result.append(replace(statement, body=_replaced(statement.body, label, *made)))
            case If():
                then, other = (_replaced(part, label, *made) for part in (statement.then, statement.other))
                result.append(replace(statement, then=then, other=other))
            case _:
                result.append(statement)
    return tuple(result)


def _fusable(statements: tuple[Stmt, ...], facts: Facts) -> list[tuple[Loop, Loop]]:
    """Neighbouring parallel loops of the same range that may be one loop."""
    own = [s for s in statements if not isinstance(s, Comment)]
    return [
        (first, second)
        for first, second in pairwise(own)
        if isinstance(first, Loop) and isinstance(second, Loop) and first.var == second.var
        and facts.loop(first.label).is_parallel and facts.loop(second.label).is_parallel
        and facts.can_fuse(first.label, second.label)
    ]  # fmt: skip


def _turned(loop: Loop, facts: Facts) -> tuple[Loop, Loop] | None:
    """A loop of the nest that stands around a parallel one, and the nest from there on with that one outside."""
    nest = chain(loop)
    for at, outer in enumerate(nest):
        if facts.loop(outer.label).is_parallel:
            continue
        for position in range(at + 1, len(nest)):
            inner, between = nest[position], nest[at:position]
            if facts.loop(inner.label).is_parallel and facts.can_move_out(outer.label, inner.label):
                body: tuple[Stmt, ...] = inner.body
                for header in reversed(between):
                    body = (replace(header, body=body),)
                return outer, replace(inner, body=body)
        return None
    return None
