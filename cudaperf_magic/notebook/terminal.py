"""An episode as text: the plain report, and the view that writes each turn as it comes to a terminal or a file.

Uses rich for colour and the moving line; without a terminal the same words come out plain. It knows no Jupyter.
"""

from __future__ import annotations

import re
import time
from textwrap import wrap
from typing import TYPE_CHECKING

from ..goals import Result
from ..records import Episode, Outcome, Structure, Task, Timing, Turn
from . import place_words, plots, reward_view, source_view, timing_words, words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

BAR = 12
DIFF_ROWS = 40  # of one turn, while it runs; the report has the rest
DIFF_ROWS_TOLD = 200  # of the first turn against the best, in the report
COLOURS = {"good": "green", "bad": "red", "neutral": "yellow"}
SIGNS = {"add": ("+", "green"), "remove": ("-", "red"), "same": (" ", ""), "place": ("@", "cyan")}


def episode_text(episode: Episode) -> str:
    """The report for a terminal that draws nothing: answer, conditions, why, turns."""
    best = episode.best
    lines = [words.headline(episode)]
    if best is not None:
        lines += [f"  {sentence}" for sentence in words.conditions(episode.task, best.outcome)]
        lines += ["", *reward_view.text(best.reward), *timing_lines(best.outcome.timing)]
        lines += structure_rows(best.outcome.structure)
    else:
        lines += [f"  {note}" for note in episode.task.notes]
    if (earned := reward_view.kept(episode)) is not None:
        lines += ["", "what KEEP earns", *reward_view.text(earned)]
    if episode.turns:
        lines += ["", *(_turn_line(number, turn, turn is best) for number, turn in enumerate(episode.turns, 1))]
    if best is not None:
        lines += [*_plots(episode), *costly_lines(best), *_changes(episode, best), *_place(best.outcome)]
    if episode.stopped:
        lines += ["", f"ended: {episode.stopped}"]
    return "\n".join(lines)


def fitted(text: str, width: int) -> str:
    """The text with lines of at most `width` characters where words allow it, for a terminal.

    What a long line goes on with stands below its last column that begins within the line's first half; below its
    indent and two more where it has none. Lines that fit stay as they are.
    """
    return "\n".join(row for line in text.split("\n") for row in _folded(line, width))


def _folded(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    if set(line) <= {"-", " "}:
        return [line[:width]]  # the rule below a table's head
    indent = len(line) - len(line.lstrip())
    columns = [gap.end() for gap in re.finditer(r"(?<=\S) {2,}(?=\S)", line) if gap.end() <= width // 2]
    hang = " " * (columns[-1] if columns else min(indent + 2, width // 2))
    # The wrapper would take tabs and runs of blanks apart: columns are made of them.
    return wrap(
        line,
        width,
        subsequent_indent=hang,
        expand_tabs=False,
        replace_whitespace=False,
        break_on_hyphens=False,
        break_long_words=False,
    )


def check_text(task: Task, turn: Turn, goals: tuple[Result, ...] = ()) -> str:
    outcome = turn.outcome
    lines = [words.check_headline(task, outcome, goals)]
    lines += [f"  {'✓' if found.ok else '✗'} {found.goal}  {found.sentence}" for found in goals]
    if outcome.ok:
        lines += [f"  {sentence}" for sentence in words.conditions(task, outcome)]
    else:
        lines.append(f"  {words.where(outcome)}")
    lines += trouble(outcome)
    lines += ["", *reward_view.text(turn.reward), *timing_lines(outcome.timing), *structure_rows(outcome.structure)]
    if turn.reflection:
        lines += ["", "what to try next:", *(f"  {line}" for line in turn.reflection.splitlines())]
    return "\n".join(lines)


def _plots(episode: Episode) -> list[str]:
    """What the pictures of the HTML report show, in numbers."""
    lines = []
    for plot in (plots.roofline(episode, is_drawn=False), plots.by_turn(episode, is_drawn=False)):
        if plot is not None:
            lines += ["", plot.title.lower(), *(f"  {sentence}" for sentence in plot.sentences)]
    return lines


def costly_lines(turn: Turn) -> list[str]:
    """The lines of the best program that cost something, with what each costs."""
    structure = turn.outcome.structure
    if structure is None or not structure.lines:
        return []
    notes = words.line_notes(structure)
    return [
        "",
        "line by line",
        source_view.text(source_view.view_of(turn.candidate.source, structure.lines, notes=notes)),
    ]


def _changes(episode: Episode, best: Turn) -> list[str]:
    """The difference between the first turn's program and the best one's."""
    rows = words.diff(episode.turns[0].candidate.source, best.candidate.source)
    shown = [f"  {SIGNS[kind][0]} {line}" for kind, line in rows[:DIFF_ROWS_TOLD]]
    if len(rows) > DIFF_ROWS_TOLD:
        shown.append(f"  … {len(rows) - DIFF_ROWS_TOLD} more lines")
    return ["", "what changed between the first turn and the best", *shown] if shown else []


def _place(outcome: Outcome) -> list[str]:
    found = place_words.rows(outcome)
    wide = max((len(what) for what, _ in found), default=0)
    return ["", "memory and machine", *(f"  {what:<{wide}}  {value}" for what, value in found)]


def bar(share: float) -> str:
    filled = round(max(0.0, min(1.0, share)) * BAR)
    return "█" * filled + "·" * (BAR - filled)


def timing_lines(timing: Timing | None) -> list[str]:
    """What was timed under a title; nothing where no time was measured."""
    if timing is None:
        return []
    rows = timing_words.timing_rows(timing)
    wide = max(len(what) for what, _, _ in rows)
    return ["time", *(f"  {what:<{wide}}  {took:>8}  {more}".rstrip() for what, took, more in rows)]


def structure_rows(structure: Structure | None) -> list[str]:
    """The properties that apply under a title; nothing when none does."""
    rows = []
    for item in words.properties(structure):
        is_told = not item.line or item.score == 1.0 or f"line {item.line}" in item.reason
        place = "" if is_told else f"line {item.line}: "
        title = words.PROPERTY_TITLES[item.name]
        rows.append(f"  {title:<20}  {bar(item.score)}  {words.number(item.score, 2):<5}  {place}{item.reason}")
    return ["structure", *rows] if rows else []


def _turn_line(number: int, turn: Turn, is_best: bool) -> str:
    badge = words.badge(turn.outcome)
    star = "*" if is_best else " "
    reward = words.number(turn.reward.total)
    return f"{star} turn {number}  {badge.sign} {badge.text:<16}  {reward:>6}  {words.intention(turn)}"


def trouble(outcome: Outcome) -> list[str]:
    """Why it does not build, or what it did wrong."""
    rows = []
    if not outcome.build.ok:
        rows += [f"  {line}" for line in outcome.build.log.splitlines()[:12]]
    elif outcome.verdict is not None:
        rows += [f"  {words.fault_sentence(fault)}" for fault in outcome.verdict.faults[:8]]
    return rows


class TerminalView:
    """Writes turns as they come, and between them one moving line with the time left, where there is a terminal.

    Use as a context manager; `begin` takes the episode before its first turn, `show` every one that the loop yields.
    """

    def __init__(self, turns: int, console: Console | None = None) -> None:
        from rich.console import Console

        self.console = console or Console(highlight=False)
        self.turns = turns
        self._shown = 0
        self._started = time.monotonic()
        self._progress: Progress | None = None

    def __enter__(self) -> TerminalView:
        if self.console.is_terminal:
            from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(20), TimeElapsedColumn())
            self._progress = Progress(*columns, console=self.console, transient=True)
            self._progress.add_task("reading the C", total=self.turns)
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def begin(self, episode: Episode) -> None:
        """Say what the task is. Turns that a resumed episode already has are not told again."""
        self._shown = len(episode.turns)
        cases = words.plural(len(episode.task.cases), "case")
        self.console.print(f"{episode.task.entry}: {cases} to agree on", markup=False)
        for note in episode.task.notes:
            self.console.print(f"  {note}", markup=False, style="dim", soft_wrap=True)
        self._tell(episode)

    def show(self, episode: Episode) -> None:
        for index in range(self._shown, len(episode.turns)):
            before = episode.turns[index - 1] if index else None
            self._turn(index + 1, episode.turns[index], before)
        self._shown = len(episode.turns)
        self._tell(episode)

    def end(self, text: str) -> None:
        """The report below the turns."""
        self.console.print()
        self.console.print(self._fitted(text), markup=False, soft_wrap=True)

    def _fitted(self, text: str) -> str:
        return fitted(text, self.console.width) if self.console.is_terminal else text

    def _tell(self, episode: Episode) -> None:
        if self._progress is not None:
            left = words.time_left(episode, self.turns, time.monotonic() - self._started)
            at = f"turn {min(self._shown + 1, self.turns)} of {self.turns}"
            said = ", ".join(part for part in (at, left) if part)
            self._progress.update(self._progress.task_ids[0], description=said, completed=self._shown)

    def _turn(self, number: int, turn: Turn, before: Turn | None) -> None:
        from rich.text import Text

        badge = words.badge(turn.outcome)
        line = Text(f"turn {number} of {self.turns}  ")
        line.append(f"{badge.sign} {badge.text}", style=COLOURS[badge.tone])
        line.append(f"  reward {words.number(turn.reward.total)}  {words.intention(turn)}")
        self.console.print(line, soft_wrap=True)
        if not turn.outcome.ok:
            self.console.print(f"  {words.verdict_sentence(turn.outcome)}", markup=False, soft_wrap=True)
        rows = [*trouble(turn.outcome), *timing_lines(turn.outcome.timing)[1:]]
        for row in [*rows, *structure_rows(turn.outcome.structure)[1:]]:
            self.console.print(self._fitted(row), markup=False, style="dim", soft_wrap=True)
        if before is not None:
            self._diff(before, turn)

    def _diff(self, before: Turn, turn: Turn) -> None:
        rows = words.diff(before.candidate.source, turn.candidate.source, context=1)
        for kind, text in rows[:DIFF_ROWS]:
            sign, colour = SIGNS[kind]
            self.console.print(f"    {sign} {text}", style=colour or None, markup=False, soft_wrap=True)
        if len(rows) > DIFF_ROWS:
            self.console.print(f"    … {len(rows) - DIFF_ROWS} more lines", markup=False)
