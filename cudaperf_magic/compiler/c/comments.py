"""Finds the comments of a C source, aware of strings, characters and line splices.

It returns the code with every comment blanked out (lines and columns keep their places) and the comments by line.
It does not parse C.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""//(?:\\\n|[^\n])*            # to the end of the line, spliced lines included
    | /\*.*?(?:\*/|\Z)               # a block, or one that is never closed
    | "(?:\\.|[^"\\\n])*"?           # a string
    | '(?:\\.|[^'\\\n])*'?           # a character
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass
class Comments:
    """`above[l]` is the comment that ends on the line before `l`; `beside[l]` the one that follows code on line `l`."""

    code: str
    above: dict[int, str] = field(default_factory=dict)
    beside: dict[int, str] = field(default_factory=dict)
    unclosed: int | None = None  # the line of a block comment that never ends

    def take(self, line: int) -> str:
        """The comment of the statement that starts on a line; each comment is given once."""
        found = [self.above.pop(line, ""), self.beside.pop(line, "")]
        return "\n".join(text for text in found if text)


def scan(source: str) -> Comments:
    """Separate comments from code."""
    result = Comments("")
    pieces: list[str] = []
    last, line = 0, 1
    pending: list[str] = []  # own-line comments waiting for the line below them
    pending_end = -1
    for match in TOKEN.finditer(source):
        text = match.group()
        line += source.count("\n", last, match.start())
        pieces.append(source[last : match.start()])
        last = match.end()
        if not text.startswith(("//", "/*")):
            pieces.append(text)
            line += text.count("\n")
            continue
        end = line + text.count("\n")
        if text.startswith("/*") and (len(text) < 4 or not text.endswith("*/")):
            result.unclosed = line
        pieces.append(re.sub(r"[^\n]", " ", text))
        begin = source.rfind("\n", 0, match.start()) + 1
        words = plain(text)
        if source[begin : match.start()].strip() and not _is_comment_end(source[begin : match.start()]):
            result.beside[line] = words
        elif not _rest_of_line(source, match.end()):
            pending = [*pending, words] if pending_end == line - 1 else [words]
            pending_end = end
            result.above.pop(line, None)
            result.above[end + 1] = "\n".join(p for p in pending if p)
        line = end
    pieces.append(source[last:])
    result.code = "".join(pieces)
    return result


def _rest_of_line(source: str, at: int) -> str:
    end = source.find("\n", at)
    return source[at : end if end >= 0 else len(source)].strip()


def _is_comment_end(text: str) -> bool:
    return text.strip().endswith("*/")


def plain(comment: str) -> str:
    """The words of a comment, without its markers and frames."""
    if comment.startswith("//"):
        lines = comment.replace("\\\n", "\n").split("\n")
        return "\n".join(re.sub(r"^\s*/{2,}\s?", "", line).rstrip() for line in lines).strip()
    inside = comment[2:-2] if comment.endswith("*/") else comment[2:]
    lines = [re.sub(r"^\s*\*+\s?", "", line).strip() for line in inside.split("\n")]
    return "\n".join(line.strip("*- ") if set(line) <= set("*-= ") else line for line in lines).strip()
