"""Task + candidate -> Outcome. The stages in their order: build, verify, measure; the first that fails ends it.

On the simulator measuring is examining: structure is counted and no time is claimed; a device's stages are those of
device_bench.py. PyTorch modules, whose host code runs, go to lane B (modules/). What a candidate does wrong is a value
in the outcome; only the machine raises. It keeps the references of the tasks that it has met. It rewards nothing and
stores nothing.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from types import TracebackType
from typing import Self

from cudaperf_magic.bench import sandbox
from cudaperf_magic.bench.acceptance import accept_simulated
from cudaperf_magic.bench.building import build_candidate
from cudaperf_magic.bench.device_bench import DeviceBench, Stages
from cudaperf_magic.bench.devices import Device, SimulatorRunner, open_device
from cudaperf_magic.bench.examining import examine
from cudaperf_magic.bench.modules.evaluate import LaneB
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.oracle import Oracle
from cudaperf_magic.bench.verify import verify_everywhere
from cudaperf_magic.records import Candidate, Outcome, Task, Timing

MOST_ORACLES = 32  # tasks whose references are kept in memory


class Bench:
    """Evaluates candidates on one device, in child processes that `close` ends. Use as a context manager.

    Args:
        device: "auto" takes a CUDA device if there is one, else the simulator; "simulator"; "cuda:0".

    Raises:
        UsageError: the device's name is not understood. ToolchainError: there is no such device.
    """

    def __init__(self, device: str = "auto") -> None:
        self._device: Device = open_device(device)
        self._on_device = None if self._device.is_simulator else DeviceBench(self._device)
        self._oracles: OrderedDict[Task, Oracle] = OrderedDict()
        self._lock = Lock()
        self._modules: LaneB | None = None
        self._modules_lock = Lock()
        self.told: Callable[[str], None] | None = None  # hears of each stage of an evaluation as it begins

    @property
    def device(self) -> str:
        """Where candidates run: "simulator" or "cuda:0"."""
        return self._device.name

    def evaluate(self, task: Task, candidate: Candidate) -> Outcome:
        """How far the candidate comes. Safe from several threads.

        Raises:
            TaskError: the task's own C fails on its inputs.
            ToolchainError: the machine lacks something; nothing is known of the candidate then.
            Unsupported: the simulator does not run an instruction of it; nothing is known of it either.
        """
        if task.language == "pytorch":
            return self._module(task, candidate)
        started = time.perf_counter()
        stages = Stages(told=self.told)
        with stages.time("build"):
            compiled = build_candidate(task, candidate, self._device.arch)
        if not compiled.build.ok:
            outcome = Outcome(compiled.build, device=self.device)
        elif self._on_device is not None:
            with stages.time("oracle"):
                oracle = self._oracle(task)
            outcome = self._on_device.evaluate(task, candidate, compiled, oracle, stages)
        else:
            outcome = self._simulated(task, candidate, compiled, stages)
        return replace(outcome, seconds=time.perf_counter() - started, stages=stages.record)

    def accept(self, task: Task, candidate: Candidate, outcome: Outcome) -> Outcome:
        """The last look at a candidate that was chosen, on seeds that no turn has met; see acceptance.py.

        Args:
            outcome: what `evaluate` gave for it, a pass.

        Raises:
            TaskError, ToolchainError, Unsupported: as `evaluate`.
        """
        started = time.perf_counter()
        if task.language == "pytorch":  # whose seeds are fresh at each evaluation
            again = self._module(task, candidate, with_neighbours=True)
            if again.verdict is None or not again.ok or outcome.verdict is None:
                return again
            return replace(outcome, verdict=replace(outcome.verdict, generality=again.verdict.generality))
        compiled = build_candidate(task, candidate, self._device.arch)
        if self._on_device is None:
            found = accept_simulated(task, candidate, compiled, outcome)
        else:
            found = self._on_device.accept(candidate, compiled, self._oracle(task), outcome)
        spent = ("accept", time.perf_counter() - started)
        return replace(found, stages=(*outcome.stages, spent), seconds=outcome.seconds + spent[1])

    def pair(self, task: Task, candidate: Candidate, baseline: Candidate) -> Timing | str:
        """Two candidates that `evaluate` found right, timed anew and beside each other: `baseline` in the place of the
        plain translation. Where there is no timing, why not, as the end of a sentence.

        Raises:
            TaskError, ToolchainError: as `evaluate`.
        """
        if self._on_device is None:
            return "there is no CUDA device"
        if task.language == "pytorch":
            return "modules are not timed in pairs"
        return self._on_device.pair(self._oracle(task), candidate, baseline)

    def _simulated(self, task: Task, candidate: Candidate, compiled: Compiled, stages: Stages) -> Outcome:
        reached = Outcome(compiled.build, device=self.device)
        runner = SimulatorRunner(compiled)
        with stages.time("verify"):
            oracle = self._oracle(task)
            verdict = verify_everywhere(task, candidate, runner, oracle)
        reached = replace(reached, verdict=verdict)
        if not verdict.ok:
            return reached
        with stages.time("examine"):
            seen = examine(task, candidate, compiled, runner)
        return replace(reached, structure=seen.structure, memory=seen.memory)

    def _module(self, task: Task, candidate: Candidate, *, with_neighbours: bool = False) -> Outcome:
        """Lane B, one candidate at a time; on a machine without a device modules run on the CPU."""
        with self._modules_lock:
            if self._modules is None:
                self._modules = LaneB("cpu" if self._device.is_simulator else self.device)
            return self._modules.evaluate(task, candidate, with_neighbours=with_neighbours)

    def _oracle(self, task: Task) -> Oracle:
        with self._lock:
            known = self._oracles.get(task)
            if known is not None:
                self._oracles.move_to_end(task)
                return known
        made = Oracle(task)
        with self._lock:
            self._oracles[task] = made
            if len(self._oracles) > MOST_ORACLES:
                self._oracles.popitem(last=False)
        return made

    def close(self) -> None:
        """End every child process, unless others need them still. The bench may be used again; that starts new ones."""
        if self._on_device is not None:
            self._on_device.close()
        with self._modules_lock:
            if self._modules is not None:
                self._modules.close()
            self._modules = None
        sandbox.rest()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
