"""Which value an integer scalar holds where it is read: forward substitution, and the types of expressions.

An `Environment` follows straight-line code, branches and loops for the analyses; it never rewrites the program.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from cudaperf_magic.compiler.analysis.affine import (
    INTEGER_TYPES,
    MAXIMA,
    MINIMA,
    Polynomial,
    is_wide,
    polynomial,
    rejoin_division,
)
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Call,
    Cast,
    Const,
    Declare,
    Expr,
    Function,
    Load,
    Loop,
    Name,
    Stmt,
    Symbols,
    Ternary,
    Unary,
    map_expression,
    walk,
    walk_expression,
)

LARGEST_VALUE = 60  # nodes; past this a substituted value costs more than it tells
ORDERINGS = frozenset({"<", "<=", ">", ">=", "==", "!=", "&&", "||"})


def assigned_names(statements: Iterable[Stmt]) -> frozenset[str]:
    """Scalars that the statements may set, loop variables included."""
    names: set[str] = set()
    for statement in walk(tuple(statements)):
        if isinstance(statement, Assign) and isinstance(statement.target, Name):
            names.add(statement.target.name)
        elif isinstance(statement, Declare) and not statement.shape:
            names.add(statement.name)
        elif isinstance(statement, Loop):
            names.add(statement.var)
    return frozenset(names)


def written_arrays(statements: Iterable[Stmt]) -> frozenset[str]:
    """Arrays that the statements may write or declare anew."""
    names: set[str] = set()
    for statement in walk(tuple(statements)):
        if isinstance(statement, Assign) and isinstance(statement.target, Load):
            names.add(statement.target.array)
        elif isinstance(statement, Declare) and statement.shape:
            names.add(statement.name)
    return frozenset(names)


def settled_values(statements: tuple[Stmt, ...]) -> dict[str, Expr]:
    """Locals that are set once in all the statements, at their top level, with what they are set to."""
    sets: dict[str, int] = {}
    declared: set[str] = set()
    for statement in walk(statements):
        if isinstance(statement, Declare) and not statement.shape:
            declared.add(statement.name)
            sets[statement.name] = sets.get(statement.name, 0) + (statement.init is not None)
        elif isinstance(statement, Assign) and isinstance(statement.target, Name):
            sets[statement.target.name] = sets.get(statement.target.name, 0) + 1
        elif isinstance(statement, Loop):
            sets[statement.var] = sets.get(statement.var, 0) + 2
    values: dict[str, Expr] = {}
    for statement in statements:
        if isinstance(statement, Declare) and statement.init is not None:
            values[statement.name] = statement.init
        elif isinstance(statement, Assign) and isinstance(statement.target, Name) and not statement.op:
            values[statement.target.name] = statement.value
    return {name: value for name, value in values.items() if name in declared and sets[name] == 1}


@dataclass(frozen=True)
class Typing:
    """Types of scalars, array elements, struct fields and helpers, as far as analyses need them.

    `settled`: local scalars set exactly once, before any loop, with their values: fixed for the rest, like a parameter.
    `changed`: scalars that are set at all, those apart.
    """

    types: dict[str, str]
    shapes: dict[str, tuple[Expr, ...] | None]
    fields: dict[tuple[str, str], str] = field(default_factory=dict)
    returns: dict[str, str] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    settled: dict[str, Expr] = field(default_factory=dict)
    changed: frozenset[str] = frozenset()

    @classmethod
    def of(cls, function: Function) -> Typing:
        symbols = Symbols.of(function)
        fields = {(s.name, name): type for s in function.structs for name, type in s.fields}
        constants = {}
        for name, _, text in function.constants:
            value = Const(text).value
            if isinstance(value, int):
                constants[name] = value
        returns = {helper.name: helper.return_type for helper in function.helpers}
        return cls(symbols.types, symbols.shapes, fields, returns, constants)

    def expand(self, expression: Expr) -> Polynomial:
        """The polynomial of an integer expression; casts of floats stay atoms."""
        return rejoin_division(polynomial(expression, self.is_integer))

    def settling(self, statements: tuple[Stmt, ...]) -> Typing:
        """The same, with the scalars that these statements settle."""
        settled = settled_values(statements)
        return replace(self, settled=settled, changed=assigned_names(statements) - settled.keys())

    def changing(self, statements: Iterable[Stmt]) -> frozenset[str]:
        """Scalars that do not keep one value while the statements run."""
        return assigned_names(statements) - self.settled.keys()

    def type_of_load(self, load: Load) -> str:
        type = self.types.get(load.array, "")
        for step in load.field.split(".") if load.field else ():
            type = self.fields.get((type, step), "")
        return type

    def is_integer(self, expression: Expr) -> bool:
        """Whether the expression surely has an integer type."""
        match expression:
            case Const():
                return expression.type in INTEGER_TYPES
            case Name(name):
                return self.types.get(name) in INTEGER_TYPES
            case Load():
                return self.type_of_load(expression) in INTEGER_TYPES
            case Cast(type, _):
                return type in INTEGER_TYPES
            case Unary("!", _):
                return True
            case Unary(_, operand):
                return self.is_integer(operand)
            case Binary(op, left, right):
                return op in ORDERINGS or (self.is_integer(left) and self.is_integer(right))
            case Ternary(_, then, other):
                return self.is_integer(then) and self.is_integer(other)
            case Call(function, arguments):
                if function in MAXIMA | MINIMA | {"abs", "labs"}:
                    return all(self.is_integer(a) for a in arguments)
                return self.returns.get(function, "") in INTEGER_TYPES
        return False

    def is_unsigned(self, expression: Expr) -> bool:
        """Whether C's conversions make the arithmetic of this integer expression wrap around."""

        def names_unsigned(type: str) -> bool:
            return type.startswith("unsigned") and is_wide(type)

        match expression:
            case Const(text, type):
                return names_unsigned(type) or "u" in text.lower().removeprefix("0x")
            case Name(name):
                return names_unsigned(self.types.get(name, ""))
            case Load():
                return names_unsigned(self.type_of_load(expression))
            case Cast(type, _):
                return names_unsigned(type)
            case Unary("-" | "+" | "~", operand):
                return self.is_unsigned(operand)
            case Binary("<<" | ">>", left, _):
                return self.is_unsigned(left)
            case Binary(op, left, right):
                return op not in ORDERINGS and (self.is_unsigned(left) or self.is_unsigned(right))
            case Ternary(_, then, other):
                return self.is_unsigned(then) or self.is_unsigned(other)
        return False


class Environment:
    """Integer scalars whose value is known as an expression over what has not changed since."""

    def __init__(self, typing: Typing, values: dict[str, Expr] | None = None) -> None:
        self.typing = typing
        self.values = dict(values or {})

    def copy(self) -> Environment:
        return Environment(self.typing, self.values)

    def resolve(self, expression: Expr) -> Expr:
        """The expression with every known scalar replaced by its value."""

        def known(e: Expr) -> Expr:
            return self.values.get(e.name, e) if isinstance(e, Name) else e

        return map_expression(expression, known) if self.values else expression

    def forget(self, names: Iterable[str], arrays: Iterable[str] = ()) -> None:
        """The named scalars and arrays may have changed: drop every value that rests on them."""
        changed, written = frozenset(names), frozenset(arrays)
        kept = {}
        for name, value in self.values.items():
            if name not in changed and not _mentions(value, changed, written):
                kept[name] = value
        self.values = kept

    def assign(self, name: str, op: str, value: Expr) -> None:
        """`name op= value`, just executed."""
        new = self.resolve(value if not op else Binary(op, Name(name), value))
        self.forget((name,))
        type = self.typing.types.get(name, "")
        if type not in INTEGER_TYPES or not self.typing.is_integer(new) or _mentions(new, frozenset((name,))):
            return
        if sum(1 for _ in walk_expression(new)) > LARGEST_VALUE:
            return
        if name in self.typing.settled:
            return  # the symbol stays; formulas add what it equals
        exact = is_wide(type) and not type.startswith("unsigned")
        self.values[name] = new if exact or isinstance(new, Const) else Cast(type, new)

    def join(self, condition: Expr, then: Environment, other: Environment, changed: tuple[Stmt, ...]) -> None:
        """Take the values after an if: equal ones stay, two known ones become a conditional expression.

        `condition` is resolved, as it was before the branches ran; `changed` are the statements of both.
        """
        names, arrays = assigned_names(changed), written_arrays(changed)
        stable = not _mentions(condition, names, arrays) and self.typing.is_integer(condition)
        joined = {}
        for name in then.values.keys() & other.values.keys():
            a, b = then.values[name], other.values[name]
            if a == b:
                joined[name] = a
            elif stable and not (_mentions(a, names, arrays) or _mentions(b, names, arrays)):
                joined[name] = Ternary(condition, a, b)
        self.values = joined


def _mentions(expression: Expr, names: frozenset[str], arrays: frozenset[str] = frozenset()) -> bool:
    for e in walk_expression(expression):
        if (isinstance(e, Name) and e.name in names) or (isinstance(e, Load) and e.array in arrays):
            return True
    return False
