"""Tells where threads that must meet do not: warp operations without their lanes, barriers without their threads."""

from __future__ import annotations

from cudaperf_magic.bench.simulator import native
from cudaperf_magic.bench.simulator.faults.context import (
    DIVERGED,
    NONE,
    WARP,
    Context,
    Told,
    block_words,
    counted,
    line_at,
    thread_words,
    total,
    who,
)

# PTX -> what a CUDA program calls it.
_CALLED = {
    ("shfl", "up"): "__shfl_up_sync", ("shfl", "down"): "__shfl_down_sync", ("shfl", "bfly"): "__shfl_xor_sync",
    ("shfl", "idx"): "__shfl_sync", ("vote", "any"): "__any_sync", ("vote", "all"): "__all_sync",
    ("vote", "ballot"): "__ballot_sync", ("match", "any"): "__match_any_sync", ("match", "all"): "__match_all_sync",
    ("bar", "warp"): "__syncwarp", ("barrier", "warp"): "__syncwarp",
    ("bar", "popc"): "__syncthreads_count", ("barrier", "popc"): "__syncthreads_count",
    ("bar", "and"): "__syncthreads_and", ("barrier", "and"): "__syncthreads_and",
    ("bar", "or"): "__syncthreads_or", ("barrier", "or"): "__syncthreads_or",
}  # fmt: skip


def called(raw: native.Fault, context: Context, site: int = NONE) -> str:
    """The function of the site: `__shfl_down_sync()`, `__syncthreads()`."""
    number = raw.site if site == NONE else site
    if number >= len(context.sites):
        return "a warp operation"
    info = context.sites[number]
    head = info.opcode[0] if info.opcode else ""
    for part in info.opcode[1:]:
        if (head, part) in _CALLED:
            return f"{_CALLED[head, part]}()"
    if head in ("bar", "barrier"):
        return "a named barrier" if info.orders_warps else "__syncthreads()"
    return f"{'.'.join(info.opcode)}" if head else "a warp operation"


def exited_lane(raw: native.Fault, context: Context) -> Told:
    function = called(raw, context)
    return Told(
        DIVERGED,
        f"{who(raw, context)} waits in {function} for lane {raw.address}, which has left the kernel",
        f"let every lane of the mask 0x{raw.extra:08x} come to {function}: no return before it, or a smaller mask",
    )


def not_member(raw: native.Fault, context: Context) -> Told:
    function, lane = called(raw, context), raw.thread % WARP
    return Told(
        DIVERGED,
        f"{who(raw, context)} calls {function} with the mask 0x{raw.extra:08x}, which leaves its own lane {lane} out",
        f"call {function} only in lanes that its mask names, or add lane {lane} to the mask",
    )


def missing_lane(raw: native.Fault, context: Context) -> Told:
    function, lane = called(raw, context), raw.address
    segment = raw.flags
    line = context.segment_lines[segment] if segment < len(context.segment_lines) else 0
    here = line_at(context, raw.site)
    elsewhere = f"; that lane is at line {line}" if line and line != here else ""
    if line == here and line:
        message = f"{who(raw, context)} calls {function} with the mask 0x{raw.extra:08x}"
        message += f", but lane {lane}, which it names, comes with another mask"
        return Told(DIVERGED, message, "let all lanes that meet give the same mask")
    return Told(
        DIVERGED,
        f"{who(raw, context)} waits in {function} for lane {lane}, which never comes there{elsewhere} "
        f"(mask 0x{raw.extra:08x})",
        f"move {function} out of the branch, or name in its mask only the lanes that come: "
        "__ballot_sync(mask, condition) before the branch",
        other_line=line if elsewhere else None,
    )


def exited_thread(raw: native.Fault, context: Context) -> Told:
    left = counted(raw.address, "thread")
    first = f", {thread_words(raw.other_thread, context)} among them," if raw.other_thread != NONE else ""
    waits = f", and {thread_words(raw.thread, context)} waits" if raw.thread != NONE else ""
    message = f"{left} of {block_words(raw.block, context)}{first} left the kernel before this barrier"
    return Told(
        DIVERGED,
        f"{message}, which is for all threads{waits}; GPUs since Volta go on without those, older ones may hang",
        f"let every thread come to {called(raw, context)}: no branch around it, and before it not `if (i >= n) "
        "return;`, but the work inside `if (i < n)`",
    )


def two_barriers(raw: native.Fault, context: Context) -> Told:
    line = line_at(context, raw.other_site)
    others = f" ({thread_words(raw.other_thread, context)})" if raw.other_thread != NONE else ""
    mine = f" ({thread_words(raw.thread, context)})"
    return Told(
        DIVERGED,
        f"threads of {block_words(raw.block, context)} wait at different barriers: here{mine}, at line {line}{others}"
        "; all must wait at the same one",
        f"move {called(raw, context)} out of the branch: all {counted(total(context.block), 'thread')} come to one",
    )


def too_many_arrive(raw: native.Fault, context: Context) -> Told:
    return Told(
        DIVERGED,
        f"{who(raw, context)} arrives at a barrier at which enough threads have arrived already ({raw.extra} a phase)",
        "initialise the barrier with the number of threads that arrive at it in each phase",
    )
