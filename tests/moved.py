"""A C function, a schedule of moves, and what the simulator and the C itself say of the CUDA that comes out.

Test support: it fixes what is tried and on which sizes; it asserts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from corpus import load_corpus

from cudaperf_magic.bench.building import plan_of
from cudaperf_magic.bench.cache import Cache
from cudaperf_magic.bench.launcher import device_source
from cudaperf_magic.bench.nvrtc import build
from cudaperf_magic.bench.oracle import Oracle
from cudaperf_magic.bench.runners import Request, RunResult
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.bench.verify import verify
from cudaperf_magic.compiler.cuda_writer import write_cuda
from cudaperf_magic.compiler.loops import Function
from cudaperf_magic.compiler.mapping import plan
from cudaperf_magic.compiler.moves.catalogue import apply
from cudaperf_magic.compiler.moves.loops import parted
from cudaperf_magic.compiler.moves.move import Context
from cudaperf_magic.compiler.program import Program
from cudaperf_magic.compiler.schedule import parse_schedule
from cudaperf_magic.records import Candidate, Case, Task, Verdict
from cudaperf_magic.tasks.c import read_task

ODD = (0, 1, 3, 31, 33, 100, 1000)


@dataclass
class Simulated:
    """Runs in this process, every block watched: races, strays and uninitialised reads are faults."""

    compiled: Any
    checks_bounds: bool = True
    orders_threads: bool = True

    def run(self, requests: Sequence[Request]) -> Sequence[RunResult]:
        return [self.one(request) for request in requests]

    def one(self, request: Request) -> RunResult:
        arrays = {name: array.copy() for name, array in request.arrays.items()}
        result = simulate(
            self.compiled, request.plan, arrays, schedule=request.schedule, seed=request.seed,
            initialised=request.initialised, cache=Cache(),
        )  # fmt: skip
        return RunResult(arrays, result.faults)


@lru_cache(maxsize=64)
def task_of(source: str) -> tuple[Task, Function, Oracle]:
    """The task of a C text; of a file of the corpus when it is its path below tests/c, without .c."""
    known = {f.path.removesuffix(".c"): f for f in load_corpus()}.get(source)
    if known is None:
        task, function = read_task(source)
    else:
        task, function = read_task(known.source, entry=known.entry, sizes=known.size, ranges=known.ranges)
    task = settled(task, function)
    return task, function, Oracle(task, function)


def program_of(source: str, schedule: str, sizes: dict[str, int] | None = None) -> Program:
    """The plainest program of a C function after the moves. Raises Refused where one does not apply."""
    task, function, _ = task_of(source)
    context = context_for(task, sizes)
    on_loops, on_kernels = parted(parse_schedule(schedule))
    program = plan(function, context.orders, on_loops)
    for step in on_kernels:
        program = apply(program, step, context)
    return program


def context_for(task: Task, sizes: dict[str, int] | None = None) -> Context:
    orders = {a.name: a.values.order for a in task.arguments if a.values is not None and a.values.order != "any"}
    return Context(orders, sizes or task.cases[0].size)


def cuda_of(source: str, schedule: str, sizes: dict[str, int] | None = None) -> str:
    return write_cuda(program_of(source, schedule, sizes), context_for(task_of(source)[0]).orders)


def verdict_of(source: str, schedule: str, cases: Sequence[dict[str, int]]) -> Verdict:
    """What verification says of the CUDA on the given sizes."""
    task, _, oracle = task_of(source)
    candidate = Candidate(cuda_of(source, schedule), origin="test", intention="", schedule=schedule)
    wanted = [Case(tuple(sizes.items()), seed=number) for number, sizes in enumerate(cases)]
    names = tuple(dict.fromkeys(name for case in wanted for name in plan_of(task, candidate, case).kernels))
    compiled = build(device_source(candidate.source), names=names)
    assert compiled.build.ok, f"{compiled.build.log}\n{candidate.source}"
    return verify(task, candidate, Simulated(compiled), oracle, wanted, hidden=False)
