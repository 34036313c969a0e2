"""Runs a launch plan on a CUDA device, plainly: load, copy in, run the steps one by one, copy out. No timing.

Call it in a child process: after a fault the context is lost, and with it every use of the device in that process.
Guard bands around the arrays are the caller's: arrays are copied whole, and the plan's pointers count from their start.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import numpy.typing as npt

from ...errors import ToolchainError
from ...records import Fault
from ..plan import Allocate, Copy, Fill, Free, Launch, LaunchPlan, Pointer, Step
from .driver import KERNEL_FAULTS, MAJOR, MINOR, MULTIPROCESSORS, OUT_OF_MEMORY, Driver, DriverError, load_driver
from .launching import Functions, ReadyLaunch

WORKSPACE_POISON = 0xFF  # bytes; as float or double a NaN, so that reading a fresh workspace shows


@dataclass(frozen=True)
class DeviceInfo:
    index: int
    name: str
    arch: str  # "sm_90"
    driver: str  # the CUDA version that the driver speaks, "13.0"
    memory_bytes: int
    multiprocessors: int


def available_devices() -> tuple[DeviceInfo, ...]:
    """The devices that the driver shows; none where there is no driver."""
    try:
        driver = load_driver()
        count = ctypes.c_int()
        driver.call("cuDeviceGetCount", ctypes.byref(count))
        return tuple(device_info(index) for index in range(count.value))
    except (ToolchainError, DriverError):
        return ()


def device_info(index: int) -> DeviceInfo:
    """What the driver says of one device.

    Raises:
        ToolchainError: there is no such device, or no driver.
    """
    driver = load_driver()
    with _machine_trouble(f"device cuda:{index}"):
        device, version, memory = ctypes.c_int(), ctypes.c_int(), ctypes.c_size_t()
        name = ctypes.create_string_buffer(256)
        driver.call("cuDeviceGet", ctypes.byref(device), index)
        driver.call("cuDeviceGetName", name, 256, device)
        driver.call("cuDeviceTotalMem_v2", ctypes.byref(memory), device)
        driver.call("cuDriverGetVersion", ctypes.byref(version))
        major, minor = (driver.attribute(which, device.value) for which in (MAJOR, MINOR))
        return DeviceInfo(
            index=index,
            name=name.value.decode(),
            arch=f"sm_{major}{minor}",
            driver=f"{version.value // 1000}.{version.value % 1000 // 10}",
            memory_bytes=memory.value,
            multiprocessors=driver.attribute(MULTIPROCESSORS, device.value),
        )


def device_uuid(index: int) -> str:
    """The card's own name, "GPU-...", the same for all who see it by other numbers.

    Raises:
        ToolchainError: there is no such device, or no driver.
    """
    driver = load_driver()
    with _machine_trouble(f"device cuda:{index}"):
        device, found = ctypes.c_int(), (ctypes.c_ubyte * 16)()
        driver.call("cuDeviceGet", ctypes.byref(device), index)
        driver.call("cuDeviceGetUuid_v2", found, device)
        return f"GPU-{UUID(bytes=bytes(found))}"


def run_on_gpu(
    cubin: bytes,
    lowered_names: Mapping[str, str],
    plan: LaunchPlan,
    arrays: Mapping[str, npt.NDArray[np.generic]],
    device: int = 0,
) -> tuple[Fault, ...]:
    """Runs the plan's steps in their order; the arrays are updated in place.

    Args:
        cubin: the compiled kernels, for this device's architecture.
        lowered_names: kernel as the plan names it -> symbol in the cubin.
        arrays: contiguous, by the plan's names of its parameters.

    Returns:
        What the first kernel that failed did (the arrays are then as they were), or nothing.

    Raises:
        ToolchainError: the machine's trouble: no device, a cubin for another one, no memory for the arrays.
    """
    driver = load_driver()
    with _machine_trouble(f"device cuda:{device}"), _context(driver, device):
        run = _Run(driver, dict(lowered_names))
        try:
            run.load(cubin)
            run.copy_in(arrays)
            fault = run.steps(plan)
            if fault is not None:
                return (fault,)
            run.copy_out(arrays)
        finally:
            run.release()
    return ()


@contextlib.contextmanager
def open_device(index: int) -> Iterator[None]:
    """Keeps the device's context for several runs inside; making one anew costs from 0.3 s to seconds."""
    driver = load_driver()
    with _machine_trouble(f"device cuda:{index}"), _context(driver, index):
        yield


@contextlib.contextmanager
def _machine_trouble(what: str) -> Iterator[None]:
    try:
        yield
    except DriverError as error:
        raise ToolchainError(f"{what}: {error}; check `nvidia-smi`, or use --device simulator") from None


@contextlib.contextmanager
def _context(driver: Driver, index: int) -> Iterator[None]:
    device, context = ctypes.c_int(), ctypes.c_void_p()
    driver.call("cuDeviceGet", ctypes.byref(device), index)
    driver.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    try:
        driver.call("cuCtxSetCurrent", context)
        yield
    finally:
        with contextlib.suppress(DriverError):
            driver.call("cuDevicePrimaryCtxRelease_v2", device)


class _Run:
    """One plan on one context: its module, its buffers."""

    def __init__(self, driver: Driver, names: dict[str, str]) -> None:
        self.driver = driver
        self.names = names
        self.module = ctypes.c_void_p()
        self.functions: Functions | None = None
        self.buffers: dict[str, int] = {}

    def load(self, cubin: bytes) -> None:
        self.driver.call("cuModuleLoadData", ctypes.byref(self.module), cubin)

    def allocate(self, name: str, size_bytes: int) -> None:
        address = ctypes.c_uint64()
        self.driver.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size_bytes, 1)))
        self.buffers[name] = address.value

    def copy_in(self, arrays: Mapping[str, npt.NDArray[np.generic]]) -> None:
        for name, array in arrays.items():
            if not array.flags.c_contiguous:
                raise ValueError(f"{name} is not contiguous")
            self.allocate(name, array.nbytes)
            if array.nbytes:
                self.driver.call(
                    "cuMemcpyHtoD_v2",
                    ctypes.c_uint64(self.buffers[name]),
                    ctypes.c_void_p(array.ctypes.data),
                    ctypes.c_size_t(array.nbytes),
                )

    def copy_out(self, arrays: Mapping[str, npt.NDArray[np.generic]]) -> None:
        for name, array in arrays.items():
            if array.nbytes and array.flags.writeable:
                self.driver.call(
                    "cuMemcpyDtoH_v2",
                    ctypes.c_void_p(array.ctypes.data),
                    ctypes.c_uint64(self.buffers[name]),
                    ctypes.c_size_t(array.nbytes),
                )

    def steps(self, plan: LaunchPlan) -> Fault | None:
        """Each launch is waited for, so that a fault has its kernel and line."""
        for step in plan.steps:
            try:
                self.step(step)
            except DriverError as error:
                return fault_of(step, error)
        return None

    def step(self, step: Step) -> None:
        match step:
            case Allocate(name, size_bytes):
                self.allocate(name, size_bytes)
                self.fill(self.buffers[name], WORKSPACE_POISON, size_bytes)
            case Free(name):
                self.driver.call("cuMemFree_v2", ctypes.c_uint64(self.buffers.pop(name)))
            case Fill(target, byte, size_bytes):
                self.fill(self.address(target), byte, size_bytes)
            case Copy(target, source, size_bytes):
                to, start = ctypes.c_uint64(self.address(target)), ctypes.c_uint64(self.address(source))
                self.driver.call("cuMemcpyDtoD_v2", to, start, ctypes.c_size_t(size_bytes))
            case Launch():
                self.launch(step)
                self.driver.call("cuCtxSynchronize")

    def fill(self, address: int, byte: int, size_bytes: int) -> None:
        self.driver.call("cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(byte), ctypes.c_size_t(size_bytes))

    def address(self, pointer: Pointer) -> int:
        """Pointers may lie outside their buffer, before it too; an empty name is the null pointer."""
        base = self.buffers[pointer.buffer] if pointer.buffer else 0
        return (base + pointer.offset_bytes) % (1 << 64)

    def launch(self, step: Launch) -> None:
        if self.functions is None:
            self.functions = Functions(self.driver, self.module, self.names)
        function = self.functions.get(step.kernel, step.shared_bytes)
        ReadyLaunch(self.driver, function, step, self.address).go()

    def release(self) -> None:
        """After a fault every call fails; the driver then frees all with the context."""
        with contextlib.suppress(DriverError):
            for address in self.buffers.values():
                self.driver.call("cuMemFree_v2", ctypes.c_uint64(address))
            if self.module:
                self.driver.call("cuModuleUnload", self.module)


def fault_of(step: Step, error: DriverError) -> Fault:
    """What a step's kernel did, in words; an error that is the machine's is raised again."""
    if isinstance(step, Launch) and error.code in KERNEL_FAULTS:
        kind, words = KERNEL_FAULTS[error.code]
        return Fault(kind, f"{step.kernel} {words}", line=step.line or None, kernel=step.kernel)
    if isinstance(step, Allocate) and error.code == OUT_OF_MEMORY:
        return Fault("limit", f"there is no room on the device for {step.buffer}, {step.size_bytes:,} bytes")
    raise error


def late_fault(error: DriverError, how: str, where: str) -> Fault:
    """What a kernel did that was not waited for alone, so that its launch is not known.

    Args:
        how: what is said behind it. where: what was being done, for an error that is the machine's.

    Raises:
        ToolchainError: it is the machine's.
    """
    if error.code not in KERNEL_FAULTS:
        raise ToolchainError(f"{where}: {error}; check `nvidia-smi`") from None
    kind, words = KERNEL_FAULTS[error.code]
    return Fault(kind, f"a kernel {words}{how}")
