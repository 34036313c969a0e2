"""Whether what a kernel reads of an array lies apart from what it writes there, though both are one array.

A trailing update of LU reads two panels of the matrix that it changes elsewhere. The dependence analysis is asked; only
reads that are sure to meet no write of the whole kernel lie apart, whatever the order.
"""

from __future__ import annotations

from collections.abc import Collection

from cudaperf_magic.compiler.loops import Load
from cudaperf_magic.compiler.lowering.footprint import planes_apart
from cudaperf_magic.compiler.lowering.lower import nest_facts
from cudaperf_magic.compiler.program import Nest, Program


def reads_apart(program: Program, nest: Nest, array: str, loads: Collection[Load]) -> bool:
    """Whether none of these loads ever reads an element that some thread of the nest writes."""
    if planes_apart(array, nest.body):
        return True
    if not nest.loops:
        return False
    piece = nest_facts(program, nest, {}).piece
    label = nest.loops[0].label
    region = piece.region(label)
    accesses = [access for access in piece.inside(label) if access.array == array]
    reads = [access for access in accesses if not access.is_write and access.original in loads]
    writes = [access for access in accesses if access.is_write]
    if {access.original for access in reads} != set(loads):
        return False  # the analysis has not seen one of them
    return not any(region.meet(read, write, "") for read in reads for write in writes)
