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
    """In a child whose current context is on device `index`: opens the profiler and lets it make its first pass.

    That takes 0.2 s, most of it CUPTI's buffers (H200); a pass after it takes 0.025 s and the call.
    """
    try:
        library = load_cupti()
        counter = Counter(Host(library, chip_of(library, index)), _current_context())
    except (CuptiError, ToolchainError) as error:
        return refused(error)
    nothing = counter.count((*ALWAYS.values(), *OTHERWISE.values()), _nothing, _nothing)
    return nothing if isinstance(nothing, Refused) else counter


class Counter:
    """The profiler of one context, open until `close`.

    Raises:
        CuptiError: at making one, where counters are refused.
    """

    def __init__(self, host: Host, context: int) -> None:
        self._host = host
        self._profiler = RangeProfiler(host, context)
        self._profiler.__enter__()
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
        asked = tuple(metrics)
        try:
            if asked not in self._schedules:
                self._schedules[asked] = self._host.schedule(asked)
            return Counts.of(self._profiler.count(self._schedules[asked], call, reset))
        except CuptiError as error:
            return refused(error)

    def close(self) -> None:
        with contextlib.suppress(CuptiError):
            self._profiler.__exit__(None, None, None)


def _nothing() -> None:
    """The first pass counts an empty call."""


def _current_context() -> int:
    context = ctypes.c_void_p()
    load_driver().call("cuCtxGetCurrent", ctypes.byref(context))
    if not context.value:
        raise DriverError("cuCtxGetCurrent", 201, "no context is current")
    return context.value
