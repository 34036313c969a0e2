"""A task's C -> shared objects for large sizes: as written, widened, and loosely rounded; with OpenMP where it is.

The flags keep C's own roundings, except in the loose build, which re-orders sums over lanes and cores and fuses
multiply-adds, as an honest kernel may. It compiles; fast_run.py runs what it made, in a child process.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from cudaperf_magic.bench.reference.build import (
    ONLY_WRAPPER,
    c_compiler,
    person_options,
    processor_flag,
    shared_object,
    shared_objects,
    wrapped_source,
)
from cudaperf_magic.bench.reference.fast_c import fast_c, has_parallel_loop
from cudaperf_magic.bench.resources import cores
from cudaperf_magic.compiler.loops import Function
from cudaperf_magic.errors import ToolchainError
from cudaperf_magic.records import Task
from cudaperf_magic.tasks.plain import orders_of

# None of these changes a value: they drop errno and floating-point traps, which no C here looks at.
FAST = ("-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math")
LOOSE = (
    "-DCP_LOOSE=1", "-ffp-contract=fast", "-fassociative-math", "-fno-signed-zeros", "-freciprocal-math",
)  # fmt: skip


@dataclass(frozen=True)
class FastBuild:
    """Paths. as_written: the person's text behind `cudaperf_reference_call`, for C with no parallel loop; else "".

    plain, widened, loose: printed from the IR, behind `cp_fast`. threads: for loops that can use them.
    is_parallel: whether any loop of plain and widened can.
    """

    as_written: str
    plain: str
    widened: str
    loose: str
    threads: int
    is_parallel: bool


def build_fast(task: Task, function: Function, threads: int | None = None) -> FastBuild:
    """Compile all that are needed, side by side.

    Args:
        threads: at most so many; None for every core that this process may use.

    Raises:
        TaskError: the C compiler refuses the person's text. ToolchainError: there is no C compiler.
    """
    orders = orders_of(task)
    is_parallel = has_parallel_loop(function, orders) and has_openmp()
    flags = (*FAST, processor_flag(), *(("-fopenmp",) if is_parallel else ()))
    loosely = (*FAST, processor_flag(), *(("-fopenmp",) if has_openmp() else ()))
    narrow, wide = fast_c(function, orders, wide=False), fast_c(function, orders, wide=True)
    spread = fast_c(function, orders, wide=False, combines=True)
    jobs = [(narrow, flags, False), (wide, flags, False), (spread, (*loosely, *LOOSE), False)]
    if not is_parallel:
        person = (*FAST, processor_flag(), *ONLY_WRAPPER, *person_options(task))
        jobs.append((wrapped_source(task, function), person, True))
    plain, widened, loose, *rest = shared_objects(jobs)
    usable = cores()
    used = min(threads or usable, usable)
    return FastBuild(rest[0] if rest else "", plain, widened, loose, used, is_parallel)


@functools.cache
def has_openmp() -> bool:
    """Whether the C compiler builds and links OpenMP (gcc needs libgomp for it)."""
    trial = "#include <omp.h>\nint cp_trial(void) { return omp_get_max_threads(); }\n"
    try:
        shared_object(c_compiler(), trial, ("-fopenmp",), False)
    except ToolchainError:
        return False
    return True
