"""A plan's steps as CUDA graphs: captured once from a stream, launched as a whole. It measures nothing."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Sequence

from cudaperf_magic.bench.gpu.driver import Driver, DriverError

MOST_NODES = 10_000  # of one graph; making a graph takes the driver longer than in proportion to its nodes
_THREAD_LOCAL = 1  # CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

Step = Callable[[ctypes.c_void_p], None]


class Graph:
    """The steps as one graph, or as several that follow one another where there are very many."""

    def __init__(self, driver: Driver, stream: ctypes.c_void_p, steps: Sequence[Step]) -> None:
        """Raises DriverError where a step cannot be captured."""
        self._driver = driver
        self._graphs: list[ctypes.c_void_p] = []
        try:
            for start in range(0, len(steps), MOST_NODES):
                self._graphs.append(self._captured(stream, steps[start : start + MOST_NODES]))
        except DriverError:
            self.release()
            raise

    def go(self, stream: ctypes.c_void_p) -> None:
        for graph in self._graphs:
            self._driver.call("cuGraphLaunch", graph, stream)

    def release(self) -> None:
        with contextlib.suppress(DriverError):
            while self._graphs:
                self._driver.call("cuGraphExecDestroy", self._graphs.pop())

    def _captured(self, stream: ctypes.c_void_p, steps: Sequence[Step]) -> ctypes.c_void_p:
        graph, ready = ctypes.c_void_p(), ctypes.c_void_p()
        self._driver.call("cuStreamBeginCapture_v2", stream, _THREAD_LOCAL)
        try:
            for step in steps:
                step(stream)
        finally:
            self._driver.call("cuStreamEndCapture", stream, ctypes.byref(graph))
        try:
            self._driver.call("cuGraphInstantiateWithFlags", ctypes.byref(ready), graph, ctypes.c_uint64(0))
        finally:
            self._driver.call("cuGraphDestroy", graph)
        self._driver.call("cuGraphUpload", ready, stream)
        return ready
