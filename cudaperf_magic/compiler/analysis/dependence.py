"""What each loop of a function allows: iterations in any order, a reduction, or one after the other, and why.

Assumed throughout: different pointer parameters do not overlap, signed sums do not overflow, subscripts stay inside
a declared inner dimension. What is not affine counts as any element. It rewrites nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from cudaperf_magic.compiler.analysis import bands
from cudaperf_magic.compiler.analysis.piece import Piece
from cudaperf_magic.compiler.analysis.reductions import Reduction
from cudaperf_magic.compiler.analysis.scalars import live_at_end
from cudaperf_magic.compiler.analysis.values import assigned_names
from cudaperf_magic.compiler.analysis.verdicts import Dependence, LoopFacts, judge
from cudaperf_magic.compiler.loops import Declare, Expr, Function, Stmt, walk

__all__ = ["Dependence", "Facts", "LoopFacts", "Reduction", "analyse", "analyse_statements"]


def analyse(function: Function, ranges: Mapping[str, str] | None = None) -> Facts:
    """The facts of every loop of the function.

    `ranges`: "ascending" or "permutation" for the integer arrays that are known to be so.
    """
    return _analysed(function, tuple(sorted((ranges or {}).items())))


@lru_cache(maxsize=128)  # moves ask the same of one nest again and again
def _analysed(function: Function, ranges: tuple[tuple[str, str], ...]) -> Facts:
    return Facts(function, function.body, live_at_end(function), dict(ranges))


def analyse_statements(
    statements: tuple[Stmt, ...],
    function: Function,
    live: frozenset[str] | None = None,
    ranges: Mapping[str, str] | None = None,
) -> Facts:
    """The same for a rewritten piece of the function. `live`: names read after the piece; None means all of them."""
    if live is None:
        declared = {s.name for s in walk(statements) if isinstance(s, Declare)}
        live = assigned_names(statements) | live_at_end(function) | declared
    return Facts(function, statements, live, dict(ranges or {}))


class Facts:
    """Facts about the loops of one piece of program, each worked out when first asked for."""

    def __init__(
        self, function: Function, statements: tuple[Stmt, ...], live: frozenset[str], orders: dict[str, str]
    ) -> None:
        self.piece = Piece(function, statements, live, orders)
        self._known: dict[str, LoopFacts] = {}

    @property
    def labels(self) -> tuple[str, ...]:
        """All loops, in program order."""
        return self.piece.labels

    def loop(self, label: str) -> LoopFacts:
        """The facts of the loop of that label; KeyError when there is none."""
        if label not in self._known:
            self._known[label] = judge(self.piece, label)
        return self._known[label]

    def distances(self, labels: tuple[str, ...]) -> tuple[tuple[int, ...], ...] | None:
        """The dependence distances of a band, outermost loop first, in iterations; None when they are not uniform."""
        return bands.distances(self.piece, labels)

    def can_interchange(self, outer_label: str, inner_label: str) -> bool:
        """Whether the two loops of a perfect nest may change places."""
        return bands.can_interchange(self.piece, outer_label, inner_label)

    def can_move_out(self, outer_label: str, inner_label: str) -> bool:
        """Whether a loop of a perfect nest may move out of all loops from the outer one on, their order kept."""
        return bands.can_move_out(self.piece, outer_label, inner_label)

    def fission(self, label: str) -> tuple[tuple[Stmt, ...], ...]:
        """The loop's body cut into groups, in a legal order, each of which may have a loop of its own."""
        return bands.fission(self.piece, label)

    def can_fuse(self, first_label: str, second_label: str) -> bool:
        """Whether two neighbouring loops with equal bounds may become one."""
        return bands.can_fuse(self.piece, first_label, second_label)

    def pivot_split(self, label: str) -> Expr | None:
        """An outer loop's variable such that the loop, cut before and after it, is parallel in every part."""
        return bands.pivot_split(self.piece, label)
