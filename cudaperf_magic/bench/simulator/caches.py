"""What the cache model (cache.c) has to know of the card and of a launch. It models nothing itself."""

from __future__ import annotations

from cudaperf_magic.bench.architectures import SECTOR_BYTES, Architecture
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.occupancy import carveout, occupancy
from cudaperf_magic.bench.plan import Launch
from cudaperf_magic.bench.simulator import native
from cudaperf_magic.bench.simulator.kernel import Kernel, registers_of


def card_of(arch: Architecture) -> native.Card:
    """The L2 of the card, and how many L1 caches there are."""
    return native.Card(
        multiprocessors=arch.multiprocessors,
        l2_partitions=arch.card.l2_partitions,
        fetch_sectors=arch.fetch_bytes // SECTOR_BYTES,
        l2_bytes=arch.card.l2_bytes,
    )


def share_of(arch: Architecture, step: Launch, kernel: Kernel, compiled: Compiled) -> tuple[int, int]:
    """Blocks of this launch that share a multiprocessor, and the bytes of L1 that their shared memory leaves."""
    threads = step.block[0] * step.block[1] * step.block[2]
    shared = kernel.lowered.static_shared_bytes + step.shared_bytes
    registers = registers_of(kernel, compiled)
    blocks = max(1, occupancy(arch, threads, registers, shared).blocks)
    return blocks, arch.unified_bytes - carveout(arch, threads, registers, shared)
