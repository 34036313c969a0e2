"""Which values a C function's inputs may take, read off its IR: subscripts, row pointers, divisors, domains of log.

A key is an argument's name, or `array.field` for one field of an array of structs. Rules look at the places where a
value is used; what no rule speaks of may take any value. It promises no safety: the checked oracle has the last word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cudaperf_magic.compiler.c_printer import print_expression
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Call,
    Cast,
    Const,
    Declare,
    Expr,
    Function,
    If,
    Load,
    Loop,
    Name,
    Stmt,
    Ternary,
    Unary,
    While,
    expressions,
    walk,
    walk_expression,
)
from cudaperf_magic.records import ValueRange

POSITIVE, DIVISOR = ("0.1", "4"), ("0.5", "2")
# Argument domains of <math.h>, chosen well inside where a function is defined and smooth.
DOMAINS: dict[str, tuple[str, str]] = {
    "log": POSITIVE, "log2": POSITIVE, "log10": POSITIVE, "sqrt": POSITIVE, "pow": ("0.1", "2"), "log1p": ("-0.5", "2"),
    "acos": ("-0.9", "0.9"), "asin": ("-0.9", "0.9"), "atanh": ("-0.9", "0.9"), "acosh": ("1.1", "4"),
    "tgamma": ("0.5", "4"), "lgamma": ("0.5", "4"), "y0": POSITIVE, "y1": POSITIVE,
}  # fmt: skip
GREATEST_DIVISOR, GREATEST_DIVIDEND, GREATEST_SHIFT = "20", "1000", "7"

Environment = Mapping[str, "tuple[Expr, Environment] | None"]


@dataclass
class _Found:
    """Ranges by key; the first rule that speaks wins, and rules run from the strictest to the mildest."""

    ranges: dict[str, ValueRange] = field(default_factory=dict)

    def add(self, key: str | None, low: str, high: str | None, why: str, order: str = "any") -> None:
        if key is not None and key not in self.ranges:
            assert order in ("any", "ascending")
            self.ranges[key] = ValueRange(low, high, "ascending" if order == "ascending" else "any", why)


def derived_ranges(function: Function) -> dict[str, ValueRange]:
    """The ranges that the uses of each input ask for. Array parameters must have their shapes."""
    reader = _Reader(function)
    found = _Found()
    sites = list(reader.sites())
    for site in sites:
        reader.row_pointers(site, found)
    for site in sites:
        reader.subscripts(site, found)
    for site in sites:
        reader.domains(site, found)
    return {key: value for key, value in found.ranges.items() if key not in reader.guarded(sites)}


@dataclass(frozen=True)
class _Site:
    """A statement with what its local names stand for."""

    statement: Stmt
    names: Environment


class _Reader:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.helpers = {helper.name: helper for helper in function.helpers}
        self.parameters = {p.name: p for p in function.parameters}
        self.kinds = {p.name: p.type for p in function.parameters}

    # -------------------------------------------------------------- walking

    def sites(self) -> Iterator[_Site]:
        yield from self._inside(self.function, {}, 0)

    def _inside(self, function: Function, arguments: Environment, depth: int) -> Iterator[_Site]:
        names: dict[str, tuple[Expr, Environment] | None] = dict(arguments)
        for statement in walk(function.body):
            for name, value in _definition(statement):
                # A name with two definitions stands for neither.
                names[name] = None if name in names or value is None else (value, names)
        for statement in walk(function.body):
            yield _Site(statement, names)
            for part in _parts(statement):
                if isinstance(part, Call) and part.function in self.helpers and depth < 4:
                    helper = self.helpers[part.function]
                    pairs = zip(helper.parameters, part.arguments, strict=False)
                    yield from self._inside(helper, {p.name: (a, names) for p, a in pairs}, depth + 1)

    def follow(self, expression: Expr, names: Environment) -> tuple[Expr, Environment]:
        """Through casts and local names to where the value comes from."""
        for _ in range(20):
            if isinstance(expression, Cast):
                expression = expression.operand
            elif isinstance(expression, Name) and (origin := names.get(expression.name)) is not None:
                expression, names = origin
            else:
                break
        return expression, names

    def key(self, expression: Expr, names: Environment) -> str | None:
        """The input that an expression is a plain read of, or None."""
        expression, _ = self.follow(expression, names)
        if isinstance(expression, Load) and expression.array in self.parameters:
            return f"{expression.array}.{expression.field}" if expression.field else expression.array
        if isinstance(expression, Name) and expression.name in self.parameters and expression.name not in names:
            return expression.name
        return None

    # -------------------------------------------------------------- rules

    def row_pointers(self, site: _Site, found: _Found) -> None:
        """`for (k = ptr[i]; k < ptr[i + 1]; k++)`: ptr ascends, from 0 to the extent of what k indexes."""
        loop = site.statement
        if not isinstance(loop, Loop):
            return
        start, _ = self.follow(loop.start, site.names)
        stop, _ = self.follow(loop.stop, site.names)
        if not (isinstance(start, Load) or isinstance(stop, Load)):
            return
        extent = next((e for load, d, e in self._loads(loop) if _is_name(load.subscripts[d], loop.var)), None)
        if extent is None:
            return
        both = isinstance(start, Load) and isinstance(stop, Load) and start.array == stop.array
        for end in (start, stop):
            key = self.key(end, site.names) if isinstance(end, Load) else None
            why = f"its elements delimit rows of what {loop.var} indexes on line {loop.line}"
            found.add(key, "0", print_expression(extent), why, "ascending" if both else "any")

    def _loads(self, loop: Loop) -> Iterator[tuple[Load, int, Expr]]:
        for statement in walk(loop.body):
            for part in _parts(statement):
                if isinstance(part, Load) and (shape := self._shape(part)):
                    yield from ((part, d, extent) for d, extent in enumerate(shape))

    def _shape(self, load: Load) -> tuple[Expr, ...]:
        if load.array in self.parameters:
            return self.parameters[load.array].shape or ()
        table = next((t for t in self.function.tables if t.name == load.array), None)
        if table is not None:
            return tuple(Const(str(extent)) for extent in table.shape)
        local = next((s for s in walk(self.function.body) if isinstance(s, Declare) and s.name == load.array), None)
        return local.shape if local else ()

    def subscripts(self, site: _Site, found: _Found) -> None:
        """`x[idx[i]]`: idx lies inside x."""
        line = getattr(site.statement, "line", 0)
        for part in _parts(site.statement):
            if not isinstance(part, Load):
                continue
            for subscript, extent in zip(part.subscripts, self._shape(part), strict=False):
                self._subscript(subscript, site.names, print_expression(extent), f"{part.array} on line {line}", found)

    def _subscript(self, subscript: Expr, names: Environment, extent: str, what: str, found: _Found) -> None:
        why = f"it indexes {what}"
        subscript, names = self.follow(subscript, names)
        key = self.key(subscript, names)
        if key is not None:
            found.add(key, "0", f"({extent}) - 1", why)
            return
        match subscript:
            case Binary("+" | "-", left, Const() as offset) if self.key(left, names):
                sign = "-" if subscript.op == "+" else "+"
                # idx + c inside the extent: idx from -c on.
                low = f"-({offset.text})" if subscript.op == "+" else offset.text
                found.add(self.key(left, names), low, f"({extent}) - 1 {sign} ({offset.text})", why)
            case Binary("+", Binary("*", left, Const() | Name() as width), right):
                scale = print_expression(width)
                found.add(self.key(left, names), "0", f"({extent}) / ({scale}) - 1", why)
                self._subscript(right, names, scale, what, found)
            case Binary("%", left, right):
                found.add(self.key(left, names), "0", GREATEST_DIVIDEND, f"a remainder of it indexes {what}")
                found.add(self.key(right, names), "1", extent, f"a remainder by it indexes {what}")
            case Binary(">>" | "/", left, _):
                found.add(self.key(left, names), "0", GREATEST_DIVIDEND, f"a quotient of it indexes {what}")
            case Binary("+" | "-", left, right):
                for side in (left, right):
                    if self._is_integer(key := self.key(side, names)):
                        found.add(key, "0", f"({extent}) - 1", f"it takes part in a subscript of {what}")
            case _:
                pass

    def domains(self, site: _Site, found: _Found) -> None:
        line = getattr(site.statement, "line", 0)
        parts = list(_parts(site.statement))
        if isinstance(site.statement, Assign) and site.statement.op in ("/", "%", "<<", ">>"):
            parts.append(Binary(site.statement.op, site.statement.target, site.statement.value))
        for part in parts:
            match part:
                case Binary("/" | "%" as op, _, right):
                    word = "divides" if op == "/" else "is a modulus"
                    for factor in _factors(right):
                        self._divisor(self.key(factor, site.names), f"it {word} on line {line}", found)
                case Binary("<<" | ">>", _, right):
                    found.add(self.key(right, site.names), "0", GREATEST_SHIFT, f"it is a shift count on line {line}")
                case Call(function, arguments) if arguments:
                    self._domain(function, arguments[0], site.names, line, found)
                case _:
                    pass

    def _divisor(self, key: str | None, why: str, found: _Found) -> None:
        if key is None:
            return
        if self._is_integer(key):
            found.add(key, "1", GREATEST_DIVISOR, why)
        else:
            found.add(key, *DIVISOR, why)

    def _domain(self, function: str, argument: Expr, names: Environment, line: int, found: _Found) -> None:
        base = function[:-1] if function not in DOMAINS and function.endswith("f") else function
        if base not in DOMAINS:
            return
        keys = [self.key(factor, names) for factor in _factors(self.follow(argument, names)[0])]
        if base in ("log", "log2", "log10", "sqrt") and len(set(keys)) < len(keys):
            return  # a square is in the domain already
        for key in keys:
            if key is not None and not self._is_integer(key):
                found.add(key, *DOMAINS[base], f"{base} is taken of it on line {line}")

    def _is_integer(self, key: str | None) -> bool:
        if key is None:
            return False
        name, _, path = key.partition(".")
        kind = self.kinds[name]
        for part in path.split(".") if path else ():
            struct = next((s for s in self.function.structs if s.name == kind), None)
            kind = dict(struct.fields).get(part, "int") if struct else kind
        return kind not in ("float", "double")

    # -------------------------------------------------------------- guards

    def guarded(self, sites: list[_Site]) -> frozenset[str]:
        """Floating inputs that the function compares with a constant: it minds its domain, so both sides count."""
        found = set()
        for site in sites:
            for condition in _conditions(site.statement):
                for part in walk_expression(condition):
                    if isinstance(part, Binary) and part.op in ("<", "<=", ">", ">=", "==", "!="):
                        for side, other in ((part.left, part.right), (part.right, part.left)):
                            if isinstance(other, (Const, Unary)):
                                found.add(self.key(side, site.names))
        return frozenset(key for key in found if key is not None and not self._is_integer(key))


def _definition(statement: Stmt) -> Iterator[tuple[str, Expr | None]]:
    if isinstance(statement, Declare) and not statement.shape and statement.init is not None:
        yield statement.name, statement.init
    elif isinstance(statement, Assign) and isinstance(statement.target, Name):
        yield statement.target.name, None if statement.op else statement.value
    elif isinstance(statement, Loop):
        yield statement.var, None


def _parts(statement: Stmt) -> Iterator[Expr]:
    for expression in expressions(statement):
        yield from walk_expression(expression)


def _conditions(statement: Stmt) -> Iterator[Expr]:
    if isinstance(statement, (If, While)):
        yield statement.condition
    for part in _parts(statement):
        if isinstance(part, Ternary):
            yield part.condition


def _factors(expression: Expr) -> Iterator[Expr]:
    while isinstance(expression, Cast):
        expression = expression.operand
    if isinstance(expression, Binary) and expression.op == "*":
        yield from _factors(expression.left)
        yield from _factors(expression.right)
    else:
        yield expression


def _is_name(expression: Expr, name: str) -> bool:
    while isinstance(expression, Cast):
        expression = expression.operand
    return isinstance(expression, Name) and expression.name == name
