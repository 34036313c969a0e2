"""Tells a race: which two threads, at which two lines, on which element, why nothing orders them, and what would."""

from __future__ import annotations

from cudaperf_magic.bench.simulator import native
from cudaperf_magic.bench.simulator.faults.context import (
    ALL,
    ATOMIC,
    IS_WRITE,
    NONE,
    OTHER_BLOCK,
    SAME_VALUE,
    SAME_WARP,
    WARP,
    WAS_WRITE,
    Context,
    Kind,
    Told,
    block_words,
    line_at,
    thread_words,
    total,
    who,
)
from cudaperf_magic.bench.simulator.faults.declared import loops
from cudaperf_magic.bench.simulator.faults.names import Element, buffer_element, nearest, shared_element

SHARED_RACE = 6  # of faults.h
SAME_VALUE_WORDS = "both write the same value"


def race(raw: native.Fault, context: Context) -> Told:
    is_shared = raw.kind == SHARED_RACE
    element = _element(raw, context, is_shared)
    name = f"{element.name} in shared memory" if element and is_shared else element.name if element else "memory"
    now = "writes" if raw.flags & IS_WRITE else "reads"
    before = "wrote" if raw.flags & WAS_WRITE else "read"
    line = line_at(context, raw.other_site)
    there = f" at line {line}" if line else ""
    message = (
        f"{who(raw, context)} {now} {name}, which {_other(raw, context)} {before}{there}; {_between(raw, context)}"
    )
    if raw.flags & SAME_VALUE:
        message += f" ({SAME_VALUE_WORDS})"
    elif raw.flags & ATOMIC:
        message += " (one of the two is atomic, the other is not)"
    kind: Kind = "shared_race" if is_shared else "global_race"
    return Told(kind, message, _remedy(raw, context, element))


def _element(raw: native.Fault, context: Context, is_shared: bool) -> Element | None:
    if is_shared:
        found = shared_element(raw.address, raw.extra, context)
        return found[0] if found else None
    extent = nearest(context.extents, raw.address)
    return buffer_element(extent, raw.address, raw.extra, context) if extent else None


def _other(raw: native.Fault, context: Context) -> str:
    if raw.other_thread == NONE:
        return "a thread of another block" if raw.flags & OTHER_BLOCK else "another thread"
    other = thread_words(raw.other_thread, context)
    if raw.flags & OTHER_BLOCK and raw.other_block != ALL:
        return f"{other} of {block_words(raw.other_block, context)}"
    return other


def _between(raw: native.Fault, context: Context) -> str:
    if raw.flags & OTHER_BLOCK:
        return "blocks run in any order, and nothing makes one wait for the other"
    if raw.flags & SAME_WARP:
        volatile = context.sites[raw.site].is_volatile and raw.other_site < len(context.sites)
        meets = any(site.operation == "collective" and not site.orders_lanes for site in context.sites)
        more = (
            ", and volatile does not order lanes" if volatile
            else ", and shuffles and votes order no memory" if meets
            else ""
        )  # fmt: skip
        return f"no __syncwarp() or barrier stands between{more}"
    return "no barrier stands between"


def _remedy(raw: native.Fault, context: Context, element: Element | None) -> str:
    here, there = line_at(context, raw.site), line_at(context, raw.other_site)
    array = element.array if element else "it"
    both_write = raw.flags & IS_WRITE and raw.flags & WAS_WRITE
    if raw.flags & SAME_VALUE:
        return "let one thread write it; the result is the same in any order"
    if raw.flags & OTHER_BLOCK:
        return _between_blocks(array, bool(both_write) or here == there, context)
    is_narrow = raw.flags & SAME_WARP and not (raw.flags & ATOMIC and total(context.block) > WARP)
    barrier = "__syncwarp()" if is_narrow else "__syncthreads()"
    if raw.flags & ATOMIC:
        return f"make both accesses atomic, or {meet(barrier, here, there, context)}"
    if here == there and here and both_write:
        return f"give each thread an element of its own, or combine with atomicAdd, or let one thread write {array}"
    if here == there and here:
        return (
            f"if threads add to one element, use atomicAdd; else read into a variable, then {barrier}, then write, "
            f"and {barrier} before the next read"
        )
    return meet(barrier, here, there, context)


def _between_blocks(array: str, is_sum: bool, context: Context) -> str:
    if is_sum:
        return f"let one block own each element of {array}, or add with atomicAdd"
    flag = ""
    if any(site.operation == "atomic" or site.is_strong for site in context.sites):
        flag = "; where a flag or counter hands it over, __threadfence() belongs before that"
    return (
        f"write to a second array instead of {array}, or split the kernel in two: only the end of a launch makes all "
        f"blocks wait{flag}"
    )


def meet(barrier: str, here: int | None, there: int | None, context: Context) -> str:
    """Where the threads should meet: between the two lines of the text, and in a loop also before it comes back."""
    if not here or not there or here == there:
        return f"put {barrier} between the two accesses"
    first, last = sorted((here, there))
    said = f"put {barrier} between line {first} and line {last}"
    if any(start <= first and last <= end for start, end in loops(context.source)):
        said += f"; the loop comes back to line {first}, so another one belongs after line {last}"
    return said
