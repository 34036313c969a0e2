"""What a piece of host code compiles to, and the names it can see.

An expression becomes an `Expr`: its static C type and a Python closure over the frame (a list of slots). A statement
becomes a closure that returns None, or a signal. The two tables at the end map a syntax node's type to the function
that compiles it; the other host modules fill them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol, TypeVar

from tree_sitter import Node

from cudaperf_magic.bench.host.runtime import NULL, HostPlace, Machine, Place, PlanError
from cudaperf_magic.bench.host.source import Function, Program, line_of, text
from cudaperf_magic.bench.host.types import (
    BOOL,
    CHAR,
    KERNEL,
    STREAM,
    TEXT,
    Arithmetic,
    ArrayType,
    LibraryType,
    OpaqueType,
    PointerType,
    ReferenceType,
    StructType,
    Type,
    arithmetic_converter,
    describe,
)  # fmt: skip

Frame = list[Any]
Get = Callable[[Frame], Any]
PlaceGet = Callable[[Frame], HostPlace | Place]
Run = Callable[[Frame], "Signal | None"]

MACHINE, RESULT, FIRST_SLOT = 0, 1, 2  # slots of a frame
_DEVICE_ADDRESS = 1 << 40


class Signal:
    """Why a statement did not simply end."""


BREAK, CONTINUE, RETURN = Signal(), Signal(), Signal()


class _NotConstant:
    """The `value` of an expression that is known only when the function is read for concrete scalars."""


NOT_CONSTANT = _NotConstant()


@dataclass(slots=True)
class Expr:
    type: Type
    get: Get
    place: PlaceGet | None = None  # of something that can be assigned, or whose address can be taken
    value: Any = NOT_CONSTANT
    slot: int | None = None  # of a plain local variable
    name: str = ""
    is_const: bool = False

    @property
    def is_constant(self) -> bool:
        return self.value is not NOT_CONSTANT


def constant(type_: Type, value: Any) -> Expr:
    return Expr(type_, lambda frame: value, value=value)


@dataclass
class Routine:
    """One host function or lambda while it is compiled: how many slots it needs and what it returns."""

    name: str
    result: Type | None  # None while `auto` has not met a return statement
    slots: int = FIRST_SLOT

    def new_slot(self) -> int:
        self.slots += 1
        return self.slots - 1


@dataclass
class Unit:
    """One CUDA text: its top level, and the host functions compiled so far."""

    program: Program
    compiled: dict[Any, Any] = field(default_factory=dict)  # instances of functions, by name and template arguments
    namespace: str = ""  # of the top-level item being read, "detail::"
    global_count: int = FIRST_SLOT
    file_routine: Routine = field(default_factory=lambda: Routine("file scope", None))
    starts: list[Run] = field(default_factory=list)  # initialisers of file scope, in order
    vocabulary: Vocabulary | None = None  # of a library whose words the text may use
    methods: dict[tuple[str, str], Function] = field(default_factory=dict)  # by struct and name
    constructed: set[str] = field(default_factory=set)  # structs with a constructor or a destructor
    kernels: dict[str, None] = field(default_factory=dict)  # named so far by what is compiled, with their templates


@dataclass
class Scope:
    unit: Unit
    routine: Routine
    parent: Scope | None = None
    names: dict[str, Expr] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)

    @property
    def top(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def inner(self) -> Scope:
        return Scope(self.unit, self.routine, self)

    def find(self, name: str) -> Expr | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def find_qualified(self, name: str) -> Expr | None:
        """`detail::Mode::Add`, also when a part in front is left out."""
        parts = name.split("::")
        return next((found for i in range(len(parts)) if (found := self.find("::".join(parts[i:]))) is not None), None)

    def find_type(self, name: str) -> Type | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.types:
                return scope.types[name]
            scope = scope.parent
        return None

    def functions(self, name: str) -> list[Function]:
        return self.unit.program.functions.get(name, [])

    def variable(self, name: str, type_: Type, *, is_const: bool = False) -> Expr:
        """A new local variable, visible from here on."""
        expr = local(self.routine.new_slot(), name, type_, is_const)
        self.names[name] = expr
        return expr


class Vocabulary(Protocol):
    """What a library adds to the language. Each answers None for what is none of its words."""

    def type_of(self, node: Node, scope: Scope) -> Type | None: ...
    def named(self, name: str, node: Node, scope: Scope) -> Expr | None: ...
    def call(self, node: Node, function: Node, scope: Scope) -> Expr | None: ...


def local(slot: int, name: str, type_: Type, is_const: bool = False) -> Expr:
    if isinstance(type_, ReferenceType):
        return _reference(slot, name, type_.target, is_const)

    def get(frame: Frame) -> Any:
        value = frame[slot]
        if value is None:
            raise PlanError(f"{name} is read before it has a value")
        return value

    return Expr(type_, get, lambda frame: HostPlace(frame, slot), slot=slot, name=name, is_const=is_const)


def _reference(slot: int, name: str, target: Type, is_const: bool) -> Expr:
    return Expr(target, lambda frame: load(frame[slot], name), lambda frame: frame[slot], name=name, is_const=is_const)


def load(place: HostPlace | Place, name: str) -> Any:
    container, position = _host(place, name, "reads")
    value = container[position]
    if value is None:
        raise PlanError(f"{name} is read before it has a value")
    return value


def store(place: HostPlace | Place, value: Any, name: str) -> None:
    container, position = _host(place, name, "writes")
    container[position] = value


def _host(place: HostPlace | Place, name: str, verb: str) -> HostPlace:
    if isinstance(place, Place):
        if place.buffer is None:
            raise PlanError(f"the host function {verb} {name}, a null pointer")
        raise PlanError(f"the host function {verb} {name}, which lives on the device; do it in a kernel")
    if not 0 <= place.position < len(place.container):
        size = len(place.container)
        raise PlanError(f"the host function {verb} {name}: element {place.position} of an array of {size}")
    return place


def copied(value: Any) -> Any:
    """Structs and arrays are lists; assigning one copies it."""
    return [copied(item) for item in value] if isinstance(value, list) else value


def machine(frame: Frame) -> Machine:
    found: Machine = frame[MACHINE]
    return found


def refuse(node: Node, message: str) -> NoReturn:
    raise PlanError(message, line_of(node))


def shorten(node: Node) -> str:
    flat = " ".join(text(node).split())
    return flat if len(flat) <= 60 else flat[:57] + "..."


def part(node: Node, name: str) -> Node:
    found = node.child_by_field_name(name)
    return found if found is not None else refuse(node, f"`{shorten(node)}` is incomplete")


def convert(expr: Expr, target: Type, node: Node, *, is_cast: bool = False) -> Expr:
    """`expr` as a value of `target`, by C++'s implicit conversions, or by a cast's."""
    if isinstance(target, ReferenceType):
        target = target.target
    source = expr.type
    if isinstance(source, ArrayType) and isinstance(target, PointerType | OpaqueType):
        expr = decay(expr)
        source = expr.type
    if source == target:
        return _copying(expr) if isinstance(source, StructType | ArrayType | LibraryType) else expr
    if isinstance(target, LibraryType) or isinstance(source, LibraryType):
        made = target.taken(expr, node) if isinstance(target, LibraryType) else None
        made = source.given(expr, target, node) if made is None and isinstance(source, LibraryType) else made
        if isinstance(made, Expr):
            return made
        refuse(node, f"{shorten(node)}: a {describe(source)} is not read as a {describe(target)}")
    if isinstance(source, Arithmetic) and isinstance(target, Arithmetic):
        return _mapped(expr, target, arithmetic_converter(source, target))
    if (
        isinstance(target, PointerType | OpaqueType)
        and expr.is_constant
        and expr.value == 0
        and isinstance(source, Arithmetic)
    ):
        return constant(target, 0 if target is STREAM else NULL)
    if isinstance(source, PointerType | OpaqueType) and target == BOOL:
        return _mapped(expr, BOOL, lambda value: value not in (NULL, 0))
    if is_cast and isinstance(source, PointerType) and isinstance(target, Arithmetic) and target.size == 8:
        return _mapped(expr, target, _address)
    if isinstance(source, PointerType) and isinstance(target, PointerType):
        _check_pointer(source, target, node, is_cast)
        return _mapped(expr, target, None)
    if source is TEXT and isinstance(target, PointerType) and target.target is CHAR:
        return _mapped(expr, TEXT, None)
    if is_cast and isinstance(target, OpaqueType | PointerType) and isinstance(source, OpaqueType | PointerType):
        return _mapped(expr, source if source is KERNEL else target, None)  # (void *)kernel stays that kernel
    if isinstance(target, StructType) and target.name == "dim3" and isinstance(source, Arithmetic):
        x = convert(expr, target.fields[0].type, node).get
        return Expr(target, lambda frame: [x(frame), 1, 1])
    if is_cast and isinstance(target, OpaqueType) and target.name == "void":
        return _mapped(expr, target, None)
    refuse(node, f"{shorten(node)} is of type {describe(source)}, which does not become {describe(target)}")


def _address(place: HostPlace | Place) -> int:
    """A pointer as a number, for tests of alignment: every buffer begins at a multiple of many powers of two."""
    if isinstance(place, HostPlace):
        raise PlanError("the address of host memory is a number that no plan can depend on")
    return place.offset + (_DEVICE_ADDRESS if place.buffer is not None else 0)


def _check_pointer(source: PointerType, target: PointerType, node: Node, is_cast: bool) -> None:
    if is_cast:
        return
    loose = isinstance(source.target, OpaqueType) or isinstance(target.target, OpaqueType)
    if source.target != target.target and not loose:
        refuse(node, f"{shorten(node)} is a {describe(source)}, not a {describe(target)}; cast it if that is meant")
    if source.is_const and not target.is_const:
        refuse(node, f"{shorten(node)} is a {describe(source)} and would become a {describe(target)}; keep the const")


def _mapped(expr: Expr, target: Type, change: Callable[[Any], Any] | None) -> Expr:
    get = expr.get
    if expr.is_constant:
        return constant(target, expr.value if change is None else change(expr.value))
    return Expr(target, get if change is None else (lambda frame: change(get(frame))), name=expr.name)


def _copying(expr: Expr) -> Expr:
    get = expr.get
    return Expr(expr.type, lambda frame: copied(get(frame)), name=expr.name)


def decay(expr: Expr) -> Expr:
    """An array as the pointer to its first element."""
    if not isinstance(expr.type, ArrayType):
        return expr
    get = expr.get
    return Expr(PointerType(expr.type.element), lambda frame: HostPlace(get(frame), 0), name=expr.name)


def truth(expr: Expr, node: Node) -> Get:
    if isinstance(expr.type, Arithmetic):
        return expr.get  # Python's truth of a number is C's
    return convert(decay(expr), BOOL, node).get


def initial(type_: Type, *, is_zeroed: bool = False) -> Any:
    """What a variable holds before anything is assigned; None stands for a value that must not be read."""
    if isinstance(type_, ArrayType):
        return [initial(type_.element, is_zeroed=is_zeroed) for _ in range(type_.length or 0)]
    if isinstance(type_, StructType):
        fields = type_.fields
        return [initial(f.type, is_zeroed=is_zeroed) if f.default is None else zero(f.type, f.default) for f in fields]
    if isinstance(type_, LibraryType):
        return type_.blank()
    return zero(type_) if is_zeroed else None


def zero(type_: Type, value: int | float = 0) -> Any:
    if isinstance(type_, Arithmetic):
        return float(value) if type_.is_float else value
    return NULL if isinstance(type_, PointerType) else value


CompileExpression = Callable[[Node, Scope], Expr]
CompileStatement = Callable[[Node, Scope], Run]
EXPRESSIONS: dict[str, CompileExpression] = {}
STATEMENTS: dict[str, CompileStatement] = {}
_Handler = TypeVar("_Handler", bound=Callable[..., Any])


def expression(*kinds: str) -> Callable[[_Handler], _Handler]:
    def register(handler: _Handler) -> _Handler:
        EXPRESSIONS.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def statement(*kinds: str) -> Callable[[_Handler], _Handler]:
    def register(handler: _Handler) -> _Handler:
        STATEMENTS.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def compile_expression(node: Node, scope: Scope) -> Expr:
    handler = EXPRESSIONS.get(node.type)
    if handler is None or node.is_missing:
        refuse(node, f"the syntax of `{shorten(node)}` is not understood; write it more plainly")
    try:
        return handler(node, scope)
    except PlanError as error:
        if error.line is None:  # from an expression of constants, computed here and now
            raise PlanError(error.message, line_of(node)) from None
        raise


def compile_statement(node: Node, scope: Scope) -> Run:
    handler = STATEMENTS.get(node.type)
    if handler is None or node.is_missing:
        refuse(
            node, f"the host function's `{shorten(node)}` is not read; move it into a kernel or write it more plainly"
        )
    return _with_line(handler(node, scope), line_of(node))


def _with_line(run: Run, line: int) -> Run:
    """An error that a value raised gets the line of its statement."""

    def lined(frame: Frame) -> Signal | None:
        try:
            return run(frame)
        except PlanError as error:
            if error.line is None:
                raise PlanError(error.message, line) from None
            raise

    return lined


def constant_int(node: Node, scope: Scope, what: str) -> int:
    expr = compile_expression(node, scope)
    if not expr.is_constant or not isinstance(expr.type, Arithmetic):
        refuse(node, f"{what} must be a constant, and {shorten(node)} is known only at run time; use a plain pointer")
    return int(expr.value)
