"""The bench's own kernels on the device (trusted.cu): fingerprints, the flush of L2, and what else runs between calls.

The module is loaded anew after a candidate's kernels have ended, so that one that wrote over code cannot have changed
it. What the values mean, and whether they are right, others say.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cudaperf_magic.bench.building import compile_in_child
from cudaperf_magic.bench.gpu.driver import Driver
from cudaperf_magic.bench.gpu.fingerprint import BLOCKS, THREADS, finished
from cudaperf_magic.bench.gpu.launching import Functions, ReadyLaunch
from cudaperf_magic.bench.measuring.samples import Distance
from cudaperf_magic.bench.plan import Launch, Pointer, Scalar
from cudaperf_magic.errors import ToolchainError

SOURCE = Path(__file__).with_name("trusted.cu")
L2_BYTES, MOST_SHARED, MULTIPROCESSORS = 38, 97, 16  # CUdevice_attribute
FLUSH = 2  # times L2: it may keep a line in both of its halves; measured, once is enough
PERSISTING_L2 = 6  # CU_LIMIT_PERSISTING_L2_CACHE_SIZE
_RESULT_BYTES = 2 << 20  # a page of their own, all of which `wipe` overwrites
_SPREAD = (1024, 1, 1)  # blocks of the kernels that stride over all elements
COMPARED = {"float32": "compare_float", "float64": "compare_double"}


def trusted_cubin(arch: str, source: Path = SOURCE) -> bytes:
    """The bench's own kernels, compiled in a child process and kept in the cache; for any process but a GPU's.

    Raises:
        ToolchainError: there is no compiler for this architecture.
    """
    compiled = compile_in_child(source.read_text(), arch, ())
    if not compiled.build.ok:
        raise ToolchainError(f"the bench's own kernels do not compile for {arch}: {compiled.build.log}")
    return compiled.cubin


class Trusted:
    """The kernels in the current context, on one stream. `renew` before each use that follows a candidate's kernels."""

    def __init__(self, driver: Driver, cubin: bytes, stream: ctypes.c_void_p, device: int, key: int) -> None:
        self._driver, self._cubin, self.stream, self._key = driver, cubin, stream, key
        self._module = ctypes.c_void_p()
        self.l2_bytes = driver.attribute(L2_BYTES, device)
        self._blocks = driver.attribute(MULTIPROCESSORS, device)
        self._shared_bytes = driver.attribute(MOST_SHARED, device)
        self._scrap_bytes = max(FLUSH * self.l2_bytes, 1 << 20)
        self._scrap = self._allocated(self._scrap_bytes)
        self._results = self._allocated(_RESULT_BYTES)
        self._most_results = _RESULT_BYTES
        self.wipe()
        driver.call("cuCtxSetLimit", PERSISTING_L2, ctypes.c_size_t(0))
        self.renew()

    def renew(self) -> None:
        """Loads the kernels anew."""
        if self._module:
            self._driver.call("cuModuleUnload", self._module)
        self._module = ctypes.c_void_p()
        self._driver.call("cuModuleLoadData", ctypes.byref(self._module), self._cubin)
        self._functions = Functions(self._driver, self._module, {})

    def fingerprints(self, places: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        """Of each (address, bytes), as `fingerprint.fingerprint` has it; waits for the stream."""
        if not places:
            return ()
        table = (ctypes.c_uint64 * (4 * len(places)))()
        for number, place in enumerate(places):
            table[4 * number : 4 * number + 2] = list(place)
        results, size = self._room(ctypes.sizeof(table)), ctypes.c_size_t(ctypes.sizeof(table))
        self._driver.call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(results), table, size, self.stream)
        self._launch("fingerprint", (BLOCKS, len(places), 1), THREADS, results, _u64(self._key))
        self._fetch(results, table)
        sums = zip(table[2::4], table[3::4], strict=True)
        return tuple(finished(pair, size, self._key) for pair, (_, size) in zip(sums, places, strict=True))

    def wipe(self) -> None:
        """Overwrites the memory of the bench's own, in which a kernel could have kept an answer."""
        for address, size_bytes in ((self._scrap, self._scrap_bytes), (self._results, self._most_results)):
            given = ctypes.c_uint64(address), ctypes.c_ubyte(0), ctypes.c_size_t(size_bytes)
            self._driver.call("cuMemsetD8Async", *given, self.stream)

    def flush(self) -> None:
        """Empties L2 of what calls before have left there, persisting lines too, and writes dirty ones back."""
        self.wipe()
        self._driver.call("cuCtxResetPersistingL2Cache")
        self._launch("flush", _SPREAD, 256, self._scrap, _u64(self._scrap_bytes // 16), self._results)

    def scrub(self, pattern: int) -> None:
        """Overwrites every multiprocessor's shared memory."""
        words = self._shared_bytes // 4
        self._launch(
            "scrub", (self._blocks, 1, 1), 1024, Scalar("unsigned int", words), Scalar("unsigned int", pattern),
            shared_bytes=self._shared_bytes,
        )  # fmt: skip

    def hold(self, microseconds: float) -> None:
        """Keeps the stream busy that long, so that what is queued behind it starts without waiting for the host."""
        self._launch("hold", (1, 1, 1), 1, _u64(int(1000 * microseconds)))

    def vary(self, address: int, elements: int, words_each: int, key: int) -> None:
        """Turns the last bit of about half of the floating-point elements over; round numbers stay as they are."""
        self._launch("vary", _SPREAD, 256, address, _u64(elements), Scalar("unsigned int", words_each), _u64(key))

    def conceal(self, address: int, size_bytes: int, kept: int) -> None:
        """Copies whole words of 8 bytes under a key stream; `kept` has room for them."""
        self._launch("conceal", _SPREAD, 256, address, _u64(-(-size_bytes // 8)), _u64(self._key), kept)

    def distance(self, address: int, size_bytes: int, dtype: str, kept: int) -> Distance:
        """Of a float32 or float64 array from what was concealed of it."""
        results, found = self._room(24), (ctypes.c_uint64 * 3)()
        self._driver.call(
            "cuMemsetD8Async", ctypes.c_uint64(results), ctypes.c_ubyte(0), ctypes.c_size_t(24), self.stream
        )
        elements = size_bytes // (4 if dtype == "float32" else 8)
        self._launch(COMPARED[dtype], _SPREAD, 256, address, kept, _u64(elements), _u64(self._key), results)
        self._fetch(results, found)
        largest, squares = (float(ctypes.c_double.from_buffer(found, 8 * place).value) for place in (0, 1))
        return Distance(largest, squares, found[2])

    def release(self) -> None:
        for address in (self._scrap, self._results):
            self._driver.call("cuMemFree_v2", ctypes.c_uint64(address))
        self._driver.call("cuModuleUnload", self._module)

    def _launch(
        self, kernel: str, grid: tuple[int, int, int], block: int, *given: int | Scalar, shared_bytes: int = 0
    ) -> None:
        """Addresses are plain numbers among the arguments."""
        arguments = tuple(Pointer("", one) if isinstance(one, int) else one for one in given)
        step = Launch(kernel, grid, (block, 1, 1), arguments, shared_bytes)
        function = self._functions.get(kernel, shared_bytes)
        ReadyLaunch(self._driver, function, step, lambda pointer: pointer.offset_bytes).go(self.stream)

    def _allocated(self, size_bytes: int) -> int:
        address = ctypes.c_uint64()
        self._driver.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size_bytes))
        return address.value

    def _room(self, size_bytes: int) -> int:
        """Device memory for results."""
        if size_bytes > self._most_results:
            self._driver.call("cuMemFree_v2", ctypes.c_uint64(self._results))
            self._results, self._most_results = self._allocated(size_bytes), size_bytes
        return self._results

    def _fetch(self, address: int, into: Any) -> None:
        self._driver.call("cuStreamSynchronize", self.stream)
        self._driver.call("cuMemcpyDtoH_v2", into, ctypes.c_uint64(address), ctypes.c_size_t(ctypes.sizeof(into)))


def _u64(value: int) -> Scalar:
    return Scalar("unsigned long long", value)
