"""Kernels launched on the simulator, over tensors in host memory that host code takes for a device's.

For tests, and for machines without a GPU. A fault of a kernel is a RuntimeError, as CUDA's would be. It claims no time.
"""

from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from ..nvrtc import Compiled
from ..plan import KernelArgument, Launch, LaunchPlan, Pointer, Struct
from ..simulator.launch import simulate

DEVICE = "cuda:0"
KEPT_TENSORS = 64  # whose addresses were asked for last
_ATTRIBUTES = {  # of an H100, by CUdevice_attribute
    1: 1024, 8: 49152, 10: 32, 12: 65536, 16: 132, 38: 52428800, 39: 2048, 75: 9, 76: 0, 81: 233472, 82: 65536, 95: 1,
    97: 232448, 106: 32,
}  # fmt: skip


class SimulatedPlace:
    number = 0

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self._tensors: list[Any] = []

    def device_of(self, tensor: Any) -> str:
        return DEVICE if tensor.device.type == "cpu" else str(tensor.device)

    def made_on(self, device: str) -> str:
        return "cpu"

    def must_be_current(self, device: str) -> None:
        if device.startswith("cuda:") and device != DEVICE:
            raise RuntimeError(f"a guard for {device} while {DEVICE} is the current device")

    def used(self, tensor: Any) -> None:
        self._tensors = [*self._tensors[-KEPT_TENSORS:], tensor]

    def launch(self, step: Launch) -> None:
        arrays: dict[str, NDArray[Any]] = {}
        given = tuple(self._placed(argument, arrays) for argument in step.arguments)
        result = simulate(self.compiled, LaunchPlan((replace(step, arguments=given),)), arrays, instrument="none")
        if result.faults:
            raise RuntimeError(f"CUDA error: {step.kernel} {result.faults[0].message}")

    def _placed(self, argument: KernelArgument, arrays: dict[str, NDArray[Any]]) -> KernelArgument:
        if isinstance(argument, Pointer):
            return self._found(argument.offset_bytes, arrays)
        if isinstance(argument, Struct):
            inner = tuple((at, self._found(pointer.offset_bytes, arrays)) for at, pointer in argument.pointers)
            return replace(argument, pointers=inner)
        return argument

    def _found(self, address: int, arrays: dict[str, NDArray[Any]]) -> Pointer:
        """Which tensor's memory an address leads to, of those that were asked for last."""
        if not address:
            return Pointer("")
        for tensor in reversed(self._tensors):
            storage = tensor.untyped_storage()
            start = storage.data_ptr()
            if start <= address < start + max(storage.nbytes(), 1):
                name = f"tensor_{start:x}"
                if name not in arrays:
                    arrays[name] = _bytes(storage)
                return Pointer(name, address - start)
        raise RuntimeError("CUDA error: an address that is no tensor's")

    def fill(self, address: int, byte: int, size_bytes: int) -> None:
        ctypes.memset(address, byte, size_bytes)

    def synchronize(self) -> None:
        """Nothing is ever under way."""

    def attribute(self, which: int) -> int:
        return _ATTRIBUTES[which]


def _bytes(storage: Any) -> NDArray[Any]:
    import torch

    found: NDArray[Any] = torch.empty(0, dtype=torch.uint8).set_(storage).numpy()
    return found
