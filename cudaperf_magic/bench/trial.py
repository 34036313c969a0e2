"""A program that is right on small cases, at the size that fills its device: right there too, and how fast.

A `Trial` is one program in its child. Every timed call is held to the answer of the call alone, and that to the
reference. `Plain` keeps the plain translation in a child of its own, beside which candidates are timed. It rewards
nothing and builds nothing of a candidate's; what a sample is, gpu/timing.py says.
"""

from __future__ import annotations

import random
import secrets
from contextlib import ExitStack, suppress
from threading import Lock
from typing import Literal, TypeVar

import numpy as np

from cudaperf_magic.bench.buffers import COPY, STAY_INSIDE
from cudaperf_magic.bench.building import build_candidate, plan_of
from cudaperf_magic.bench.card import noise_of
from cudaperf_magic.bench.counters.availability import Refused
from cudaperf_magic.bench.counters.metrics import Counts
from cudaperf_magic.bench.counters.profiler_child import CountLent
from cudaperf_magic.bench.gpu.clocks import reader, together
from cudaperf_magic.bench.gpu.lock import gpu_lock
from cudaperf_magic.bench.gpu.messages import Broke, Called, Count, Damage, Lend, Prepare, Question, Sampled, Settle
from cudaperf_magic.bench.gpu_sessions import End, Seat, sessions_of
from cudaperf_magic.bench.launcher import PlanError
from cudaperf_magic.bench.measuring.noise import duration_of
from cudaperf_magic.bench.measuring.pairing import Pairs, interleave, planned_pairs
from cudaperf_magic.bench.measuring.samples import Call, Manner, Prints, Sample, strays, times_us
from cudaperf_magic.bench.measuring.statistics import LEAST_PAIRS, ratio
from cudaperf_magic.bench.meter import Built, Meter
from cudaperf_magic.bench.reference.run import Leaf, at_path
from cudaperf_magic.bench.sandbox import Crashed, Finished, SharedArrays, TimedOut
from cudaperf_magic.bench.verify import STATUS, mismatch, wrong_text
from cudaperf_magic.records import Clocks, Fault, Label, OutputError, Timing, Verdict
from cudaperf_magic.tasks.plain import NAME, plain_candidate

BASELINE_S = 24 * 3600.0  # a baseline's child lives as long as its task is worked on
FIRST_CALL_S = 10.0  # past which a candidate is not timed: it is right on small cases, and far from fast
# A baseline that takes so long, and so many times the candidate's time, was timed before: no pairs are needed to tell.
SLOW_BASELINE_US, CLEARLY, KEPT_SAMPLES = 20_000.0, 3.0, 3
WARM_WINDOWS, TRANSFER_WINDOWS = 5, 3
UNCOUNTED_US = 100_000.0
SLOW_US = 5000.0  # a call so long is measured warm and with transfers only once
Answer = TypeVar("Answer")


class Lost(Exception):
    """A child did not answer, or its context is gone."""


class Trial:
    """One program in its child: `first_call`, `settle`, then `timing` and `counts`, in this order.

    Each returns a Verdict when the candidate fails there; nothing more can be asked then.
    """

    def __init__(self, meter: Meter, seat: Seat, program: Built) -> None:
        self._meter, self._seat, self._program = meter, seat, program
        self.manner: Manner | None = None
        self.errors: list[OutputError] = []
        self.is_lost = False
        self._samples: list[Sample] = []
        self._kept: tuple[float, ...] = ()
        self._end: End | None = None

    # ---------------------------------------------------------------- right

    def first_call(self) -> Verdict | Label | None:
        """One call on the filling case, held against the reference; a Label when it takes too long to be timed."""
        room = self._meter.take_room()
        question = Prepare(
            cubin=self._program.compiled.cubin,
            symbols=self._program.compiled.mangled,
            plan=self._program.plan,
            given=self._meter.given(),
            inputs=self._meter.inputs,
            trusted_cubin=self._meter.trusted_cubin,
            seed=secrets.randbits(62),
            remembers=self._program.remembers,
            keeps=self._program.may_vary_in_order,
            outputs=room,
        )
        try:
            ended = self._seat.ask(question, FIRST_CALL_S)
            if isinstance(ended, TimedOut):
                self.is_lost = True
                why = f"{self._sizes} it takes more than {FIRST_CALL_S:.0f} s: not checked or timed there"
                return Label("not_timed", why)
            if not isinstance(ended, Finished):
                return self._died(ended)
            called: Called = ended.value
            if called.fault is not None:
                return self._fault(called.fault)
            if called.damage:
                return self._fault(self._damage(called.damage))
            return self._compared(room)
        finally:
            self._meter.give_room(room)

    def _compared(self, room: SharedArrays) -> Verdict | None:
        reference = self._meter.filled.reference
        arrays = room.arrays()

        def left(leaf: Leaf) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
            return at_path(arrays[leaf.name], leaf.path)

        wrong = mismatch(self._meter.task, reference, left, self.errors)
        if wrong is None:
            return None
        why = wrong_text(wrong, reference.case)
        return self._failed(Verdict("mismatch", why, reference.case, tuple(self.errors), wrong=wrong))

    # ---------------------------------------------------------------- fast

    def settle(self) -> Manner:
        """How it is timed.

        Raises:
            Lost: the child did not come to say.
        """
        self.manner = self._asked(Settle(), Manner)
        return self.manner

    def cold(self) -> float:
        """One cold window, in microseconds a call. Raises Lost."""
        found = self._asked(Sampled("cold"), tuple)
        self._samples += found
        return float(found[0].us)

    @property
    def labels(self) -> tuple[Label, ...]:
        """What was seen on the way that is no verdict."""
        if not self._program.remembers:
            return self._meter.labels
        names = ", ".join(self._program.remembers)
        why = f"its kernels may write to {names}, so the module was loaded anew for each timed call"
        return (*self._meter.labels, Label("state", why))

    def timing(self, baseline: Trial | None) -> Timing | Verdict:
        """Cold beside the baseline, and warm; every call's outputs looked at.

        Args:
            baseline: settled, in another child.
        """
        rng = random.Random(secrets.randbits(62))
        with gpu_lock(self.uuid):
            try:
                settled = self.settle()
                state = reader(self.uuid)
                seen = [state.read()] if state else []
                pairs = self._pairs(settled, baseline, rng)
                warm = self._windows("warm", WARM_WINDOWS if settled.call_us < SLOW_US else 1)
            except Lost:
                return self._went_astray()
            seen += [state.read()] if state else []
        return self._stray(settled) or self._record(settled, pairs, warm, together(seen))

    def transfers(self) -> tuple[float, ...] | Verdict:
        """Microseconds of calls that bring their arrays from the host's memory and back."""
        with gpu_lock(self.uuid):
            try:
                settled = self.settle()
                found = self._windows("end to end", TRANSFER_WINDOWS if settled.call_us < SLOW_US else 1)
            except Lost:
                return self._went_astray()
        return self._stray(settled) or found

    def _pairs(self, settled: Manner, baseline: Trial | None, rng: random.Random) -> Pairs:
        ours_us = settled.call_us * settled.calls
        if baseline is not None and baseline.manner is not None:
            least, most = planned_pairs(ours_us, baseline.manner.call_us * baseline.manner.calls)
            try:
                if baseline.manner.call_us > max(SLOW_BASELINE_US, CLEARLY * settled.call_us):
                    return self._alone(ours_us), baseline.kept()
                return interleave(self.cold, baseline.cold, rng, least=least, most=most)
            except Lost:
                if not baseline.is_lost:
                    raise
            finally:
                baseline.forget()
        return self._alone(ours_us), ()

    def _alone(self, ours_us: float) -> tuple[float, ...]:
        least, most = planned_pairs(ours_us, 0.0)
        return tuple(self.cold() for _ in range(min(most, 2 * least)))

    def kept(self) -> tuple[float, ...]:
        """A few cold samples, taken once: of a baseline too slow to be called again beside each candidate."""
        if not self._kept:
            self._kept = tuple(self.cold() for _ in range(KEPT_SAMPLES))
            self.forget()
        return self._kept

    def _windows(self, kind: Literal["warm", "end to end"], count: int) -> tuple[float, ...]:
        found = self._asked(Sampled(kind, count), tuple)
        self._samples += found
        return times_us(found)

    @property
    def uuid(self) -> str:
        """Of the card."""
        return self._seat.ready.uuid

    def forget(self) -> None:
        """Lets go of the samples taken so far."""
        self._samples.clear()

    def _asked(self, question: Question, answer: type[Answer]) -> Answer:
        self._end = self._seat.ask(question)
        if isinstance(self._end, Finished) and isinstance(self._end.value, answer):
            return self._end.value
        self.is_lost = True
        raise Lost

    def _record(
        self,
        settled: Manner,
        pairs: Pairs,
        warm: tuple[float, ...],
        clocks: Clocks | None,
    ) -> Timing:
        ours, theirs = pairs
        found = ratio(ours, theirs) if len(theirs) == len(ours) >= LEAST_PAIRS else None
        meter = self._meter
        timing = Timing(
            samples_us=ours,
            baseline=NAME if theirs else "",
            baseline_samples_us=theirs,
            interval=(found.low, found.high) if found else None,
            noise=noise_of(meter.index, meter.arch, duration_of(settled.call_us)) if found else None,
            floor_us=meter.floor.us,
            floor_by=meter.floor.by,
            warm_us=warm,
            clocks=clocks,
            gpu=self._seat.ready.gpu,
            case=meter.filled.case,
            calls_per_sample=settled.calls,
            is_graph=settled.is_graph,
        )
        meter.floor.must_hold(timing.median_us)
        return timing

    # ---------------------------------------------------------------- counted

    def counts(self) -> Counts | Refused | Fault | None:
        """The hardware's counters over one call; a Fault when a kernel failed there twice, None when nobody answered.

        No verdict rests on it: the context of an open profiler may end with that of another candidate's fault.
        """
        if self.manner is not None and self.manner.call_us > UNCOUNTED_US:
            return Refused("a call takes so long that its several passes are not worth their time")
        handle = self._seat.answer(Lend())
        with gpu_lock(self.uuid):
            if isinstance(handle, bytes):
                found = self._counts_lent(handle)
                return self._counts_lent(handle) if isinstance(found, Fault) else found
            found = self._seat.answer(Count(self._program.metrics))  # where processes cannot lend each other memory
        return found.fault if isinstance(found, Broke) else found if isinstance(found, (Counts, Refused)) else None

    def _counts_lent(self, handle: bytes) -> Counts | Refused | Fault:
        compiled, plan, metrics = self._program.compiled, self._program.plan, self._program.metrics
        lent = CountLent(compiled.cubin, compiled.mangled, plan, self._meter.given(), handle, metrics)
        return self._meter.profiling.count(lent)

    # ---------------------------------------------------------------- failures

    def _stray(self, settled: Manner) -> Verdict | None:
        """Whether a timed call gave another answer than the call alone, by more than another order of sums would."""
        for call in strays(settled, self._samples):
            name = self._moved(call, settled.expected[call.set])
            if name:
                why = f"{name} came out otherwise in a timed call than in the same call alone"
                return self._failed(Verdict("mismatch", why, self._meter.filled.case, tuple(self.errors)))
        damage = self._seat.answer(Damage())
        return self._fault(self._damage(damage)) if damage else None

    def _moved(self, call: Call, expected: Prints) -> str:
        """The output that lies too far from what it was, if any."""
        names = [a.name for a in self._meter.task.arrays if a.role != "in"]
        for k, name in enumerate(names):
            distance = call.distances[k] if call.distances else None
            if call.prints[k] == expected[k]:
                continue
            if distance is None or distance.odd or distance.largest > self._allowed(name):
                return name
        return ""

    def _allowed(self, name: str) -> float:
        """How far two of its honest calls may lie apart in one output: twice what one may err."""
        task, allowed = self._meter.task, 0.0
        for leaf in self._meter.filled.reference.leaves:
            if leaf.name == name and leaf.plain.dtype.kind == "f" and leaf.plain.size:
                scale = float(np.max(np.abs(leaf.plain[np.isfinite(leaf.plain)]), initial=0.0))
                spread = float(np.max(leaf.spread, initial=0.0))
                eps = float(np.finfo(leaf.plain.dtype).eps)
                allowed = max(allowed, 2 * (task.tolerance.multiple * spread + 4 * eps * scale))
        return allowed

    def _damage(self, names: tuple[str, ...]) -> Fault:
        inputs = [a.name for a in self._meter.task.arrays if a.role == "in"]
        changed = next((name for name in names if name in inputs), None)
        if changed is not None:
            return Fault("input_changed", f"{changed} is an input, and it was changed", remedy=COPY)
        return Fault("guard", "something was written outside every array", remedy=STAY_INSIDE)

    def _died(self, ended: Crashed | TimedOut) -> Verdict:
        if isinstance(ended, TimedOut):
            why = f"a call did not end within {ended.timeout_s:.0f} s"
            return self._failed(Verdict("timeout", why, self._meter.filled.case, (), (Fault("limit", why),)))
        why = f"running it ended with {ended.why}"
        return self._failed(Verdict("crash", why, self._meter.filled.case))

    def _went_astray(self) -> Verdict:
        """It ran once, and then a kernel failed or its child did not answer."""
        match self._end:
            case Finished(Broke(fault)):
                return self._fault(fault)
            case Crashed() | TimedOut():
                return self._died(self._end)
        return self._failed(Verdict("crash", "it failed when it was called again", self._meter.filled.case))

    def _fault(self, fault: Fault) -> Verdict:
        place = f"line {fault.line}: " if fault.line else ""
        status = STATUS.get(fault.kind, "fault")
        return self._failed(
            Verdict(status, f"{place}{fault.message} ({self._sizes})", self._meter.filled.case, (), (fault,))
        )

    @property
    def _sizes(self) -> str:
        return "for " + ", ".join(f"{name}={value}" for name, value in self._meter.filled.case.sizes)

    def _failed(self, verdict: Verdict) -> Verdict:
        self.is_lost = True
        return verdict


class Plain:
    """The plain translation of a meter's task, settled in a child of its own that lives until `close`."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._stack = ExitStack()
        self._lock = Lock()
        self._trial: Trial | None = None
        self._exists = True

    def trial(self) -> Trial | None:
        """Made again when its child was lost; None where there is none that could be timed."""
        with self._lock:
            if self._trial is not None and not self._trial.is_lost:
                return self._trial
            if self._exists:
                self._trial = self._made()
                self._exists = self._trial is not None
            return self._trial

    def close(self) -> None:
        self._stack.close()
        self._trial = None

    def _made(self) -> Trial | None:
        meter = self._meter
        candidate = plain_candidate(meter.task, meter.oracle.function)
        compiled = build_candidate(meter.task, candidate, meter.arch) if candidate is not None else None
        if candidate is None or compiled is None or not compiled.build.ok:
            return None
        try:
            program = Built(compiled, plan_of(meter.task, candidate, meter.filled.case))
        except PlanError:
            return None
        trial = Trial(meter, self._stack.enter_context(sessions_of(meter.index).seat(BASELINE_S)), program)
        with suppress(Lost):
            if trial.first_call() is None:
                with gpu_lock(trial.uuid):
                    trial.settle()
                return trial
        return None
