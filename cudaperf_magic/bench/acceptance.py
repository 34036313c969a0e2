"""The last look at a candidate that was chosen: seeds that no turn has met, and what is too dear for every candidate.

An episode that tries many candidates may end with one that was lucky on the seeds that all its turns shared; here it is
frozen, and run once more on others. On a device come the shapes beside the measured one, the time with transfers, the
C's own times and NVIDIA's compute-sanitizer. It chooses nothing.
"""

from __future__ import annotations

from dataclasses import replace

from cudaperf_magic.bench.building import plan_of
from cudaperf_magic.bench.counters.metrics import Counts
from cudaperf_magic.bench.counters.ncu import Refusal, count_with_ncu
from cudaperf_magic.bench.counters.replay import Replay
from cudaperf_magic.bench.counters.sanitizer import Sanitized, sanitize
from cudaperf_magic.bench.devices import GpuRunner, SimulatorRunner
from cudaperf_magic.bench.gpu_sessions import Seat
from cudaperf_magic.bench.meter import Built, Meter
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.oracle import Oracle
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.runners import Runner
from cudaperf_magic.bench.trial import Trial
from cudaperf_magic.bench.verify import generality, verify
from cudaperf_magic.records import Candidate, Case, Fault, Outcome, Task, Verdict
from cudaperf_magic.tasks.cases import Inputs

# What a tool says of these is never a matter of taste. Reads of memory that nothing wrote, and hazards in shared
# memory, are told only: the tools cannot follow every honest way to order threads, and the simulator has judged them.
REFUSED = ("out_of_bounds", "misaligned")


def accept_simulated(task: Task, candidate: Candidate, compiled: Compiled, outcome: Outcome) -> Outcome:
    """Fresh seeds, on the simulator.

    Raises:
        TaskError, ToolchainError, Unsupported: as `Bench.evaluate`.
    """
    return _on_fresh_seeds(task, candidate, SimulatorRunner(compiled), outcome)


def accept_on_device(
    meter: Meter, candidate: Candidate, compiled: Compiled, seat: Seat, outcome: Outcome
) -> Outcome:
    """Fresh seeds, other shapes, the time with transfers, compute-sanitizer.

    Raises:
        TaskError, ToolchainError: as `Bench.evaluate`.
    """
    task, runner = meter.task, GpuRunner(compiled, seat)
    outcome = _on_fresh_seeds(task, candidate, runner, outcome)
    if not outcome.ok:
        return outcome
    assert outcome.verdict is not None
    verdict = replace(outcome.verdict, generality=generality(task, candidate, runner, meter.oracle))
    outcome = replace(outcome, verdict=verdict)
    if outcome.timing is not None:
        outcome = _with_transfers(meter, candidate, compiled, seat, outcome)
    seat.leave()
    if not outcome.ok:
        return outcome
    if outcome.structure is not None and all(p.source != "counters" for p in outcome.structure.properties):
        outcome = _counted_by_ncu(meter, candidate, compiled, outcome)
    return _sanitized(meter, candidate, compiled, outcome)


def _on_fresh_seeds(task: Task, candidate: Candidate, runner: Runner, outcome: Outcome) -> Outcome:
    fresh = Oracle(task)  # which draws seeds of its own
    verdict = verify(task, candidate, runner, fresh, fresh.hidden, hidden=False)
    return outcome if verdict.ok else failed(outcome, verdict)


def failed(outcome: Outcome, verdict: Verdict) -> Outcome:
    """What is left of an outcome whose candidate turned out wrong after all."""
    return replace(outcome, verdict=verdict, timing=None, structure=None)


def _with_transfers(meter: Meter, candidate: Candidate, compiled: Compiled, seat: Seat, outcome: Outcome) -> Outcome:
    trial = Trial(meter, seat, Built(compiled, plan_of(meter.task, candidate, meter.filled.case)))
    wrong = trial.first_call()
    if isinstance(wrong, Verdict):
        return failed(outcome, wrong)
    found = trial.transfers() if wrong is None else ()
    if isinstance(found, Verdict):
        return failed(outcome, found)
    assert outcome.timing is not None
    return replace(outcome, timing=replace(outcome.timing, end_to_end_us=found, others=meter.cpu))


def _counted_by_ncu(meter: Meter, candidate: Candidate, compiled: Compiled, outcome: Outcome) -> Outcome:
    """Where the bench's own profiler could not start, ncu may; else the structure stays the simulator's."""
    program = Built(compiled, plan_of(meter.task, candidate, meter.filled.case))
    replay = _replay(meter, compiled, program.plan, meter.filled.reference.inputs)
    found = count_with_ncu(replay, program.metrics)
    if isinstance(found, Refusal):
        return outcome
    structure = meter.structure(Counts.of(found), outcome.structure, len(program.plan.launches))
    return replace(outcome, structure=structure)


def _replay(meter: Meter, compiled: Compiled, plan: LaunchPlan, inputs: Inputs) -> Replay:
    return Replay(
        cubin=compiled.cubin,
        symbols=compiled.mangled,
        plan=plan,
        arrays={argument.name: inputs[argument.name] for argument in meter.task.arrays},
        unwritten=frozenset(argument.name for argument in meter.task.arrays if argument.role == "out"),
        device=meter.index,
    )


def _sanitized(meter: Meter, candidate: Candidate, compiled: Compiled, outcome: Outcome) -> Outcome:
    case = _small_case(meter.task)
    plan = plan_of(meter.task, candidate, case)
    replay = _replay(meter, compiled, plan, meter.oracle.run(case).inputs)
    found = sanitize(replay)
    assert outcome.verdict is not None
    if found is None or not found.tools:
        return outcome
    fault = _refused(found)
    if fault is not None:
        reason = f"compute-sanitizer: {fault.message}"
        return failed(outcome, Verdict("fault", reason, case, outcome.verdict.errors, (fault,)))
    return replace(outcome, verdict=replace(outcome.verdict, sanitizer=found.words))


def _refused(found: Sanitized) -> Fault | None:
    return next((fault for fault in found.faults if fault.kind in REFUSED), None)


def _small_case(task: Task) -> Case:
    """The largest of the small ordinary cases."""
    small = [case for case in task.cases[1:] if case.family == "nominal"] or list(task.cases)
    return max(small, key=lambda case: sum(case.size.values()))
