"""Device memory that one process owns and another has opened, as flat uint8 tensors of torch.

By CUDA's interprocess handles, through the driver. The owner allocates apart from torch's own pool, so that nothing
else ever lies in what the other process can reach.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ..gpu.driver import Driver, load_driver
from ..gpu.ipc import handle_of, opened

if TYPE_CHECKING:
    from torch import Tensor


class _Memory:
    """What torch asks of memory that is not its own."""

    def __init__(self, address: int, size_bytes: int) -> None:
        self.__cuda_array_interface__ = {
            "data": (address, False),
            "shape": (size_bytes,),
            "strides": None,
            "typestr": "|u1",
            "version": 3,
        }


def allocate_shared(size_bytes: int, device: str) -> tuple[Tensor, bytes]:
    """The memory, zeroed, and the handle by which another process opens it.

    Raises:
        ToolchainError, DriverError: there is no device, or no room on it.
    """
    driver = _driver(device)
    address = ctypes.c_uint64()
    driver.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size_bytes, 1)))
    driver.call("cuMemsetD8_v2", address, ctypes.c_ubyte(0), ctypes.c_size_t(max(size_bytes, 1)))
    return _tensor(address.value, size_bytes, device), handle_of(driver, address.value)


def open_shared(handle: bytes, size_bytes: int, device: str) -> Tensor:
    """Another process's memory by its handle."""
    return _tensor(opened(_driver(device), handle), size_bytes, device)


def free_shared(memory: Tensor) -> None:
    """Gives back what `allocate_shared` made; no view of it may be used after that."""
    load_driver().call("cuMemFree_v2", ctypes.c_uint64(memory.data_ptr()))


def _driver(device: str) -> Driver:
    """With torch's own context of the device as the current one."""
    import torch

    torch.cuda.set_device(device)
    torch.cuda.synchronize()
    return load_driver()


def _tensor(address: int, size_bytes: int, device: str) -> Tensor:
    import torch

    made: Tensor = torch.as_tensor(_Memory(address, size_bytes), device=device)
    return made
