"""Calls through function pointers and virtual tables, lane by lane; a pointer to nothing is told, recursion refused."""

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
from cudaperf_magic.bench.symbols import written_name
from cudaperf_magic.errors import Unsupported

FILE = "pointers.cu"


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    built = build((KERNELS / FILE).read_text())
    assert built.build.ok, built.build.log
    return built


def run(built: Compiled, kernel: str, arrays: dict[str, NDArray[Any]], **options: Any) -> SimulatorResult:
    return simulate(built, LaunchPlan((launch_of(kernel, 1, 32, tuple(arrays)),)), arrays, **options)


@pytest.mark.parametrize("instrument", ["none", "all"])
def test_each_lane_calls_the_function_its_pointer_means(compiled: Compiled, instrument: str) -> None:
    x, y = np.arange(32, dtype=np.int32), np.zeros(32, np.int32)
    assert not run(compiled, "by_table", {"x": x, "y": y}, instrument=instrument).faults
    assert np.array_equal(y, np.choose(x % 3, [2 * x, x * x, -x]))


def test_a_call_by_a_chosen_pointer_that_some_lanes_skip(compiled: Compiled) -> None:
    x, y = np.arange(32, dtype=np.int32), np.zeros(32, np.int32)
    assert not run(compiled, "by_choice", {"x": x, "y": y}).faults
    assert np.array_equal(y, np.where(x == 3, 0, np.where(x > 5, 2 * x, -x)))


def test_virtual_functions_are_those_of_the_object(compiled: Compiled) -> None:
    x, y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    assert not run(compiled, "virtual_areas", {"x": x, "y": y}).faults
    assert np.array_equal(y, np.where(np.arange(32) % 3, x * x, 3 * x * x))


@pytest.mark.parametrize("target", [0, 12345, 1 << 62])
def test_a_pointer_to_no_function_is_told_with_its_line(compiled: Compiled, target: int) -> None:
    fault = only(run(compiled, "from_nowhere", {"x": np.array([target]), "y": np.zeros(32, np.int32)}))
    assert (fault.kind, fault.line) == ("trap", line_of(FILE, "// no function"))
    assert "leads to no function" in fault.message


def test_recursion_is_refused_by_name(compiled: Compiled) -> None:
    with pytest.raises(Unsupported, match=r"line \d+: .*recursion \(factorial calls itself"):
        run(compiled, "recursive", {"x": np.zeros(32, np.int32), "y": np.zeros(32, np.int32)})


def test_memory_that_a_kernel_asks_for_is_refused_by_name(compiled: Compiled) -> None:
    with pytest.raises(Unsupported, match=f"line {line_of(FILE, '// the heap')}: .*malloc inside a kernel"):
        run(compiled, "asks_for_memory", {"x": np.ones(32, np.int32), "y": np.zeros(32, np.int32)})


@pytest.mark.parametrize(
    ("symbol", "words"),
    [
        ("_Z9factoriali", "factorial"),
        ("_Z5scaleif", "scale"),
        ("_Z5scale3Foo", "scale"),  # Foo is a type
        ("_ZN5Shape4areaEv", "Shape::area"),
        ("_ZN2ns5scaleEi", "ns::scale"),
        ("_Z3addILi4EEvPf", "add"),
        ("malloc", "malloc"),
        ("scale", "scale"),
        ("_Z", "_Z"),
    ],
)
def test_a_function_is_called_by_the_name_it_was_given(symbol: str, words: str) -> None:
    assert written_name(symbol) == words
