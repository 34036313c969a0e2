"""Which function of a CUDA text is run: a host function of its own, the one that a launch line makes, or main().

Nothing is evaluated here. The answer is a text that the reader of host code takes, and the parameters to be filled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from cudaperf_magic.bench.host.declared import declared, written_type
from cudaperf_magic.bench.host.macros import expand
from cudaperf_magic.bench.host.scope import Unit
from cudaperf_magic.bench.host.source import Function, Program, read_program
from cudaperf_magic.bench.host.types import ArrayType, PointerType
from cudaperf_magic.bench.inspecting.default_launch import default_launch, example
from cudaperf_magic.bench.inspecting.launch_line import TypeOf, launched, no_type
from cudaperf_magic.bench.inspecting.main_program import main_entry
from cudaperf_magic.bench.inspecting.parameters import Parameter
from cudaperf_magic.bench.inspecting.program import Entry, called_in, kernels_of, launching_functions
from cudaperf_magic.bench.launcher import file_scope
from cudaperf_magic.errors import TaskError, UsageError, did_you_mean

NO_KERNEL = "there is no kernel here: a function that begins with __global__"


def find_entry(
    source: str,
    *,
    launch: str | None = None,
    entry: str | None = None,
    defines: Iterable[str] = (),
    type_of: TypeOf = no_type,
) -> Entry:
    """What to run, in this order: the launch line, the named host function, main, the only host function that launches
    kernels, the only kernel.

    Args:
        type_of: the pointer type of a named array, for templates whose arguments are left out.

    Raises:
        UsageError, TaskError: it is not to be found, or there are several; one sentence says what to write.
        PlanError: the text cannot be read.
    """
    defines = tuple(defines)
    if launch is not None and entry is not None:
        raise UsageError("--launch and --entry both say what is run; leave one out")
    program = read_program(expand(source, defines))
    if not kernels_of(program):
        raise TaskError(NO_KERNEL)
    if launch is not None:
        return launched(source, launch, defines, type_of)
    if entry is not None:
        return _named(source, program, entry, defines)
    launching = launching_functions(program)
    if "main" in launching:
        return main_entry(source, defines)
    callers = [name for name in launching if not _is_called(name, program, launching)]
    if len(callers) == 1:
        return _host(source, callers[0], defines)
    if callers:
        raise UsageError(f"{', '.join(callers)} launch kernels; say which is run: --entry {callers[0]}")
    line, note = default_launch(program)
    try:
        made = launched(source, line, defines, type_of)
    except UsageError as problem:
        raise TaskError(str(problem).removeprefix("--launch: "), kernels_of(program)[0].line) from None
    return replace(made, notes=(note, *made.notes))


def _is_called(name: str, program: Program, launching: Mapping[str, Function]) -> bool:
    return any(name in called_in(f.body) for other, f in launching.items() if other != name)


def _named(source: str, program: Program, entry: str, defines: tuple[str, ...]) -> Entry:
    found = program.functions.get(entry, [])
    if any(f.is_kernel for f in found):
        line = example(found[0], program)
        raise UsageError(f"--entry {entry}: {entry} is a kernel; write a launch of it: --launch '{line}'")
    hosts = [name for name, each in program.functions.items() if any(not f.is_kernel and f.is_host for f in each)]
    if not found or entry not in hosts:
        there = f"; there is {', '.join(hosts)}" if hosts else "; the program has none"
        raise UsageError(f"--entry {entry}: there is no such host function{did_you_mean(entry, hosts) or there}")
    return main_entry(source, defines) if entry == "main" else _host(source, entry, defines)


def _host(source: str, name: str, defines: tuple[str, ...]) -> Entry:
    expanded = expand(source, defines)
    program = read_program(expanded)
    function = next(f for f in program.functions[name] if f.body is not None and f.is_host and not f.is_kernel)
    if function.template:
        raise TaskError(f"{name} is a template; write a function that calls it with types", function.line)
    scope = file_scope(Unit(program))
    found = []
    for node in function.parameters:
        made = declared(node.child_by_field_name("declarator"), written_type(node, scope), scope)
        type_ = PointerType(made.type.element, made.is_const) if isinstance(made.type, ArrayType) else made.type
        if not made.name:
            raise TaskError(f"a parameter of {name} has no name", function.line)
        found.append(Parameter(made.name, type_))
    return Entry(_copies_anywhere(expanded), name, tuple(found), name)


def _copies_anywhere(expanded: str) -> str:
    """A host function's pointers may be meant for the host: a copy to them can still be followed."""
    return expanded.replace("cudaMemcpyDeviceToHost", "cudaMemcpyDefault     ")
