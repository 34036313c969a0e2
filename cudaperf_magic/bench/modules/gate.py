"""Starts one call in another process and hears of its end, within microseconds: two processes that look at one page.

The waiting side clocks what lies between "go" and "done" with its own clock. "Done" is a claim and no more: whoever
believes nothing of the other side reads its outputs then. No locks; each word has one writer.
"""

from __future__ import annotations

import time
from collections.abc import Callable

PAGE_BYTES = 4096
_ARM, _ARMED, _GO, _DONE, _SLOT, _FAILED = range(6)
_LEAVE = -1
_SPIN_NS = 20_000_000  # look without a pause for so long; then every 50 us, which is 0.25 % of it
_PAUSE_S = 50e-6
_IDLE_PAUSE_S = 200e-6


class Stopped(Exception):
    """The other side is gone, or too late."""

    def __init__(self, is_late: bool) -> None:
        self.is_late = is_late
        super().__init__("too late" if is_late else "gone")


class Caller:
    """The side that says "go". `memory` is the shared page, writable."""

    def __init__(self, memory: memoryview, is_alive: Callable[[], bool]) -> None:
        self._words = memory[:PAGE_BYTES].cast("q")
        self._is_alive = is_alive
        self._turn = 0

    def call(self, slot: int, timeout_s: float) -> tuple[int, bool]:
        """Runs the call on a slot: (nanoseconds from go to done, whether the other side says that it failed).

        Raises:
            Stopped: no "done" came.
        """
        words = self._words
        self._turn += 1
        words[_SLOT], words[_FAILED] = slot, 0
        words[_ARM] = self._turn
        self._wait(_ARMED, timeout_s)
        start = time.perf_counter_ns()
        words[_GO] = self._turn
        end = self._wait(_DONE, timeout_s)
        return end - start, bool(words[_FAILED])

    def leave(self) -> None:
        """The other side goes back to its messages."""
        self._words[_ARM] = _LEAVE

    def _wait(self, word: int, timeout_s: float) -> int:
        words, turn, now = self._words, self._turn, time.perf_counter_ns
        start = now()
        while words[word] != turn:
            waited = now() - start
            if waited < _SPIN_NS:
                continue
            if not self._is_alive():
                raise Stopped(is_late=False)
            if waited > timeout_s * 1e9:
                raise Stopped(is_late=True)
            time.sleep(_PAUSE_S)
        return now()


def answer_calls(memory: memoryview, run: Callable[[int], bool]) -> None:
    """The side that works: `run(slot)` for each "go", until the other side says to leave. True means that it failed."""
    words = memory[:PAGE_BYTES].cast("q")
    turn = 0
    while True:
        while words[_ARM] == turn:
            time.sleep(_IDLE_PAUSE_S)
        turn = words[_ARM]
        if turn == _LEAVE:
            words[_ARM] = 0
            return
        slot = words[_SLOT]
        words[_ARMED] = turn
        while words[_GO] != turn:
            pass
        if run(slot):
            words[_FAILED] = 1
        words[_DONE] = turn
