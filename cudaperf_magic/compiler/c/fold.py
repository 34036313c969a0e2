"""Integer arithmetic on IR expressions, exact in C's sense: constants folded, `x + 0` and `x - 1 + 1` tidied.

It holds for integers only; floating expressions are never touched. It proves nothing about values.
"""

from __future__ import annotations

from collections.abc import Mapping

from cudaperf_magic.compiler.loops import Binary, Cast, Const, Expr, Name, Ternary, Unary, map_expression

ZERO, ONE = Const("0"), Const("1")
SMALL = 1 << 31  # plain int constants are folded only while the result is an int too


def integer(expression: Expr) -> int | None:
    """The value of a plain `int` literal."""
    if isinstance(expression, Const) and expression.type == "int" and isinstance(expression.value, int):
        return expression.value
    return None


def plus(left: Expr, right: Expr) -> Expr:
    """left + right, tidied where both are plain int constants or one undoes the other."""
    a, b = integer(left), integer(right)
    if a is not None and b is not None and abs(a + b) < SMALL:
        return Const(str(a + b))
    if b == 0:
        return left
    if a == 0:
        return right
    if b is not None and b < 0:
        return minus(left, Const(str(-b)))
    if b is not None and isinstance(left, Binary) and left.op in "+-":
        inner = integer(left.right)
        if inner is not None:
            return plus(left.left, Const(str(b + (inner if left.op == "+" else -inner))))
    return Binary("+", left, right)


def minus(left: Expr, right: Expr) -> Expr:
    a, b = integer(left), integer(right)
    if a is not None and b is not None and abs(a - b) < SMALL:
        return Const(str(a - b))
    if b == 0:
        return left
    if left == right:
        return ZERO
    if b is not None and b < 0:
        return plus(left, Const(str(-b)))
    if b is not None and isinstance(left, Binary) and left.op in "+-":
        inner = integer(left.right)
        if inner is not None:
            return plus(left.left, Const(str((inner if left.op == "+" else -inner) - b)))
    if isinstance(left, Binary) and left.op == "+" and left.left == right:
        return left.right
    return Binary("-", left, right)


def times(left: Expr, right: Expr) -> Expr:
    a, b = integer(left), integer(right)
    if a is not None and b is not None and abs(a * b) < SMALL:
        return Const(str(a * b))
    if a == 0 or b == 0:
        return ZERO
    if a == 1:
        return right
    if b == 1:
        return left
    if b == -1:
        return Unary("-", left)
    return Binary("*", left, right)


def as_bool(expression: Expr) -> Expr:
    """A condition as a value of type bool: a comparison already is one."""
    tests = ("<", "<=", ">", ">=", "==", "!=", "&&", "||")
    is_test = (isinstance(expression, Binary) and expression.op in tests) or (
        isinstance(expression, Unary) and expression.op == "!"
    )
    return expression if is_test else Binary("!=", expression, ZERO)


def evaluate(expression: Expr, constants: Mapping[str, Expr]) -> int | float | None:
    """The value of a constant expression, as C computes it (division truncates), or None."""
    match expression:
        case Const(text):
            if text.startswith("'"):
                return ord(text[1:-1].encode().decode("unicode_escape"))
            if text in ("true", "false"):
                return int(text == "true")
            return expression.value
        case Name(name):
            return evaluate(constants[name], {}) if name in constants else None
        case Unary(op, operand):
            return _unary(op, evaluate(operand, constants))
        case Cast(kind, operand):
            value = evaluate(operand, constants)
            return value if value is None else (float(value) if kind in ("float", "double") else int(value))
        case Ternary(condition, then, other):
            test = evaluate(condition, constants)
            return None if test is None else evaluate(then if test else other, constants)
        case Binary(op, left, right):
            a, b = evaluate(left, constants), evaluate(right, constants)
            return None if a is None or b is None else _binary(op, a, b)
    return None


def _unary(op: str, value: int | float | None) -> int | float | None:
    if value is None:
        return None
    if op == "~":
        return ~int(value)
    return {"-": -value, "+": value, "!": int(not value)}.get(op)


def _binary(op: str, a: int | float, b: int | float) -> int | float | None:
    whole = isinstance(a, int) and isinstance(b, int)
    try:
        match op:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return a * b
            case "/":
                return _truncated(int(a), int(b)) if whole else a / b
            case "%":
                return int(a) - int(b) * _truncated(int(a), int(b))
            case "<<" if 0 <= b < 64:
                return int(a) << int(b)
            case ">>" if 0 <= b < 64:
                return int(a) >> int(b)
            case "&":
                return int(a) & int(b)
            case "|":
                return int(a) | int(b)
            case "^":
                return int(a) ^ int(b)
            case "&&":
                return int(bool(a) and bool(b))
            case "||":
                return int(bool(a) or bool(b))
        tests = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}
        return int(tests[op]) if op in tests else None
    except (ZeroDivisionError, OverflowError):
        return None


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def assume(expression: Expr, fact: Expr) -> Expr:
    """The expression where `fact` is known to hold: `fact ? a : b` is a."""
    return map_expression(expression, lambda e: e.then if isinstance(e, Ternary) and e.condition == fact else e)
