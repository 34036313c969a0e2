"""LaunchPlan: what a host function does on the device for concrete sizes, as data. Nothing here runs anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Dim3 = tuple[int, int, int]


@dataclass(frozen=True)
class Pointer:
    """A place in a buffer: a parameter's own name, or a workspace that the plan allocates; "" is the null pointer."""

    buffer: str
    offset_bytes: int = 0


@dataclass(frozen=True)
class Scalar:
    """A by-value kernel argument; `c_type` is its full name: "int", "float", "unsigned int", "unsigned long long"."""

    c_type: str
    value: int | float | bool


@dataclass(frozen=True)
class Struct:
    """A struct passed by value: its bytes as C lays them out, and which of them are addresses on the device."""

    c_type: str
    data: bytes
    pointers: tuple[tuple[int, Pointer], ...] = ()  # (offset in the data, where it points to)

    def placed(self, address: Callable[[Pointer], int]) -> bytes:
        """The bytes with the addresses that pointers have in one run."""
        made = bytearray(self.data)
        for offset, pointer in self.pointers:
            made[offset : offset + 8] = address(pointer).to_bytes(8, "little")
        return bytes(made)


KernelArgument = Pointer | Scalar | Struct


@dataclass(frozen=True)
class Allocate:
    buffer: str
    size_bytes: int


@dataclass(frozen=True)
class Free:
    buffer: str


@dataclass(frozen=True)
class Fill:
    """cudaMemset: `size_bytes` bytes of `byte`."""

    target: Pointer
    byte: int
    size_bytes: int


@dataclass(frozen=True)
class Copy:
    """Device to device."""

    target: Pointer
    source: Pointer
    size_bytes: int


@dataclass(frozen=True)
class Launch:
    kernel: str  # as written in the launch: "saxpy_kernel" or "reduce<float, 256>"
    grid: Dim3
    block: Dim3
    arguments: tuple[KernelArgument, ...]
    shared_bytes: int = 0
    is_cooperative: bool = False
    cluster: Dim3 | None = None
    line: int = 0


Step = Allocate | Free | Fill | Copy | Launch


@dataclass(frozen=True)
class LaunchPlan:
    steps: tuple[Step, ...]

    @property
    def launches(self) -> tuple[Launch, ...]:
        return tuple(step for step in self.steps if isinstance(step, Launch))

    @property
    def kernels(self) -> tuple[str, ...]:
        """Distinct kernel names in order of first launch."""
        return tuple(dict.fromkeys(launch.kernel for launch in self.launches))

    @property
    def peak_bytes(self) -> int:
        """Most workspace held at once, in bytes."""
        held: dict[str, int] = {}
        peak = 0
        for step in self.steps:
            if isinstance(step, Allocate):
                held[step.buffer] = step.size_bytes
            elif isinstance(step, Free):
                held.pop(step.buffer, None)
            peak = max(peak, sum(held.values()))
        return peak
