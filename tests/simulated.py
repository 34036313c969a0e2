"""Runs one kernel of tests/kernels/simulator in the simulator: the plumbing that its tests share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.nvrtc import build
from cudaperf_magic.bench.plan import Launch, LaunchPlan, Pointer, Scalar, Step
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.bench.simulator.result import SimulatorResult
from cudaperf_magic.records import Fault, LineCost

KERNELS = Path(__file__).parent / "kernels" / "simulator"
Shape = int | tuple[int, ...]


def dim3(shape: Shape) -> tuple[int, int, int]:
    sizes = (shape,) if isinstance(shape, int) else shape
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def argument(value: str | int | float) -> Pointer | Scalar:
    if isinstance(value, str):
        return Pointer(value)
    return Scalar("float", value) if isinstance(value, float) else Scalar("long long", value)


def launch_of(kernel: str, grid: Shape, block: Shape, given: Sequence[str | int | float], shared: int = 0) -> Launch:
    return Launch(kernel, dim3(grid), dim3(block), tuple(argument(value) for value in given), shared)


def run(
    file: str,
    kernel: str,
    grid: Shape,
    block: Shape,
    given: Sequence[str | int | float],
    arrays: dict[str, NDArray[Any]],
    *,
    shared: int = 0,
    before: Sequence[Step] = (),
    arch: str = "sm_90",
    nvrtc: Sequence[str] = (),
    **options: Any,
) -> SimulatorResult:
    """Launches `kernel` of tests/kernels/simulator/`file` once.

    A string argument is the name of a buffer; `nvrtc` are options of the compiler.
    """
    compiled = build((KERNELS / file).read_text(), arch, names=(kernel,), options=tuple(nvrtc))
    assert compiled.build.ok, compiled.build.log
    plan = LaunchPlan((*before, launch_of(kernel, grid, block, given, shared)))
    return simulate(compiled, plan, arrays, **options)


def line_of(file: str, text: str) -> int:
    """The 1-based line of the only line that contains `text`."""
    found = [i for i, line in enumerate((KERNELS / file).read_text().splitlines(), 1) if text in line]
    assert len(found) == 1, f"{text!r} stands on {len(found)} lines of {file}"
    return found[0]


def cost(result: SimulatorResult, line: int) -> LineCost:
    return next(c for c in result.lines if c.line == line)


def kinds(result: SimulatorResult) -> set[str]:
    return {fault.kind for fault in result.faults}


def only(result: SimulatorResult) -> Fault:
    assert len(result.faults) == 1, result.faults
    return result.faults[0]


def floats(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
