"""Translations that are played in a thread of their own: one at a time, to be stopped, held and gone on with.

`Work` is the thread and its state; `Running` is the translation that a person holds meanwhile, which waits when it is
used. Nothing is shown here: an observer is told whenever something changed. The servers of sandboxed children belong
to the process, not to the thread, so that a thread that ends takes none of them with it.
"""

from __future__ import annotations

import atexit
import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any, Literal

from . import commands
from .bench import sandbox
from .commands import Play
from .episode import INTERRUPTED
from .errors import NotVerified, UsageError
from .notebook.words import headline, plural
from .records import Episode
from .translation import Translation
from .watching import STAGES

State = Literal["waiting", "running", "paused", "ended"]
Observer = Callable[["Work"], None]

GLANCE_S = 0.1  # how long a waiting thread goes without looking whether it was stopped
NUDGE_S = 0.6  # a thread that has not heard of its stop by then waits for a child: the child is ended
LAST_WAIT_S = 3.0  # for the work to write itself down when the process ends

_QUEUE: list[Work] = []  # the first one plays, the others wait
_QUEUE_LOCK = threading.RLock()


class Work:
    """One episode that is played beside the main thread. `start` begins it, `again` goes on with it once it has ended.

    Args:
        observer: called from either thread after every change; what it raises is not caught.
        finish: called in the working thread with the ended work, before anybody who waits for it goes on.

    Attributes:
        episode: as it stands. turns: how many it may have. error: what ended it, when it did not end by itself.
        stage: what it is at, in words. device: where its kernels run.
    """

    def __init__(self, observer: Observer | None = None, finish: Observer | None = None) -> None:
        self.observer = observer
        self._finish = finish
        self.episode: Episode | None = None
        self.turns = 0
        self.device = "simulator"
        self.stage = ""
        self.error: BaseException | None = None
        self.was_stopped = False
        self._settings: dict[str, Any] = {}
        self._thread: threading.Thread | None = None
        self._lock = threading.RLock()
        self._may_go = threading.Event()
        self._ended = threading.Event()
        self._is_up = threading.Event()
        self._is_interruptible = False
        self._paused_at: float | None = None
        self._paused_s = 0.0

    @property
    def state(self) -> State:
        if self._thread is None or self._ended.is_set():
            return "ended"
        if not self._may_go.is_set():
            return "paused"
        return "running" if _QUEUE and _QUEUE[0] is self else "waiting"

    @property
    def paused_s(self) -> float:
        """How long it has been held since it was started, now included."""
        now = 0.0 if self._paused_at is None else time.monotonic() - self._paused_at
        return self._paused_s + now

    @property
    def where(self) -> str:
        """Where it stands, in one line."""
        if self.episode is None:
            return "not begun"
        name, played = self.episode.task.entry, len(self.episode.turns)
        if self.state == "ended":
            return headline(self.episode)
        if self.state == "waiting":
            return f"{name}: waits until another translation has ended"
        held = ", paused" if self.state == "paused" else f", {self.stage}" if self.stage else ""
        return f"{name}: turn {min(played + 1, self.turns)} of {self.turns}{held}"

    def is_named(self, identity: str) -> bool:
        """Whether a person who writes this, or nothing, may mean this one."""
        return self.episode is not None and self.episode.identity.startswith(identity)

    # ---- from the main thread ----

    def start(self, playing: Play, **settings: Any) -> None:
        """Play it in a new thread; `settings` are what `again` goes on with: proposals, device."""
        self.episode, self.turns, self.device = playing.episode, playing.turns, playing.bench.device
        self._settings = settings or self._settings
        self.error, self.was_stopped, self.stage = None, False, ""
        self._paused_at, self._paused_s = None, 0.0
        self._may_go.set()
        self._ended.clear()
        self._is_up.clear()
        self._thread = threading.Thread(target=self._work, args=(playing,), name="cudaperf work", daemon=True)
        with _QUEUE_LOCK:
            _QUEUE.append(self)
        self._is_interruptible = False
        self._thread.start()
        self._is_up.wait()
        self._tell()

    def again(self, *, turns: int, policy: str = "search", hint: str = "") -> None:
        """Go on with the ended episode until it has `turns` turns in all.

        Raises:
            UsageError: it has not ended, or there is nothing to go on with.
        """
        if self.state != "ended" or self.episode is None:
            raise UsageError(f"{self.where}: stop it first, or wait for its end")
        identity = self.episode.identity
        self.start(
            commands.begin_again(identity, turns=turns, policy=policy, hint=hint, watch=self, **self._settings)
        )

    def pause(self) -> bool:
        """Hold it before its next evaluation; False when there is nothing to hold."""
        with self._lock:
            if self.state not in ("running", "waiting"):
                return False
            self._may_go.clear()
            self._paused_at = time.monotonic()
        self._tell()
        return True

    def unpause(self) -> bool:
        with self._lock:
            if self.state != "paused":
                return False
            self._paused_s, self._paused_at = self.paused_s, None
            self._may_go.set()
        self._tell()
        return True

    def stop(self) -> bool:
        """End it soon, from any stage; the turns that were played are kept. False when it has ended already."""
        with self._lock:
            if not self._is_interruptible or self.was_stopped or self._thread is None:
                return False
            self.was_stopped = True
            _raise_in(self._thread, KeyboardInterrupt)
        threading.Thread(target=self._nudge, name="cudaperf stop", daemon=True).start()
        return True

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the end; whether it was reached. An interrupt of the waiting thread leaves the work alone."""
        return self._ended.wait(timeout_s)

    # ---- in the working thread ----

    def before(self, stage: str) -> None:
        """A `Watch`: where a pause holds."""
        self.note(stage)
        while not self._may_go.wait(GLANCE_S):
            pass

    def note(self, stage: str) -> None:
        self.stage = STAGES.get(stage, stage)

    def _work(self, playing: Play) -> None:
        try:
            self._play(playing)
        except KeyboardInterrupt:
            self.was_stopped = True
        except BaseException as error:
            self.error = error
        try:
            self._settle(playing)
            if self._finish is not None:
                self._finish(self)
        except Exception as error:
            self.error = self.error or error
        with _QUEUE_LOCK:
            _QUEUE.remove(self)
        self._ended.set()
        self._tell()

    def _play(self, playing: Play) -> None:
        try:
            with playing:
                try:
                    self._is_interruptible = True
                    self._is_up.set()
                    self._wait_for_turn()
                    with sandbox.held():
                        for episode in playing:
                            self.episode = episode
                            self._tell()
                finally:
                    self._refuse_interrupts()
        finally:
            self._refuse_interrupts()

    def _wait_for_turn(self) -> None:
        while _QUEUE[0] is not self:
            time.sleep(GLANCE_S)

    def _refuse_interrupts(self) -> None:
        """From here on the episode writes itself down; an interrupt that is on its way is taken and forgotten."""
        while True:
            try:
                with self._lock:
                    self._is_interruptible = False
                    _raise_in(threading.current_thread(), None)
                return
            except KeyboardInterrupt:
                continue

    def _settle(self, playing: Play) -> None:
        """The episode as the journal has it: how it ended was perhaps written after the last turn was handed out."""
        episode = playing.episode
        self.episode = episode.stop(INTERRUPTED) if self.was_stopped and episode.is_live else episode
        self.was_stopped = self.was_stopped and self.episode.stopped == INTERRUPTED
        self.stage = ""

    def _tell(self) -> None:
        if self.observer is not None:
            self.observer(self)

    def _nudge(self) -> None:
        while self._is_interruptible and not self._ended.wait(NUDGE_S):
            if self._is_interruptible:
                sandbox.stop()


class Running(Translation):
    """A translation that is still played: it waits for the end when it is used, and is an ordinary one from then on.

    Showing it does not wait. Where no kernel came out, the first use raises NotVerified; after that its report is
    there.
    """

    def __init__(self, work: Work, name: str = "") -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "work", work)
        object.__setattr__(self, "_was_told", False)

    work: Work
    _was_told: bool

    @property
    def episode(self) -> Episode:
        """The episode once it has ended.

        Raises:
            NotVerified: at the first use, when no verified kernel came out. Whatever else ended it: at every use.
        """
        self.work.wait()
        episode = self.work.episode
        if self.work.error is not None:
            raise self.work.error
        assert episode is not None
        if episode.decision == "none" and not self._was_told:
            object.__setattr__(self, "_was_told", True)
            raise NotVerified(headline(episode))
        return episode

    @property
    def device(self) -> str:
        return self.work.device

    @property
    def report(self) -> Any:
        return Translation(self.episode, self.device, self.name).report

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        if self.work.state != "ended" or self.work.error is not None:
            return {"text/plain": repr(self)}
        assert self.work.episode is not None
        return Translation(self.work.episode, self.device, self.name)._repr_mimebundle_(**options)

    def __repr__(self) -> str:
        error = self.work.error
        return f"<Translation: {self.work.where if error is None else error}>"

    __eq__ = object.__eq__
    __hash__ = object.__hash__


def current() -> Work | None:
    """The one that is played now."""
    with _QUEUE_LOCK:
        return _QUEUE[0] if _QUEUE else None


def active() -> tuple[Work, ...]:
    """Those that are played or wait, in their order."""
    with _QUEUE_LOCK:
        return tuple(_QUEUE)


def refuse_active(identity: str) -> None:
    """Says that an episode is being played already.

    Raises:
        UsageError: it is; one that is not named is the one played now.
    """
    for work in active():
        if work.is_named(identity):
            raise UsageError(f"{work.where}; it is being played already: %cudaperf stop ends it")


def stop_all() -> None:
    """End whatever is played and whatever waits: what an interrupt of an idle kernel means."""
    for work in reversed(active()):
        work.stop()


def wait_for_all(say: Callable[[str], object]) -> None:
    """Wait until nothing is played in the background; `say` is told when that takes time."""
    while found := active():
        say(f"waits for {plural(len(found), 'translation')} in the background")
        found[-1].wait()


def _raise_in(thread: threading.Thread, error: type[BaseException] | None) -> None:
    """Have a thread raise this at its next step in Python, as Ctrl-C does in the main thread; None takes it back."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(error) if error is not None else None
        )


def _end() -> None:
    stop_all()
    until = time.monotonic() + LAST_WAIT_S
    for work in active():
        work.wait(max(until - time.monotonic(), 0.0))


atexit.register(_end)  # after the servers' own, so that it runs before theirs
