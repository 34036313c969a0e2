"""An episode, or one checked kernel, as a static report: HTML and the JSON of our own MIME type.

Pure: records in, text out. The report stays readable without this package, a kernel or a network. Sentences come from
words.py, pieces of HTML from markup.py, plain text from terminal.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import records_json
from ..goals import Result
from ..records import Episode, Outcome, Structure, Task, Timing, Turn
from . import markup, place_words, plots, reward_view, source_view, terminal, timing_words, words

MIME = "application/vnd.cudaperf.report+json"


@dataclass(frozen=True)
class Report:
    """One report in its three forms; a notebook takes the richest that it can show, and saves them all."""

    text: str
    html: str
    data: dict[str, Any]
    mime: str = MIME  # of the data

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"text/plain": self.text, "text/html": self.html, self.mime: self.data}

    def __repr__(self) -> str:
        return self.text


def episode_report(episode: Episode, name: str = "") -> Report:
    return Report(terminal.episode_text(episode), episode_html(episode, name), episode_data(episode))


def check_report(task: Task, turn: Turn, goals: tuple[Result, ...] = ()) -> Report:
    text, html = terminal.check_text(task, turn, goals), check_html(task, turn, goals)
    return Report(text, html, check_data(task, turn, goals))


def episode_data(episode: Episode) -> dict[str, Any]:
    """What a renderer of our MIME type reads: the records as they are, and the sentences beside them."""
    best = episode.best
    return {
        "kind": "episode",
        "version": records_json.VERSION,
        "headline": words.headline(episode),
        "conditions": list(words.conditions(episode.task, best.outcome)) if best else list(episode.task.notes),
        "episode": records_json.to_json(episode),
    }


def check_data(task: Task, turn: Turn, goals: tuple[Result, ...] = ()) -> dict[str, Any]:
    return {
        "kind": "check",
        "version": records_json.VERSION,
        "headline": words.check_headline(task, turn.outcome, goals),
        "conditions": list(words.conditions(task, turn.outcome)),
        "goals": [{"goal": str(found.goal), "ok": found.ok, "sentence": found.sentence} for found in goals],
        "turn": records_json.to_json(turn),
        "task": records_json.to_json(task),
    }


def episode_html(episode: Episode, name: str = "") -> str:
    """The whole report.

    Args:
        name: what the person bound the result to, for the hints; the entry's name when empty.
    """
    best = episode.best
    parts = [_title(episode)]
    if best is not None:
        number = episode.turns.index(best) + 1
        parts += [
            _claim(episode.task, best.outcome),
            markup.heading(f"Why turn {number} scored {words.number(best.reward.total)}"),
            reward_view.table(best.reward),
            timing_table(best.outcome.timing),
            structure_table(best.outcome.structure),
        ]
    elif episode.task.notes:
        parts.append(_sentences(episode.task.notes))
    if (earned := reward_view.kept(episode)) is not None:
        parts += [markup.heading("What KEEP earns"), reward_view.table(earned)]
    if best is not None:
        parts += [plot.html for plot in (plots.roofline(episode), plots.by_turn(episode)) if plot is not None]
    if episode.turns:
        parts += [markup.heading("Turns"), strip(episode), *_turns(episode)]
    if best is not None:
        parts += [*_programs(episode, best), place(best.outcome)]
    parts.append(_footer(episode, name))
    return markup.page(*parts)


def check_html(task: Task, turn: Turn, goals: tuple[Result, ...] = ()) -> str:
    """A person's own kernel against a task, and against goals if there are any."""
    outcome = turn.outcome
    parts = [_line(words.check_badge(outcome, goals), words.check_headline(task, outcome, goals)), goal_table(goals)]
    parts.append(_claim(task, outcome) if outcome.ok else markup.paragraph(words.where(outcome)))
    parts += [
        faults(outcome),
        build_log(outcome),
        markup.heading(f"Reward {words.number(turn.reward.total)}"),
        reward_view.table(turn.reward),
        timing_table(outcome.timing),
        structure_table(outcome.structure),
        markup.heading("What to try next"),
        markup.paragraph(turn.reflection, "white-space:pre-wrap"),
        markup.details("The kernel", costly_source(turn)),
        place(outcome),
    ]
    return markup.page(*parts)


def _title(episode: Episode) -> str:
    tones = {"translate": ("good", "✓"), "keep": ("neutral", "="), "none": ("bad", "✗")}
    tone, sign = tones[episode.decision]
    return _line(words.Badge(tone, sign, episode.decision), words.headline(episode))  # type: ignore[arg-type]


def _line(badge: words.Badge, sentence: str) -> str:
    pill = markup.pill(badge.tone, f"{badge.sign} {badge.text}")
    return markup.tag("div", "margin:2px 0 4px 0;font-size:15px", pill, " ", markup.text(sentence))


def _claim(task: Task, outcome: Outcome) -> str:
    return _sentences(words.conditions(task, outcome))


def _sentences(sentences: tuple[str, ...]) -> str:
    items = "".join(markup.tag("li", "margin:1px 0", markup.text(sentence)) for sentence in sentences)
    return markup.tag("ul", "margin:2px 0 6px 0;padding-left:20px;font-size:13px", items)


def structure_table(structure: Structure | None) -> str:
    """The structural properties, each with its bar, measured value, line and reason."""
    rows = []
    for item in words.properties(structure):
        is_told = not item.line or item.score == 1.0 or f"line {item.line}" in item.reason
        place = "" if is_told else f"line {item.line}: "
        remedy = f" → {item.remedy}" if item.remedy else ""
        numbers = f"{words.number(item.score)} ({words.measured(item)})"
        rows.append(
            (
                markup.text(words.PROPERTY_TITLES[item.name]),
                markup.bar(item.score, markup.GREEN if item.score >= 0.75 else markup.BLUE),
                markup.text(numbers),
                markup.text(f"{place}{item.reason}{remedy}"),
            )
        )
    if not rows:
        return ""
    absent = words.absent_properties(structure)
    top = ("structure", "", "score (measured)", "why")
    return markup.table(rows, top) + (markup.paragraph(absent, "opacity:0.75") if absent else "")


def timing_table(timing: Timing | None) -> str:
    """What was timed, each beside what it is compared with; nothing where no time was measured."""
    if timing is None:
        return ""
    rows = [tuple(markup.text(cell) for cell in row) for row in timing_words.timing_rows(timing)]
    return markup.table(rows, ("time", "median", "")) if rows else ""


def strip(episode: Episode) -> str:
    """One box a turn: number, sign, reward; the best one is framed."""
    boxes = []
    best = episode.best
    for number, turn in enumerate(episode.turns, 1):
        badge = words.badge(turn.outcome)
        frame = f"border:2px solid {markup.BLUE}" if turn is best else f"border:{markup.LINE}"
        style = f"display:inline-block;margin:0 6px 6px 0;padding:3px 8px;border-radius:6px;{frame};font-size:12px"
        mark = " ★" if turn is best else ""
        tint = f"color:white;background:{markup.TONES[badge.tone]};border-radius:4px;padding:0 4px"
        sign = markup.tag("span", tint, badge.sign)
        label = f" {number}{mark} · {words.number(turn.reward.total)}"
        boxes.append(markup.tag("div", style, sign, markup.text(label), title=f"{badge.text}: {words.intention(turn)}"))
    return markup.tag("div", "margin:4px 0", *boxes)


def _turns(episode: Episode) -> list[str]:
    found = []
    before: Turn | None = None
    for number, turn in enumerate(episode.turns, 1):
        badge = words.badge(turn.outcome)
        pill = markup.pill(badge.tone, f"{badge.sign} {badge.text}")
        summary = f"{number}. {pill} {markup.text(words.intention(turn))}"
        found.append(markup.details(summary, markup.tag("div", "padding-left:16px", *turn_parts(turn, before))))
        before = turn
    return found


def turn_parts(turn: Turn, before: Turn | None) -> list[str]:
    """What one turn did: verdict, faults, structure, what changed, and the words that the next turn read."""
    parts = [
        markup.paragraph(words.verdict_sentence(turn.outcome)),
        faults(turn.outcome),
        build_log(turn.outcome),
        timing_table(turn.outcome.timing),
        structure_table(turn.outcome.structure),
    ]
    if before is None:
        parts.append(markup.source(turn.candidate.source))
    else:
        parts.append(markup.difference(words.diff(before.candidate.source, turn.candidate.source)))
    if turn.reflection:
        parts += [markup.heading("What the next turn read"), markup.paragraph(turn.reflection, "white-space:pre-wrap")]
    if turn.others:
        kinds = ", ".join(words.badge(outcome).text if outcome else "not built" for _, outcome in turn.others)
        parts.append(markup.paragraph(f"{words.plural(len(turn.others), 'other proposal')} of this turn: {kinds}."))
    return parts


def goal_table(goals: tuple[Result, ...]) -> str:
    """Each goal, whether it is reached, and what is in its way."""
    rows = []
    for found in goals:
        pill = markup.pill("good" if found.ok else "bad", "✓ reached" if found.ok else "✗ missed")
        rows.append((markup.text(str(found.goal)), pill, markup.text(found.sentence)))
    return markup.table(rows, ("goal", "", "why")) if rows else ""


def faults(outcome: Outcome) -> str:
    """What the kernel did wrong, with line, block and thread."""
    found = outcome.verdict.faults if outcome.verdict is not None else ()
    rows = []
    for item in found:
        remedy = f" → {item.remedy}" if item.remedy else ""
        rows.append((markup.text(item.kind.replace("_", " ")), markup.text(f"{words.fault_sentence(item)}{remedy}")))
    return markup.table(rows) if rows else ""


def build_log(outcome: Outcome) -> str:
    if outcome.build.ok or not outcome.build.log:
        return ""
    log = "\n".join(outcome.build.log.splitlines()[:20])
    style = f"{markup.MONO};white-space:pre-wrap;margin:4px 0;padding:6px;background:{markup.TINTS['remove']}"
    return markup.tag("pre", style, markup.text(log))


def _programs(episode: Episode, best: Turn) -> list[str]:
    parts = [markup.details("The CUDA of the best turn", costly_source(best), is_open=True)]
    first = episode.turns[0]
    if first is not best:
        rows = words.diff(first.candidate.source, best.candidate.source)
        parts.append(markup.details("What changed between the first turn and the best", markup.difference(rows)))
    return parts


def costly_source(turn: Turn) -> str:
    """The program with what each line cost, and below a line the property that loses most on it."""
    structure = turn.outcome.structure
    if structure is None or not structure.lines:
        return markup.source(turn.candidate.source)
    return source_view.html(
        source_view.view_of(turn.candidate.source, structure.lines, notes=words.line_notes(structure))
    )


def place(outcome: Outcome) -> str:
    """Memory, the machine, the protections, and where the time of the evaluation went."""
    rows = [(markup.text(what), markup.text(value)) for what, value in place_words.rows(outcome)]
    return markup.heading("Memory and machine") + markup.table(rows) if rows else ""


def _footer(episode: Episode, name: str) -> str:
    bits = []
    if episode.identity:
        bits.append(f"episode {episode.identity}")
    bits += [f"policy {episode.policy}", f"reward {episode.preset}", f"seed {episode.seed}"]
    if episode.stopped:
        bits.append(f"ended: {episode.stopped}")
    hint = ""
    if episode.best is not None:
        name = name or episode.task.entry
        arguments = ", ".join(a.name for a in episode.task.arguments if not a.is_result)
        hint = f" Call {name}({arguments}), or read {name}.source."
    return markup.paragraph(f"{' · '.join(bits)}.{hint}", "opacity:0.75;margin-top:8px")
