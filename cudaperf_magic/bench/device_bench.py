"""A built candidate on a CUDA device -> Outcome: verified on small cases, then at the size that fills the device, timed
and counted, while the simulator watches some small cases on the CPU: a device shows no race and few stray accesses.

It keeps one meter a task: the filling case with its reference, and the baseline's child. Each candidate has a child
and a context of its own. What the parts do is verify.py's, trial.py's and counters/'s.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock

from cudaperf_magic.bench.acceptance import accept_on_device
from cudaperf_magic.bench.building import plan_of
from cudaperf_magic.bench.counters.metrics import Counts
from cudaperf_magic.bench.devices import Device, GpuRunner, SimulatorRunner
from cudaperf_magic.bench.duel import duel
from cudaperf_magic.bench.examining import examine
from cudaperf_magic.bench.filled import UNKNOWN_BYTES
from cudaperf_magic.bench.gpu_sessions import Seat, sessions_of
from cudaperf_magic.bench.launcher import PlanError
from cudaperf_magic.bench.meter import Built, Meter
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.oracle import Oracle
from cudaperf_magic.bench.resources import available_bytes
from cudaperf_magic.bench.trial import Plain, Trial
from cudaperf_magic.bench.verify import not_launched, verify, verify_everywhere
from cudaperf_magic.errors import Unsupported
from cudaperf_magic.records import Candidate, Label, Memory, Outcome, Structure, Task, Timing, Verdict

WATCHED_CASES = 4
WATCHERS = 8  # threads that wait for a simulator's child
MEMORY_SHARE = 4  # of what is available, one part for the meters of the tasks met last
METER_COPIES = 4  # of its arrays that a meter holds: inputs, two results, room for outputs; as much on the device


@dataclass
class Stages:
    """Where the time of one evaluation goes; `told` hears of each stage as it begins."""

    seconds: dict[str, float] = field(default_factory=dict)
    told: Callable[[str], None] | None = None

    @contextmanager
    def time(self, name: str) -> Iterator[None]:
        if self.told is not None:
            self.told(name)
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started

    @property
    def record(self) -> tuple[tuple[str, float], ...]:
        return tuple(self.seconds.items())


@dataclass(frozen=True)
class Watched:
    """What the simulator saw: a verdict that is not a pass, or none; what it counted; a label where it saw nothing."""

    verdict: Verdict | None
    structure: Structure | None = None
    labels: tuple[Label, ...] = ()


@dataclass(frozen=True)
class Measured:
    """What was found at the filling size; a verdict that is not a pass ends it."""

    verdict: Verdict | None = None
    timing: Timing | None = None
    counts: Counts | None = None
    launches: int = 0
    memory: Memory | None = None
    labels: tuple[Label, ...] = ()


class DeviceBench:
    """Evaluations on one device. Safe from several threads; `close` ends every child of its tasks."""

    def __init__(self, device: Device) -> None:
        assert device.index is not None
        self.device, self.index = device, device.index
        self.sessions = sessions_of(device.index)
        self.sessions.start()
        self.watchers = _watchers()
        self._meters: OrderedDict[Task, tuple[Meter, Plain]] = OrderedDict()
        self._lock = Lock()
        self._making: dict[Task, Lock] = {}

    def evaluate(self, task: Task, candidate: Candidate, compiled: Compiled, oracle: Oracle, stages: Stages) -> Outcome:
        """How far a candidate that builds comes.

        Raises:
            TaskError, ToolchainError: as `Bench.evaluate`.
        """
        with self.sessions.seat() as seat:
            return _Evaluation(self, task, candidate, compiled, oracle, seat, stages).outcome()

    def accept(
        self, candidate: Candidate, compiled: Compiled, oracle: Oracle, outcome: Outcome
    ) -> Outcome:
        """The last look at a chosen candidate; see acceptance.py."""
        meter, _ = self.meter(oracle)
        with self.sessions.seat() as seat:
            return accept_on_device(meter, candidate, compiled, seat, outcome)

    def pair(self, oracle: Oracle, candidate: Candidate, baseline: Candidate) -> Timing | str:
        """Two right candidates timed beside each other; see duel.py."""
        meter, _ = self.meter(oracle)
        return duel(meter, self.sessions, candidate, baseline)

    def meter(self, oracle: Oracle) -> tuple[Meter, Plain]:
        """The task's meter and its baseline: made by the first who needs it, while others of the same task wait."""
        with self._lock:
            making = self._making.setdefault(oracle.task, Lock())
        with making:
            with self._lock:
                if oracle.task in self._meters:
                    self._meters.move_to_end(oracle.task)
                    return self._meters[oracle.task]
            meter = Meter(oracle, self.index, self.device.arch)
            plain = Plain(meter)
            plain.trial()
            with self._lock:
                self._meters[oracle.task] = meter, plain
                dropped = self._surplus()
            for _, old in dropped:
                old.close()
            return meter, plain

    def _surplus(self) -> list[tuple[Meter, Plain]]:
        """Meters for which there is no memory, oldest first; at least the last one stays."""
        most = available_bytes(UNKNOWN_BYTES) // MEMORY_SHARE
        held = METER_COPIES * sum(meter.filled.size_bytes for meter, _ in self._meters.values())
        dropped = []
        while len(self._meters) > 1 and held > most:
            dropped.append(self._meters.popitem(last=False)[1])
            held -= METER_COPIES * dropped[-1][0].filled.size_bytes
        return dropped

    def close(self) -> None:
        with self._lock:
            meters, self._meters = list(self._meters.values()), OrderedDict()
        for meter, plain in meters:
            plain.close()
            meter.profiling.rest()
        self.watchers.shutdown(wait=True, cancel_futures=True)
        self.watchers = _watchers()  # its threads begin when it is used again
        self.sessions.rest()


def _watchers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(WATCHERS, thread_name_prefix="watch")


@dataclass
class _Evaluation:
    """One candidate's way through the stages."""

    bench: DeviceBench
    task: Task
    candidate: Candidate
    compiled: Compiled
    oracle: Oracle
    seat: Seat
    stages: Stages
    meter: Meter = field(init=False)

    def outcome(self) -> Outcome:
        with self.stages.time("verify"):
            runner = GpuRunner(self.compiled, self.seat)
            verdict = verify_everywhere(self.task, self.candidate, runner, self.oracle)
        reached = Outcome(self.compiled.build, verdict, device=self.bench.device.name, isolation=self.seat.levels)
        if not verdict.ok:
            return reached
        watching = self.bench.watchers.submit(self.watch)
        measured = self.measured()
        if measured.verdict is not None:
            return replace(reached, verdict=measured.verdict)
        with self.stages.time("watch"):
            watched = watching.result()
        if watched.verdict is not None:
            return replace(reached, verdict=watched.verdict)
        structure = watched.structure
        if measured.counts is not None:
            structure = self.meter.structure(measured.counts, structure, measured.launches)
        return replace(
            reached,
            timing=measured.timing,
            structure=structure,
            memory=measured.memory,
            labels=(*measured.labels, *watched.labels),
        )

    def measured(self) -> Measured:
        """Right at the filling size, timed, and counted."""
        with self.stages.time("reference"):
            self.meter, plain = self.bench.meter(self.oracle)
        try:
            program = Built(self.compiled, plan_of(self.task, self.candidate, self.meter.filled.case))
        except PlanError as error:
            return Measured(not_launched(error, self.meter.filled.case))
        arguments = sum(self.meter.sizes_bytes.values())
        memory = Memory(arguments + program.plan.peak_bytes, arguments)
        trial = Trial(self.meter, self.seat, program)
        with self.stages.time("fill"):
            wrong = trial.first_call()
        if isinstance(wrong, Label):
            return Measured(memory=memory, labels=(wrong,))
        if wrong is not None:
            return Measured(wrong)
        with self.stages.time("time"):
            timing = trial.timing(plain.trial())
        if isinstance(timing, Verdict):
            return Measured(timing)
        with self.stages.time("count"):
            counts = trial.counts()
        found = counts if isinstance(counts, Counts) else None
        return Measured(None, timing, found, len(program.plan.launches), memory, trial.labels)

    def watch(self) -> Watched:
        """In a thread that mostly waits for the simulator's children."""
        labels: tuple[Label, ...] = ()
        try:
            cases = self.task.cases[1 : 1 + WATCHED_CASES]
            runner = SimulatorRunner(self.compiled)
            verdict = verify(self.task, self.candidate, runner, self.oracle, cases, hidden=False)
            if not verdict.ok:
                return Watched(verdict)
        except Unsupported as unsupported:
            labels = (not_watched(unsupported),)
        seen = examine(self.task, self.candidate, self.compiled, SimulatorRunner(self.compiled))
        return Watched(None, seen.structure, labels)


def not_watched(why: Unsupported) -> Label:
    """Races and stray reads of such a kernel show on the device only if they change a result or a guard band."""
    where = f"line {why.line}: " if why.line else ""
    unwatched = "bounds, uninitialised reads and races went unwatched"
    return Label("not_watched", f"{where}the simulator does not run {why.what}, so that {unwatched}")
