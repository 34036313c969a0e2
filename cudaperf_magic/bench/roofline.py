"""Where a run stands below the roofs of its device (Williams, Waterman and Patterson, CACM 52, 2009): the task's own
operations, the bytes that the run moved, bandwidth and peak.

Operations are counted from the C (tasks/operations.py), so all kernels of a task have the same; what moves them along
the axis is the traffic. A task without floating-point arithmetic, or with an amount of it that the data decides, has no
roofline.
"""

from __future__ import annotations

from collections.abc import Sequence

from cudaperf_magic.bench.architectures import SECTOR_BYTES, Architecture, architecture
from cudaperf_magic.bench.measuring.floor import Ceilings
from cudaperf_magic.bench.properties import whole
from cudaperf_magic.bench.simulator.result import LaunchTotals
from cudaperf_magic.compiler.loops import Function
from cudaperf_magic.records import Case, Roofline, Task
from cudaperf_magic.tasks.c import function_of
from cudaperf_magic.tasks.operations import operations


def simulated_roofline(task: Task, case: Case, launches: Sequence[LaunchTotals], arch: str) -> Roofline | None:
    """Of a run on the simulator: sectors that its warps asked for, below the roofs of the data sheet."""
    if task.language != "c":
        return None
    moved = sum(launch.sectors * whole(launch) for launch in launches) * SECTOR_BYTES
    counted = _most(function_of(task), case)
    found = architecture(arch)
    peak = _data_sheet_peak(found, counted[0]) if counted else None
    if not moved or counted is None or not peak:
        return None
    kind, count = counted
    bandwidth, name = found.card.memory_gb_s, found.device
    return Roofline(count, kind, moved, "asked for, before any cache", bandwidth, peak, "data sheet", name)


def counted_roofline(function: Function, case: Case, dram_bytes: float | None, ceilings: Ceilings) -> Roofline | None:
    """Of a run on a device: bytes between L2 and memory that the counters saw, below what the card reached."""
    counted = _most(function, case)
    if not dram_bytes or counted is None or counted[0] not in ceilings.rates:
        return None
    kind, count = counted
    peak = ceilings.rates[kind] / 1e12
    bandwidth, moved_by = ceilings.copy_gb_s, "between L2 and memory, counted"
    return Roofline(count, kind, dram_bytes, moved_by, bandwidth, peak, "measured", ceilings.gpu)  # type: ignore[arg-type]


def _most(function: Function, case: Case) -> tuple[str, float] | None:
    """The type of which there is most arithmetic, and how much."""
    found = operations(function, case.size)
    kind = max(found, key=found.__getitem__, default="")
    return (kind, found[kind]) if kind and found[kind] > 0 else None


def _data_sheet_peak(found: Architecture, kind: str) -> float | None:
    return found.card.fp32_tflops if kind == "float32" else found.card.fp64_tflops
