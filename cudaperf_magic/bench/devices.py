"""Where candidates run: the simulator or a CUDA device, each behind `runners.Runner`, each run in a child process.

A child that crashes or hangs is a result for the request that did it. Whether a result is right is verify.py's to say.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from cudaperf_magic.bench.compilers import must_fit
from cudaperf_magic.bench.gpu.messages import Run
from cudaperf_magic.bench.gpu.running import available_devices
from cudaperf_magic.bench.gpu_sessions import End, Seat, sessions_of
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.runners import Request, Runner, RunResult
from cudaperf_magic.bench.sandbox import Crashed, Finished, TimedOut, run_in_child
from cudaperf_magic.bench.simulator.launch import UNLIMITED_STEPS, simulate
from cudaperf_magic.bench.simulator.result import SimulatorResult
from cudaperf_magic.errors import ToolchainError, UsageError
from cudaperf_magic.records import Fault

SIMULATOR = "simulator"
SIMULATED_ARCH = "sm_90"
TIMEOUT_S = 60.0  # of one child; the simulator's own limits end endless kernels sooner
LEAST_CPU_S = 0.001  # what a run gets when the others of its batch have taken everything
MEMORY_BYTES = 16 << 30  # of address space: shadow memory is a multiple of the arrays

Arrays = dict[str, NDArray[Any]]
Done = tuple[Arrays, tuple[Fault, ...], SimulatorResult | None]


@dataclass(frozen=True)
class Device:
    """A place to run. `arch` is what candidates are compiled for; `index` is None for the simulator."""

    name: str
    arch: str
    index: int | None = None

    @property
    def is_simulator(self) -> bool:
        return self.index is None

    @contextmanager
    def runner(self, compiled: Compiled) -> Iterator[Runner]:
        """Runs this build here, inside the block."""
        if self.index is None:
            yield SimulatorRunner(compiled)
            return
        with sessions_of(self.index).seat() as seat:
            yield GpuRunner(compiled, seat)


def open_device(name: str) -> Device:
    """The device of that name; "auto" takes the first CUDA device, else the simulator.

    Raises:
        UsageError: the name is not understood. ToolchainError: there is no such device, or the compiler here does not
            compile for it.
    """
    if name == SIMULATOR:
        return Device(SIMULATOR, SIMULATED_ARCH)
    number = "0" if name in ("auto", "cuda") else name.removeprefix("cuda:")
    if not number.isdecimal():
        raise UsageError(f"--device {name}: choose auto, simulator or cuda:0")
    found = {device.index: device for device in available_devices()}
    index = int(number)
    if index in found:
        must_fit(found[index].arch, found[index].driver)
        return Device(f"cuda:{index}", found[index].arch, index)
    if name == "auto":
        return Device(SIMULATOR, SIMULATED_ARCH)
    here = ", ".join(f"cuda:{i}" for i in found) or "no CUDA device"
    raise ToolchainError(f"cuda:{index} is not here (there is {here}); use --device simulator")


@dataclass(frozen=True)
class Counted(RunResult):
    """A result with what the simulator counted on the way."""

    counts: SimulatorResult | None = None


@dataclass(frozen=True)
class SimulatorRunner:
    """Every block watched: stray accesses, races and uninitialised reads are faults with their line."""

    compiled: Compiled
    checks_bounds: bool = True
    orders_threads: bool = True
    _seen: list[tuple[LaunchPlan, SimulatorResult]] = field(default_factory=list, repr=False)

    def run(self, requests: Sequence[Request]) -> Sequence[RunResult]:
        results = _run_all(self._ask, requests)
        for request, result in zip(requests, results, strict=True):
            if request.schedule == "forward" and isinstance(result, Counted) and result.counts is not None:
                self._seen.append((request.plan, result.counts))
        return results

    def _ask(self, requests: Sequence[Request]) -> End:
        given = (self.compiled, tuple(requests))
        return run_in_child(simulate_requests, *given, timeout_s=TIMEOUT_S, memory_bytes=MEMORY_BYTES)

    def counts(self, plan: LaunchPlan) -> SimulatorResult | None:
        """What was counted when this plan was first run here, None when it was not."""
        return next((counts for seen, counts in self._seen if seen == plan), None)


@dataclass(frozen=True)
class GpuRunner:
    """The device itself: only what the driver notices is a fault, so buffers get guard bands."""

    compiled: Compiled
    seat: Seat
    checks_bounds: bool = False
    orders_threads: bool = False

    def run(self, requests: Sequence[Request]) -> Sequence[RunResult]:
        return _run_all(self._ask, requests)

    def _ask(self, requests: Sequence[Request]) -> End:
        ended = self.seat.ask(Run(self.compiled.cubin, self.compiled.mangled, requests), TIMEOUT_S)
        if isinstance(ended, Finished) and any(faults for _, faults, _ in ended.value):
            self.seat.leave()  # its context is lost
        return ended


def simulate_requests(compiled: Compiled, requests: Sequence[Request]) -> list[Done]:
    """What the child does for the simulator."""
    done: list[Done] = []
    started = time.thread_time()
    for request in requests:
        arrays: Arrays = {name: array.copy() for name, array in request.arrays.items()}
        result = _simulated(compiled, request, arrays, time.thread_time() - started)
        done.append((arrays, result.faults, result))
        if not result.is_complete:
            break  # an endless kernel would be endless again
    return done


def _simulated(compiled: Compiled, request: Request, arrays: Arrays, used_s: float) -> SimulatorResult:
    left_s = max(request.cpu_limit_s - used_s, LEAST_CPU_S) if request.cpu_limit_s else 0.0
    try:
        return simulate(
            compiled,
            request.plan,
            arrays,
            schedule=request.schedule,
            seed=request.seed,
            initialised=request.initialised,
            step_limit=request.step_limit or UNLIMITED_STEPS,
            cpu_limit_s=left_s,
        )
    except OSError as error:  # the machine's, never the candidate's
        raise ToolchainError(f"the simulator cannot work here ({error}); see `cudaperf doctor`") from error


def _run_all(ask: Callable[[Sequence[Request]], End], requests: Sequence[Request]) -> list[RunResult]:
    """All requests in one child; when it does not survive them, one child each, to learn which it was."""
    if not requests:
        return []
    match ask(requests):
        case Finished(value):
            results: list[RunResult] = [Counted(arrays, faults, counts=counts) for arrays, faults, counts in value]
            rest = requests[len(results) :]
            return results + ([_after(results[-1])] * len(rest) if rest else [])
        case TimedOut():  # not tried again one by one: that would take as long again
            where = ", here or on the inputs after these" if len(requests) > 1 else ""
            return [RunResult({}, (), "timeout", f"it did not end within {TIMEOUT_S:.0f} s{where}")] * len(requests)
        case Crashed() if len(requests) > 1:
            return _one_by_one(ask, requests)
        case Crashed(why):
            return [RunResult({}, (), "crash", f"running it ended with {why}")]


def _one_by_one(ask: Callable[[Sequence[Request]], End], requests: Sequence[Request]) -> list[RunResult]:
    results: list[RunResult] = []
    for request in requests:
        if results and (results[-1].status != "done" or results[-1].faults):
            results.append(_after(results[-1]))
        else:
            results += _run_all(ask, [request])
    return results


def _after(last: RunResult) -> RunResult:
    """The result of a request that was not run because an earlier one did not end: it is judged by that one."""
    return RunResult(last.arrays, last.faults, last.status, last.message)
