"""The live view in a notebook: one output that is redrawn as turns come.

HTML through a display handle, no widget: it works in every front end and is harmless where nothing draws. When the
cell waits for the work, the view folds into a line at the end and the cell's result follows; when the work goes on in
the background, the report takes the view's place, so that a saved notebook has it. Terminals have
terminal.TerminalView; buttons are in controls.py.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from ..background import Work
from ..records import Episode
from ..watching import STAGES
from . import markup, progress
from .front_end import has_display
from .progress import Progress
from .report import episode_report
from .terminal import TerminalView

TICK_S = 1.0
IN_WORDS = "%cudaperf stop ends it and keeps the turns, %cudaperf pause holds it before the next evaluation."
HELD = "Held before the next evaluation: %cudaperf resume goes on, %cudaperf stop ends it and keeps the turns."


class NotebookView:
    """Draws every episode that the loop yields. Use as a context manager; `begin` and `show` as TerminalView's.

    It is a `Watch` too, so that it can say what goes on within a turn.
    """

    def __init__(self, turns: int) -> None:
        from IPython.display import DisplayHandle

        self.turns = turns
        self._handle: Any = DisplayHandle()  # type: ignore[no-untyped-call]
        self._work: Work | None = None
        self._name = ""
        self._drawing, self._hearing = threading.Lock(), threading.RLock()
        self._reset(None)

    def _reset(self, episode: Episode | None) -> None:
        self._episode = episode
        self._first = len(episode.turns) if episode else 0
        self._stage = ""
        self._turns_html = progress.turns_html(episode)
        self._started, self._last_at_s = time.monotonic(), 0.0
        self._ended = threading.Event()

    # ---- a cell that waits ----

    def __enter__(self) -> NotebookView:
        self._handle.display(self._bundle(), raw=True)
        self._start_clock()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._work is not None and kind is None:
            return  # it goes on beside the cell
        self._ended.set()
        self._clock.join()
        how = "" if kind is None else "interrupted" if issubclass(kind, KeyboardInterrupt) else "stopped"
        line = progress.ended_line(self._episode, time.monotonic() - self._started, how)
        self._put({"text/plain": line, "text/html": markup.page(markup.paragraph(line, "opacity:0.75"))})

    def begin(self, episode: Episode) -> None:
        started = self._started
        self._stop_clock()
        self._reset(episode)
        self._started = started  # reading the C is part of it
        self._start_clock()
        self._draw()

    def show(self, episode: Episode) -> None:
        self._turns_html = progress.turns_html(episode)
        self._episode, self._last_at_s = episode, self._so_far_s
        self._draw()

    def before(self, stage: str) -> None:
        self.note(stage)

    def note(self, stage: str) -> None:
        self._stage = STAGES.get(stage, stage)

    def say(self, words: str) -> None:
        """What it is at before an episode has begun."""
        self._stage = words
        self._draw()

    # ---- a cell that has ended, with work that goes on ----

    def follow(self, work: Work, name: str = "") -> None:
        """Be the view of this work, now and whenever it goes on; `name` is what its result is bound to."""
        self._work, self._name = work, name

    def heard(self, work: Work) -> None:
        """The work's observer: called in its thread, and in the one that begins, pauses or goes on with it."""
        with self._hearing:
            self._hear(work)

    def _hear(self, work: Work) -> None:
        if work.state == "ended":
            self._report(work)
        elif self._ended.is_set():
            self._again(work)
        elif work.episode is not None and work.episode is not self._episode:
            self.show(work.episode)
        else:
            self._draw()

    def _again(self, work: Work) -> None:
        """It goes on after it had ended."""
        self.turns = work.turns
        self._reset(work.episode)
        self._start_clock()
        self._draw()

    def _report(self, work: Work) -> None:
        self._stop_clock()
        how = "stopped" if work.was_stopped else f"ended by an error: {work.error}" if work.error else ""
        line = progress.ended_line(work.episode, self._so_far_s, how)
        if work.episode is None:
            self._put({"text/plain": line, "text/html": markup.page(markup.paragraph(line))})
            return
        bundle = dict(episode_report(work.episode, self._name)._repr_mimebundle_())
        bundle["text/plain"] = f"{line}\n\n{bundle['text/plain']}"
        bundle["text/html"] = markup.page(markup.paragraph(line, "opacity:0.75")) + bundle["text/html"]
        self._put(bundle)

    # ---- drawing ----

    @property
    def _so_far_s(self) -> float:
        held_s = self._work.paused_s if self._work is not None else 0.0
        return time.monotonic() - self._started - held_s

    def _start_clock(self) -> None:
        self._clock = threading.Thread(target=self._tick, args=(self._ended,), name="cudaperf clock", daemon=True)
        self._clock.start()

    def _stop_clock(self) -> None:
        self._ended.set()
        if self._clock is not threading.current_thread():
            self._clock.join()

    def _tick(self, ended: threading.Event) -> None:
        while not ended.wait(TICK_S):
            self._draw()

    def _draw(self) -> None:
        self._put(self._bundle())

    def _put(self, bundle: dict[str, Any]) -> None:
        with self._drawing:
            self._handle.update(bundle, raw=True)

    def _bundle(self) -> dict[str, Any]:
        work = self._work
        is_paused = work is not None and work.state == "paused"
        stage = self._stage if work is None else work.stage
        if work is not None and work.state == "waiting":
            stage = "waits until another translation has ended"
        now = Progress(
            self._episode, self.turns, self._so_far_s, self._last_at_s, self._first, stage, is_paused=is_paused
        )
        note = "" if work is None else HELD if is_paused else IN_WORDS
        return {"text/plain": now.line, "text/html": progress.html(now, self._turns_html, note)}


View = TerminalView | NotebookView


def view_for(shell: Any, turns: int) -> View:
    """The view that this front end can show: only a kernel has a display that can be redrawn."""
    return NotebookView(turns) if has_display(shell) else TerminalView(turns)
