"""Kernels that only rare sizes launch are verified as well, on cases that are looked for."""

from __future__ import annotations

import pytest
from moved import task_of

from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.coverage import coverage
from cudaperf_magic.records import Candidate, Outcome

SCALE = "void scale(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] = 2 * x[i]; }"
STRIDED = """void strided(int n, int step, float x[n]) {
    for (int i = 0; i < n; i++) x[i] = step > 0 ? x[i] : -x[i]; }"""
KERNELS = """
__global__ void few(int n, float *x) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] = 2 * x[i]; }
__global__ void many(int n, float *x) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) x[i] = MANY * x[i]; }
"""
HOST = """
void scale(int n, float *x) {
    if (n <= 0) return;
    if (n > 200000) many<<<(n + 255) / 256, 256>>>(n, x);
    else few<<<(n + 63) / 64, 64>>>(n, x);
}
"""


def judged(c: str, cuda: str) -> Outcome:
    with Bench("simulator") as bench:
        return bench.evaluate(task_of(c)[0], Candidate(cuda, origin="test"))


def test_a_kernel_that_every_case_launches_needs_no_further_case() -> None:
    task, _, oracle = task_of(SCALE)
    plain = KERNELS.splitlines()[1] + "\nvoid scale(int n, float *x) { if (n > 0) few<<<(n + 63) / 64, 64>>>(n, x); }"
    assert coverage(task, Candidate(plain), oracle).cases == ()


@pytest.mark.parametrize(("factor", "is_right"), [("2", True), ("3", False)])
def test_a_kernel_for_sizes_that_no_case_has_is_met_and_judged(factor: str, is_right: bool) -> None:
    outcome = judged(SCALE, KERNELS.replace("MANY", factor) + HOST.replace("200000", "90000"))
    assert outcome.ok == is_right
    assert outcome.verdict is not None
    if not is_right:
        assert outcome.verdict.failing_case is not None
        assert outcome.verdict.failing_case.size["n"] > 90000


def test_sizes_beyond_all_cases_for_which_the_host_launches_nothing_are_judged() -> None:
    kernel = KERNELS.splitlines()[1]
    host = "void scale(int n, float *x) { if (n > 0) few<<<(n + 63) / 64, 64>>>(n, x); }"
    task, _, oracle = task_of(SCALE)
    assert coverage(task, Candidate(f"{kernel}\n{host}"), oracle).cases == ()
    lazy = host.replace("n > 0", "n > 0 && n < 100000")
    (case,) = coverage(task, Candidate(f"{kernel}\n{lazy}"), oracle).cases
    assert case.size["n"] >= 100000 and not judged(SCALE, f"{kernel}\n{lazy}").ok


def test_a_kernel_that_nothing_launches_is_named_in_the_verdict() -> None:
    outcome = judged(SCALE, KERNELS.replace("MANY", "2") + HOST.replace("n > 200000", "n < 0"))
    assert outcome.verdict is not None
    assert outcome.ok
    assert outcome.verdict.reason.endswith("none of them launches many")


def test_a_launch_that_is_refused_for_rare_sizes_is_a_fault() -> None:
    cuda = KERNELS.replace("MANY", "2") + HOST.replace("200000", "90000").replace("(n + 255) / 256, 256", "n, 2048")
    outcome = judged(SCALE, cuda)
    assert not outcome.ok
    assert outcome.verdict is not None
    assert "2048" in outcome.verdict.reason


def test_scalars_that_are_no_sizes_lead_to_rare_kernels_too() -> None:
    cuda = """
__global__ void up(int n, float *x) { }
__global__ void down(int n, float *x) { int i = threadIdx.x + blockIdx.x * 64; if (i < n) x[i] = SIGN x[i]; }
void strided(int n, int step, float *x) {
    if (n <= 0) return;
    if (step > 0) up<<<1, 32>>>(n, x);
    else down<<<(n + 63) / 64, 64>>>(n, x);
}"""
    assert judged(STRIDED, cuda.replace("SIGN", "-")).ok
    assert not judged(STRIDED, cuda.replace("SIGN", "+")).ok
