"""Preprocessed text -> pycparser's tree, or one sentence that says where the syntax is wrong and what mends it.

The advice comes from trial: the smallest insertion after which the parser gets further is the one that is named.
It knows nothing of types or meaning.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pycparser import c_ast
from pycparser.c_lexer import CLexer, Token
from pycparser.c_parser import CParser, ParseError

from cudaperf_magic.compiler.c.preprocess import CELL
from cudaperf_magic.errors import TaskError

CPLUSPLUS = {"template", "class", "namespace", "using", "auto", "constexpr", "nullptr", "public", "private"}
CUDA = {"__global__", "__device__", "__host__", "__shared__", "threadIdx", "blockIdx"}
CLOSERS = {")": "(", "]": "[", "}": "{"}
MOST_NESTED = 150  # levels of brackets; deeper than this no person writes
RECURSION = 20_000


@dataclass(frozen=True)
class Place:
    """Where a token or a node stands; `line` is None outside the cell."""

    line: int | None
    file: str = ""

    @property
    def prefix(self) -> str:
        return f"{self.file}: " if self.file else ""


def where(node: c_ast.Node | None) -> Place:
    """The place of a node in the person's cell."""
    coord = getattr(node, "coord", None)
    if coord is None:
        return Place(None)
    return Place(coord.line) if coord.file in ("", CELL) else Place(None, f"{Path(coord.file).name}, line {coord.line}")


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Room for the recursive descent of long expressions (a table of sums has hundreds of levels)."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def parse(text: str) -> c_ast.FileAST:
    """Parse preprocessed C.

    Raises:
        TaskError: with the line that lacks something and what it lacks.
    """
    tokens = _tokens(text)
    _refuse_nesting(tokens)
    read: list[Token] = []

    class Recorder(CLexer):  # type: ignore[misc]
        """Notes how far the parser got: some of its messages name no place."""

        def token(self) -> Token | None:
            found = super().token()
            if found is not None:
                read.append(found)
            return found

    with deep_recursion():
        try:
            return CParser(lexer=Recorder).parse(text, CELL)
        except (ParseError, AssertionError, RecursionError, IndexError, AttributeError, ValueError, TypeError) as error:
            raise _explain(text, tokens, str(error), len(read) - 1) from None


def _tokens(text: str) -> list[Token]:
    lexer = CLexer(_lexical_error)
    lexer.input(text, CELL)
    tokens: list[Token] = []
    while (token := lexer.token()) is not None:
        tokens.append(token)
        if token.value == "asm":
            raise TaskError("inline assembly cannot be translated; write what it does in C", _line(token))
        if token.value == "va_start":
            raise TaskError("a function with '...' parameters cannot be translated; give it an array", _line(token))
    return tokens


def _lexical_error(message: str, line: int, column: int) -> None:
    raise TaskError(f"{message[:1].lower()}{message[1:]}", line)


def _line(token: Token) -> int | None:
    return token.lineno if token.filename in ("", CELL) else None


def _refuse_nesting(tokens: list[Token]) -> None:
    depth = 0
    for token in tokens:
        depth += token.value in ("(", "[", "{")
        depth -= token.value in (")", "]", "}")
        if depth > MOST_NESTED:
            raise TaskError(f"brackets are nested more than {MOST_NESTED} deep; split the expression", _line(token))


# ----------------------------------------------------------------- explaining


def _explain(text: str, tokens: list[Token], message: str, reached: int) -> TaskError:
    bracket = _bracket_error(tokens)
    at = _failing_index(tokens, message, reached)
    token = tokens[at] if at < len(tokens) else None
    last = tokens[at - 1] if at > 0 and tokens else None
    if foreign := next((t for t in tokens[: at + 4] if t.value in CPLUSPLUS | CUDA or t.value == "::"), None):
        kind = "CUDA" if foreign.value in CUDA else "C++"
        return TaskError(f"'{foreign.value}' is {kind}; write the function as plain C", _line(foreign))
    if last is not None and last.type == "ID" and token is not None and token.type in ("ID", "TIMES"):
        looks_like_type = at < 2 or tokens[at - 2].value in (";", "{", "}", "(", ",", "const", "static", "unsigned")
        if looks_like_type and not _mends(text, last, ";", message):
            unknown = f"'{last.value}' is not a type that is known here; add its typedef or its #include"
            return TaskError(unknown, _line(last))
    if last is not None and token is not None and last.value in ("(", ",") and token.type == "ID":
        follows = tokens[at + 1] if at + 1 < len(tokens) else None
        if follows is not None and (follows.type == "ID" or follows.value == "*"):
            return TaskError(f"'{token.value}' is not a type that is known here; add its typedef", _line(token))
    if last is not None and last.value in ("if", "while", "for", "switch"):
        return TaskError(f"expected '(' after '{last.value}'", _line(last))
    if last is not None:
        for wanted in (";", ")", "]"):
            if (bracket is None or wanted != "]") and _mends(text, last, wanted, message):
                return TaskError(f"expected '{wanted}' after '{last.value}'", _line(last))
    if bracket is not None:
        return bracket
    if token is None:
        return TaskError("the program ends in the middle of a declaration or statement", _line(last) if last else None)
    after = f" after '{last.value}'" if last else ""
    return TaskError(f"the C cannot be read at '{token.value}'{after}", _line(token))


def _bracket_error(tokens: list[Token]) -> TaskError | None:
    """The first bracket without a partner."""
    opened: list[Token] = []
    for token in tokens:
        if token.value in CLOSERS.values() and token.type.startswith("L"):
            opened.append(token)
        elif token.value in CLOSERS and token.type.startswith("R"):
            if not opened:
                return TaskError(f"this '{token.value}' closes nothing; remove it", _line(token))
            if opened[-1].value != CLOSERS[token.value]:
                closer = next(c for c, o in CLOSERS.items() if o == opened[-1].value)
                start = f"the '{opened[-1].value}' of line {opened[-1].lineno}"
                return TaskError(f"expected '{closer}' before '{token.value}', to close {start}", _line(token))
            opened.pop()
    if not opened:
        return None
    missing = next(c for c, o in CLOSERS.items() if o == opened[-1].value)
    if opened[-1].value != "{":
        return TaskError(f"this '{opened[-1].value}' is never closed; add '{missing}'", _line(opened[-1]))
    start, end = opened[-1].lineno, tokens[-1].lineno
    return TaskError(f"a '}}' is missing: the '{{' of line {start} is never closed", end)


def _position(message: str) -> tuple[int, int] | None:
    """Line and column in the parser's message `<stdin>:3:2: before: x`."""
    parts = message.split(":")
    if len(parts) > 2 and parts[1].isdigit():
        return int(parts[1]), int(parts[2]) if parts[2].isdigit() else 0
    return None


def _failing_index(tokens: list[Token], message: str, reached: int) -> int:
    place = _position(message)
    if place is None:
        return len(tokens) if "end of input" in message.lower() else reached
    matching = (
        i for i, t in enumerate(tokens)
        if t.filename in ("", CELL) and (t.lineno, t.column) >= place
    )  # fmt: skip
    return next(matching, len(tokens))


def _mends(text: str, after: Token, wanted: str, message: str) -> bool:
    """Does the parser get further when `wanted` stands right after a token?"""
    lines = text.split("\n")
    row = _row_of(lines, after)
    if row is None:
        return False
    end = after.column - 1 + len(after.value)
    lines[row] = f"{lines[row][:end]} {wanted} {lines[row][end:]}"
    try:
        CParser().parse("\n".join(lines), CELL)
    except ParseError as error:
        before, now = _position(message), _position(str(error))
        if before is None or now is None:
            return before is not None and now is None and "end of input" in str(error).lower()
        return now[0] > before[0]
    except (AssertionError, RecursionError, IndexError, AttributeError, ValueError, TypeError):
        return False
    return True


def _row_of(lines: list[str], token: Token) -> int | None:
    """The row of the preprocessed text that holds the cell's line of a token."""
    line, file, row = 1, CELL, None
    for at, text in enumerate(lines):
        marker = text.split()
        if text.startswith("# ") and len(marker) > 2 and marker[1].isdigit():
            line, file = int(marker[1]), marker[2].strip('"')
            continue
        if file == CELL and line == token.lineno and token.value in text:
            row = at
        line += 1
    return row
