"""How many warps of a kernel fit on one multiprocessor, by the rules that the hardware allocates by.

The limits are those of `architectures.py`; the arithmetic agrees with NVIDIA's `cuda_occupancy.h` (a test compares).
It is the theoretical occupancy: how many warps may be resident, not are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cudaperf_magic.bench.architectures import (
    MOST_REGISTERS,
    PARTITIONS,
    REGISTER_UNIT,
    REGISTERS,
    WARP,
    Architecture,
)

Limit = Literal["block size", "registers", "shared memory", "blocks"]


@dataclass(frozen=True)
class Occupancy:
    """Resident blocks and warps of one multiprocessor, and which resource allows no more."""

    blocks: int
    warps: int
    most_warps: int
    limit: Limit

    @property
    def ratio(self) -> float:
        return self.warps / self.most_warps


def occupancy(arch: Architecture, threads: int, registers: int, shared_bytes: int) -> Occupancy:
    """Theoretical occupancy of a launch.

    Args:
        threads: of a block, 1 to 1024.
        registers: of a thread, as ptxas reports; 0 when it is not known, which then limits nothing.
        shared_bytes: static and dynamic shared memory of a block.
    """
    room = blocks_by_limit(arch, threads, registers, shared_bytes)
    limit = min(room, key=lambda name: room[name])
    return Occupancy(room[limit], room[limit] * _warps(threads), arch.warps, limit)


def blocks_by_limit(arch: Architecture, threads: int, registers: int, shared_bytes: int) -> dict[Limit, int]:
    """Blocks of this launch that one multiprocessor could hold if each resource alone counted."""
    warps = _warps(threads)
    return {
        "block size": arch.warps // warps,
        "registers": _by_registers(warps, registers),
        "shared memory": _by_shared(arch, shared_bytes),
        "blocks": arch.blocks,
    }


def carveout(arch: Architecture, threads: int, registers: int, shared_bytes: int) -> int:
    """Bytes of an SM that the driver turns into shared memory for a launch; the rest is its L1 cache.

    The driver's rule is not documented. This one is what an H200 (CUDA 13.0) did in all but one of 50 launches of many
    shapes, and is taken for the other cards too: room for twice the blocks that can be resident, but no more than half
    of an SM unless they need it. A program may ask for another (cudaFuncAttributePreferredSharedMemoryCarveout).
    """
    each, by_threads = _each(arch, shared_bytes), arch.warps // _warps(threads)
    blocks = occupancy(arch, threads, registers, shared_bytes).blocks
    if shared_bytes == 0:
        wanted = min(arch.blocks, 4 * by_threads) * each
    else:
        half = next(size for size in arch.carveouts if 2 * size >= arch.unified_bytes)
        wanted = max(blocks * each, min(half, min(arch.blocks, 2 * blocks) * each))
    return next((size for size in arch.carveouts if size >= wanted), arch.shared_bytes)


def _warps(threads: int) -> int:
    return -(-threads // WARP)


def _by_registers(warps: int, registers: int) -> int:
    if registers == 0:
        return REGISTERS
    per_warp = _round_up(registers * WARP, REGISTER_UNIT)
    # A launch is checked as though every partition got a whole share of the block's warps.
    if registers > MOST_REGISTERS or per_warp * _round_up(warps, PARTITIONS) > REGISTERS:
        return 0
    return REGISTERS // PARTITIONS // per_warp * PARTITIONS // warps


def _by_shared(arch: Architecture, shared_bytes: int) -> int:
    each = _each(arch, shared_bytes)
    return arch.shared_bytes // each if each else arch.shared_bytes


def _each(arch: Architecture, shared_bytes: int) -> int:
    return _round_up(shared_bytes + arch.reserved_bytes, arch.shared_unit)


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
