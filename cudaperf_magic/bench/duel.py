"""Two right candidates of one task beside each other on a device: sample by sample, in random order, at the size that
fills it. Each has a child of its own; both are held to the reference there before and during the timing.

How a sample is taken and a pair made is trial.py's; what is better is not said here.
"""

from __future__ import annotations

from contextlib import ExitStack

from cudaperf_magic.bench.building import build_candidate, plan_of
from cudaperf_magic.bench.gpu.lock import gpu_lock
from cudaperf_magic.bench.gpu_sessions import GpuSessions
from cudaperf_magic.bench.launcher import PlanError
from cudaperf_magic.bench.meter import Built, Meter
from cudaperf_magic.bench.trial import BASELINE_S, Lost, Trial
from cudaperf_magic.records import Candidate, Label, Timing, Verdict

LOST = "its process was lost while it was timed"


def duel(meter: Meter, sessions: GpuSessions, candidate: Candidate, baseline: Candidate) -> Timing | str:
    """The candidate's timing, paired with the other as its baseline; or why there is none, as the end of a sentence.

    The timing's `baseline` is the translation's name; whoever knows what the other is called says so.
    """
    programs = []
    for one in (baseline, candidate):
        program = _built(meter, one)
        if isinstance(program, str):
            return program
        programs.append(program)
    with ExitStack() as stack:
        theirs = Trial(meter, stack.enter_context(sessions.seat(BASELINE_S)), programs[0])
        ours = Trial(meter, stack.enter_context(sessions.seat()), programs[1])
        for trial, who in ((theirs, "the one that it is held against"), (ours, "it")):
            wrong = trial.first_call()
            if wrong is not None:
                return wrong.message if isinstance(wrong, Label) else f"{who} failed now: {wrong.reason}"
        try:
            with gpu_lock(theirs.uuid):
                theirs.settle()
        except Lost:
            return LOST
        timing = ours.timing(theirs)
    if isinstance(timing, Verdict):
        return f"it failed now: {timing.reason}"
    return timing if timing.baseline_samples_us else LOST


def _built(meter: Meter, candidate: Candidate) -> Built | str:
    compiled = build_candidate(meter.task, candidate, meter.arch)
    if not compiled.build.ok:
        return "it does not build for this card"
    try:
        return Built(compiled, plan_of(meter.task, candidate, meter.filled.case))
    except PlanError as error:
        return f"it cannot be launched: {error}"
