"""The plain device path without a device: what it asks of the driver, and what the driver's answers become."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from cudaperf_magic.bench.gpu import driver, running
from cudaperf_magic.bench.gpu.driver import DriverError
from cudaperf_magic.bench.gpu.launching import argument_bytes
from cudaperf_magic.bench.host.types import scalar_bytes
from cudaperf_magic.bench.plan import Allocate, Copy, Fill, Free, Launch, LaunchPlan, Pointer, Scalar
from cudaperf_magic.errors import ToolchainError


class FakeDriver:
    """Memory is a bytearray of the host; `failing` maps a call to the code it answers."""

    def __init__(self, failing: dict[str, int] | None = None) -> None:
        self.failing = failing or {}
        self.memory: dict[int, ctypes.Array[Any]] = {}
        self.launches: list[tuple[tuple[int, ...], tuple[int, ...], int, int, list[tuple[int, list[int]]]]] = []
        self.calls: list[str] = []

    def call(self, name: str, *arguments: Any) -> None:
        self.calls.append(name)
        if name in self.failing:
            raise DriverError(name, self.failing[name], "as told")
        getattr(self, name, lambda *_: None)(*arguments)

    def cuMemAlloc_v2(self, out: Any, size: ctypes.c_size_t) -> None:
        block = ctypes.create_string_buffer(size.value)
        self.memory[ctypes.addressof(block)] = block
        out._obj.value = ctypes.addressof(block)

    def cuMemFree_v2(self, address: ctypes.c_uint64) -> None:
        del self.memory[address.value]

    def cuMemcpyHtoD_v2(self, target: ctypes.c_uint64, source: ctypes.c_void_p, size: ctypes.c_size_t) -> None:
        ctypes.memmove(target.value, source.value or 0, size.value)

    def cuMemcpyDtoH_v2(self, target: ctypes.c_void_p, source: ctypes.c_uint64, size: ctypes.c_size_t) -> None:
        ctypes.memmove(target.value or 0, source.value, size.value)

    def cuMemcpyDtoD_v2(self, target: ctypes.c_uint64, source: ctypes.c_uint64, size: ctypes.c_size_t) -> None:
        ctypes.memmove(target.value, source.value, size.value)

    def cuMemsetD8_v2(self, target: ctypes.c_uint64, byte: ctypes.c_ubyte, size: ctypes.c_size_t) -> None:
        ctypes.memset(target.value, byte.value, size.value)

    def cuLaunchKernelEx(self, config: Any, function: Any, pointers: Any, extra: Any) -> None:
        given = config._obj
        attributes = [(given.attributes[i].id, list(given.attributes[i].value[:3])) for i in range(given.count)]
        first = ctypes.c_uint64.from_address(pointers[0]).value
        self.launches.append((tuple(given.grid), tuple(given.block), given.shared_bytes, first, attributes))


def run(monkeypatch: pytest.MonkeyPatch, driver: FakeDriver, *steps: Any) -> tuple[tuple[Any, ...], np.ndarray]:
    monkeypatch.setattr(running, "load_driver", lambda: driver)
    y = np.arange(4, dtype=np.float32)
    return running.run_on_gpu(b"", {"k": "_Z1k"}, LaunchPlan(steps), {"y": y}), y


LAUNCH = Launch("k", (2, 3, 1), (32, 1, 1), (Pointer("y", 4),), 60_000, True, (2, 1, 1), 7)


def test_fills_and_copies_happen_in_their_order_and_memory_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = FakeDriver()
    steps = [Allocate("t", 8), Fill(Pointer("t"), 0, 4), Copy(Pointer("y", 4), Pointer("t"), 8), Free("t")]
    faults, y = run(monkeypatch, driver, *steps)
    assert faults == () and y[1] == 0 and np.isnan(y[2]) and y[3] == 3  # a fresh workspace is poison
    assert driver.memory == {}


def test_a_launch_carries_its_shape_attributes_and_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = FakeDriver()
    run(monkeypatch, driver, LAUNCH)
    ((grid, block, shared, _, attributes),) = driver.launches
    assert (grid, block, shared) == ((2, 3, 1), (32, 1, 1), 60_000)
    assert attributes == [(2, [1, 0, 0]), (4, [2, 1, 1])]
    assert driver.calls.index("cuFuncSetAttribute") < driver.calls.index("cuLaunchKernelEx")


@pytest.mark.parametrize(
    ("code", "kind"), [(700, "out_of_bounds"), (716, "misaligned"), (719, "trap"), (720, "launch")]
)
def test_what_a_kernel_did_is_a_fault_with_its_line(monkeypatch: pytest.MonkeyPatch, code: int, kind: str) -> None:
    (fault,), y = run(monkeypatch, FakeDriver({"cuCtxSynchronize": code}), LAUNCH)
    assert (fault.kind, fault.line, fault.kernel) == (kind, 7, "k")
    assert np.array_equal(y, np.arange(4))


def test_the_machines_trouble_is_an_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    for failing in ({"cuModuleLoadData": 209}, {"cuCtxSynchronize": 214}, {"cuDevicePrimaryCtxRetain": 2}):
        with pytest.raises(ToolchainError, match="nvidia-smi"):
            run(monkeypatch, FakeDriver(failing), LAUNCH)


def test_without_a_driver_there_are_no_devices_and_running_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise OSError(name)

    driver.load_driver.cache_clear()
    monkeypatch.setattr(driver.ctypes, "CDLL", absent)
    assert running.available_devices() == ()
    with pytest.raises(ToolchainError, match="--device simulator"):
        running.device_info(0)


def test_scalars_lie_in_memory_as_c_lays_them() -> None:
    cases = [
        ("int", -2),
        ("unsigned long long", 2**64 - 1),
        ("bool", True),
        ("float", 0.5),
        ("short", -1),
        ("char", 65),
    ]
    wanted = [b"\xfe\xff\xff\xff", b"\xff" * 8, b"\x01", b"\x00\x00\x00\x3f", b"\xff\xff", b"A"]
    assert [scalar_bytes(*case) for case in cases] == wanted
    assert scalar_bytes("__nv_bfloat16", 1.0) == b"\x80\x3f" and scalar_bytes("__half", 1.0) == b"\x00\x3c"


def test_a_scalar_argument_is_read_back_from_its_packed_bytes() -> None:
    packed = argument_bytes(Scalar("double", 2.5), lambda _: 0)
    assert ctypes.c_double.from_buffer(packed).value == 2.5
