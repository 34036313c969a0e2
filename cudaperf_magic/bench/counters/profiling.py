"""Counts for many candidates, from the parent's side: one child a device that holds the profiler.

What that child does, and why there is only one, is in `profiler_child.py`. Hold the device's lock while it counts: it
runs kernels. Where counters are refused it finds out once, and starts no child again.
"""

from __future__ import annotations

import atexit
import threading
from functools import lru_cache

from ...records import Fault
from ..gpu.messages import Broke
from ..sandbox import Finished, Session, open_session
from .availability import Available, Refused, remember
from .metrics import Counts
from .profiler_child import CountLent, Opened, serve

OPENING_S = 30.0
ANSWER_S = 30.0
MOST_COUNTS = 1000  # of one child: what kernels may have spoiled in its context ends with it


class Profiling:
    """The profiler of one device. Safe from several threads, which then wait for each other.

    Args:
        index: of the device.
        trusted_cubin: of `gpu.trusted.trusted_cubin`, for the flush of L2 between passes.
    """

    def __init__(self, index: int, trusted_cubin: bytes) -> None:
        self._index, self._trusted_cubin = index, trusted_cubin
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._is_open = False
        self._counts = 0
        self._refused: Refused | None = None

    def start(self) -> None:
        """Starts the child, which opens the profiler while the caller does something else."""
        with self._lock:
            self._start()

    def count(self, question: CountLent, timeout_s: float = ANSWER_S) -> Counts | Refused | Fault:
        """The counters over one call of a program on lent memory; the lender must be idle until this returns.

        Returns:
            A Fault when a kernel failed, which had not failed before; Refused with the reason when nothing is counted.

        Raises:
            ToolchainError: no process can be started.
        """
        with self._lock:
            session = self._ready()
            if isinstance(session, Refused):
                return session
            ended = session.ask(question, timeout_s=timeout_s)
            value = ended.value if isinstance(ended, Finished) else None
            self._counts += 1
            if not isinstance(value, (Counts, Refused)) or self._counts >= MOST_COUNTS:
                self._end()
                self._start()
            if isinstance(value, Broke):
                return value.fault
            if isinstance(value, (Counts, Refused)):
                return value
            return Refused("the process that counts did not answer; another takes its place")

    def rest(self) -> None:
        """Closes the profiler, so that another program may open it, until the next count."""
        with self._lock:
            self._end()

    def _start(self) -> None:
        if self._session is None and self._refused is None:
            self._session = open_session(
                serve, self._index, self._trusted_cubin, kind="gpu", timeout_s=None, memory_bytes=None
            )

    def _ready(self) -> Session | Refused:
        self._start()
        if self._refused is not None or self._session is None:
            return self._refused or Refused("there is no process that counts")
        if self._is_open:
            return self._session
        ended = self._session.answer(timeout_s=OPENING_S)
        word = ended.value if isinstance(ended, Finished) else None
        if isinstance(word, Opened):
            self._is_open = True
            remember(self._index, Available(word.chip, word.cupti_version))
            return self._session
        self._end()
        if isinstance(word, Refused):
            if remember(self._index, word):
                self._refused = word
            return word
        return Refused("CUPTI does not start: its process did not come back")

    def _end(self) -> None:
        if self._session is not None:
            self._session.close()
        self._session, self._is_open, self._counts = None, False, 0


@lru_cache
def profiling_of(index: int, trusted_cubin: bytes) -> Profiling:
    """The profiler of a device that this process shares; it closes when the process ends."""
    found = Profiling(index, trusted_cubin)
    atexit.register(found.rest)
    return found
