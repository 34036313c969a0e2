"""What a simulated run hands back: faults, costs by line and by launch, printed text. Frozen, standard library only."""

from __future__ import annotations

from dataclasses import dataclass

from cudaperf_magic.bench.plan import Dim3
from cudaperf_magic.records import Fault, LineCost
from cudaperf_magic.records_inspection import AccessMap

SECTOR_BYTES = 32


@dataclass(frozen=True)
class Costliest:
    """The source line of a kernel that has most of something; 0: none has any, or its line is not known."""

    issued: int = 0  # warp instructions
    waited: int = 0  # issue slots lost at a barrier
    collided: int = 0  # collisions of atomics
    read_again: int = 0  # words that another warp of the block read too


@dataclass(frozen=True)
class LaunchTotals:
    """One launch, or several alike, counted over the blocks that were traced. Bytes and sectors are of global memory.

    Those of `l1_*`, `l2_*`, `dram_*` and `dirty_bytes` come from a model of the caches (cache.c): say so where shown.
    With sampled blocks the model has seen only these.
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
    local_requests: int = 0  # of arrays and spilled values that a thread keeps in memory, loads and stores
    local_sectors: int = 0
    wavefronts: int = 0
    ideal_wavefronts: int = 0
    atomics: int = 0  # requests of a warp, in global and shared memory
    collisions: int = 0  # lanes beyond the first on one address of an atomic, the worst address of each request
    combined_collisions: int = 0  # of them, those that cost nothing: one lane does it for all, and waits once
    worst_collision: int = 0
    warp_words: int = 0  # of 4 bytes, read from global memory in blocks of several warps: each once a warp
    again_words: int = 0  # of them, those that another warp of the block had read: what a shared copy would spare
    met_words: int = 0  # words that several warps of a block read: each once a block
    costliest: Costliest = Costliest()
    flops: int = 0
    l1_sectors: int = 0  # that loads looked for in L1
    l1_hits: int = 0
    l2_read_sectors: int = 0
    l2_read_hits: int = 0
    l2_write_sectors: int = 0
    l2_atomic_sectors: int = 0
    dram_read_bytes: int = 0
    dram_write_bytes: int = 0  # that had to leave L2 during the launch
    dirty_bytes: int = 0  # in L2 after the launch, still to be written

    @property
    def l1_hit_rate(self) -> float | None:
        """Of the sectors that loads looked for; None when there was none."""
        return self.l1_hits / self.l1_sectors if self.l1_sectors else None

    @property
    def l2_hit_rate(self) -> float | None:
        """Of the sectors that were read; None when there was none."""
        return self.l2_read_hits / self.l2_read_sectors if self.l2_read_sectors else None

    @property
    def l2_bytes(self) -> int:
        """Traffic between the multiprocessors and L2."""
        return (self.l2_read_sectors + self.l2_write_sectors + self.l2_atomic_sectors) * SECTOR_BYTES

    @property
    def block_words(self) -> int:
        """Of `warp_words`, each once a block."""
        return self.warp_words - self.again_words

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
    lanes: int  # that took part, over all requests
    sectors: int  # of global or local memory
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
    compulsory_bytes: int = 0  # the same, but what was both read and written counts twice
    is_complete: bool = True  # False when a fault stopped the run
    # Only of an observed run:
    worst: tuple[AccessMap, ...] = ()  # the worst request of each line
    reached: tuple[tuple[str, int], ...] = ()  # of each buffer: one past the last byte that was accessed

    @property
    def dram_bytes(self) -> int:
        """Modelled traffic to memory beyond the L2 cache."""
        return sum(launch.dram_read_bytes + launch.dram_write_bytes for launch in self.launches)
