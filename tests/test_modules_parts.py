"""The parts of lane B by themselves: gate, schedule, inputs, judge, parameters, labels, knock-out, freezing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise

import pytest
import torch

from cudaperf_magic.bench.modules import extension, inputs, judge, knockout, labels, layout, parameters, schedule
from cudaperf_magic.bench.modules.contained import Contained
from cudaperf_magic.bench.modules.gate import PAGE_BYTES, Caller, Stopped, answer_calls
from cudaperf_magic.bench.sandbox_limits import descendants
from cudaperf_magic.records import KernelRun
from cudaperf_magic.tasks.pytorch import OWN_KERNELS_ONLY, read_module_task

# The gate


def test_a_call_through_the_gate_names_its_slot_and_tells_of_failure() -> None:
    page = memoryview(bytearray(PAGE_BYTES))
    seen: list[int] = []

    def run(slot: int) -> bool:
        seen.append(slot)
        return slot == 2

    other = threading.Thread(target=answer_calls, args=(page, run))
    other.start()
    caller = Caller(page, other.is_alive)
    results = [caller.call(slot, 5.0) for slot in (1, 2, 0)]
    caller.leave()
    other.join(5.0)
    assert seen == [1, 2, 0] and not other.is_alive()
    assert [has_failed for _, _, has_failed in results] == [False, True, False]
    assert all(end > start for start, end, _ in results)


def test_the_callers_clock_covers_all_of_the_call() -> None:
    page = memoryview(bytearray(PAGE_BYTES))
    other = threading.Thread(target=answer_calls, args=(page, lambda slot: bool(time.sleep(0.05))))
    other.start()
    caller = Caller(page, other.is_alive)
    start, end, _ = caller.call(0, 5.0)
    caller.leave()
    other.join(5.0)
    assert end - start >= 50_000_000


@pytest.mark.parametrize("is_alive", [True, False])
def test_a_side_that_never_answers_is_given_up(is_alive: bool) -> None:
    caller = Caller(memoryview(bytearray(PAGE_BYTES)), lambda: is_alive)
    with pytest.raises(Stopped) as caught:
        caller.call(0, 0.05)
    assert caught.value.is_late == is_alive


# The schedule


def test_a_schedule_has_all_families_twins_in_place_and_one_content_that_comes_back_elsewhere() -> None:
    for _ in range(30):
        steps = schedule.draw(("nominal", "negated", "offset"), nominal_calls=8)
        assert {"negated", "offset"} <= {step.content.family for step in steps}
        twins = [step for step in steps if step.content.twin_of is not None]
        assert twins
        for twin in twins:
            first = next(step for step in steps if step.content.seed == twin.content.twin_of)
            assert first.slot == twin.slot and steps.index(first) < steps.index(twin)
        (again,) = [step for step in steps if step.is_again]
        first = next(step for step in steps if step.content == again.content)
        assert first.slot != again.slot and steps.index(first) < steps.index(again)


def test_no_two_schedules_are_alike() -> None:
    drawn = [schedule.draw(("nominal", "negated")) for _ in range(5)]
    assert len({tuple(step.content.seed for step in steps) for steps in drawn}) == 5
    assert len({step.poison for steps in drawn for step in steps}) == sum(map(len, drawn))


# Inputs


def test_a_near_twin_keeps_the_first_elements_and_changes_others() -> None:
    old, new = [torch.randn(1000)], [torch.randn(1000)]
    (twin,) = inputs.near_twin(old, new, seed=5)
    assert torch.equal(twin[: inputs.KEPT_FIRST], old[0][: inputs.KEPT_FIRST])
    assert 100 < int((twin != old[0]).sum()) < 400


@pytest.mark.parametrize("family", inputs.FAMILIES)
def test_each_family_is_another_content_of_the_same_kind(family: str) -> None:
    tensors = [torch.randn(40, 6).t(), torch.arange(5)]
    first, second = (inputs.like(inputs.altered(tensors, family, 7), tensors) for _ in range(2))
    assert first[0].stride() == tensors[0].stride() and first[0].dtype == torch.float32
    assert not torch.equal(first[0], tensors[0]) and torch.equal(first[1], tensors[1])
    assert torch.equal(first[0], second[0])


# Layout


def test_tensors_come_back_from_their_places_with_their_strides() -> None:
    tensors = [torch.randn(3, 4).t(), torch.arange(7), torch.tensor(True), torch.empty(0, 2)]
    places = [layout.place_of(tensor, str(number)) for number, tensor in enumerate(tensors)]
    calls = [(tuple(places), tuple(places[2:]))] * 2
    made = layout.lay_out(places[:1], calls, start_bytes=4096, is_on_host=True)
    memory = torch.zeros(made.host_bytes, dtype=torch.uint8)
    taken: list[tuple[int, int]] = []
    for slot in made.slots:
        for place, tensor in zip(slot.inputs, tensors, strict=True):
            layout.view(memory, place).copy_(tensor)
        taken += [(p.offset_bytes, p.offset_bytes + p.size_bytes) for p in (*slot.inputs, *slot.outputs)]
    for place, tensor in zip(made.slots[1].inputs, tensors, strict=True):
        found = layout.view(memory, place)
        assert torch.equal(found, tensor) and found.stride() == tensor.stride()
    taken.sort()
    assert all(before[1] <= after[0] for before, after in pairwise(taken))
    assert taken[-1][1] <= made.host_bytes


def test_a_nest_of_tensors_and_plain_values_survives_being_packed() -> None:
    value = [torch.ones(2, 3), {"a": (1, None, "x"), "b": [torch.tensor([1.5])]}, 2.5]
    found = layout.unpacked(layout.packed(value))
    assert torch.equal(found[0], value[0]) and found[1]["a"] == (1, None, "x") and found[2] == 2.5
    with pytest.raises(TypeError):
        layout.packed([object()])


# The judge


def product(width: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    left, right = torch.randn(64, width), torch.randn(width, 48)
    return left, right, left @ right, left.double() @ right.double()


def test_another_order_of_a_sum_passes_and_less_precision_does_not() -> None:
    left, right, plain, wide = product(512)
    lower = (left.bfloat16() @ right.bfloat16()).float()
    multiple = judge.multiple_between(judge.rms_error(plain, wide), judge.rms_error(lower, wide))
    assert multiple is not None
    one_by_one = sum(left[:, k : k + 1] * right[k] for k in range(512))
    assert judge.judge("y", one_by_one, plain, wide, multiple).ok
    assert not judge.judge("y", lower, plain, wide, multiple).ok


def test_one_wrong_element_among_many_is_found() -> None:
    _, _, plain, wide = product(64)
    wrong = plain.clone()
    wrong[40, 3] += 1e-3
    found = judge.judge("y", wrong, plain, wide, 8.0)
    assert not found.ok and f"y[{40 * 48 + 3}]" in found.reason


@pytest.mark.parametrize("strange", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_must_be_in_the_same_places(strange: float) -> None:
    plain = torch.tensor([1.0, strange, 2.0])
    wide = plain.double()
    assert judge.judge("y", plain.clone(), plain, wide, 3.0).ok
    assert not judge.judge("y", torch.tensor([1.0, 5.0, 2.0]), plain, wide, 3.0).ok
    assert not judge.judge("y", torch.tensor([strange, strange, 2.0]), plain, wide, 3.0).ok


def test_integers_are_equal_or_wrong_but_a_tie_may_go_both_ways() -> None:
    plain, wide = torch.tensor([1, 2, 3]), torch.tensor([1, 5, 3])
    assert judge.judge("y", torch.tensor([1, 5, 3]), plain, wide, 3.0).ok
    assert not judge.judge("y", torch.tensor([1, 4, 3]), plain, wide, 3.0).ok


def test_where_less_precision_looks_the_same_nothing_can_be_refereed() -> None:
    assert judge.multiple_between(1e-7, 2e-7) is None
    assert judge.multiple_between(0.0, 1e-4) == judge.LEAST_MULTIPLE
    assert judge.LEAST_MULTIPLE < (judge.multiple_between(1e-7, 1e-5) or 0) <= judge.MOST_MULTIPLE


# Parameters


def test_no_parameter_stays_at_its_identity() -> None:
    norm = torch.nn.BatchNorm1d(8)
    found = parameters.randomised(norm.state_dict(), 3)
    assert all(len(found[name].unique()) > 1 for name in ("weight", "bias", "running_mean", "running_var"))
    assert bool((found["running_var"] > 0).all()) and torch.equal(found["num_batches_tracked"], torch.tensor(0))


def test_constants_of_a_constructor_vary_the_same_for_one_seed_and_the_stream_of_numbers_is_left_alone() -> None:
    def made(seed: int) -> dict[str, torch.Tensor]:
        torch.manual_seed(1)
        with parameters.varied_constants(seed):
            layer = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.LayerNorm(3), torch.nn.Linear(3, 2))
        return layer.state_dict()

    torch.manual_seed(1)
    plain = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.LayerNorm(3), torch.nn.Linear(3, 2)).state_dict()
    first, same, other = made(5), made(5), made(6)
    assert all(torch.equal(first[name], same[name]) for name in first)
    assert len(first["1.weight"].unique()) > 1 and not torch.equal(first["1.weight"], other["1.weight"])
    assert torch.equal(first["0.weight"], plain["0.weight"]) and torch.equal(first["2.weight"], plain["2.weight"])
    assert torch.equal(torch.nn.LayerNorm(3).weight, torch.ones(3))


# Labels


def test_two_clocks_that_tell_different_stories_are_labelled() -> None:
    assert labels.clocks_label([1e-3] * 5, [1.02e-3] * 5, 1e-5) is None
    assert labels.clocks_label([1e-3] * 5, [1e-5] * 5, 1e-5) is not None
    assert labels.clocks_label([1e-3] * 5, [1e-5] * 5, 1e-2) is None  # a clock as noisy as that says nothing
    assert labels.clocks_label([1e-3] * 5, [], 1e-5) is not None


def test_kernels_that_ran_tell_the_library_and_the_fig_leaf() -> None:
    runs = (KernelRun("gemm", "library", 1, 0.9, "cublas"), KernelRun("bias", "candidate", 1, 0.1))
    library, leaf = labels.library_label({}, runs), labels.fig_leaf_label(runs)
    assert library is not None and "90%" in library.message and "cublas" in library.message
    assert leaf is not None and "10%" in leaf.message
    assert labels.library_label({"aten.mm": 1}, runs[1:]) is None  # kernels that ran say more than operations called


def test_operations_that_only_move_tensors_are_no_library_call() -> None:
    assert labels.library_label({"aten.empty": 2, "aten.view": 1, "mine.kernel": 1}) is None
    found = labels.library_label({"aten.empty": 2, "aten.addmm": 1})
    assert found is not None and "aten.addmm" in found.message


def test_a_contract_turns_its_labels_into_a_breach() -> None:
    source = "class Model:\n    def forward(self): ...\ndef get_inputs(): ...\ndef get_init_inputs(): ...\n"
    strict, free = read_module_task(source, contract=(OWN_KERNELS_ONLY,)), read_module_task(source)
    seen = (labels.decoy_label(("scale",)),)
    assert labels.breach(strict, seen) is seen[0] and labels.breach(free, seen) is None


def test_the_names_of_own_kernels_are_read_from_cuda_and_triton() -> None:
    text = (
        "__global__ void scale(float *x) {}\ntemplate <int N> __global__ void __launch_bounds__(256, 2)\n"
        "tiled(int n) {}\n@triton.autotune(configs=[])\n@triton.jit\ndef rows(x):\n    pass\n"
        "@triton.jit(do_not_specialize=['n'])\ndef columns(x):\n    pass\nvoid host(int n) {}\n"
    )
    assert labels.own_kernels(text) == ("scale", "tiled", "rows", "columns")


# Knock-out


def test_kernels_without_their_bodies_keep_host_code_device_functions_and_lines() -> None:
    source = (
        "__device__ float twice(float x) { return 2 * x; }\n"
        "template <int N>\n__global__ void k(float *x, int n) {\n    if (n) { x[0] = twice(x[0]); }\n}\n"
        'extern "C" __global__ void other(float *x) { x[1] = 1; }\n'
        "void host(float *x) {\n    k<1><<<1, 1>>>(x, 1);\n}\n"
    )
    found = knockout.without_bodies(source)
    assert "x[0]" not in found and "x[1]" not in found
    assert "return 2 * x" in found and "k<1><<<1, 1>>>(x, 1);" in found
    assert found.count("\n") == source.count("\n")


# Extensions


def test_a_call_of_load_inline_becomes_plain_data() -> None:
    found = extension.inline_request("ext", "int f();", ["__global__ void k() {}"], {"functions": "f"})
    assert found["cpp_sources"] == ["int f();"] and found["functions"] == ["f"] and found["has_functions"]
    assert extension.inline_request("ext", ["a"], None, {})["cuda_sources"] == []


# The contained child


KNOCK_AND_SPIN = """
import os, sys, time
os.write(int(sys.argv[1]), b"+")
if sys.argv[2] == "deep":
    os.fork()
while True:
    time.sleep(0.001)
"""


@pytest.mark.parametrize("depth", ["flat", "deep"])
def test_a_frozen_child_stands_still_with_all_that_it_started(depth: str) -> None:
    contained = Contained()
    number = contained.theirs.fileno()
    child = subprocess.Popen([sys.executable, "-c", KNOCK_AND_SPIN, str(number), depth], pass_fds=[number])
    try:
        contained.meet(10.0)
        assert contained.pid == child.pid and contained.is_alive()
        assert contained.freeze()
        contained.thaw()
        assert contained.freeze()  # and again
    finally:
        for pid in (*descendants(child.pid), child.pid):
            os.kill(pid, signal.SIGKILL)
        child.wait(5.0)
    assert not contained.is_alive()
    contained.close()


def test_importing_lane_b_in_the_parent_loads_no_torch() -> None:
    code = "import sys, cudaperf_magic.bench.modules.evaluate; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
