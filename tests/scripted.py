"""A runner for tests: the candidate is a Python function on NumPy arrays, behind the bench's own seam."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.oracle import Oracle
from cudaperf_magic.bench.runners import Request, RunResult
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.bench.verify import verify
from cudaperf_magic.records import Candidate, Case, Fault, Task, Verdict
from cudaperf_magic.tasks.c import read_task
from cudaperf_magic.tasks.cases import numpy_dtype, shape_of

Arrays = dict[str, NDArray[Any]]
Program = Callable[[Arrays], "Sequence[Fault] | None"]
BAND_BYTES = 256


class ScriptedRunner:
    """Runs `program` on views of the elements; scalars are there by name. Guard bands surround each array."""

    checks_bounds = False
    orders_threads = True

    def __init__(self, task: Task, program: Program, cases: Mapping[tuple[int, ...], Case] | None = None) -> None:
        self.task = task
        self.program = program
        self.runs = 0

    def run(self, requests: Sequence[Request]) -> list[RunResult]:
        return [self._one(request) for request in requests]

    def _one(self, request: Request) -> RunResult:
        self.runs += 1
        whole = {name: array.copy() for name, array in request.arrays.items()}
        views: Arrays = {}
        scalars = dict(zip((a.name for a in self.task.scalars), scalars_of(request), strict=True))
        for argument in self.task.arrays:
            dtype = numpy_dtype(argument.dtype)
            band = -(-64 * dtype.itemsize // BAND_BYTES) * BAND_BYTES
            inside = whole[argument.name][band : whole[argument.name].size - band]
            views[argument.name] = inside.view(dtype).reshape(shape_of(argument, scalars))
        with np.errstate(all="ignore"):
            faults = self.program({**scalars, **views, "order": request.schedule, "whole": whole})
        return RunResult(whole, tuple(faults or ()))


def scalars_of(request: Request) -> list[Any]:
    """The values that the host function passes on to its one kernel, in order."""
    return [a.value for a in request.plan.launches[0].arguments if hasattr(a, "value")]


def host_source(task: Task) -> str:
    """CUDA whose host function hands every scalar to one kernel, so that plans are real."""
    kinds = {"bool": "bool", "char": "char"}
    scalars = [f"{kinds.get(a.c_type, a.c_type)} {a.name}" for a in task.scalars]
    pointers = [f"{a.c_type if ':' not in a.dtype else 'void'} *{a.name}" for a in task.arrays]
    order = {a.name: text for a, text in zip((*task.scalars, *task.arrays), (*scalars, *pointers), strict=True)}
    parameters = ", ".join(order[a.name] for a in task.arguments)
    passed = ", ".join(a.name for a in task.scalars)
    kernel = f"__global__ void scripted({', '.join(scalars)}) {{}}\n"
    return f"{kernel}void {task.entry}({parameters}) {{\n    scripted<<<1, 1>>>({passed});\n}}\n"


def read_settled(source: str, **options: Any) -> tuple[Task, Oracle]:
    task, function = read_task(source, **options)
    task = settled(task, function)
    return task, Oracle(task, function)


def judged(source: str, program: Program, **options: Any) -> Verdict:
    """The verdict on a program that claims to do what the C does."""
    task, oracle = read_settled(source, **options)
    return verify(task, Candidate(host_source(task)), ScriptedRunner(task, program), oracle)
