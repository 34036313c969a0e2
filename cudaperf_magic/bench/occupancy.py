"""How many warps of a kernel fit on one multiprocessor, by the rules that the hardware allocates by.

Limits by compute capability are those of the CUDA C++ Programming Guide; the arithmetic agrees with NVIDIA's
`cuda_occupancy.h` (a test compares them). It is the theoretical occupancy: how many warps may be resident, not are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

WARP = 32
PARTITIONS = 4  # of an SM, each with a quarter of the registers
REGISTERS = 65536  # of 32 bits an SM, on every architecture here
REGISTER_UNIT = 256  # registers are given to a warp in units of this
MOST_REGISTERS = 255  # a thread can name
SHARED_UNIT = 128  # bytes (256 before compute capability 8.0)

Limit = Literal["block size", "registers", "shared memory", "blocks"]


@dataclass(frozen=True)
class Architecture:
    """What one multiprocessor holds, and how many a common device of the architecture has."""

    name: str
    warps: int
    blocks: int
    shared_bytes: int
    device: str
    multiprocessors: int
    reserved_bytes: int = 1024  # of shared memory a block, for the system
    shared_unit: int = SHARED_UNIT

    @property
    def threads(self) -> int:
        return self.warps * WARP


_K = 1024
ARCHITECTURES: tuple[Architecture, ...] = (
    Architecture("sm_75", 32, 16, 64 * _K, "T4", 40, reserved_bytes=0, shared_unit=256),
    Architecture("sm_80", 64, 32, 164 * _K, "A100", 108),
    Architecture("sm_86", 48, 16, 100 * _K, "RTX 3090", 82),
    Architecture("sm_87", 48, 16, 164 * _K, "Jetson Orin", 16),
    Architecture("sm_89", 48, 24, 100 * _K, "RTX 4090", 128),
    Architecture("sm_90", 64, 32, 228 * _K, "H100", 132),
    Architecture("sm_100", 64, 32, 228 * _K, "B200", 148),
    Architecture("sm_103", 64, 32, 228 * _K, "B300", 148),
    Architecture("sm_110", 48, 24, 228 * _K, "Jetson Thor", 20),
    Architecture("sm_120", 48, 24, 100 * _K, "RTX 5090", 170),
)


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


def architecture(name: str) -> Architecture:
    """The named architecture ("sm_90", "sm_90a"), or the nearest older one that is known; the oldest for older ones."""
    number = _number(name)
    older = [arch for arch in ARCHITECTURES if _number(arch.name) <= number]
    return older[-1] if older else ARCHITECTURES[0]


def occupancy(arch: Architecture, threads: int, registers: int, shared_bytes: int) -> Occupancy:
    """Theoretical occupancy of a launch.

    Args:
        threads: of a block, 1 to 1024.
        registers: of a thread, as ptxas reports; 0 when it is not known, which then limits nothing.
        shared_bytes: static and dynamic shared memory of a block.
    """
    warps = -(-threads // WARP)
    room: dict[Limit, int] = {
        "block size": arch.warps // warps,
        "registers": _by_registers(warps, registers),
        "shared memory": _by_shared(arch, shared_bytes),
        "blocks": arch.blocks,
    }
    limit = min(room, key=lambda name: room[name])
    return Occupancy(room[limit], room[limit] * warps, arch.warps, limit)


def _by_registers(warps: int, registers: int) -> int:
    if registers == 0:
        return REGISTERS
    per_warp = _round_up(registers * WARP, REGISTER_UNIT)
    # A launch is checked as though every partition got a whole share of the block's warps.
    if registers > MOST_REGISTERS or per_warp * _round_up(warps, PARTITIONS) > REGISTERS:
        return 0
    return REGISTERS // PARTITIONS // per_warp * PARTITIONS // warps


def _by_shared(arch: Architecture, shared_bytes: int) -> int:
    each = _round_up(shared_bytes + arch.reserved_bytes, arch.shared_unit)
    return arch.shared_bytes // each if each else arch.shared_bytes


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _number(name: str) -> int:
    digits = "".join(character for character in name if character.isdigit())
    return int(digits) if digits else 0
