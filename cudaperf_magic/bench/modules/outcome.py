"""What the attempts on a candidate showed -> Outcome: verdict, timing and labels. It runs nothing.

The verdict comes from the referee's comparison alone; a child's status, words or output make no candidate right. A
time is claimed on a device only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from ...records import (
    Build,
    Candidate,
    Case,
    Fault,
    KernelRun,
    Label,
    Outcome,
    OutputError,
    Status,
    Task,
    Timing,
    Verdict,
    WrongElement,
)
from ..counters.activity import provenance
from ..gpu.clocks import together
from ..measuring.statistics import LEAST_PAIRS, ratio
from .attempt import Attempt, samples
from .inputs import NOMINAL
from .labels import breach, clocks_label, copy_label, fig_leaf_label, late_label, library_label, own_kernels
from .peak import memory_of
from .referee import Description

BASELINE_NAME = "Model (PyTorch eager)"


def outcome_of(
    task: Task,
    candidate: Candidate,
    description: Description,
    found: Attempt,
    labels: tuple[Label, ...],
    device: str,
    is_timed: bool,
) -> Outcome:
    name = "simulator" if device == "simulator" else device
    if found.trouble == "build":
        return Outcome(Build(False, found.reason), device=name, isolation=found.levels)
    kernels = provenance(found.kernels, own_kernels(candidate.source))
    labels += _labels(task, candidate, description, found, kernels)
    broken = breach(task, labels)
    verdict = _verdict(description, found)
    if verdict.ok and broken is not None:
        verdict = replace(verdict, status="cheat", reason=f"{broken.message}; the task asks for own kernels only")
    is_late = any(label.kind == "late_work" for label in labels)
    may_claim = is_timed and verdict.ok and not description.screened.weak
    timing = _timing(found, description.gpu, is_late) if may_claim else None
    memory, disagreement = memory_of(
        found.peak_bytes, found.risen_bytes, description.input_bytes, description.peak_bytes
    )
    labels += (disagreement,) if disagreement is not None else ()
    return Outcome(
        Build(True, seconds=found.load_s),
        verdict,
        timing,
        memory=memory,
        device=name,
        stages=_stages(found),
        kernels=kernels,
        labels=labels,
        isolation=found.levels,
    )


def _verdict(description: Description, found: Attempt) -> Verdict:
    step = found.failing
    faults: tuple[Fault, ...] = ()
    if found.trouble == "fault":
        faults = (Fault("input_changed", found.reason, remedy="work on a copy of it"),)
    status: Status = "pass" if found.trouble is None or found.trouble == "build" else found.trouble
    if status == "pass" and description.screened.is_unrefereeable:
        status = "unrefereeable"
    return Verdict(
        status,
        _reason(found, status),
        Case((), step.content.family, hidden=step.content.family != NOMINAL) if step is not None else None,
        _worst(found.errors),
        faults,
        found.passed,
        len(found.seconds) if found.trouble is None else found.passed + 1,
        found.is_deterministic,
        wrong=_wrong(found),
    )


def _wrong(found: Attempt) -> WrongElement | None:
    """The element that shows a mismatch; what its values are on a family that is kept secret stays so."""
    if found.wrong is None or found.failing is None or found.failing.content.family == NOMINAL:
        return found.wrong
    return replace(found.wrong, got="", expected="")


def _reason(found: Attempt, status: Status) -> str:
    if status == "unrefereeable":
        return "less precision cannot be told from honest rounding on this task's inputs; nothing is claimed"
    if found.trouble is None:
        return f"equals Model on all {found.passed} calls"
    where = f" on {found.failing.content.family} inputs" if found.failing is not None else ""
    hint = f"; {found.foreign_names}, so both were constructed with one seed" if found.foreign_names else ""
    return f"{found.reason}{where}{hint if status == 'mismatch' else ''}"


def _worst(errors: Sequence[OutputError]) -> tuple[OutputError, ...]:
    worst: dict[str, OutputError] = {}
    for error in errors:
        known = worst.get(error.name)
        if known is None or (error.largest or 0.0) > (known.largest or 0.0):
            worst[error.name] = error
    return tuple(worst.values())


def _labels(
    task: Task, candidate: Candidate, description: Description, found: Attempt, kernels: tuple[KernelRun, ...]
) -> tuple[Label, ...]:
    ours = [called.done_s for _, called, _ in found.seconds]
    until_settled = [called.settled_s for _, called, _ in found.seconds]
    candidates = [
        library_label(found.operations, kernels),
        fig_leaf_label(kernels),
        late_label(ours[1:], until_settled[1:], found.late_noise_s),
        clocks_label(ours[1:], found.own_seconds, found.noise_s) if found.trouble is None else None,
        copy_label(task.source, candidate.source),
    ]
    weak = description.screened.weak
    if weak:
        candidates.append(Label("degenerate", f"{' and '.join(weak)} would pass on every family: no time is claimed"))
    if found.foreign_names and description.state:
        candidates.append(Label("parameters_by_seed", f"{found.foreign_names}: both were constructed with one seed"))
    return tuple(label for label in candidates if label is not None)


def _stages(found: Attempt) -> tuple[tuple[str, float], ...]:
    """One-time work is told apart from a call's: what a constructor or a first call prepares is not free."""
    stages = [("construct", found.load_s)]
    if found.seconds:
        stages.append(("first call", found.seconds[0][1].done_s))
    steady = [ours.done_s for ours, _ in samples(found)]
    if steady:
        stages.append(("call", median(steady)))
    return tuple(stages)


def _timing(found: Attempt, gpu: str, is_late: bool) -> Timing | None:
    """By "done"; where work went on after it, by when the outputs were settled, for the reference as well."""
    pairs = samples(found)
    if not pairs:
        return None
    ours = tuple((called.settled_s if is_late else called.done_s) * 1e6 for called, _ in pairs)
    theirs = tuple((c.settled_s if is_late else c.done_s) * 1e6 for _, c in pairs if c is not None)
    clocks = together(found.clocks)
    if len(theirs) != len(ours):
        return Timing(ours, clocks=clocks, gpu=gpu)
    bounds = ratio(ours, theirs) if len(ours) >= LEAST_PAIRS else None
    return Timing(
        ours,
        baseline=BASELINE_NAME,
        baseline_samples_us=theirs,
        noise=found.noise_s * 1e6 / median(ours),
        interval=(bounds.low, bounds.high) if bounds is not None else None,
        clocks=clocks,
        gpu=gpu,
    )
