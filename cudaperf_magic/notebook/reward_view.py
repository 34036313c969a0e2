"""A reward drawn: one bar a term that shows its weight, its score and its value, and the sum; as HTML and as text.

All bars of a reward stand on one scale with one zero line. The pale frame is what the term could give (weight times the
range of its score), the solid part what it gives; a term without a bound ends in an arrow. Numbers stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ..errors import UsageError
from ..records import Episode, RewardBreakdown, RewardTerm
from ..rewards import load_preset, score_keep
from . import markup, words

TRACK_PX = 130
TRACK_CHARACTERS = 24
FRAME = "rgba(128,128,128,0.3)"
UNBOUNDED = "→"


@dataclass(frozen=True)
class Bar:
    """One term on the scale, everything as a share of the track from its left end."""

    term: RewardTerm
    frame: tuple[float, float]
    fill: tuple[float, float]
    zero: float
    is_open: bool  # the frame has no end that could be drawn


def bars(reward: RewardBreakdown) -> tuple[Bar, ...]:
    """Every term on the common scale of them all."""
    spans = [_span(term) for term in reward.terms]
    low = min([0.0, *(low for low, _ in spans)])
    high = max([0.0, *(high for _, high in spans)])
    length = high - low or 1.0

    def place(value: float) -> float:
        return (value - low) / length

    return tuple(
        Bar(
            term,
            (place(span[0]), place(span[1])),
            (place(min(0.0, term.value)), place(max(0.0, term.value))),
            place(0.0),
            None in term.range,
        )
        for term, span in zip(reward.terms, spans, strict=True)
    )


def _span(term: RewardTerm) -> tuple[float, float]:
    """What the term can give, with zero in it; on a side without a bound, what it gives."""
    ends = [term.weight * end for end in term.range if end is not None]
    return min(0.0, term.value, *ends), max(0.0, term.value, *ends)


def kept(episode: Episode) -> RewardBreakdown | None:
    """What the decision KEEP earns under the episode's reward; None for other decisions, or where it has no word."""
    if not episode.kept:
        return None
    try:
        return score_keep(load_preset(episode.preset))
    except UsageError:  # a file that is no longer there
        return None


def table(reward: RewardBreakdown) -> str:
    """Each term with its bar, its numbers beside it, and its reason; the sum last."""
    rows = [
        (
            markup.text(bar.term.name),
            _track(bar),
            markup.tag("span", "white-space:nowrap", markup.text(sum_of(bar.term))),
            markup.text(reason(bar.term)),
        )
        for bar in bars(reward)
    ]
    total = markup.tag("span", "font-weight:600", markup.text(words.number(reward.total)))
    rows.append((markup.tag("span", "font-weight:600", "reward"), "", total, markup.text(_adding(reward))))
    return markup.table(rows, (f"reward “{reward.preset}”", "", "score × weight", "why"))


def sum_of(term: RewardTerm) -> str:
    """`0.75 × 3 = 2.25`."""
    return f"{words.number(term.score)} × {words.number(term.weight)} = {words.number(term.value)}"


def reason(term: RewardTerm) -> str:
    clipped = [end for end in term.range if end is not None and end == term.score and end not in (0.0, 1.0)]
    return f"{term.reason} (clipped at {words.number(clipped[0])})" if clipped else term.reason


def _adding(reward: RewardBreakdown) -> str:
    if len(reward.terms) < 2:
        return ""
    values = [words.number(term.value) for term in reward.terms]
    return f"{' + '.join(values)}".replace("+ -", "- ")


def _track(bar: Bar) -> str:
    """Blocks side by side between the ends of frame and fill; the zero line is a border."""
    cuts = sorted({0.0, 1.0, bar.zero, *bar.frame, *bar.fill})
    blocks = []
    for left, right in pairwise(cuts):
        middle, wide = (left + right) / 2, (right - left) * TRACK_PX
        colour = "transparent"
        if bar.frame[0] < middle < bar.frame[1]:
            colour = FRAME
        if bar.fill[0] < middle < bar.fill[1]:
            colour = markup.BLUE if bar.term.value > 0 else markup.RED
        edge = ";border-left:1px solid rgba(128,128,128,0.9)" if left == bar.zero else ""
        shape = f"display:inline-block;box-sizing:border-box;width:{wide:.1f}px;height:11px;vertical-align:middle"
        blocks.append(markup.tag("span", f"{shape};background:{colour}{edge}"))
    arrow = markup.text(UNBOUNDED) if bar.is_open else ""
    return markup.tag("div", f"white-space:nowrap;width:{TRACK_PX + 16}px", *blocks, arrow, title=_told(bar.term))


def _told(term: RewardTerm) -> str:
    low, high = (words.number(end) if end is not None else "no bound" for end in term.range)
    gate = f", when {term.gate}" if term.gate else ""
    return f"score from {low} to {high}{gate}"


def text(reward: RewardBreakdown) -> Iterator[str]:
    """The same for a terminal: `█` what a term gives, `·` what it could."""
    yield f"reward {words.number(reward.total)} ({reward.preset})"
    wide = max((len(term.name) for term in reward.terms), default=0)
    for bar in bars(reward):
        yield f"  {bar.term.name:<{wide}}  {_text_track(bar)}  {sum_of(bar.term):<22}  {reason(bar.term)}".rstrip()


def _text_track(bar: Bar) -> str:
    cells = []
    for i in range(TRACK_CHARACTERS):
        middle = (i + 0.5) / TRACK_CHARACTERS
        if bar.fill[0] < middle < bar.fill[1]:
            cells.append("█" if bar.term.value > 0 else "▒")
        else:
            cells.append("·" if bar.frame[0] < middle < bar.frame[1] else " ")
    zero = round(bar.zero * TRACK_CHARACTERS)
    return f"{''.join(cells[:zero])}|{''.join(cells[zero:])}" + (UNBOUNDED if bar.is_open else " ")
