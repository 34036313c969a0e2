"""An episode that is still played, as one line and as HTML whose size does not grow with the number of turns.

Records in, text out; it knows no clock and no Jupyter. The report that follows is report.py's.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..records import Episode, Turn
from . import markup, report, words

MOST_BOXES = 16  # turns that the strip shows one by one; the earlier ones are counted
# What a turn did scrolls in a box of its own, so that buttons below it stay where they are.
BOX = f"max-height:340px;overflow-y:auto;border-bottom:{markup.LINE};padding-bottom:4px"


@dataclass(frozen=True)
class Progress:
    """Where an episode stands.

    Attributes:
        turns: how many it may have. first: how many it had when this playing of it began.
        so_far_s: seconds since then, without pauses. last_at_s: of these, when the last turn ended.
        stage: what it is at, in words. is_paused: whether it is held.
    """

    episode: Episode | None
    turns: int
    so_far_s: float
    last_at_s: float = 0.0
    first: int = 0
    stage: str = ""
    is_paused: bool = False

    @property
    def played(self) -> int:
        return len(self.episode.turns) if self.episode else 0

    @property
    def line(self) -> str:
        """Which turn it is at, since when, and how long it may take."""
        so_far = words.duration(self.so_far_s)
        if self.episode is None:
            return f"{self.stage or 'reading the C'}, {so_far}"
        at = f"{self.episode.task.entry}: turn {min(self.played + 1, self.turns)} of {self.turns}"
        stage = "paused" if self.is_paused else self.stage
        return ", ".join(part for part in (at, stage, f"{so_far} so far", self._left) if part)

    @property
    def _left(self) -> str:
        here = self.played - self.first
        if self.episode is None or here <= 0:
            return ""
        # The mean is of the turns that were played since, however many came before.
        spent_s = self.last_at_s / here * self.played
        return words.time_left(self.episode, self.turns, spent_s, self.so_far_s - self.last_at_s)


def html(progress: Progress, turns: str, note: str = "") -> str:
    """The page: bar, line, turns.

    Args:
        turns: what `turns_html` gave, which changes with a turn only. note: words below the line.
    """
    bar = markup.bar(progress.played / progress.turns, width_px=160)
    head = (
        markup.tag("div", "display:inline-block;vertical-align:middle", bar),
        markup.tag("span", "padding-left:10px", markup.text(progress.line)),
    )
    below = markup.paragraph(note, "opacity:0.75") if note else ""
    return markup.page(markup.tag("div", "margin:4px 0", *head), below, turns)


def turns_html(episode: Episode | None) -> str:
    """The strip of turns and what the last one did; before the first, what was assumed of the C."""
    if episode is None:
        return ""
    if not episode.turns:
        return "".join(markup.paragraph(note, "opacity:0.75") for note in episode.task.notes)
    played = len(episode.turns)
    turn = episode.turns[-1]
    before = episode.turns[-2] if played > 1 else None
    badge = words.badge(turn.outcome)
    pill = markup.pill(badge.tone, f"{badge.sign} {badge.text}")
    title = f"Turn {played}: {pill} {markup.text(words.intention(turn))}"
    details = markup.tag("div", BOX, *report.turn_parts(turn, before))
    return strip(episode) + markup.tag("div", "margin:4px 0", title) + details


def strip(episode: Episode) -> str:
    """The latest turns, one box each; of the earlier ones how many there are, how many are right, and the best."""
    hidden = len(episode.turns) - MOST_BOXES
    if hidden <= 1:
        return report.strip(episode)
    earlier, latest = episode.turns[:hidden], episode.turns[hidden:]
    right = sum(turn.outcome.ok for turn in earlier)
    folded = f"{hidden} turns before, {right} of them right"
    best = episode.best
    if best is not None and any(turn is best for turn in earlier):
        number = next(number for number, turn in enumerate(earlier, 1) if turn is best)
        folded += f"; best so far: turn {number} ★ · {words.number(best.reward.total)}"
    return markup.paragraph(folded, "opacity:0.75") + _boxes(episode, latest, hidden)


def _boxes(episode: Episode, latest: tuple[Turn, ...], hidden: int) -> str:
    best = episode.best
    boxes = []
    for number, turn in enumerate(latest, hidden + 1):
        badge = words.badge(turn.outcome)
        frame = f"border:2px solid {markup.BLUE}" if turn is best else f"border:{markup.LINE}"
        style = f"display:inline-block;margin:0 6px 6px 0;padding:3px 8px;border-radius:6px;{frame};font-size:12px"
        tint = f"color:white;background:{markup.TONES[badge.tone]};border-radius:4px;padding:0 4px"
        label = f" {number}{' ★' if turn is best else ''} · {words.number(turn.reward.total)}"
        sign = markup.tag("span", tint, badge.sign)
        boxes.append(markup.tag("div", style, sign, markup.text(label), title=f"{badge.text}: {words.intention(turn)}"))
    return markup.tag("div", "margin:4px 0", *boxes)


def ended_line(episode: Episode | None, seconds: float, how: str = "") -> str:
    """The line that is left of a view.

    Args:
        how: "interrupted", "stopped": when it did not end by itself.
    """
    took = words.duration(seconds)
    if episode is None:
        return f"nothing was played, {took}"
    played = words.plural(len(episode.turns), "turn")
    if not how:
        return f"{episode.task.entry}: {played} in {took}"
    hint = f"; %cudaperf resume {episode.identity} goes on" if episode.identity else ""
    return f"{episode.task.entry}: {how} after {played}, {took}{hint}"
