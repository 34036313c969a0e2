"""Integer expressions, conditions and loop bounds as Presburger formulas in isl's syntax.

What is not affine becomes a fresh variable: unconstrained, or tied to its equals by rules (the same element of an array
that does not change has one value; an ascending array ascends). So a formula may admit too much, never too little.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cudaperf_magic.compiler.analysis.accesses import Frame
from cudaperf_magic.compiler.analysis.affine import (
    COMPARISONS,
    INTEGER_TYPES,
    MAXIMA,
    MINIMA,
    Monomial,
    integer,
    is_wide,
)
from cudaperf_magic.compiler.analysis.values import Typing
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
)

TRUE = "0 = 0"
LARGEST_FACTOR = 1 << 20  # a product with more is a hash: it wraps around
INVERSE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


@dataclass(frozen=True)
class Term:
    """A value that isl sees as a variable: `name = function(arguments)`, of something that does not change."""

    name: str
    function: tuple[object, ...]
    arguments: tuple[str, ...]
    order: str = ""  # "ascending", "permutation", "square", or "scaled" (a product with an unknown positive number)
    factor: Expr | None = None  # of "scaled"


@dataclass
class Scope:
    """What stays the same while a region runs, and what does not."""

    typing: Typing
    unstable: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    orders: Mapping[str, str] = field(default_factory=dict)
    parameters: set[str] = field(default_factory=set)
    definitions: list[str] = field(default_factory=list)  # what parameters equal, where that is an affine sum
    count: int = 0

    def parameter(self, name: str) -> str:
        """The isl parameter of a fixed scalar; of one that is set once, its value is noted beside it."""
        text = "p_" + name.replace(".", "_")
        if text not in self.parameters:
            self.parameters.add(text)
            self.define(name, text)
        return text

    def define(self, name: str, text: str) -> None:
        terms = self.typing.expand(self.typing.settled.get(name, Name(name)))
        atoms = [atom for monomial in terms for atom in monomial]
        if name not in self.typing.settled or not self.typing.is_integer(self.typing.settled[name]):
            return
        if all(len(m) <= 1 for m in terms) and all(isinstance(a, Name) and self.is_given(a.name) for a in atoms):
            values = ["0"]
            for monomial, coefficient in terms.items():
                names = [self.parameter(atom.name) for atom in monomial if isinstance(atom, Name)]
                values.append("*".join([str(coefficient), *names]))
            self.definitions.append(f"{text} = {' + '.join(values)}")

    def is_given(self, name: str) -> bool:
        return name not in self.typing.changed and self.typing.types.get(name) in INTEGER_TYPES

    def fresh(self) -> str:
        self.count += 1
        return f"f{self.count}"


@dataclass
class Instance:
    """One run of one statement. `dims` maps its own loop variables to isl names; other names are parameters.

    `constraints` hold whenever the statement runs. `is_exact` turns False when they admit more than the program does.
    """

    scope: Scope
    dims: dict[str, str]
    constraints: list[str] = field(default_factory=list)
    fresh: list[str] = field(default_factory=list)
    terms: list[Term] = field(default_factory=list)
    seen: dict[tuple[object, tuple[str, ...]], str] = field(default_factory=dict)
    is_exact: bool = True
    unstable: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()

    # --------------------------------------------------------------- frames

    def enter(self, frame: Frame, is_outside: bool = False) -> None:
        """Take in a loop's bounds or a condition. Outside of the region, what changes in the frame is not fixed."""
        kept = self.unstable, self.written
        if is_outside:
            self.unstable, self.written = frame.assigned, frame.written
        if frame.kind == "while":
            self.is_exact = False
        elif frame.kind == "guard" and frame.condition is not None:
            self.constraints.append(self.condition(frame.condition, frame.positive))
        elif frame.loop is not None and frame.start is not None and frame.stop is not None:
            self.bound(frame.loop.var, frame.start, frame.stop, frame.loop.step)
        self.unstable, self.written = kept

    def bound(self, var: str, start_of: Expr, stop_of: Expr, step: int) -> None:
        if step == 1:  # of a maximum to start from, and a minimum to end before, each side is a bound of its own
            here = self.variable(var)
            self.constraints += [f"{self.affine(side)} <= {here}" for side in _sides(start_of, MAXIMA)]
            self.constraints += [f"{here} < {self.affine(side)}" for side in _sides(stop_of, MINIMA)]
            return
        start, stop, here = self.affine(start_of), self.affine(stop_of), self.variable(var)
        if step > 0:
            self.constraints.append(f"{start} <= {here} and {here} < {stop}")
        else:
            self.constraints.append(f"{stop} < {here} and {here} <= {start}")
        if abs(step) != 1:
            trip = self.new()
            self.constraints.append(f"{trip} >= 0 and {here} = {start} + {step}*{trip}")

    def variable(self, name: str) -> str:
        if name in self.dims:
            return self.dims[name]
        return self.scope.parameter(name)

    def new(self) -> str:
        name = self.scope.fresh()
        self.fresh.append(name)
        return name

    # ----------------------------------------------------------- expressions

    def affine(self, expression: Expr) -> str:
        """An isl affine expression that equals this one; fresh variables stand for what is not affine."""
        parts = []
        unsigned = self.scope.typing.is_unsigned(expression)
        for monomial, coefficient in self.scope.typing.expand(self.known(expression)).items():
            if not monomial:
                parts.append(f"{coefficient}")
            elif abs(coefficient) > LARGEST_FACTOR or (unsigned and abs(coefficient) > 1 << 16):
                parts.append(self.opaque())
            else:
                value = self.atom(monomial[0]) if len(monomial) == 1 else self.product(monomial)
                parts.append(value if coefficient == 1 else f"{coefficient}*{value}")
        return "(" + (" + ".join(parts) or "0") + ")"

    def known(self, expression: Expr) -> Expr:
        constants = self.scope.typing.constants

        def change(e: Expr) -> Expr:
            return Const(str(constants[e.name])) if isinstance(e, Name) and e.name in constants else e

        return map_expression(expression, change) if constants else expression

    def opaque(
        self,
        function: tuple[object, ...] | None = None,
        arguments: tuple[str, ...] = (),
        order: str = "",
        factor: Expr | None = None,
    ) -> str:
        """A fresh variable; with a function, one that equals every other of that function and equal arguments."""
        self.is_exact = False
        known = self.seen.get((function, arguments)) if function is not None else None
        if known is not None:
            return known
        name = self.new()
        if function is not None:
            self.seen[(function, arguments)] = name
            self.terms.append(Term(name, function, arguments, order, factor))
        return name

    def is_fixed(self, name: str) -> bool:
        changing = self.scope.unstable | self.unstable
        return name not in changing and self.scope.typing.types.get(name) is not None

    def atom(self, expression: Expr) -> str:
        typing = self.scope.typing
        if not typing.is_integer(expression):
            return self.opaque()
        match expression:
            case Name(name):
                return self.variable(name) if name in self.dims or self.is_fixed(name) else self.opaque()
            case Load(array, subscripts, place):
                arguments = tuple(self.affine(s) for s in subscripts)
                if array in self.scope.written | self.written:
                    return self.opaque()
                return self.opaque(("load", array, place), arguments, order=self.scope.orders.get(array, ""))
            case Cast(type, operand) if typing.is_integer(operand):
                if is_wide(type):
                    return self.affine(operand)
                return self.opaque(("cast", type), (self.affine(operand),))
            case Ternary(condition, then, other):
                value = self.new()
                a, b = self.affine(then), self.affine(other)
                holds, fails = self.condition(condition, True), self.condition(condition, False)
                self.constraints.append(f"(({holds}) and {value} = {a} or ({fails}) and {value} = {b})")
                return value
            case Call(function, arguments) if function in MAXIMA | MINIMA | {"abs", "labs"}:
                return self.extremum(function, arguments)
            case Binary(op, left, right) if op in ("/", "%", ">>", "&"):
                return self.quotient(op, left, right)
            case Binary(op, left, right) if op not in COMPARISONS and op not in ("&&", "||"):
                return self.opaque((op,), (self.affine(left), self.affine(right)))
            case Binary() | Unary("!", _):
                value = self.new()
                holds, fails = self.condition(expression, True), self.condition(expression, False)
                self.constraints.append(f"(({holds}) and {value} = 1 or ({fails}) and {value} = 0)")
                return value
        return self.opaque()

    def product(self, monomial: Monomial) -> str:
        """A product of unknowns: of one varying factor and fixed ones, it is at least a scaling of the first."""
        fixed = [a for a in monomial if isinstance(a, Name) and a.name not in self.dims and self.is_fixed(a.name)]
        varying = [a for a in monomial if a not in fixed]
        if len(varying) == 1:
            factor: Expr = fixed[0]
            for other in fixed[1:]:
                factor = Binary("*", factor, other)
            arguments = (self.affine(varying[0]),)
            return self.opaque(("scaled", *map(repr, fixed)), arguments, order="scaled", factor=factor)
        if len(monomial) == 2 and monomial[0] == monomial[1]:
            side = self.affine(monomial[0])
            value = self.opaque(("square",), (side,), order="square")
            self.constraints.append(f"{value} >= {side} and {value} >= -{side}")
            return value
        return self.opaque(("product", len(monomial)), tuple(self.affine(a) for a in monomial))

    def extremum(self, function: str, arguments: tuple[Expr, ...]) -> str:
        value = self.new()
        first = self.affine(arguments[0])
        if function in ("abs", "labs"):
            self.constraints.append(f"({first} >= 0 and {value} = {first} or {first} < 0 and {value} = -{first})")
            return value
        second, relation = self.affine(arguments[1]), ">=" if function in MAXIMA else "<="
        self.constraints.append(
            f"({value} = {first} and {first} {relation} {second} or {value} = {second} and {second} {relation} {first})"
        )
        return value

    def quotient(self, op: str, left: Expr, right: Expr) -> str:
        """Division truncates in C and floors in isl; shifts and masks of two's complement floor."""
        a, divisor = self.affine(left), integer(self.known(right))
        wraps = f"or {a} < 0" if self.scope.typing.is_unsigned(left) else None
        key = (op, "quotient", repr(right)), (a,)
        if key in self.seen:
            return self.seen[key]
        value = self.seen[key] = self.new()
        if op in (">>", "&"):
            power = None if divisor is None else 1 << divisor if op == ">>" and 0 <= divisor < 31 else divisor + 1
            if power is None or power <= 0 or power & (power - 1):
                return self.masked(op, value, a, self.affine(right), divisor)
            exact = f"{value} = floor({a}/{power})" if op == ">>" else f"{value} = {a} - {power}*floor({a}/{power})"
            self.constraints.append(f"({exact} {wraps or ''})" if op == ">>" else exact)
        elif divisor is not None and divisor > 0:
            up, down = f"floor({a}/{divisor})", f"(-floor((-{a})/{divisor}))"
            if op == "%":
                up, down = f"({a} - {divisor}*{up})", f"({a} - {divisor}*{down})"
            negative = f"-{divisor} < {value} < {divisor}" if op == "%" and wraps else f"{value} = {down}"
            negative = "0 = 0" if op == "/" and wraps else negative
            self.constraints.append(f"({a} >= 0 and {value} = {up} or {a} < 0 and {negative})")
        else:
            b = self.affine(right)
            small = f"0 <= {value} and {value} <= {a} or {b} <= 0 or {a} < 0"
            self.constraints.append(f"({small})")
            if op == "%":
                self.constraints.append(f"({value} < {b} and -{b} < {value} or {b} <= 0)")
            self.terms.append(Term(value, (op, repr(right)), (a, b)))
            self.is_exact = False
        return value

    def masked(self, op: str, value: str, a: str, b: str, mask: int | None) -> str:
        self.is_exact = False
        if op == "&" and mask is not None and mask >= 0:
            self.constraints.append(f"0 <= {value} <= {mask}")
        self.terms.append(Term(value, (op,), (a, b)))
        return value

    # ------------------------------------------------------------ conditions

    def condition(self, expression: Expr, positive: bool) -> str:
        """A formula that holds wherever the condition is (not) met; possibly in more places."""
        match expression:
            case Unary("!", operand):
                return self.condition(operand, not positive)
            case Binary("&&" | "||" as op, left, right):
                word = "and" if (op == "&&") == positive else "or"
                return f"(({self.condition(left, positive)}) {word} ({self.condition(right, positive)}))"
            case Binary(op, left, right) if op in COMPARISONS:
                if not (self.scope.typing.is_integer(left) and self.scope.typing.is_integer(right)):
                    self.is_exact = False
                    return TRUE
                return self.compare(op if positive else INVERSE[op], left, right)
        if self.scope.typing.is_integer(expression):
            return self.compare("!=" if positive else "==", expression, Const("0"))
        self.is_exact = False
        return TRUE

    def compare(self, op: str, left: Expr, right: Expr) -> str:
        a, b = self.affine(left), self.affine(right)
        text = f"({a} < {b} or {a} > {b})" if op == "!=" else f"{a} {'=' if op == '==' else op} {b}"
        typing = self.scope.typing
        if (typing.is_unsigned(left) or typing.is_unsigned(right)) and op not in ("==", "!="):
            return f"({text} or {a} < 0 or {b} < 0)"  # a negative number is a huge one here
        return text


def _sides(bound: Expr, extrema: frozenset[str] | set[str]) -> tuple[Expr, ...]:
    """The sides of a maximum (or minimum), and of those in it; another bound alone."""
    if isinstance(bound, Call) and bound.function in extrema and len(bound.arguments) == 2:
        return tuple(side for argument in bound.arguments for side in _sides(argument, extrema))
    return (bound,)


def rules(terms: Iterable[Term], is_positive: bool) -> list[str]:
    """What must hold between values of one function: equal arguments give equal values, and its order.

    `is_positive`: the unknown factors of scaled values are taken to be greater than zero.
    """
    known = list(dict.fromkeys(terms))
    found: list[str] = []
    for position, first in enumerate(known):
        for second in known[position + 1 :]:
            if first.function == second.function and len(first.arguments) == len(second.arguments):
                found.append(_rule(first, second, is_positive))
    found.extend(_split_rules(known))
    return found[:10]  # each is a disjunction; more of them would cost more than they tell


def _split_rules(terms: list[Term]) -> list[str]:
    """Quotient and remainder by one divisor tell the dividend: both equal, and it is the same."""
    pairs = []
    for quotient in terms:
        for remainder in terms:
            if (quotient.function[0], remainder.function[0]) != ("/", "%") or quotient.arguments != remainder.arguments:
                continue
            if quotient.function[1:] == remainder.function[1:] and len(quotient.arguments) == 2:
                pairs.append((quotient.name, remainder.name, quotient.arguments[0], quotient.function))
    found = []
    for position, (q, r, a, function) in enumerate(pairs):
        for p, s, b, other in pairs[position + 1 :]:
            if function == other:
                found.append(f"({q} < {p} or {q} > {p} or {r} < {s} or {r} > {s} or {a} = {b})")
    return found


def _rule(first: Term, second: Term, is_positive: bool) -> str:
    pairs = list(zip(first.arguments, second.arguments, strict=True))
    v, w = first.name, second.name
    if len(pairs) == 1:
        (a, b) = pairs[0]
        if first.order == "ascending":
            return f"({a} < {b} and {v} <= {w} or {a} = {b} and {v} = {w} or {a} > {b} and {v} >= {w})"
        if first.order == "scaled" and is_positive:
            return f"({a} < {b} and {v} < {w} or {a} = {b} and {v} = {w} or {a} > {b} and {v} > {w})"
        if first.order == "square":  # (a + 1)^2 = a^2 + 2a + 1
            up, down = f"({a} < 0 or {w} >= {v} + 2*{a} + 1)", f"({b} < 0 or {v} >= {w} + 2*{b} + 1)"
            return f"({a} < {b} and {up} or {a} = {b} and {v} = {w} or {a} > {b} and {down})"
        if first.order == "permutation":
            return f"({a} = {b} and {v} = {w} or ({a} < {b} or {a} > {b}) and ({v} < {w} or {v} > {w}))"
    differ = " or ".join(f"{a} < {b} or {a} > {b}" for a, b in pairs)
    equal = f"({differ} or {v} = {w})" if differ else f"{v} = {w}"
    if first.function[0] == "%" and len(pairs) == 2 and first.arguments[1] == second.arguments[1]:
        # Dividends less than one divisor apart have different remainders: a rotation by any amount is one to one.
        (a, b), divisor = pairs[0], first.arguments[1]
        far = f"{a} - {b} >= {divisor} or {b} - {a} >= {divisor} or {a} < 0 or {b} < 0"
        return f"{equal} and ({far} or {a} = {b} or {v} < {w} or {v} > {w})"
    return equal
