"""Scalars that one kernel leaves for another live in cells: device arrays of one element.

A cell is loaded at a kernel's start where its value may be read, and stored at the end of the kernel that changed it.
"""

from __future__ import annotations

from dataclasses import replace

from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.loops import Assign, Const, Declare, Load, Name, Symbols
from cudaperf_magic.compiler.program import Nest, Program, Workspace

CELL = "_cell"


def cell(name: str) -> Load:
    return Load(f"{name}{CELL}", (Const("0"),))


def promote(program: Program) -> Program:
    """Give every device scalar that crosses kernels its cell; those that have one already keep it."""
    names = _crossing(program)
    if not names:
        return program
    symbols = Symbols.of(program.function)
    have = {space.name for space in program.workspaces}
    spaces = tuple(
        Workspace(cell(name).array, symbols.types[name], (Const("1"),), why=f"{name}, handed from kernel to kernel")
        for name in sorted(names)
        if cell(name).array not in have
    )
    for nest in program.nests:
        changed = _with_cells(nest, names, symbols, program.host_scalars)
        program = program.changed(nest.name, lambda _, changed=changed: (changed,))  # type: ignore[misc]
    return replace(program, workspaces=program.workspaces + spaces)


def _needs(nest: Nest, host_scalars: frozenset[str]) -> set[str]:
    """Device scalars whose value from before the nest may be read inside."""
    exposed = usage(nest.body).exposed
    return exposed - host_scalars - nest.private - {loop.var for loop in nest.loops}


def _crossing(program: Program) -> set[str]:
    wanted: set[str] = set()
    for nest in program.nests:
        written_elsewhere = {
            name
            for other in program.nests
            if other is not nest or not nest.loops
            for name in usage(other.body).assigned
        }
        wanted |= _needs(nest, program.host_scalars) & written_elsewhere
    stored = {array for nest in program.nests for array in usage(nest.body).stores if array.endswith(CELL)}
    return wanted | {array.removesuffix(CELL) for array in stored}


def _with_cells(nest: Nest, names: set[str], symbols: Symbols, host_scalars: frozenset[str]) -> Nest:
    touched = usage(nest.body)
    stored = set() if nest.loops else touched.assigned & names
    perhaps = stored - touched.surely  # stored at the end whether or not it was assigned
    loaded = (_needs(nest, host_scalars) | perhaps) & names
    before = tuple(Declare(name, symbols.types[name], init=cell(name)) for name in sorted(loaded))
    after = tuple(Assign(cell(name), "", Name(name)) for name in sorted(stored))
    kept = tuple(statement for statement in nest.body if statement not in after)
    return replace(nest, body=before + kept + after)
