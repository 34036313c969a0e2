"""A correct candidate on the measured case -> its structure and memory.

The simulator's counts are those of verification, where it ran there; after a device it runs once more on the simulator,
and the properties say so in their `source`. No time is measured.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cudaperf_magic.bench.architectures import architecture
from cudaperf_magic.bench.building import host_arguments, plan_of
from cudaperf_magic.bench.devices import MEMORY_BYTES, TIMEOUT_S, SimulatorRunner
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.roofline import simulated_roofline
from cudaperf_magic.bench.runners import Runner
from cudaperf_magic.bench.sandbox import Finished, run_in_child
from cudaperf_magic.bench.simulator.launch import UNLIMITED_STEPS, simulate
from cudaperf_magic.bench.simulator.result import SimulatorResult
from cudaperf_magic.bench.structure import compulsory, structure
from cudaperf_magic.errors import Unsupported
from cudaperf_magic.records import Candidate, Memory, Structure, Task
from cudaperf_magic.tasks.cases import Inputs, materialise


@dataclass(frozen=True)
class Examined:
    """`structure` is None when the run could not be watched to its end, or not at all."""

    structure: Structure | None
    memory: Memory


def examine(task: Task, candidate: Candidate, compiled: Compiled, runner: Runner) -> Examined:
    """Structure and memory on the task's measured case, `task.cases[0]`.

    Args:
        runner: what the candidate was verified by.
    """
    case = task.cases[0]
    plan = plan_of(task, candidate, case)
    sizes_bytes = dict(host_arguments(task, case).buffers)
    arguments = sum(sizes_bytes.values())
    memory = Memory(candidate_bytes=arguments + plan.peak_bytes, reference_bytes=arguments)
    result = runner.counts(plan) if isinstance(runner, SimulatorRunner) else None
    result = result or _counted(task, compiled, plan)
    if result is None or not result.is_complete:
        return Examined(None, memory)
    found = structure(
        result.launches,
        result.lines,
        architecture(compiled.build.arch),
        resources=compiled.resources,
        compulsory_bytes=compulsory(task, sizes_bytes),
        case=case,
    )
    roofline = simulated_roofline(task, case, result.launches, compiled.build.arch)
    return Examined(replace(found, roofline=roofline), memory)


def _counted(task: Task, compiled: Compiled, plan: LaunchPlan) -> SimulatorResult | None:
    inputs = materialise(task, task.cases[0])
    arrays = {a.name: inputs[a.name] for a in task.arrays}
    try:
        ended = run_in_child(watch, compiled, plan, arrays, timeout_s=TIMEOUT_S, memory_bytes=MEMORY_BYTES)
    except Unsupported:
        return None
    return ended.value if isinstance(ended, Finished) else None


def watch(compiled: Compiled, plan: LaunchPlan, arrays: Inputs) -> SimulatorResult:
    """What the child does: one run, every block counted; races were looked for in verification."""
    own = {name: array.copy() for name, array in arrays.items()}
    return simulate(compiled, plan, own, poison_workspace=False, check_global_races=False, step_limit=UNLIMITED_STEPS)
