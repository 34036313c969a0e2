"""Where a plan's arrays and workspaces lie within one piece of device memory. Pure: offsets and sizes, no addresses.

Arrays and workspaces stand apart by a band that nothing may touch. A workspace that the plan frees gives its place to
a later one of the same size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cudaperf_magic.bench.plan import Allocate, Free, LaunchPlan

BAND_BYTES = 512  # cudaMalloc's own alignment
LARGE_BYTES = 2 << 20  # from here on cudaMalloc gives whole pages


@dataclass(frozen=True)
class Place:
    offset: int
    size_bytes: int

    @property
    def end(self) -> int:
        return self.offset + self.size_bytes


@dataclass(frozen=True)
class Layout:
    """`workspaces` has one place for each Allocate of the plan, in its order."""

    arrays: Mapping[str, Place]
    workspaces: tuple[Place, ...]
    size_bytes: int

    @property
    def written(self) -> tuple[Place, ...]:
        """Distinct places of workspaces."""
        return tuple(dict.fromkeys(self.workspaces))

    @property
    def bands(self) -> tuple[Place, ...]:
        """The bytes right behind each array and workspace up to the next band's length; the first stands in front."""
        used = sorted({*self.arrays.values(), *self.workspaces}, key=lambda place: place.offset)
        return (Place(0, BAND_BYTES), *(Place(place.end, BAND_BYTES) for place in used))


def lay_out(plan: LaunchPlan, sizes_bytes: Mapping[str, int]) -> Layout:
    """Places for arrays of these sizes and for the plan's workspaces."""
    end = BAND_BYTES

    def place(size_bytes: int) -> Place:
        nonlocal end
        unit = LARGE_BYTES if size_bytes >= LARGE_BYTES else BAND_BYTES
        made = Place(-(-end // unit) * unit, size_bytes)
        end = made.end + BAND_BYTES
        return made

    arrays = {name: place(size) for name, size in sizes_bytes.items()}
    workspaces: list[Place] = []
    held: dict[str, Place] = {}
    free: list[Place] = []
    for step in plan.steps:
        if isinstance(step, Allocate):
            again = next((one for one in free if one.size_bytes == step.size_bytes), None)
            if again is not None:
                free.remove(again)
            held[step.buffer] = again or place(step.size_bytes)
            workspaces.append(held[step.buffer])
        elif isinstance(step, Free) and step.buffer in held:
            free.append(held.pop(step.buffer))
    return Layout(arrays, tuple(workspaces), -(-end // BAND_BYTES) * BAND_BYTES)
