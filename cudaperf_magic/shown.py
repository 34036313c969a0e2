"""What `show` gives back, and the list of what there is: reports of what was played, checked, inspected or compared
earlier, drawn anew.

    a name as everywhere (named.py)   the episode's report; of `saxpy:2` that turn's
    a file (saved.py)                 the report of what it holds; of a saved notebook every one in it

It draws nothing by itself and evaluates nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from textwrap import shorten
from typing import Any

from .compared import Compared
from .inspected import Inspected
from .named import find, is_file
from .notebook import markup
from .notebook.outcome_report import outcome_report
from .notebook.report import Report, check_report, episode_report
from .notebook.tables import Table
from .records import Episode, Outcome
from .saved import Saved, Value, saved
from .store import Entry
from .translation import Checked

ENDED_CHARACTERS = 80  # of a row of the history; the episode itself says all of it


@dataclass(frozen=True)
class Shown:
    """Reports, one below the other; in the place of one that cannot be read, why."""

    parts: tuple[Saved, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def reports(self) -> tuple[Report | None, ...]:
        """Of each part; None where it cannot be read."""
        return tuple(report_of(part.value) if part.value is not None else None for part in self.parts)

    @property
    def text(self) -> str:
        blocks = ["\n".join(self.notes)] if self.notes else []
        for part, report in zip(self.parts, self.reports, strict=True):
            title = f"{part.place}\n{'=' * len(part.place)}\n" if part.place and len(self.parts) > 1 else ""
            blocks.append(title + (report.text if report else "\n".join(_why(part))))
        return "\n\n".join(blocks)

    @property
    def html(self) -> str:
        blocks = [markup.paragraph(note, "opacity:0.75") for note in self.notes]
        for part, report in zip(self.parts, self.reports, strict=True):
            if part.place and len(self.parts) > 1:
                blocks.append(markup.heading(part.place))
            if report is not None:
                blocks.append(report.html)
            else:
                blocks += [markup.paragraph(line, "white-space:pre-wrap") for line in _why(part)]
        return markup.page(*blocks)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": self.text, "text/html": self.html}
        only = self.reports[0] if len(self.reports) == 1 else None
        return bundle | ({only.mime: only.data} if only is not None else {})

    def __repr__(self) -> str:
        return self.text


def show(name: str, namespace: Mapping[str, Any] | None = None) -> Shown:
    """The reports that a name or a file stands for.

    Raises:
        UsageError: it names nothing, or a file that holds nothing of ours; one sentence.
        StoreError: the store cannot be read.
    """
    value = (namespace or {}).get(name)
    if isinstance(value, Inspected | Compared | Checked | Outcome):
        return Shown((Saved(value),))
    if value is None and is_file(name):
        return Shown(saved(Path(name).expanduser()))
    found = find(name, namespace)
    notes = (found.note,) if found.note else ()
    turn = found.turn if found.number else None
    return Shown((Saved(Checked(found.task, turn) if turn else found.episode),), notes)


def history_of(entries: Iterable[Entry]) -> Table:
    """A row an episode, in their order."""
    rows = []
    for entry in entries:
        when = datetime.fromtimestamp(entry.begun_at).strftime("%Y-%m-%d %H:%M")
        ended = f"KEEP: {entry.kept}" if entry.kept else entry.stopped or "unfinished"
        ended = shorten(ended, ENDED_CHARACTERS, placeholder=" …")
        rows.append((entry.identity, entry.name, when, str(entry.turns), ended))
    empty = "no episode yet; %%cudaperf translate or `cudaperf translate FILE.c` plays one"
    return Table(("episode", "function", "begun", "turns", "ended"), tuple(rows), empty)


def report_of(value: Value) -> Report:
    match value:
        case Episode():
            return episode_report(value)
        case Outcome():
            return outcome_report(value)
        case Checked():
            return check_report(value.task, value.turn, value.goals)
        case Compared():
            return value.report
        case Inspected():
            return value.report


def _why(part: Saved) -> list[str]:
    """Why it cannot be read, and what the notebook shows of it all the same."""
    return [part.problem, *(["Its text as it was saved:", part.text] if part.text else [])]
