"""A task's reference at a size that fills a GPU: the largest proposal of tasks/filling.py that its C can bear.

How fast the C runs is measured on a smaller case first. Each proposal's proportions pass the checked build at small
sizes; then the C runs unwatched, on all cores where its loops allow it. Results are in shared memory, held for the
tasks met last. It judges no candidate.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import Lock

from cudaperf_magic.bench.oracle import Oracle, Reference, has_floats
from cudaperf_magic.bench.reference.fast_build import FastBuild, build_fast
from cudaperf_magic.bench.reference.fast_run import FastResult, leaves_of, rooms, run_fast
from cudaperf_magic.bench.resources import available_bytes
from cudaperf_magic.bench.sandbox import Finished, SharedArrays, run_in_child
from cudaperf_magic.records import Case, Task
from cudaperf_magic.tasks.cases import materialise
from cudaperf_magic.tasks.expressions import Unknown
from cudaperf_magic.tasks.filling import (
    REFERENCE_S,
    STEPS_PER_S,
    TARGET_BYTES,
    Filling,
    Limit,
    fillings,
    size_bytes,
)
from cudaperf_magic.tasks.work import estimated_steps

TRIAL_BYTES, TRIAL_S = 16 << 20, 0.05  # of the case on which the C's speed is measured
LATE = 8.0  # a run that takes so many times its estimate is given up, and a smaller case taken
LEAST_TIMEOUT_S = 5.0
WORTH_MORE = 8.0  # a case that takes less than such a part of what is allowed is worth another try
RUNS = 5  # of plain C that all three runs cost together
MEMORY_BYTES = 48 << 30  # of address space
UNKNOWN_BYTES = 8 << 30  # taken to be available where the system does not say
MEMORY_SHARE = 12  # of what is available, one part: inputs, two results, their wider copies, the buffers of runs
MOST_HELD_BYTES = 6 << 30


@dataclass(frozen=True)
class Filled:
    """The reference of a filling case. `shared`: its inputs for a child; None where they are small.

    `note` says why it is no larger, "" where it fills the target. `seconds`: what the runs of the C took;
    `on_all_cores`: whether loops of it ran on several.
    """

    reference: Reference
    note: str
    size_bytes: int
    limited_by: Limit = "bytes"
    shared: SharedArrays | None = None
    seconds: tuple[float, ...] = ()
    on_all_cores: bool = False

    @property
    def case(self) -> Case:
        return self.reference.case


_HELD: OrderedDict[Task, Filled] = OrderedDict()
_LOCK = Lock()


def filled(oracle: Oracle, *, target_bytes: int = TARGET_BYTES, most_reference_s: float = REFERENCE_S) -> Filled:
    """The task's reference at a filling size, from memory when it is held; seconds when it is not.

    Raises:
        TaskError: the C compiler refuses the person's text, or the C fails on its measured case.
        ToolchainError: there is no C compiler.
    """
    with _LOCK:
        held = _HELD.get(oracle.task)
        if held is not None:
            _HELD.move_to_end(oracle.task)
            return held
    made = _made(oracle, min(target_bytes, available_bytes(UNKNOWN_BYTES) // MEMORY_SHARE), most_reference_s)
    with _LOCK:
        _HELD[oracle.task] = made
        while len(_HELD) > 1 and 4 * sum(one.size_bytes for one in _HELD.values()) > MOST_HELD_BYTES:
            _HELD.popitem(last=False)
    return made


def forget() -> None:
    """Lets go of all results that are held."""
    with _LOCK:
        _HELD.clear()


def _made(oracle: Oracle, target_bytes: int, most_reference_s: float) -> Filled:
    speed = _trial_speed(oracle)
    found = _largest(oracle, target_bytes, most_reference_s, speed)
    if found is None:
        return _measured(oracle, target_bytes)
    taken = sum(found.seconds)
    if found.limited_by == "reference" and taken * WORTH_MORE < most_reference_s:
        # The trial was too small to tell how fast the C is; this run tells.
        speed = estimated_steps(oracle.function, found.case.size) / max(taken, 1e-6)
        larger = _largest(oracle, target_bytes, most_reference_s, speed, above_bytes=found.size_bytes)
        found = larger or found
    return found


def _measured(oracle: Oracle, target_bytes: int) -> Filled:
    """The measured case, where nothing larger can be run."""
    first = fillings(oracle.task, oracle.function, target_bytes=target_bytes)[0]
    is_told = first.case == oracle.task.cases[0]
    held = size_bytes(oracle.task, oracle.task.cases[0].size)
    note = first.note if is_told else f"timed on {held / 2**20:,.1f} MB of arrays: the C bears no larger sizes"
    return Filled(oracle.run(oracle.task.cases[0]), note, held, first.limited_by)


def _largest(
    oracle: Oracle, target_bytes: int, most_s: float, steps_per_s: float, above_bytes: int = 0
) -> Filled | None:
    """The first proposal that the C can bear."""
    task, function = oracle.task, oracle.function
    proposals = fillings(
        task, function, target_bytes=target_bytes, most_reference_s=most_s, steps_per_s=max(steps_per_s, 1.0)
    )
    for one in proposals:
        if one.case == task.cases[0] or one.size_bytes <= above_bytes:
            return None
        if not _is_sound(oracle, one):
            continue
        found = run_case(oracle, build_fast(task, function), one.case, max(LEAST_TIMEOUT_S, LATE * one.reference_s))
        if found is not None:
            return replace(found, note=one.note, size_bytes=one.size_bytes, limited_by=one.limited_by)
    return None


def _trial_speed(oracle: Oracle) -> float:
    """Loop iterations a second that all runs of the C together come to, on a case that takes no time."""
    task, function = oracle.task, oracle.function
    for trial in fillings(task, function, target_bytes=TRIAL_BYTES, most_reference_s=TRIAL_S):
        if trial.case == task.cases[0]:
            break
        if _is_sound(oracle, trial):
            found = run_case(oracle, build_fast(task, function), trial.case, LEAST_TIMEOUT_S)
            if found is not None:
                return estimated_steps(function, trial.case.size) / max(sum(found.seconds), 1e-6)
    return STEPS_PER_S / RUNS


def _is_sound(oracle: Oracle, one: Filling) -> bool:
    """Whether the checked build finds nothing wrong at small sizes of these proportions."""
    return one.analogue is None or oracle.defines(one.analogue)


def run_case(oracle: Oracle, build: FastBuild, case: Case, timeout_s: float) -> Filled | None:
    """The C on one large case, unwatched, in a child; None where it crashes, takes too long or cannot be compared."""
    task = oracle.task
    try:
        inputs = materialise(task, case)
    except (Unknown, MemoryError):
        return None
    shared = SharedArrays.share(inputs)
    del inputs
    room = SharedArrays.room(rooms(task.arguments, shared.arrays()))
    ended = run_in_child(
        run_fast,
        build,
        task.arguments,
        shared,
        room,
        has_floats(oracle.function),
        timeout_s=timeout_s,
        memory_bytes=MEMORY_BYTES,
        processes=64 + build.threads,
    )
    if not isinstance(ended, Finished):
        return None
    result: FastResult = ended.value
    leaves = leaves_of(task.arguments, room.arrays(), result)
    steps = int(estimated_steps(oracle.function, case.size))
    reference = Reference(case, shared.arrays(), leaves, steps)
    return Filled(reference, "", shared.nbytes, shared=shared, seconds=result.seconds, on_all_cores=build.is_parallel)
