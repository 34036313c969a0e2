"""The preprocessor for host code: #define, #if and their kin, every line kept at its number.

Included files are not read: what host code needs of them is built in. Conditions are decided as for a host compiler
under nvcc: __CUDACC__ is defined, __CUDA_ARCH__ is not. The device compiler preprocesses the text again for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from cudaperf_magic.bench.host import expressions as host_expressions  # noqa: F401
from cudaperf_magic.bench.host.runtime import PlanError
from cudaperf_magic.bench.host.scope import Routine, Scope, Unit, compile_expression
from cudaperf_magic.bench.host.source import read_program, reparse

_MAX_TOKENS = 400_000  # made by expansion, in all; a few lines of nested macros can ask for billions
_LEXEME = re.compile(
    r"""(?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
      | (?P<string>R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<newline>\r?\n)
      | (?P<space>(?:\\\r?\n|[ \t\f\v\r])+)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<number>\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)
      | (?P<other>\#\#|<<<|>>>|.)""",
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    kind: str
    text: str
    hidden: frozenset[str] = frozenset()  # macros that made it, which it may not name again


@dataclass(frozen=True)
class Macro:
    body: tuple[Token, ...]
    parameters: tuple[str, ...] | None = None  # None: without parentheses
    is_variadic: bool = False


_ONE = Macro((Token("number", "1"),))
_PREDEFINED = {"__CUDACC__": _ONE, "__NVCC__": _ONE, "__cplusplus": Macro((Token("number", "201703L"),))}


@dataclass
class _Group:
    """One #if ... #endif."""

    line: int
    is_active: bool
    was_taken: bool
    is_outer_active: bool


@dataclass
class _Preprocessor:
    tokens: list[Token]
    macros: dict[str, Macro] = field(default_factory=lambda: dict(_PREDEFINED))
    groups: list[_Group] = field(default_factory=list)
    position: int = 0
    line: int = 1
    made: int = 0  # tokens made by expansion

    def run(self) -> str:
        out: list[str] = []
        is_line_start = True
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            if token.kind == "other" and token.text == "#" and is_line_start:
                out.append(self.directive())
                continue
            is_line_start = token.kind == "newline" or (is_line_start and token.kind in ("space", "comment"))
            if token.kind in ("newline", "comment", "space"):
                out.append(_blank(token))
                self.line += token.text.count("\n")
                self.position += 1
            elif self.is_active:
                out.append(self.text_token())
            else:
                self.position += 1
        if self.groups:
            raise PlanError("this #if has no #endif", self.groups[-1].line)
        return "".join(out)

    @property
    def is_active(self) -> bool:
        return not self.groups or self.groups[-1].is_active

    def text_token(self) -> str:
        """The next token, or all that its macro makes of it (with the line ends of arguments behind it)."""
        token = self.tokens[self.position]
        if token.kind != "name" or token.text not in self.macros:
            self.position += 1
            self.line += token.text.count("\n")  # a raw string
            return token.text
        end = self.position + 1
        if self.macros[token.text].parameters is not None:
            end = _call_end(self.tokens, self.position + 1)
            if end == 0:
                self.position += 1
                return token.text
        used = self.tokens[self.position : end]
        self.position = end
        expanded = self.expand([t._replace(text=" ") if t.kind in ("newline", "comment") else t for t in used])
        lines = sum(t.text.count("\n") for t in used)
        self.line += lines
        return " " + "".join(t.text for t in expanded) + " " + "\n" * lines

    def expand(self, tokens: list[Token]) -> list[Token]:
        """Prosser's algorithm, with the pending tokens on a stack."""
        pending, out = list(reversed(tokens)), []
        while pending:
            token = pending.pop()
            macro = self.macros.get(token.text) if token.kind == "name" and token.text not in token.hidden else None
            if macro is None:
                is_line = token.kind == "name" and token.text == "__LINE__"
                out.append(Token("number", str(self.line)) if is_line else token)
                continue
            arguments: list[list[Token]] = []
            if macro.parameters is not None:
                ahead = _call_end(pending, len(pending) - 1, -1)
                if ahead == 0:
                    out.append(token)
                    continue
                inside = list(reversed(pending[len(pending) - ahead :]))
                del pending[len(pending) - ahead :]
                arguments = self.arguments(token.text, macro, inside)
            made = self.substitute(macro, arguments, token.hidden | {token.text})
            self.made += len(made) + 1
            if self.made > _MAX_TOKENS:
                raise PlanError(f"the macro {token.text} expands to more than {_MAX_TOKENS:,} tokens", self.line)
            pending.extend(reversed(made))
        return out

    def arguments(self, name: str, macro: Macro, tokens: list[Token]) -> list[list[Token]]:
        """From `( a , (b, c) )` the list of two."""
        parameters = macro.parameters or ()
        found: list[list[Token]] = [[]]
        depth = 0
        for token in tokens:
            opening, closing = token.text in ("(", "[", "{"), token.text in (")", "]", "}")
            if token.text == "(" and depth == 0 and not found[0]:
                depth = 1
                continue
            depth += opening - closing
            if depth == 0:
                break
            is_rest = macro.is_variadic and len(found) >= len(parameters)
            if token.text == "," and depth == 1 and not is_rest:
                found.append([])
            elif token.kind != "space" or found[-1]:
                found[-1].append(token)
        for argument in found:
            while argument and argument[-1].kind == "space":
                argument.pop()
        if macro.is_variadic and len(found) == len(parameters) - 1:
            found.append([])
        if not parameters and found == [[]]:
            return []
        if len(found) != len(parameters):
            raise PlanError(f"the macro {name} takes {len(parameters)} arguments, not {len(found)}", self.line)
        return found

    def substitute(self, macro: Macro, arguments: list[list[Token]], hidden: frozenset[str]) -> list[Token]:
        given = dict(zip(macro.parameters or (), arguments, strict=True))
        out: list[Token] = []
        body = macro.body
        index = 0
        while index < len(body):
            token = body[index]
            after = _next_solid(body, index + 1)
            is_pasted = after < len(body) and body[after].text == "##"
            if token.text == "#" and macro.parameters is not None and after < len(body) and body[after].text in given:
                written = "".join(t.text for t in given[body[after].text]).replace("\\", "\\\\").replace('"', '\\"')
                out.append(Token("string", f'"{written}"'))
                index = after
            elif token.text == "##" and out:
                index = after
                right = given.get(body[after].text, [body[after]]) if after < len(body) else []
                _paste(out, right)
            elif token.text in given and token.kind == "name":
                argument = given[token.text]
                out.extend(argument if is_pasted else self.expand(list(argument)))
            else:
                out.append(token)
            if self.made + len(out) > _MAX_TOKENS:
                raise PlanError(f"macros expand to more than {_MAX_TOKENS:,} tokens", self.line)
            index += 1
        return [Token(t.kind, t.text, t.hidden | hidden) for t in out]

    def directive(self) -> str:
        """Takes one whole directive; gives back its line ends."""
        start = self.position + 1
        end = start
        while end < len(self.tokens) and self.tokens[end].kind != "newline":
            end += 1
        tokens = [t._replace(text=" ", kind="space") if t.kind == "comment" else t for t in self.tokens[start:end]]
        lines = sum(t.text.count("\n") for t in self.tokens[start:end])
        self.position = end
        solid = [t for t in tokens if t.kind != "space"]
        if solid:
            word = solid[0].text
            rest = tokens[tokens.index(solid[0]) + 1 :]
            if word in ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif"):
                self.conditional(word, rest)
            elif self.is_active:
                self.command(word, rest)
        self.line += lines
        return "\n" * lines

    def command(self, word: str, rest: list[Token]) -> None:
        solid = [t for t in rest if t.kind != "space"]
        if word == "error":
            raise PlanError(f"#error {' '.join(t.text for t in solid)}", self.line)
        if word not in ("define", "undef"):
            return  # include, pragma, line
        if not solid or solid[0].kind != "name":
            raise PlanError(f"#{word} needs a name", self.line)
        name = solid[0].text
        if word == "undef":
            self.macros.pop(name, None)
        else:
            self.macros[name] = self.define(rest[rest.index(solid[0]) + 1 :])

    def define(self, rest: list[Token]) -> Macro:
        if not rest or rest[0].text != "(":
            return Macro(tuple(_trimmed(rest)))
        end = next((i for i, t in enumerate(rest) if t.text == ")"), None)
        if end is None:
            raise PlanError("the macro's list of parameters has no end", self.line)
        inside = "".join(t.text for t in rest[1:end] if t.kind != "space")
        names = inside.split(",") if inside else []
        is_variadic = bool(names) and names[-1].endswith("...")
        if is_variadic:
            names[-1] = names[-1].removesuffix("...") or "__VA_ARGS__"
        return Macro(tuple(_trimmed(rest[end + 1 :])), tuple(names), is_variadic)

    def conditional(self, word: str, rest: list[Token]) -> None:
        if word in ("if", "ifdef", "ifndef"):
            outer = self.is_active
            value = outer and self.decide(word, rest)
            self.groups.append(_Group(self.line, value, value, outer))
            return
        if not self.groups:
            raise PlanError(f"#{word} without #if", self.line)
        group = self.groups[-1]
        if word == "endif":
            self.groups.pop()
        elif group.was_taken or not group.is_outer_active:
            group.is_active = False
        else:
            group.is_active = group.was_taken = word == "else" or self.decide(word.removeprefix("el"), rest)

    def decide(self, word: str, rest: list[Token]) -> bool:
        solid = [t for t in rest if t.kind != "space"]
        if word != "if":
            if not solid:
                raise PlanError(f"#{word} needs a name", self.line)
            return (solid[0].text in self.macros) == (word == "ifdef")
        written = "".join(t.text for t in rest).strip()
        tokens = self.expand(self.with_defined(solid))
        values = {"true": "1"}
        words = (values.get(t.text, "0") if t.kind == "name" else t.text for t in tokens)
        spelled = "".join(f" {word} " if word[0].isalnum() else word for word in words)
        node = reparse(spelled, 1) if spelled else None
        try:
            scope = Scope(Unit(read_program("")), Routine("condition", None))
            value = compile_expression(node, scope).value if node is not None else None
        except PlanError:
            value = None
        if not isinstance(value, int):
            raise PlanError(f"the condition `#if {written}` is not understood", self.line)
        return bool(value)

    def with_defined(self, solid: list[Token]) -> list[Token]:
        out: list[Token] = []
        index = 0
        while index < len(solid):
            token = solid[index]
            if token.text == "defined" and index + 1 < len(solid):
                is_wrapped = solid[index + 1].text == "(" and index + 3 < len(solid)
                name = solid[index + 2] if is_wrapped else solid[index + 1]
                out.append(Token("number", str(int(name.text in self.macros))))
                index += 4 if is_wrapped else 2
            else:
                out.append(token)
                index += 1
        return out


def expand(source: str, defines: Iterable[str] = ()) -> str:
    """The text after preprocessing, as many lines as before.

    Args:
        defines: macros as -D takes them, without parameters: "N=1024", or "FAST", which is 1.

    Raises:
        PlanError: a directive is broken, #error is reached, or macros grow without end.
    """
    given = [text.partition("=") for text in defines]
    if not given and not any(line.lstrip().startswith("#") for line in source.split("\n")):
        return source
    made = _Preprocessor(_tokens(source))
    made.macros |= {name: Macro(tuple(_tokens(value if equals else "1"))) for name, equals, value in given}
    return made.run()


def _tokens(source: str) -> list[Token]:
    return [Token(match.lastgroup or "other", match.group()) for match in _LEXEME.finditer(source)]


def _blank(token: Token) -> str:
    return token.text if token.kind == "newline" else " " + "\n" * token.text.count("\n")


def _call_end(tokens: list[Token], start: int, step: int = 1) -> int:
    """Where the parentheses that begin at `start` end: one past them, or 0 when there are none.

    Backwards (a stack of pending tokens), the number of tokens up to the closing parenthesis instead.
    """
    depth, index = 0, start
    while 0 <= index < len(tokens):
        token = tokens[index]
        if token.text == "(":
            depth += 1
        elif depth == 0 and token.kind not in ("space", "newline", "comment"):
            return 0
        elif token.text == ")":
            depth -= 1
            if depth == 0:
                return index + 1 if step > 0 else start - index + 1
        index += step
    return 0


def _next_solid(tokens: tuple[Token, ...], index: int) -> int:
    while index < len(tokens) and tokens[index].kind == "space":
        index += 1
    return index


def _trimmed(tokens: Iterable[Token]) -> list[Token]:
    found = [t._replace(text=" ") if t.kind == "space" else t for t in tokens]
    while found and found[0].kind == "space":
        found.pop(0)
    while found and found[-1].kind == "space":
        found.pop()
    return found


def _paste(out: list[Token], right: list[Token]) -> None:
    while out and out[-1].kind == "space":
        out.pop()
    if not right:
        return
    left = out.pop() if out else Token("space", "")
    joined = _tokens(left.text + right[0].text)
    out.extend([*joined, *right[1:]])
