"""A task in C -> its plainest correct CUDA: one thread an iteration, nothing reused; what speedups are named against.

It is what the embedded policy proposes in turn 1, and depends on nothing but the task. It chooses no sizes.
"""

from __future__ import annotations

from cudaperf_magic.compiler.cuda_writer import write_cuda
from cudaperf_magic.compiler.loops import Function
from cudaperf_magic.compiler.mapping import plan
from cudaperf_magic.compiler.program import Program
from cudaperf_magic.records import Candidate, Task

NAME = "plain CUDA (turn 1)"


def orders_of(task: Task) -> dict[str, str]:
    """How the values of index arrays are ordered, where something is known of it."""
    return {a.name: a.values.order for a in task.arguments if a.values is not None and a.values.order != "any"}


def title_of(function: Function) -> str:
    """The comment that a translated file begins with."""
    return f"{function.name}: translated from C; pointers are device pointers."


def plain_candidate(task: Task, function: Function) -> Candidate | None:
    """The plain translation; None when nothing in the C can run side by side.

    Args:
        function: the task's function as `tasks.c.function_of` gives it.
    """
    orders = orders_of(task)
    program: Program = plan(function, orders, ())
    if program.is_serial:
        return None
    return Candidate(write_cuda(program, orders, title_of(function)), origin="plain", intention=NAME)
