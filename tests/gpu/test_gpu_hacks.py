"""The candidates of tests/hacks and tests/honest on a real device. Run by tests/gpu/run.sh on a machine with a GPU."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from hack_rows import assert_as_expected, hacks_of
from kernel_files import KernelFile, honest_kernels, outcome_of
from module_files import module_outcome

from cudaperf_magic.bench.bench import Bench

pytestmark = pytest.mark.gpu
DEVICE = "cuda:0"


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench(DEVICE) as made:
        yield made


@pytest.mark.parametrize("file", hacks_of("lane_a"), ids=lambda file: file.path.stem)
def test_a_hostile_kernel_ends_on_the_device_as_its_file_says(bench: Bench, file: KernelFile) -> None:
    expected = file.header.get("device", file.header["expect"])
    assert_as_expected(outcome_of(bench, file.header["function"], file), expected)


@pytest.mark.parametrize("file", hacks_of("lane_b"), ids=lambda file: file.path.stem)
def test_a_hostile_module_ends_on_the_device_as_its_file_says(file: KernelFile) -> None:
    assert_as_expected(module_outcome(file, DEVICE), file.header.get("device", file.header["expect"]))


@pytest.mark.parametrize("file", honest_kernels(), ids=lambda file: file.name)
def test_an_honest_kernel_is_not_refused_on_the_device(bench: Bench, file: KernelFile) -> None:
    found = outcome_of(bench, file.path.parent.name, file)
    assert found.verdict is not None and found.ok, found.verdict or found.build.log


@pytest.mark.parametrize("file", hacks_of("lane_b/honest"), ids=lambda file: file.path.stem)
def test_an_honest_module_is_not_refused_on_the_device(file: KernelFile) -> None:
    found = module_outcome(file, DEVICE)
    assert found.verdict is not None and found.ok, found.verdict or found.build.log
