"""Inspections made by hand: one of each kind that a report has to show. No simulator runs here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from cudaperf_magic.records import Build, Fault, KernelResources, LineCost, Property, Structure
from cudaperf_magic.records_inspection import (
    LANES,
    AccessMap,
    ArrayMade,
    Inspection,
    LaunchReport,
    OccupancyLimit,
    OccupancyReport,
    ScalarTaken,
)

TRANSPOSE = """
// Turns a matrix of n x n floats.
#define TILE 32
#define AT(row, column) ((row) * n + (column))

// A helper that no kernel calls.
static __device__ float twice(float x) {
    return x + x;
}

__global__ void transpose(int n, const float *in, float *out) {
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[AT(y, x)];
    __syncthreads();
    if (x < n && y < n) out[AT(x, y)] = tile[threadIdx.y][threadIdx.x]; // <script>alert("&amp;")</script>
}
"""

Lane = Callable[[int], int | None]


def access(
    space: Literal["global", "shared"],
    size: int,
    lane: Lane,
    units: int,
    ideal: int,
    *,
    line: int = 14,
    operation: Literal["load", "store", "atomic"] = "load",
    buffer: str = "in",
) -> AccessMap:
    lanes = tuple(lane(i) for i in range(LANES))
    return AccessMap(line, space, operation, buffer, size, lanes, units, ideal, "transpose", (0, 0, 0), 0)


MAPS: dict[str, AccessMap] = {
    "coalesced": access("global", 4, lambda i: 4 * i, 4, 4),
    "stride 2": access("global", 4, lambda i: 8 * i, 8, 4),
    "column": access("global", 4, lambda i: 4096 * i, 32, 4),
    "float4": access("global", 16, lambda i: 16 * i, 16, 16),
    "broadcast": access("global", 4, lambda i: 64, 1, 1),
    "misaligned by 4": access("global", 4, lambda i: 4 * i + 4, 5, 4),
    "half2": access("global", 4, lambda i: 4 * i, 4, 4),
    "half": access("global", 2, lambda i: 2 * i, 2, 2),
    "chars": access("global", 1, lambda i: i, 1, 1),
    "doubles": access("global", 8, lambda i: 8 * i, 8, 8),
    "twenty lanes": access("global", 4, lambda i: 4 * i if i < 20 else None, 3, 3),
    "backwards": access("global", 4, lambda i: 4 * (31 - i), 4, 4),
    "scattered": access("global", 4, lambda i: i * i * 36, 32, 4),
    "shared column": access("shared", 4, lambda i: 128 * i, 32, 1, line=16),
    "shared padded": access("shared", 4, lambda i: 132 * i, 1, 1, line=16),
    "shared float4": access("shared", 16, lambda i: 16 * i, 4, 4, line=16),
    "shared doubles two apart": access("shared", 8, lambda i: 16 * i, 4, 2, line=16),
    "shared broadcast": access("shared", 4, lambda i: 0, 1, 1, line=16),
    "shared histogram": access("shared", 4, lambda i: 4 * (i % 3) * 32, 3, 1, line=16, operation="atomic"),
    "one lane": access("shared", 4, lambda i: 12 if i == 5 else None, 1, 1, line=16, operation="store"),
}

LINES = (
    LineCost(11, 65_536, 32.0),
    LineCost(13, 393_216, 32.0),
    LineCost(14, 262_144, 32.0, requests=32_768, sectors=131_072, ideal_sectors=131_072, shared_wavefronts=32_768,
             ideal_wavefronts=32_768),
    LineCost(15, 32_768, 32.0, barriers=32_768),
    LineCost(16, 1_310_720, 27.25, requests=32_768, sectors=1_048_576, ideal_sectors=131_072,
             shared_wavefronts=1_048_576, ideal_wavefronts=32_768, atomics=64),
)  # fmt: skip
STRUCTURE = Structure(
    (
        Property("coalescing", 0.222, 18.0, "sectors a request", "simulator", "line 16 asks for 32 sectors a request "
                 "where 4 would do", "stage a tile in shared memory and turn it there", 16),
        Property("occupancy", 0.75, 48.0, "warps", "static", "transpose: 40 registers a thread leave room for 48 of 64 "
                 "warps", "bound the registers with __launch_bounds__"),
        Property("divergence", 0.97, 31.2, "lanes", "simulator", "31.2 of 32 lanes work, on average"),
        Property("shared", 0.061, 16.5, "wavefronts for 1", "simulator", "line 16 needs 32 shared-memory wavefronts "
                 "where 1 would do", "pad each row of the tile by one element ([32][33])", 16),
    ),
    LINES,
    1,
)  # fmt: skip

OCCUPANCY = OccupancyReport(
    48,
    64,
    "registers",
    (
        OccupancyLimit("block size", 8),
        OccupancyLimit("registers", 6),
        OccupancyLimit("shared memory", 45),
        OccupancyLimit("blocks", 32),
    ),
    ("With 32 registers a thread instead of 40, 8 blocks fit: __launch_bounds__(256, 8).",),
)
LAUNCH = LaunchReport(
    kernel="transpose", line=0, grid=(32, 32, 1), block=(32, 8, 1), times=1, shared_bytes=4096,
    resources=KernelResources("transpose", 40, 16, 4096), occupancy=OCCUPANCY, traced_blocks=1024, blocks=1024,
    warp_instructions=2_064_384, thread_instructions=64_421_888, requested_bytes=8_388_608, sector_bytes=37_748_736,
    l2_bytes=20_971_520, dram_read_bytes=4_194_304, dram_write_bytes=4_194_304, flops=0, barriers=32_768, atomics=64,
)  # fmt: skip

RACE = Fault(
    "shared_race",
    "thread (1, 0, 0) of block (0, 0, 0) reads tile[1][0], which thread (0, 1, 0) wrote at line 14; no barrier stands "
    "between",
    line=16, other_line=14, kernel="transpose", block=(0, 0, 0), thread=(1, 0, 0), other_block=(0, 0, 0),
    other_thread=(0, 1, 0), remedy="put __syncthreads() between line 14 and line 16",
)  # fmt: skip
BOUNDS = Fault(
    "out_of_bounds", "reads in[1048576], but in holds 1048576 elements", line=14, kernel="transpose",
    block=(31, 31, 0), thread=(5, 7, 0), remedy="guard the access: if (x < n && y < n)",
)  # fmt: skip

GOOD = Inspection(
    TRANSPOSE,
    "sm_90",
    "H100",
    Build(True, arch="sm_90", kernels=(LAUNCH.resources,)),
    arrays=(
        ArrayMade("in", "float32", 1_048_576, "made up", "n * n"),
        ArrayMade("out", "float32", 1_048_576, "notebook"),
    ),
    scalars=(ScalarTaken("n", "int", "1024", "given"), ScalarTaken("a", "float", "0.75", "made up")),
    launches=(LAUNCH,),
    structure=STRUCTURE,
    maps=(
        replace(MAPS["coalesced"], line=14),
        replace(MAPS["column"], line=16, operation="store", buffer="out"),
        replace(MAPS["shared column"], buffer="tile"),
    ),
    text="n is 1024 & <b>more</b>\n",
    notes=("a has no value, so 0.75 was taken; --size a=... gives another",),
)
FAULTY = replace(GOOD, faults=(RACE, BOUNDS, replace(RACE, thread=(2, 0, 0))), checks_global_races=True)
CUT_SHORT = replace(FAULTY, structure=None, is_complete=False, maps=(), launches=(), faults=(BOUNDS,))
BROKEN = Inspection(
    "__global__ void k(int *x) { x[blockIndex.x] = 0; }",
    "sm_75",
    "T4",
    Build(False, 'line 1: error: identifier "blockIndex" is undefined\n', arch="sm_75"),
)
EMPTY = Inspection("__global__ void k() {}", "sm_90", "H100", Build(True))


def with_map(name: str) -> Inspection:
    return replace(GOOD, maps=(MAPS[name],))


ALL: dict[str, Inspection] = {
    "good": GOOD, "faulty": FAULTY, "cut short": CUT_SHORT, "broken": BROKEN, "empty": EMPTY,
    "float4": with_map("float4"), "chars": with_map("chars"), "scattered": with_map("scattered"),
    "shared float4": with_map("shared float4"), "shared broadcast": with_map("shared broadcast"),
}  # fmt: skip
