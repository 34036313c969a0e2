"""Bench.evaluate and Bench.accept on a real device: right, timed beside the baseline, counted; and whoever cheats."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.records import Candidate, Task
from cudaperf_magic.tasks.c import function_of, read_task
from cudaperf_magic.tasks.plain import NAME, plain_candidate

pytestmark = pytest.mark.gpu

SOURCE = """void squares(int n, const float x[n], float y[n]) {
    for (int i = 0; i < n; i++) y[i] = x[i] * x[i] + 1.0f;
}"""
HEAD = "__global__ void k(int n, const float *x, float *y) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
HOST = "\nvoid squares(int n, const float *x, float *y) { if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y); }"
# Does its work at its first call only, and then trusts that the answer still stands where it left it.
LAZY = "__device__ int seen;\n" + HEAD + """    if (seen == 0 && i < n) y[i] = x[i] * x[i] + 1.0f;
    if (i == 0) seen = 1;
}""" + HOST
LATE = HEAD + "    if (i < n && i < 3000000) y[i] = x[i] * x[i] + 1.0f;\n}" + HOST
RIGHT = HEAD + "    if (i < n) y[i] = x[i] * x[i] + 1.0f;\n"
WILD = RIGHT + "    if (n > 2000000 && i == 0) y[(size_t)1 << 40] = 1;\n}" + HOST
ENDLESS = RIGHT + "    while (n > 2000000 && ((volatile const float *)x)[0] != 1234.5f) ;\n}" + HOST


@pytest.fixture(scope="module")
def task() -> Task:
    return settled(*read_task(SOURCE))


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench("cuda:0") as made:
        yield made


def plain(task: Task) -> Candidate:
    found = plain_candidate(task, function_of(task))
    assert found is not None
    return found


def test_a_candidate_is_verified_timed_counted_and_accepted(bench: Bench, task: Task) -> None:
    outcome = bench.evaluate(task, plain(task))
    timing = outcome.timing
    assert outcome.ok and timing is not None, outcome.verdict
    assert timing.baseline == NAME and timing.interval is not None and not timing.is_faster
    assert timing.floor_by == "memory bandwidth" and 1.0 <= (timing.of_floor or 0) < 3.0
    assert outcome.structure is not None and {"counters"} <= {p.source for p in outcome.structure.properties}
    accepted = bench.accept(task, plain(task), outcome)
    assert accepted.ok and accepted.verdict is not None and accepted.timing is not None
    assert accepted.verdict.generality is not None and accepted.timing.end_to_end_us and accepted.timing.others
    assert "found nothing" in accepted.verdict.sanitizer or not accepted.verdict.sanitizer


def test_a_kernel_that_works_at_its_first_call_only_is_caught(bench: Bench, task: Task) -> None:
    outcome = bench.evaluate(task, Candidate(LAZY))
    assert not outcome.ok or (outcome.timing is not None and outcome.labels[-1].kind == "state")
    if outcome.timing is not None:
        assert not outcome.timing.is_faster  # loaded anew for each timed call, it has to work each time


def test_what_is_wrong_only_where_the_device_is_full_is_caught(bench: Bench, task: Task) -> None:
    outcome = bench.evaluate(task, Candidate(LATE))
    assert outcome.verdict is not None and outcome.verdict.status == "mismatch"
    assert "y[3000000]" in outcome.verdict.reason


@pytest.mark.parametrize(("source", "status"), [(WILD, "fault"), (ENDLESS, "pass")])
def test_after_a_lost_context_the_next_candidate_is_right(bench: Bench, task: Task, source: str, status: str) -> None:
    outcome = bench.evaluate(task, Candidate(source))
    assert outcome.verdict is not None and outcome.verdict.status == status, outcome.verdict
    assert outcome.timing is None
    again = bench.evaluate(task, plain(task))
    assert again.ok and again.timing is not None


def test_two_kernels_are_timed_in_pairs_and_one_against_itself_is_neither_faster_nor_slower(
    bench: Bench, task: Task
) -> None:
    # The same sums, each thread's over again: eight times the traffic.
    slow = Candidate(HEAD + """    for (int t = 0; t < 8; t++)
        if (i < n) ((volatile float *)y)[i] = ((const volatile float *)x)[i] * x[i] + 1.0f;
}""" + HOST)
    found = bench.pair(task, plain(task), slow)
    assert not isinstance(found, str) and found.is_faster
    itself = bench.pair(task, plain(task), plain(task))
    assert not isinstance(itself, str) and itself.interval is not None and not itself.is_faster
    assert 1 / itself.interval[1] < 1.0 + (itself.noise or 0.0)
