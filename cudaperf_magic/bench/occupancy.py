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


def carveout(arch: Architecture, blocks: int, shared_bytes: int) -> int:
    """Bytes of an SM that become shared memory for a launch: the least that its resident blocks fit in.

    The driver chooses so when the program does not ask for another (cudaFuncAttributePreferredSharedMemoryCarveout).
    What is left of `arch.unified_bytes` is the L1 cache.
    """
    needed = blocks * _each(arch, shared_bytes)
    return next((size for size in arch.carveouts if size >= needed), arch.shared_bytes)


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
