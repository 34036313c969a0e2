"""A launch's occupancy with what limits it and what would raise it, each piece of advice found by trying it. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from cudaperf_magic.bench.architectures import Architecture
from cudaperf_magic.bench.occupancy import Occupancy, blocks_by_limit, occupancy
from cudaperf_magic.records_inspection import OccupancyLimit, OccupancyReport

LEAST_REGISTERS = 16  # below, nearly every kernel would spill
BLOCK_SIZES = (64, 96, 128, 192, 256, 384, 512, 768, 1024)


def occupancy_report(arch: Architecture, threads: int, registers: int, shared_bytes: int) -> OccupancyReport:
    """Theoretical occupancy of a launch.

    Args:
        threads: of a block, 1 to 1024. registers: of a thread; 0 when not known. shared_bytes: of a block.
    """
    found = occupancy(arch, threads, registers, shared_bytes)
    limits = blocks_by_limit(arch, threads, registers, shared_bytes)
    return OccupancyReport(
        warps=found.warps,
        most_warps=found.most_warps,
        limit=found.limit,
        limits=tuple(OccupancyLimit(resource, blocks) for resource, blocks in limits.items()),
        advice=tuple(_advice(arch, threads, registers, shared_bytes, found)),
    )


def _advice(arch: Architecture, threads: int, registers: int, shared_bytes: int, now: Occupancy) -> Iterator[str]:
    if now.ratio >= 1:
        return
    fewer = range(registers - 1, LEAST_REGISTERS - 1, -1)
    tried = ((r, occupancy(arch, threads, r, shared_bytes)) for r in fewer)
    better = next(((r, o) for r, o in tried if o.warps > now.warps), None)
    if better is not None:
        count, then = better
        bounds = f"__launch_bounds__({threads}, {then.blocks}) asks the compiler for that"
        yield f"with {count} registers a thread (now {registers}) {_fit(then, now)}; {bounds}"
    smaller = range((shared_bytes - 1) // arch.shared_unit * arch.shared_unit, -1, -arch.shared_unit)
    sizes = ((s, occupancy(arch, threads, registers, s)) for s in smaller)
    leaner = next(((s, o) for s, o in sizes if o.warps > now.warps), None)
    if leaner is not None:
        size, then = leaner
        yield f"with {size:,} bytes of shared memory a block (now {shared_bytes:,}) {_fit(then, now)}: a smaller tile"
    others = [(size, occupancy(arch, size, registers, shared_bytes)) for size in BLOCK_SIZES if size != threads]
    size, then = max(others, key=lambda pair: (pair[1].warps, -abs(pair[0] - threads)))
    if then.warps > now.warps:
        stay = " if a block's shared memory stays as it is" if shared_bytes else ""
        yield f"blocks of {size} threads (now {threads}) would give {then.ratio:.0%} (now {now.ratio:.0%}){stay}"


def _fit(then: Occupancy, now: Occupancy) -> str:
    blocks = f"{then.blocks} block{'s' * (then.blocks != 1)}"
    return f"{blocks} fit on a multiprocessor, not {now.blocks}: {then.ratio:.0%} of its warps, not {now.ratio:.0%}"
