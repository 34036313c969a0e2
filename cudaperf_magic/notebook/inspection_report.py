"""An inspection as a static report: HTML, and its three forms together.

Pure: a record in, text out. Sentences come from inspection_words.py, the source from source_view.py, the access map
from access_words.py and access_picture.py, plain text from inspection_text.py.
"""

from __future__ import annotations

from typing import Any

from .. import records_json
from ..records import Fault
from ..records_inspection import AccessMap, Inspection, LaunchReport
from . import access_picture, markup, source_view
from . import inspection_words as say
from .access_words import VERBS, place_of
from .inspection_text import inspection_text
from .report import Report, structure_table
from .words import number, plural

__all__ = ["MIME", "inspection_data", "inspection_html", "inspection_report", "inspection_text"]

MIME = "application/vnd.cudaperf.inspection+json"
OTHER_MAPS = 11  # beside the one that is open
OPEN_FAULTS = 5  # of a kind; more are folded
OPEN_LAUNCHES = 4
PRINTED_CHARACTERS = 10_000
OPEN_PRINTED = 20  # lines; more are folded
LOG_LINES = 20


def inspection_report(inspection: Inspection, line: int | None = None) -> Report:
    """All three forms. `line`: whose access map is open; the one that costs most when None."""
    text, html = inspection_text(inspection, line), inspection_html(inspection, line)
    return Report(text, html, inspection_data(inspection), MIME)


def inspection_data(inspection: Inspection) -> dict[str, Any]:
    """What a renderer of our MIME type reads: the record as it is, and the sentences beside it."""
    return {
        "kind": "inspection",
        "version": records_json.VERSION,
        "headline": say.headline(inspection),
        "conditions": list(say.conditions(inspection)),
        "inspection": records_json.to_json(inspection),
    }


def inspection_html(inspection: Inspection, line: int | None = None) -> str:
    """The whole report. `line`: whose access map is open; the one that costs most when None."""
    parts = [_title(inspection)]
    if not inspection.build.ok:
        return markup.page(*parts, _log(inspection), markup.details("The source", markup.source(inspection.source)))
    parts.append(_sentences(say.conditions(inspection)))
    if warnings := say.warnings(inspection):
        parts.append(_block("\n".join(warnings.splitlines()[:LOG_LINES]), markup.TINTS["remove"]))
    parts.append(_faults(inspection))
    parts.append(_printed(inspection))
    if inspection.structure is not None and inspection.structure.properties:
        parts += [markup.heading("Structure"), structure_table(inspection.structure)]
    parts += [markup.heading("Line by line"), source_view.html(source_view.source_view(inspection))]
    parts.append(_maps(inspection, line))
    parts += _launches(inspection)
    return markup.page(*parts)


def _title(inspection: Inspection) -> str:
    badge = say.badge(inspection)
    pill = markup.pill(badge.tone, f"{badge.sign} {badge.text}")
    return markup.tag("div", "margin:2px 0 4px 0;font-size:15px", pill, " ", markup.text(say.headline(inspection)))


def _sentences(sentences: tuple[str, ...]) -> str:
    items = "".join(markup.tag("li", "margin:1px 0", markup.text(sentence)) for sentence in sentences)
    return markup.tag("ul", "margin:2px 0 6px 0;padding-left:20px;font-size:13px", items)


def _log(inspection: Inspection) -> str:
    log = "\n".join(inspection.build.log.splitlines()[:LOG_LINES]) or "the compiler gave no reason"
    return _block(log, markup.TINTS["remove"])


def _printed(inspection: Inspection) -> str:
    if not inspection.text:
        return ""
    shown = say.plain(inspection.text[:PRINTED_CHARACTERS])
    rest = len(inspection.text) - len(shown)
    lines = shown.rstrip("\n").split("\n")
    parts = [_block("\n".join(lines[:OPEN_PRINTED]), markup.TINTS["place"])]
    if len(lines) > OPEN_PRINTED:
        folded = _block("\n".join(lines[OPEN_PRINTED:]), markup.TINTS["place"])
        parts.append(markup.details(f"{len(lines) - OPEN_PRINTED} more lines", folded))
    parts += [markup.paragraph(f"{rest:,} more characters were printed.")] if rest else []
    return "".join((markup.heading("Printed by the kernels"), *parts))


def _block(words: str, tint: str) -> str:
    style = f"{markup.MONO};white-space:pre-wrap;margin:4px 0;padding:6px;background:{tint};border-radius:4px"
    return markup.tag("pre", style, markup.text(words))


# ---- faults ----


def _faults(inspection: Inspection) -> str:
    source = say.source_lines(inspection.source)
    parts = []
    for title, found in say.fault_groups(inspection):
        count = f" ({len(found)})" if len(found) > 1 else ""
        parts.append(markup.heading(title + count))
        drawn = [_fault(fault, source) for fault in found]
        parts += drawn[:OPEN_FAULTS]
        if len(drawn) > OPEN_FAULTS:
            parts.append(markup.details(f"{len(drawn) - OPEN_FAULTS} more", *drawn[OPEN_FAULTS:]))
    parts += [markup.paragraph(say.unseen(inspection), "font-size:12px;opacity:0.8")] if inspection.launches else []
    return "".join(parts)


def _fault(fault: Fault, source: list[str]) -> str:
    parts = [markup.paragraph(say.fault_text(fault))]
    for quote in say.quotes(fault, source):
        number_ = markup.tag("span", "display:inline-block;width:36px;text-align:right;opacity:0.8", str(quote.line))
        code = markup.tag("span", "padding-left:10px", markup.text(quote.text))
        tint = f"{markup.WRAPPED};{markup.MONO};background-color:{markup.TINTS['remove']}"
        parts.append(markup.tag("div", tint, number_, code))
    who = say.culprits(fault)
    if who:
        parts.append(markup.paragraph(who, "font-size:12px"))
    if fault.remedy:
        parts.append(markup.paragraph(f"→ {fault.remedy}"))
    return markup.tag("div", f"margin:4px 0 8px 0;padding-left:10px;border-left:3px solid {markup.RED}", *parts)


# ---- access maps ----


def _maps(inspection: Inspection, line: int | None) -> str:
    first, said = say.chosen(inspection, line)
    if first is None:
        return markup.paragraph(said) if said else ""
    others = [access for access in say.ranked_maps(inspection) if access is not first]
    rest = sorted(others, key=lambda access: access.line != first.line)[:OTHER_MAPS]
    parts = [markup.heading(f"Which lane touches what: line {first.line}"), markup.paragraph(said) if said else ""]
    parts.append(_quoted(first, inspection))
    parts.append(access_picture.html(first))
    parts += [markup.details(markup.text(_map_title(access)), access_picture.html(access)) for access in rest]
    return "".join(parts)


def _quoted(access: AccessMap, inspection: Inspection) -> str:
    source = say.source_lines(inspection.source)
    if not 1 <= access.line <= len(source):
        return ""
    code = markup.text(source[access.line - 1].strip())
    return markup.tag("div", f"{markup.WRAPPED};{markup.MONO}", code)


def _map_title(access: AccessMap) -> str:
    unit = "wavefront" if access.space == "shared" else "sector"
    verb = VERBS[access.operation]
    return f"line {access.line} {verb} {place_of(access)}: {plural(access.units, unit)} (needed: {access.ideal_units})"


# ---- launches ----


def _launches(inspection: Inspection) -> list[str]:
    if not inspection.launches:
        return []
    drawn = [_launch(launch) for launch in inspection.launches]
    parts = [markup.heading("Occupancy"), *drawn[:OPEN_LAUNCHES]]
    if len(drawn) > OPEN_LAUNCHES:
        parts.append(markup.details(f"{len(drawn) - OPEN_LAUNCHES} more launches", *drawn[OPEN_LAUNCHES:]))
    return [*parts, markup.heading("Bytes of global memory"), _bytes(inspection)]


def _launch(launch: LaunchReport) -> str:
    found = launch.occupancy
    most = max((limit.blocks for limit in found.limits if limit.resource == "blocks"), default=1)
    rows = []
    for limit in found.limits:
        is_least = limit.resource == found.limit and found.ratio < 1
        mark = " ◀ the limit" if is_least else ""
        colour = markup.RED if is_least else markup.BLUE
        blocks = say.room(limit, launch)
        share = limit.blocks / most if most else 0.0
        rows.append((markup.text(limit.resource), markup.bar(share, colour), markup.text(blocks + mark)))
    head = ("by", "", "a multiprocessor holds")
    advice = _sentences(found.advice) if found.advice else ""
    title = markup.tag("div", "font-weight:600;margin:6px 0 0 0", markup.text(say.launch_title(launch)))
    facts = markup.paragraph(say.launch_facts(launch))
    return "".join((title, markup.paragraph(say.occupancy_sentence(launch)), markup.table(rows, head), advice, facts))


def _bytes(inspection: Inspection) -> str:
    found = say.amounts(inspection.launches)
    most = max(amount.count for amount in found) or 1
    rows = [
        (
            markup.text(amount.name),
            markup.bar(amount.count / most, markup.BLUE if amount.how == "counted" else markup.GREY),
            markup.text(f"{number(amount.count)} ({say.bytes_text(amount.count)})"),
            markup.text(f"{amount.how}{' for ' + inspection.device if amount.how == 'modelled' else ''}"),
        )
        for amount in found
    ]
    return markup.table(rows, ("bytes", "", "all launches", "how")) + markup.paragraph(
        say.STILL_IN_L2, "font-size:12px"
    )
