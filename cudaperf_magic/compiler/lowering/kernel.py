"""What lowering makes of a nest: one kernel's statements with its launch, ready to be printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import wrap

from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.loops import (
    Comment,
    Declare,
    Expr,
    Name,
    Shared,
    Stmt,
    Symbols,
    expressions,
    walk,
    walk_expression,
)
from cudaperf_magic.compiler.lowering.snippets import Snippet
from cudaperf_magic.compiler.program import Nest

BUILT_IN = ("threadIdx.", "blockIdx.", "blockDim.", "gridDim.")


@dataclass(frozen=True)
class Kernel:
    """`counts` are the points along each axis: with none of them above zero there is nothing to launch.

    shared_bytes: shared memory of a size that only the launch knows; None for none.
    """

    nest: Nest
    body: tuple[Stmt, ...]
    grid: tuple[Expr, ...]
    block: tuple[int, ...]
    counts: tuple[Expr, ...] = ()
    snippets: tuple[Snippet, ...] = field(default=())
    shared_bytes: Expr | None = None

    @property
    def name(self) -> str:
        return self.nest.name


def declared_locals(body: tuple[Stmt, ...], symbols: Symbols, given: set[str]) -> tuple[Stmt, ...]:
    """Declarations for the scalars that the body assigns and nobody declares or passes in."""
    touched = usage(body)
    missing = sorted(touched.assigned - touched.declared - given - touched.exposed)
    return tuple(Declare(name, symbols.types[name]) for name in missing if name in symbols.types)


def names_read(body: tuple[Stmt, ...]) -> set[str]:
    """Scalar names that the statements mention and do not declare, built-ins left out."""
    local = {s.name for s in walk(body) if isinstance(s, (Declare, Shared))}
    local |= {s.var for s in walk(body) if hasattr(s, "var")}
    found: set[str] = set()
    for statement in walk(body):
        for expression in expressions(statement):
            found |= {e.name for e in walk_expression(expression) if isinstance(e, Name)}
    return {name for name in found if name not in local and not name.startswith(BUILT_IN)}


def teaching(nest: Nest) -> tuple[Stmt, ...]:
    """The moves' sentences, in lines that fit a page."""
    return tuple(Comment("\n".join(wrap(sentence, 100))) for sentence in nest.comments)
