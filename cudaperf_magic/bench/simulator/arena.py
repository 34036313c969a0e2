"""The simulated global memory: one block of bytes that holds every buffer, with gaps between them. Runs nothing.

Addresses that a kernel sees are host addresses inside it, so the runtime checks them with one subtraction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.plan import Allocate, LaunchPlan, Pointer
from cudaperf_magic.bench.simulator import native
from cudaperf_magic.bench.simulator.faults import Extent
from cudaperf_magic.bench.simulator.ptx import Variable

ALIGN = 256  # what cudaMalloc promises
# Bytes that belong to nobody after a buffer: as many as it has, so that an index twice too large still meets nothing.
LEAST_GAP, LARGEST_GAP = 64 << 10, 64 << 20
POISON = 0x7FBADBAD  # a NaN as float, and twice it as double
GRID_BARRIER = "::grid"  # where the blocks of a cooperative launch meet
GRID_BARRIER_BYTES = 1024
Bytes = NDArray[np.uint8]


@dataclass
class Region:
    name: str
    offset: int
    size: int
    itemsize: int = 0
    is_live: bool = True
    reach: int = 0  # one past the last byte that was accessed, where that is noted


@dataclass
class Arena:
    """All buffers of one run. `regions` by name: arguments, workspaces and the module's own variables."""

    memory: Bytes
    base: int
    regions: dict[str, Region]
    initialised: Bytes | None = None
    table: NDArray[Any] = field(default_factory=lambda: np.zeros((0, 2), np.uint64))
    extents: list[Extent] = field(default_factory=list)
    freed: list[Extent] = field(default_factory=list)
    notes_reach: bool = False
    reach: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))  # by listed buffer
    listed: list[Region] = field(default_factory=list)

    def address(self, pointer: Pointer) -> int:
        region = self.regions.get(pointer.buffer)
        return 0 if region is None else self.base + region.offset + pointer.offset_bytes

    def bytes_at(self, pointer: Pointer, size: int) -> slice | None:
        """The bytes of the memory that [pointer, pointer + size) names; None when it leaves its buffer."""
        region = self.regions.get(pointer.buffer)
        if (
            region is None
            or not region.is_live
            or pointer.offset_bytes < 0
            or pointer.offset_bytes + size > region.size
        ):
            return None
        start = region.offset + pointer.offset_bytes
        return slice(start, start + size)

    def list_buffers(self, sim: native.Sim) -> None:
        """Gives the runtime the sorted table of live buffers."""
        live = sorted((r for r in self.regions.values() if r.is_live and r.size), key=lambda r: r.offset)
        self.table = np.array([(self.base + r.offset, r.size) for r in live] or [(0, 0)], np.uint64)
        self.extents = [Extent(r.name, self.base + r.offset, r.size, r.itemsize) for r in live]
        gone = (r for r in self.regions.values() if not r.is_live)
        self.freed = [Extent(r.name, self.base + r.offset, r.size, r.itemsize) for r in gone]
        sim.buffers = self.table.ctypes.data
        sim.buffer_count = len(live)
        sim.hints[:] = [0] * 64
        self.settle_reach()
        self.listed = live
        if self.notes_reach:
            self.reach = np.zeros(max(1, len(live)), np.uint64)
            sim.reach = self.reach.ctypes.data

    def settle_reach(self) -> None:
        """Takes over how far each listed buffer was accessed."""
        for region, end in zip(self.listed, self.reach.tolist(), strict=False):
            region.reach = max(region.reach, end)

    def allocate(self, step: Allocate, poison: bool, seed: int) -> None:
        region = self.regions[step.buffer]
        region.is_live, region.size = True, step.size_bytes
        inside = self.memory[region.offset : region.offset + step.size_bytes]
        if poison:
            whole = step.size_bytes // 4 * 4
            inside[:whole].view(np.uint32)[:] = POISON ^ (seed & 0xFF)
            inside[whole:] = 0xAD
        if self.initialised is not None:
            self.initialised[region.offset : region.offset + step.size_bytes] = 0


def lay_out(
    plan: LaunchPlan,
    arrays: Mapping[str, NDArray[Any]],
    variables: Mapping[str, Variable],
    initialised: Mapping[str, bool] | None,
    functions: Mapping[str, int] | None = None,
) -> Arena:
    """Places every buffer and copies the arguments in.

    Args:
        initialised: which arguments hold values; None: nothing is tracked. An argument not named does.
        functions: addresses of functions, for tables of them.
    """
    regions: dict[str, Region] = {}
    at = LEAST_GAP

    def place(name: str, size: int, itemsize: int, is_live: bool) -> None:
        nonlocal at
        at = -(-at // ALIGN) * ALIGN
        regions[name] = Region(name, at, size, itemsize, is_live)
        at += size + min(max(size, LEAST_GAP), LARGEST_GAP)

    for name, array in arrays.items():
        place(name, array.nbytes, array.dtype.itemsize, True)
    room: dict[str, int] = {}
    for step in plan.steps:
        if isinstance(step, Allocate):
            room[step.buffer] = max(room.get(step.buffer, 0), step.size_bytes)
    for name, size in room.items():
        place(name, size, 0, False)
    for variable in variables.values():
        place(f"::{variable.name}", variable.size, 0, True)
    place(GRID_BARRIER, GRID_BARRIER_BYTES, 0, True)
    memory = np.empty(-(-at // 4096) * 4096 + ALIGN, np.uint8)
    shift = -memory.ctypes.data % ALIGN
    memory = memory[shift : shift + -(-at // 4096) * 4096]
    arena = Arena(memory, memory.ctypes.data, regions)
    if initialised is not None:
        arena.initialised = np.zeros(len(memory), np.uint8)
        for region in regions.values():
            if region.is_live and initialised.get(region.name, True):
                arena.initialised[region.offset : region.offset + region.size] = 1
    for name, array in arrays.items():
        region = regions[name]
        memory[region.offset : region.offset + region.size] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    memory[regions[GRID_BARRIER].offset :][:GRID_BARRIER_BYTES] = 0
    for variable in variables.values():
        _initialise(arena, variable, functions or {})
    return arena


def _initialise(arena: Arena, variable: Variable, functions: Mapping[str, int]) -> None:
    region = arena.regions[f"::{variable.name}"]
    inside = arena.memory[region.offset : region.offset + region.size]
    inside[:] = 0
    for offset, value in variable.initial:
        if isinstance(value, int):
            inside[offset] = value
        else:
            name, addend = value
            target = functions.get(name, 0) or arena.address(Pointer(f"::{name}", addend))
            inside[offset : offset + 8] = np.frombuffer(target.to_bytes(8, "little"), np.uint8)


def copy_back(arena: Arena, arrays: Mapping[str, NDArray[Any]]) -> None:
    for name, array in arrays.items():
        if not array.flags.writeable or not array.nbytes:
            continue
        region = arena.regions[name]
        inside = arena.memory[region.offset : region.offset + region.size]
        array[...] = inside.view(array.dtype).reshape(array.shape)
