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
    WAS_WRITE,
    Context,
    Kind,
    Told,
    block_words,
    line_at,
    thread_words,
    who,
)
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
        more = ", and volatile does not order lanes" if volatile else ""
        return f"no __syncwarp() or barrier stands between{more}"
    return "no barrier stands between"


def _remedy(raw: native.Fault, context: Context, element: Element | None) -> str:
    here, there = line_at(context, raw.site), line_at(context, raw.other_site)
    array = element.array if element else "it"
    both_write = raw.flags & IS_WRITE and raw.flags & WAS_WRITE
    if raw.flags & SAME_VALUE:
        return "let one thread write it; the result is the same in any order"
    if raw.flags & OTHER_BLOCK:
        if both_write:
            return f"let one block own each element of {array}, or add with atomicAdd"
        return (
            f"write to a second array instead of {array}, or split the kernel in two: only the end of a launch "
            "makes all blocks wait"
        )
    if raw.flags & ATOMIC:
        atomic = "put __syncthreads() between" if not raw.flags & SAME_WARP else "put __syncwarp() between"
        return f"make both accesses atomic, or {atomic}{_lines(there, here)}"
    barrier = "__syncwarp()" if raw.flags & SAME_WARP else "__syncthreads()"
    if here == there and here:
        if both_write:
            return f"give each thread an element of its own, or combine with atomicAdd, or let one thread write {array}"
        return f"read into a variable of its own, then {barrier}, then write; and {barrier} before the next read"
    if here and there and there > here:
        return f"a loop comes back to line {here}: put {barrier} after line {there} too, at the end of the loop's body"
    return f"put {barrier} between{_lines(there, here)}"


def _lines(first: int | None, second: int | None) -> str:
    return f" line {first} and line {second}" if first and second and first != second else " the two accesses"
