"""Task, candidate and a place to run it -> Verdict. It decides; runners.py runs, compare.py measures the distance.

Every small case runs twice, with different poison and in different thread orders. Faults are weighed by how much they
explain: a race or a stray access before the wrong number that it causes. Nothing a candidate does raises; a missing
tool does. It does not build, time or score.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.buffers import Buffer, buffers, memory_faults, shifted
from cudaperf_magic.bench.building import READING_S, HostArguments, Reader
from cudaperf_magic.bench.compare import compare
from cudaperf_magic.bench.coverage import coverage
from cudaperf_magic.bench.launcher import PlanError
from cudaperf_magic.bench.oracle import HEAVY_STEPS, Oracle, Reference
from cudaperf_magic.bench.reference.run import Leaf, at_path
from cudaperf_magic.bench.runners import Request, Runner, RunResult, Schedule
from cudaperf_magic.bench.words import element_text, value_text
from cudaperf_magic.records import Candidate, Case, Fault, OutputError, Status, Task, Verdict, WrongElement
from cudaperf_magic.tasks.neighbours import neighbours

Array = NDArray[Any]

# What explains most comes first. "unwritten" and a mismatch are found by comparison, after these.
IMPORTANCE = (
    "trap", "deadlock", "divergence", "out_of_bounds", "guard", "misaligned", "shared_race", "global_race",
    "input_changed", "uninitialised", "limit", "launch", "unwritten",
)  # fmt: skip
STATUS: dict[str, Status] = {"limit": "timeout", "deadlock": "timeout", "launch": "crash", "trap": "crash"}
# Loop iterations of warps that a candidate may take: beyond any honest multiple of the C's own.
LEAST_STEP_LIMIT, STEP_FACTOR = 1_000_000, 64
TOO_MUCH_HOST = f"the host function takes more than {READING_S:.0f} s over its cases; move its loops into kernels"
NOWHERE_WRITTEN = "launch a kernel that writes it for these sizes too; check what guards the launch and the write"
PARTLY_WRITTEN = "let the grid cover every element: (n + block - 1) / block blocks, or a loop that strides by the grid"
SAME_VALUE = "both write the same value"
FIRST_CPU_S, REST_CPU_S = 10.0, 20.0  # processor time for the first cases and for the rest: 30 s a candidate
FIRST_CASES = 3  # run before the rest, so that a candidate that is plainly wrong is answered at once


@dataclass(frozen=True)
class _Run:
    """One case in one order: what was handed over and what came back."""

    reference: Reference
    made: Mapping[str, Buffer]
    result: RunResult


@dataclass(frozen=True)
class _Judged:
    """What one case shows. `status` is "pass" or the reason's kind."""

    status: Status
    reason: str
    faults: tuple[Fault, ...] = ()
    errors: tuple[OutputError, ...] = ()
    is_deterministic: bool = True
    wrong: WrongElement | None = None


def verify(
    task: Task,
    candidate: Candidate,
    runner: Runner,
    oracle: Oracle,
    cases: Sequence[Case] | None = None,
    *,
    hidden: bool = True,
    more: Sequence[Case] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """Run the candidate on every case and hold it against the reference.

    Args:
        cases: what to verify on; by default the task's small cases, then its measured one.
        hidden: whether the small cases follow again on secret seeds.
        more: cases that this candidate needs besides.
        progress: told (cases done, cases in all) as they are done.

    Raises:
        ToolchainError: the machine cannot run candidates or references.
    """
    wanted = list(cases) if cases is not None else [*task.cases[1:], task.cases[0]]
    wanted += [case for case in more if case not in wanted]
    wanted += [case for case in oracle.hidden if case not in wanted] if hidden and cases is None else []
    judged: list[_Judged] = []
    for group, cpu_limit_s in _groups(wanted):
        references = oracle.run_all(group)
        judgements = _judge_group(task, candidate, runner, references, cpu_limit_s)
        for case, one in zip(group, judgements, strict=True):
            if one.status != "pass":
                return _failed(one, case, len(judged), len(wanted))
            judged.append(one)
        if progress is not None:
            progress(len(judged), len(wanted))
    return Verdict(
        status="pass",
        reason=f"equals the C on all {len(wanted)} cases",
        errors=_worst_errors(judged),
        cases_passed=len(judged),
        cases_total=len(wanted),
        is_deterministic=all(one.is_deterministic for one in judged),
    )


def verify_everywhere(task: Task, candidate: Candidate, runner: Runner, oracle: Oracle) -> Verdict:
    """`verify` on the task's cases, secret ones, and those that launch what this candidate keeps for rare sizes."""
    covered = coverage(task, candidate, oracle)
    verdict = verify(task, candidate, runner, oracle, more=covered.cases)
    if verdict.ok and covered.unmet:
        verdict = replace(verdict, reason=f"{verdict.reason}; none of them launches {', '.join(covered.unmet)}")
    return verdict


def generality(task: Task, candidate: Candidate, runner: Runner, oracle: Oracle) -> tuple[int, int]:
    """(Shapes beside the measured one on which the candidate is right, of those tried); no verdict hangs on it.

    Raises:
        ToolchainError: the machine cannot run candidates or references.
    """
    cases = oracle.defined(neighbours(task, oracle.function))
    references = oracle.run_all(cases)
    judgements = _judge_group(task, candidate, runner, references, REST_CPU_S) if references else iter(())
    return sum(one.status == "pass" for one in judgements), len(cases)


def _groups(cases: Sequence[Case]) -> Iterator[tuple[Sequence[Case], float]]:
    """Cases that run together, with the processor time that they may take."""
    for group, cpu_limit_s in ((cases[:FIRST_CASES], FIRST_CPU_S), (cases[FIRST_CASES:], REST_CPU_S)):
        if group:
            yield group, cpu_limit_s


def _failed(one: _Judged, case: Case, passed: int, total: int) -> Verdict:
    deterministic = None if one.is_deterministic else False
    return Verdict(
        one.status, one.reason, case, one.errors, one.faults, passed, total, deterministic, wrong=one.wrong
    )


def _worst_errors(judged: Sequence[_Judged]) -> tuple[OutputError, ...]:
    worst: dict[str, OutputError] = {}
    for error in (error for one in judged for error in one.errors):
        known = worst.get(error.name)
        if known is None or (error.largest or 0.0) > (known.largest or 0.0):
            worst[error.name] = error
    return tuple(worst.values())


# ------------------------------------------------------------------ running


def _judge_group(
    task: Task, candidate: Candidate, runner: Runner, references: Sequence[Reference], cpu_limit_s: float
) -> Iterator[_Judged]:
    """Judged in order, lazily; what cannot even be launched is judged without running anything after it."""
    requests: list[Request] = []
    handed: list[tuple[Reference, Mapping[str, Buffer]]] = []
    refused: _Judged | None = None
    reader = Reader(candidate.source, task.entry)
    for reference in references:
        if reader.is_used_up:
            refused = _Judged("timeout", TOO_MUCH_HOST, (Fault("limit", TOO_MUCH_HOST),))
            break
        try:
            pairs = _requests(task, reader, runner, reference)
        except PlanError as error:
            refused = _not_launched(error, reference.case)
            break
        requests += [replace(request, cpu_limit_s=cpu_limit_s) for request, _ in pairs]
        handed += [(reference, made) for _, made in pairs]
    results = runner.run(requests)
    runs = [_Run(reference, made, result) for (reference, made), result in zip(handed, results, strict=True)]
    for reference in references:
        own = [run for run in runs if run.reference is reference]
        if own:
            yield _judge(task, own)
    if refused is not None:
        yield refused


def _requests(
    task: Task, reader: Reader, runner: Runner, reference: Reference
) -> list[tuple[Request, Mapping[str, Buffer]]]:
    orders: tuple[Schedule, ...] = ("forward", "reverse") if runner.orders_threads else ("forward", "forward")
    if reference.steps > HEAVY_STEPS:
        orders = orders[:1]
    scalars = tuple((a.name, reference.inputs[a.name][0].item()) for a in task.scalars)
    sizes = tuple((a.name, reference.inputs[a.name].nbytes) for a in task.arrays)
    plan = reader.plan(HostArguments(scalars, sizes))
    found: list[tuple[Request, Mapping[str, Buffer]]] = []
    for number, order in enumerate(orders):
        made = buffers(task, reference.inputs, secrets.randbits(60), guarded=not runner.checks_bounds)
        plan = plan if number else shifted(plan, made)
        arrays = {name: buffer.handed for name, buffer in made.items()}
        initialised = {name: buffer.argument.role != "out" for name, buffer in made.items()}
        limit = LEAST_STEP_LIMIT + STEP_FACTOR * reference.steps
        found.append((Request(plan, arrays, order, initialised, reference.case.seed, limit), made))
    return found


def not_launched(error: PlanError, case: Case) -> Verdict:
    """The verdict on a program whose host function does, for a case, what cannot be read or CUDA would refuse."""
    return _failed(_not_launched(error, case), case, 0, 1)


def _not_launched(error: PlanError, case: Case) -> _Judged:
    reason = f"{error}{_for_sizes(case)}"
    return _Judged("crash", reason, (Fault("launch", str(error), line=getattr(error, "line", None)),))


# ------------------------------------------------------------------ judging


def _judge(task: Task, runs: Sequence[_Run]) -> _Judged:
    case = runs[0].reference.case
    for run in runs:
        if run.result.status != "done":
            why = f"{run.result.message}{_for_sizes(case)}"
            return _Judged(run.result.status, why, (Fault("limit", run.result.message), *run.result.faults))
    faults = [fault for run in runs for fault in (*run.result.faults, *memory_faults(run.made, run.result.arrays))]
    serious = sorted((f for f in dict.fromkeys(faults) if not _is_harmless(f)), key=lambda f: IMPORTANCE.index(f.kind))
    if serious:
        return _faulty(serious, case)
    unwritten = _unwritten(runs)
    if unwritten is not None:
        return _faulty([unwritten], case)
    errors: list[OutputError] = []
    for run in runs:
        wrong = mismatch(task, run.reference, partial(_left, run), errors)
        if wrong is not None:
            reason = wrong_text(wrong, case)
            return _Judged("mismatch", reason, tuple(faults), tuple(errors), wrong=wrong)
    return _Judged("pass", "", tuple(faults), tuple(errors), _same_bits(runs))


def _is_harmless(fault: Fault) -> bool:
    """Threads that write one and the same value (`found = 1`) end in that value in every order."""
    return fault.kind in ("global_race", "shared_race") and SAME_VALUE in fault.message


def _faulty(faults: Sequence[Fault], case: Case) -> _Judged:
    first = faults[0]
    place = f"line {first.line}: " if first.line and not first.message.startswith("line ") else ""
    status = STATUS.get(first.kind, "fault")
    return _Judged(status, f"{place}{first.message}{_for_sizes(case)}", tuple(faults))


def _unwritten(runs: Sequence[_Run]) -> Fault | None:
    """An element that still holds its own poison in two runs was never written: no value equals both by chance."""
    first = runs[0]
    for leaf in first.reference.leaves:
        buffer = first.made[leaf.name]
        if buffer.argument.role != "out" or not leaf.plain.size:
            continue
        kept = leaf.is_written.reshape(-1).copy()
        for run in runs:
            before = at_path(run.made[leaf.name].elements(), leaf.path)
            kept &= _same_bytes(before, _left(run, leaf))
        # One byte equals its poison now and then; two differing poisons of one byte, both kept, still prove it.
        if kept.any() and _differ(runs, leaf, kept):
            place = element_text(leaf, int(np.argmax(kept)))
            count = int(kept.sum())
            share = f"; {count} of {kept.size} elements are not" if kept.size > 1 else ""
            remedy = NOWHERE_WRITTEN if count == kept.size else PARTLY_WRITTEN
            return Fault("unwritten", f"{place} is never written{share}", remedy=remedy)
    return None


def _differ(runs: Sequence[_Run], leaf: Leaf, kept: NDArray[np.bool_]) -> bool:
    """Whether the poisons themselves differ at an element that was kept; equal ones prove nothing."""
    values = [at_path(run.made[leaf.name].elements(), leaf.path) for run in runs]
    kept &= ~_same_bytes(values[0], values[-1])
    return bool(kept.any())


def _same_bytes(left: Array, right: Array) -> NDArray[np.bool_]:
    size = left.dtype.itemsize
    ours, theirs = (np.ascontiguousarray(a).reshape(-1).view(np.uint8).reshape(-1, size) for a in (left, right))
    return np.asarray((ours == theirs).all(axis=1))


def mismatch(
    task: Task, reference: Reference, left: Callable[[Leaf], Array], errors: list[OutputError]
) -> WrongElement | None:
    """The first element that is wrong, if any; the errors of every output are added to the list.

    Its values are not told where the case is hidden: they follow from inputs that nobody may know.

    Args:
        left: what a run left in an output.
    """
    first: WrongElement | None = None
    for leaf in reference.leaves:
        got = left(leaf)
        found = compare(leaf, got, task.tolerance)
        errors.append(found.error)
        if found.wrong is not None and first is None:
            both = (np.ascontiguousarray(got), leaf.plain)
            ours, theirs = ("" if reference.case.hidden else value_text(a.reshape(-1)[found.wrong]) for a in both)
            place = element_text(leaf, found.wrong)
            first = WrongElement(place, ours, theirs, found.wrong_count, leaf.plain.size)
    return first


def wrong_text(wrong: WrongElement, case: Case) -> str:
    """The sentence on it: `y[3] is 0.25, expected 1.5; 3 of 33 elements are wrong (n=33, nominal inputs)`."""
    values = f"{wrong.got}, expected {wrong.expected}" if wrong.expected else "wrong"
    more = f"; {wrong.wrong} of {wrong.total} elements are wrong" if wrong.total > 1 else ""
    return f"{wrong.name} is {values}{more} ({_told(case)})"


def _left(run: _Run, leaf: Leaf) -> Array:
    """What the run left in one output; of structs one field, as the bytes between fields mean nothing."""
    return at_path(run.made[leaf.name].elements(run.result.arrays[leaf.name]), leaf.path)


def _same_bits(runs: Sequence[_Run]) -> bool:
    first = runs[0]
    return all(
        _left(first, leaf).tobytes() == _left(run, leaf).tobytes()
        for run in runs[1:]
        for leaf in first.reference.leaves
    )


def _told(case: Case) -> str:
    """What a policy may know of a case: of a hidden one its sizes only."""
    sizes = ", ".join(f"{name}={value}" for name, value in case.sizes)
    if case.hidden:
        return f"{sizes}, inputs kept secret" if sizes else "inputs kept secret"
    return f"{sizes}, {case.family} inputs" if sizes else f"{case.family} inputs"


def _for_sizes(case: Case) -> str:
    return f" (for {', '.join(f'{name}={value}' for name, value in case.sizes)})" if case.sizes else ""
