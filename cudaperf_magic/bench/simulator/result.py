"""What a simulated run hands back: faults, costs by line and by launch, printed text. Frozen, standard library only."""

from __future__ import annotations

from dataclasses import dataclass

from cudaperf_magic.bench.plan import Dim3
from cudaperf_magic.records import Fault, LineCost
from cudaperf_magic.records_inspection import AccessMap


@dataclass(frozen=True)
class LaunchTotals:
    """One launch, or several alike, counted over the blocks that were traced. Bytes and sectors are of global memory.

    `dram_read_bytes` and `dram_write_bytes` come from a model of the L2 cache (50 MB, 16 ways): say so where shown.
    """

    kernel: str
    line: int
    grid: Dim3
    block: Dim3
    shared_bytes: int  # static and dynamic, a block
    times: int
    traced_blocks: int
    warps: int
    warp_instructions: int
    thread_instructions: int
    busiest_warp: int
    busiest_block: int
    barriers: int = 0
    barrier_slots: int = 0  # warp instructions that would fit between barriers, all warps as busy as the busiest
    barrier_lost: int = 0  # of them, those in which a warp waited
    requests: int = 0
    load_bytes: int = 0
    store_bytes: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    wavefronts: int = 0
    ideal_wavefronts: int = 0
    atomics: int = 0  # requests of a warp, in global and shared memory
    collisions: int = 0  # lanes beyond the first on one address of an atomic, the worst address of each request
    worst_collision: int = 0
    flops: int = 0
    dram_read_bytes: int = 0
    dram_write_bytes: int = 0

    @property
    def mean_warp(self) -> float:
        return self.warp_instructions / self.warps if self.warps else 0.0

    @property
    def mean_block(self) -> float:
        return self.warp_instructions / self.traced_blocks if self.traced_blocks else 0.0


@dataclass(frozen=True)
class AccessCost:
    """One instruction of the PTX that reads or writes memory, over all launches of its kernel."""

    kernel: str
    line: int
    space: str  # as the instruction names it; "generic" when it leaves it to the address
    operation: str  # load, store or atomic
    size_bytes: int  # a lane
    requests: int
    sectors: int  # of global memory
    wavefronts: int  # of shared memory


@dataclass(frozen=True)
class SimulatorResult:
    """`faults` empty means: none seen in the blocks that were traced (all of them with instrument="all")."""

    faults: tuple[Fault, ...] = ()
    lines: tuple[LineCost, ...] = ()
    launches: tuple[LaunchTotals, ...] = ()
    accesses: tuple[AccessCost, ...] = ()
    text: str = ""
    unique_bytes: int = 0  # of global memory, in whole sectors, touched at least once
    is_complete: bool = True  # False when a fault stopped the run
    # Only of an observed run:
    worst: tuple[AccessMap, ...] = ()  # the worst request of each line
    reached: tuple[tuple[str, int], ...] = ()  # of each buffer: one past the last byte that was accessed

    @property
    def dram_bytes(self) -> int:
        """Modelled traffic to memory beyond the L2 cache."""
        return sum(launch.dram_read_bytes + launch.dram_write_bytes for launch in self.launches)
