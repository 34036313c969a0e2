"""A task as read -> a task on whose inputs the C does nothing undefined, or the sentence that says why there is none.

For each place on the list of cases the first alternative is taken on which the checked build finds nothing. When the
values that were assumed do not suit (a logarithm of a negative number, a float that becomes a subscript), milder ones
are tried. What was left out or assumed is said in the task's notes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.compare import compare
from cudaperf_magic.bench.oracle import Oracle
from cudaperf_magic.bench.reference.run import CaseResult, Leaf, leaf_paths
from cudaperf_magic.bench.reference.words import fault_error, sizes_text
from cudaperf_magic.compiler.loops import Function
from cudaperf_magic.errors import TaskError
from cudaperf_magic.records import Argument, Case, Task, ValueRange
from cudaperf_magic.tasks.c import places_of
from cudaperf_magic.tasks.cases import numpy_dtype

ASSUMED = "assumed, so that the C stays in its domain"
FLOATS, INTEGERS = {"float32", "float64"}, {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
# (floats, integers) to try in turn for inputs of which nothing is known; None leaves them as they are.
LADDER: tuple[tuple[tuple[str, str] | None, tuple[str, str] | None], ...] = (
    (None, None), (("0.1", "2"), None), (("0.001", "0.999"), None), (None, ("-30", "30")), (None, ("0", "7")),
    (("0.1", "2"), ("1", "4")), (("0.001", "0.999"), ("1", "4")), (("0.01", "0.1"), ("0", "1")),
)  # fmt: skip
EXPLODED = 1e-10  # of the type's greatest value: such outputs hide what is wrong with ordinary ones
MOSTLY = 0.99  # of the outputs finite, or the values do not suit the function


@dataclass(frozen=True)
class _Trial:
    """One rung of the ladder, tried: for each place the case that was clean, if any, and the first fault met."""

    task: Task
    chosen: tuple[tuple[Case, CaseResult] | None, ...]
    faults: tuple[TaskError | None, ...]
    first_results: tuple[CaseResult | None, ...]

    @property
    def clean(self) -> list[tuple[Case, CaseResult]]:
        return [one for one in self.chosen if one is not None]

    @property
    def suits(self) -> bool:
        """Clean where it is measured and on half of the places, finite nearly everywhere, every operation defined."""
        if self.chosen[0] is None or 2 * len(self.clean) < len(self.chosen):
            return False
        return all(_is_tame(result) for case, result in self.clean if case.family == "nominal")

    def with_smaller_measure(self) -> _Trial:
        """When the C cannot bear the measured sizes but most of the small ones, the largest of those is measured."""
        nominal = [one for one in self.chosen[1:] if one is not None and one[0].family == "nominal"]
        real = [one for one in nominal if any(value > 1 for _, value in one[0].sizes)]
        if self.chosen[0] is not None or 2 * len(self.clean) < len(self.chosen) or len(real) < 2:
            return self
        largest = max(real, key=lambda one: one[1].steps)
        return replace(self, chosen=(largest, *self.chosen[1:]))

    @property
    def merit(self) -> tuple[int, int, int]:
        tame = sum(_is_tame(result) for _, result in self.clean)
        return int(self.chosen[0] is not None), len(self.clean), tame


def settled(task: Task, function: Function) -> Task:
    """The task with cases, values and roles that hold.

    Raises:
        TaskError: the C does something undefined on every kind of input tried; with its line.
        ToolchainError: there is no C compiler.
    """
    oracle = Oracle(task, function)
    best: _Trial | None = None
    for number, candidate in enumerate(_rungs(task)):
        trial = _try(oracle, candidate, places_of(task, function))
        if best is None or trial.merit > best.merit:
            best = trial
        if trial.suits:
            best = trial
            break
        if number == 0 and trial.chosen[0] is None and _is_endless(trial.first_results[2:] or trial.first_results):
            break
    assert best is not None
    best = best.with_smaller_measure()
    if best.chosen[0] is None:
        raise _first_fault(_try(oracle, task, places_of(task, function)) if best.task is not task else best)
    done = _finished(best, task)
    same_roles = [a.role for a in done.arguments] == [a.role for a in task.arguments]
    oracle.remember(done, best.clean if same_roles else ())
    return done


def _rungs(task: Task) -> Iterator[Task]:
    seen = set()
    for floats, integers in LADDER:
        arguments = tuple(_with_values(argument, task, floats, integers) for argument in task.arguments)
        if arguments not in seen:
            seen.add(arguments)
            yield replace(task, arguments=arguments)


def _with_values(
    argument: Argument, task: Task, floats: tuple[str, str] | None, integers: tuple[str, str] | None
) -> Argument:
    """The argument with a milder range, when nothing is known of it and it is no size."""
    kinds = {part.rpartition(":")[2] for part in argument.dtype.split(",")}
    is_size = argument.name in task.cases[0].size
    if argument.values is not None or argument.field_values or argument.role == "out" or is_size:
        return argument
    limits = floats if kinds & FLOATS else integers if kinds & INTEGERS else None
    return argument if limits is None else replace(argument, values=ValueRange(*limits, why=ASSUMED))


def _try(oracle: Oracle, task: Task, places: tuple[tuple[Case, ...], ...]) -> _Trial:
    """The first clean alternative of each place, one child process for each row of alternatives."""
    chosen: list[tuple[Case, CaseResult] | None] = [None] * len(places)
    faults: list[TaskError | None] = [None] * len(places)
    first: list[CaseResult | None] = [None] * len(places)
    for row in range(max(len(place) for place in places)):
        open_places = [k for k, place in enumerate(places) if chosen[k] is None and row < len(place)]
        if not open_places:
            break
        cases = list(dict.fromkeys(places[k][row] for k in open_places))
        results = {case: result for (case, _), result in oracle.results(task, cases)}
        for k in open_places:
            case = places[k][row]
            result = results.get(case)
            if result is None:
                continue
            if row == 0:
                first[k] = result
            if result.fault is not None:
                faults[k] = faults[k] or fault_error(result.fault, oracle.build, oracle.function, case)
            elif case.family == "nominal" or _is_sound(case, result):
                chosen[k] = (case, result)
    return _Trial(task, tuple(chosen), tuple(faults), tuple(first))


def _is_endless(results: tuple[CaseResult | None, ...]) -> bool:
    """Other values rarely end an endless loop, and each try takes seconds."""
    faults = [result.fault for result in results if result is not None and result.fault is not None]
    return any(fault.kind == "limit" for fault in faults)


def _first_fault(trial: _Trial) -> TaskError:
    """The measured case's fault, met again on the smallest sizes, which a person can follow by hand."""
    measured = trial.faults[0]
    if measured is None:
        return TaskError("no input could be made for it; say with --size and --range what its arguments are")
    return next((f for f in trial.faults[1:] if f is not None and f.line == measured.line), measured)


def _is_tame(result: CaseResult) -> bool:
    return not (result.conversion_line or result.overflow_line) and _is_finite(result)


def _is_sound(case: Case, result: CaseResult) -> bool:
    """Whether every honest kernel gives the same: with NaN on the way, a maximum depends on its order."""
    if result.conversion_line or result.overflow_line:
        return False
    floats = [leaf.plain for leaf in result.leaves if leaf.plain.dtype.kind == "f"]
    return case.family == "zeros and ties" or not any(bool(np.isnan(plain).any()) for plain in floats)


def _is_finite(result: CaseResult) -> bool:
    for leaf in result.leaves:
        if leaf.plain.dtype.kind == "f" and leaf.plain.size:
            limit = EXPLODED * float(np.finfo(leaf.plain.dtype).max)
            if np.mean(np.abs(leaf.plain) < limit) < MOSTLY:  # NaN is not below it either
                return False
    return True


# ------------------------------------------------------------------ the settled task


def _finished(trial: _Trial, task: Task) -> Task:
    clean = trial.clean
    disagreement = next((result.disagreement for _, result in clean if result.disagreement), "")
    if disagreement:
        raise TaskError(
            f"the compiler's result for {disagreement} is not that of our own reading of this function; "
            "please report it with the source"
        )
    read_first = frozenset().union(*(result.read_first for _, result in clean))
    unwritten = frozenset().union(*(result.unwritten for _, result in clean))
    arguments = tuple(
        replace(a, role="inout") if a.role == "out" and a.name in read_first | unwritten else a
        for a in trial.task.arguments
    )
    notes = (*task.notes, *_notes(trial, task))
    return replace(task, arguments=arguments, cases=tuple(dict.fromkeys(case for case, _ in clean)), notes=notes)


def _notes(trial: _Trial, task: Task) -> Iterator[str]:
    assumed: dict[str, list[str]] = {}
    for argument, before in zip(trial.task.arguments, task.arguments, strict=True):
        if argument.values != before.values and argument.values is not None:
            assumed.setdefault(f"between {argument.values.low} and {argument.values.high}", []).append(argument.name)
    for limits, names in assumed.items():
        who = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        yield f"{who} {'lies' if len(names) == 1 else 'lie'} {limits}: {ASSUMED}"
    told: set[str] = set()
    for chosen, fault in zip(trial.chosen, trial.faults, strict=True):
        if chosen is None and fault is not None and str(fault) not in told and len(told) < 3:
            told.add(str(fault))
            yield f"a case is left out: {fault}"
    overflows = {(result.overflow_line, case) for case, result in trial.clean if result.overflow_line}
    if overflows:
        line, case = min(overflows, key=lambda one: one[0])
        yield f"line {line}: a signed integer overflows{sizes_text(case)}; C leaves that open, here it wraps around"
    conversions = [result.conversion_line for _, result in trial.clean if result.conversion_line]
    if conversions:
        yield f"line {conversions[0]}: a float outside the integer type's range is converted; C leaves that open"
    yield from _degenerate(trial.clean, task)


def _degenerate(clean: list[tuple[Case, CaseResult]], task: Task) -> Iterator[str]:
    """The self-test: an output for which zeros, its mean, or its elements in another order would pass on every case."""
    passing: dict[str, set[str]] = {}
    for case, result in clean:
        if any(value <= 1 for _, value in case.sizes) or case == clean[0][0]:
            continue
        for leaf in result.leaves:
            impostors = {name for name, fake in _impostors(leaf) if compare(leaf, fake, task.tolerance).ok}
            passing[leaf.key] = passing.get(leaf.key, impostors) & impostors
    for key, names in passing.items():
        if names:
            yield f"{weak_words(key)}: {' and '.join(sorted(names))} would pass for it on every case"


def weak_words(key: str) -> str:
    """How the note on an output begins whose check is weak."""
    return f"the check of {key} is weak"


def is_degenerate(task: Task) -> str | None:
    """Why no speed may be claimed for a settled task: every output's check is weak, so that a kernel which computes
    nothing might pass; None where at least one output has to be computed.
    """
    found = []
    for argument in task.arrays:
        if argument.role != "in":
            for path in leaf_paths(numpy_dtype(argument.dtype)):
                words = f"{weak_words(f'{argument.name}.{path}' if path else argument.name)}:"
                found.append(next((note for note in task.notes if note.startswith(words)), None))
    told = [note for note in found if note is not None]
    return "; ".join(told) if told and len(told) == len(found) else None


def _impostors(leaf: Leaf) -> Iterator[tuple[str, NDArray[Any]]]:
    plain = leaf.plain
    yield "zeros", np.zeros_like(plain)
    if plain.size > 1:
        with np.errstate(all="ignore"):
            mean = np.mean(plain.astype(np.float64))
            yield "the mean", np.full_like(plain, mean if np.isfinite(mean) else 0)
        yield "another order", np.roll(plain.reshape(-1), 1).reshape(plain.shape)
