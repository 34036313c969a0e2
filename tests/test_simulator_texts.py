"""What a kernel prints is what C prints; and a kernel that ends early is told with its line, block and thread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from simulated import KERNELS, launch_of, line_of, only

from cudaperf_magic.bench.nvrtc import Compiled, build
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.bench.simulator.result import SimulatorResult

FILE = "texts.cu"


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    built = build((KERNELS / FILE).read_text(), names=tuple(f"ends<{way}>" for way in range(4)))
    assert built.build.ok, built.build.log
    return built


def run(
    built: Compiled, kernel: str, grid: int, block: int, given: tuple[Any, ...], arrays: dict[str, NDArray[Any]]
) -> SimulatorResult:
    return simulate(built, LaunchPlan((launch_of(kernel, grid, block, given),)), arrays)


def test_every_format_prints_as_in_c(compiled: Compiled) -> None:
    text = run(compiled, "formats", 1, 1, (0, 2.0), {}).text
    assert text.splitlines() == [
        "-7|   42|42   |00042|+42|4000000000|ff|FF|0xff|10",
        "-3|-4|-5|-6000000000|18000000000000000000|10000000000|4",
        "1.500000|2.35|   3.142|2.5     |1.234568e+04|1.200E-04|1e-05|1E+10|0x1p+0",
        "text|     right|left  |cu|z|%|",
        "    42|42    |2.000",
        "inf -inf 2.000000",
        "0x1234",
        "1 a 2 b 3 c 4 d 5 e 6 f",
    ]


def test_each_thread_prints_its_own_line(compiled: Compiled) -> None:
    x = np.arange(4, dtype=np.int32) * 10
    text = run(compiled, "lines", 2, 4, ("x",), {"x": x}).text
    assert (
        sorted(text.splitlines())
        == [f"thread {t} of block {b} has {10 * t}" for t in (1, 3) for b in (0, 1)]
        == sorted(text.splitlines())
    )


def test_printf_answers_how_many_values_it_took(compiled: Compiled) -> None:
    y = np.full(2, -1, np.int32)
    run(compiled, "counted", 1, 1, ("y",), {"y": y})
    assert y.tolist() == [2, 0]


@pytest.mark.parametrize(
    ("way", "mark", "says"),
    [(0, "// the assertion", "v != 5"), (1, "// the trap", "__trap()"), (2, "// the breakpoint", "__trap()")],
)
def test_every_way_to_end_early_is_told_with_its_thread(compiled: Compiled, way: int, mark: str, says: str) -> None:
    x, y = np.zeros(64, np.int32), np.zeros(64, np.int32)
    x[35] = 5
    fault = only(run(compiled, f"ends<{way}>", 2, 32, ("x", "y"), {"x": x, "y": y}))
    assert (fault.kind, fault.line, fault.block, fault.thread) == ("trap", line_of(FILE, mark), (1, 0, 0), (3, 0, 0))
    assert says in fault.message


def test_a_thread_that_exits_is_no_fault(compiled: Compiled) -> None:
    x, y = np.zeros(64, np.int32), np.zeros(64, np.int32)
    x[35] = 5
    assert not run(compiled, "ends<3>", 2, 32, ("x", "y"), {"x": x, "y": y}).faults
    assert y.tolist() == [i != 35 for i in range(64)]


def test_a_jump_by_table_parts_lanes_and_brings_them_together(compiled: Compiled) -> None:
    x = np.arange(32, dtype=np.int32) % 9
    y = np.full(40, -1, np.int32)
    run(compiled, "chosen", 1, 32, ("x", "y"), {"x": x, "y": y})
    assert y[8:].tolist() == [[11, 22, -1, 43, 53, 63, 73, 83, 3][v] for v in x]
