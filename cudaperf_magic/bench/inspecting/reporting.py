"""What was counted of a watched run, as the records that a report shows. It counts nothing itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

from cudaperf_magic.bench.architectures import SECTOR_BYTES, Architecture
from cudaperf_magic.bench.occupancy_advice import occupancy_report
from cudaperf_magic.bench.plan import Allocate, LaunchPlan
from cudaperf_magic.bench.properties import whole
from cudaperf_magic.bench.simulator.result import LaunchTotals, SimulatorResult
from cudaperf_magic.bench.structure import structure
from cudaperf_magic.records import KernelResources, Structure
from cudaperf_magic.records_inspection import ArrayMade, LaunchReport

Resources = Mapping[str, KernelResources]


def launch_reports(result: SimulatorResult, resources: Resources, arch: Architecture) -> tuple[LaunchReport, ...]:
    return tuple(_launch(launch, resources, arch) for launch in result.launches)


def _launch(launch: LaunchTotals, resources: Resources, arch: Architecture) -> LaunchReport:
    own = resources.get(launch.kernel, KernelResources(launch.kernel, 0, 0, 0))

    def all_of(count: int) -> int:
        """What was counted over the traced blocks, for all blocks of all launches."""
        return round(count * whole(launch))

    return LaunchReport(
        kernel=launch.kernel,
        line=launch.line,
        grid=launch.grid,
        block=launch.block,
        times=launch.times,
        shared_bytes=launch.shared_bytes,
        resources=own,
        occupancy=occupancy_report(arch, prod(launch.block), own.registers, launch.shared_bytes),
        traced_blocks=launch.traced_blocks,
        blocks=prod(launch.grid) * launch.times,
        warp_instructions=all_of(launch.warp_instructions),
        thread_instructions=all_of(launch.thread_instructions),
        requested_bytes=all_of(launch.load_bytes + launch.store_bytes),
        sector_bytes=all_of(launch.sectors) * SECTOR_BYTES,
        l2_bytes=launch.l2_bytes,
        dram_read_bytes=launch.dram_read_bytes,
        dram_write_bytes=launch.dram_write_bytes,
        flops=all_of(launch.flops),
        barriers=all_of(launch.barriers),
        atomics=all_of(launch.atomics),
        dirty_bytes=launch.dirty_bytes,
        l1_hit_rate=launch.l1_hit_rate,
        l2_hit_rate=launch.l2_hit_rate,
        local_bytes=all_of(launch.local_sectors) * SECTOR_BYTES,
    )


def structure_of(result: SimulatorResult, resources: Resources, arch: Architecture) -> Structure:
    """The seven properties. Without a reference, the bytes that must be moved are those that were touched at all."""
    return structure(result.launches, result.lines, arch, resources=resources, compulsory_bytes=result.compulsory_bytes)


def workspaces(plan: LaunchPlan) -> Iterable[ArrayMade]:
    sizes: dict[str, int] = {}
    for step in plan.steps:
        if isinstance(step, Allocate):
            sizes[step.buffer] = max(sizes.get(step.buffer, 0), step.size_bytes)
    return (ArrayMade(name, "bytes", size, "workspace", "cudaMalloc") for name, size in sizes.items())
