"""Kernels that none of the task's cases launches -> cases that do: the way out for rare sizes has to be right as well.

Host functions are read, not run, for one size after another until the kernel is met on a case that the C defines. It
judges nothing, and it looks at which kernels are launched, not at the branches inside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cudaperf_magic.bench.building import Reader, host_arguments
from cudaperf_magic.bench.host.runtime import TooLong
from cudaperf_magic.bench.launcher import PlanError, kernel_names
from cudaperf_magic.bench.oracle import Oracle
from cudaperf_magic.records import Argument, Candidate, Case, Task
from cudaperf_magic.tasks.c import GIVEN
from cudaperf_magic.tasks.expressions import Unknown, value_of
from cudaperf_magic.tasks.work import elements, estimated_steps

TRIED = (0, 1, 2, 3, -1, -2, *(1 << k for k in range(3, 21)))  # values of one scalar, the others as in a small case
TIES = "zeros and ties"  # the family in which updates collide
MOST_ELEMENTS = 1 << 21
MOST_STEPS = 1_500_000
MOST_STEPS_PROBED = 32  # of a plan: a loop over launches would take long to read at a far end


@dataclass(frozen=True)
class Coverage:
    """`cases` launch what the task's own do not; `unmet` are the kernels that nothing launched."""

    cases: tuple[Case, ...] = ()
    unmet: tuple[str, ...] = ()


def coverage(task: Task, candidate: Candidate, oracle: Oracle) -> Coverage:
    """The cases to verify a candidate on besides the task's own."""
    try:
        missing = set(kernel_names(candidate.source))
    except PlanError:
        return Coverage()  # building says why
    reader = Reader(candidate.source, task.entry)
    for case in task.cases:
        if not missing or reader.is_used_up:
            return Coverage(_idle_ends(task, reader, oracle))
        missing -= _launched(task, reader, case) or set()
    found: list[Case] = []
    ends: dict[str, Case] = {}
    for name, case in _probes(task, oracle):
        if reader.is_used_up:
            break
        launched = _launched(task, reader, case)
        is_news = launched is None or bool(launched & missing)
        if is_news and oracle.defines(case):
            found += [each for each in (case, replace(case, family=TIES)) if oracle.defines(each)]
            missing -= launched or missing  # a refused launch is judged where it stands
        if not missing:
            return Coverage(tuple(found))
        ends[name] = case
    # Where a kernel cannot be met, whatever stands in its place is tried at the far end of every scalar.
    found += [case for case in ends.values() if oracle.defines(case)]
    return Coverage(tuple(found), tuple(sorted(missing)))


def _idle_ends(task: Task, reader: Reader, oracle: Oracle) -> tuple[Case, ...]:
    """Far ends of scalars on which the host function launches nothing, though it does on the measured case."""
    ends = dict(_probes(task, oracle))
    try:
        measured = reader.plan(host_arguments(task, task.cases[0]))
        if not measured.kernels or len(measured.steps) > MOST_STEPS_PROBED:
            return ()
        idle = [case for case in ends.values() if not reader.plan(host_arguments(task, case)).kernels]
    except (TooLong, Unknown, PlanError):
        return ()
    return tuple(case for case in idle if oracle.defines(case))


def _launched(task: Task, reader: Reader, case: Case) -> set[str] | None:
    """The kernels launched on a case, without template arguments and namespaces; None where a launch is refused."""
    try:
        names = reader.plan(host_arguments(task, case)).kernels
    except (TooLong, Unknown):
        return set()
    except PlanError:
        return None
    return {name.partition("<")[0].rpartition("::")[2] for name in names}


def _probes(task: Task, oracle: Oracle) -> Iterator[tuple[str, Case]]:
    """A plain small case of the task with one integer scalar changed, whose name comes with it."""
    plain = [case for case in task.cases if case.family == "nominal" and min(case.size.values(), default=1) > 0]
    if not plain:
        return
    base = min(plain, key=lambda case: abs(max(case.size.values(), default=0) - 33))
    scalars = [a for a in task.scalars if "int" in a.dtype]
    for argument in scalars:
        for value in TRIED:
            sizes = {**base.size, argument.name: value}
            small = elements(oracle.function, sizes) <= MOST_ELEMENTS
            if small and estimated_steps(oracle.function, sizes) <= MOST_STEPS and _allows(argument, value, sizes):
                yield argument.name, Case(tuple(sizes.items()), seed=base.seed)


def _allows(argument: Argument, value: int, sizes: dict[str, int]) -> bool:
    """Whether a range that the person gave lets the value be. Derived ranges are left to the C itself."""
    limits = argument.values
    if argument.dtype.startswith("u") and value < 0:
        return False
    if limits is None or limits.why != GIVEN:
        return True
    try:
        low = value_of(limits.low, sizes) if limits.low is not None else value
        high = value_of(limits.high, sizes) if limits.high is not None else value
    except Unknown:
        return False
    return low <= value <= high
