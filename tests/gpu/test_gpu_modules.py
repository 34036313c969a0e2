"""Lane B on a device: the same files as on the CPU, and those that need streams, graphs or Triton."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from cudaperf_magic.bench.modules.evaluate import LaneB
from cudaperf_magic.bench.modules.outcome import BASELINE_NAME
from cudaperf_magic.bench.modules.player import Limits
from cudaperf_magic.records import Candidate, Outcome, Task
from cudaperf_magic.tasks.pytorch import OWN_KERNELS_ONLY, read_module_task

pytestmark = pytest.mark.gpu

FILES = Path(__file__).parents[1] / "modules"
HOSTILE = sorted([*(FILES / "hostile").glob("*.py"), *(FILES / "gpu_hostile").glob("*.py")])
HONEST = sorted([*(FILES / "honest").glob("*.py"), *(FILES / "gpu_honest").glob("*.py")])
NEEDS_CONTRACT = "where own kernels are asked for"
LIMITS = Limits(call_s=5.0, first_call_s=20.0)


@cache
def linear(*contract: str) -> Task:
    return read_module_task((FILES / "tasks" / "linear.py").read_text(), name="linear", contract=contract)


@pytest.fixture(scope="module")
def lane() -> Iterator[LaneB]:
    with LaneB("cuda:0", LIMITS) as opened:
        yield opened


def evaluated(lane: LaneB, task: Task, file: Path) -> Outcome:
    return lane.evaluate(task, Candidate(file.read_text()), nominal_calls=8)


@pytest.mark.parametrize("file", HOSTILE, ids=lambda file: file.stem)
def test_a_hostile_module_ends_as_its_first_line_says(file: Path, lane: LaneB) -> None:
    source = file.read_text()
    expected = re.search(r"Expect ([a-z_ ]+)", source)
    assert expected is not None
    outcome = evaluated(lane, linear(*((OWN_KERNELS_ONLY,) if NEEDS_CONTRACT in source else ())), file)
    words = expected[1].replace(NEEDS_CONTRACT, "").split()
    if words[0] == "label":
        assert outcome.ok and words[1] in {label.kind for label in outcome.labels}
    else:
        assert (outcome.verdict.status if outcome.verdict else "build") in words, outcome.verdict
        assert outcome.timing is None


@pytest.mark.parametrize("file", HONEST, ids=lambda file: file.stem)
def test_an_honest_module_passes_and_is_timed_beside_the_reference(file: Path, lane: LaneB) -> None:
    outcome = evaluated(lane, linear(), file)
    assert outcome.ok, (outcome.build.log, outcome.verdict)
    timing = outcome.timing
    assert timing is not None and timing.baseline == BASELINE_NAME and timing.gpu
    assert len(timing.samples_us) == len(timing.baseline_samples_us) >= 5


def test_a_kernel_of_its_own_keeps_the_contract_on_the_device(lane: LaneB) -> None:
    outcome = evaluated(lane, linear(OWN_KERNELS_ONLY), FILES / "gpu_honest" / "triton_rows.py")
    assert outcome.ok, (outcome.verdict, outcome.labels)
    assert any(kernel.owner == "candidate" for kernel in outcome.kernels)
