"""The live view in a notebook: one output that is redrawn as turns come, and folds into a line at the end.

HTML through a display handle, no widget: it works in every front end and is harmless where nothing draws. The work runs
in the kernel's main thread, where an interrupt reaches it at once; only the clock runs beside it. Terminals have
terminal.TerminalView.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from ..records import Episode
from . import markup, report, words
from .terminal import TerminalView

TICK_S = 1.0


class NotebookView:
    """Draws every episode that the loop yields. Use as a context manager; `begin` and `show` as TerminalView's."""

    def __init__(self, turns: int) -> None:
        from IPython.display import DisplayHandle

        self.turns = turns
        self._handle: Any = DisplayHandle()  # type: ignore[no-untyped-call]
        self._episode: Episode | None = None
        self._started = self._last_at = time.monotonic()
        self._ended = threading.Event()
        self._drawing = threading.Lock()
        self._clock = threading.Thread(target=self._tick, name="cudaperf clock", daemon=True)

    def __enter__(self) -> NotebookView:
        self._handle.display(self._bundle(), raw=True)
        self._clock.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._ended.set()
        self._clock.join()
        self._draw(ending=_ending(kind, self._episode, time.monotonic() - self._started))

    def begin(self, episode: Episode) -> None:
        self.show(episode)

    def show(self, episode: Episode) -> None:
        self._episode, self._last_at = episode, time.monotonic()
        self._draw()

    def _tick(self) -> None:
        while not self._ended.wait(TICK_S):
            self._draw()

    def _draw(self, ending: str = "") -> None:
        with self._drawing:
            self._handle.update(self._bundle(ending), raw=True)

    def _bundle(self, ending: str = "") -> dict[str, str]:
        if ending:
            return {"text/plain": ending, "text/html": markup.page(markup.paragraph(ending, "opacity:0.75"))}
        line = self._line()
        return {"text/plain": line, "text/html": self._html(line)}

    def _line(self) -> str:
        """Which turn it is at, since when, and how long it may take."""
        now, episode = time.monotonic(), self._episode
        so_far = words.duration(now - self._started)
        if episode is None:
            return f"reading the C, {so_far}"
        left = words.time_left(episode, self.turns, self._last_at - self._started, now - self._last_at)
        at = f"{episode.task.entry}: turn {min(len(episode.turns) + 1, self.turns)} of {self.turns}"
        return ", ".join(part for part in (at, f"{so_far} so far", left) if part)

    def _html(self, line: str) -> str:
        episode = self._episode
        played = len(episode.turns) if episode else 0
        bar = markup.bar(played / self.turns, width_px=160)
        head = (
            markup.tag("div", "display:inline-block;vertical-align:middle", bar),
            markup.tag("span", "padding-left:10px", markup.text(line)),
        )
        parts = [markup.tag("div", "margin:4px 0", *head)]
        if episode and not episode.turns:
            parts += [markup.paragraph(note, "opacity:0.75") for note in episode.task.notes]
        if episode and episode.turns:
            turn = episode.turns[-1]
            before = episode.turns[-2] if played > 1 else None
            badge = words.badge(turn.outcome)
            pill = markup.pill(badge.tone, f"{badge.sign} {badge.text}")
            title = f"Turn {played}: {pill} {markup.text(words.intention(turn))}"
            parts += [report.strip(episode), markup.tag("div", "margin:4px 0", title), *report.turn_parts(turn, before)]
        return markup.page(*parts)


View = TerminalView | NotebookView


def view_for(shell: Any, turns: int) -> View:
    """The view that this front end can show: only a kernel has a display that can be redrawn."""
    return NotebookView(turns) if hasattr(shell, "kernel") else TerminalView(turns)


def _ending(kind: type[BaseException] | None, episode: Episode | None, elapsed_s: float) -> str:
    took = words.duration(elapsed_s)
    if episode is None:
        return f"nothing was played, {took}"
    played = words.plural(len(episode.turns), "turn")
    if kind is None:
        return f"{episode.task.entry}: {played} in {took}"
    how = "interrupted" if issubclass(kind, KeyboardInterrupt) else "stopped"
    hint = f"; %cudaperf resume {episode.identity} goes on" if episode.identity else ""
    return f"{episode.task.entry}: {how} after {played}, {took}{hint}"
