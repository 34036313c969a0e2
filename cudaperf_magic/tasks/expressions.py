"""C integer expressions as text ("n*m", "cols-1") -> IR, and IR -> numbers. It knows no arrays and no programs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from cudaperf_magic.compiler.loops import Binary, Call, Cast, Const, Expr, Name, Ternary, Unary, names_in
from cudaperf_magic.errors import UsageError

Number = int | float
_MAXIMA = {"max", "fmax", "fmaxf"}
_MINIMA = {"min", "fmin", "fminf"}


class Unknown(Exception):
    """The expression's value does not follow from the names given."""


@lru_cache(maxsize=4096)
def parse(text: str) -> Expr:
    """One C expression of numbers, names and operators.

    Raises:
        UsageError: it is not one.
    """
    from pycparser import c_ast, c_parser  # type: ignore[import-untyped, unused-ignore]

    try:
        tree = c_parser.CParser().parse(f"int cudaperf_value = ({text});")
        declarations = tree.ext
        if len(declarations) != 1 or not isinstance(declarations[0], c_ast.Decl):
            raise ValueError(text)
        return _expression(declarations[0].init)
    except UsageError:
        raise
    except Exception as error:  # pycparser raises several kinds, plain Exception among them
        raise UsageError(f"{text!r} is not an expression such as n*m, (n+1)*4 or 0.5") from error


def _expression(node: object) -> Expr:
    from pycparser import c_ast

    match node:
        case c_ast.Constant(type=kind, value=value) if kind != "string":
            return Const(value, "double" if kind in ("double", "float", "long double") else "int")
        case c_ast.ID(name=name):
            return Name(name)
        case c_ast.UnaryOp(op=op, expr=inner) if op in ("-", "+", "!", "~"):
            return Unary(op, _expression(inner))
        case c_ast.BinaryOp(op=op, left=left, right=right):
            return Binary(op, _expression(left), _expression(right))
        case c_ast.TernaryOp(cond=condition, iftrue=then, iffalse=other):
            return Ternary(_expression(condition), _expression(then), _expression(other))
        case c_ast.FuncCall(name=c_ast.ID(name=name), args=c_ast.ExprList(exprs=arguments)) if (
            name in _MAXIMA | _MINIMA
        ):
            return Call(name, tuple(_expression(argument) for argument in arguments))
        case _:
            raise UsageError("only numbers, names, operators, min and max can stand in a size or a range")


def value_of(expression: Expr | str, names: Mapping[str, Number]) -> Number:
    """The number, with C's truncating division.

    Raises:
        Unknown: it needs a name, an array or a function that is not known, or divides by zero.
    """
    if isinstance(expression, str):
        expression = parse(expression)
    match expression:
        case Const():
            if expression.value is None:
                raise Unknown(expression.text)
            return expression.value
        case Name(name):
            if name not in names:
                raise Unknown(name)
            return names[name]
        case Unary(op, operand):
            inner = value_of(operand, names)
            return {"-": -inner, "+": inner, "!": int(not inner)}[op] if op != "~" else ~int(inner)
        case Cast(kind, operand):
            inner = value_of(operand, names)
            return inner if kind in ("float", "double") else int(inner)
        case Ternary(condition, then, other):
            return value_of(then if value_of(condition, names) else other, names)
        case Call(function, arguments) if function in _MAXIMA | _MINIMA:
            values = [value_of(argument, names) for argument in arguments]
            return max(values) if function in _MAXIMA else min(values)
        case Binary(op, left, right):
            return _operation(op, value_of(left, names), value_of(right, names))
        case _:
            raise Unknown(type(expression).__name__)


def _operation(op: str, a: Number, b: Number) -> Number:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/" | "%":
            return _division(op, a, b)
        case "<" | "<=" | ">" | ">=" | "==" | "!=":
            return int({"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[op])
        case "&&":
            return int(bool(a) and bool(b))
        case "||":
            return int(bool(a) or bool(b))
        case "<<" | ">>" if not 0 <= b < 64:
            raise Unknown(op)
        case "<<":
            return int(a) << int(b)
        case ">>":
            return int(a) >> int(b)
        case "&":
            return int(a) & int(b)
        case "|":
            return int(a) | int(b)
        case "^":
            return int(a) ^ int(b)
        case _:
            raise Unknown(op)


def _division(op: str, a: Number, b: Number) -> Number:
    if b == 0:
        raise Unknown("division by zero")
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient if op == "/" else a - quotient * b


def unknown_names(expression: Expr, known: frozenset[str]) -> list[str]:
    return sorted(names_in(expression) - known)
