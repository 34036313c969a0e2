"""A program's arrays in host memory that the device reads and writes directly: for the time with transfers.

It queues copies; timing.py puts the call between them and the events around.
"""

from __future__ import annotations

import contextlib
import ctypes

from cudaperf_magic.bench.gpu.driver import Driver, DriverError
from cudaperf_magic.bench.gpu.sets import BufferSet, DeviceArray, Program

_READ_ONLY = 8  # CU_MEMHOSTREGISTER_READ_ONLY


class HostArrays:
    """What a caller would hold: each array once, inputs with their values; outputs have memory of their own."""

    def __init__(self, driver: Driver, stream: ctypes.c_void_p, program: Program) -> None:
        """Raises DriverError when no memory can be registered or had."""
        self._driver, self._stream, self._program = driver, stream, program
        self._registered: list[int] = []
        self._allocated: list[int] = []
        self._places: dict[str, int] = {}
        try:
            for array in program.arrays:
                if array.host.nbytes:
                    self._places[array.name] = self._place(array)
        except DriverError:
            self.release()
            raise

    def queue_inputs(self, one: BufferSet) -> None:
        for array in self._program.arrays:
            if array.role != "out" and array.host.nbytes:
                device, host = ctypes.c_uint64(one.address(array.name)), ctypes.c_void_p(self._places[array.name])
                self._driver.call(
                    "cuMemcpyHtoDAsync_v2", device, host, ctypes.c_size_t(array.host.nbytes), self._stream
                )

    def queue_outputs(self, one: BufferSet) -> None:
        for array in self._program.outputs:
            if array.host.nbytes:
                device, host = ctypes.c_uint64(one.address(array.name)), ctypes.c_void_p(self._places[array.name])
                self._driver.call(
                    "cuMemcpyDtoHAsync_v2", host, device, ctypes.c_size_t(array.host.nbytes), self._stream
                )

    def refresh(self) -> None:
        """`inout` arrays, which the last call's outputs replaced, get their values back."""
        for array in self._program.arrays:
            if array.role == "inout" and array.host.nbytes:
                ctypes.memmove(self._places[array.name], array.host.ctypes.data, array.host.nbytes)

    def release(self) -> None:
        with contextlib.suppress(DriverError):
            while self._registered:
                self._driver.call("cuMemHostUnregister", ctypes.c_void_p(self._registered.pop()))
            while self._allocated:
                self._driver.call("cuMemFreeHost", ctypes.c_void_p(self._allocated.pop()))

    def _place(self, array: DeviceArray) -> int:
        """Inputs where they are, if the driver takes that memory; the rest in memory of the driver's."""
        address, size = array.host.ctypes.data, ctypes.c_size_t(array.host.nbytes)
        if array.role == "in":
            with contextlib.suppress(DriverError):
                flags = 0 if array.host.flags.writeable else _READ_ONLY
                self._driver.call("cuMemHostRegister_v2", ctypes.c_void_p(address), size, flags)
                self._registered.append(address)
                return address
        made = ctypes.c_void_p()
        self._driver.call("cuMemHostAlloc", ctypes.byref(made), size, 0)
        place = made.value or 0
        self._allocated.append(place)
        if array.role != "out":
            ctypes.memmove(place, address, array.host.nbytes)
        return place
