"""Prepared sessions, kept ahead of the jobs that will need them: forked, and with the slow first steps behind them.

A compiler that has compiled once, or a child whose CUDA context is made, answers in a tenth of the time. Each spare
serves one evaluation and is then thrown away, so that nothing of one candidate meets the next; another is prepared
meanwhile. What a session does is its work's business; what it may do is sandbox_session's.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import CudaperfError, ToolchainError
from .resources import available_bytes
from .sandbox_ends import Crashed, Finished, ServerDied, TimedOut
from .sandbox_servers import BEFORE_STOP, KindName
from .sandbox_session import Session, open_session

READY = "ready"  # for work that has nothing more to say once it is prepared
PREPARATION_S = 120.0  # importing torch on a busy machine takes some
_LEAST_FREE_BYTES = 2 << 30
_SETTINGS = ("CUDA", "NVIDIA", "LD_", "PATH", "HOME", "TMPDIR", "PYTHON")  # variables that a prepared child has read


@dataclass(frozen=True)
class Recipe:
    """How one spare is made: `work(line, *arguments)` sends a first word when it is prepared, then waits for questions.

    The word is the session's `greeting`.

    `memory_bytes` and `kind` are as for `open_session`; `memory_needed_bytes` is what one spare costs while it waits.
    """

    work: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    kind: KindName = "plain"
    memory_bytes: int | None = None
    memory_needed_bytes: int = 256 << 20

    def open(self) -> Session:
        """A session on its way; it is prepared when it answers."""
        return open_session(self.work, *self.arguments, kind=self.kind, timeout_s=None, memory_bytes=self.memory_bytes)


@dataclass
class _Spare:
    session: Session
    settings: tuple[object, ...]

    @property
    def is_usable(self) -> bool:
        return self.settings == _settings() and self.session.is_alive


class Spares:
    """Keeps `count` sessions of one recipe ready. Safe from several threads.

    Args:
        count: how many wait. 0, or too little free memory: sessions are prepared when they are asked for.
    """

    def __init__(self, recipe: Recipe, count: int) -> None:
        self.recipe = recipe
        self.count = count
        self._waiting: deque[_Spare] = deque()
        self._lock = threading.Lock()
        self._filler: threading.Thread | None = None
        self._coming: Session | None = None  # the one that the filler waits for
        self._is_closed = False
        self._owner = os.getpid()
        BEFORE_STOP.append(self.rest)

    def start(self) -> None:
        """Begins to prepare spares, beside the caller."""
        if self.count == 0:
            return
        with self._lock:
            self._is_closed = False
            if self._owner != os.getpid():  # forked: the spares are our parent's
                self._waiting, self._filler, self._owner = deque(), None, os.getpid()
            if self._filler is None and len(self._waiting) < self._wanted():
                self._filler = threading.Thread(target=self._fill, name=f"spares of {self.recipe.kind}", daemon=True)
                self._filler.start()

    @contextlib.contextmanager
    def take(self, timeout_s: float) -> Iterator[Session]:
        """A prepared session for one evaluation, of which `timeout_s` is the whole time; it ends with the block.

        Raises:
            ToolchainError: none can be prepared. CudaperfError: preparing one raised it.
        """
        session = self._ready()
        try:
            session.limit(timeout_s)
            if not self._waiting:
                self.start()  # else later: preparing the next one would slow this one down
            yield session
        finally:
            session.close(wait=False)
            self.start()

    def rest(self) -> None:
        """Ends the spares; the next `take` or `start` prepares new ones."""
        with self._lock:
            self._is_closed = True
            filler, coming = self._filler, self._coming
        if coming is not None:
            coming.interrupt()
        if filler is not None and filler is not threading.current_thread():
            filler.join(timeout=PREPARATION_S)
        with self._lock:
            spares, self._waiting = self._waiting, deque()
        if self._owner == os.getpid():
            for spare in spares:
                spare.session.close(wait=False)

    @property
    def waiting(self) -> int:
        """How many are ready now."""
        return len(self._waiting)

    def _ready(self) -> Session:
        while True:
            with self._lock:
                spare = self._waiting.popleft() if self._waiting and self._owner == os.getpid() else None
            if spare is None:
                return self._prepared()
            if spare.is_usable:
                return spare.session
            spare.session.close(wait=False)  # it died while it waited, or the settings are others now

    def _prepared(self, *, is_spare: bool = False) -> Session:
        """A session that has sent its first word; tried twice, for a server that died in between."""
        for _ in range(2):
            session = self.recipe.open()
            if is_spare:
                self._coming = session
                if self._is_closed:  # since before `rest` could see it
                    session.interrupt()
            try:
                ended = session.answer(timeout_s=PREPARATION_S)
            except ServerDied:
                continue
            match ended:
                case Finished(value):
                    session.greeting = value
                    return session
                case Crashed(why):
                    raise ToolchainError(f"a child of kind {self.recipe.kind} cannot be prepared: {why}")
                case TimedOut():
                    raise ToolchainError(
                        f"a child of kind {self.recipe.kind} is not ready within {PREPARATION_S:.0f} s; "
                        "is the machine overloaded?"
                    )
        raise ToolchainError("the server of sandboxed processes does not answer; restart the notebook's kernel")

    def _fill(self) -> None:
        """In a thread of its own; what goes wrong here is met again, and raised, by whoever needs a session."""
        with contextlib.suppress(CudaperfError, OSError):
            while not self._is_closed and len(self._waiting) < self._wanted():
                settings = _settings()
                spare = _Spare(self._prepared(is_spare=True), settings)
                with self._lock:
                    if not self._is_closed:
                        self._waiting.append(spare)
                        continue
                spare.session.close(wait=False)
        with self._lock:
            self._filler = self._coming = None

    def _wanted(self) -> int:
        one_bytes = self.recipe.memory_needed_bytes
        spare_bytes = available_bytes(unknown=0) - _LEAST_FREE_BYTES + len(self._waiting) * one_bytes
        return max(min(self.count, spare_bytes // one_bytes), 0)


def _settings() -> tuple[object, ...]:
    """What a prepared child has taken over from this process and would not notice when it changes."""
    read = {name: value for name, value in os.environ.items() if name.startswith(_SETTINGS)}
    return tuple(sorted(read.items())), tuple(sys.path)
