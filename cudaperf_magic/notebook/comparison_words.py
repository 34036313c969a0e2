"""A comparison as a table with a column a kernel, and the differences between their sources: as text, HTML and JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import records_json
from ..bench.measuring.statistics import LEAST_PAIRS, median_interval
from ..comparison import Entry, answer, is_one_task, order, span
from ..records import PROPERTIES, Outcome, RewardBreakdown, Timing
from . import markup, terminal, timing_words, words
from .report import Report
from .tables import Table

NONE = "-"
Rewards = Sequence[RewardBreakdown | None]


def table(entries: Sequence[Entry], rewards: Rewards) -> Table:
    """What was found of each; `best` marks the best value of a row where one is, of kernels of one task."""
    rows = [
        ("place", *_places(entries)),
        ("verdict", *_each(entries, lambda e: _badge(e.outcome) if e.outcome else e.kept and "= KEEP")),
        ("cases passed", *_each(entries, _cases)),
        ("where", *_each(entries, lambda e: e.outcome.device if e.outcome else "")),
        ("reward", *_best(entries, [reward.total if reward else None for reward in rewards], "{:.3f}")),
        *_times(entries),
        *(_property(name, entries) for name in PROPERTIES),
        ("peak bytes", *_each(entries, _memory)),
        ("registers", *_each(entries, lambda e: _of_kernels(e, "registers"))),
        ("spilled bytes", *_each(entries, lambda e: _of_kernels(e, "spill_bytes"))),
        ("shared bytes", *_each(entries, lambda e: _of_kernels(e, "shared_bytes"))),
        ("moves", *_each(entries, _moves)),
    ]
    shown = tuple(row for row in rows if any(cell != NONE for cell in row[1:]))
    return Table(("", *(entry.label for entry in entries)), shown)


def _each(entries: Sequence[Entry], tell: Callable[[Entry], str | None]) -> list[str]:
    return [tell(entry) or NONE for entry in entries]


def _places(entries: Sequence[Entry]) -> list[str]:
    """1, 2, 2, 4: those of which it cannot be said which is better share a place; of different tasks none has one."""
    if not is_one_task(entries):
        return [NONE] * len(entries)
    places = [""] * len(entries)
    ahead = 0
    for group in order(entries):
        for number in group:
            places[number] = f"{ahead + 1}" + (" (shared)" if len(group) > 1 else "")
        ahead += len(group)
    return places


def _badge(outcome: Outcome) -> str:
    badge = words.badge(outcome)
    return f"{badge.sign} {badge.text}"


def _cases(entry: Entry) -> str:
    verdict = entry.outcome.verdict if entry.outcome else None
    return f"{verdict.cases_passed} of {verdict.cases_total}" if verdict else ""


def _best(entries: Sequence[Entry], values: Sequence[float | None], form: str, digits: int = 3) -> list[str]:
    """Each value, the highest with a word beside it where they differ and are of one task."""
    known = [round(value, digits) for value in values if value is not None]
    top = max(known) if is_one_task(entries) and len(set(known)) > 1 else None
    return [
        NONE if value is None else form.format(value) + (" ★ best" if round(value, digits) == top else "")
        for value in values
    ]


def _times(entries: Sequence[Entry]) -> list[tuple[str, ...]]:
    """Each time with its interval and its conditions; the baseline in a row of its own, so that columns stay narrow."""
    rows: list[tuple[str, Callable[[Timing], str | None]]] = [
        ("time", _time),
        ("speedup", _speedup),
        ("against", lambda t: t.baseline if t.speedup else ""),
        ("to the floor", lambda t: f"{t.of_floor:.3g} × the floor" if t.of_floor else ""),
        ("card", lambda t: t.gpu),
        ("timed on", lambda t: str(t.case) if t.case else ""),
    ]
    timings = [entry.timing for entry in entries]
    shown = [(name, *((tell(timing) if timing else "") or NONE for timing in timings)) for name, tell in rows]
    return [*shown, ("timed anew", *_each(entries, _anew))]


def _time(timing: Timing) -> str:
    """The median, and where there are enough samples how far its 95 % interval reaches."""
    median = timing_words.time_text(timing.median_us)
    if len(timing.samples_us) < LEAST_PAIRS:
        return median
    low, high = median_interval(np.asarray(timing.samples_us, float))
    reach = max(high - timing.median_us, timing.median_us - low) / timing.median_us
    return f"{median} ± {100 * reach:.2g} %"


def _speedup(timing: Timing) -> str:
    if timing.speedup is None:
        return ""
    return f"{timing.speedup:.3g}" + (f" ({span(*timing.interval)})" if timing.interval else "")


def _anew(entry: Entry) -> str:
    if entry.is_reference:
        return "the one that the others were paired with"
    timing = entry.anew
    return f"{_speedup(timing)} × as fast as {timing.baseline}" if timing and timing.speedup else ""


def _property(name: str, entries: Sequence[Entry]) -> tuple[str, ...]:
    found = [e.outcome.structure.get(name) if e.outcome and e.outcome.structure else None for e in entries]
    scores = _best(entries, [p.score if p else None for p in found], "{:.2f}", 2)
    cells = [f"{score} ({words.measured(p)})" if p else score for p, score in zip(found, scores, strict=True)]
    return (words.PROPERTY_TITLES[name], *cells)


def _memory(entry: Entry) -> str:
    memory = entry.outcome.memory if entry.outcome else None
    return f"{memory.candidate_bytes:,}" if memory else ""


def _of_kernels(entry: Entry, what: str) -> str:
    kernels = entry.outcome.build.kernels if entry.outcome else ()
    return ", ".join(f"{getattr(kernel, what):,}" for kernel in kernels)


def _moves(entry: Entry) -> str:
    return entry.turn.candidate.schedule.replace("\n", ", ") if entry.turn else ""


# ---- forms ----


def comparison_report(entries: Sequence[Entry], rewards: Rewards, notes: Sequence[str] = ()) -> Report:
    return Report(text(entries, rewards, notes), html(entries, rewards, notes), data(entries, rewards, notes))


def text(entries: Sequence[Entry], rewards: Rewards, notes: Sequence[str] = ()) -> str:
    parts = ["\n".join([answer(entries), *notes]), str(table(entries, rewards))]
    for entry, rows in _differences(entries):
        lines = [f"  {terminal.SIGNS[kind][0]} {line}" for kind, line in rows]
        parts.append("\n".join([f"from {entries[0].label} to {entry.label}", *(lines or ["  the sources are equal"])]))
    return "\n\n".join(parts)


def html(entries: Sequence[Entry], rewards: Rewards, notes: Sequence[str] = ()) -> str:
    parts = [
        markup.paragraph(answer(entries), "font-size:15px"),
        *(markup.paragraph(note, "opacity:0.75") for note in notes),
        markup.tag("div", "overflow-x:auto", table(entries, rewards).html),
    ]
    for entry, rows in _differences(entries):
        summary = markup.text(f"What changed from {entries[0].label} to {entry.label}")
        parts.append(markup.details(summary, markup.difference(rows), is_open=len(entries) == 2))
    for entry in entries:
        if entry.turn is not None:
            told = words.conditions(entry.task, entry.turn.outcome)
            items = "".join(markup.tag("li", "margin:1px 0", markup.text(sentence)) for sentence in told)
            shown = markup.tag("ul", "margin:2px 0 6px 0;padding-left:20px;font-size:13px", items)
            summary = markup.text(f"{entry.label}: what its figures stand on")
            parts.append(markup.details(summary, shown, markup.source(entry.turn.candidate.source)))
    return markup.page(*parts)


def data(entries: Sequence[Entry], rewards: Rewards, notes: Sequence[str] = ()) -> dict[str, Any]:
    """For a renderer of our MIME type."""
    return {
        "kind": "comparison",
        "version": records_json.VERSION,
        "headline": answer(entries),
        "notes": list(notes),
        "order": [list(group) for group in order(entries)],
        "entries": [
            {
                "label": entry.label,
                "task": records_json.to_json(entry.task),
                "turn": records_json.to_json(entry.turn) if entry.turn else None,
                "kept": entry.kept,
                "anew": records_json.to_json(entry.anew) if entry.anew else None,
                "is_reference": entry.is_reference,
                "reward": records_json.to_json(reward) if reward else None,
            }
            for entry, reward in zip(entries, rewards, strict=True)
        ],
    }


def _differences(entries: Sequence[Entry]) -> list[tuple[Entry, list[tuple[words.DiffKind, str]]]]:
    """Each kernel's source against the first's, where they do the same."""
    first = entries[0].turn
    if first is None:
        return []
    task = entries[0].task.key
    return [
        (entry, words.diff(first.candidate.source, entry.turn.candidate.source))
        for entry in entries[1:]
        if entry.turn is not None and entry.task.key == task
    ]
