"""Whether a device computes rightly now: a kernel with a known answer, before a context takes its one candidate.

A fault of an earlier candidate ends its own context; that the card is well after it is looked at here, not believed.
"""

from __future__ import annotations

import ctypes

from cudaperf_magic.bench.gpu.driver import Driver, DriverError, load_driver
from cudaperf_magic.errors import ToolchainError

BYTES = 4096
COUNT = BYTES // 4
FILL, NEXT = 0x5A, 0x3C


def must_be_healthy(index: int) -> None:
    """In a child with a context on device `index`: memory is written by the device, copied within it, and read back.

    The driver's own fill and copy kernels do the work, so that nothing has to be compiled.

    Raises:
        ToolchainError: it fails, or gives another answer.
    """
    driver = load_driver()
    try:
        left = _round(driver)
    except DriverError as error:
        raise ToolchainError(f"device cuda:{index} is not well ({error}); check `nvidia-smi`") from None
    if left != bytes([FILL] * 4 * (COUNT // 2)) + NEXT.to_bytes(4, "little") * (COUNT // 2):
        raise ToolchainError(f"device cuda:{index} gives wrong answers; check `nvidia-smi`, or use another device")


def _round(driver: Driver) -> bytes:
    first, second = ctypes.c_uint64(), ctypes.c_uint64()
    half = ctypes.c_size_t(BYTES // 2)
    for place in (first, second):
        driver.call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(BYTES))
    driver.call("cuMemsetD32_v2", first, ctypes.c_uint(NEXT), ctypes.c_size_t(COUNT))
    driver.call("cuMemsetD8_v2", first, ctypes.c_ubyte(FILL), half)
    driver.call("cuMemcpyDtoD_v2", second, first, ctypes.c_size_t(BYTES))
    left = ctypes.create_string_buffer(BYTES)
    driver.call("cuMemcpyDtoH_v2", left, second, ctypes.c_size_t(BYTES))
    for place in (first, second):
        driver.call("cuMemFree_v2", place)
    return left.raw
