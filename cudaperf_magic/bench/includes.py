"""Which #include lines a candidate may write: headers of CUDA and our stand-ins for C's. It compiles nothing.

A compiler quotes lines of what it includes in its log, so an #include of any other file would show that file to whoever
wrote the candidate. The check therefore reads directives as the preprocessor does (continued lines, comments, digraphs)
and refuses what it cannot be sure of.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

STUBS = Path(__file__).parent / "include"  # for the headers of C that CUDA does not bring
STAND_INS = Path(__file__).parent / "include_first"  # for headers of CUDA that NVRTC cannot compile
READS_A_FILE = ("include", "include_next", "import", "embed")


def refused_include(source: str, folders: Sequence[str]) -> str | None:
    """Why this source may not be compiled, in a compiler's form; None when all its includes are in order."""
    joined = _joined_lines(source)
    # Both as written and without comments: a text that fools the reading of comments must not hide a directive.
    for line, text in (*joined, *_without_comments(joined)):
        operand = _file_operand(text)
        if operand is None:
            continue
        if not _is_known_header(operand, folders):
            shown = operand if len(operand) < 80 else operand[:77] + "..."
            return (
                f"kernel.cu({line}): error: cannot include {shown}; only headers of CUDA and of the C library are there"
            )
    return None


def _joined_lines(source: str) -> list[tuple[int, str]]:
    """Lines with continuations joined, each with the number of its first physical line."""
    joined: list[tuple[int, str]] = []
    pending, first = "", 0
    for number, raw in enumerate(source.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        first = first or number
        stripped = raw.rstrip(" \t")
        if stripped.endswith(("\\", "??/")):
            pending += stripped[: -1 if stripped.endswith("\\") else -3]
            continue
        joined.append((first, pending + raw))
        pending, first = "", 0
    joined.append((first or 1, pending))
    return joined


def _without_comments(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The lines with comments blanked; strings and characters are kept."""
    cleaned: list[tuple[int, str]] = []
    in_comment = False
    for number, text in lines:
        kept: list[str] = []
        quote = ""
        i = 0
        while i < len(text):
            pair = text[i : i + 2]
            if in_comment:
                in_comment = pair != "*/"
                i += 1 if in_comment else 2
            elif quote:
                kept.append(pair if text[i] == "\\" else text[i])
                quote = "" if text[i] == quote else quote
                i += 2 if text[i] == "\\" else 1
            elif pair == "//" and not _is_directive("".join(kept)):
                break
            elif pair == "/*":
                in_comment = True
                kept.append(" ")
                i += 2
            else:
                quote = text[i] if text[i] in "\"'" else ""
                kept.append(text[i])
                i += 1
        cleaned.append((number, "".join(kept)))
    return cleaned


def _is_directive(text: str) -> bool:
    return _file_operand(text) is not None


def _file_operand(text: str) -> str | None:
    """What follows #include and its like; None when the line is no such directive. `__has_include` counts as one."""
    start = text.lstrip(" \t\v\f")
    for mark in ("#", "%:", "??="):
        if start.startswith(mark):
            rest = start[len(mark) :].lstrip(" \t\v\f")
            word = rest
            for i, letter in enumerate(rest):
                if not (letter.isalnum() or letter == "_"):
                    word = rest[:i]
                    break
            if word in READS_A_FILE:
                return rest[len(word) :].strip()
            for asked in ("__has_include", "__has_embed"):
                if asked in rest and "/" in rest.split(asked, 1)[1].split(")")[0]:
                    return _inside_parentheses(rest.split(asked, 1)[1])
    return None


def _inside_parentheses(text: str) -> str:
    return text.partition("(")[2].partition(")")[0].strip() or text


def _is_known_header(operand: str, folders: Sequence[str]) -> bool:
    closing = {"<": ">", '"': '"'}.get(operand[:1])
    if closing is None:
        return False  # a macro: what it names cannot be told here
    name, found, _ = operand[1:].partition(closing)
    path = PurePosixPath(name)
    if not found or not name or path.is_absolute() or ".." in path.parts or "\\" in name:
        return False
    return any((Path(folder) / path).is_file() for folder in folders) or name in BUILT_IN


# Inside NVRTC itself, in no folder.
BUILT_IN = frozenset({"nvrtc_builtins.h", "cuda_pipeline.h"})
