"""Counters over one call of a program, in the child that holds it and its context. After timing: passes are slow.

What can be done before a candidate arrives is apart: `warm_up` in the server that forks the children, `prepare` in the
child. A refusal is an answer. Which metrics, and what they mean, is `metrics.py`'s.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Sequence

from ...errors import ToolchainError
from ..gpu.driver import DriverError, load_driver
from .availability import Refused, refused
from .cupti import CuptiError, Host, RangeProfiler, Schedule, chip_of, load_cupti
from .metrics import ALWAYS, OTHERWISE, Counts


def warm_up() -> None:
    """In a server, before it forks: opens CUPTI's libraries, 0.1 s. The driver is left alone."""
    with contextlib.suppress(ToolchainError):
        load_cupti()


def prepare(index: int) -> Counter | Refused:
    """In a child whose current context is on device `index`: all but the profiler itself, so 0.02 s less later on."""
    try:
        library = load_cupti()
        counter = Counter(Host(library, chip_of(library, index)), current_context())
        counter.schedule((*ALWAYS.values(), *OTHERWISE.values()))
    except (CuptiError, ToolchainError) as error:
        return refused(error)
    return counter


class Counter:
    """Counts on one context, opening the profiler only while it counts: a device has one, for all its processes.

    Opening costs 0.15 s, each pass 0.025 s and the call (H200). Whoever may keep it open keeps a `RangeProfiler`.
    """

    def __init__(self, host: Host, context: int) -> None:
        self._host, self._context = host, context
        self._schedules: dict[tuple[str, ...], Schedule] = {}

    def count(self, metrics: Sequence[str], reset: Callable[[], None], call: Callable[[], None]) -> Counts | Refused:
        """Sums over one call. Each pass, of 2 to 6, is `reset`, then `call`.

        Args:
            metrics: of `metrics.wanted`; those that the chip lacks are left out.
            reset: puts back what the call changes, and empties the caches: counts are of a cold call, as its time is.
            call: everything that is to be counted; must end with the device idle.

        Raises:
            DriverError: a kernel failed in `call`.
        """
        try:
            schedule = self.schedule(tuple(metrics))
            with RangeProfiler(self._host, self._context) as profiler:
                return Counts.of(profiler.count(schedule, call, reset))
        except CuptiError as error:
            return refused(error)

    def schedule(self, metrics: tuple[str, ...]) -> Schedule:
        """How the chip collects them, worked out once."""
        if metrics not in self._schedules:
            self._schedules[metrics] = self._host.schedule(metrics)
        return self._schedules[metrics]


def current_context() -> int:
    """The CUcontext of this thread. Raises DriverError where there is none."""
    context = ctypes.c_void_p()
    load_driver().call("cuCtxGetCurrent", ctypes.byref(context))
    if not context.value:
        raise DriverError("cuCtxGetCurrent", 201, "no context is current")
    return context.value
