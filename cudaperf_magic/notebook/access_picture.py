"""An access map drawn: as HTML of inline blocks that an untrusted notebook keeps, and as text for a terminal.

Both draw the layout of access_map.py; every tint has a number or a sign in it or beside it. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap

from ..records_inspection import AccessMap
from . import markup
from .access_map import Cell, Layout, Row, layout
from .access_words import listing, sentences, spans

CELL_PX = 16
LABEL_PX = 56
TEXT_CELL = 3  # characters
TEXT_LABEL = 9
TEXT_ROWS = 16  # more are cut in a terminal, and said

COLOURS = {"touched": markup.BLUE, "waits": markup.RED}
MOVED = "rgba(210,153,34,0.35)"
EDGE = "2px solid rgba(128,128,128,0.9)"
BETWEEN = "1px solid rgba(255,255,255,0.45)"  # solid cells, so that one lane ends where the next begins
LETTERS = "text-align:center;font-family:monospace;line-height:15px"
FAINT = "1px solid rgba(128,128,128,0.25)"
FEW = 3  # characters that a cell of one column holds

GLOBAL_LEGEND = (
    ("touched", "7", "bytes that lane 7 asks for"),
    ("moved", "", "moved with the sector, asked for by nobody"),
)
SHARED_LEGEND = (
    ("touched", "7", "lane 7, served in the first wavefront"),
    ("waits", "7", "lane 7, waits for a later one: the bank is taken"),
)


def html(access: AccessMap) -> str:
    """The sentences, the picture with its legend, and the list for those who do not see it."""
    drawn = layout(access)
    is_shared = access.space == "shared"
    rows = [_bank_heads(drawn)] if is_shared else []
    rows += [_html_row(row) for row in drawn.rows]
    inside = f"display:inline-block;white-space:nowrap;{LETTERS}"
    box = markup.tag("div", "overflow-x:auto;padding:4px 0", markup.tag("div", inside, *rows))
    items = (markup.tag("li", "margin:0", markup.text(line)) for line in listing(access))
    words = markup.tag("ul", "margin:2px 0;padding-left:20px;font-size:12px", *items)
    return "".join(
        (
            markup.paragraph(" ".join(sentences(access))),
            box,
            _legend(SHARED_LEGEND if is_shared else GLOBAL_LEGEND, _axis(drawn, is_shared)),
            markup.details("the same in words", words),
        )
    )


def _axis(drawn: Layout, is_shared: bool) -> str:
    if is_shared:
        return "A column is a bank, a row a wavefront."
    across = drawn.columns * drawn.unit_bytes
    gap = " A dashed line: bytes between that nobody touches." if any(row.skipped_bytes for row in drawn.rows) else ""
    return f"A row is {across} bytes from the byte offset at its left, a box a sector of 32 bytes.{gap}"


def _legend(entries: Iterable[tuple[str, str, str]], axis: str) -> str:
    parts = []
    for state, sign, words in entries:
        cell = _block(1, f"{_look(state)};{LETTERS}", sign)
        parts.append(markup.tag("span", "display:inline-block;margin:0 12px 2px 0", f"{cell} {markup.text(words)}"))
    return markup.tag("div", "font-size:12px;margin:2px 0 4px 0", *parts, markup.text(axis))


def _bank_heads(drawn: Layout) -> str:
    cells = (_block(1, "font-size:9px", str(bank)) for bank in range(drawn.columns))
    return markup.tag("div", "height:16px", _label("bank"), *cells)


def _html_row(row: Row) -> str:
    gap = "margin:2px 0 0 0;border-top:2px dashed rgba(128,128,128,0.6);padding:2px 0 0 0;"
    hint = f"{row.skipped_bytes:,} bytes that nobody touches lie before this row" if row.skipped_bytes else ""
    style = f"{gap if row.skipped_bytes else ''}height:16px"
    return markup.tag("div", style, _label(row.label), *(_html_cell(cell) for cell in row.cells), title=hint)


def _html_cell(cell: Cell) -> str:
    border = BETWEEN if cell.state in COLOURS else FAINT
    style = f"{_look(cell.state)};border:{border}" + (f";border-left:{EDGE}" if cell.starts_box else "")
    return _block(cell.width, style, who(cell), spans(cell.lanes, "lane") if len(cell.lanes) > 1 else "")


def _look(state: str) -> str:
    if state in COLOURS:
        return f"background:{COLOURS[state]};color:white"
    return f"background-color:{MOVED}" if state == "moved" else "background-color:transparent"


def _label(words: str) -> str:
    style = f"display:inline-block;width:{LABEL_PX}px;text-align:right;padding:0 6px 0 0;font-size:11px;opacity:0.8"
    return markup.tag("span", style, markup.text(words))


def _block(width: int, style: str, inside: str, title: str = "") -> str:
    size = "font-size:8px" if len(inside) > 2 * width else "font-size:10px"
    shape = f"display:inline-block;box-sizing:border-box;width:{CELL_PX * width}px;height:16px;vertical-align:top"
    return markup.tag("span", f"{shape};{size};{style}", markup.text(inside) or "&nbsp;", title=title)


def who(cell: Cell) -> str:
    """The lane, or how many lanes, in at most three characters a column."""
    if len(cell.lanes) < 2:
        return str(cell.lanes[0]) if cell.lanes else ""
    named = spans(cell.lanes, "").lstrip("s ")
    return named if len(named) < FEW * cell.width and " " not in named else f"×{len(cell.lanes)}"


def text(access: AccessMap, width: int = 100) -> str:
    """The same for a terminal of `width` characters; rows beyond the sixteenth are counted, not drawn."""
    room = max(8, (width - TEXT_LABEL - 1) // TEXT_CELL)
    columns = 32 if room >= 34 else 16 if room >= 17 else 8
    drawn = layout(access, columns)
    lines = [row for sentence in sentences(access) for row in wrap(sentence, width, subsequent_indent="  ")]
    if access.space == "shared":
        lines += _bank_text(drawn, columns)
    else:
        lines += [*wrap(_text_legend(drawn), width, subsequent_indent="  "), *_sector_text(drawn)]
    return "\n".join(lines)


def _text_legend(drawn: Layout) -> str:
    gap = "; ⋮ bytes between that nobody touches" if any(row.skipped_bytes for row in drawn.rows) else ""
    across = drawn.columns * drawn.unit_bytes
    return f"A row is {across} bytes from its byte offset; | a sector's edge; . moved, asked for by nobody{gap}"


def _sector_text(drawn: Layout) -> Iterator[str]:
    for row in drawn.rows[:TEXT_ROWS]:
        cells = "".join(("|" if cell.starts_box else "") + _text_cell(cell) for cell in row.cells)
        label = f"⋮ {row.label}" if row.skipped_bytes else row.label
        yield f"{label:>{TEXT_LABEL}} {cells}|"
    yield from _cut(drawn)


def _bank_text(drawn: Layout, columns: int) -> Iterator[str]:
    """Strips of `columns` banks; a strip of idle banks is one line."""
    for first in range(0, drawn.columns, columns):
        strip = range(first, min(first + columns, drawn.columns))
        rows = [(row.label, clip(row.cells, strip)) for row in drawn.rows]
        if all(cell.state == "idle" for _, cells in rows for cell in cells):
            yield f"banks {strip.start} to {strip.stop - 1}: idle"
            continue
        yield f"{'bank':>{TEXT_LABEL}} " + "".join(f"{bank:>{TEXT_CELL}}" for bank in strip)
        for label, cells in rows[:TEXT_ROWS]:
            drawn_cells = "".join(_text_cell(cell) for cell in cells)
            yield f"{'wave ' + label:>{TEXT_LABEL}} {drawn_cells}".rstrip()
    yield from _cut(drawn)


def _cut(drawn: Layout) -> Iterator[str]:
    rest = len(drawn.rows) - TEXT_ROWS
    if rest > 0:
        yield f"{'':>{TEXT_LABEL}} … {rest} more rows"


def clip(cells: Iterable[Cell], columns: range) -> list[Cell]:
    """The part of a row that lies in these columns."""
    found, start = [], 0
    for cell in cells:
        inside = min(start + cell.width, columns.stop) - max(start, columns.start)
        if inside > 0:
            found.append(Cell(inside, cell.state, cell.lanes, cell.starts_box and start >= columns.start))
        start += cell.width
    return found


def _text_cell(cell: Cell) -> str:
    wide = TEXT_CELL * cell.width
    if cell.state == "moved":
        return "  ." * cell.width
    return f"{who(cell)[:wide]:>{wide}}" if cell.width == 1 else f"{who(cell)[:wide]:^{wide}}"
