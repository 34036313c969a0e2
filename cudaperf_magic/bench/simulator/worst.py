"""The worst request of each source line -> AccessMap: which lane touches which byte. Counts nothing itself."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator

from cudaperf_magic.bench.simulator import native
from cudaperf_magic.bench.simulator.access import SPACES
from cudaperf_magic.bench.simulator.arena import Arena, Region
from cudaperf_magic.bench.simulator.faults import place
from cudaperf_magic.bench.simulator.faults.names import plain_name
from cudaperf_magic.bench.simulator.kernel import Kernel
from cudaperf_magic.records_inspection import LANES, AccessMap

SHARED = SPACES.index("shared")


def worst_requests(kernels: Iterable[tuple[str, Kernel]], arena: Arena) -> tuple[AccessMap, ...]:
    """One map for each line, operation and buffer, in the order of the lines; the worst of its sites and launches."""
    found: dict[tuple[object, ...], AccessMap] = {}
    for name, kernel in kernels:
        for access in _of_kernel(name, kernel, arena):
            key = (access.line, access.space, access.operation, access.buffer)
            held = found.get(key)
            if held is None or access.units - access.ideal_units > held.units - held.ideal_units:
                found[key] = access
    return tuple(sorted(found.values(), key=lambda m: (m.line, m.space, m.operation, m.buffer)))


def _of_kernel(name: str, kernel: Kernel, arena: Arena) -> Iterator[AccessMap]:
    for site, kept in zip(kernel.lowered.sites, kernel.worst, strict=False):
        operation = site.operation
        if not kept.mask or not site.line or operation not in ("load", "store", "atomic"):
            continue
        addresses = [kept.addresses[i] if kept.mask >> i & 1 else None for i in range(LANES)]
        first = next(a for a in addresses if a is not None)
        if kept.space == SHARED:
            start, buffer = 0, _shared_array(kernel, first)
        else:
            region = _region(arena, first)
            start = arena.base + (region.offset if region else 0)
            buffer = plain_name(region.name.removeprefix("::")) if region else ""
        record = kernel.record
        yield AccessMap(
            line=site.line,
            space="shared" if kept.space == SHARED else "global",
            operation=operation,  # type: ignore[arg-type]
            buffer=buffer,
            size_bytes=site.size,
            lanes=tuple(None if a is None else a - start for a in addresses),
            units=kept.units,
            ideal_units=kept.ideal,
            kernel=name,
            block=place(kept.block, (record.grid[0], record.grid[1], record.grid[2])),
            warp=kept.warp,
        )


def _shared_array(kernel: Kernel, offset: int) -> str:
    """The __shared__ array at an offset, the last one that begins before it; "" when there is none."""
    before = [symbol for symbol, start, _ in kernel.lowered.shared_arrays if start <= offset]
    return plain_name(before[-1]) if before else ""


def _region(arena: Arena, address: int) -> Region | None:
    offset = address - arena.base
    return next((r for r in arena.regions.values() if r.offset <= offset < r.offset + r.size), None)


def make_room(kernel: Kernel) -> None:
    """Has the runtime keep each site's worst request from now on."""
    kernel.worst = (native.WorstRequest * max(1, len(kernel.lowered.sites)))()
    kernel.record.worst = ctypes.addressof(kernel.worst)
