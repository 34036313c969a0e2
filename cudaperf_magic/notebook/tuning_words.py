"""What a reward makes of episodes, in tables: the same rows as text and as HTML. It computes nothing.

The plot of reward against speedup is a coarse grid, so that it costs as much for a thousand turns as for ten.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import wrap

from ..rewards import Preset
from ..rewards.presets import TermWeight
from ..rewards.terms import GATES
from ..tuning import Choice, Rated, Record, Standing
from . import markup, words
from .tables import Table

MOST_ROWS = 20  # of a ranking, and of the choices
MOST_SUSPICIONS = 8
COLUMNS, ROWS = 40, 12  # of the plot
CELL_PX = 13  # its height, and at most its width
CELL_WIDTH = 100 / COLUMNS  # in percent
SHADES = ((1, "·"), (2, "o"), (4, "O"), (math.inf, "@"))  # at most so many turns in a cell


def about(found: Record, standing: Standing) -> str:
    """What is looked at, in one sentence."""
    episodes, turns = words.plural(len(found.episodes), "episode"), words.plural(found.turns, "turn")
    said = "".join(c if c.isprintable() else " " for c in standing.preset.about)  # a file's words, for a terminal
    return f"{turns} of {episodes} under the reward “{standing.preset.name}”{f': {said}' if said else ''}."


def summary(standing: Standing) -> str:
    """What to watch as one drags, in a line: the highest turn, other choices, correlation, hacking, broken rules."""
    if not standing.ranking:
        return "No turn to weigh."
    first = standing.ranking[0]
    others = sum(choice.is_other for choice in standing.choices)
    parts = [
        f"Highest: {first.label}, {first.total:.3f}",
        f"another turn chosen in {others} of {words.plural(len(standing.choices), 'episode')}",
        "no turn was timed" if not standing.timed else "",
        f"rank correlation with speed {standing.correlation:+.2f}" if standing.correlation is not None else "",
        f"{words.plural(len(standing.suspicions), 'reward')} without speed" if standing.suspicions else "",
        f"{words.plural(len(standing.violations), 'rule')} broken" if standing.violations else "",
    ]
    return "; ".join(part for part in parts if part) + "."


def settings(preset: Preset) -> Table:
    """Every number of the reward."""
    rows = [_term_row(term) for term in preset.terms]
    for name, share in preset.properties:
        bent = [f"enough {share.enough:g}"] if share.enough != 1 else []
        bent += [f"root {share.root:g}"] if share.root != 1 else []
        weight = f"{share.weight:g}" if share.is_on else f"{share.weight:g} (off)"
        gates = " and ".join(GATES[gate] for gate in preset.structure_gates)
        rows.append((f"  {name}", weight, ", ".join(bent), gates))
    if preset.properties:
        place = len(preset.terms)
        rows.insert(place, ("structure", f"{preset.structure:g}", "shared among these", ""))
    return Table(("term", "weight", "clip", "when"), tuple(rows), "this reward has no term")


def _term_row(term: TermWeight) -> tuple[str, str, str, str]:
    clip = " ".join(
        f"{word} {value:g}"
        for word, value in (("from", term.low), ("to", term.high), ("above", term.above))
        if value is not None
    )
    weight = f"{term.weight:g}" if term.is_on else f"{term.weight:g} (off)"
    return term.name, weight, clip, " and ".join(GATES[gate] for gate in term.all_gates)


def ranking(standing: Standing, most: int = MOST_ROWS) -> Table:
    """The turns by reward, with what was measured of their speed and their advantages."""
    rows = [
        (
            str(place),
            rated.label,
            words.badge(rated.turn.outcome).text,
            f"{rated.total:.3f}",
            _speed(rated),
            f"{rated.grpo:+.2f}",
            f"{rated.trloo:+.2f}",
        )
        for place, rated in enumerate(standing.ranking[:most], 1)
    ]
    rest = len(standing.ranking) - len(rows)
    answer = f"{words.plural(rest, 'more turn')} below." if rest else ""
    head = ("", "turn", "verdict", "reward", "speedup", "GRPO", "TRLOO")
    return Table(head, tuple(rows), "there is no turn to rank", answer)


def choices(standing: Standing, most: int = MOST_ROWS) -> Table:
    """What this reward would have chosen in each episode, beside what stands as its best: turn, reward, speedup.

    Of many episodes those where it would have chosen another come first.
    """
    others = [choice for choice in standing.choices if choice.is_other]
    alike = [choice for choice in standing.choices if not choice.is_other]
    shown = (others + alike)[:most] if len(standing.choices) > most else standing.choices
    answer = f"It would have chosen another turn in {len(others)} of {words.plural(len(standing.choices), 'episode')}."
    if gains := [gain for choice in others if (gain := choice.gain) is not None]:
        slower = sum(gain < 1.0 for gain in gains)
        answer += f" Of {len(gains)} timed, {slower} would be slower and {len(gains) - slower} not."
    if rest := len(standing.choices) - len(shown):
        answer += f" {words.plural(rest, 'more episode')} not shown."
    head = ("episode", "stored best", "would be best", "measured")
    return Table(head, tuple(map(_choice_row, shown)), "there is no episode", answer)


def _choice_row(choice: Choice) -> tuple[str, str, str, str]:
    if choice.stored is None or choice.chosen is None:
        return choice.label, "none is correct", "", ""
    stored, chosen = _chosen(choice.stored), _chosen(choice.chosen)
    if not choice.is_other:
        return choice.label, stored, "the same", ""
    return choice.label, stored, chosen, f"{choice.gain:.3g} times its speed" if choice.gain is not None else ""


def _chosen(rated: Rated) -> str:
    speed = f", {rated.speedup:.3g}×" if rated.speedup is not None else ""
    return f"turn {rated.number}: {rated.total:.3f}{speed}"


def agreement(standing: Standing) -> str:
    """How reward and measured speed go together, in one sentence."""
    timed = words.plural(len(standing.timed), "timed turn")
    if not standing.timed:
        return "No turn was timed (a simulator measures no time), so nothing is said of reward against speed."
    if standing.correlation is None:
        return f"Too little to correlate: {timed}, and at least three that differ are needed."
    return f"Rank correlation of reward and measured speedup: {standing.correlation:+.2f}, over {timed}."


def hacking(standing: Standing) -> tuple[str, ...]:
    """Turns that earned more and were not faster, and the terms that paid for it."""
    if not standing.timed:
        return ()
    if not standing.suspicions:
        return ("No turn earned more than the best before it without being faster.",)
    count = words.plural(len(standing.suspicions), "turn")
    paid = ", ".join(f"{name} {rise:+.2f}" for name, rise in standing.hacked.items())
    lines = [f"{count} earned more than the best before, without being faster; paid by: {paid}."]
    lines += [f"{suspicion.sentence}." for suspicion in standing.suspicions[:MOST_SUSPICIONS]]
    rest = len(standing.suspicions) - MOST_SUSPICIONS
    return (*lines, f"{rest} more.") if rest > 0 else tuple(lines)


def warnings(standing: Standing) -> tuple[str, ...]:
    """The rules of a sound reward that this one breaks."""
    return tuple(f"{violation}." for violation in standing.violations)


def _speed(rated: Rated) -> str:
    return f"{rated.speedup:.3g}" if rated.speedup is not None else "not timed"


# ---- the plot ----


@dataclass(frozen=True)
class Grid:
    """How many timed turns lie in each cell, the highest reward in the first row; and what the axes span."""

    counts: tuple[tuple[int, ...], ...]
    speedups: tuple[float, float]  # logarithmic
    rewards: tuple[float, float]


def grid(standing: Standing) -> Grid | None:
    """None where no turn was timed."""
    points = [(math.log(rated.speedup), rated.total) for rated in standing.timed if rated.speedup]
    if not points:
        return None
    left, right = _span([x for x, _ in points])
    low, high = _span([y for _, y in points])
    counts = [[0] * COLUMNS for _ in range(ROWS)]
    for x, y in points:
        column = min(COLUMNS - 1, int((x - left) / (right - left) * COLUMNS))
        row = min(ROWS - 1, int((y - low) / (high - low) * ROWS))
        counts[ROWS - 1 - row][column] += 1
    return Grid(tuple(map(tuple, counts)), (math.exp(left), math.exp(right)), (low, high))


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _shade(count: int) -> str:
    return next(sign for most, sign in SHADES if count <= most) if count else " "


def plot_text(drawn: Grid) -> str:
    low, high = drawn.rewards
    lines = ["reward"]
    for number, row in enumerate(drawn.counts):
        edge = f"{high:8.2f}" if number == 0 else f"{low:8.2f}" if number == ROWS - 1 else " " * 8
        lines.append(f"{edge} |{''.join(map(_shade, row))}".rstrip())
    left, right = (f"{value:.3g}" for value in drawn.speedups)
    lines.append(f"{'':8} +{'-' * COLUMNS}")
    lines.append(
        f"{'':10}{left}{right:>{COLUMNS - len(left)}}  speedup, logarithmic; · one turn, o two, O to 4, @ more"
    )
    return "\n".join(lines)


def plot_html(drawn: Grid) -> str:
    """The grid as inline blocks; a cell's tint and its number both say how many turns are in it."""
    rows = []
    for row in drawn.counts:
        cells = "".join(_cells(count, len(list(alike))) for count, alike in groupby(row))
        rows.append(markup.tag("div", f"height:{CELL_PX}px;white-space:nowrap;line-height:{CELL_PX}px", cells))
    low, high = drawn.rewards
    left, right = (f"{value:.3g}" for value in drawn.speedups)
    shape = f"width:100%;max-width:{COLUMNS * CELL_PX}px;border-left:{markup.LINE};border-bottom:{markup.LINE}"
    box = markup.tag("div", shape, *rows)
    above = markup.paragraph(f"reward, {low:.2f} at the bottom to {high:.2f} at the top", "font-size:12px")
    below = markup.paragraph(
        f"measured speedup, {left} at the left to {right} at the right, logarithmic; a cell's number is its turns",
        "font-size:12px",
    )
    return above + box + below


def _cells(count: int, alike: int) -> str:
    """So many cells of the same count; empty ones are one block, since a page is sent at every step of a slider."""
    shape = f"display:inline-block;width:{{:g}}%;height:{CELL_PX}px;vertical-align:top;text-align:center"
    if not count:
        return markup.tag("span", shape.format(alike * CELL_WIDTH))
    return alike * _filled(count, shape.format(CELL_WIDTH))


def _filled(count: int, shape: str) -> str:
    tint = f"{shape};background:{markup.BLUE};color:white;font-size:9px;border-radius:3px"
    return markup.tag("span", tint, str(count) if count < 100 else "+", title=words.plural(count, "turn"))


# ---- the whole page ----


def text(found: Record, standing: Standing, problems: Sequence[str] = (), width: int = 100) -> str:
    """All of it for a terminal, or a notebook without widgets."""
    drawn = grid(standing)
    parts = [
        "\n".join(wrap(about(found, standing), width)),
        str(settings(standing.preset)),
        *(_lines("This is no sound reward:", warnings(standing), width) if standing.violations else ()),
        str(ranking(standing)),
        "\n".join(wrap(advantage_note(), width)),
        str(choices(standing)),
        agreement(standing),
        *((plot_text(drawn),) if drawn else ()),
        *_lines("Reward without speed:", hacking(standing), width),
        *_lines("Not read:", problems, width),
    ]
    return "\n\n".join(part for part in parts if part)


def _lines(title: str, sentences: Sequence[str], width: int) -> tuple[str, ...]:
    if not sentences:
        return ()
    rows = [row for s in sentences for row in wrap(s, width, initial_indent="  ", subsequent_indent="    ")]
    return ("\n".join([title, *rows]),)


def html(found: Record, standing: Standing, problems: Sequence[str] = ()) -> str:
    """All of it as a static page: what stays of the tuner in a saved notebook."""
    head = (
        markup.paragraph(about(found, standing)),
        markup.details("Every number of it", settings(standing.preset).html),
    )
    return markup.page(*head, findings(standing), _list("Not read", problems))


def findings(standing: Standing) -> str:
    """What changes as one drags: warnings, ranking, choices, plot, hacking."""
    drawn = grid(standing)
    return "".join(
        (
            _list("This is no sound reward", warnings(standing)),
            markup.heading("Ranking"),
            ranking(standing).html,
            markup.paragraph(advantage_note(), "opacity:0.75;font-size:12px"),
            markup.heading("What this reward would have chosen"),
            choices(standing).html,
            markup.heading("Reward and measured speed"),
            markup.paragraph(agreement(standing)),
            plot_html(drawn) if drawn else "",
            _list("Reward without speed", hacking(standing)),
        )
    )


def _list(title: str, sentences: Sequence[str]) -> str:
    if not sentences:
        return ""
    items = "".join(markup.tag("li", "margin:1px 0", markup.text(sentence)) for sentence in sentences)
    return markup.heading(title) + markup.tag("ul", "margin:2px 0 6px 0;padding-left:20px;font-size:13px", items)


def advantage_note() -> str:
    """What the groups of the two advantages are."""
    return (
        "Episodes of one task are the rollouts of one group. GRPO compares every turn's return with all turns of the "
        "group; TRLOO with the same turn of the other rollouts; a group of one keeps its return."
    )
