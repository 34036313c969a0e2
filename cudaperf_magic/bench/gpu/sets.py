"""One set of a program's arrays and workspaces on the device, with the plan's steps laid out on them.

A set is restored, poisoned, called and looked at; timing.py decides when. It measures nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from cudaperf_magic.bench.gpu.driver import Driver, DriverError
from cudaperf_magic.bench.gpu.graph import Graph
from cudaperf_magic.bench.gpu.ipc import handle_of
from cudaperf_magic.bench.gpu.launching import Functions, ReadyLaunch
from cudaperf_magic.bench.gpu.places import Layout, Place, lay_out
from cudaperf_magic.bench.gpu.running import fault_of
from cudaperf_magic.bench.gpu.trusted import COMPARED
from cudaperf_magic.bench.plan import Allocate, Copy, Fill, Free, Launch, LaunchPlan, Pointer, Step
from cudaperf_magic.records import Fault, Role

PAGE_BYTES = 2 << 20  # of device memory: the least that is mapped
Ready = Callable[[ctypes.c_void_p], None]


@dataclass(frozen=True)
class DeviceArray:
    """An argument: its bytes on the host, its role, and whether the last bit of its elements may be turned over.

    `dtype` is a NumPy name; only float32 and float64 arrays are ever varied or compared by distance.
    """

    name: str
    role: Role
    host: NDArray[Any]
    may_vary: bool = False

    @property
    def dtype(self) -> str:
        return self.host.dtype.name

    @property
    def is_varied(self) -> bool:
        return self.may_vary and self.role != "out" and self.dtype in COMPARED

    @property
    def is_written(self) -> bool:
        return self.role != "in"


@dataclass(frozen=True)
class Program:
    """What is called: compiled kernels, their symbols by the names that the plan uses, and the plan."""

    cubin: bytes
    symbols: Mapping[str, str]
    plan: LaunchPlan
    arrays: tuple[DeviceArray, ...]
    remembers: tuple[str, ...] = ()  # the module's own variables that its kernels may write to

    @property
    def layout(self) -> Layout:
        return lay_out(self.plan, {array.name: array.host.nbytes for array in self.arrays})

    @property
    def outputs(self) -> tuple[DeviceArray, ...]:
        return tuple(array for array in self.arrays if array.is_written)


class BufferSet:
    """Arrays, workspaces and, beside them, what `inout` arrays hold before a call."""

    def __init__(
        self,
        driver: Driver,
        stream: ctypes.c_void_p,
        program: Program,
        layout: Layout,
        *,
        lent_base: int | None = None,
    ) -> None:
        """On memory of its own, or on another process's set of the same program, mapped at `lent_base`.

        Raises:
            DriverError: the device has no room.
        """
        self._driver, self._stream, self._program, self.layout = driver, stream, program, layout
        self._inout = [array for array in program.arrays if array.role == "inout"]
        pristine_bytes = sum(-(-array.host.nbytes // 512) * 512 for array in self._inout)
        used_bytes = layout.size_bytes + pristine_bytes
        # Whole pages, so that what is mapped behind the set is known, and looked at.
        self.size_bytes = -(-used_bytes // PAGE_BYTES) * PAGE_BYTES
        self.bands = (*layout.bands, Place(used_bytes, self.size_bytes - used_bytes))
        base = ctypes.c_uint64(lent_base or 0)
        if lent_base is None:
            driver.call("cuMemAlloc_v2", ctypes.byref(base), ctypes.c_size_t(self.size_bytes))
        self.base = base.value
        self._pristine: dict[str, int] = {}
        at = self.base + layout.size_bytes
        for array in self._inout:
            self._pristine[array.name] = at
            at += -(-array.host.nbytes // 512) * 512
        self._steps: list[Ready] = []
        self._graph: Graph | None = None

    # ---------------------------------------------------------------- contents

    def address(self, name: str) -> int:
        return self.base + self.layout.arrays[name].offset

    def source(self, array: DeviceArray) -> int:
        """Where the array's values before a call lie: `inout` ones have a copy of their own."""
        return self._pristine.get(array.name, self.address(array.name))

    @property
    def written(self) -> list[tuple[int, int]]:
        """Address and bytes of each output."""
        return [(self.address(array.name), array.host.nbytes) for array in self._program.outputs]

    @property
    def untouched(self) -> list[tuple[str, tuple[int, int]]]:
        """What no call may change: inputs by name; unnamed the bands, and what `inout` arrays are restored from."""
        arrays = self._program.arrays
        inputs = [(one.name, (self.address(one.name), one.host.nbytes)) for one in arrays if one.role == "in"]
        bands = [("", (self.base + band.offset, band.size_bytes)) for band in self.bands]
        return [*inputs, *bands, *(("", (self._pristine[one.name], one.host.nbytes)) for one in self._inout)]

    def handle(self) -> bytes:
        """By which another process maps the set's memory."""
        return handle_of(self._driver, self.base)

    def upload(self, array: DeviceArray) -> None:
        if array.host.nbytes:
            host, size = ctypes.c_void_p(array.host.ctypes.data), ctypes.c_size_t(array.host.nbytes)
            self._driver.call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(self.source(array)), host, size, self._stream)

    def restore(self) -> None:
        """`inout` arrays get their values back."""
        for array in self._inout:
            self.copy(self.address(array.name), self._pristine[array.name], array.host.nbytes)

    def poison(self, byte: int) -> None:
        """Everything that a call has to write gets the byte; workspaces too."""
        for array in self._program.outputs:
            if array.role == "out":
                self.fill(self.layout.arrays[array.name], byte)
        for place in self.layout.written:
            self.fill(place, byte)

    def fill(self, place: Place, byte: int) -> None:
        if place.size_bytes:
            address, size = ctypes.c_uint64(self.base + place.offset), ctypes.c_size_t(place.size_bytes)
            self._driver.call("cuMemsetD8Async", address, ctypes.c_ubyte(byte), size, self._stream)

    def copy(self, target: int, source: int, size_bytes: int) -> None:
        if size_bytes:
            to, start = ctypes.c_uint64(target), ctypes.c_uint64(source)
            self._driver.call("cuMemcpyDtoDAsync_v2", to, start, ctypes.c_size_t(size_bytes), self._stream)

    # ---------------------------------------------------------------- the call

    def bind(self, functions: Functions) -> None:
        """Lays the plan's steps out on this set's addresses, for a module as it is loaded now."""
        self.unbind()
        self._steps = _Steps(self._driver, functions, self.base, self.layout).of(self._program.plan)

    def unbind(self) -> None:
        if self._graph is not None:
            self._graph.release()
        self._graph, self._steps = None, []

    @property
    def steps(self) -> int:
        """Launches, fills and copies of one call."""
        return len(self._steps)

    def capture(self) -> None:
        """Makes the call a CUDA graph from now on. Raises DriverError where it cannot be one."""
        self._graph = Graph(self._driver, self._stream, self._steps)

    def uncapture(self) -> None:
        if self._graph is not None:
            self._graph.release()
        self._graph = None

    @property
    def is_graph(self) -> bool:
        return self._graph is not None

    def call(self) -> None:
        """Queues one call on the stream."""
        if self._graph is not None:
            self._graph.go(self._stream)
            return
        for step in self._steps:
            step(self._stream)

    def watched_call(self) -> Fault | None:
        """One call, each step waited for, so that a fault has its kernel and line."""
        asked = (step for step in self._program.plan.steps if not isinstance(step, (Allocate, Free)))
        for step, ready in zip(asked, self._steps, strict=True):
            try:
                ready(self._stream)
                self._driver.call("cuStreamSynchronize", self._stream)
            except DriverError as error:
                return fault_of(step, error)
        return None

    def release(self) -> None:
        with contextlib.suppress(DriverError):
            self.unbind()
            self._driver.call("cuMemFree_v2", ctypes.c_uint64(self.base))


class _Steps:
    """Walks a plan, knowing where each workspace lies at each step."""

    def __init__(self, driver: Driver, functions: Functions, base: int, layout: Layout) -> None:
        self._driver, self._functions, self._base = driver, functions, base
        self._places = dict(layout.arrays)
        self._workspaces = iter(layout.workspaces)

    def of(self, plan: LaunchPlan) -> list[Ready]:
        made = []
        for step in plan.steps:
            ready = self._ready(step)
            if ready is not None:
                made.append(ready)
        return made

    def _address(self, pointer: Pointer) -> int:
        base = self._base + self._places[pointer.buffer].offset if pointer.buffer else 0
        return (base + pointer.offset_bytes) % (1 << 64)

    def _ready(self, step: Step) -> Ready | None:
        match step:
            case Allocate(name):
                self._places[name] = next(self._workspaces)
                return None
            case Free():
                return None
            case Launch():
                function = self._functions.get(step.kernel, step.shared_bytes)
                return ReadyLaunch(self._driver, function, step, self._address).go
            case Fill(target, byte, size_bytes):
                return self._fill(ctypes.c_uint64(self._address(target)), byte, size_bytes)
            case Copy(target, source, size_bytes):
                to, start = ctypes.c_uint64(self._address(target)), ctypes.c_uint64(self._address(source))
                return self._copy(to, start, ctypes.c_size_t(size_bytes))

    def _fill(self, address: ctypes.c_uint64, byte: int, size_bytes: int) -> Ready:
        value, size, driver = ctypes.c_ubyte(byte), ctypes.c_size_t(size_bytes), self._driver
        return lambda stream: driver.call("cuMemsetD8Async", address, value, size, stream)

    def _copy(self, to: ctypes.c_uint64, start: ctypes.c_uint64, size: ctypes.c_size_t) -> Ready:
        driver = self._driver
        return lambda stream: driver.call("cuMemcpyDtoDAsync_v2", to, start, size, stream)
