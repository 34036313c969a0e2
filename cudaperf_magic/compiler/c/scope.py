"""What a name means while a function is read: scalars, arrays, pointers into arrays, struct variables; and the scopes.

Names in the raw IR are unique (`i#3`); c_names.py gives the readable ones back. Nothing here reads C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pycparser import c_ast

from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c.comments import Comments
from cudaperf_magic.compiler.c.raw import AnyStmt, Body
from cudaperf_magic.compiler.c.syntax import where
from cudaperf_magic.compiler.c.types import CType, type_of
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
    Name,
    Ternary,
    Unary,
)
from cudaperf_magic.errors import TaskError

if TYPE_CHECKING:
    from cudaperf_magic.compiler.c.program import Program


@dataclass(frozen=True)
class ScalarSymbol:
    expression: Expr  # a Name; in an inlined helper also the caller's constant
    type: str
    is_const: bool = False


@dataclass(frozen=True)
class ArrayInfo:
    """Memory that Loads name. `dims` are its extents; None when it is seen as one flat run of elements."""

    name: str
    element: CType  # a Scalar or a StructType
    dims: tuple[Expr, ...] | None
    is_const: bool = False


@dataclass(frozen=True)
class PointerValue:
    """`&array[prefix...][offset]`; each step of the pointer covers `below` (extents), () when it steps by elements.

    In a flat array the offset counts elements and prefix is empty.
    """

    array: ArrayInfo
    prefix: tuple[Expr, ...] = ()
    offset: Expr = c_fold.ZERO
    below: tuple[Expr, ...] = ()

    @property
    def step(self) -> Expr:
        """Elements of a flat array that one step covers."""
        size: Expr = c_fold.ONE
        if self.array.dims is None:
            for extent in self.below:
                size = extent if size == c_fold.ONE else c_fold.times(size, extent)
        return size

    def moved(self, by: Expr) -> PointerValue:
        return replace(self, offset=c_fold.plus(self.offset, c_fold.times(by, self.step)))

    def at(self, index: Expr) -> PointerValue | Element:
        """`pointer[index]`: an element, or the row that decays to a pointer to its first element."""
        there = self.moved(index)
        if not self.below:
            return Element(self.array, (*self.prefix, there.offset), "", self.array.element)
        if self.array.dims is None:
            return replace(there, below=self.below[1:])
        return PointerValue(self.array, (*self.prefix, there.offset), c_fold.ZERO, self.below[1:])


@dataclass(frozen=True)
class Element:
    """A place in memory: a scalar, a struct, or a field of one."""

    array: ArrayInfo
    subscripts: tuple[Expr, ...]
    path: str
    type: CType

    @property
    def load(self) -> Load:
        return Load(self.array.name, self.subscripts, self.path)


@dataclass(frozen=True)
class StructPlace:
    """A local struct variable, or a part of one: a scalar for each leaf, by its path in the whole variable."""

    fields: tuple[tuple[str, ScalarSymbol], ...]
    path: str
    type: CType


@dataclass(frozen=True)
class AddressOf:
    """A pointer to one place, as in `f(&x)` or `f(&p[i].pos)`: a local variable or a part of a struct in memory."""

    target: ScalarSymbol | StructPlace | Element


@dataclass(frozen=True)
class StructValue:
    """A struct that is computed: an expression for each leaf path."""

    type: CType
    leaves: tuple[tuple[str, Expr], ...]


PointerLike = PointerValue | AddressOf
Value = Expr | PointerLike | Element | StructPlace | StructValue
EXPRESSIONS = (Const, Name, Load, Unary, Binary, Ternary, Cast, Call)
NULL = Const("NULL", "pointer")


@dataclass(frozen=True)
class PointerSymbol:
    """A pointer variable; what it points to now is in `Scopes.pointers`. A moving one keeps its offset in a scalar."""

    key: str
    target: CType
    name: str
    is_moving: bool = False

    @property
    def offset(self) -> str:
        return f"{self.name}_at{self.key[len(self.name) :]}"


@dataclass(frozen=True)
class ArraySymbol:
    value: PointerValue  # to its first element (or row)
    type: CType


Symbol = ScalarSymbol | ArraySymbol | PointerSymbol | StructPlace | Element

# A pointer that may point to different arrays, by the path that was taken.
UNKNOWN = "unknown"
Pointers = dict[str, "PointerLike | str"]


@dataclass(frozen=True)
class Split:
    """Pointers that point to different arrays by which condition holds: (condition, pointers) for each case.

    After an `if`, `branches` are its own two bodies: the rest of the block goes into them.
    """

    cases: tuple[tuple[Expr, Pointers], ...]
    keys: frozenset[str]
    branches: tuple[Body, ...] = ()


@dataclass(frozen=True)
class Grammar:
    """The mutually recursive parts of reading, tied together by c_reader.py: each part knows only those below it."""

    value: Callable[[Scopes, c_ast.Node], Value]
    inline: Callable[[Scopes, c_ast.FuncDef, list[c_ast.Node], int | None], Value]
    helper: Callable[[Program, Comments, str], Function]


@dataclass
class Scopes:
    """The state of reading one function: visible names, statements so far, what pointers point to."""

    program: Program
    grammar: Grammar
    comments: Comments
    results: dict[str, str]  # what each function returns
    names: list[dict[str, Symbol]] = field(default_factory=lambda: [{}])
    out: list[AnyStmt] = field(default_factory=list)
    pending: list[AnyStmt] = field(default_factory=list)  # post-increments of the expression being read
    pointers: Pointers = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)  # of every scalar and array element, for type_of
    modified: set[str] = field(default_factory=set)  # C names that are assigned somewhere in the function
    moving: set[str] = field(default_factory=set)  # C names of pointers that step
    steady: list[str] = field(default_factory=list)  # names of the loops around that their bodies leave alone
    calls: list[str] = field(default_factory=list)  # functions being inlined, outermost first
    returns: list[StructPlace | None] = field(default_factory=list)  # where an inlined function's struct goes
    unsteady: set[str] = field(default_factory=set)  # names of the reader's own that change
    split: Split | None = None  # set when the loop or if just read leaves pointers apart
    originals: dict[str, Expr] = field(default_factory=dict)  # copies of parameters -> the parameters themselves
    managed: set[str] = field(default_factory=set)  # names that the reader may remove when nothing reads them
    line: int = 0
    copies: int = 0  # how often the rest of a block was read again for another pointer
    offset_type: str = "int"  # of the offsets of pointers that step; "long" where 64-bit counts are about
    counter: list[int] = field(default_factory=lambda: [0])

    def value(self, node: c_ast.Node) -> Value:
        """What an expression is: a number, a pointer or a struct."""
        return self.grammar.value(self, node)

    def rvalue(self, node: c_ast.Node) -> Expr:
        """The scalar that an expression is."""
        found = self.value(node)
        if isinstance(found, EXPRESSIONS) and found is not NULL:
            return found
        if isinstance(found, (Element, StructPlace, StructValue)):
            sentence = "a whole struct is used where a number is expected; name one of its fields"
            raise TaskError(sentence, where(node).line)
        raise TaskError("a pointer is used where a number is expected", where(node).line)

    def type_of(self, expression: Expr) -> str:
        constants = self.program.constants
        return type_of(expression, self.types | {name: kind for name, (kind, _) in constants.items()}, self.results)

    def unique(self, name: str) -> str:
        self.counter[0] += 1
        return f"{name}#{self.counter[0]}"

    def find(self, name: str) -> Symbol | None:
        return next((scope[name] for scope in reversed(self.names) if name in scope), None)

    def declare(self, name: str, symbol: Symbol) -> None:
        self.names[-1][name] = symbol

    def emit(self, statement: AnyStmt) -> None:
        self.out.append(statement)

    def flush(self) -> None:
        """The end of a full expression: its post-increments happen."""
        self.out.extend(self.pending)
        self.pending.clear()

    def fresh(self, base: str, kind: str, value: Expr | None = None) -> Name:
        """A new scalar, declared here."""
        name = self.unique(base)
        self.types[name] = kind
        self.emit(Declare(name, kind, init=value, line=self.line))
        return Name(name)

    def assign(self, target: Name | Load, value: Expr, op: str = "") -> None:
        self.emit(Assign(target, op, value, self.line))

    @contextmanager
    def scope(self) -> Iterator[None]:
        self.names.append({})
        try:
            yield
        finally:
            self.names.pop()

    @contextmanager
    def capture(self) -> Iterator[list[AnyStmt]]:
        """Collect the statements that are read inside, post-increments included."""
        outer, outer_pending = self.out, self.pending
        self.out, self.pending = [], []
        try:
            yield self.out
            self.flush()
        finally:
            self.out, self.pending = outer, outer_pending

    def pointer(self, symbol: PointerSymbol, line: int | None) -> PointerLike:
        value = self.pointers.get(symbol.key)
        if value is None:
            raise TaskError(f"the pointer {symbol.name} is used before it points to anything", line)
        if isinstance(value, str):
            advice = "use one pointer for one array, or choose with if around the loop"
            raise TaskError(f"the pointer {symbol.name} may point to different arrays here; {advice}", line)
        return value

    def is_steady(self, name: str, c_name: str) -> bool:
        """Does a scalar keep its value wherever an alias that mentions it may be used?"""
        if name in self.steady:
            return True
        return c_name not in self.modified and name not in self.unsteady
