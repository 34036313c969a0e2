"""Lane B's candidates kept as files in tests/hacks/lane_b: their tasks, and what evaluating them gives.

Test support: it asserts nothing. Limits are short, so that a candidate that hangs is soon known to.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kernel_files import KernelFile

from cudaperf_magic.bench.modules.evaluate import evaluate_module
from cudaperf_magic.bench.modules.player import Limits
from cudaperf_magic.records import Candidate, Outcome, Task
from cudaperf_magic.tasks.pytorch import read_module_task

FOLDER = Path(__file__).parent / "hacks" / "lane_b"
CALLS = 6  # on nominal inputs, beside one for each family
LIMITS = Limits(load_s=60, first_call_s=8, call_s=2, total_s=120, memory_bytes=2 << 30)


@cache
def module_task(name: str, contract: tuple[str, ...] = ()) -> Task:
    """The task of tests/hacks/lane_b/tasks/NAME.py."""
    return read_module_task((FOLDER / "tasks" / f"{name}.py").read_text(), name=name, contract=contract)


def module_outcome(file: KernelFile, device: str = "cpu") -> Outcome:
    """What lane B says of a file's `ModelNew`, held against the task that its header names."""
    contract = tuple(filter(None, [file.header.get("contract")]))
    task = module_task(file.header["task"], contract)
    return evaluate_module(task, Candidate(file.source), device=device, limits=LIMITS, nominal_calls=CALLS)
