"""Lane B's figures beside the verdict: on how many other shapes a candidate is right, how much memory it takes."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest
import torch

from cudaperf_magic.bench import sandbox
from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.gpu.clocks import Reader
from cudaperf_magic.bench.modules.evaluate import evaluate_module
from cudaperf_magic.bench.modules.loading import load_source
from cudaperf_magic.bench.modules.neighbours import inputs_of, neighbours_of
from cudaperf_magic.bench.modules.peak import MIB, SLACK_BYTES, Rise, memory_of
from cudaperf_magic.bench.modules.player import Limits
from cudaperf_magic.bench.modules.reference import Reference
from cudaperf_magic.records import Candidate, Memory, Outcome
from cudaperf_magic.tasks.pytorch import read_module_task

LIMITS = Limits(call_s=2.0, first_call_s=5.0)

ROWS = """
import torch
from torch import nn
batch_size = 12
width = 7

class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, 3)

    def forward(self, x):
        return torch.relu(self.linear(x))

def get_inputs():
    return [torch.randn(batch_size, width)]

def get_init_inputs():
    return [width]
"""
WRITTEN_OUT = ROWS.replace("torch.randn(batch_size, width)", "torch.randn(12, 7)")
PRODUCT = """
import torch
M, K, N = 6, 5, 4

class Model(torch.nn.Module):
    def forward(self, a, b):
        return a @ b

def get_inputs():
    return [torch.randn(M, K), torch.randn(K, N)]

def get_init_inputs():
    return []
"""
SQUARE = PRODUCT.replace("torch.randn(M, K), torch.randn(K, N)", "torch.randn(6, 6), torch.randn(6, 6)")


@pytest.fixture(scope="module", autouse=True)
def _no_server_is_left() -> object:
    yield
    sandbox.stop()


def loaded(source: str) -> tuple[Any, list[torch.Tensor]]:
    module = load_source(source, "neighbour_task")
    return module, module.get_inputs()


def words(source: str) -> list[str]:
    module, tensors = loaded(source)
    return [each.words for each in neighbours_of(source, module, tensors)]


def generality(task: str, candidate: str) -> tuple[int, int] | None:
    outcome = evaluated(task, candidate)
    assert outcome.verdict is not None and outcome.ok, outcome
    return outcome.verdict.generality


def evaluated(task: str, candidate: str) -> Outcome:
    return evaluate_module(
        read_module_task(task), Candidate(candidate), limits=LIMITS, nominal_calls=4, with_neighbours=True
    )


def as_candidate(source: str, old: str = "", new: str = "") -> str:
    assert old in source
    return (
        source.replace("class Model(", "class ModelNew(").replace(old, new)
        if old
        else source.replace("class Model(", "class ModelNew(")
    )


# Which shapes


def test_a_batch_size_that_get_inputs_reads_is_varied_and_the_modules_own_width_is_not() -> None:
    assert words(ROWS) == ["batch_size = 11", "batch_size = 13", "batch_size = 1"]


def test_extents_that_are_written_out_are_varied_by_rows() -> None:
    assert words(WRITTEN_OUT) == ["11 rows", "13 rows", "1 rows"]
    module, tensors = loaded(WRITTEN_OUT)
    for which in neighbours_of(WRITTEN_OUT, module, tensors):
        (made,) = inputs_of(module, which, 5, "cpu")
        assert made.shape == (which.value, 7)


def test_every_extent_of_a_product_is_varied_in_both_factors() -> None:
    module, tensors = loaded(PRODUCT)
    which = next(each for each in neighbours_of(PRODUCT, module, tensors) if each.name == "K")
    a, b = inputs_of(module, which, 5, "cpu")
    assert (tuple(a.shape), tuple(b.shape)) == ((6, 6), (6, 4)) and module.K == 5


# What a candidate makes of them


def test_a_module_that_takes_any_batch_passes_on_every_neighbour() -> None:
    assert generality(ROWS, as_candidate(ROWS)) == (3, 3)


def test_a_module_for_one_batch_only_is_right_and_its_narrowness_is_a_figure() -> None:
    narrow = as_candidate(ROWS, "return torch.relu(self.linear(x))", "return torch.relu(self.linear(x)).view(12, 3)")
    assert generality(ROWS, narrow) == (0, 3)


def test_a_module_that_is_wrong_on_odd_batches_or_dies_on_one_is_told_how_often() -> None:
    odd = "y = torch.relu(self.linear(x))\n        if len(x) % 2: y = y + 1\n        return y"
    assert generality(ROWS, as_candidate(ROWS, "return torch.relu(self.linear(x))", odd)) == (0, 3)
    dies = "import os\n        if len(x) == 13: os._exit(3)\n        return torch.relu(self.linear(x))"
    assert generality(ROWS, as_candidate(ROWS, "return torch.relu(self.linear(x))", dies)) == (2, 3)


def test_a_module_whose_inputs_have_no_other_shape_has_no_figure() -> None:
    assert generality(SQUARE, as_candidate(SQUARE)) is None


def test_the_last_look_at_a_module_tells_its_generality() -> None:
    task, candidate = read_module_task(ROWS), Candidate(as_candidate(ROWS))
    with Bench("simulator") as bench:
        seen = bench.evaluate(task, candidate)
        assert seen.verdict is not None and seen.verdict.generality is None
        accepted = bench.accept(task, candidate, seen)
    assert accepted.ok and accepted.verdict is not None and accepted.verdict.generality == (3, 3)


# Memory


def test_on_a_cpu_no_memory_is_claimed() -> None:
    assert evaluated(ROWS, as_candidate(ROWS)).memory is None


def test_a_peak_that_the_driver_confirms_is_told_as_the_child_counts_it() -> None:
    memory, label = memory_of(300 * MIB, 420 * MIB, 10 * MIB, 200 * MIB)
    assert memory == Memory(310 * MIB, 200 * MIB) and label is None


def test_a_child_that_hides_what_it_takes_is_told_by_the_driver() -> None:
    memory, label = memory_of(1 * MIB, SLACK_BYTES + 2 * MIB, 10 * MIB, 200 * MIB)
    assert memory == Memory(SLACK_BYTES + 12 * MIB, 200 * MIB)
    assert label is not None and label.kind == "memory_disagrees" and "says that it takes 1 MiB" in label.message


def test_a_child_that_says_nothing_is_told_by_the_driver_and_without_either_nothing_is() -> None:
    memory, label = memory_of(None, 50 * MIB, 0, 20 * MIB)
    assert memory == Memory(50 * MIB, 20 * MIB) and label is not None
    assert memory_of(None, None, 0, 20 * MIB) == (None, None)
    assert memory_of(5 * MIB, None, 0, None) == (None, None)


class FakeCard:
    """NVML of a card on which one process holds `mine` bytes and all together `used`."""

    def __init__(self, pid: int | None) -> None:
        self.pid, self.mine, self.used = pid, 100 * MIB, 900 * MIB

    def nvmlDeviceGetMemoryInfo(self, handle: Any, out: Any) -> int:
        out._obj.used = self.used
        return 0

    def nvmlDeviceGetComputeRunningProcesses_v3(self, handle: Any, count: Any, out: Any) -> int:
        count._obj.value = 0 if self.pid is None else 2
        if self.pid is not None:
            out[0].pid, out[0].used = 1, 5 * MIB
            out[1].pid, out[1].used = self.pid, self.mine
        return 0


@pytest.mark.parametrize("pid", [77, None])
def test_what_a_child_takes_is_read_by_its_process_else_by_the_card_between_start_and_end_of_a_call(
    pid: int | None,
) -> None:
    card = FakeCard(pid)
    rise = Rise(Reader(card, ctypes.c_void_p()), 77)
    assert rise.bytes is None
    card.mine += 30 * MIB
    with rise.call():
        card.mine += 40 * MIB
        card.used += 40 * MIB
    with rise.call():  # what others do between the calls is not the child's
        pass
    assert rise.bytes == (70 if pid else 40) * MIB


def test_the_references_peak_counts_parameters_inputs_and_what_its_call_allocates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", lambda: None)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda: 1000)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda: 1600)
    model = torch.nn.Linear(4, 2)
    nest = ("list", [("tensor", 0)])
    assert Reference(model, nest).peak_bytes([torch.ones(3, 4)]) == (8 + 2 + 12) * 4 + 600
