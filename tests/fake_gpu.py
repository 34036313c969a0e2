"""A CUDA driver in Python, for tests of what asks one: memory of the host, a clock that kernels move, kernels that are
functions. The bench's own kernels do here what trusted.cu does, as far as a test can see."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from cudaperf_magic.bench.gpu.driver import DriverError

Kernel = Callable[["FakeGpu", list[int]], float]  # its 8-byte arguments and gridDim.y -> its microseconds
MASK = (1 << 64) - 1
CALL_US = 0.5  # of the host between two launches in a stream; a graph has none


class FakeGpu:
    """`log` has the names of kernels and calls of interest, in the order in which the device sees them."""

    def __init__(self, kernels: dict[str, Kernel]) -> None:
        self.kernels = {**OWN, **kernels}
        self.memory: dict[int, Any] = {}
        self.functions: list[str] = []
        self.log: list[str] = []
        self.clock_us = 0.0
        self.events: dict[int, float] = {}
        self.captured: list[tuple[str, list[int]]] | None = None
        self.graphs: list[list[tuple[str, list[int]]]] = []
        self.failing: dict[str, int] = {}  # kernel -> the code that the next wait answers
        self.pending = 0

    def call(self, name: str, *arguments: Any) -> None:
        if name in LOGGED:
            self.log.append(name)
        getattr(self, name, lambda *_: None)(*arguments)

    def attribute(self, which: int, device: int) -> int:
        return {38: 1 << 16, 97: 1 << 10, 16: 4}[which]  # L2, shared memory of a block, multiprocessors

    # ------------------------------------------------------------------ memory

    def cuMemAlloc_v2(self, out: Any, size: ctypes.c_size_t) -> None:
        block = ctypes.create_string_buffer(size.value + 4096)
        address = -(-ctypes.addressof(block) // 4096) * 4096  # as aligned as a device's
        self.memory[address] = block
        out._obj.value = address

    def cuMemFree_v2(self, address: ctypes.c_uint64) -> None:
        del self.memory[address.value]

    def cuMemGetInfo_v2(self, free: Any, total: Any) -> None:
        free._obj.value = total._obj.value = 64 << 20

    def cuMemHostAlloc(self, out: Any, size: ctypes.c_size_t, flags: int) -> None:
        self.cuMemAlloc_v2(out, size)

    def cuMemFreeHost(self, place: ctypes.c_void_p) -> None:
        del self.memory[place.value or 0]

    def cuMemsetD8_v2(self, target: ctypes.c_uint64, byte: ctypes.c_ubyte, size: ctypes.c_size_t) -> None:
        ctypes.memset(target.value, byte.value, size.value)

    def cuMemsetD8Async(self, target: Any, byte: Any, size: Any, stream: Any) -> None:
        self.do("memset", [target.value, byte.value, size.value])

    def cuMemcpyDtoDAsync_v2(self, target: Any, source: Any, size: Any, stream: Any) -> None:
        self.do("memcpy", [target.value, source.value, size.value])

    def cuMemcpyHtoDAsync_v2(self, target: Any, source: Any, size: Any, stream: Any) -> None:
        self.do("memcpy", [target.value, address_of(source), size.value])

    def cuMemcpyDtoHAsync_v2(self, target: Any, source: Any, size: Any, stream: Any) -> None:
        self.do("memcpy", [target.value, source.value, size.value])

    def cuMemcpyDtoH_v2(self, target: Any, source: ctypes.c_uint64, size: ctypes.c_size_t) -> None:
        ctypes.memmove(address_of(target), source.value, size.value)

    # ----------------------------------------------------------------- kernels

    def cuModuleLoadData(self, out: Any, cubin: bytes) -> None:
        self.log.append(f"load {cubin.decode()}")
        out._obj.value = 1

    def cuModuleGetFunction(self, out: Any, module: Any, symbol: bytes) -> None:
        self.functions.append(symbol.decode())
        out._obj.value = len(self.functions)

    def cuLaunchKernelEx(self, config: Any, function: Any, pointers: Any, extra: Any) -> None:
        name = self.functions[function.value - 1]
        count = sum(1 for pointer in pointers if pointer)
        values = [int.from_bytes(ctypes.string_at(pointers[k], 8), "little") for k in range(count)]
        self.do(name, [*values, config._obj.grid[1]])

    def do(self, name: str, values: list[int]) -> None:
        if self.captured is not None:
            self.captured.append((name, values))
            return
        self.clock_us += CALL_US
        self.run(name, values)

    def run(self, name: str, values: list[int]) -> None:
        self.log.append(name)
        self.pending = self.failing.get(name, self.pending)
        self.clock_us += self.kernels[name](self, values)

    def cuStreamSynchronize(self, stream: Any) -> None:
        if self.pending:
            raise DriverError("cuStreamSynchronize", self.pending, "as told")

    # ------------------------------------------------------- events and graphs

    def cuEventCreate(self, out: Any, flags: int) -> None:
        out._obj.value = len(self.events) + 1
        self.events[len(self.events) + 1] = 0.0

    def cuEventRecord(self, event: Any, stream: Any) -> None:
        self.events[event.value] = self.clock_us

    def cuEventElapsedTime(self, out: Any, start: Any, end: Any) -> None:
        out._obj.value = (self.events[end.value] - self.events[start.value]) / 1000.0

    def cuStreamBeginCapture_v2(self, stream: Any, mode: int) -> None:
        self.captured = []

    def cuStreamEndCapture(self, stream: Any, out: Any) -> None:
        self.graphs.append(self.captured or [])
        self.captured = None
        out._obj.value = len(self.graphs)

    def cuGraphInstantiateWithFlags(self, out: Any, graph: Any, flags: Any) -> None:
        out._obj.value = graph.value

    def cuGraphLaunch(self, graph: Any, stream: Any) -> None:
        self.log.append("cuGraphLaunch")
        for name, values in self.graphs[graph.value - 1]:
            self.run(name, values)


LOGGED = ("cuEventRecord", "cuCtxResetPersistingL2Cache")


def address_of(place: Any) -> int:
    return int(place.value) if hasattr(place, "value") else ctypes.addressof(place)


def floats(address: int, count: int) -> Any:
    """Device memory as float32, to be read and written."""
    return np.ctypeslib.as_array((ctypes.c_float * count).from_address(address))


def _fingerprint(gpu: FakeGpu, values: list[int]) -> float:
    table, key, count = values
    for row in range(count):
        entry = (ctypes.c_uint64 * 4).from_address(table + 32 * row)
        data = ctypes.string_at(entry[0], entry[1])
        digest = hashlib.blake2b(data, digest_size=16, key=key.to_bytes(8, "little")).digest()
        entry[2], entry[3] = int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")
    return 0.0


def _vary(gpu: FakeGpu, values: list[int]) -> float:
    address, elements, _, key, _ = values
    bits = np.ctypeslib.as_array((ctypes.c_uint32 * elements).from_address(address))
    bits ^= np.random.default_rng(key).integers(0, 2, elements, np.uint32)
    return 0.0


def _set(gpu: FakeGpu, values: list[int]) -> float:
    ctypes.memset(*values)
    return 0.0


def _copy(gpu: FakeGpu, values: list[int]) -> float:
    ctypes.memmove(*values)
    return 0.0


OWN: dict[str, Kernel] = {
    "fingerprint": _fingerprint,
    "vary": _vary,
    "memset": _set,
    "memcpy": _copy,
    **dict.fromkeys(("flush", "scrub", "hold"), lambda gpu, values: 0.0),
}
