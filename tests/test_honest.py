"""Kernels that a good engineer would write: verification refuses none. On the simulator; tests/gpu does it on a device.

Each is a file, tests/honest/FUNCTION/what_it_does.cu, for the C in tests/honest/FUNCTION.c.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kernel_files import FUNCTIONS, KernelFile, honest_kernels, outcome_of

from cudaperf_magic.bench.bench import Bench

FEWEST = 100


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench("simulator") as made:
        yield made


@pytest.mark.parametrize("file", honest_kernels(), ids=lambda file: file.name)
def test_an_honest_kernel_is_not_refused(bench: Bench, file: KernelFile) -> None:
    found = outcome_of(bench, file.path.parent.name, file)
    assert found.verdict is not None and found.verdict.ok, found.verdict or found.build.log
    assert found.structure is not None


def test_there_are_at_least_a_hundred_and_no_two_are_alike() -> None:
    sources = [file.source.partition("\n")[2] for file in honest_kernels()]
    assert len(set(sources)) == len(sources) >= FEWEST


def test_every_function_has_kernels_and_every_kernel_its_function() -> None:
    functions = {path.stem for path in FUNCTIONS.glob("*.c")}
    assert {file.path.parent.name for file in honest_kernels()} == functions
    assert all(file.source.startswith("// ") for file in honest_kernels()), "a line that says what is done"
