"""The buffers of a candidate: its own copies, poison where it must write, guard bands where no one watches bounds.

It lays memory out and reads the bands afterwards. What the bytes mean is compare.py's concern.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.plan import Copy, Fill, KernelArgument, Launch, LaunchPlan, Pointer, Step, Struct
from cudaperf_magic.bench.reference.run import at_path, leaf_paths
from cudaperf_magic.records import Argument, Fault, Task

Array = NDArray[Any]
Bytes = NDArray[np.uint8]

GUARD_ELEMENTS = 64
STAY_INSIDE = "guard each write with the array's size, or check the index arithmetic"
COPY = "write to a workspace (cudaMalloc) or to the output instead"
ALIGNMENT = 256  # bytes, as cudaMalloc aligns


@dataclass(frozen=True)
class Buffer:
    """One pointer argument. `whole` is what the candidate gets: band, elements, band."""

    argument: Argument
    whole: Bytes
    guard_bytes: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def size_bytes(self) -> int:
        return self.whole.size - 2 * self.guard_bytes

    def elements(self, after: Array | None = None) -> Array:
        """The elements, in this buffer or in what came back for it."""
        whole = self.whole if after is None else after.reshape(-1).view(np.uint8)
        inside = whole[self.guard_bytes : self.guard_bytes + self.size_bytes]
        return np.ascontiguousarray(inside).view(self.dtype).reshape(self.shape)

    @property
    def handed(self) -> Array:
        """A copy of everything, as elements where no bands stand around them, so that faults count in elements."""
        whole = self.whole.copy()
        return whole if self.guard_bytes else whole.view(self.dtype)

    def broken_guard(self, after: Array) -> int | None:
        """The element index at which a band was written, counted from the first element; None when both are whole."""
        if not self.guard_bytes:
            return None
        changed = self.whole != after.reshape(-1).view(np.uint8)
        changed[self.guard_bytes : self.guard_bytes + self.size_bytes] = False
        if not changed.any():
            return None
        return (int(np.argmax(changed)) - self.guard_bytes) // self.dtype.itemsize


def buffers(task: Task, inputs: Mapping[str, Array], poison: int, *, guarded: bool) -> dict[str, Buffer]:
    """Fresh buffers for one run; `poison` seeds every byte that is not an input, and differs between two runs."""
    random = np.random.default_rng(poison)
    made = {}
    for argument in task.arrays:
        array = np.ascontiguousarray(inputs[argument.name])
        guard = 0
        if guarded:
            guard = -(-GUARD_ELEMENTS * array.dtype.itemsize // ALIGNMENT) * ALIGNMENT
        whole = random.integers(0, 256, array.nbytes + 2 * guard, np.uint8)
        if argument.role != "out":
            whole[guard : guard + array.nbytes] = array.reshape(-1).view(np.uint8)
        made[argument.name] = Buffer(argument, whole, guard, array.dtype, array.shape)
    return made


def shifted(plan: LaunchPlan, made: Mapping[str, Buffer]) -> LaunchPlan:
    """The plan with every pointer into an argument moved past the band in front of it."""

    known: dict[Pointer, Pointer] = {}

    def moved(pointer: Pointer) -> Pointer:
        if pointer not in known:
            guard = made[pointer.buffer].guard_bytes if pointer.buffer in made else 0
            known[pointer] = replace(pointer, offset_bytes=pointer.offset_bytes + guard) if guard else pointer
        return known[pointer]

    def argument(one: KernelArgument) -> KernelArgument:
        if isinstance(one, Struct):
            return replace(one, pointers=tuple((offset, moved(pointer)) for offset, pointer in one.pointers))
        return moved(one) if isinstance(one, Pointer) else one

    def step(one: Step) -> Step:
        match one:
            case Launch():
                return replace(one, arguments=tuple(argument(a) for a in one.arguments))
            case Copy():
                return replace(one, target=moved(one.target), source=moved(one.source))
            case Fill():
                return replace(one, target=moved(one.target))
            case _:
                return one

    return LaunchPlan(tuple(step(one) for one in plan.steps))


def memory_faults(made: Mapping[str, Buffer], after: Mapping[str, Array]) -> list[Fault]:
    """Guard bands that were written and inputs that were changed."""
    faults = []
    for name, buffer in made.items():
        at = buffer.broken_guard(after[name])
        if at is not None:
            where = f"near {name}[{at}] of {_length(buffer)}"
            faults.append(Fault("guard", f"something was written outside {name}, {where}", remedy=STAY_INSIDE))
        if buffer.argument.role == "in":
            before, now = buffer.elements(), buffer.elements(after[name])
            # Field by field: the bytes between the fields of a struct mean nothing and need not survive a copy.
            if any(at_path(before, p).tobytes() != at_path(now, p).tobytes() for p in leaf_paths(before.dtype)):
                faults.append(Fault("input_changed", f"{name} is an input, and it was changed", remedy=COPY))
    return faults


def _length(buffer: Buffer) -> str:
    count = int(np.prod(buffer.shape))
    return "one element" if count == 1 else f"{count} elements"
