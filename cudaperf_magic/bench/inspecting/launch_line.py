"""`--launch 'k<<<(n+255)/256, 256>>>(x, y, n)'` -> a host function appended to the program, which launches just that.

The names that the line leaves open become the function's parameters; a kernel's parameter gives its argument the type.
"""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from cudaperf_magic.bench.host.calls import arguments_of, callee
from cudaperf_magic.bench.host.declared import is_type_name
from cudaperf_magic.bench.host.kernels import Kernel, kernel_expression
from cudaperf_magic.bench.host.macros import expand
from cudaperf_magic.bench.host.runtime import PlanError
from cudaperf_magic.bench.host.scope import Scope, Unit, compile_expression
from cudaperf_magic.bench.host.source import Program, first_error, read_program, text
from cudaperf_magic.bench.host.types import DOUBLE, INT, Arithmetic, ArrayType, OpaqueType, PointerType, Type, describe
from cudaperf_magic.bench.inspecting.default_launch import example
from cudaperf_magic.bench.inspecting.parameters import Parameter
from cudaperf_magic.bench.inspecting.program import Entry, kernels_of, launches_in, walk
from cudaperf_magic.bench.launcher import file_scope
from cudaperf_magic.errors import Unsupported, UsageError, did_you_mean

FUNCTION = "cudaperf_launch"
HEAD = f"void {FUNCTION}()"
UNKNOWN = OpaqueType("unknown")
TypeOf = Callable[[str], Type | None]


def no_type(name: str) -> None:
    """Where no array has a name."""


def launched(source: str, launch: str, defines: tuple[str, ...], type_of: TypeOf) -> Entry:
    """The program with the launch as a host function.

    Args:
        launch: one launch, or several and other statements of host code, separated by semicolons.
        type_of: the pointer type of a named array, where a template's arguments are to be deduced.

    Raises:
        UsageError: the line cannot be read, or names what is not there.
        PlanError: the program itself cannot be read.
    """
    line = " ".join(launch.split()).rstrip("; ")
    whole = expand(f"{source}\n{HEAD} {{ {line}; }}", defines)
    program = read_program(whole)
    function = program.functions.get(FUNCTION, [None])[0]
    if function is None or function.body is None or first_error(function.node) is not None:
        raise UsageError(f"--launch '{launch}' is not understood; write it as 'kernel<<<blocks, threads>>>(x, y, n)'")
    calls = list(launches_in(function.body))
    if not calls:
        raise UsageError(f"--launch '{launch}' launches nothing; write it as 'kernel<<<blocks, threads>>>(x, y, n)'")
    try:
        scope = file_scope(Unit(program))
        parameters = _Open(program, scope, type_of).parameters(function.body, calls)
    except PlanError as error:
        raise UsageError(f"--launch: {error.message}") from None
    at = whole.rindex(HEAD)
    written = f"void {FUNCTION}({', '.join(_declaration(p, scope) for p in parameters)})"
    names = dict.fromkeys(callee(name)[0] for c in calls if (name := c.child_by_field_name("function")) is not None)
    return Entry(whole[:at] + written + whole[at + len(HEAD) :], FUNCTION, parameters, " and ".join(names))


def _declaration(parameter: Parameter, scope: Scope) -> str:
    """`const float *x`, `float (*rows)[8]`."""
    inner, name, dims = parameter.type, parameter.name, ""
    if isinstance(inner, PointerType) and isinstance(inner.target, ArrayType):
        name, const, inner = f"(*{name})", "const " if inner.is_const else "", inner.target
        while isinstance(inner, ArrayType):
            dims, inner = f"{dims}[{inner.length}]", inner.element
        return f"{const}{_spelled(inner, scope)} {name}{dims}"
    return f"{_spelled(inner, scope)} {name}"


def _spelled(type_: Type, scope: Scope) -> str:
    """A type as the program names it; an unnamed struct by its typedef."""
    if isinstance(type_, PointerType):
        return f"{'const ' if type_.is_const else ''}{_spelled(type_.target, scope)} *"
    return next((name for name, known in scope.types.items() if known == type_), describe(type_))


class _Open:
    """The names that a launch line leaves open, with their types."""

    def __init__(self, program: Program, scope: Scope, type_of: TypeOf) -> None:
        self.program, self.scope, self.type_of_array = program, scope, type_of
        self.types: dict[str, Type] = {}
        self.aliases: dict[str, list[str]] = {}

    def parameters(self, body: Node, calls: list[Node]) -> tuple[Parameter, ...]:
        local = {text(node.named_children[0]) for node in walk(body) if node.type == "init_declarator"}
        order = [text(each) for each in walk(body) if self.is_open(each) and text(each) not in local]
        pairs = [pair for call in calls for pair in self.pairs(call)]
        for node, (name, type_) in pairs:
            if node.type == "identifier" and text(node) in order and type_ is not None:
                held = self.types.setdefault(text(node), type_)
                if isinstance(held, PointerType) and type_ == PointerType(held.target):
                    self.types[text(node)] = type_  # somebody writes to it
                self.aliases.setdefault(text(node), []).append(name)
        for node, (_, type_) in pairs:
            inner = [text(each) for each in walk(node) if text(each) in order and each.type == "identifier"]
            if isinstance(type_, PointerType) and inner:
                self.types.setdefault(inner[0], type_)
            for each in inner:
                is_real = isinstance(type_, Arithmetic) and type_.is_float
                self.types.setdefault(each, DOUBLE if is_real else INT)
        # In the order of the call, which is the order that a person knows; what only the grid names comes last.
        names = dict.fromkeys([text(each) for node, _ in pairs for each in walk(node) if text(each) in order] + order)
        return tuple(self.parameter(name) for name in names)

    def parameter(self, name: str) -> Parameter:
        aliases = tuple(dict.fromkeys(a for a in self.aliases.get(name, ()) if a != name))
        return Parameter(name, self.types.get(name, INT), aliases)

    def is_open(self, node: Node) -> bool:
        """Whether a node is a name that nothing in the program defines."""
        if node.type != "identifier":
            return False
        parent = node.parent
        if parent is not None and parent.type in ("template_function", "qualified_identifier"):
            return False
        if parent is not None and parent.type == "call_expression" and parent.child_by_field_name("function") == node:
            return False
        if text(node) in self.program.functions or is_type_name(text(node), self.scope):
            return False
        try:
            compile_expression(node, self.scope)
        except PlanError:
            return True
        return False

    def pairs(self, call: Node) -> list[tuple[Node, tuple[str, Type | None]]]:
        """Each argument's node with the kernel's parameter."""
        function = call.child_by_field_name("function")
        assert function is not None
        nodes = arguments_of(call)
        name, templated = callee(function)
        if not any(child.type == "kernel_call_syntax" for child in call.children):
            return []  # cudaLaunchKernel and its kin: arguments by address
        kernels = [f for f in self.program.functions.get(name, []) if f.is_kernel]
        is_open = bool(kernels and kernels[0].template and templated is None)
        if not kernels:
            there = [f.name for f in kernels_of(self.program)]
            listed = f"; there is {', '.join(there)}"
            raise UsageError(f"--launch: there is no kernel {name}{did_you_mean(name, there) or listed}")
        types = [self.type_of(node) for node in nodes]
        try:
            kernel: Kernel = kernel_expression(name, templated, call, self.scope, types).value
        except PlanError as error:
            line = example(kernels[0], self.program) if is_open else ""
            way = f"; write its arguments: {line.partition('<<<')[0]}<<<...>>>" if is_open else ""
            raise UsageError(f"--launch: {error.message}{way}") from None
        for parameter, type_ in kernel.parameters:
            if type_ is None and parameter.startswith(("cudaTextureObject_t", "cudaSurfaceObject_t")):
                raise Unsupported(f"textures and surfaces ({parameter} of {name})")
            if type_ is None:
                where = f"parameter {parameter} of {name}"
                raise UsageError(f"--launch: the type of {where} is known to the device compiler only; use a plain one")
            if UNKNOWN in (type_, getattr(type_, "target", None)):
                raise UsageError(f"--launch: {name} is a template; write its arguments: {name}<float><<<...>>>(...)")
        return list(zip(nodes, kernel.parameters, strict=True))

    def type_of(self, node: Node) -> Type:
        named = self.type_of_array(text(node)) if node.type == "identifier" else None
        if named is not None:
            return named
        try:
            return compile_expression(node, self.scope).type
        except PlanError:
            return UNKNOWN
