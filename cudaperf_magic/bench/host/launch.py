"""Launches: `kernel<<<grid, block, shared, stream>>>(...)` and the runtime's launch functions -> plan.Launch.

Arguments take the kernel parameters' types, as a C++ call converts them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from cudaperf_magic.bench.host.calls import LAUNCH, arguments_of, builtin
from cudaperf_magic.bench.host.initialisers import initialiser
from cudaperf_magic.bench.host.kernels import Kernel, kernel_expression, wrong_count
from cudaperf_magic.bench.host.runtime import HostPlace, Place, PlanError
from cudaperf_magic.bench.host.scope import (
    Expr,
    Frame,
    Get,
    Scope,
    compile_expression,
    convert,
    decay,
    load,
    machine,
    part,
    refuse,
    shorten,
)  # fmt: skip
from cudaperf_magic.bench.host.source import line_of, text
from cudaperf_magic.bench.host.types import (
    DIM3,
    INT,
    KERNEL,
    LAUNCH_CONFIG,
    NAMED_TYPES,
    ULONG,
    VOID,
    Arithmetic,
    ArrayType,
    PointerType,
    ReferenceType,
    StructType,
    Type,
    describe,
    scalar_bytes,
)  # fmt: skip
from cudaperf_magic.bench.plan import Dim3, KernelArgument, Launch, Pointer, Struct

_COOPERATIVE, _CLUSTER = 2, 4  # cudaLaunchAttributeID
Made = Callable[[Frame], KernelArgument]


def launch(node: Node, scope: Scope) -> Expr:
    nodes = arguments_of(node)
    values = [decay(compile_expression(n, scope)) for n in nodes]
    kernel = _launched(part(node, "function"), [v.type for v in values], scope)
    syntax = next(child for child in node.children if child.type == "kernel_call_syntax")
    config = [child for child in syntax.named_children if child.type != "comment"]
    if not 2 <= len(config) <= 4:
        refuse(syntax, "a launch needs <<<grid, block>>>, and may have shared bytes and a stream")
    grid, block = (initialiser(n, DIM3, scope) for n in config[:2])
    shared = _shared(config[2], scope) if len(config) > 2 else _no_bytes
    if len(config) > 3:
        compile_expression(config[3], scope)
    return _launch(kernel, values, nodes, grid, block, shared, node)


def _no_bytes(frame: Frame) -> int:
    return 0


def _shared(node: Node, scope: Scope) -> Get:
    return convert(compile_expression(node, scope), ULONG, node).get


def _launched(function: Node, types: list[Type], scope: Scope) -> Expr:
    while function.type in ("qualified_identifier", "parenthesized_expression"):
        inner = function.child_by_field_name("name") or (
            function.named_children[0] if function.named_children else None
        )
        function = inner if inner is not None else refuse(function, f"{shorten(function)} is not a kernel")
    if function.type == "identifier":
        variable = scope.find(text(function))
        if variable is not None:
            return variable if variable.type is KERNEL else refuse(function, f"{text(function)} is not a kernel")
        return kernel_expression(text(function), None, function, scope, types)
    if function.type == "template_function":
        name = text(part(function, "name"))
        return kernel_expression(name, function.child_by_field_name("arguments"), function, scope, types)
    expr = compile_expression(function, scope)
    return expr if expr.type is KERNEL else refuse(function, f"{shorten(function)} is not a kernel")


def _launch(
    kernel: Expr, values: list[Expr], nodes: list[Node], grid: Get, block: Get, shared: Get, node: Node
) -> Expr:
    line = line_of(node)
    arguments = _arguments(kernel, values, nodes, node)
    which = kernel.get

    def get(frame: Frame) -> int:
        owner = machine(frame)
        chosen: Kernel = which(frame)
        made = tuple([make(frame) for make in arguments(chosen)])
        step = Launch(chosen.name, _dims(grid(frame)), _dims(block(frame)), made, shared(frame), line=line)
        owner.launch(step)
        return 0

    return Expr(INT, get)


def _dims(value: list[int]) -> Dim3:
    return value[0], value[1], value[2]


def _arguments(kernel: Expr, values: list[Expr], nodes: list[Node], node: Node) -> Callable[[Kernel], list[Made]]:
    """How the arguments of each kernel that may be launched here are made; worked out once for each."""
    known: dict[Kernel, list[Made]] = {}

    def of(chosen: Kernel) -> list[Made]:
        if len(chosen.parameters) != len(values):
            raise wrong_count(chosen.name, len(chosen.parameters), len(values), node)
        return [
            _argument(value, type_, name, chosen.name, n)
            for value, (name, type_), n in zip(values, chosen.parameters, nodes, strict=True)
        ]

    if kernel.is_constant:
        only = of(kernel.value)
        return lambda chosen: only

    def lookup(chosen: Kernel) -> list[Made]:
        if chosen not in known:
            known[chosen] = of(chosen)
        return known[chosen]

    return lookup


def _argument(value: Expr, wanted: Type | None, name: str, kernel: str, node: Node) -> Made:
    type_ = value.type if wanted is None else wanted
    if isinstance(type_, ReferenceType):
        refuse(node, f"parameter {name} of {kernel} is a reference; kernels take values and pointers")
    try:
        get = convert(value, type_, node).get
    except PlanError as error:
        raise PlanError(f"argument {name} of {kernel}: {error.message}", line_of(node)) from None
    return _maker(get, type_, f"argument {name} of {kernel}", line_of(node))


def _maker(get: Get, type_: Type, what: str, line: int) -> Made:
    if isinstance(type_, Arithmetic):
        c_type = type_.name if type_.name in NAMED_TYPES else INT.name  # an enumeration
        return lambda frame: machine(frame).scalar(c_type, get(frame))
    if isinstance(type_, StructType):
        return lambda frame: _struct(type_, get(frame), frame, what, line)
    if not isinstance(type_, PointerType):
        raise PlanError(f"{what} is a {describe(type_)} by value; pass its numbers one by one", line)

    def pointer(frame: Frame) -> Pointer:
        place = get(frame)
        if not isinstance(place, Place):
            raise PlanError(f"{what} points to host memory, which a kernel cannot read; pass the value itself", line)
        return machine(frame).pointer(place, line)

    return pointer


def _struct(type_: StructType, value: list[Any], frame: Frame, what: str, line: int) -> Struct:
    data, pointers = bytearray(type_.size), list[tuple[int, Pointer]]()

    def put(at: int, kind: Type, inner: Any) -> None:
        if isinstance(kind, StructType):
            for field, each in zip(kind.fields, inner, strict=True):
                put(at + kind.offset(field.name), field.type, each)
        elif isinstance(kind, ArrayType):
            for index, each in enumerate(inner):
                put(at + index * kind.element.size, kind.element, each)
        elif isinstance(inner, Place):
            pointers.append((at, machine(frame).pointer(inner, line)))
        elif isinstance(inner, HostPlace):
            raise PlanError(f"{what} holds a pointer to host memory, which a kernel cannot read", line)
        elif isinstance(kind, Arithmetic) and inner is not None:  # None: not set, which C copies as well
            name = kind.name if kind.name in NAMED_TYPES else INT.name
            data[at : at + kind.size] = scalar_bytes(name, inner)

    put(0, type_, value)
    return Struct(describe(type_), bytes(data), tuple(pointers))


@builtin("cudaLaunchKernel", "cudaLaunchCooperativeKernel")
def launch_by_pointers(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """(kernel, grid, block, void *arguments[], shared, stream): the arguments' addresses are on the host."""
    if not 4 <= len(nodes) <= 6:
        refuse(node, "cudaLaunchCooperativeKernel takes (kernel, grid, block, arguments, shared bytes, stream)")
    kernel = convert(compile_expression(nodes[0], scope), KERNEL, nodes[0])
    grid, block = (initialiser(n, DIM3, scope) for n in nodes[1:3])
    packed = convert(compile_expression(nodes[3], scope), PointerType(PointerType(VOID)), nodes[3], is_cast=True).get
    shared = _shared(nodes[4], scope) if len(nodes) > 4 else _no_bytes
    is_cooperative = "Cooperative" in text(part(node, "function"))
    line = line_of(node)

    def get(frame: Frame) -> int:
        chosen: Kernel = kernel.get(frame)
        arguments = _unpacked(frame, chosen, packed(frame), line)
        sizes = _dims(grid(frame)), _dims(block(frame))
        machine(frame).launch(Launch(chosen.name, *sizes, arguments, shared(frame), is_cooperative, line=line))
        return 0

    return Expr(INT, get)


def _unpacked(frame: Frame, chosen: Kernel, packed: Any, line: int) -> tuple[KernelArgument, ...]:
    found: list[KernelArgument] = []
    for index, (name, type_) in enumerate(chosen.parameters):
        what = f"argument {name} of {chosen.name}"
        if not isinstance(packed, HostPlace):
            raise PlanError(f"{what}: the array of argument addresses must be on the host", line)
        address = load(HostPlace(packed.container, packed.position + index), what)
        value = load(address, what)
        if isinstance(type_, Arithmetic) and isinstance(value, bool | int | float):
            if type_.is_float != isinstance(value, float):
                raise PlanError(f"{what} is a {type_.name}; the address leads to a variable of another type", line)
            found.append(_maker(lambda _, value=value: value, type_, what, line)(frame))  # type: ignore[misc]
        elif isinstance(type_, StructType) and isinstance(value, list):
            found.append(_struct(type_, value, frame, what, line))
        elif isinstance(value, Place):
            found.append(machine(frame).pointer(value, line))
        else:
            raise PlanError(f"{what} cannot be passed by address; launch with {chosen.name}<<<...>>>(...)", line)
    return tuple(found)


@builtin("cudaLaunchKernelEx")
def launch_with_attributes(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """(&config, kernel, arguments ...): grid, block, shared bytes and a list of attributes are in the config."""
    if len(nodes) < 2:
        refuse(node, "cudaLaunchKernelEx takes (&config, kernel, arguments ...)")
    config = convert(compile_expression(nodes[0], scope), PointerType(LAUNCH_CONFIG, True), nodes[0]).get
    values = [decay(compile_expression(n, scope)) for n in nodes[2:]]
    kernel = _launched(nodes[1], [v.type for v in values], scope)
    arguments = _arguments(kernel, values, nodes[2:], node)
    line = line_of(node)

    def get(frame: Frame) -> int:
        chosen: Kernel = kernel.get(frame)
        grid, block, shared, _, attributes, count = load(config(frame), "the launch configuration")
        is_cooperative, cluster = _attributes(attributes, count)
        made = tuple([make(frame) for make in arguments(chosen)])
        step = Launch(chosen.name, _dims(grid), _dims(block), made, shared, is_cooperative, cluster, line)
        machine(frame).launch(step)
        return 0

    return Expr(INT, get)


def _attributes(first: Any, count: int) -> tuple[bool, Dim3 | None]:
    is_cooperative, cluster = False, None
    for index in range(count):
        if not isinstance(first, HostPlace):
            raise PlanError("the launch attributes must be on the host")
        kind, value = load(HostPlace(first.container, first.position + index), "a launch attribute")
        if kind == _COOPERATIVE:
            is_cooperative = bool(value[1])
        elif kind == _CLUSTER:
            cluster = _dims(value[0])
    return is_cooperative, cluster


@builtin("cudaFuncSetAttribute")
def set_attribute(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    if len(nodes) != 3:
        refuse(node, "cudaFuncSetAttribute takes (kernel, attribute, value)")
    kernel, attribute, value = (compile_expression(n, scope) for n in nodes)
    which, key = convert(kernel, KERNEL, nodes[0]).get, attribute.get
    change = convert(value, INT, nodes[2]).get

    def get(frame: Frame) -> int:
        chosen: Kernel = which(frame)
        if key(frame) == 8:  # cudaFuncAttributeMaxDynamicSharedMemorySize
            machine(frame).shared_limits[chosen.name] = change(frame)
        return 0

    return Expr(INT, get)


LAUNCH.append(launch)
