"""One plan, run and watched in a child under limits: what came of it, or a fault that says why nothing did."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.sandbox import Crashed, Finished, TimedOut, run_in_child
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.bench.simulator.result import SimulatorResult
from cudaperf_magic.errors import ToolchainError
from cudaperf_magic.records import Fault

TIMEOUT_S = 90.0
STEP_LIMIT = 20_000_000  # loop iterations of warps; what needs more would not end in time either
CPU_LIMIT_S = 20.0  # of processor time: an endless kernel ends well before the child is killed
MEMORY_BYTES = 16 << 30  # of address space: shadow memory is a multiple of the arrays
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Watched:
    """`result` is None when the child did not come to its end; `faults` then says how it ended."""

    arrays: Arrays
    result: SimulatorResult | None
    faults: tuple[Fault, ...]
    seconds: float = 0.0

    @property
    def reached(self) -> dict[str, int]:
        """One past the last byte that was accessed, by buffer."""
        return dict(self.result.reached) if self.result else {}


def watch(
    compiled: Compiled, plan: LaunchPlan, arrays: Arrays, *, check_global_races: bool, device: str, seed: int
) -> Watched:
    """Runs the plan on copies of the arrays.

    Raises:
        Unsupported: an instruction that the simulator lacks. ToolchainError: the machine's fault.
    """
    started = time.perf_counter()
    settings = (check_global_races, device, seed)
    ended = run_in_child(simulated, compiled, plan, arrays, *settings, timeout_s=TIMEOUT_S, memory_bytes=MEMORY_BYTES)
    seconds = time.perf_counter() - started
    match ended:
        case Finished((outputs, result)):
            return Watched(outputs, result, tuple(dict.fromkeys(result.faults)), seconds)  # launches alike err alike
        case TimedOut():
            why = f"it did not end within {TIMEOUT_S:.0f} s; take smaller sizes"
        case Crashed(why):
            why = f"running it ended with {why}"
    return Watched({}, None, (Fault("limit", why),), seconds)


def simulated(
    compiled: Compiled, plan: LaunchPlan, arrays: Arrays, check_global_races: bool, device: str, seed: int
) -> tuple[Arrays, SimulatorResult]:
    """What the child does."""
    own = {name: array.copy() for name, array in arrays.items()}
    try:
        result = simulate(
            compiled,
            plan,
            own,
            seed=seed,
            step_limit=STEP_LIMIT,
            cpu_limit_s=CPU_LIMIT_S,
            check_global_races=check_global_races,
            observe=True,
            device=device,
        )
    except OSError as error:
        raise ToolchainError(f"the simulator cannot work here ({error}); see `cudaperf doctor`") from error
    return own, result
