"""The one process that holds a device's profiler open, and counts what others lend it.

A device has one profiler, and opening it takes 0.2 s; held open, a count takes 0.025 s a pass and the call. So the
child that holds a verified and timed candidate lends its memory (CUDA IPC), and this child calls the same program on
it. Only kernels that have passed come here; nothing is verified or timed here, and no verdict rests on it. What a
kernel could still do in this context is spoil counts: it has nothing of another candidate mapped, and after a fault,
or so many candidates, the process is replaced (`profiling.py`).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ...errors import ToolchainError
from ..gpu.child import LEAN_CONTEXT
from ..gpu.driver import DriverError, load_driver
from ..gpu.ipc import opened
from ..gpu.launching import Functions
from ..gpu.messages import Broke, Given
from ..gpu.running import late_fault, open_device
from ..gpu.sets import BufferSet, DeviceArray, Program
from ..gpu.trusted import Trusted
from ..plan import LaunchPlan
from ..sandbox_line import Line
from .availability import Refused, refused
from .counting import current_context
from .cupti import CuptiError, Host, RangeProfiler, Schedule, chip_of, load_cupti
from .metrics import NAMES, Counts

_NON_BLOCKING = 1  # CU_STREAM_NON_BLOCKING
_POISON = 0xA5


@dataclass(frozen=True)
class Opened:
    """The first word of the child whose profiler is open; of one that was refused it is `Refused`."""

    chip: str
    cupti_version: int


@dataclass(frozen=True)
class CountLent:
    """One call of a program on lent memory. Answered with `Counts`, `Refused` or `Broke`.

    handle: of the lender's first set of buffers, laid out as `Program.layout` has it, its inputs in place.
    """

    cubin: bytes
    symbols: Mapping[str, str]
    plan: LaunchPlan
    given: tuple[Given, ...]
    handle: bytes
    metrics: tuple[str, ...]

    @property
    def program(self) -> Program:
        arrays = (DeviceArray(g.name, g.role, np.broadcast_to(np.zeros((), g.dtype), g.shape)) for g in self.given)
        return Program(self.cubin, self.symbols, self.plan, tuple(arrays))


def serve(line: Line, index: int, trusted_cubin: bytes) -> None:
    """The child's work, for `sandbox.open_session(serve, index, trusted_cubin, kind="gpu", ...)`."""
    os.environ.update(LEAN_CONTEXT)
    with open_device(index):
        try:
            desk = _Desk(index, trusted_cubin)
        except (CuptiError, ToolchainError) as error:
            line.send(refused(error))
            return
        line.send(Opened(desk.host.chip, desk.host.library.version))
        while True:
            line.send(desk.answer(line.receive()))


class _Desk:
    """The open profiler, and the program on it for the time of one question."""

    def __init__(self, index: int, trusted_cubin: bytes) -> None:
        self._driver = load_driver()
        self._stream = ctypes.c_void_p()
        self._driver.call("cuStreamCreate", ctypes.byref(self._stream), _NON_BLOCKING)
        self._trusted = Trusted(self._driver, trusted_cubin, self._stream, index, 0)
        library = load_cupti()
        self.host = Host(library, chip_of(library, index))
        self._schedules: dict[tuple[str, ...], Schedule] = {}
        self._profiler = RangeProfiler(self.host, current_context())
        self._profiler.__enter__()
        # The first pass makes CUPTI's buffers, and the first schedule sets how many passes a later one may have.
        self._profiler.count(self._schedule(tuple(NAMES)), self._wait)

    def answer(self, question: CountLent) -> Counts | Refused | Broke:
        try:
            with self._lent(question) as buffers:
                return Counts.of(self._counted(self._schedule(question.metrics), *self._actions(buffers)))
        except CuptiError as error:
            return refused(error)
        except DriverError as error:
            return Broke(late_fault(error, " while it was counted", "while counting"))

    def _counted(self, schedule: Schedule, call: Callable[[], None], reset: Callable[[], None]) -> dict[str, float]:
        """With a profiler opened anew where the open one cannot follow a schedule of other passes than its first."""
        values: dict[str, float] = {}
        with contextlib.suppress(CuptiError):
            values = self._profiler.count(schedule, call, reset)
        if len(values) < len(schedule.metrics):
            with contextlib.suppress(CuptiError):
                self._profiler.__exit__(None, None, None)
            self._profiler = RangeProfiler(self.host, current_context())
            self._profiler.__enter__()
            values = self._profiler.count(schedule, call, reset)
        return values

    def _actions(self, buffers: BufferSet) -> tuple[Callable[[], None], Callable[[], None]]:
        def call() -> None:
            buffers.call()
            self._wait()

        def reset() -> None:
            buffers.restore()
            buffers.poison(_POISON)
            self._trusted.flush()
            self._wait()

        return call, reset

    def _schedule(self, metrics: tuple[str, ...]) -> Schedule:
        if metrics not in self._schedules:
            self._schedules[metrics] = self.host.schedule(metrics)
        return self._schedules[metrics]

    @contextlib.contextmanager
    def _lent(self, question: CountLent) -> Iterator[BufferSet]:
        """The lender's buffers mapped here, with the program laid out on them."""
        module = ctypes.c_void_p()
        self._driver.call("cuModuleLoadData", ctypes.byref(module), question.cubin)
        base = opened(self._driver, question.handle)
        program = question.program
        buffers = BufferSet(self._driver, self._stream, program, program.layout, lent_base=base)
        try:
            buffers.bind(Functions(self._driver, module, question.symbols))
            yield buffers
        finally:
            with contextlib.suppress(DriverError):  # after a fault every call fails, and the process ends
                buffers.unbind()
                self._driver.call("cuIpcCloseMemHandle", ctypes.c_uint64(base))
                self._driver.call("cuModuleUnload", module)

    def _wait(self) -> None:
        self._driver.call("cuCtxSynchronize")
