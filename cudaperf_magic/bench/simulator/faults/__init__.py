"""Faults as the runtime counts them -> records.Fault in the words that a student understands: `tell`.

Each module tells some kinds: memory.py, races.py, meetings.py, endings.py. names.py finds what the person calls a place
in memory. Whether a fault matters is verify.py's to say.
"""

from __future__ import annotations

from collections.abc import Callable

from cudaperf_magic.bench.simulator import native
from cudaperf_magic.bench.simulator.faults import endings, meetings, memory, races
from cudaperf_magic.bench.simulator.faults.context import (
    ALL,
    NONE,
    Context,
    Extent,
    SharedArray,
    Told,
    line_at,
    place,
)
from cudaperf_magic.bench.simulator.faults.races import SAME_VALUE_WORDS, SHARED_RACE
from cudaperf_magic.records import Fault

__all__ = ("SAME_VALUE_WORDS", "SHARED_RACE", "Context", "Extent", "SharedArray", "place", "tell")


def tell(raw: native.Fault, context: Context) -> Fault:
    told = _TELLERS[raw.kind](raw, context)
    block = place(raw.block, context.grid)
    other_thread = other_block = None
    if raw.other_thread != NONE:
        other_thread = place(raw.other_thread, context.block)
        other_block = place(raw.other_block, context.grid) if raw.other_block != ALL else block
    return Fault(
        kind=told.kind,
        message=told.message,
        line=told.line or line_at(context, raw.site),
        other_line=told.other_line or line_at(context, raw.other_site),
        kernel=context.kernel,
        block=block,
        thread=place(raw.thread, context.block) if raw.thread != NONE else None,
        other_block=other_block,
        other_thread=other_thread,
        remedy=told.remedy,
    )


# In the order of faults.h.
_TELLERS: tuple[Callable[[native.Fault, Context], Told], ...] = (
    memory.out_of_bounds, memory.misaligned, memory.shared_bounds, memory.local_bounds, memory.uninitialised_global,
    memory.uninitialised_shared, races.race, races.race,
    meetings.exited_lane, meetings.not_member, meetings.missing_lane, meetings.exited_thread, meetings.two_barriers,
    endings.barrier_never, endings.runaway, endings.trap, endings.failed_assertion, endings.printed_too_much,
    memory.wild, memory.not_landed, meetings.too_many_arrive, endings.astray,
)  # fmt: skip
