"""A launch for the only kernel of a program, where none was given: what its own index arithmetic asks for.

It guesses only where the kernel's text decides it, and says what it took; otherwise it asks for --launch.
"""

from __future__ import annotations

from collections.abc import Sequence

from cudaperf_magic.bench.host.source import Function, Program
from cudaperf_magic.bench.inspecting.kernel_shape import SOME_BLOCKS, KernelShape, constants_of
from cudaperf_magic.bench.inspecting.program import kernels_of, parameter_name
from cudaperf_magic.errors import UsageError

NAMED = 5  # kernels that a sentence lists


def default_launch(program: Program, called: str = "") -> tuple[str, str]:
    """A launch line, and the sentence that says how it came about.

    Args:
        called: which kernel, with its template arguments; "" for the only one.

    Raises:
        UsageError: there are several kernels, or the kernel does not say how it is to be launched.
    """
    name = called.partition("<")[0]
    kernels = [kernel for kernel in kernels_of(program) if name in ("", kernel.name)]
    if len(kernels) != 1:
        names = ", ".join([*(k.name for k in kernels[:NAMED]), *(["..."] if len(kernels) > NAMED else [])])
        raise UsageError(f"there are {len(kernels)} kernels ({names}); say what is launched: {_option(program)}")
    kernel = kernels[0]
    if kernel.template and "<" not in called:
        raise UsageError(f"{kernel.name} is a template; say how it is launched: {_option(program)}")
    shape = KernelShape(kernel, constants_of(program))
    block = shape.block()
    grid = shape.blocks(block) if block is not None else None
    shared = shape.dynamic(block[0]) if block is not None else None
    if block is None or grid is None or shared is None:
        raise UsageError(f"{kernel.name} does not show how it is to be launched; say it: {_option(program)}")
    line = _line(called or kernel.name, kernel, grid, block, shared)
    return line, f"launched as {line}, for want of a launch: --launch '...' gives another"


def _option(program: Program) -> str:
    return f"--launch '{example(kernels_of(program)[0], program)}'"


def example(kernel: Function, program: Program) -> str:
    """A launch of this kernel as a person might write it, with as many dimensions as it uses."""
    shape = KernelShape(kernel, constants_of(program))
    block = shape.block() or ((256, 1, 1), (16, 16, 1), (8, 8, 4))[shape.dimensions - 1]
    grid = shape.blocks(block) or [str(SOME_BLOCKS) if f"b{axis}" in shape.used else "1" for axis in "xyz"]
    types = [d.child_by_field_name("type") for d, _ in shape.declared_shared(is_extern=True)]
    shared = f"{block[0]} * sizeof({(types[0].text or b'').decode()})" if types and types[0] is not None else ""
    template = f"<{', '.join('float' if p.is_type else '256' for p in kernel.template)}>" if kernel.template else ""
    return _line(kernel.name + template, kernel, grid, block, shape.dynamic(block[0]) or shared)


def _line(called: str, kernel: Function, grid: Sequence[str], block: Sequence[int], shared: str) -> str:
    names = ", ".join(parameter_name(node) for node in kernel.parameters)
    configuration = [_dim3(grid), _dim3([str(n) for n in block]), *([shared] if shared else [])]
    return f"{called}<<<{', '.join(configuration)}>>>({names})"


def _dim3(sizes: Sequence[str]) -> str:
    used = list(sizes)
    while len(used) > 1 and used[-1] == "1":
        used.pop()
    return used[0] if len(used) == 1 else f"dim3({', '.join(used)})"
