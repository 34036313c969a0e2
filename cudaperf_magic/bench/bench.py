"""Task + candidate -> Outcome. The stages in their order: build, verify, examine; the first that fails ends it.

What a candidate does wrong is a value in the outcome; only the machine raises. It keeps the references of the tasks
that it has met. It rewards nothing and stores nothing, and it measures no time: no speedup is claimed here.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

from cudaperf_magic.bench import sandbox
from cudaperf_magic.bench.building import build_candidate
from cudaperf_magic.bench.coverage import coverage
from cudaperf_magic.bench.devices import Device, SimulatorRunner, open_device
from cudaperf_magic.bench.examining import examine
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.oracle import Oracle
from cudaperf_magic.bench.runners import Runner
from cudaperf_magic.bench.verify import verify
from cudaperf_magic.errors import Unsupported
from cudaperf_magic.records import Candidate, Outcome, Task, Verdict

MOST_ORACLES = 32  # tasks whose references are kept in memory
WATCHED_CASES = 4


class Bench:
    """Evaluates candidates on one device, in child processes that `close` ends. Use as a context manager.

    Args:
        device: "auto" takes a CUDA device if there is one, else the simulator; "simulator"; "cuda:0".

    Raises:
        UsageError: the device's name is not understood. ToolchainError: there is no such device.
    """

    def __init__(self, device: str = "auto") -> None:
        self._device: Device = open_device(device)
        self._oracles: OrderedDict[Task, Oracle] = OrderedDict()

    @property
    def device(self) -> str:
        """Where candidates run: "simulator" or "cuda:0"."""
        return self._device.name

    def evaluate(self, task: Task, candidate: Candidate) -> Outcome:
        """How far the candidate comes.

        Raises:
            TaskError: the task's own C fails on its inputs.
            ToolchainError: the machine lacks something; nothing is known of the candidate then.
            Unsupported: the simulator does not run an instruction of it; nothing is known of it either.
        """
        started = time.perf_counter()
        outcome = self._stages(task, candidate)
        return replace(outcome, seconds=time.perf_counter() - started)

    def _stages(self, task: Task, candidate: Candidate) -> Outcome:
        compiled = build_candidate(task, candidate, self._device.arch)
        reached = Outcome(compiled.build, device=self.device)
        if not compiled.build.ok:
            return reached
        runner = self._device.runner(compiled)
        verdict = self._verify(task, candidate, compiled, runner)
        reached = replace(reached, verdict=verdict)
        if not verdict.ok:
            return reached
        seen = examine(task, candidate, compiled, runner)
        return replace(reached, structure=seen.structure, memory=seen.memory)

    def _verify(self, task: Task, candidate: Candidate, compiled: Compiled, runner: Runner) -> Verdict:
        oracle = self._oracle(task)
        covered = coverage(task, candidate, oracle)
        verdict = verify(task, candidate, runner, oracle, more=covered.cases)
        if verdict.ok and covered.unmet:
            verdict = replace(verdict, reason=f"{verdict.reason}; none of them launches {', '.join(covered.unmet)}")
        if self._device.is_simulator or not verdict.ok:
            return verdict
        # A device shows no race and few stray accesses: some small cases are watched on the simulator as well.
        watched = task.cases[1 : 1 + WATCHED_CASES]
        with suppress(Unsupported):
            seen = verify(task, candidate, SimulatorRunner(compiled), oracle, watched, hidden=False)
            return verdict if seen.ok else seen
        return verdict

    def _oracle(self, task: Task) -> Oracle:
        if task not in self._oracles:
            self._oracles[task] = Oracle(task)
            if len(self._oracles) > MOST_ORACLES:
                self._oracles.popitem(last=False)
        self._oracles.move_to_end(task)
        return self._oracles[task]

    def close(self) -> None:
        """End every child process. The bench may be used again; that starts new ones."""
        sandbox.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
