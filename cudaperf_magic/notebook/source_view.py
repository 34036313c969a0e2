"""The source with what each line cost beside it, as HTML and as text.

A number is the line's own; the tint behind it says how much of the whole program's loss (or work) the line has, so that
the darkest cell is where to begin. Lines on which nothing runs are folded. It counts nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Literal

from ..records import LineCost
from ..records_inspection import LANES, Inspection
from . import markup
from .inspection_words import fault_lines, source_lines

CONTEXT = 1  # lines around one that cost something
FOLD = 4  # fewer untouched lines in a row stay
MOST_LINES = 400  # of those on which nothing runs, in one fold
MOST_CHARACTERS = 400  # of a line
CELL_PX = 49
NUMBER_PX = 40
GAP_PX = 10  # before the code
CHARACTER_PX = 7.2  # of markup.MONO
MOST_OWN = 12  # characters of a line's own indent that its rest is moved by
HANG_PX = 24  # of what does not fit on its line
LEAST_ALPHA, MOST_ALPHA = 0.10, 0.55
RGB = {"work": "47,111,219", "loss": "229,83,75"}


@dataclass(frozen=True)
class Column:
    """A count of each line: its title, its text, and the line's share of the whole."""

    title: str
    meaning: str
    kind: Literal["work", "loss"]
    has: Callable[[LineCost], bool]
    text: Callable[[LineCost], str]
    amount: Callable[[LineCost], float]  # what is done, or lost, here
    whole: Callable[[LineCost], float]  # adds up to what the amount is a share of


COLUMNS: tuple[Column, ...] = (
    Column(
        "runs",
        "warp instructions",
        "work",
        lambda c: c.executions > 0,
        lambda c: short(c.executions),
        lambda c: c.executions,
        lambda c: c.executions,
    ),
    Column(
        "lanes",
        "of 32 active, on average",
        "loss",
        lambda c: c.executions > 0,
        lambda c: f"{c.active_lanes:.3g}",
        lambda c: c.executions * (LANES - c.active_lanes),
        lambda c: c.executions * LANES,
    ),
    Column(
        "sectors",
        "asked for / needed, a request",
        "loss",
        lambda c: c.requests > 0,
        lambda c: f"{c.sectors / c.requests:.3g}/{c.ideal_sectors / c.requests:.3g}",
        lambda c: c.sectors - c.ideal_sectors,
        lambda c: c.sectors,
    ),
    Column(
        "banks",
        "wavefronts for each that would do",
        "loss",
        lambda c: c.shared_wavefronts > 0,
        lambda c: f"×{c.shared_wavefronts / max(c.ideal_wavefronts, 1):.3g}",
        lambda c: c.shared_wavefronts - c.ideal_wavefronts,
        lambda c: c.shared_wavefronts,
    ),
    Column(
        "barriers",
        "warps that came to one",
        "work",
        lambda c: c.barriers > 0,
        lambda c: short(c.barriers),
        lambda c: c.barriers,
        lambda c: c.barriers,
    ),
    Column(
        "atomics",
        "requests of warps",
        "work",
        lambda c: c.atomics > 0,
        lambda c: short(c.atomics),
        lambda c: c.atomics,
        lambda c: c.atomics,
    ),
)


@dataclass(frozen=True)
class Heat:
    text: str
    kind: Literal["work", "loss"]
    share: float  # of the whole program's, in [0, 1]


@dataclass(frozen=True)
class SourceLine:
    number: int
    text: str
    heats: tuple[Heat | None, ...]
    marks: tuple[str, ...]  # what went wrong here
    notes: tuple[str, ...] = ()  # what else is to be said of it, shown below it

    @property
    def is_touched(self) -> bool:
        return bool(self.marks or self.notes) or any(self.heats)


@dataclass(frozen=True)
class SourceView:
    columns: tuple[Column, ...]
    parts: tuple[tuple[bool, tuple[SourceLine, ...]], ...]  # (is folded, lines)


def source_view(inspection: Inspection) -> SourceView:
    """The source of an inspection, with its faults."""
    structure = inspection.structure
    return view_of(inspection.source, structure.lines if structure else (), fault_lines(inspection))


def view_of(
    source: str,
    costs: Sequence[LineCost],
    marks: Mapping[int, Sequence[str]] | None = None,
    notes: Mapping[int, Sequence[str]] | None = None,
) -> SourceView:
    """A source with what each of its lines cost.

    Args:
        marks: what went wrong, by line. notes: what else is to be said of a line.
    """
    columns = tuple(column for column in COLUMNS if any(column.has(cost) for cost in costs))
    by_line = {cost.line: cost for cost in costs}
    wholes = [sum(column.whole(cost) for cost in costs) for column in columns]
    marks, notes = marks or {}, notes or {}

    def heats(cost: LineCost | None) -> tuple[Heat | None, ...]:
        if cost is None:
            return (None,) * len(columns)
        return tuple(
            Heat(column.text(cost), column.kind, max(0.0, column.amount(cost) / whole)) if column.has(cost) else None
            for column, whole in zip(columns, wholes, strict=True)
        )

    lines = [
        SourceLine(
            number,
            text[:MOST_CHARACTERS],
            heats(by_line.get(number)),
            tuple(marks.get(number, ())),
            tuple(notes.get(number, ())),
        )
        for number, text in enumerate(source_lines(source.expandtabs(4)), 1)
    ]
    return SourceView(columns, tuple(_folded(lines)))


def _folded(lines: Sequence[SourceLine]) -> Iterator[tuple[bool, tuple[SourceLine, ...]]]:
    """Long runs of untouched lines apart from the others."""
    near = [False] * len(lines)
    for index, line in enumerate(lines):
        if line.is_touched:
            for i in range(max(0, index - CONTEXT), min(len(lines), index + CONTEXT + 1)):
                near[i] = True
    start = 0
    open_: list[SourceLine] = []
    while start < len(lines):
        end = start
        while end < len(lines) and near[end] == near[start]:
            end += 1
        run = lines[start:end]
        if near[start] or len(run) < FOLD:
            open_ += run
        else:
            if open_:
                yield False, tuple(open_)
            open_ = []
            yield True, tuple(run)
        start = end
    if open_:
        yield False, tuple(open_)


def short(count: int) -> str:
    """At most five characters: 9,999, 12.3k, 1.5M."""
    if count < 10_000:
        return f"{count:,}"
    size = float(count)
    for unit in "kMGT":
        size /= 1000
        if size < 999.5 or unit == "T":
            return f"{size:.3g}{unit}"
    raise AssertionError("the last unit returns")


# ---- HTML ----


def html(view: SourceView) -> str:
    pieces = [_head(view.columns)] if view.columns else []
    for is_folded, lines in view.parts:
        pieces += [_fold(lines)] if is_folded else [_html_line(line) for line in lines]
    box = markup.tag(
        "div", f"border:{markup.LINE};border-radius:4px;margin:4px 0;{markup.WRAPPED};{markup.MONO}", *pieces
    )
    return box + (_legend(view.columns) if view.columns else "")


def _fold(lines: Sequence[SourceLine]) -> str:
    code = "\n".join(f"{line.number:>5}  {line.text}" for line in lines[:MOST_LINES])
    rest = f"{len(lines) - MOST_LINES:,} more lines are in the source." if len(lines) > MOST_LINES else ""
    summary = f"lines {lines[0].number} to {lines[-1].number}: nothing of them runs in a kernel"
    drawn = markup.tag("pre", f"margin:0;background:transparent;{markup.WRAPPED};{markup.MONO}", markup.text(code))
    return markup.details(markup.text(summary), drawn, markup.paragraph(rest) if rest else "")


def _head(columns: Sequence[Column]) -> str:
    cells = "".join(_span(CELL_PX, "font-weight:600", column.title, column.meaning) for column in columns)
    first = _span(NUMBER_PX, "font-weight:600", "line")
    style = f"white-space:pre;border-bottom:{markup.LINE};font-size:11px;padding:2px 0"
    return markup.tag("div", style, first, cells)


def _html_line(line: SourceLine) -> str:
    if line.marks:
        told = "; ".join(line.marks)
        number = _span(NUMBER_PX, f"background:{markup.RED};color:white", f"✗ {line.number}", told)
    else:
        number = _span(NUMBER_PX, "opacity:0.75", str(line.number))
    cells = "".join(
        _span(CELL_PX, f"background-color:{tint(heat)}", heat.text, f"{heat.share:.1%} of the whole")
        if heat
        else markup.tag("span", f"display:inline-block;width:{CELL_PX}px")
        for heat in line.heats
    )
    back = f";background-color:{markup.TINTS['remove']}" if line.marks else ""
    code = markup.tag("span", f"padding-left:{GAP_PX}px{back}", markup.text(line.text))
    beside = markup.tag("span", markup.UNCOPIED, number, cells)
    # What does not fit goes on below its own code, further in than that begins, and never below the numbers.
    own = min(len(line.text) - len(line.text.lstrip()), MOST_OWN)
    before = code_px(len(line.heats)) + HANG_PX + round(own * CHARACTER_PX)
    drawn = markup.tag("div", f"padding-left:{before}px;text-indent:-{before}px", beside, code)
    return drawn + "".join(_html_note(note, len(line.heats)) for note in line.notes)


def code_px(columns: int) -> int:
    """Where the code begins, from the left."""
    return NUMBER_PX + CELL_PX * columns + GAP_PX


def _html_note(note: str, columns: int) -> str:
    """A sentence below its line, set off by a bar, where the code begins."""
    place = f"margin:0 0 2px {code_px(columns)}px;border-left:3px solid {markup.BLUE};padding-left:6px"
    return markup.tag("div", f"{place};font-family:sans-serif;white-space:normal;max-width:440px", markup.text(note))


def _span(width: int, style: str, words: str, title: str = "") -> str:
    shape = (
        f"display:inline-block;box-sizing:border-box;width:{width}px;text-align:right;padding-right:5px;text-indent:0px"
    )
    return markup.tag("span", f"{shape};{style}".rstrip(";"), markup.text(words), title=title)


def tint(heat: Heat) -> str:
    """Translucent, darker with the share; its square root, so that a tenth of the whole can be seen."""
    if heat.share < 0.001:
        return "transparent"
    alpha = LEAST_ALPHA + (MOST_ALPHA - LEAST_ALPHA) * min(1.0, heat.share) ** 0.5
    return f"rgba({RGB[heat.kind]},{alpha:.2f})"


def _legend(columns: Sequence[Column]) -> str:
    meanings = "; ".join(f"{column.title}: {column.meaning}" for column in columns)
    words = (
        f"{meanings}. The redder a number, the more of all that is lost is lost on its line; the bluer, the more of "
        "the work is there."
    )
    return markup.paragraph(words, "font-size:12px")


# ---- text ----


def text(view: SourceView, width: int = 100) -> str:
    """The lines that cost something or did wrong, with their neighbours; `*` marks a column's most lost or done."""
    shown = [line for is_folded, lines in view.parts for line in lines if not is_folded]
    wide = [
        max([len(column.title), *(len(heat.text) + 1 for line in shown if (heat := line.heats[i]))])
        for i, column in enumerate(view.columns)
    ]
    worst = [max((h.share for line in shown if (h := line.heats[i])), default=0.0) for i in range(len(view.columns))]
    rows = []
    if view.columns:
        titles = " ".join(f"{column.title:>{w}}" for column, w in zip(view.columns, wide, strict=True))
        rows.append(f"  line {titles}")
    for is_folded, lines in view.parts:
        if is_folded:
            rows.append(f"     … lines {lines[0].number} to {lines[-1].number}")
            continue
        for line in lines:
            cells = " ".join(_text_cell(heat, w, top) for heat, w, top in zip(line.heats, wide, worst, strict=True))
            sign = "✗" if line.marks else " "
            rows.append(f"{sign} {line.number:>4} {cells}  {line.text}"[:width].rstrip())
            for note in line.notes:
                rows += wrap(note, width, initial_indent="         ^ ", subsequent_indent="           ")
    if view.columns:
        meanings = "; ".join(f"{column.title}: {column.meaning}" for column in view.columns)
        said = f"{meanings}; *: where most is lost, or done."
        rows += wrap(said, width, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(rows)


def _text_cell(heat: Heat | None, width: int, top: float) -> str:
    if heat is None:
        return " " * width
    mark = "*" if heat.share >= 0.001 and heat.share == top else " "
    return f"{heat.text + mark:>{width}}"
