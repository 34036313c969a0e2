"""An outcome that stands alone, without its task and its kernel, as a report: what `check --json` writes is one.

Pure. It says what an outcome says, and that its source is not there.
"""

from __future__ import annotations

from .. import records_json
from ..records import Outcome
from . import markup, report, terminal, words

MISSING = "The file holds the outcome alone: neither the kernel nor the task."


def outcome_report(outcome: Outcome) -> report.Report:
    data = {
        "kind": "outcome",
        "version": records_json.VERSION,
        "headline": words.verdict_sentence(outcome),
        "outcome": records_json.to_json(outcome),
    }
    return report.Report(_text(outcome), _html(outcome), data)


def _text(outcome: Outcome) -> str:
    lines = [f"{words.badge(outcome).sign} {words.verdict_sentence(outcome)}", f"  {words.where(outcome)}"]
    lines += [f"  {MISSING}", *terminal.trouble(outcome), "", *terminal.timing_lines(outcome.timing)]
    return "\n".join([*lines, *terminal.structure_rows(outcome.structure)]).rstrip()


def _html(outcome: Outcome) -> str:
    badge = words.badge(outcome)
    pill = markup.pill(badge.tone, f"{badge.sign} {badge.text}")
    sentence = markup.text(words.verdict_sentence(outcome))
    title = markup.tag("div", "margin:2px 0 4px 0;font-size:15px", pill, " ", sentence)
    return markup.page(
        title,
        markup.paragraph(words.where(outcome)),
        markup.paragraph(MISSING, "opacity:0.75"),
        report.faults(outcome),
        report.build_log(outcome),
        report.timing_table(outcome.timing),
        report.structure_table(outcome.structure),
        report.place(outcome),
    )
