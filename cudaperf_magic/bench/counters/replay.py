"""A process of its own that runs one plan once, for tools that watch whole processes (ncu, compute-sanitizer).

    python -m cudaperf_magic.bench.counters.replay FILE

FILE is a `Replay` that this package wrote itself a moment before. Memory stays as the plan leaves it: a workspace or an
output that nobody wrote is uninitialised here, so that a checker can say so. It compares and reports nothing.
"""

from __future__ import annotations

import ctypes
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ..gpu.driver import Driver, load_driver
from ..gpu.launching import Functions, ReadyLaunch
from ..plan import Allocate, Copy, Fill, Free, Launch, LaunchPlan, Pointer, Step


@dataclass(frozen=True)
class Replay:
    """What to run: arrays by the plan's names of its parameters; those in `unwritten` are only allocated."""

    cubin: bytes
    symbols: dict[str, str]
    plan: LaunchPlan
    arrays: dict[str, NDArray[Any]]
    unwritten: frozenset[str] = frozenset()
    device: int = 0

    def write(self, path: Path) -> None:
        path.write_bytes(pickle.dumps(self, protocol=5))


class Memory:
    """The buffers of one plan on the device, by name."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.start: dict[str, int] = {}

    def allocate(self, name: str, size_bytes: int) -> None:
        place = ctypes.c_uint64()
        self.driver.call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(max(size_bytes, 1)))
        self.start[name] = place.value

    def address(self, pointer: Pointer) -> int:
        base = self.start[pointer.buffer] if pointer.buffer else 0
        return (base + pointer.offset_bytes) % (1 << 64)

    def copy_in(self, name: str, array: NDArray[Any]) -> None:
        if array.nbytes:
            place, data = ctypes.c_uint64(self.start[name]), ctypes.c_void_p(array.ctypes.data)
            self.driver.call("cuMemcpyHtoD_v2", place, data, ctypes.c_size_t(array.nbytes))


def play(replay: Replay) -> None:
    driver = load_driver()
    device, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    driver.call("cuDeviceGet", ctypes.byref(device), replay.device)
    driver.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    driver.call("cuCtxSetCurrent", context)
    driver.call("cuModuleLoadData", ctypes.byref(module), replay.cubin)
    memory = Memory(driver)
    for name, array in replay.arrays.items():
        memory.allocate(name, array.nbytes)
        if name not in replay.unwritten:
            memory.copy_in(name, array)
    functions = Functions(driver, module, replay.symbols)
    for step in replay.plan.steps:
        _do(step, driver, memory, functions)
    driver.call("cuCtxSynchronize")
    driver.call("cuDevicePrimaryCtxRelease_v2", device)


def _do(step: Step, driver: Driver, memory: Memory, functions: Functions) -> None:
    match step:
        case Allocate(name, size_bytes):
            memory.allocate(name, size_bytes)
        case Free(name):
            driver.call("cuMemFree_v2", ctypes.c_uint64(memory.start.pop(name)))
        case Fill(target, byte, size_bytes):
            place = ctypes.c_uint64(memory.address(target))
            driver.call("cuMemsetD8_v2", place, ctypes.c_ubyte(byte), ctypes.c_size_t(size_bytes))
        case Copy(target, source, size_bytes):
            to, start = ctypes.c_uint64(memory.address(target)), ctypes.c_uint64(memory.address(source))
            driver.call("cuMemcpyDtoD_v2", to, start, ctypes.c_size_t(size_bytes))
        case Launch():
            function = functions.get(step.kernel, step.shared_bytes)
            ReadyLaunch(driver, function, step, memory.address).go()


def main() -> int:
    replay = pickle.loads(Path(sys.argv[1]).read_bytes())
    assert isinstance(replay, Replay)
    play(replay)
    return 0


if __name__ == "__main__":
    # Pickle must find the class where it was written from, not in __main__.
    from cudaperf_magic.bench.counters import replay as itself

    sys.exit(itself.main())
