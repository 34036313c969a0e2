"""What `inspect` finds out about a kernel of one's own: an Inspection, from one run on the simulator.

Nouns only. Offsets and sizes are in bytes. Counts marked *modelled* come from the cache model of the named device; all
others are counted. There is no time in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cudaperf_magic.records import Build, Fault, KernelResources, Structure

Dim3 = tuple[int, int, int]
LANES = 32
# What a run without faults does not prove; said once where faults are shown.
UNSEEN = (
    "a missing __threadfence() within a block (this processor keeps stores in order, a GPU need not)",
    "races in other orders of threads than the one that ran, and in blocks that were not watched",
    "local variables that are read before they are written (the compiler puts any value there)",
    "an index so wrong that it lands inside another array",
)


@dataclass(frozen=True)
class ArrayMade:
    """An array that a kernel was given: where its values came from, or what a workspace holds at first."""

    name: str
    dtype: str
    elements: int
    origin: Literal["made up", "notebook", "workspace"]
    extent: str = ""  # where `elements` comes from: "n", "n * m", "given with --size", "as far as the kernel reaches"


@dataclass(frozen=True)
class ScalarTaken:
    """A number that a kernel was given; `value` as text, for JSON's numbers are not 64 bits wide."""

    name: str
    c_type: str
    value: str
    origin: Literal["given", "made up", "notebook"]


@dataclass(frozen=True)
class OccupancyLimit:
    """How many blocks of this launch one multiprocessor could hold if this resource alone counted."""

    resource: Literal["block size", "registers", "shared memory", "blocks"]
    blocks: int


@dataclass(frozen=True)
class OccupancyReport:
    """Theoretical occupancy of a launch, the resource that allows no more, and what would raise it."""

    warps: int
    most_warps: int
    limit: Literal["block size", "registers", "shared memory", "blocks"]
    limits: tuple[OccupancyLimit, ...]
    advice: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        return self.warps / self.most_warps


@dataclass(frozen=True)
class LaunchReport:
    """One launch, or several alike (`times`), with its resources and totals over all its blocks.

    Bytes `requested` are what the threads asked for; `l2_*` and `dram_*` are modelled, for the blocks that were traced.
    """

    kernel: str
    line: int
    grid: Dim3
    block: Dim3
    times: int
    shared_bytes: int
    resources: KernelResources
    occupancy: OccupancyReport
    traced_blocks: int
    blocks: int
    warp_instructions: int
    thread_instructions: int
    requested_bytes: int
    sector_bytes: int  # whole 32-byte sectors that the requests touch, before any cache
    l2_bytes: int
    dram_read_bytes: int
    dram_write_bytes: int
    flops: int
    barriers: int
    atomics: int
    dirty_bytes: int = 0  # modelled: in L2 after the launch, still to be written to DRAM
    l1_hit_rate: float | None = None  # modelled: of the sectors that loads look for; None when none does
    l2_hit_rate: float | None = None  # modelled: of the sectors that are read
    local_bytes: int = 0  # whole sectors of the threads' own arrays that are not in registers


@dataclass(frozen=True)
class AccessMap:
    """One request of one warp, the worst of its source line: which lane touches which byte.

    Args:
        buffer: the array's name in the program; of shared memory too.
        lanes: of lanes 0 to 31: the byte offset of each lane's access from the start of `buffer` (for shared memory:
            from the start of the block's shared memory), or None for a lane that takes no part.
        units: sectors (global) or wavefronts (shared) that this request needs, and `ideal_units` that it would need.
    """

    line: int
    space: Literal["global", "shared"]
    operation: Literal["load", "store", "atomic"]
    buffer: str
    size_bytes: int  # of each lane's access
    lanes: tuple[int | None, ...]
    units: int
    ideal_units: int
    kernel: str
    block: Dim3
    warp: int

    def __post_init__(self) -> None:
        if len(self.lanes) != LANES:
            raise ValueError(f"an access map has {LANES} lanes, not {len(self.lanes)}")


@dataclass(frozen=True)
class Inspection:
    """A CUDA program, run once and watched. `structure` is None when it was not built or its run was cut short.

    Args:
        source: the text whose lines `faults`, `structure.lines` and `maps` number from 1.
        arch: what it was compiled for ("sm_90"); `device`: the card whose limits and caches were taken ("H100").
        text: what the kernels printed.
        is_complete: whether the run came to its end.
    """

    source: str
    arch: str
    device: str
    build: Build
    arrays: tuple[ArrayMade, ...] = ()
    scalars: tuple[ScalarTaken, ...] = ()
    launches: tuple[LaunchReport, ...] = ()
    structure: Structure | None = None
    faults: tuple[Fault, ...] = ()
    maps: tuple[AccessMap, ...] = ()
    text: str = ""
    is_complete: bool = True
    checks_global_races: bool = False
    notes: tuple[str, ...] = ()  # what was assumed, in sentences

    @property
    def ok(self) -> bool:
        """Built, ran to its end, and nothing was found wrong."""
        return self.build.ok and self.is_complete and not self.faults

    def map_of(self, line: int) -> AccessMap | None:
        """The worst request of a line: the one that needs most beyond its ideal."""
        found = [m for m in self.maps if m.line == line]
        return max(found, key=lambda m: m.units - m.ideal_units, default=None)
