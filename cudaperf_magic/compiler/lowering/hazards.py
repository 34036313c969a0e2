"""Where a block needs a barrier: between a thread's write and another thread's access to the same array.

By array, not by element: a barrier too many costs little, one too few is a race.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cudaperf_magic.compiler.analysis.usage import Usage


@dataclass
class Pending:
    """Accesses since the last barrier: by any thread (`reads`, `writes`), and by thread 0 alone (`own_*`)."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    own_reads: set[str] = field(default_factory=set)
    own_writes: set[str] = field(default_factory=set)

    def needs_barrier(self, found: Usage, alone: bool) -> bool:
        """Whether these accesses may meet pending ones of other threads."""
        writes, reads = set(self.writes), set(self.reads)
        if not alone:
            writes |= self.own_writes
            reads |= self.own_reads
        return bool(found.loads & writes or found.stores & (writes | reads))

    def clear(self) -> None:
        self.reads, self.writes, self.own_reads, self.own_writes = set(), set(), set(), set()

    def add(self, found: Usage, alone: bool) -> None:
        if alone:
            self.own_reads |= found.loads
            self.own_writes |= found.stores
        else:
            self.reads |= found.loads
            self.writes |= found.stores

    def copy(self) -> Pending:
        return Pending(set(self.reads), set(self.writes), set(self.own_reads), set(self.own_writes))

    def join(self, other: Pending) -> Pending:
        return Pending(
            self.reads | other.reads,
            self.writes | other.writes,
            self.own_reads | other.own_reads,
            self.own_writes | other.own_writes,
        )
