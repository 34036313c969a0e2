"""Task + candidate -> Compiled: the host function is read for the task's sizes, the device code goes through NVRTC.

Which templates are instantiated follows from the launches that the host function makes. What cannot be read or compiled
is a Build that says so in the candidate's own lines. The compiler runs in a child process under limits; nothing is
launched.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from cudaperf_magic.bench.compilers import TIMEOUT_S, Compiler
from cudaperf_magic.bench.host.source import nested_launch
from cudaperf_magic.bench.launcher import PlanError, device_source, plain_kernels, read_plan
from cudaperf_magic.bench.nvrtc import FILE_NAME, Compiled
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.sandbox import Crashed, TimedOut
from cudaperf_magic.records import Build, Candidate, Case, Task
from cudaperf_magic.tasks.cases import materialise
from cudaperf_magic.tasks.expressions import Unknown

READING_S = 3.0  # for the host function, over all cases together
NESTED_LAUNCH = "a kernel that launches kernels (dynamic parallelism) is not built here; launch from the host"


@dataclass(frozen=True)
class HostArguments:
    """What the host function is called with: values of scalars, and bytes of each buffer."""

    scalars: tuple[tuple[str, int | float | bool], ...]
    buffers: tuple[tuple[str, int], ...]


@lru_cache(maxsize=1024)
def host_arguments(task: Task, case: Case) -> HostArguments:
    """The host function's arguments for a case of the task."""
    inputs = materialise(task, case)
    scalars = tuple((a.name, inputs[a.name][0].item()) for a in task.scalars)
    return HostArguments(scalars, tuple((a.name, inputs[a.name].nbytes) for a in task.arrays))


@dataclass
class Reader:
    """Reads one candidate's host function for one size after another, and knows when that has taken too long."""

    source: str
    entry: str
    used_s: float = 0.0

    @property
    def is_used_up(self) -> bool:
        return self.used_s > READING_S

    def plan(self, given: HostArguments) -> LaunchPlan:
        """What the host function does when it is called with these arguments.

        Raises:
            PlanError: it cannot be read, or does what CUDA would refuse.
        """
        key = (self.source, self.entry, given)
        known = _PLANS.get(key)
        if known is not None:
            self.used_s += known[1]
            return known[0]
        started = time.thread_time()
        try:
            plan = read_plan(self.source, self.entry, dict(given.scalars), dict(given.buffers))
        finally:
            used_s = time.thread_time() - started
            self.used_s += used_s
        if len(plan.steps) <= LONGEST_KEPT:
            while len(_PLANS) >= MOST_PLANS:
                with suppress(KeyError, RuntimeError):  # another thread made room
                    del _PLANS[next(iter(_PLANS))]
            _PLANS[key] = (plan, used_s)
        return plan


# Building, coverage, verification and measuring each ask for the same plans; with what reading them took.
_PLANS: dict[tuple[str, str, HostArguments], tuple[LaunchPlan, float]] = {}
MOST_PLANS, LONGEST_KEPT = 256, 4096  # plans, and steps of one


def plan_of(task: Task, candidate: Candidate, case: Case) -> LaunchPlan:
    """What the candidate's host function does for a case.

    Raises:
        PlanError: it cannot be read, or does what CUDA would refuse.
    """
    return Reader(candidate.source, task.entry).plan(host_arguments(task, case))


def build_candidate(task: Task, candidate: Candidate, arch: str) -> Compiled:
    """Compile the candidate with every kernel that it launches on the task's cases.

    Raises:
        ToolchainError: there is no compiler.
    """
    try:
        names = plan_of(task, candidate, task.cases[0]).kernels
        text = device_source(candidate.source)
    except PlanError as error:
        return Compiled(Build(ok=False, log=_as_log(error), arch=arch))
    names = tuple(dict.fromkeys((*names, *_other_kernels(task, candidate))))
    return compile_in_child(text, arch, names)


def compile_in_child(text: str, arch: str, names: tuple[str, ...], options: tuple[str, ...] = ()) -> Compiled:
    """Device code through NVRTC, under limits.

    Args:
        names: kernels as they are launched. options: further NVRTC options.

    Raises:
        ToolchainError: there is no compiler.
    """
    with Compiler() as compiler:
        match compiler.run(text, arch, names, options):
            case TimedOut():
                return _failed(
                    f"the compiler did not end within {TIMEOUT_S:.0f} s; simplify templates and macros", arch
                )
            case Crashed(why):
                return _failed(f"the compiler ended with {why}", arch)
            case compiled:
                return compiled if compiled.build.ok else _plainly(compiled, text)


def _plainly(failed: Compiled, text: str) -> Compiled:
    """A log that begins with a sentence where NVRTC's own words would not be understood."""
    line = nested_launch(text)
    if line is None:
        return failed
    why = f"{FILE_NAME}({line}): error: {NESTED_LAUNCH}"
    return replace(failed, build=replace(failed.build, log=f"{why}\n{failed.build.log}"))


def _other_kernels(task: Task, candidate: Candidate) -> list[str]:
    """Kernels that only other sizes launch: of templates those of the task's cases, of the rest all.

    A case that cannot be made or launched is left to verification.
    """
    found = list(plain_kernels(candidate.source))
    reader = Reader(candidate.source, task.entry)
    for case in task.cases[1:]:
        if reader.is_used_up:
            break  # verification says so
        try:
            found += reader.plan(host_arguments(task, case)).kernels
        except (PlanError, Unknown):
            continue
    return found


def _as_log(error: PlanError) -> str:
    """A PlanError in the compiler's form, so that whoever reads logs reads this too."""
    place = FILE_NAME if error.line is None else f"{FILE_NAME}({error.line})"
    return f"{place}: error: {error.message}"


def _failed(why: str, arch: str) -> Compiled:
    return Compiled(Build(ok=False, log=f"{FILE_NAME}: error: {why}", arch=arch))
