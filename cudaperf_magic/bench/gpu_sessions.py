"""A device's children from the parent's side: prepared ahead, one for each candidate, and another when one has died.

What they are asked is in gpu/messages.py, what they do in gpu/child.py. It judges and measures nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from cudaperf_magic.bench.gpu.child import serve
from cudaperf_magic.bench.gpu.messages import Broke, Question, Ready
from cudaperf_magic.bench.sandbox import Finished, Session
from cudaperf_magic.bench.sandbox_ends import Crashed, ServerDied, TimedOut
from cudaperf_magic.bench.spares import Recipe, Spares

SPARES = 2  # contexts are made one after another, whoever asks for them
CANDIDATE_S = 300.0  # for one candidate, all questions together
ANSWER_S = 60.0
CONTEXT_BYTES = 600 << 20  # of host memory that a child with a context takes

End = Finished | Crashed | TimedOut


class Seat:
    """A child of the device for one candidate. After a fault or a crash the next question goes to a new child."""

    def __init__(self, spares: Spares, limit_s: float) -> None:
        self._spares, self._limit_s = spares, limit_s
        self._stack = contextlib.ExitStack()
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """The child, taken from those that wait when it is first needed.

        Raises:
            ToolchainError: the device has no context for us.
        """
        if self._session is None:
            self._session = self._stack.enter_context(self._spares.take(self._limit_s))
        return self._session

    @property
    def ready(self) -> Ready:
        """What the child said when it was prepared."""
        found: Ready = self.session.greeting
        return found

    @property
    def levels(self) -> tuple[str, ...]:
        """The protections around the child; none when there is no child now."""
        return self._session.levels if self._session is not None else ()

    def ask(self, question: Question, timeout_s: float = ANSWER_S) -> End:
        """The answer; a child that did not give one is gone, and `Broke` in one means that its context is."""
        try:
            ended: End = self.session.ask(question, timeout_s=timeout_s)
        except ServerDied:  # all children died with it, this one through no fault of its candidate
            self.leave()
            ended = self.session.ask(question, timeout_s=timeout_s)
        if not isinstance(ended, Finished) or isinstance(ended.value, Broke):
            self.leave()
        return ended

    def answer(self, question: Question, timeout_s: float = ANSWER_S) -> Any:
        """The answer's value; None where there was none."""
        ended = self.ask(question, timeout_s)
        return ended.value if isinstance(ended, Finished) else None

    def leave(self) -> None:
        """Ends the child."""
        self._session = None
        self._stack.close()


class GpuSessions:
    """The children of one device. `start` prepares some ahead; `rest` ends them until the next is asked for.

    Args:
        index: of the device. `sessions_of` gives those that this process shares.
    """

    def __init__(self, index: int, spares: int = SPARES) -> None:
        recipe = Recipe(serve, (index,), kind="gpu", memory_bytes=None, memory_needed_bytes=CONTEXT_BYTES)
        self._spares = Spares(recipe, spares)

    def start(self) -> None:
        self._spares.start()

    @contextlib.contextmanager
    def seat(self, limit_s: float = CANDIDATE_S) -> Iterator[Seat]:
        """A child for the block; it ends with it."""
        seat = Seat(self._spares, limit_s)
        try:
            yield seat
        finally:
            seat.leave()

    def rest(self) -> None:
        self._spares.rest()


@lru_cache
def sessions_of(index: int) -> GpuSessions:
    """The children of a device that this process keeps, for evaluations and for calls of what was translated."""
    return GpuSessions(index)
