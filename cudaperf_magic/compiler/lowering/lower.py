"""Nest -> kernel: picks the form that the nest's decisions ask for, and hands it the analysis of the nest itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cudaperf_magic.compiler.analysis.dependence import Facts, analyse
from cudaperf_magic.compiler.loops import Function, Parameter, Stmt, Symbols
from cudaperf_magic.compiler.lowering.kernel import Kernel, teaching
from cudaperf_magic.compiler.lowering.lower_bins import lower_bins
from cudaperf_magic.compiler.lowering.lower_map import lower_map
from cudaperf_magic.compiler.lowering.lower_team import lower_team
from cudaperf_magic.compiler.lowering.lower_tile import lower_tile
from cudaperf_magic.compiler.lowering.lower_vector import lower_vector
from cudaperf_magic.compiler.program import Nest, Program


def symbols_of(program: Program) -> Symbols:
    """Types and shapes of the function's names and of the workspaces."""
    symbols = Symbols.of(program.function)
    for space in program.workspaces:
        symbols.types[space.name] = space.type
        symbols.shapes[space.name] = space.shape
    for nest in program.nests:
        inner = Symbols.of(nest_function(program, nest))
        symbols.types = inner.types | symbols.types
        symbols.shapes = inner.shapes | symbols.shapes
    return symbols


def nest_function(program: Program, nest: Nest) -> Function:
    """The nest as a function of its own, its band put back around its body: what the analysis is asked about."""
    body: tuple[Stmt, ...] = nest.body
    for loop in reversed(nest.loops):
        body = (replace(loop, body=body),)
    spaces = tuple(Parameter(space.name, space.type, space.shape) for space in program.workspaces)
    return replace(program.function, body=body, parameters=(*program.function.parameters, *spaces))


def nest_facts(program: Program, nest: Nest, orders: Mapping[str, str]) -> Facts:
    """The analysis of the nest, for which the variables of the host's loops around it are whole numbers."""
    function, types = nest_function(program, nest), Symbols.of(program.function).types
    own = {parameter.name for parameter in function.parameters}
    given = [Parameter(name, types[name]) for name in sorted(program.host_scalars - own) if name in types]
    return analyse(replace(function, parameters=(*function.parameters, *given)), orders)


def lower(program: Program, nest: Nest, orders: Mapping[str, str], host_names: set[str]) -> Kernel:
    """The kernel of one nest.

    Raises:
        ValueError: the nest's decisions do not fit together; moves refuse before it comes to this.
    """
    symbols = symbols_of(program)
    if nest.team > 1 or not nest.loops:
        kernel = lower_team(nest, nest_facts(program, nest, orders), symbols, host_names)
    elif nest.staged:
        kernel = lower_tile(nest, symbols, host_names)
    elif nest.vector > 1:
        kernel = lower_vector(nest, symbols, host_names)
    elif nest.private_bins:
        kernel = lower_bins(nest, symbols, host_names)
    else:
        kernel = lower_map(nest, symbols, host_names)
    return replace(kernel, body=(*teaching(nest), *kernel.body))
