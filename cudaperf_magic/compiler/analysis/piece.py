"""A piece of program prepared for questions: its accesses, the loops around each, and what is read afterwards.

It answers no question itself: verdicts.py judges single loops, bands.py pairs and bands of them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from cudaperf_magic.compiler.analysis.accesses import Access, record
from cudaperf_magic.compiler.analysis.conflicts import Region
from cudaperf_magic.compiler.analysis.scalars import live_after
from cudaperf_magic.compiler.analysis.subscripts import Shaped
from cudaperf_magic.compiler.analysis.values import Typing
from cudaperf_magic.compiler.loops import Declare, Function, Loop, Stmt, walk


class Piece:
    """Statements of a function. `live`: names read after them; `orders`: integer arrays known to ascend or permute."""

    def __init__(
        self, function: Function, statements: tuple[Stmt, ...], live: frozenset[str], orders: dict[str, str]
    ) -> None:
        self.function = function
        self.statements = statements
        self.orders = orders
        self.typing = Typing.of(replace(function, body=(*function.body, *statements))).settling(statements)
        walked = record(statements, self.typing)
        self.accesses, self.around, self.paths = walked.accesses, walked.around, walked.paths
        self.live_after = live_after(statements, live)

    @cached_property
    def shaped(self) -> Shaped:
        return Shaped(self.accesses, self.statements, self.typing)

    @cached_property
    def leniently_shaped(self) -> Shaped:
        """The same, taking rows of a flat array not to overlap where nothing says so."""
        return Shaped(self.accesses, self.statements, self.typing, is_lenient=True)

    @property
    def labels(self) -> tuple[str, ...]:
        """All loops, in program order."""
        return tuple(self.around)

    def tree(self, label: str) -> Loop:
        """The loop itself."""
        loop = self.around[label][-1].loop
        if loop is None:
            raise KeyError(label)
        return loop

    def region(self, label: str, is_lenient: bool = False) -> Region:
        """The loop as a region: what lies around it is fixed."""
        shaped = self.leniently_shaped if is_lenient else self.shaped
        return Region(self.typing, shaped, self.around[label][:-1], (self.tree(label),), self.orders)

    def inside(self, label: str) -> tuple[Access, ...]:
        """Accesses in the loop to arrays that it writes and does not itself declare."""
        body = self.tree(label).body
        local = {s.name for s in walk(body) if isinstance(s, Declare) and s.shape}
        found = [a for a in self.accesses if a.inside(label) and a.array not in local]
        written = {a.array for a in found if a.is_write}
        return tuple(a for a in found if a.array in written)
