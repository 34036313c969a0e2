"""One launch of a plan, its arguments laid out once, to be made as often as wanted on a stream or into a graph.

It knows addresses and functions only through what it is handed; it waits for nothing and measures nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

from cudaperf_magic.bench.gpu.driver import (
    CLUSTER,
    COOPERATIVE,
    NON_PORTABLE_CLUSTER,
    SHARED_BYTES,
    Driver,
    LaunchAttribute,
    LaunchConfig,
)
from cudaperf_magic.bench.host.types import scalar_bytes
from cudaperf_magic.bench.plan import KernelArgument, Launch, Pointer, Struct

_PORTABLE_CLUSTER = 8

Address = Callable[[Pointer], int]
Stream = ctypes.c_void_p | None


class ReadyLaunch:
    """A launch whose every byte is in place."""

    def __init__(self, driver: Driver, function: ctypes.c_void_p, step: Launch, address: Address) -> None:
        self._driver = driver
        self._function = function
        self._values = [argument_bytes(argument, address) for argument in step.arguments]
        places = (ctypes.addressof(value) for value in self._values)
        self._pointers = (ctypes.c_void_p * max(len(self._values), 1))(*places)
        self._attributes, count = _attributes(driver, function, step)
        self._config = LaunchConfig(step.grid, step.block, step.shared_bytes, None, self._attributes, count)
        self._config_reference = ctypes.byref(self._config)

    def go(self, stream: Stream = None) -> None:
        self._config.stream = stream
        self._driver.call("cuLaunchKernelEx", self._config_reference, self._function, self._pointers, None)


class Functions:
    """A module's kernels by the names that launches use, each looked up once."""

    def __init__(self, driver: Driver, module: ctypes.c_void_p, symbols: Mapping[str, str]) -> None:
        self._driver, self._module, self._symbols = driver, module, symbols
        self._found: dict[str, ctypes.c_void_p] = {}
        self._shared: dict[str, int] = {}

    def get(self, kernel: str, shared_bytes: int = 0) -> ctypes.c_void_p:
        """The function, allowed at least as much dynamic shared memory as any launch asked for so far."""
        if kernel not in self._found:
            found = ctypes.c_void_p()
            symbol = self._symbols.get(kernel, kernel)
            self._driver.call("cuModuleGetFunction", ctypes.byref(found), self._module, symbol.encode())
            self._found[kernel] = found
        if shared_bytes > self._shared.get(kernel, 0):
            self._driver.call("cuFuncSetAttribute", self._found[kernel], SHARED_BYTES, shared_bytes)
            self._shared[kernel] = shared_bytes
        return self._found[kernel]


def argument_bytes(argument: KernelArgument, address: Address) -> ctypes.Array[ctypes.c_char]:
    """A kernel argument as C lays it out."""
    if isinstance(argument, Pointer):
        data = address(argument).to_bytes(8, "little")
    elif isinstance(argument, Struct):
        data = argument.placed(address)
    else:
        data = scalar_bytes(argument.c_type, argument.value)
    return ctypes.create_string_buffer(data, len(data))


def _attributes(driver: Driver, function: ctypes.c_void_p, step: Launch) -> tuple[Any, int]:
    attributes = (LaunchAttribute * 2)()
    count = 0
    if step.is_cooperative:
        attributes[count].id, attributes[count].value[0] = COOPERATIVE, 1
        count += 1
    if step.cluster is not None:
        x, y, z = step.cluster
        if x * y * z > _PORTABLE_CLUSTER:
            driver.call("cuFuncSetAttribute", function, NON_PORTABLE_CLUSTER, 1)
        attributes[count].id = CLUSTER
        attributes[count].value[0:3] = [x, y, z]
        count += 1
    return attributes, count
