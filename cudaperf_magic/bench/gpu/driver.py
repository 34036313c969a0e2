"""NVIDIA's driver library through ctypes: the calls that running.py needs, each checked, and what error codes mean.

No policy here: nothing is launched, copied or decided, and importing this module loads nothing.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any, Literal

from ...errors import ToolchainError

FaultKind = Literal["out_of_bounds", "misaligned", "trap", "limit", "launch"]

NO_DEVICE = 100
OUT_OF_MEMORY = 2
SHARED_BYTES = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
NON_PORTABLE_CLUSTER = 14
MULTIPROCESSORS, MAJOR, MINOR = 16, 75, 76  # CUdevice_attribute
COOPERATIVE, CLUSTER = 2, 4  # CUlaunchAttributeID

# CUresult -> what a kernel did. Every other code is the machine's trouble.
KERNEL_FAULTS: dict[int, tuple[FaultKind, str]] = {
    1: ("launch", "is refused: a value of the launch is out of its range"),
    2: ("limit", "needs more memory than the device has left"),
    700: ("out_of_bounds", "reads or writes memory outside every buffer"),
    701: ("launch", "needs more registers or shared memory than a block may have"),
    702: ("limit", "runs longer than the display's driver allows"),
    710: ("trap", "an assert does not hold"),
    714: ("limit", "overflows its stack"),
    715: ("trap", "meets an illegal instruction"),
    716: ("misaligned", "reads or writes at an address that is not a multiple of the access's size"),
    717: ("out_of_bounds", "uses an address in a memory space that the instruction cannot reach"),
    718: ("trap", "jumps to an address that holds no instruction"),
    719: ("trap", "stops itself (__trap), or uses an address outside shared memory"),
    720: ("launch", "is a cooperative launch of more blocks than fit on the device at once"),
    912: ("launch", "asks for a cluster that the device cannot hold"),
}


class DriverError(Exception):
    """A call that did not succeed; `code` is its CUresult."""

    def __init__(self, call: str, code: int, text: str) -> None:
        self.call, self.code, self.text = call, code, text
        super().__init__(f"{call}: {text} ({code})")


class LaunchAttribute(ctypes.Structure):
    _fields_ = (("id", ctypes.c_uint), ("pad", ctypes.c_char * 4), ("value", ctypes.c_uint * 16))


class LaunchConfig(ctypes.Structure):
    _fields_ = (
        ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared_bytes", ctypes.c_uint),
        ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(LaunchAttribute)), ("count", ctypes.c_uint),
    )  # fmt: skip


class Driver:
    """`driver.call("cuMemAlloc_v2", ...)` raises DriverError unless the driver answers success."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self.call("cuInit", 0)

    def call(self, name: str, *arguments: Any) -> None:
        code = int(getattr(self._library, name)(*arguments))
        if code != 0:
            raise DriverError(name, code, self._text(code))

    def _text(self, code: int) -> str:
        found = ctypes.c_char_p()
        self._library.cuGetErrorString(code, ctypes.byref(found))
        return found.value.decode() if found.value else "unknown error"

    def attribute(self, which: int, device: int) -> int:
        found = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(found), which, device)
        return found.value


def free_bytes(driver: Driver) -> int:
    """Memory of the current context's device that nobody has taken."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    driver.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    return free.value


@lru_cache(maxsize=1)
def load_driver() -> Driver:
    """The initialised driver.

    Raises:
        ToolchainError: there is none, or it does not start.
    """
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise ToolchainError(
            "no NVIDIA driver (libcuda.so.1) is installed; install it, or use --device simulator"
        ) from None
    try:
        return Driver(library)
    except DriverError as error:
        hint = "no GPU is visible" if error.code == NO_DEVICE else f"the driver does not start: {error.text}"
        raise ToolchainError(f"{hint}; check `nvidia-smi`, or use --device simulator") from None
