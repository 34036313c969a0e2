"""Kernels launched on torch's current stream, through the driver and torch's own context: its Where is a GPU.

A module of kernels is loaded once for each device. It makes no context, and copies nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

from ..gpu.driver import Driver, DriverError, load_driver
from ..gpu.launching import Functions, ReadyLaunch
from ..plan import Launch, Pointer

KEPT_LAUNCHES = 256
_NO_CONTEXT = (3, 201)  # CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT


class DevicePlace:
    """Args: cubin: of NVRTC. symbols: name as it is launched -> symbol in the cubin."""

    def __init__(self, cubin: bytes, symbols: Mapping[str, str], driver: Driver | None = None) -> None:
        self._cubin, self._symbols = cubin, dict(symbols)
        self._driver = driver or load_driver()
        self._functions: dict[int, Functions] = {}
        self._ready: dict[tuple[int, Launch], ReadyLaunch] = {}

    @property
    def number(self) -> int:
        import torch

        return torch.cuda.current_device()

    def device_of(self, tensor: Any) -> str:
        return str(tensor.device)

    def made_on(self, device: str) -> str:
        return device

    def must_be_current(self, device: str) -> None:
        if device.startswith("cuda:") and int(device[5:]) != self.number:
            raise RuntimeError(f"a guard for {device} while cuda:{self.number} is the current device")

    def used(self, tensor: Any) -> None:
        """Nothing is kept: torch's own allocator orders what follows by the stream."""

    def load(self) -> None:
        """Loads the kernels for the current device, so that the first launch need not (in a graph's capture, say)."""
        self._of_device(self.number)

    def launch(self, step: Launch) -> None:
        number = self.number
        key = number, step
        ready = self._ready.get(key)
        try:
            if ready is None:
                if len(self._ready) >= KEPT_LAUNCHES:
                    self._ready.clear()
                function = self._of_device(number).get(step.kernel, step.shared_bytes)
                ready = self._ready[key] = ReadyLaunch(self._driver, function, step, _address)
            ready.go(self._stream())
        except DriverError as error:
            raise RuntimeError(f"CUDA error: {error.text} ({step.kernel})") from None

    def fill(self, address: int, byte: int, size_bytes: int) -> None:
        try:
            self._driver.call(
                "cuMemsetD8Async", ctypes.c_uint64(address), ctypes.c_ubyte(byte), ctypes.c_size_t(size_bytes),
                self._stream(),
            )  # fmt: skip
        except DriverError as error:
            raise RuntimeError(f"CUDA error: {error.text} (cudaMemset)") from None

    def synchronize(self) -> None:
        import torch

        torch.cuda.synchronize()

    def attribute(self, which: int) -> int:
        return self._driver.attribute(which, self.number)

    def _stream(self) -> ctypes.c_void_p:
        import torch

        return ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

    def _of_device(self, number: int) -> Functions:
        if number not in self._functions:
            self._functions[number] = Functions(self._driver, self._loaded(), self._symbols)
        return self._functions[number]

    def _loaded(self) -> ctypes.c_void_p:
        import torch

        module = ctypes.c_void_p()
        try:
            self._driver.call("cuModuleLoadData", ctypes.byref(module), self._cubin)
        except DriverError as error:
            if error.code not in _NO_CONTEXT:
                raise
            torch.zeros(1, device="cuda")  # torch makes its context, current in this thread
            self._driver.call("cuModuleLoadData", ctypes.byref(module), self._cubin)
        return module


def _address(pointer: Pointer) -> int:
    return pointer.offset_bytes
