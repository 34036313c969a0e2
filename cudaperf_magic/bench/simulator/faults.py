"""Faults as the runtime counts them -> records.Fault in the words that a student understands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from cudaperf_magic.bench.plan import Dim3
from cudaperf_magic.bench.simulator import native
from cudaperf_magic.bench.simulator.access import SiteInfo
from cudaperf_magic.records import Fault

NONE = 0xFFFFFFFF
ALL = 0xFFFFFFFFFFFFFFFF
WAS_WRITE, IS_WRITE, SAME_VALUE, ATOMIC, OTHER_BLOCK, SAME_WARP = 1, 2, 4, 8, 16, 32
LIMIT_TIME, LIMIT_BLOCKS = 1, 2  # what ended an endless run
SAME_VALUE_WORDS = "both write the same value"
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


@dataclass(frozen=True)
class Extent:
    """A buffer in the arena: where it starts, its bytes, and the bytes of an element when that is known."""

    name: str
    start: int
    size: int
    itemsize: int = 0


@dataclass(frozen=True)
class Context:
    """What one launch's faults are told with."""

    kernel: str
    block: Dim3
    grid: Dim3
    sites: Sequence[SiteInfo]
    extents: Sequence[Extent]
    shared_bytes: int
    shared_gaps: tuple[tuple[int, int], ...]  # that the simulator leaves between arrays
    segment_lines: Sequence[int]
    text: Callable[[], str]


def tell(raw: native.Fault, context: Context) -> Fault:
    kind, message = _TELLERS[raw.kind](raw, context)
    other = _line(context, raw.other_site)
    line = _line(context, raw.site)
    if kind == "limit" and raw.kind == 14:
        line = context.segment_lines[raw.extra] if raw.extra < len(context.segment_lines) else None
        message = message.replace("{line}", f"line {line}" if line else "a loop")
    return Fault(
        kind=kind,
        message=message,
        line=line,
        other_line=other,
        kernel=context.kernel,
        block=place(raw.block, context.grid),
        thread=place(raw.thread, context.block) if raw.thread != NONE else None,
    )


def place(linear: int, extent: Dim3) -> Dim3:
    x, y, _ = extent
    return linear % x, linear // x % y, linear // x // y


def _line(context: Context, site: int) -> int | None:
    if site == NONE or site >= len(context.sites):
        return None
    return context.sites[site].line or None


def _at(place: Dim3) -> str:
    return f"({place[0]}, {place[1]}, {place[2]})"


def _thread(raw: native.Fault, context: Context) -> str:
    return f"thread {_at(place(raw.thread, context.block))} of block {_at(place(raw.block, context.grid))}"


def _verb(raw: native.Fault, context: Context) -> str:
    return {"load": "reads", "store": "writes", "atomic": "updates"}.get(context.sites[raw.site].operation, "touches")


def _element(extent: Extent, address: int, access: int) -> tuple[str, str]:
    """The element's name, as `x[7]`, and how many elements there are, in words."""
    size = extent.itemsize or access or 1
    index = (address - extent.start) // size
    return f"{extent.name}[{index}]", f"{extent.name} holds {extent.size // size} elements" + (
        "" if extent.itemsize else f" of {size} bytes"
    )


def _nearest(context: Context, address: int) -> Extent | None:
    def distance(extent: Extent) -> int:
        return max(extent.start - address, address - (extent.start + extent.size) + 1, 0)

    return min(context.extents, key=distance, default=None)


def _out_of_bounds(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    extent = _nearest(context, raw.address)
    who = _thread(raw, context)
    if raw.address < 4096:
        return "out_of_bounds", f"{who} {_verb(raw, context)} through a null pointer"
    if extent is None or abs(raw.address - extent.start) > max(1 << 20, 4 * extent.size):
        return "out_of_bounds", f"{who} {_verb(raw, context)} at an address far from every buffer"
    element, holds = _element(extent, raw.address, raw.extra)
    return "out_of_bounds", f"{who} {_verb(raw, context)} {element}, but {holds}"


def _shared_byte(address: int, context: Context) -> str:
    gaps = sum(end - start for start, end in context.shared_gaps if end <= address)
    return f"byte {address - gaps} of shared memory"


def _shared_bounds(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    if any(raw.address < end and raw.address + raw.extra > start for start, end in context.shared_gaps):
        return "out_of_bounds", f"{_thread(raw, context)} {_verb(raw, context)} past the end of a __shared__ array"
    who = f"{_thread(raw, context)} {_verb(raw, context)} {_shared_byte(raw.address, context)}"
    return "out_of_bounds", f"{who}, but the block has {context.shared_bytes} bytes"


def _local_bounds(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    return "out_of_bounds", f"{_thread(raw, context)} {_verb(raw, context)} past the end of its own local array"


def _misaligned(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    size = context.sites[raw.site].size
    who = f"{_thread(raw, context)} {_verb(raw, context)} {size} bytes at once"
    return "misaligned", f"{who} at an address that is not a multiple of {size}"


def _uninitialised_global(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    extent = _nearest(context, raw.address)
    element = _element(extent, raw.address, raw.extra)[0] if extent else "memory"
    return "uninitialised", f"{_thread(raw, context)} reads {element}, which nothing has written"


def _uninitialised_shared(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    return (
        "uninitialised",
        f"{_thread(raw, context)} reads {_shared_byte(raw.address, context)}, which nothing in its block has written",
    )


def _race(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    shared = raw.kind == 6
    where = _shared_byte(raw.address, context)
    if not shared:
        extent = _nearest(context, raw.address)
        where = _element(extent, raw.address, raw.extra)[0] if extent else "global memory"
    now = "writes" if raw.flags & IS_WRITE else "reads"
    before = "wrote" if raw.flags & WAS_WRITE else "read"
    if raw.other_thread == NONE:
        other = "a thread of another block" if raw.flags & OTHER_BLOCK else "another thread"
    elif raw.flags & OTHER_BLOCK and raw.other_block != ALL:
        other = (
            f"thread {_at(place(raw.other_thread, context.block))} of block {_at(place(raw.other_block, context.grid))}"
        )
    else:
        other = f"thread {_at(place(raw.other_thread, context.block))}"
    between = (
        "blocks run in any order, and nothing makes one wait for the other" if raw.flags & OTHER_BLOCK
        else "no __syncwarp() or barrier stands between" if raw.flags & SAME_WARP
        else "no barrier stands between"
    )  # fmt: skip
    line = _line(context, raw.other_site)
    there = f" at line {line}" if line else ""
    text = f"{_thread(raw, context)} {now} {where}, which {other} {before}{there}; {between}"
    if raw.flags & SAME_VALUE:
        text += f" ({SAME_VALUE_WORDS})"
    elif raw.flags & ATOMIC:
        text += " (one of the two is atomic, the other is not)"
    return ("shared_race" if shared else "global_race"), text


def _exited_lane(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    return (
        "divergence",
        f"{_thread(raw, context)} waits in a warp operation for lane {raw.address}, which has left the kernel",
    )


def _not_member(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    return (
        "divergence",
        f"{_thread(raw, context)} takes part in a warp operation whose mask 0x{raw.extra:08x} leaves its own lane out",
    )


def _missing_lane(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    who = f"{_thread(raw, context)} waits in a warp operation for lane {raw.address}"
    return "divergence", f"{who}, which never comes there (mask 0x{raw.extra:08x})"


def _exited_thread(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    who = f"{raw.address} threads of block {_at(place(raw.block, context.grid))}"
    return "divergence", f"{who} left the kernel before this barrier, which is for all threads"


def _two_barriers(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    line = _line(context, raw.other_site)
    who = f"threads of block {_at(place(raw.block, context.grid))}"
    return "divergence", f"{who} wait at different barriers, here and at line {line}; all must wait at the same one"


def _barrier_never(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    return "deadlock", f"{_thread(raw, context)} waits at a barrier that the rest of its block never reaches"


def _runaway(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    used_up = "processor time" if raw.flags & LIMIT_TIME else "steps"
    if raw.flags & LIMIT_BLOCKS:
        x, y, z = context.grid
        where = f"at block {_at(place(raw.block, context.grid))} of a grid of {x} x {y} x {z} blocks"
        return "limit", f"the limit of {used_up} is used up {where}; launch fewer blocks, and fewer times"
    who = f"{_thread(raw, context)} still runs at {{line}} when the limit of {used_up} is used up"
    return "limit", f"{who}: an endless loop, or threads that wait for each other"


def _trap(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    return "trap", f"{_thread(raw, context)} executes __trap()"


def _assert(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    said = context.text()[raw.address :].split("\n")[0].removeprefix("assertion failed: ")
    return "trap", f"{_thread(raw, context)} fails the assertion {said}"


def _printf(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    return "limit", f"{_thread(raw, context)} prints more than {raw.address} bytes"


def _wild(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    return "out_of_bounds", f"{_thread(raw, context)} {_verb(raw, context)} past the kernel's parameters"


def _not_landed(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    who = f"{_thread(raw, context)} reads {_shared_byte(raw.address, context)}"
    return "uninitialised", f"{who}, which cp.async has not brought yet; wait for the copy first"


def _too_many_arrive(raw: native.Fault, context: Context) -> tuple[Kind, str]:
    who = f"{_thread(raw, context)} arrives at a barrier"
    return "divergence", f"{who} at which enough threads have arrived already ({raw.extra} a phase)"


# In the order of faults.h.
_TELLERS: tuple[Callable[[native.Fault, Context], tuple[Kind, str]], ...] = (
    _out_of_bounds, _misaligned, _shared_bounds, _local_bounds, _uninitialised_global, _uninitialised_shared, _race,
    _race,
    _exited_lane, _not_member, _missing_lane, _exited_thread, _two_barriers, _barrier_never, _runaway, _trap, _assert,
    _printf, _wild, _not_landed, _too_many_arrive,
)  # fmt: skip
