"""IR -> C text as a careful teacher writes it: the few parentheses that are needed, one statement a line.

C and CUDA C++ read the same here. How an element is printed is the caller's choice (`place`), so that the CUDA writer
can flatten `A[i][j]` to `A[(size_t)i * m + j]`. It does not analyse, and it decides nothing about kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Break,
    Call,
    Cast,
    Comment,
    Const,
    Continue,
    Declare,
    Evaluate,
    Expr,
    Function,
    If,
    Load,
    Loop,
    Name,
    Parameter,
    Return,
    Shared,
    Stmt,
    Ternary,
    Unary,
    While,
)

Place = Callable[[Load], str]

INDENT = "    "
COMMA, TERNARY, UNARY, POSTFIX = 0, 2, 13, 14
PRECEDENCE = {
    "||": 3, "&&": 4, "|": 5, "^": 6, "&": 7, "==": 8, "!=": 8, "<": 9, "<=": 9, ">": 9, ">=": 9,
    "<<": 10, ">>": 10, "+": 11, "-": 11, "*": 12, "/": 12, "%": 12,
}  # fmt: skip
# Where C needs no parentheses but a reader (and -Wparentheses) does: an operand with one of these is wrapped.
UNCLEAR = {
    "||": {"&&"},
    "|": {"&", "^", "+", "-", "*", "/", "%", "<<", ">>"},
    "^": {"&", "+", "-", "*", "/", "%", "<<", ">>"},
    "&": {"+", "-", "*", "/", "%", "<<", ">>"},
    "<<": {"+", "-", "*", "/", "%"},
    ">>": {"+", "-", "*", "/", "%"},
    "==": {"==", "!=", "<", "<=", ">", ">="},
    "!=": {"==", "!=", "<", "<=", ">", ">="},
}
INT_MIN_TEXTS = {"-2147483648": "(-2147483647 - 1)", "-9223372036854775808": "(-9223372036854775807 - 1)"}
UNSIGNED = {"unsigned char", "unsigned short", "unsigned int", "unsigned long", "unsigned long long"}


# ---------------------------------------------------------------- expressions


def print_expression(expression: Expr, place: Place | None = None, least: int = COMMA) -> str:
    """The expression as C; wrapped in parentheses when it binds weaker than `least` (a PRECEDENCE level)."""
    text, level = _expression(expression, place)
    return text if level >= least else f"({text})"


def print_load(load: Load, place: Place | None = None) -> str:
    """`A[i][j].x`: the default way to print an element."""
    subscripts = "".join(f"[{print_expression(s, place)}]" for s in load.subscripts)
    return f"{load.array}{subscripts}{'.' + load.field if load.field else ''}"


def _expression(expression: Expr, place: Place | None) -> tuple[str, int]:
    match expression:
        case Const(text):
            return INT_MIN_TEXTS.get(text, text), UNARY if text.startswith("-") else POSTFIX
        case Name(name):
            return name, POSTFIX
        case Load():
            return (place(expression) if place else print_load(expression)), POSTFIX
        case Call(function, arguments):
            inside = ", ".join(print_expression(a, place, TERNARY) for a in arguments)
            return f"{function}({inside})", POSTFIX
        case Cast(type_, operand):
            return f"({type_}){print_expression(operand, place, UNARY)}", UNARY
        case Unary(op, operand):
            inside = print_expression(operand, place, UNARY)
            return op + (f"({inside})" if inside.startswith(op) and op in "+-&" else inside), UNARY
        case Ternary(condition, then, other):
            parts = (condition, TERNARY + 1), (then, TERNARY + 1), (other, TERNARY)
            shown = [print_expression(part, place, least) for part, least in parts]
            return f"{shown[0]} ? {shown[1]} : {shown[2]}", TERNARY
        case Binary("+" | "-" as op, left, right) if (positive := _negated(right)) is not None:
            return _expression(Binary("-" if op == "+" else "+", left, positive), place)
        case Binary(op, left, right):
            level = PRECEDENCE[op]
            after = level if op in ("&&", "||") else level + 1
            return f"{_operand(left, op, level, place)} {op} {_operand(right, op, after, place)}", level
    raise TypeError(f"{expression!r} is not an expression")


def _negated(expression: Expr) -> Const | None:
    """3 for -3: `i - -3` and `i + -3` read better the other way round."""
    match expression:
        case Const(text) if text.startswith("-") and text not in INT_MIN_TEXTS:
            return Const(text[1:], expression.type)
        case Unary("-", Const(text) as positive) if not text.startswith("-"):
            return positive
    return None


def _operand(operand: Expr, op: str, least: int, place: Place | None) -> str:
    if isinstance(operand, Binary) and operand.op in UNCLEAR.get(op, ()):
        return f"({print_expression(operand, place)})"
    return print_expression(operand, place, least)


# ----------------------------------------------------------------- statements


def print_statements(statements: Sequence[Stmt], place: Place | None = None, depth: int = 0) -> str:
    """The statements as lines, each ending in a newline, indented `depth` levels."""
    return "".join(f"{line}\n" for line in statement_lines(statements, place, depth))


def statement_lines(statements: Sequence[Stmt], place: Place | None = None, depth: int = 0) -> Iterator[str]:
    for statement in statements:
        yield from _statement(statement, place, depth)


def _statement(statement: Stmt, place: Place | None, depth: int) -> Iterator[str]:
    pad = INDENT * depth
    for line in getattr(statement, "comment", "").splitlines():
        yield f"{pad}// {line}".rstrip()
    match statement:
        case Comment(text):
            for line in text.splitlines() or [""]:
                yield f"{pad}// {line}".rstrip()
        case Loop():
            if statement.pragma:
                yield f"{pad}#pragma {statement.pragma}"
            yield from _block(pad + print_loop_header(statement, place), statement.body, place, depth)
        case While(condition, body, True):
            yield f"{pad}do {{"
            yield from statement_lines(body, place, depth + 1)
            yield f"{pad}}} while ({print_expression(condition, place)});"
        case While(condition, body):
            yield from _block(f"{pad}while ({print_expression(condition, place)})", body, place, depth)
        case If():
            yield from _if(statement, place, depth, pad)
        case _:
            yield f"{pad}{print_simple(statement, place)};"


def print_simple(statement: Stmt, place: Place | None = None) -> str:
    """A statement without a body, without its semicolon."""
    match statement:
        case Declare(name, type_, shape, init, table):
            extents = "".join(f"[{print_expression(s, place)}]" for s in shape)
            if table:
                return f"{type_} {name}{extents} = {_table(table, shape, place)}"
            start = f" = {print_expression(init, place, TERNARY)}" if init is not None else ""
            return f"{type_} {name}{extents}{start}"
        case Shared(name, type_, ()):
            return f"extern __shared__ {type_} {name}[]"
        case Shared(name, type_, extents_):
            return f"__shared__ {type_} {name}" + "".join(f"[{extent}]" for extent in extents_)
        case Assign(target, op, value):
            where = print_expression(target, place)
            if op in ("+", "-") and value == Const("1"):
                return f"{where}{op}{op}"
            return f"{where} {op}= {print_expression(value, place, TERNARY)}"
        case Break():
            return "break"
        case Continue():
            return "continue"
        case Return(value_):
            return "return" if value_ is None else f"return {print_expression(value_, place)}"
        case Evaluate(value):
            return print_expression(value, place)
    raise TypeError(f"{statement!r} is not a simple statement")


def print_loop_header(loop: Loop, place: Place | None = None) -> str:
    """`for (int i = 0; i < n; i++)`, in the direction and with the bound that a person would write."""
    var, start = loop.var, print_expression(loop.start, place, TERNARY)
    sign = "+" if loop.step > 0 else "-"
    step = f"{var}{sign}{sign}" if abs(loop.step) == 1 else f"{var} {sign}= {abs(loop.step)}"
    if loop.step < 0 and loop.type in UNSIGNED and loop.stop == Const("-1"):
        first = _plus_one(loop.start)  # `i >= 0` always holds for unsigned: count with i-- > 0 instead
        return f"for ({loop.type} {var} = {print_expression(first, place, TERNARY)}; {var}-- > 0;)"
    return f"for ({loop.type} {var} = {start}; {_bound(loop, place)}; {step})"


def _bound(loop: Loop, place: Place | None) -> str:
    strict, loose, outward = ("<", "<=", "+") if loop.step > 0 else (">", ">=", "-")
    if loop.step < 0 and loop.stop == Const("-1"):
        return f"{loop.var} >= 0"
    match loop.stop:
        case Binary(op, inner, Const("1")) if op == outward:
            return f"{loop.var} {loose} {print_expression(inner, place, PRECEDENCE['<'] + 1)}"
    return f"{loop.var} {strict} {print_expression(loop.stop, place, PRECEDENCE['<'] + 1)}"


def _plus_one(expression: Expr) -> Expr:
    match expression:
        case Binary("-", inner, Const("1")):
            return inner
        case Const(_, "int") if isinstance(expression.value, int):
            return Const(str(expression.value + 1))
    return Binary("+", expression, Const("1"))


def _block(header: str, body: Sequence[Stmt], place: Place | None, depth: int) -> Iterator[str]:
    """A header with its body; braces only where a single simple line does not do."""
    if len(body) == 1 and _is_plain(body[0]):
        yield header
        yield from statement_lines(body, place, depth + 1)
        return
    yield header + " {"
    yield from statement_lines(body, place, depth + 1)
    yield f"{INDENT * depth}}}"


def _is_plain(statement: Stmt) -> bool:
    is_simple = isinstance(statement, (Assign, Break, Continue, Return, Evaluate))
    return is_simple and not getattr(statement, "comment", "")


def _if(statement: If, place: Place | None, depth: int, pad: str) -> Iterator[str]:
    """An if with its else-if chain; one branch in braces puts all in braces."""
    branches: list[tuple[str, Sequence[Stmt]]] = []
    link: If | None = statement
    while link is not None:
        keyword = "else if" if branches else "if"
        branches.append((f"{keyword} ({print_expression(link.condition, place)})", link.then))
        rest = link.other
        is_chain = len(rest) == 1 and isinstance(rest[0], If) and not rest[0].comment
        link = rest[0] if is_chain and isinstance(rest[0], If) else None
        if link is None and rest:
            branches.append(("else", rest))
    if all(len(body) == 1 and _is_plain(body[0]) for _, body in branches):
        for header, body in branches:
            yield pad + header
            yield from statement_lines(body, place, depth + 1)
        return
    opener = pad
    for header, body in branches:
        yield f"{opener}{header} {{"
        yield from statement_lines(body, place, depth + 1)
        opener = f"{pad}}} "
    yield f"{pad}}}"


def _table(elements: Sequence[Expr], shape: Sequence[Expr], place: Place | None) -> str:
    """`{{1, 2}, {3, 4}}` from elements in row-major order."""
    inner = 1
    for extent in shape[1:]:
        value = extent.value if isinstance(extent, Const) else None
        inner = inner * value if isinstance(value, int) else 1
    if len(shape) < 2 or inner <= 0 or len(elements) % inner:
        return "{" + ", ".join(print_expression(e, place, TERNARY) for e in elements) + "}"
    rows = (elements[at : at + inner] for at in range(0, len(elements), inner))
    return "{" + ", ".join(_table(row, shape[1:], place) for row in rows) + "}"


# ------------------------------------------------------------------ functions


def print_parameter(parameter: Parameter, place: Place | None = None) -> str:
    """`const float A[n][m]`, `float *restrict x`, `int n`."""
    const = "const " if parameter.is_const and parameter.is_array else ""
    if parameter.shape is None:
        return f"{const}{parameter.type} *{'restrict ' if parameter.is_restrict else ''}{parameter.name}"
    extents = [print_expression(s, place) for s in parameter.shape]
    if extents and parameter.is_restrict:
        extents[0] = f"restrict {extents[0]}"
    return f"{const}{parameter.type} {parameter.name}" + "".join(f"[{extent}]" for extent in extents)


def print_function(function: Function) -> str:
    """A whole C file: what the function needs, then the function. Globals stay globals."""
    lines = ["#include <math.h>", "#include <stdbool.h>", "#include <stddef.h>", "#include <stdlib.h>", ""]
    lines += [f"#define {name} {text}" for name, _, text in function.constants]
    for struct in function.structs:
        fields = " ".join(f"{kind} {name};" for name, kind in struct.fields)
        lines.append(f"typedef struct {{ {fields} }} {struct.name};")
    for table in function.tables:
        shape = [Const(str(extent)) for extent in table.shape]
        extents = "".join(f"[{extent}]" for extent in table.shape)
        lines.append(f"static const {table.type} {table.name}{extents} = {_table(table.elements, shape, None)};")
    for parameter in function.parameters:
        if parameter.is_global:
            init = f" = {print_expression(parameter.init)}" if parameter.init is not None else ""
            if init and parameter.is_array:
                init = f" = {{{init[3:]}}}"
            lines.append(f"{print_parameter(parameter)}{init};")
    for helper in function.helpers:
        lines += ["", "static " + _definition(helper)]
    return "\n".join([*lines, "", _definition(function)])


def _definition(function: Function) -> str:
    own = [print_parameter(p) for p in function.parameters if not p.is_global]
    header = f"{function.return_type} {function.name}({', '.join(own) or 'void'}) {{\n"
    return f"{header}{print_statements(function.body, depth=1)}}}\n"
