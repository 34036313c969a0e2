"""Where a candidate runs: the seam that verify.py asks for, with the simulator and a GPU behind it.

A runner is handed plans and byte arrays and gives back what the arrays hold afterwards, with the faults that it saw.
Candidates run in child processes; one that crashes or hangs is a result, never an exception. It judges nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from numpy.typing import NDArray

from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.records import Fault

Array = NDArray[Any]
Schedule = Literal["forward", "reverse", "shuffled"]


@dataclass(frozen=True)
class Request:
    """One run. `initialised` says which buffers hold values before it.

    `step_limit`: loop iterations of warps after which a run counts as endless, where they are counted; 0: any number.
    `cpu_limit_s`: processor time that this run and those before it in the same batch may take together; 0: any time.
    """

    plan: LaunchPlan
    arrays: Mapping[str, Array]
    schedule: Schedule = "forward"
    initialised: Mapping[str, bool] = field(default_factory=dict)
    seed: int = 0
    step_limit: int = 0
    cpu_limit_s: float = 0.0


@dataclass(frozen=True)
class RunResult:
    """`arrays` as the run left them. With a status other than "done" they mean nothing and `message` says why."""

    arrays: Mapping[str, Array]
    faults: tuple[Fault, ...] = ()
    status: Literal["done", "crash", "timeout"] = "done"
    message: str = ""


class Runner(Protocol):
    @property
    def checks_bounds(self) -> bool:
        """Whether every stray access is itself a fault; if not, buffers get guard bands."""

    @property
    def orders_threads(self) -> bool:
        """Whether `schedule` is obeyed."""

    def run(self, requests: Sequence[Request]) -> Sequence[RunResult]:
        """One result for each request, in order. Arrays of a request are not changed."""
