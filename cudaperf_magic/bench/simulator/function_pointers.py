"""Functions by address and by name: what a function pointer or a virtual table holds, and which functions it may mean.

A call through a pointer becomes a choice among the functions of its prototype whose address the module takes. It knows
no C; inlining.py writes the choice.
"""

from __future__ import annotations

from collections.abc import Sequence

from cudaperf_magic.bench.simulator.ptx import Function, Instruction, Module, Symbol

FIRST_ADDRESS, STEP = 0x4000000000000000, 16  # in a window of their own: nothing can be read there


def function_addresses(module: Module) -> dict[str, int]:
    """The address of every function that has a body."""
    names = [f.name for f in module.functions.values() if f.has_body and not f.is_kernel]
    return {name: FIRST_ADDRESS + STEP * i for i, name in enumerate(names, 1)}


def taken(module: Module) -> set[str]:
    """The functions whose address an instruction or the initial value of a variable takes."""
    names: set[str] = set()
    for function in module.functions.values():
        for item in function.body:
            if isinstance(item, Instruction) and item.opcode[0] == "mov":
                names |= {o.name for o in item.operands if isinstance(o, Symbol)}
        for variable in function.variables.values():
            names |= {value[0] for _, value in variable.initial if isinstance(value, tuple)}
    for variable in module.variables.values():
        names |= {value[0] for _, value in variable.initial if isinstance(value, tuple)}
    return names & module.functions.keys()


def candidates(module: Module, result_bytes: Sequence[int], argument_bytes: Sequence[int]) -> list[Function]:
    """The functions that a call with these results and arguments may reach."""
    names = taken(module)
    return [
        f
        for f in module.functions.values()
        if f.name in names
        and f.has_body
        and [p.size for p in f.results] == list(result_bytes)
        and [p.size for p in f.parameters] == list(argument_bytes)
    ]
