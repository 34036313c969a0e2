"""A candidate's host function, read for concrete sizes, becomes a LaunchPlan. It is never run.

The text is parsed with tree-sitter, each statement is compiled once into a Python closure (host_*.py), and the
closures are evaluated for the scalars at hand. What reading cannot follow is a PlanError with its line: a fault of
the candidate, never of the machine. Kernels are not looked at beyond their parameters, and nothing touches a device.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from cudaperf_magic.bench.host import control as host_control  # noqa: F401
from cudaperf_magic.bench.host import cuda as host_cuda  # noqa: F401
from cudaperf_magic.bench.host import launch as host_launch  # noqa: F401
from cudaperf_magic.bench.host import streams as host_streams  # noqa: F401
from cudaperf_magic.bench.host.declared import declared, written_type
from cudaperf_magic.bench.host.device_text import device_source
from cudaperf_magic.bench.host.functions import Instance, compile_function
from cudaperf_magic.bench.host.macros import expand
from cudaperf_magic.bench.host.runtime import Limits, Machine, PlanError
from cudaperf_magic.bench.host.scope import MACHINE, STATEMENTS, Frame, Scope, Unit, constant, convert
from cudaperf_magic.bench.host.source import Function, Program, read_program, text
from cudaperf_magic.bench.host.standard import StandardWords
from cudaperf_magic.bench.host.types import BOOL, DOUBLE, LLONG, STREAM, ULLONG, Arithmetic, PointerType, Type, describe

from .plan import LaunchPlan

__all__ = ["Limits", "Parameter", "PlanError", "device_source", "host_signature", "kernel_names", "read_plan"]


@dataclass(frozen=True)
class Parameter:
    """One parameter of the host function, as it is declared there."""

    name: str
    c_type: str
    is_pointer: bool


@dataclass(frozen=True)
class _Reader:
    """A host function compiled and ready to be evaluated, any number of times."""

    unit: Unit
    instance: Instance
    names: tuple[str, ...]
    line: int


def read_plan(
    source: str,
    entry: str,
    scalars: Mapping[str, int | float | bool],
    buffers: Mapping[str, int],
    limits: Limits | None = None,
) -> LaunchPlan:
    """What the host function `entry` does on the device for these scalars.

    Args:
        source: the candidate's whole CUDA text.
        entry: the host function's name.
        scalars: value of each by-value parameter, in the task's order.
        buffers: size in bytes of each pointer parameter, in the task's order; the plan uses these names.
        limits: bounds on loop turns, steps and workspace.

    Raises:
        PlanError: the text cannot be read, or does what CUDA would refuse; with the line where that is.
    """
    try:
        reader = _reader(source, entry)
        return _evaluate(reader, entry, dict(scalars), dict(buffers), limits or Limits())
    except RecursionError:
        raise PlanError("the host function is nested too deeply to be read; split its expressions") from None


def host_signature(source: str, entry: str) -> tuple[Parameter, ...]:
    """The parameters of the host function but for streams, of which a plan has one.

    Raises:
        PlanError: there is no such function, or its parameters cannot be read.
    """
    program = read_program(expand(source))
    function = find_host(program, entry)
    scope = file_scope(Unit(program, vocabulary=StandardWords()))
    found = []
    for node in function.parameters:
        made = declared(node.child_by_field_name("declarator"), written_type(node, scope), scope)
        if made.type is not STREAM:
            found.append(Parameter(made.name, describe(made.type), not isinstance(made.type, Arithmetic)))
    return tuple(found)


def kernel_names(source: str) -> tuple[str, ...]:
    """The kernels that the text defines, in its order."""
    functions = read_program(expand(source)).functions.items()
    return tuple(name for name, each in functions if any(f.is_kernel and f.body is not None for f in each))


def plain_kernels(source: str) -> tuple[str, ...]:
    """The kernels whose name alone says which is meant: no templates, no overloads."""
    functions = read_program(expand(source)).functions.items()
    single = ((name, each[0]) for name, each in functions if len(each) == 1)
    return tuple(name for name, f in single if f.is_kernel and f.body is not None and not f.template)


def find_host(program: Program, entry: str) -> Function:
    functions = program.functions.get(entry, [])
    hosts = [f for f in functions if not f.is_kernel and f.is_host and f.body is not None]
    if len(hosts) > 1:
        raise PlanError(f"there are {len(hosts)} host functions named {entry}; keep one", hosts[1].line)
    if hosts:
        if hosts[0].template:
            raise PlanError(
                f"the host function {entry} is a template; write it for the task's own types", hosts[0].line
            )
        return hosts[0]
    others = [name for name, each in program.functions.items() if any(not f.is_kernel and f.is_host for f in each)]
    if any(f.is_kernel for f in functions):
        raise PlanError(
            f"{entry} is a kernel; add a host function of another kernel name that launches it", functions[0].line
        )
    seen = f"; the file has {', '.join(others[:5])}" if others else ""
    raise PlanError(
        f"there is no host function named {entry}{seen}. Add `void {entry}(...)` with the task's parameters"
    )


@lru_cache(maxsize=64)
def _reader(source: str, entry: str) -> _Reader:
    program = read_program(expand(source))
    function = find_host(program, entry)
    unit = Unit(program, vocabulary=StandardWords())
    scope = file_scope(unit)
    instance = compile_function(function, "", scope.inner(), function.node)
    names = tuple(_name(node, scope) for node in function.parameters)
    return _Reader(unit, instance, names, function.line)


def _name(node: Node, scope: Scope) -> str:
    return declared(node.child_by_field_name("declarator"), written_type(node, scope), scope).name


def file_scope(unit: Unit) -> Scope:
    """Constants, types and variables above the functions; what only device code understands is passed over."""
    scope = Scope(unit, unit.file_routine)
    for node, namespace in unit.program.others:
        unit.namespace = namespace
        handler = STATEMENTS.get(node.type)
        words = {text(child) for child in node.children}
        if handler is None or words & {"__device__", "__constant__", "__shared__", "__managed__"}:
            continue
        try:
            unit.starts.append(handler(node, scope))
        except PlanError:
            continue  # a name that host code does use is then reported where it is used
    unit.namespace = ""
    return scope


def _evaluate(
    reader: _Reader, entry: str, scalars: dict[str, int | float | bool], buffers: dict[str, int], limits: Limits
) -> LaunchPlan:
    machine = Machine(limits, globals=[None] * reader.unit.global_count)
    frame: Frame = [None] * max(reader.instance.routine.slots, 2)
    frame[MACHINE] = machine
    start: Frame = [None] * reader.unit.file_routine.slots
    start[MACHINE] = machine
    for run in reader.unit.starts:
        run(start)
    for slot, value in _arguments(reader, entry, scalars, buffers, machine):
        frame[slot] = value
    reader.instance.run(frame)
    return machine.plan


def _arguments(
    reader: _Reader, entry: str, scalars: dict[str, int | float | bool], buffers: dict[str, int], machine: Machine
) -> list[tuple[int, object]]:
    """Pairs the task's values with the function's parameters: by name if all match, else each kind in its order."""
    parameters = [
        (name, slot, type_) for name, (slot, type_) in zip(reader.names, reader.instance.parameters, strict=True)
    ]
    found: list[tuple[int, object]] = [(slot, 0) for _, slot, type_ in parameters if type_ is STREAM]
    parameters = [each for each in parameters if each[2] is not STREAM]
    names = [name for name, _, _ in parameters]
    pointers = [name for name, _, type_ in parameters if isinstance(type_, PointerType)]
    values = [name for name in names if name not in pointers]
    expected = ", ".join([*scalars, *buffers])
    if len(pointers) != len(buffers) or len(values) != len(scalars):
        raise PlanError(
            f"{entry} takes {_count(len(values), 'scalar')} and {_count(len(pointers), 'pointer')}, "
            f"the task passes {_count(len(scalars), 'scalar')} and {_count(len(buffers), 'pointer')} ({expected})",
            reader.line,
        )
    by_name = set(names) == {*scalars, *buffers} and set(pointers) == set(buffers)
    own = (
        {n: n for n in names} if by_name else dict(zip([*values, *pointers], [*scalars, *buffers], strict=True))
    )
    for name, slot, type_ in parameters:
        if isinstance(type_, PointerType):
            found.append((slot, machine.parameter(own[name], buffers[own[name]])))
        else:
            found.append((slot, _scalar(scalars[own[name]], type_, name, reader)))
    return found


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _scalar(value: int | float | bool, type_: Type, name: str, reader: _Reader) -> object:
    if not isinstance(type_, Arithmetic):
        raise PlanError(
            f"parameter {name} is a {describe(type_)}; take numbers by value and arrays as pointers", reader.line
        )
    is_large = isinstance(value, int) and value > 2**63 - 1
    given = BOOL if isinstance(value, bool) else DOUBLE if isinstance(value, float) else ULLONG if is_large else LLONG
    return convert(constant(given, value), type_, reader.unit.program.root).value
