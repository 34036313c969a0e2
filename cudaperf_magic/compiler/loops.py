"""The loop-nest IR: the structured part of C (and, later, of a torch graph) as frozen trees; equality is structural.

It holds programs. It does not analyse (dependence.py), transform (moves) or print them (cuda_writer.py).

Invariants that every reader establishes and every move keeps:
- A name means one thing in a whole function: readers rename what shadows (two sibling loops may share `i` of one type).
- A counted loop's variable is not assigned in its body and not read after the loop.
- `Loop.label` is unique in its function. It is what schedules and analyses call the loop by.
- Helpers that take arrays were inlined; a `Call` is a pure function of scalars (a helper or one of <math.h>).
- Types are canonical C spellings: "float", "double", "bool", "char", "signed char", "unsigned char", "short",
  "unsigned short", "int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long", or a
  struct's name.
- Lines are 1-based lines of the person's own cell; 0 when the statement has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

# ---------------------------------------------------------------- expressions


@dataclass(frozen=True)
class Const:
    """A literal. `text` is valid C ("0.5f", "1e-3", "255u", "'a'", "true")."""

    text: str
    type: str = "int"

    @property
    def value(self) -> int | float | None:
        """The number, or None when the text is not a plain number (a character)."""
        try:
            return int(self.text.rstrip("uUlL"), 0)
        except ValueError:
            pass
        try:
            return float(self.text.rstrip("fFlL"))
        except ValueError:
            return None


@dataclass(frozen=True)
class Name:
    """A scalar variable, or a built-in such as `threadIdx.x` once a kernel is written."""

    name: str


@dataclass(frozen=True)
class Load:
    """`array[s0][s1]...field`: an element read, or a place to write. `field` is "" or a path such as "x" or "pos.x"."""

    array: str
    subscripts: tuple[Expr, ...]
    field: str = ""


@dataclass(frozen=True)
class Unary:
    op: str  # - + ! ~
    operand: Expr


@dataclass(frozen=True)
class Binary:
    op: str  # + - * / % << >> < <= > >= == != & | ^ && ||
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Ternary:
    condition: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True)
class Cast:
    type: str
    operand: Expr


@dataclass(frozen=True)
class Call:
    function: str
    arguments: tuple[Expr, ...]


Expr = Const | Name | Load | Unary | Binary | Ternary | Cast | Call

# ----------------------------------------------------------------- statements


@dataclass(frozen=True)
class Declare:
    """A local scalar (`shape` empty, optional `init`) or local array (`init` None, or `table` with its elements)."""

    name: str
    type: str
    shape: tuple[Expr, ...] = ()
    init: Expr | None = None
    table: tuple[Expr, ...] = ()  # flattened initialiser of a local array
    line: int = 0
    comment: str = ""


@dataclass(frozen=True)
class Assign:
    """`target op= value`; op "" is plain assignment, else one of + - * / % & | ^ << >>."""

    target: Name | Load
    op: str
    value: Expr
    line: int = 0
    comment: str = ""


@dataclass(frozen=True)
class Loop:
    """`for (var = start; step > 0 ? var < stop : var > stop; var += step)`: counted, stop exclusive, step not 0."""

    var: str
    start: Expr
    stop: Expr
    step: int
    body: tuple[Stmt, ...]
    label: str
    type: str = "int"
    line: int = 0
    comment: str = ""
    pragma: str = ""  # "unroll" or "unroll 4" in a kernel


@dataclass(frozen=True)
class While:
    """Any loop that is not counted; `is_do` tests after the body."""

    condition: Expr
    body: tuple[Stmt, ...]
    is_do: bool = False
    line: int = 0
    comment: str = ""


@dataclass(frozen=True)
class If:
    condition: Expr
    then: tuple[Stmt, ...]
    other: tuple[Stmt, ...] = ()
    line: int = 0
    comment: str = ""


@dataclass(frozen=True)
class Break:
    """Leaves the innermost loop around it."""

    line: int = 0


@dataclass(frozen=True)
class Continue:
    line: int = 0


@dataclass(frozen=True)
class Return:
    value: Expr | None = None
    line: int = 0


@dataclass(frozen=True)
class Evaluate:
    """An expression for its effect; only kernels hold these (`__syncthreads()`, `atomicAdd(&h[b], 1)`)."""

    value: Expr
    line: int = 0


@dataclass(frozen=True)
class Comment:
    """A line of teaching for the reader of the CUDA."""

    text: str


@dataclass(frozen=True)
class Shared:
    """`__shared__ type name[shape]`, or of a size that the launch tells when `shape` is empty; only in kernels."""

    name: str
    type: str
    shape: tuple[int, ...]


Stmt = Declare | Assign | Loop | While | If | Break | Continue | Return | Evaluate | Comment | Shared

# ------------------------------------------------------------------ functions


@dataclass(frozen=True)
class Parameter:
    """A parameter of the function, or a global that it uses (`is_global`; then the CUDA takes it as a parameter too).

    `shape` is () for a scalar, None for a pointer whose extent the signature does not tell, else one expression a
    dimension. A scalar written through a pointer (`float *out`, used as `*out` or `out[0]`) has shape (Const("1"),).
    """

    name: str
    type: str
    shape: tuple[Expr, ...] | None = ()
    is_const: bool = False
    is_restrict: bool = False
    is_global: bool = False
    init: Expr | None = None  # a global scalar's initial value
    line: int = 0
    given: str = ""  # its name in the person's C; `name` differs where that one had to give way

    @property
    def is_array(self) -> bool:
        return self.shape is None or bool(self.shape)


@dataclass(frozen=True)
class Table:
    """A constant array at file scope, with all its elements."""

    name: str
    type: str
    shape: tuple[int, ...]
    elements: tuple[Expr, ...]


@dataclass(frozen=True)
class Struct:
    """A struct of plain fields: (name, type) each, in order."""

    name: str
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Function:
    """A C function in this IR. `helpers` are the scalar functions it calls, callees first."""

    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Stmt, ...]
    return_type: str = "void"
    helpers: tuple[Function, ...] = ()
    tables: tuple[Table, ...] = ()
    structs: tuple[Struct, ...] = ()
    constants: tuple[tuple[str, str, str], ...] = ()  # (name, type, text): #define and enum constants that are used
    notes: tuple[str, ...] = ()  # what the reader assumed, in sentences
    line: int = 0

    @property
    def result_name(self) -> str:
        """The pointer parameter that takes the return value in CUDA."""
        return "result" if self.parameter("result") is None else "returned"

    def parameter(self, name: str) -> Parameter | None:
        return next((p for p in self.parameters if p.name == name), None)


@dataclass
class Symbols:
    """Types and shapes of every name in a function: scalars, parameters, local arrays, tables, constants."""

    types: dict[str, str] = field(default_factory=dict)
    shapes: dict[str, tuple[Expr, ...] | None] = field(default_factory=dict)  # arrays only

    @classmethod
    def of(cls, function: Function) -> Symbols:
        symbols = cls()
        for parameter in function.parameters:
            symbols.types[parameter.name] = parameter.type
            if parameter.is_array:
                symbols.shapes[parameter.name] = parameter.shape
        for table in function.tables:
            symbols.types[table.name] = table.type
            symbols.shapes[table.name] = tuple(Const(str(extent)) for extent in table.shape)
        for name, kind, _ in function.constants:
            symbols.types[name] = kind
        for statement in walk(function.body):
            if isinstance(statement, Declare):
                symbols.types[statement.name] = statement.type
                if statement.shape:
                    symbols.shapes[statement.name] = statement.shape
            elif isinstance(statement, Loop):
                symbols.types[statement.var] = statement.type
        return symbols


# ------------------------------------------------------------------ traversal


def bodies(statement: Stmt) -> tuple[tuple[Stmt, ...], ...]:
    """The statement lists directly inside one statement."""
    if isinstance(statement, (Loop, While)):
        return (statement.body,)
    if isinstance(statement, If):
        return (statement.then, statement.other)
    return ()


def walk(statements: tuple[Stmt, ...]) -> Iterator[Stmt]:
    """Every statement, outermost first, in program order."""
    for statement in statements:
        yield statement
        for body in bodies(statement):
            yield from walk(body)


def expressions(statement: Stmt) -> tuple[Expr, ...]:
    """The expressions that a statement itself evaluates, without those of the statements inside it.

    An assignment's target comes first when it is a Load (its subscripts are evaluated).
    """
    if isinstance(statement, Declare):
        return (*statement.shape, *((statement.init,) if statement.init is not None else ()), *statement.table)
    if isinstance(statement, Assign):
        return (statement.target, statement.value)
    if isinstance(statement, Loop):
        return (statement.start, statement.stop)
    if isinstance(statement, (While, If)):
        return (statement.condition,)
    if isinstance(statement, Return):
        return (statement.value,) if statement.value is not None else ()
    if isinstance(statement, Evaluate):
        return (statement.value,)
    return ()


def children(expression: Expr) -> tuple[Expr, ...]:
    if isinstance(expression, Load):
        return expression.subscripts
    if isinstance(expression, (Unary, Cast)):
        return (expression.operand,)
    if isinstance(expression, Binary):
        return (expression.left, expression.right)
    if isinstance(expression, Ternary):
        return (expression.condition, expression.then, expression.other)
    if isinstance(expression, Call):
        return expression.arguments
    return ()


def walk_expression(expression: Expr) -> Iterator[Expr]:
    yield expression
    for child in children(expression):
        yield from walk_expression(child)


def map_expression(expression: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """Rebuild bottom-up, passing every node through `change`."""
    match expression:
        case Load():
            rebuilt: Expr = replace(
                expression, subscripts=tuple(map_expression(s, change) for s in expression.subscripts)
            )
        case Unary() | Cast():
            rebuilt = replace(expression, operand=map_expression(expression.operand, change))
        case Binary():
            left, right = map_expression(expression.left, change), map_expression(expression.right, change)
            rebuilt = replace(expression, left=left, right=right)
        case Ternary():
            parts = [map_expression(part, change) for part in children(expression)]
            rebuilt = Ternary(*parts)
        case Call():
            rebuilt = replace(expression, arguments=tuple(map_expression(a, change) for a in expression.arguments))
        case _:
            rebuilt = expression
    return change(rebuilt)


def map_statement(statement: Stmt, change: Callable[[Expr], Expr]) -> Stmt:
    """The statement with every expression in it, at any depth, passed through `change`."""

    def inside(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(map_statement(s, change) for s in body)

    def on(expression: Expr) -> Expr:
        return map_expression(expression, change)

    match statement:
        case Declare():
            init = None if statement.init is None else on(statement.init)
            shape = tuple(on(s) for s in statement.shape)
            return replace(statement, shape=shape, init=init, table=tuple(on(e) for e in statement.table))
        case Assign():
            target = on(statement.target)
            if not isinstance(target, (Name, Load)):
                raise TypeError(f"{target} is not a place to write to")
            return replace(statement, target=target, value=on(statement.value))
        case Loop():
            return replace(statement, start=on(statement.start), stop=on(statement.stop), body=inside(statement.body))
        case While():
            return replace(statement, condition=on(statement.condition), body=inside(statement.body))
        case If():
            then, other = inside(statement.then), inside(statement.other)
            return replace(statement, condition=on(statement.condition), then=then, other=other)
        case Return():
            return statement if statement.value is None else replace(statement, value=on(statement.value))
        case Evaluate():
            return replace(statement, value=on(statement.value))
        case _:
            return statement


def substitute(statement: Stmt, names: Mapping[str, Expr]) -> Stmt:
    """Replace scalar names that are read or written by other expressions."""
    return map_statement(statement, lambda e: names.get(e.name, e) if isinstance(e, Name) else e)


def substitute_expression(expression: Expr, names: Mapping[str, Expr]) -> Expr:
    """Replace scalar names by other expressions."""
    return map_expression(expression, lambda e: names.get(e.name, e) if isinstance(e, Name) else e)


def loops_of(statements: tuple[Stmt, ...]) -> tuple[Loop, ...]:
    return tuple(s for s in walk(statements) if isinstance(s, Loop))


def names_in(expression: Expr) -> frozenset[str]:
    """Scalar names that an expression reads."""
    return frozenset(e.name for e in walk_expression(expression) if isinstance(e, Name))
