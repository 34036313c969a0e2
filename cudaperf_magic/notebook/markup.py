"""HTML pieces that survive an untrusted notebook: inline styles only, no script, style or svg, nothing fetched.

Colours work on light and dark pages: text takes the page's own colour, tints are translucent, and solid colours carry
white text. Layout is tables and inline blocks, since front ends strip flex properties. It knows no records.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

GREEN, RED, BLUE, GREY = "#1a7f37", "#c62828", "#2f6fdb", "#6e7781"
LINE = "1px solid rgba(128,128,128,0.35)"
MONO = "font-family:monospace;font-size:12px;line-height:1.45"
WRAPPED = "white-space:pre-wrap;word-wrap:break-word"
# What a front end may strip without loss: numbers that are copied with the code, bars that are not printed.
UNCOPIED = "user-select:none;-webkit-user-select:none"
PRINTED = "print-color-adjust:exact;-webkit-print-color-adjust:exact"
WHOLE = "page-break-inside:avoid"
SOURCE_LINES = 400  # more is cut in the report, and said; `.source` has all of it

TONES = {"good": GREEN, "bad": RED, "neutral": GREY}
TINTS = {"add": "rgba(46,160,67,0.22)", "remove": "rgba(229,83,75,0.22)", "place": "rgba(128,128,128,0.15)"}
SIGNS = {"add": "+", "remove": "-", "same": " ", "place": "@"}


def tag(name: str, style: str, *inside: str, title: str = "") -> str:
    """An element around HTML that is already escaped."""
    hint = f' title="{escape(title)}"' if title else ""
    return f'<{name} style="{style}"{hint}>{"".join(inside)}</{name}>'


def text(value: str) -> str:
    return escape(value, quote=False)


def pill(tone: str, words: str) -> str:
    shape = "display:inline-block;padding:1px 8px;border-radius:9px;font-size:12px;white-space:nowrap"
    return tag("span", f"{shape};background:{TONES[tone]};color:white", text(words))


def bar(share: float, colour: str = BLUE, width_px: int = 110) -> str:
    """A bar of a share in [0, 1]; the number stands beside it, in the row that holds it."""
    filled = max(0.0, min(1.0, share)) * 100
    inner = tag("div", f"height:8px;border-radius:4px;width:{filled:.0f}%;background:{colour}")
    return tag("div", f"width:{width_px}px;background:rgba(128,128,128,0.25);border-radius:4px", inner)


def table(rows: Iterable[Iterable[str]], head: Iterable[str] = ()) -> str:
    """A plain table whose cells are HTML; texts wrap, so that 600 px are enough."""
    cell = f"padding:3px 10px 3px 0;text-align:left;vertical-align:top;border-bottom:{LINE};white-space:normal"
    body = "".join(tag("tr", WHOLE, *(tag("td", cell, item) for item in row)) for row in rows)
    titles = "".join(tag("th", cell + ";font-weight:600", text(item)) for item in head)
    top = f"<thead><tr>{titles}</tr></thead>" if titles else ""
    # JupyterLab makes every column as wide as any other unless it is told not to.
    style = "border-collapse:collapse;table-layout:auto;width:100%;margin:4px 0 8px 0;font-size:13px"
    return tag("table", style, top, f"<tbody>{body}</tbody>")


def details(summary: str, *inside: str, is_open: bool = False) -> str:
    """A part that opens on a click; `summary` is HTML."""
    title = tag("summary", "cursor:pointer;padding:3px 0", summary)
    return f'<details{" open" if is_open else ""} style="margin:4px 0">{title}{"".join(inside)}</details>'


def source(program: str) -> str:
    """A program with line numbers that copying leaves out; a long line goes on below itself, on paper too."""
    lines = program.splitlines()
    shown = lines[:SOURCE_LINES]
    wide = len(str(len(shown)))
    # Font, wrapping and the hanging indent are inherited, which keeps a line of a long program short.
    indent = f"padding:6px 6px 6px {wide + 4}ch;text-indent:-{wide + 2}ch"
    number = f"{UNCOPIED};opacity:0.75"
    drawn = (f"<div>{tag('span', number, f'{i:>{wide}}  ')}{text(line)}</div>" for i, line in enumerate(shown, 1))
    box = tag("div", f"border:{LINE};border-radius:4px;{WRAPPED};{MONO};{indent}", *drawn)
    rest = len(lines) - len(shown)
    return box + (paragraph(f"{rest:,} more lines are in .source.") if rest > 0 else "")


def difference(rows: Iterable[tuple[str, str]]) -> str:
    """Lines of a diff: sign and tint together, never colour alone."""
    found = []
    for count, (kind, line) in enumerate(rows):
        if count == SOURCE_LINES:
            found.append(tag("div", "", "…"))
            break
        style = f"{WRAPPED};{MONO};padding:0 6px 0 4ch;text-indent:-3ch"
        tint = f";background-color:{TINTS[kind]}" if kind in TINTS else ""
        found.append(tag("div", style + tint, text(f"{SIGNS[kind]} {line}")))
    if not found:
        return paragraph("Nothing changed.")
    return tag("div", f"border:{LINE};border-radius:4px;margin:4px 0", *found)


def image(data_uri: str, words: str, width_px: int) -> str:
    """A picture at most as wide as the page; `words` tell the same to those who do not see it."""
    style = f"max-width:100%;width:{width_px}px;height:auto;margin:4px 0;{WHOLE}"
    return f'<img src="{escape(data_uri)}" alt="{escape(words)}" style="{style}">'


def paragraph(words: str, style: str = "") -> str:
    return tag("div", f"margin:3px 0;font-size:13px;line-height:1.45;{style}".rstrip(";"), text(words))


def heading(words: str) -> str:
    return tag("div", "font-weight:600;margin:12px 0 2px 0;font-size:14px;page-break-after:avoid", text(words))


def page(*inside: str) -> str:
    """The frame of everything shown: at most 900 px wide, at least nothing."""
    return tag("div", f"max-width:900px;font-family:sans-serif;font-size:13px;line-height:1.45;{PRINTED}", *inside)
