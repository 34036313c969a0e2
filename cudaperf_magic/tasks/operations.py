"""How many floating-point operations a C function surely does for given sizes, by type; counted, not run.

Exact where loop bounds follow from the sizes. Of a branch that the data decides, the cheaper arm counts; a loop that
may end early, or whose bounds the data decides, counts as nothing. An algorithm that does the same with fewer
operations may take less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import Literal

from cudaperf_magic.compiler.analysis.accesses import jumps
from cudaperf_magic.compiler.analysis.values import Typing
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Break,
    Call,
    Cast,
    Const,
    Continue,
    Declare,
    Expr,
    Function,
    If,
    Load,
    Loop,
    Name,
    Return,
    Stmt,
    Ternary,
    Unary,
    children,
    expressions,
    loops_of,
    names_in,
    walk,
)
from cudaperf_magic.tasks.expressions import Number, Unknown, value_of

Kind = Literal["float32", "float64"]
Operations = Mapping[str, float]  # by "float32", "float64"

_ARITHMETIC = ("+", "-", "*", "/")
_WIDTH = {"": 0, "constant": 1, "float32": 2, "float64": 3}
_POINTS = 6  # a nest's work is a polynomial of its variable, of a degree below this
_EXPLICIT = 2000  # iterations that are added up one by one where it is not


def operations(function: Function, sizes: Mapping[str, int]) -> Operations:
    """Additions, subtractions, multiplications, divisions and calls on float and double, each as one."""
    names: dict[str, Number] = dict(sizes)
    for name, _, text in function.constants:
        try:
            names[name] = value_of(text, {})
        except (Unknown, ValueError):
            continue
    return dict(_Count(function, dict(names)).body(function.body, names))


class _Count:
    def __init__(self, function: Function, fixed: Mapping[str, Number]) -> None:
        self.typing = Typing.of(function)
        self.fixed = fixed  # names that no loop moves
        self.helpers = {helper.name: helper for helper in function.helpers}

    # -------------------------------------------------------------- statements

    def body(self, statements: tuple[Stmt, ...], names: dict[str, Number]) -> Counter[str]:
        total: Counter[str] = Counter()
        for statement in statements:
            chosen = self.chosen(statement)
            if chosen is not None:
                total += self.body(chosen, names)
                statement = If(Const("1"), chosen)
            else:
                total += self.statement(statement, names)
            if any(True for _ in jumps((statement,), (Break, Continue, Return))):
                break  # what follows may not run
        return total

    def chosen(self, statement: Stmt) -> tuple[Stmt, ...] | None:
        """The arm of a branch that the sizes alone decide."""
        if not isinstance(statement, If):
            return None
        try:
            return statement.then if value_of(statement.condition, self.fixed) else statement.other
        except Unknown:
            return None

    def statement(self, statement: Stmt, names: dict[str, Number]) -> Counter[str]:
        match statement:
            case Loop():
                return self.loop(statement, names)
            case If(condition=condition, then=then, other=other):
                own = self.expression(condition)
                arms = [self.body(arm, dict(names)) for arm in (then, other)]
                return own + Counter({kind: min(arm[kind] for arm in arms) for kind in arms[0]})
            case Declare(name, shape=(), init=init) if init is not None:
                _learn(name, init, names)
                return self.expression(init)
            case Assign(target, op, value):
                own = self.expression(value)
                if isinstance(target, Name):
                    _learn(target.name, None if op else value, names)
                else:
                    own += sum((self.expression(s) for s in target.subscripts), Counter())
                kind = _wider(self.kind(target), self.kind(value))
                return own + Counter({kind: 1}) if op in _ARITHMETIC and kind in ("float32", "float64") else own
            case Declare() | Return():
                return sum((self.expression(e) for e in expressions(statement)), Counter())
            case _:
                return Counter()  # a while's trips are the data's

    def loop(self, loop: Loop, names: dict[str, Number]) -> Counter[str]:
        if any(True for _ in jumps(loop.body, (Break, Return))):
            return Counter()
        try:
            start, stop = value_of(loop.start, names), value_of(loop.stop, names)
        except Unknown:
            return Counter()
        values = range(int(start), int(stop), loop.step)

        def at(value: int) -> Counter[str]:
            return self.body(loop.body, {**names, loop.var: value})

        if values and not _decides(loop.var, loop.body):
            return Counter({kind: len(values) * count for kind, count in at(values[0]).items()})
        if len(values) <= _POINTS:
            return sum((at(value) for value in values), Counter())
        samples = [at(value) for value in values[:_POINTS]]
        kinds = {kind for sample in samples for kind in sample}
        last = at(values[-1])
        if all(_value([s[kind] for s in samples], len(values) - 1) == last[kind] for kind in kinds | last.keys()):
            return Counter({kind: _sum([s[kind] for s in samples], len(values)) for kind in kinds})
        if len(values) <= _EXPLICIT:
            return sum((at(value) for value in values), Counter())
        return Counter()  # not a polynomial, and too long to add up

    # ------------------------------------------------------------- expressions

    def expression(self, expression: Expr) -> Counter[str]:
        if isinstance(expression, Ternary):
            arms = [self.expression(arm) for arm in (expression.then, expression.other)]
            least = Counter({kind: min(arm[kind] for arm in arms) for kind in arms[0]})
            return self.expression(expression.condition) + least
        if isinstance(expression, Binary) and expression.op in ("&&", "||"):
            return self.expression(expression.left)
        total = sum((self.expression(child) for child in children(expression)), Counter[str]())
        kind = self.kind(expression)
        if kind not in ("float32", "float64"):
            return total
        if isinstance(expression, Binary) and expression.op in _ARITHMETIC:
            total[kind] += 1
        elif isinstance(expression, Call):
            helper = self.helpers.get(expression.function)
            total += Counter({kind: 1}) if helper is None else Counter(operations(helper, {}))
        return total

    def kind(self, expression: Expr) -> str:
        """ "float32", "float64", "constant" (a literal, which widens nothing here: a kernel may use a narrower one)."""
        match expression:
            case Const():
                return "constant" if expression.type in ("float", "double") else ""
            case Name(name):
                return _kind(self.typing.types.get(name, ""))
            case Load():
                return _kind(self.typing.type_of_load(expression))
            case Cast(type, _):
                return _kind(type)
            case Unary("-" | "+", operand):
                return self.kind(operand)
            case Binary(op, left, right) if op in _ARITHMETIC:
                return _wider(self.kind(left), self.kind(right))
            case Ternary(_, then, other):
                return _wider(self.kind(then), self.kind(other))
            case Call(function, arguments):
                if function in self.typing.returns:
                    return _kind(self.typing.returns[function])
                widest = ""
                for argument in arguments:
                    widest = _wider(widest, self.kind(argument))
                return widest
            case _:
                return ""


def _kind(c_type: str) -> str:
    return {"float": "float32", "double": "float64"}.get(c_type, "")


def _wider(one: str, other: str) -> str:
    return max(one, other, key=_WIDTH.__getitem__)


def _decides(var: str, body: tuple[Stmt, ...]) -> bool:
    """Whether a loop inside turns more or fewer times for another value of the variable, perhaps through scalars."""
    moved = {var}
    for _ in range(len(body) + 1):
        for statement in walk(body):
            name = statement.name if isinstance(statement, Declare) else ""
            if isinstance(statement, Assign) and isinstance(statement.target, Name):
                name = statement.target.name
            if name and any(moved & names_in(e) for e in expressions(statement)):
                moved.add(name)
    bounds = [e for loop in loops_of(body) for e in (loop.start, loop.stop)]
    return any(moved & names_in(bound) for bound in bounds)


def _learn(name: str, value: Expr | None, names: dict[str, Number]) -> None:
    try:
        if value is None:
            raise Unknown(name)
        names[name] = value_of(value, names)
    except Unknown:
        names.pop(name, None)


def _differences(samples: list[float]) -> list[float]:
    """Newton's forward differences at the first sample."""
    found = []
    while samples:
        found.append(samples[0])
        samples = [b - a for a, b in pairwise(samples)]
    return found


def _value(samples: list[float], at: int) -> float:
    """Of the polynomial through the samples at 0, 1, 2, ..."""
    return _combined(_differences(samples), at, 0)


def _sum(samples: list[float], count: int) -> float:
    """Of its values at 0 to count - 1."""
    return _combined(_differences(samples), count, 1)


def _combined(differences: list[float], n: int, shift: int) -> float:
    total, binomial = 0, 1
    for k in range(shift):
        binomial = binomial * (n - k) // (k + 1)
    for k, difference in enumerate(differences):
        total += int(difference) * binomial
        binomial = binomial * (n - k - shift) // (k + shift + 1)
    return total
