"""Integer expressions as polynomials: simplify them, split them by loop variable, print nothing.

A polynomial maps a product of atoms (a sorted tuple of names, loads, quotients...) to its integer coefficient.
Arithmetic is that of unbounded integers: C's promise that signed sums do not overflow is taken at its word.
It knows no loops, no domains and no types; formulas.py and subscripts.py do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from cudaperf_magic.compiler.loops import (
    Binary,
    Call,
    Cast,
    Const,
    Expr,
    Load,
    Name,
    Ternary,
    Unary,
    map_expression,
    names_in,
    walk_expression,
)

Monomial = tuple[Expr, ...]
Polynomial = dict[Monomial, int]

INTEGER_TYPES = frozenset(
    {
        "bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int",
        "long", "unsigned long", "long long", "unsigned long long",
    }
)  # fmt: skip
NARROW_TYPES = frozenset({"bool", "char", "signed char", "unsigned char", "short", "unsigned short"})
COMPARISONS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
MAXIMA = frozenset({"max", "fmax", "fmaxf", "fmaxl"})
MINIMA = frozenset({"min", "fmin", "fminf", "fminl"})


@dataclass(frozen=True)
class Linear:
    """`sum(coefficients[v] * v) + rest`; the coefficients and the rest do not mention the variables."""

    coefficients: dict[str, Expr]
    rest: Expr

    def constant_coefficient(self, var: str) -> int | None:
        """The coefficient when it is a number (0 when the variable does not occur), else None."""
        return integer(self.coefficients.get(var, Const("0")))


def integer(expression: Expr) -> int | None:
    """The value of an integer literal, or of a negated one."""
    if isinstance(expression, Unary) and expression.op == "-":
        inner = integer(expression.operand)
        return None if inner is None else -inner
    if isinstance(expression, Const) and expression.type in INTEGER_TYPES:
        value = {"true": 1, "false": 0}.get(expression.text, expression.value)
        return value if isinstance(value, int) else None
    return None


def constant(value: int) -> Expr:
    """A literal of that value; negative ones are a minus before a literal, as C has it."""
    return Const(str(value)) if value >= 0 else Unary("-", Const(str(-value)))


# ------------------------------------------------------------------ polynomials


def never(_: Expr) -> bool:
    return False


def polynomial(expression: Expr, is_integer: Callable[[Expr], bool] = never) -> Polynomial:
    """The expression as a polynomial over its atoms.

    Casts to a wide integer type are looked through where `is_integer` vouches for their operand; any other cast stays
    an atom, because its operand may be a float.
    """

    def of(expression: Expr) -> Polynomial:
        value = integer(expression)
        if value is not None:
            return {(): value} if value else {}
        match expression:
            case Unary("-", operand):
                return {m: -c for m, c in of(operand).items()}
            case Unary("+", operand):
                return of(operand)
            case Binary("+", left, right):
                return add(of(left), of(right))
            case Binary("-", left, right):
                return add(of(left), of(right), -1)
            case Binary("*", left, right):
                return multiply(of(left), of(right))
            case Binary("<<", left, right) if (shift := integer(right)) is not None and 0 <= shift < 31:
                return multiply(of(left), {(): 1 << shift})
            case Cast(type, operand) if is_wide(type) and is_integer(operand):
                return of(operand)
        return {(expression,): 1}

    return of(expression)


def is_wide(type: str) -> bool:
    """An integer type that keeps every int."""
    return type in INTEGER_TYPES and type not in NARROW_TYPES


def add(left: Polynomial, right: Polynomial, sign: int = 1) -> Polynomial:
    total = dict(left)
    for monomial, coefficient in right.items():
        total[monomial] = total.get(monomial, 0) + sign * coefficient
    return {m: c for m, c in total.items() if c}


def multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for m, c in left.items():
        for n, d in right.items():
            product = tuple(sorted((*m, *n), key=repr))
            total[product] = total.get(product, 0) + c * d
    return {m: c for m, c in total.items() if c}


def expression_of(terms: Polynomial) -> Expr:
    """Back to an expression: symbols in their order of appearance, a positive one first, the number last."""
    ordered = [(m, c) for m, c in terms.items() if m] + [(m, c) for m, c in terms.items() if not m]
    positive = next((k for k, (_, c) in enumerate(ordered) if c > 0), None)
    if positive:
        ordered.insert(0, ordered.pop(positive))
    total: Expr | None = None
    for monomial, coefficient in ordered:
        if total is None:
            total = _product(monomial, coefficient)
        elif coefficient < 0:
            total = Binary("-", total, _product(monomial, -coefficient))
        else:
            total = Binary("+", total, _product(monomial, coefficient))
    return Const("0") if total is None else total


def _product(monomial: Monomial, coefficient: int) -> Expr:
    if not monomial:
        return constant(coefficient)
    product = monomial[0]
    for factor in monomial[1:]:
        product = Binary("*", product, factor)
    if coefficient == -1:
        return Unary("-", product)
    return product if coefficient == 1 else Binary("*", product, constant(coefficient))


# --------------------------------------------------------------------- simplify


def simplify(expression: Expr) -> Expr:
    """An equal integer expression with constants folded and like terms collected: `i*4 + 0 + i*4` is `i*8`.

    For subscripts, bounds and guards; a float literal is left where it stands (float sums do not reassociate).
    """
    return map_expression(expression, _simplify_node)


def _simplify_node(expression: Expr) -> Expr:
    match expression:
        case Unary("-" | "+") | Binary("+" | "-" | "*" | "<<") if not _has_float(expression):
            terms = polynomial(expression)
            rebuilt = expression_of(rejoin_division(terms))
            # Keep the person's own order unless collecting made it smaller.
            return rebuilt if _size(rebuilt) < _size(expression) else expression
        case Binary("/" | "%", left, right):
            return _simplify_division(expression.op, left, right)
        case Binary(op, left, right) if op in COMPARISONS:
            a, b = integer(left), integer(right)
            return expression if a is None or b is None else constant(int(COMPARISONS[op](a, b)))
        case Binary("&&" | "||", left, right):
            return _simplify_logic(expression, left, right)
        case Unary("!", operand) if (value := integer(operand)) is not None:
            return constant(int(not value))
        case Ternary(condition, then, other):
            if then == other:
                return then
            value = integer(condition)
            return expression if value is None else then if value else other
    return expression


def _has_float(expression: Expr) -> bool:
    return any(isinstance(e, Const) and e.type not in INTEGER_TYPES for e in walk_expression(expression))


def _size(expression: Expr) -> int:
    return sum(1 for _ in walk_expression(expression))


def _simplify_logic(expression: Binary, left: Expr, right: Expr) -> Expr:
    absorbing = expression.op == "||"  # true || x is true, false && x is false
    for side, opposite in ((left, right), (right, left)):
        value = integer(side)
        if value is None:
            continue
        if bool(value) == absorbing:
            return constant(int(absorbing))
        if isinstance(opposite, Binary) and opposite.op in COMPARISONS:
            return opposite
    return expression


def _simplify_division(op: str, left: Expr, right: Expr) -> Expr:
    divisor = integer(right)
    if not divisor or _has_float(left):
        return Binary(op, left, right)
    value = integer(left)
    if value is not None:
        quotient = abs(value) // abs(divisor) * (1 if (value < 0) == (divisor < 0) else -1)
        return constant(quotient if op == "/" else value - quotient * divisor)
    terms = polynomial(left)
    if divisor > 0 and all(c % divisor == 0 for c in terms.values()):
        return constant(0) if op == "%" else expression_of({m: c // divisor for m, c in terms.items()})
    return Binary(op, left, right)


def rejoin_division(terms: Polynomial) -> Polynomial:
    """`(t / m) * m + t % m` is `t`, in C's arithmetic too."""
    for monomial, coefficient in list(terms.items()):
        if len(monomial) != 1 or not isinstance(monomial[0], Binary) or monomial[0].op != "%":
            continue
        remainder = monomial[0]
        divisor = integer(remainder.right)
        quotient = Binary("/", remainder.left, remainder.right)
        if divisor is not None:
            partner: Monomial = (quotient,)
            scaled = coefficient * divisor
        else:
            partner = tuple(sorted((quotient, remainder.right), key=repr))
            scaled = coefficient
        if terms.get(partner) == scaled:
            rest = {m: c for m, c in terms.items() if m not in (monomial, partner)}
            whole = {m: c * coefficient for m, c in polynomial(remainder.left).items()}
            return rejoin_division(add(rest, whole))
    return terms


# ----------------------------------------------------------------------- linear


def linear(expression: Expr, variables: Iterable[str]) -> Linear | None:
    """The expression as a sum of variable times coefficient, plus a rest; None when it is not of that form."""
    wanted = frozenset(variables)
    parts: dict[str, Polynomial] = {}
    rest: Polynomial = {}
    terms = rejoin_division(polynomial(expression, lambda e: bool(names_in(e) & wanted)))
    for monomial, coefficient in terms.items():
        inside = [atom for atom in monomial if names_in(atom) & wanted]
        if not inside:
            rest[monomial] = coefficient
        elif len(inside) == 1 and isinstance(inside[0], Name):
            others = list(monomial)
            others.remove(inside[0])
            parts.setdefault(inside[0].name, {})[tuple(others)] = coefficient
        else:
            return None
    return Linear({name: expression_of(terms) for name, terms in parts.items()}, expression_of(rest))


def expand(expression: Expr) -> Polynomial:
    """The polynomial of an expression whose every name is an integer: casts are looked through."""
    return rejoin_division(polynomial(expression, lambda _: True))


def same(left: Expr, right: Expr) -> bool:
    """Whether two integer expressions are the same polynomial."""
    return left == right or not add(expand(left), expand(right), -1)


def is_extremum(expression: Expr) -> bool:
    """A call of max, min or one of <math.h>'s."""
    return isinstance(expression, Call) and expression.function in MAXIMA | MINIMA and len(expression.arguments) == 2


def loads_in(expression: Expr) -> tuple[Load, ...]:
    return tuple(e for e in walk_expression(expression) if isinstance(e, Load))
