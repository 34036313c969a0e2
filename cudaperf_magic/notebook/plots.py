"""Two plots of an episode as PNG in a data URI: the roofline, and time (or reward) by turn; each told in words as well.

Drawn by matplotlib's object interface, which touches no backend and no settings of the person's; where matplotlib is
missing there are the words alone. Middle greys and a light panel read on white and on black pages. It computes nothing
that the records do not hold.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..records import Episode, Roofline, Turn, median
from . import markup, timing_words, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH_PX, DPI = 560, 110
INCHES = (5.1, 2.9)
PANEL, INK = "#f6f8fa", "#24292f"
NAME_COLUMNS, NAME_CHARACTERS = 3, 28  # of the names of levels that are close to each other
NAME_HEIGHT = 0.06  # of a name, as a share of the picture's
NO_ROOFLINE = (
    "None is drawn: the function has no floating-point arithmetic that can be counted from its sizes, so bytes alone "
    "decide its time."
)
MOST_LABELLED = 12  # turns that carry their number; of more, first, best and last
LEAST_INTENSITY, MOST_INTENSITY = 1 / 32, 1024.0


@dataclass(frozen=True)
class Plot:
    """A picture (None where matplotlib is missing) and the same in words, a sentence each."""

    title: str
    data_uri: str | None
    sentences: tuple[str, ...]

    @property
    def html(self) -> str:
        told = markup.paragraph(" ".join(self.sentences[:1]), "font-size:12px")
        drawn = markup.image(self.data_uri, " ".join(self.sentences), WIDTH_PX) if self.data_uri else ""
        rest = "".join(markup.tag("li", "margin:1px 0", markup.text(sentence)) for sentence in self.sentences[1:])
        listed = markup.tag("ul", "margin:2px 0;padding-left:20px;font-size:12px", rest)
        folded = markup.details("the same in words", listed, is_open=not drawn) if rest else ""
        return markup.heading(self.title) + drawn + told + folded


# ---- the roofline ----


def roofline(episode: Episode, *, is_drawn: bool = True) -> Plot | None:
    """Every correct turn below the roofs; a sentence where none has a roofline, None where none is correct.

    A turn that was timed stands at what it reached. One that was not stands, hollow, on the roof: the most that its
    traffic allows.
    """
    found = [(n, turn, roof) for n, turn in enumerate(episode.turns, 1) if (roof := _roof(turn)) is not None]
    if not found:
        measured = any(turn.outcome.structure for turn in episode.turns)
        return Plot("Roofline", None, (NO_ROOFLINE,)) if measured else None
    best = episode.best
    return Plot(
        "Roofline", _picture(_draw_roofline, found, best) if is_drawn else None, tuple(_roofline_words(found, best))
    )


def _roof(turn: Turn) -> Roofline | None:
    return turn.outcome.structure.roofline if turn.outcome.structure else None


def reached_tops(turn: Turn, roof: Roofline) -> float | None:
    """10^12 operations a second, where the turn was timed on the case of its roofline."""
    timing, structure = turn.outcome.timing, turn.outcome.structure
    if timing is None or structure is None or timing.case != structure.case:
        return None
    return roof.operations / timing.median_us / 1e6


_Found = Sequence[tuple[int, Turn, Roofline]]


def _roofline_words(found: _Found, best: Turn | None) -> list[str]:
    first = found[0][2]
    timed = any(reached_tops(turn, roof) is not None for _, turn, roof in found)
    height = "Height is what was measured." if timed else "No time was measured: each hollow mark stands on the roof."
    rows = [
        f"Across: {first.kind} operations for each byte {first.moved_by}. Up: 10^12 operations a second. {height} "
        f"Roofs of {first.device or 'the device'} ({first.roofs}): {words.number(first.memory_gb_s)} GB/s and "
        f"{words.number(first.peak_tops)} × 10^12 operations a second."
    ]
    for number, turn, roof in found:
        reached = reached_tops(turn, roof)
        limit = "bandwidth" if roof.bound_tops < roof.peak_tops else "arithmetic"
        bound = f"{words.number(roof.bound_tops)} allowed by {limit}"
        stands = f"{words.number(reached)} reached, {bound}" if reached is not None else bound
        star = " (best)" if turn is best else ""
        rows.append(f"Turn {number}{star}: {words.number(roof.intensity)} operations a byte, {stands}.")
    return rows


def _draw_roofline(axes: Axes, found: _Found, best: Turn | None) -> None:
    roof = found[0][2]
    across = [r.intensity for _, _, r in found]
    left = min(LEAST_INTENSITY, *across) / 1.5
    right = max(MOST_INTENSITY, 4 * roof.peak_tops * 1000 / roof.memory_gb_s, *across)
    ridge = roof.peak_tops * 1000 / roof.memory_gb_s
    axes.loglog(
        [left, ridge, right], [left * roof.memory_gb_s / 1000, roof.peak_tops, roof.peak_tops], color=INK, lw=1.5
    )
    heights = [reached_tops(turn, r) or r.bound_tops for _, turn, r in found]
    axes.plot(across, heights, color=markup.BLUE, lw=0.8, alpha=0.6)
    size = _mark_size(len(found))
    for is_timed, inside in ((True, markup.BLUE), (False, "white")):
        points = [
            (r.intensity, height)
            for (_, turn, r), height in zip(found, heights, strict=True)
            if turn is not best and (reached_tops(turn, r) is not None) is is_timed
        ]
        axes.plot(*_apart(points), "o", ms=size, mec=markup.BLUE, mfc=inside, zorder=3)
    for (number, turn, r), height in zip(found, heights, strict=True):
        if turn is best:
            inside = markup.BLUE if reached_tops(turn, r) is not None else "white"
            axes.plot([r.intensity], [height], "*", ms=13, mec=markup.BLUE, mfc=inside, zorder=4)
        if _is_labelled(number, len(found), turn is best):
            axes.annotate(str(number), (r.intensity, height), (5, -11), textcoords="offset points", size=8, color=INK)
    axes.set_xlabel(f"{roof.kind} operations a byte ({roof.moved_by})", size=8)
    axes.set_ylabel("10$^{12}$ operations / s", size=8)


def _apart(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Points as matplotlib takes them: all x, all y."""
    return [x for x, _ in points], [y for _, y in points]


def _mark_size(count: int) -> int:
    return 7 if count <= MOST_LABELLED else 4


def _is_labelled(number: int, count: int, is_best: bool) -> bool:
    return is_best or count <= MOST_LABELLED or number in (1, count)


# ---- by turn ----


def by_turn(episode: Episode, *, is_drawn: bool = True) -> Plot | None:
    """Time a turn with its baselines and floor; where nothing was timed, reward a turn. None for fewer than two."""
    if len(episode.turns) < 2:
        return None
    timed = any(turn.outcome.timing for turn in episode.turns)
    numbered = list(enumerate(episode.turns, 1))
    if timed:
        return Plot(
            "Time by turn",
            _picture(_draw_times, numbered, episode.best) if is_drawn else None,
            tuple(_time_words(episode)),
        )
    return Plot(
        "Reward by turn",
        _picture(_draw_rewards, numbered, episode.best) if is_drawn else None,
        tuple(_reward_words(episode)),
    )


def _time_words(episode: Episode) -> list[str]:
    rows = [
        "Median time of each turn, with the span of its samples; a cross at the bottom is a turn that is not correct."
    ]
    for number, turn in enumerate(episode.turns, 1):
        timing = turn.outcome.timing
        if timing is None:
            rows.append(f"Turn {number}: {words.badge(turn.outcome).text}, not timed.")
            continue
        spread = f"{timing_words.time_text(min(timing.samples_us))} to {timing_words.time_text(max(timing.samples_us))}"
        rows.append(f"Turn {number}: {timing_words.time_text(timing.median_us)} ({spread}).")
    return rows


def _reward_words(episode: Episode) -> list[str]:
    rows = ["No time was measured, so this is the reward of each turn; a cross is a turn that is not correct."]
    for number, turn in enumerate(episode.turns, 1):
        rows.append(f"Turn {number}: {words.number(turn.reward.total)}, {words.badge(turn.outcome).text}.")
    return rows


_Numbered = Sequence[tuple[int, Turn]]


def _draw_times(axes: Axes, numbered: _Numbered, best: Turn | None) -> None:
    timed = [(n, turn, timing) for n, turn in numbered if (timing := turn.outcome.timing) is not None]
    places, medians = [n for n, *_ in timed], [timing.median_us for *_, timing in timed]
    below = [timing.median_us - min(timing.samples_us) for *_, timing in timed]
    above = [max(timing.samples_us) - timing.median_us for *_, timing in timed]
    size = _mark_size(len(timed)) - 2
    axes.errorbar(places, medians, [below, above], color=markup.BLUE, marker="o", ms=size, lw=1, capsize=size / 2)
    _star(axes, [(n, timing.median_us) for n, turn, timing in timed if turn is best])
    last = (next((timing for _, turn, timing in timed if turn is best), None)) or timed[-1][2]
    levels = [(other.median_us, other.name, markup.GREY) for other in last.others]
    if last.floor_us:
        levels.append((last.floor_us, "floor", markup.GREEN))
    if last.baseline_samples_us:
        levels.append((median(last.baseline_samples_us), last.baseline, markup.GREY))
    axes.set_yscale("log")
    _range(axes, [*medians, *(us for us, _, _ in levels)])
    _levels(axes, levels)
    _crosses(axes, numbered)
    axes.set_ylabel("µs", size=8)


def _range(axes: Axes, times_us: Sequence[float]) -> None:
    """Room above for a name, and below for the crosses, where no time can be mistaken for one."""
    low, high = min(times_us), max(times_us)
    step = max(high / low, 1.5)
    axes.set_ylim(low / step**0.15, high * step**0.1)


def _star(axes: Axes, points: Sequence[tuple[float, float]]) -> None:
    axes.plot(*_apart(points), "*", ms=13, color=markup.BLUE, zorder=4, clip_on=False)


def _draw_rewards(axes: Axes, numbered: _Numbered, best: Turn | None) -> None:
    right = [(n, turn) for n, turn in numbered if turn.outcome.ok]
    axes.plot([n for n, _ in numbered], [t.reward.total for _, t in numbered], color=markup.BLUE, lw=0.8, alpha=0.6)
    size = _mark_size(len(numbered))
    axes.plot([n for n, _ in right], [t.reward.total for _, t in right], "o", ms=size - 1, color=markup.BLUE)
    _star(axes, [(n, t.reward.total) for n, t in right if t is best])
    wrong = [(n, turn) for n, turn in numbered if not turn.outcome.ok]
    axes.plot([n for n, _ in wrong], [t.reward.total for _, t in wrong], "X", ms=size + 1, color=markup.RED)
    axes.set_ylabel("reward", size=8)
    _count_turns(axes, numbered)


def _levels(axes: Axes, levels: Sequence[tuple[float, str, str]]) -> None:
    """A dashed line for each, named at its right end; the name of one close above another stands further left."""
    bottom, top = axes.get_ylim()
    before, column = 0.0, 0
    for us, name, colour in sorted(levels):
        axes.axhline(us, color=colour, lw=1, ls="--")
        is_close = before > 0 and math.log(us / before) < NAME_HEIGHT * math.log(top / bottom)
        column = (column + 1) % NAME_COLUMNS if is_close else 0
        axes.annotate(
            name[:NAME_CHARACTERS],
            (1.0 - column / NAME_COLUMNS, us),
            (-2, 2),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="right",
            size=7,
            color=INK,
        )
        before = us


def _crosses(axes: Axes, numbered: _Numbered) -> None:
    """Turns without a time, along the lower edge."""
    missing = [n for n, turn in numbered if turn.outcome.timing is None]
    axes.plot(
        missing,
        [0.03] * len(missing),
        "X",
        ms=_mark_size(len(numbered)) + 1,
        color=markup.RED,
        transform=axes.get_xaxis_transform(),
    )
    _count_turns(axes, numbered)


def _count_turns(axes: Axes, numbered: _Numbered) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_xlabel("turn", size=8)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    side = max(0.5, len(numbered) / 50)
    axes.set_xlim(1 - side, len(numbered) + side)


# ---- drawing ----


def _picture(draw: Any, found: Any, best: Turn | None) -> str | None:
    """A data URI, or None without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    figure = Figure(figsize=INCHES, dpi=DPI, facecolor=PANEL)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    draw(axes, found, best)
    _dress(figure, axes)
    written = io.BytesIO()
    canvas.print_png(written)  # type: ignore[no-untyped-call]
    return f"data:image/png;base64,{base64.b64encode(written.getvalue()).decode()}"


def _dress(figure: Figure, axes: Axes) -> None:
    axes.set_facecolor(PANEL)
    axes.tick_params(labelsize=7, colors=INK)
    axes.grid(True, color="#d0d7de", lw=0.5)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout(pad=0.6)
