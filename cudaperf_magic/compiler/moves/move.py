"""What a move is: a rewrite of a program by a step, refused with a reason where it does not apply."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from cudaperf_magic.compiler.program import Nest, Program
from cudaperf_magic.compiler.schedule import Step

MOST_THREADS = 1024
WARP = 32


class Refused(Exception):
    """A move that does not apply; the text says why."""


@dataclass(frozen=True)
class Context:
    """What moves may know besides the program: how index arrays are ordered, and the sizes that will be measured.

    fills: whether those sizes fill a device that times what is proposed; options then suit a large GPU.
    """

    orders: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    fills: bool = False

    @property
    def blocks(self) -> int:
        """Over how many blocks a long range is worth sharing: eight for each of a large GPU's multiprocessors."""
        return 1024 if self.fills else 128


Change = Callable[[Program, Nest, Step, Context], Program]
Options = Callable[[Program, Nest, Context], Iterator[Step]]


@dataclass(frozen=True)
class Move:
    """A rewrite of one kernel's nest.

    helps: the properties that it is meant to raise, the first one most. teaches: what it does, in one sentence.
    change: makes it, or raises Refused. options: the steps worth trying on a nest.
    """

    name: str
    helps: tuple[str, ...]
    teaches: str
    change: Change
    options: Options


def with_decisions(program: Program, nest: Nest, **decisions: object) -> Program:
    """The program with fields of one nest set."""
    return program.changed(nest.name, lambda _: (replace(nest, **decisions),))  # type: ignore[arg-type]
