"""What this card does at most: bandwidth by size, operations a second, the cost of a launch. Measured once, then kept.

Each figure is the best of several runs: a ceiling is what was reached, not what is usual. It holds nothing against
them; measuring/floor.py does.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cudaperf_magic.bench.cache import Cache, key_of
from cudaperf_magic.bench.gpu.driver import Driver, free_bytes
from cudaperf_magic.bench.gpu.launching import Functions, ReadyLaunch
from cudaperf_magic.bench.gpu.trusted import MULTIPROCESSORS, Trusted
from cudaperf_magic.bench.measuring.floor import Ceilings, Curve
from cudaperf_magic.bench.plan import KernelArgument, Launch, Pointer, Scalar

SOURCE = Path(__file__).with_name("ceilings.cu")
VERSION = "ceilings-2"
SIZES = tuple(1 << power for power in range(22, 31))  # bytes of one array: 4 MiB to 1 GiB
SHARE = 3  # two arrays take at most a third of what is free: others may be working on the card
RUNS = 5
HOLD_US = 60.0
THREADS = 256
DEPTH = {"read_all": 4, "write_all": 4, "copy_all": 1}  # vectors of 16 bytes a thread, as in ceilings.cu
# Of the kernels that count operations: steps of one thread in a round, blocks for each multiprocessor, operations of
# one step, and how many rounds take it to about half a millisecond.
STEPS, BLOCKS = 64, 8
RATES = {
    "float32": ("fma_float", "float", 2, 2000),
    "float64": ("fma_double", "double", 2, 200),
    "int32 add": ("add_int", "int", 2, 1000),
    "int32 multiply": ("mul_int", "int", 2, 1000),
    "exp2": ("exp2_float", "float", 1, 500),
}
LAUNCHES = 200


def held_ceilings(uuid: str, driver_version: str, cache: Cache) -> Ceilings | None:
    """What an earlier measurement of this card with this driver left."""
    data = cache.read(_key(uuid, driver_version))
    try:
        return None if data is None else _read(json.loads(data))
    except (ValueError, KeyError, TypeError):
        return None


def keep_ceilings(found: Ceilings, cache: Cache) -> None:
    cache.write(_key(found.uuid, found.driver), json.dumps(asdict(found)).encode())


def measure_ceilings(
    driver: Driver,
    trusted_cubin: bytes,
    cubin: bytes,
    *,
    device: int,
    gpu: str,
    uuid: str,
    driver_version: str,
    sizes: tuple[int, ...] = SIZES,
) -> Ceilings:
    """In a child with a context on the device, alone on it (gpu_lock); about a second.

    Args:
        trusted_cubin, cubin: trusted.cu and ceilings.cu, of `trusted.trusted_cubin`.

    Raises:
        DriverError: the device does not play along.
    """
    bench = _Bench(driver, trusted_cubin, cubin, device)
    try:
        read, write, copy = bench.curves(sizes)
        return Ceilings(
            gpu=gpu,
            uuid=uuid,
            driver=driver_version,
            l2_bytes=bench.trusted.l2_bytes,
            read=read,
            write=write,
            copy=copy,
            rates={name: bench.rate(*given) for name, given in RATES.items()},
            launch_us=bench.launch_us(),
        )
    finally:
        bench.close()


class _Bench:
    def __init__(self, driver: Driver, trusted_cubin: bytes, cubin: bytes, device: int) -> None:
        self._driver, self._device = driver, device
        self._stream, self._module = ctypes.c_void_p(), ctypes.c_void_p()
        driver.call("cuStreamCreate", ctypes.byref(self._stream), 1)
        self._events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in self._events:
            driver.call("cuEventCreate", ctypes.byref(event), 0)
        driver.call("cuModuleLoadData", ctypes.byref(self._module), cubin)
        self._functions = Functions(driver, self._module, {})
        self.trusted = Trusted(driver, trusted_cubin, self._stream, device, key=0)

    def curves(self, sizes: tuple[int, ...]) -> tuple[Curve, Curve, Curve]:
        """Microseconds of reading, writing and copying, by the bytes that cross the memory bus."""
        most = free_bytes(self._driver) // SHARE
        fitting = [size for size in sizes if 2 * size <= most] or [min(sizes)]
        places = [self._allocated(max(fitting)) for _ in range(2)]
        try:
            found = [self._moved(size, *places) for size in fitting]
        finally:
            for place in places:
                self._driver.call("cuMemFree_v2", ctypes.c_uint64(place))
        read, write, copy = (
            tuple((passes * size, times[k]) for size, times in zip(fitting, found, strict=True))
            for k, passes in enumerate((1, 1, 2))
        )
        return read, write, copy

    def rate(self, kernel: str, c_type: str, operations: int, rounds: int) -> float:
        """Operations a second."""
        blocks = BLOCKS * self._driver.attribute(MULTIPROCESSORS, self._device)
        result = self._allocated(16)
        value = 3 if c_type == "int" else 0.999
        given = (Pointer("", result), Scalar("unsigned int", rounds), Scalar(c_type, value), Scalar(c_type, value))
        try:
            us = self._best(self._launch(kernel, blocks, *given), is_cold=False)
        finally:
            self._driver.call("cuMemFree_v2", ctypes.c_uint64(result))
        return 1e6 * blocks * THREADS * rounds * STEPS * operations / us

    def launch_us(self) -> float:
        go = self._launch("nothing", 1)

        def many() -> None:
            for _ in range(LAUNCHES):
                go()

        return self._best(many, is_cold=False, hold_us=20 * HOLD_US) / LAUNCHES

    def close(self) -> None:
        self.trusted.release()
        self._driver.call("cuModuleUnload", self._module)
        for event in self._events:
            self._driver.call("cuEventDestroy_v2", event)
        self._driver.call("cuStreamDestroy_v2", self._stream)

    def _moved(self, size_bytes: int, first: int, second: int) -> tuple[float, float, float]:
        vectors = Scalar("unsigned long long", size_bytes // 16)
        other, value = Pointer("", second), Scalar("unsigned int", 7)
        last: dict[str, KernelArgument] = {"read_all": other, "write_all": value, "copy_all": other}
        read, write, copy = (
            self._best(self._launch(kernel, blocks_for(kernel, size_bytes), Pointer("", first), vectors, argument))
            for kernel, argument in last.items()
        )
        return read, write, copy

    def _launch(self, kernel: str, blocks: int, *arguments: KernelArgument) -> Callable[[], None]:
        step = Launch(kernel, (blocks, 1, 1), (THREADS, 1, 1), arguments)
        ready = ReadyLaunch(self._driver, self._functions.get(kernel), step, lambda pointer: pointer.offset_bytes)
        return lambda: ready.go(self._stream)

    def _best(self, action: Callable[[], None], *, is_cold: bool = True, hold_us: float = HOLD_US) -> float:
        """Microseconds, the least of RUNS, after one that is not counted."""
        start, end = self._events
        found = []
        for _ in range(RUNS + 1):
            if is_cold:
                self.trusted.flush()
            self._driver.call("cuStreamSynchronize", self._stream)
            self.trusted.hold(hold_us)
            self._driver.call("cuEventRecord", start, self._stream)
            action()
            self._driver.call("cuEventRecord", end, self._stream)
            self._driver.call("cuEventSynchronize", end)
            took_ms = ctypes.c_float()
            self._driver.call("cuEventElapsedTime", ctypes.byref(took_ms), start, end)
            found.append(1000.0 * took_ms.value)
        return min(found[1:])

    def _allocated(self, size_bytes: int) -> int:
        place = ctypes.c_uint64()
        self._driver.call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(size_bytes))
        return place.value


def blocks_for(kernel: str, size_bytes: int) -> int:
    """Blocks of one of the kernels that move an array of so many bytes."""
    return -(-size_bytes // (16 * THREADS * DEPTH[kernel]))


def _key(uuid: str, driver_version: str) -> str:
    return key_of(VERSION, uuid, driver_version)


def _read(data: dict[str, Any]) -> Ceilings:
    for name in ("read", "write", "copy"):
        data[name] = tuple((int(size), float(us)) for size, us in data[name])
    return Ceilings(**data)
