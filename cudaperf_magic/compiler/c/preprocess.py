"""Runs the machine's C preprocessor over a cell, with our own small standard headers.

Object-like numeric macros of the cell keep their names (`N` stays `N`, its text goes to `constants`), so that the CUDA
can print `#define N 1024` again. It does not parse C beyond the macro lines.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError

from cudaperf_magic.errors import TaskError, ToolchainError

INCLUDE = Path(__file__).parent / "include"
CELL = "<stdin>"  # what the preprocessor calls the cell in its line markers
TIMEOUT_S = 20
# Spellings of compilers that say nothing about the values computed.
QUIET = (
    "__restrict=restrict", "__restrict__=restrict", "__inline=inline", "__inline__=inline", "__extension__=",
    "__const=const", "__volatile__=volatile", "__volatile=volatile", "__signed__=signed", "__attribute__(x)=",
    "__attribute(x)=", "__declspec(x)=", "__builtin_expect(a,b)=(a)", "__builtin_assume_aligned(a,...)=(a)",
    "__asm=asm", "__asm__=asm", "static_assert=_Static_assert", "NULL=((void*)0)",
)  # fmt: skip
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)(.*)$")
DEFINITION = re.compile(r"\s+([A-Za-z_]\w*)(?![\w(])[ \t]*(.*?)\s*$")
ARITHMETIC = {"+", "-", "*", "/", "%", "<<", ">>"}
MESSAGE = re.compile(r"^(?:In file included from )?([^:\n]*):(\d+)(?::\d+)?: (?:fatal )?error: (.*)$", re.MULTILINE)


@dataclass
class Preprocessed:
    """Text for the C parser, with line markers; `constants` are the macros that kept their name, in their order."""

    text: str
    constants: dict[str, str] = field(default_factory=dict)


def preprocess(code: str, defines: tuple[str, ...] = (), folders: tuple[str, ...] = ()) -> Preprocessed:
    """Preprocess a cell whose comments are blanked out.

    Raises:
        TaskError: a header is missing or a directive is wrong, with its line.
        ToolchainError: this machine has no C compiler.
    """
    kept, marked = _keep_constants(code, defines)
    options = [f"-D{name}" for name in QUIET]
    for define in defines:
        name = define.split("=", 1)[0]
        options.append(f"-D{name}={name}" if name in kept else f"-D{define}")
    where = [f"-I{folder}" for folder in folders]
    command = [compiler(), "-E", "-dD", "-undef", "-nostdinc", "-std=c11", "-x", "c", *where, f"-I{INCLUDE}", *options]
    done = _run([*command, "-"], marked, folders[0] if folders else "")
    if done.returncode != 0:
        raise _preprocessor_error(done.stderr)
    text, active = _without_directives(done.stdout)
    given = {define.split("=", 1)[0] for define in defines}
    return Preprocessed(text, {name: body for name, body in kept.items() if name in active or name in given})


def compiler() -> str:
    """The machine's C compiler: $CC, cc, gcc or clang."""
    chosen = os.environ.get("CC", "").split()
    for name in (*chosen[:1], "cc", "gcc", "clang"):
        found = shutil.which(name)
        if found:
            return found
    raise ToolchainError("no C compiler was found; install gcc or clang (Debian: apt-get install gcc), or set CC")


def _run(command: list[str], text: str, folder: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=TIMEOUT_S, cwd=folder or None,
            env={**os.environ, "LC_ALL": "C"}, errors="replace",
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise TaskError(f"the preprocessor did not end within {TIMEOUT_S} s; look for an #include of itself") from None
    except OSError as error:
        raise ToolchainError(f"{command[0]} could not be run ({error}); install gcc or set CC") from error


# --------------------------------------------------------------------- macros


def _keep_constants(code: str, defines: tuple[str, ...]) -> tuple[dict[str, str], str]:
    """Numeric macros that can keep their name, and the code with each such line turned into `#define N N`."""
    lines = code.split("\n")
    bodies: dict[str, list[tuple[int, str]]] = {}
    tested: set[str] = set()  # names whose value or absence a directive asks for
    for at, line in enumerate(lines):
        found = DIRECTIVE.match(line)
        if found is None:
            continue
        word, rest = found.groups()
        if word in ("if", "elif"):
            tested |= set(re.findall(r"[A-Za-z_]\w*", re.sub(r"defined\s*\(?\s*\w+", "", rest)))
        elif word == "undef":
            tested.add(rest.strip())
        elif word == "define":
            definition = DEFINITION.match(rest)
            if definition and not line.endswith("\\"):
                bodies.setdefault(definition[1], []).append((at, definition[2]))
            else:
                tested |= set(re.findall(r"[A-Za-z_]\w*", rest)[:1])
                tested |= _pasted(rest)
    for define in defines:
        name, _, body = define.partition("=")
        bodies[name] = [(-1, body or "1")]
    kept: dict[str, str] = {}
    for name, places in bodies.items():
        at, body = places[0]
        if len(places) == 1 and name not in tested and _is_numeric(body, kept):
            kept[name] = body
            if at >= 0:
                lines[at] = f"#define {name} {name}"
    return kept, "\n".join(lines)


def _pasted(body: str) -> set[str]:
    """Names beside # or ##: their spelling matters, so they are left to the preprocessor."""
    return set(re.findall(r"#\s*(\w+)", body)) | set(re.findall(r"(\w+)\s*##", body))


def _is_numeric(body: str, known: dict[str, str]) -> bool:
    """Is it arithmetic on numbers and on macros that are kept themselves, closed against what stands beside it?

    `#define A 1 + 2` is text that C splices in (`n * A` is `n * 1 + 2`): only `(1 + 2)` is a value of its own.
    """
    if not body or not _is_closed(body):
        return False
    try:
        tree = CParser().parse(f"int x = ({body});\nint y;")
    except (ParseError, RecursionError, AssertionError):
        return False
    return len(tree.ext) == 2 and isinstance(tree.ext[0], c_ast.Decl) and _is_arithmetic(tree.ext[0].init, known)


def _is_closed(body: str) -> bool:
    """A single word or number, perhaps with a sign, or one pair of parentheses around everything."""
    if not body.startswith("("):
        return re.fullmatch(r"-?\s*(?:[\w.]|(?<=[eEpP])[+-])+", body) is not None
    depth = 0
    for at, letter in enumerate(body):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return at == len(body) - 1
    return False


def _is_arithmetic(node: c_ast.Node | None, known: dict[str, str]) -> bool:
    match node:
        case c_ast.Constant():
            return node.type not in ("string", "char")
        case c_ast.ID():
            return node.name in known
        case c_ast.UnaryOp():
            return node.op in ("-", "+", "~") and _is_arithmetic(node.expr, known)
        case c_ast.BinaryOp():
            return node.op in ARITHMETIC and _is_arithmetic(node.left, known) and _is_arithmetic(node.right, known)
    return False


def _without_directives(text: str) -> tuple[str, set[str]]:
    """Blank out #define, #undef and #pragma lines of the output; the macros that were active at the end or before."""
    active: set[str] = set()
    lines = text.split("\n")
    for at, line in enumerate(lines):
        found = DIRECTIVE.match(line)
        if found is None:
            continue
        if found[1] == "define":
            active |= set(re.findall(r"[A-Za-z_]\w*", found[2])[:1])
        if found[1] in ("define", "undef", "pragma", "ident"):
            lines[at] = ""
    return "\n".join(lines), active


# --------------------------------------------------------------------- errors


def _preprocessor_error(log: str) -> TaskError:
    found = MESSAGE.search(log)
    if found is None:
        return TaskError(f"the preprocessor refused the program: {(log.strip().splitlines() or ['no message'])[0]}")
    file, line, message = found.groups()
    number = int(line) if file == CELL else None
    where = "" if file == CELL else f"{Path(file).name}, line {line}: "
    missing = re.match(r"'?([^':]+)'?(?: file not found|: No such file or directory)", message)
    if missing:
        name = missing[1]
        offered = ", ".join(sorted(p.relative_to(INCLUDE).as_posix() for p in INCLUDE.rglob("*.h")))
        advice = f"put {name} beside the file, or remove the #include (standard headers that are known: {offered})"
        return TaskError(f"{where}there is no header {name}; {advice}", number)
    return TaskError(f"{where}{message.strip()}", number)
