"""Device memory of one process, mapped by another: CUDA's interprocess handles, through the driver."""

from __future__ import annotations

import ctypes

from cudaperf_magic.bench.gpu.driver import Driver

HANDLE_BYTES = 64  # CU_IPC_HANDLE_SIZE
_LAZY_PEERS = 1  # CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, the only flag there is


class _Handle(ctypes.Structure):
    _fields_ = (("data", ctypes.c_ubyte * HANDLE_BYTES),)


def handle_of(driver: Driver, address: int) -> bytes:
    """By which another process maps the allocation that begins at `address`, while this one keeps it.

    Raises:
        DriverError: this system does not let processes share a device's memory.
    """
    handle = _Handle()
    driver.call("cuIpcGetMemHandle", ctypes.byref(handle), ctypes.c_uint64(address))
    return bytes(handle.data)


def opened(driver: Driver, handle: bytes) -> int:
    """Where the allocation of another process lies in this one. Raises DriverError when it is gone."""
    address = ctypes.c_uint64()
    given = _Handle.from_buffer_copy(handle)
    driver.call("cuIpcOpenMemHandle_v2", ctypes.byref(address), given, ctypes.c_uint(_LAZY_PEERS))
    return address.value
