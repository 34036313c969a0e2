"""The scripted seams of fronts.py with evaluations that take as long as a notebook's cell says: for real kernels."""

from __future__ import annotations

import time

from fronts import NAIVE, Stage, StagedBench

from cudaperf_magic import commands
from cudaperf_magic.fakes import correct
from cudaperf_magic.records import Candidate, Outcome, Task

seconds = 0.5  # of each evaluation; a cell may set another


class TakingItsTime(StagedBench):
    def evaluate(self, task: Task, candidate: Candidate) -> Outcome:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(0.02)
        return super().evaluate(task, candidate)


class SlowStage(Stage):
    """Two programs that fail, then ever better ones."""

    def __init__(self, turns: int) -> None:
        super().__init__()
        better = [f"{NAIVE}// variant {number}\n" for number in range(turns - 2)]
        self.script = ("broken", "wrong", *better)
        for number, source in enumerate(better, 1):
            self.outcomes[source] = correct(coalescing=number / len(better), occupancy=0.5)

    def open_bench(self, device: str) -> StagedBench:
        return TakingItsTime(self.outcomes)


def put_up(turns: int = 40) -> SlowStage:
    """Put the seams in place of the real ones in this process."""
    stage = SlowStage(turns)
    for name in ("read", "open_bench", "open_policy"):
        setattr(commands, name, getattr(stage, name))
    return stage
