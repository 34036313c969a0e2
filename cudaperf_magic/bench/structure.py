"""What was counted of a run becomes the Structure: the seven properties that apply, and what each line costs.

It counts nothing itself: the simulator does, and `properties.py` says what the counts mean. What a GPU counted becomes
a structure in `counters/counted.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from cudaperf_magic.bench import properties
from cudaperf_magic.bench.architectures import Architecture
from cudaperf_magic.bench.properties import Resources
from cudaperf_magic.bench.simulator.result import LaunchTotals
from cudaperf_magic.records import Case, LineCost, Structure, Task


def structure(
    launches: Sequence[LaunchTotals],
    lines: Sequence[LineCost],
    arch: Architecture,
    *,
    resources: Resources,
    compulsory_bytes: int,
    case: Case | None = None,
) -> Structure:
    """The structure of one run. Several launches count by their work (warp instructions) or by their sectors.

    Args:
        launches: what each launch cost, over the blocks that were traced.
        lines: what each source line cost, over the same blocks.
        resources: what ptxas said of each kernel.
        compulsory_bytes: what must be moved once at least; see `compulsory`.
    """
    lines = sorted(lines, key=lambda line: line.line)  # of two that cost the same, the first is named
    accesses = [line for line in lines if line.sectors]
    found = (
        properties.coalescing(accesses),
        properties.occupancy_of(launches, resources, arch),
        properties.intensity(launches, accesses, compulsory_bytes),
        properties.synchronisation(launches, lines),
        properties.divergence(launches, [line for line in lines if line.executions]),
        properties.shared(launches, [line for line in lines if line.shared_wavefronts]),
        properties.balance(launches, arch),
    )
    runs = sum(launch.times for launch in launches)
    return Structure(tuple(p for p in found if p is not None), tuple(lines), runs, case)


def compulsory(task: Task, sizes_bytes: dict[str, int]) -> int:
    """Bytes that any kernel must move: each input read once, each output written once, `inout` both.

    Args:
        sizes_bytes: of each pointer argument, for the case that was run.
    """
    passes = {"in": 1, "out": 1, "inout": 2}
    return sum(passes[argument.role] * sizes_bytes.get(argument.name, 0) for argument in task.arrays)
