"""Starts one call in another process and hears of its end, within microseconds: two processes that look at one page.

The waiting side clocks what lies between "go" and "done" with its own clock. "Done" is a claim and no more: whoever
believes nothing of the other side reads its outputs then. No locks; each word has one writer.
"""

from __future__ import annotations

import time
from collections.abc import Callable

PAGE_BYTES = 4096
_GO, _DONE, _SLOT, _FAILED = range(4)
_LEAVE = -1
_SPIN_NS = 20_000_000  # look without a pause for so long; then every 50 us, which is 0.25 % of it
_PAUSE_S = 50e-6


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

    def call(self, slot: int, timeout_s: float, start: Callable[[], None] | None = None) -> tuple[int, int, bool]:
        """Runs the call on a slot: (when "go" was said, when "done" was heard, whether that side says that it failed).

        Both in nanoseconds of `time.perf_counter_ns`.

        Args:
            start: sets the other side going when it stands still until then; the clock starts before it.

        Raises:
            Stopped: no "done" came.
        """
        words = self._words
        self._turn += 1
        words[_SLOT], words[_FAILED] = slot, 0
        begun = time.perf_counter_ns()
        words[_GO] = self._turn
        if start is not None:
            start()
        end = self._wait(timeout_s)
        return begun, end, bool(words[_FAILED])

    def leave(self) -> None:
        """The other side goes back to its messages."""
        self._words[_GO] = _LEAVE

    def _wait(self, timeout_s: float) -> int:
        words, turn, now = self._words, self._turn, time.perf_counter_ns
        start = now()
        while words[_DONE] != turn:
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
    """The side that works: `run(slot)` for each "go", until the other side says to leave. True means that it failed.

    It looks without a pause: between calls it is stopped from outside, or needed at once.
    """
    words = memory[:PAGE_BYTES].cast("q")
    turn = words[_DONE]
    while True:
        while words[_GO] == turn:
            pass
        turn = words[_GO]
        if turn == _LEAVE:
            words[_GO] = words[_DONE]
            return
        if run(words[_SLOT]):
            words[_FAILED] = 1
        words[_DONE] = turn
