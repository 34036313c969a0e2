"""Pieces of text that a reflection is made of: a quoted line, a shortened one, as many parts as fit.

It knows no record.
"""

from __future__ import annotations

from collections.abc import Sequence

MOST_CHARACTERS = 1200


def quote(line: int | None, source: Sequence[str]) -> str:
    """A line of the program with its number, counted from 1; nothing where there is no such line."""
    if line is None or not 1 <= line <= len(source):
        return ""
    return f"    {line} | {shorten(source[line - 1].strip(), 120)}"


def shorten(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def triple(index: tuple[int, int, int]) -> str:
    return f"({', '.join(map(str, index))})"


def listed(items: Sequence[str], most: int) -> str:
    """The latest of them, and how many there are besides."""
    shown = ", ".join(items[-most:])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} before"


def fit(parts: Sequence[str], most: int = MOST_CHARACTERS) -> str:
    """The parts that fit, in their order, each whole; a first one that is too long is cut."""
    text = ""
    for part in filter(None, parts):
        longer = f"{text}\n{part}" if text else shorten(part, most)
        if len(longer) <= most:
            text = longer
    return text
