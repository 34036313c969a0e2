"""What a launch's faults are told with, and the words for threads, lines and accesses. Tells no fault itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from cudaperf_magic.bench.plan import Dim3
from cudaperf_magic.bench.simulator import native
from cudaperf_magic.bench.simulator.access import SiteInfo
from cudaperf_magic.bench.simulator.faults.declared import Declared, declared_arrays, parameter_names

# In the order and with the values of faults.h.
NONE = 0xFFFFFFFF
ALL = 0xFFFFFFFFFFFFFFFF
WAS_WRITE, IS_WRITE, SAME_VALUE, ATOMIC, OTHER_BLOCK, SAME_WARP = 1, 2, 4, 8, 16, 32
LIMIT_TIME, LIMIT_BLOCKS, LIMIT_UNSTARTED = 1, 2, 4
Kind = Literal[
    "out_of_bounds",
    "uninitialised",
    "misaligned",
    "shared_race",
    "global_race",
    "divergence",
    "deadlock",
    "trap",
    "limit",
]
DIVERGED: Kind = "divergence"
WARP = 32


@dataclass(frozen=True)
class Extent:
    """A buffer in the arena: where it starts, its bytes, and the bytes of an element when that is known."""

    name: str
    start: int
    size: int
    itemsize: int = 0


@dataclass(frozen=True)
class SharedArray:
    """A __shared__ array by its name in PTX: its place in the simulated shared memory, its bytes."""

    symbol: str
    start: int
    size: int
    is_dynamic: bool = False


@dataclass(frozen=True)
class Context:
    """What one launch's faults are told with. `freed` are buffers that are not there (any more); `races` the launch's
    races in shared memory, which may be why other memory is read too early."""

    kernel: str
    block: Dim3
    grid: Dim3
    sites: Sequence[SiteInfo]
    extents: Sequence[Extent]
    freed: Sequence[Extent]
    shared: Sequence[SharedArray]
    segment_lines: Sequence[int]
    text: Callable[[], str]
    arguments: Sequence[str] = ()  # the buffer that each of the kernel's parameters points to the start of, or ""
    source: str = ""
    races: Sequence[native.Fault] = ()

    @cached_property
    def parameters(self) -> dict[str, str]:
        """What the kernel calls a buffer, where that is one name."""
        names = parameter_names(self.source, self.kernel)
        pairs = [pair for pair in zip(self.arguments, names, strict=False) if all(pair)]
        return {buffer: name for buffer, name in pairs if [b for b, _ in pairs].count(buffer) == 1}

    @cached_property
    def declared(self) -> tuple[Declared, ...]:
        """The arrays that the kernel's text declares; none when there is no text to read."""
        return declared_arrays(self.source, self.kernel)


@dataclass(frozen=True)
class Told:
    """A fault in words. `line` and `other_line` only when they are not those of the fault's two accesses."""

    kind: Kind
    message: str
    remedy: str = ""
    line: int | None = None
    other_line: int | None = None


def place(linear: int, extent: Dim3) -> Dim3:
    x, y, _ = extent
    return linear % x, linear // x % y, linear // x // y


def line_at(context: Context, site: int) -> int | None:
    if site == NONE or site >= len(context.sites):
        return None
    return context.sites[site].line or None


def thread_words(thread: int, context: Context) -> str:
    return "thread ({}, {}, {})".format(*place(thread, context.block))


def block_words(block: int, context: Context) -> str:
    return "block ({}, {}, {})".format(*place(block, context.grid))


def who(raw: native.Fault, context: Context) -> str:
    return f"{thread_words(raw.thread, context)} of {block_words(raw.block, context)}"


def verb(raw: native.Fault, context: Context) -> str:
    return {"load": "reads", "store": "writes", "atomic": "updates"}.get(context.sites[raw.site].operation, "touches")


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def total(extent: Dim3) -> int:
    return extent[0] * extent[1] * extent[2]
