"""Tells why a run ended early: deadlock, a limit that is used up, a trap, a failed assertion, too much text."""

from __future__ import annotations

from cudaperf_magic.bench.simulator import native
from cudaperf_magic.bench.simulator.faults.context import (
    LIMIT_BLOCKS,
    LIMIT_TIME,
    LIMIT_UNSTARTED,
    NONE,
    Context,
    Told,
    block_words,
    counted,
    line_at,
    thread_words,
    total,
    who,
)


def barrier_never(raw: native.Fault, context: Context) -> Told:
    came = (
        f"{raw.address:,} of {raw.extra:,} threads have come" if raw.extra else "the rest of its block never reaches it"
    )
    message = f"{who(raw, context)} waits at a barrier that the rest of its block never reaches"
    if raw.extra:
        message += f": {came}"
    line = line_at(context, raw.other_site)
    if line and raw.other_thread != NONE:
        message += f", and {thread_words(raw.other_thread, context)} waits at another, at line {line}"
    return Told(
        "deadlock",
        message,
        "let all threads that the barrier counts come to it, and give the same number of threads at every place",
    )


def runaway(raw: native.Fault, context: Context) -> Told:
    used_up = "processor time" if raw.flags & LIMIT_TIME else "steps"
    if raw.flags & LIMIT_BLOCKS:
        x, y, z = context.grid
        where = f"at {block_words(raw.block, context)} of a grid of {x} x {y} x {z} blocks"
        return Told(
            "limit",
            f"the limit of {used_up} is used up {where}; launch fewer blocks, and fewer times",
            "let each thread do more, in a loop that strides over the data",
        )
    line = (context.segment_lines[raw.extra] if raw.extra < len(context.segment_lines) else 0) or None
    place = f"line {line}" if line else "a loop"
    message = f"{who(raw, context)} still runs at {place} when the limit of {used_up} is used up"
    if line is None or not _waits_at(line, context):
        return Told(
            "limit",
            f"{message}: an endless loop, or threads that wait for each other",
            "check what ends the loop: which variable changes in it, and whether it can jump over the end",
            line=line,
        )
    if raw.flags & LIMIT_UNSTARTED:
        return Told(
            "limit",
            f"{message}: it waits for what another thread must write, "
            f"and {counted(raw.address, 'block')} have not started, perhaps not before others end",
            "let no block wait for a later one: launch cooperatively (grid.sync()), or split the kernel in two",
            line=line,
        )
    return Told(
        "limit",
        f"{message}: it waits for what another thread must write; perhaps they are threads that wait for each other",
        "let whom it waits for go on: no lock is held at a barrier or __syncwarp(), and every lock is released",
        line=line,
    )


def astray(raw: native.Fault, context: Context) -> Told:
    return Told(
        "trap",
        f"{who(raw, context)} calls through a pointer that leads to no function of this type, or back to a running one",
        "set the pointer, or make the object of a virtual function, in device code before the call; do not recurse",
    )


def _waits_at(line: int, context: Context) -> bool:
    """Whether the line looks at memory in a way that sees what others write."""
    return any(
        s.line == line and s.space != "local" and (s.operation == "atomic" or (s.is_strong and s.operation == "load"))
        for s in context.sites
    )


def trap(raw: native.Fault, context: Context) -> Told:
    return Told("trap", f"{who(raw, context)} executes __trap()", "find out which condition led here")


def failed_assertion(raw: native.Fault, context: Context) -> Told:
    said = context.text()[raw.address :].split("\n")[0].removeprefix("assertion failed: ")
    return Told(
        "trap", f"{who(raw, context)} fails the assertion {said}", "print the values that it compares, for this thread"
    )


def printed_too_much(raw: native.Fault, context: Context) -> Told:
    return Told(
        "limit",
        f"{who(raw, context)} prints more than {raw.address} bytes",
        f"print from one of the {total(context.grid) * total(context.block):,} threads: "
        "if (threadIdx.x == 0 && blockIdx.x == 0)",
    )
