"""An inspection as plain text, for a terminal, a log and a screen reader. It draws no HTML."""

from __future__ import annotations

from textwrap import wrap

from ..records import Fault
from ..records_inspection import Inspection, LaunchReport
from . import access_picture, source_view
from . import inspection_words as say
from .terminal import bar, structure_rows
from .words import number

WIDTH = 100
LOG_LINES = 20
SHOWN_FAULTS = 12  # of a kind
SHOWN_LAUNCHES = 4
PRINTED_CHARACTERS = 4000


def inspection_text(inspection: Inspection, line: int | None = None, width: int = WIDTH) -> str:
    """The whole report. `line`: whose access map is shown; the one that costs most when None."""
    badge = say.badge(inspection)
    rows = wrap(f"{badge.sign} {say.headline(inspection)}", width, subsequent_indent="  ")
    if not inspection.build.ok:
        return "\n".join([*rows, *(f"  {row}" for row in inspection.build.log.splitlines()[:LOG_LINES])])
    rows += [row for sentence in say.conditions(inspection) for row in _wrapped(sentence, width)]
    if warnings := say.warnings(inspection):
        rows += ["", "the compiler's warnings", *(f"  {row}" for row in warnings.splitlines()[:LOG_LINES])]
    rows += _faults(inspection, width)
    if inspection.text:
        shown = say.plain(inspection.text[:PRINTED_CHARACTERS]).rstrip("\n").split("\n")
        rows += ["", "printed by the kernels", *(f"  {row}" for row in shown)]  # as it was, however wide
        if len(inspection.text) > PRINTED_CHARACTERS:
            rows.append(f"  … {len(inspection.text) - PRINTED_CHARACTERS:,} more characters")
    if inspection.structure is not None and inspection.structure.properties:
        rows += ["", *structure_rows(inspection.structure)]
    rows += ["", "line by line", source_view.text(source_view.source_view(inspection), width)]
    rows += _map(inspection, line, width)
    for launch in inspection.launches[:SHOWN_LAUNCHES]:
        rows += ["", *_launch(launch, width)]
    if len(inspection.launches) > SHOWN_LAUNCHES:
        rows.append(f"… {len(inspection.launches) - SHOWN_LAUNCHES} more launches")
    if inspection.launches:
        rows += ["", "bytes of global memory"]
        rows += [f"  {a.name:<20} {number(a.count):>14}  {a.how}" for a in say.amounts(inspection.launches)]
        rows += _wrapped(say.STILL_IN_L2, width)
    return "\n".join(rows)


def _wrapped(sentence: str, width: int, indent: str = "  ") -> list[str]:
    return wrap(sentence, width, initial_indent=indent, subsequent_indent=indent + "  ")


def _faults(inspection: Inspection, width: int) -> list[str]:
    source = say.source_lines(inspection.source)
    rows: list[str] = []
    for title, found in say.fault_groups(inspection):
        rows += ["", title + (f" ({len(found)})" if len(found) > 1 else "")]
        for fault in found[:SHOWN_FAULTS]:
            rows += _fault(fault, source, width)
        if len(found) > SHOWN_FAULTS:
            rows.append(f"  … {len(found) - SHOWN_FAULTS} more")
    if inspection.launches:
        rows += [*([""] if rows else []), *_wrapped(say.unseen(inspection), width)]
    return rows


def _fault(fault: Fault, source: list[str], width: int) -> list[str]:
    rows = _wrapped(say.fault_text(fault), width)
    rows += [f"    {quote.line:>4} | {quote.text}"[:width] for quote in say.quotes(fault, source)]
    who = say.culprits(fault)
    rows += _wrapped(who, width, "    ") if who else []
    return rows + (_wrapped(f"→ {fault.remedy}", width, "    ") if fault.remedy else [])


def _map(inspection: Inspection, line: int | None, width: int) -> list[str]:
    access, said = say.chosen(inspection, line)
    rows = ["", *_wrapped(said, width, "")] if said else []
    if access is None:
        return rows
    rows += ["", "which lane touches what", access_picture.text(access, width)]
    if access.line == line:  # who asks for a line sees all that it does
        others = (other for other in say.ranked_maps(inspection) if other.line == line and other is not access)
        rows += [part for other in others for part in ("", access_picture.text(other, width))]
    return rows


def _launch(launch: LaunchReport, width: int) -> list[str]:
    found = launch.occupancy
    most = max((limit.blocks for limit in found.limits if limit.resource == "blocks"), default=1)
    rows = [*_wrapped(say.launch_title(launch), width, ""), *_wrapped(say.occupancy_sentence(launch), width)]
    for limit in found.limits:
        mark = "  <- the limit" if limit.resource == found.limit and found.ratio < 1 else ""
        blocks = say.room(limit, launch)
        rows.append(f"  {limit.resource:<14} {bar(limit.blocks / most if most else 0.0)}  {blocks}{mark}")
    rows += [row for advice in found.advice for row in _wrapped(f"→ {advice}", width)]
    return [*rows, *_wrapped(say.launch_facts(launch), width)]
