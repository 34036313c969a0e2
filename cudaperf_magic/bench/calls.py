"""One call of a verified program on the caller's own arrays: read, build (from the cache), run in a child, copy back.

The arguments were checked in calling.py. It compares nothing: what the kernel computed is the answer. A fault on these
arguments (an index outside its array, for example) is an exception, and then the caller's arrays are as they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.building import compile_in_child
from cudaperf_magic.bench.devices import open_device
from cudaperf_magic.bench.launcher import PlanError, device_source, read_plan
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.runners import Request, RunResult
from cudaperf_magic.errors import NotVerified
from cudaperf_magic.records import Candidate, Task

Array = NDArray[Any]


def run_once(
    task: Task, candidate: Candidate, scalars: Mapping[str, Any], arrays: Mapping[str, Array], device: str = "simulator"
) -> int | float | bool | None:
    """Run the program once; outputs are written into `arrays`, the C function's return value is returned.

    Args:
        scalars: by-value arguments by name. arrays: C-contiguous arrays of the right dtype, by name.
        device: "simulator" or "cuda:0".

    Raises:
        NotVerified: the program fails on these arguments; the sentence says where.
        ToolchainError: the machine lacks something.
    """
    buffers = {a.name: _bytes_of(a.name, arrays) for a in task.arrays if not a.is_result}
    result = next((a for a in task.arrays if a.is_result), None)
    if result is not None:
        buffers[result.name] = np.zeros(np.dtype(result.dtype).itemsize, np.uint8)
    plan = _plan(task, candidate, scalars, buffers)
    if plan.launches or plan.steps:
        opened = open_device(device)
        initialised = {name: name != (result.name if result else "") for name in buffers}
        with opened.runner(_compiled(task, candidate, plan, opened.arch)) as runner:
            (ran,) = runner.run([Request(plan, buffers, "forward", initialised)])
        if ran.status != "done" or ran.faults:
            raise NotVerified(f"{task.entry}: {_why(ran)}; it was verified on other arguments, and fails on these")
        buffers = {name: np.asarray(ran.arrays[name]).reshape(-1).view(np.uint8) for name in buffers}
    for argument in task.arrays:
        if not argument.is_result and argument.role != "in":
            arrays[argument.name].reshape(-1).view(np.uint8)[:] = buffers[argument.name]
    return buffers[result.name].view(result.dtype)[0].item() if result else None


def _why(ran: RunResult) -> str:
    if ran.status != "done":
        return ran.message
    fault = ran.faults[0]
    return f"line {fault.line}: {fault.message}" if fault.line else fault.message


def _bytes_of(name: str, arrays: Mapping[str, Array]) -> Array:
    return arrays[name].reshape(-1).view(np.uint8).copy()


def _plan(task: Task, candidate: Candidate, scalars: Mapping[str, Any], buffers: Mapping[str, Array]) -> LaunchPlan:
    in_order = {a.name: scalars[a.name] for a in task.scalars}
    sizes = {a.name: buffers[a.name].nbytes for a in task.arrays}
    try:
        return read_plan(candidate.source, task.entry, in_order, sizes)
    except PlanError as error:
        raise NotVerified(f"{task.entry}: {error}") from None


def _compiled(task: Task, candidate: Candidate, plan: LaunchPlan, arch: str) -> Compiled:
    compiled = compile_in_child(device_source(candidate.source), arch, plan.kernels)
    if not compiled.build.ok:
        raise NotVerified(f"{task.entry}: its program no longer builds on this machine; translate it again")
    return compiled
