"""Verification of real CUDA in the simulator: honest kernels pass, and each planted fault is found and named."""

from __future__ import annotations

from functools import lru_cache

import pytest
from scripted import read_settled

from cudaperf_magic.bench.building import build_candidate
from cudaperf_magic.bench.devices import open_device
from cudaperf_magic.bench.oracle import Oracle
from cudaperf_magic.bench.verify import verify
from cudaperf_magic.records import Candidate, Task, Verdict

SUM_ROWS = """void sum_rows(int n, int m, const float A[n][m], float s[n]) {
    for (int i = 0; i < n; i++) {
        s[i] = 0;
        for (int j = 0; j < m; j++)
            s[i] += A[i][j];
    }
}"""
SUM_ROWS_CUDA = """__global__ void sum_row(int m, const float *A, float *s) {
    __shared__ float part[128];
    float sum = 0;
    for (int j = threadIdx.x; j < m; j += 128)
        sum += A[(size_t)blockIdx.x * m + j];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        s[blockIdx.x] = part[0];
}
void sum_rows(int n, int m, const float *A, float *s) {
    if (n > 0)
        sum_row<<<n, 128>>>(m, A, s);
}"""
HISTOGRAM = """void histogram(int n, const unsigned char x[n], int h[256]) {
    for (int i = 0; i < n; i++)
        h[x[i]]++;
}"""
HISTOGRAM_CUDA = """__global__ void count(int n, const unsigned char *x, int *h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&h[x[i]], 1);
}
void histogram(int n, const unsigned char *x, int *h) {
    if (n > 0)
        count<<<(n + 255) / 256, 256>>>(n, x, h);
}"""
PARTICLES = """typedef struct { float x; double v; } particle;
void move(int n, float dt, particle p[n]) {
    for (int i = 0; i < n; i++)
        p[i].x += dt * p[i].v;
}"""
PARTICLES_CUDA = """typedef struct { float x; double v; } particle;
__global__ void step(int n, float dt, particle *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += dt * p[i].v;
}
void move(int n, float dt, particle *p) {
    if (n > 0)
        step<<<(n + 63) / 64, 64>>>(n, dt, p);
}"""


@lru_cache
def prepared(source: str) -> tuple[Task, Oracle]:
    return read_settled(source)


def simulated(source: str, cuda: str) -> Verdict:
    task, oracle = prepared(source)
    device = open_device("simulator")
    compiled = build_candidate(task, Candidate(cuda), device.arch)
    assert compiled.build.ok, compiled.build.log
    with device.runner(compiled) as runner:
        return verify(task, Candidate(cuda), runner, oracle)


def replaced(cuda: str, old: str, new: str) -> str:
    assert old in cuda
    return cuda.replace(old, new, 1)


@pytest.mark.parametrize(
    ("source", "cuda"),
    [(SUM_ROWS, SUM_ROWS_CUDA), (HISTOGRAM, HISTOGRAM_CUDA), (PARTICLES, PARTICLES_CUDA)],
    ids=["rows", "histogram", "particles"],
)
def test_an_honest_kernel_passes_and_keeps_its_bits_in_both_orders(source: str, cuda: str) -> None:
    verdict = simulated(source, cuda)
    assert verdict.ok, verdict.reason
    assert verdict.is_deterministic and verdict.cases_passed > 12


@pytest.mark.parametrize(
    ("old", "new", "kind", "line"),
    [
        ("        __syncthreads();\n    }", "    }", "shared_race", 10),
        ("j < m", "j <= m", "out_of_bounds", 5),
        ("part[128]", "part[127]", "out_of_bounds", 6),
        ("float sum = 0;", "float sum = s[blockIdx.x];", "uninitialised", 3),
        ("j += 128", "j += 0", "limit", 4),
        ("if (threadIdx.x == 0)\n        s[blockIdx.x] = part[0]", "s[blockIdx.x] = threadIdx.x", "global_race", 13),
        ("if (threadIdx.x == 0)", "if (threadIdx.x == 0 && blockIdx.x != 2)", "unwritten", None),
    ],
)
def test_a_fault_in_a_reduction_is_named_with_its_line(old: str, new: str, kind: str, line: int | None) -> None:
    verdict = simulated(SUM_ROWS, replaced(SUM_ROWS_CUDA, old, new))
    assert verdict.faults and verdict.faults[0].kind == kind, verdict.reason
    if line is not None:
        assert verdict.faults[0].line == line and f"line {line}" in verdict.reason


@pytest.mark.parametrize(
    ("old", "new"),
    [("half = 64", "half = 32"), ("= threadIdx.x;", "= threadIdx.x + 1;"), ("sum +=", "sum ="), ("+= 128", "+= 129")],
)
def test_a_wrong_sum_is_a_mismatch_that_names_its_row(old: str, new: str) -> None:
    verdict = simulated(SUM_ROWS, replaced(SUM_ROWS_CUDA, old, new))
    assert verdict.status == "mismatch" and verdict.reason.startswith("s[")


def test_a_count_without_atomics_is_a_race() -> None:
    verdict = simulated(HISTOGRAM, replaced(HISTOGRAM_CUDA, "atomicAdd(&h[x[i]], 1)", "h[x[i]] += 1"))
    assert verdict.faults[0].kind == "global_race" and verdict.faults[0].line == 4


def test_a_kernel_that_changes_its_input_is_caught() -> None:
    spoilt = "if (m > 0) ((float *)A)[blockIdx.x * m] = 0;\n    if (threadIdx.x == 0)"
    cuda = replaced(SUM_ROWS_CUDA, "if (threadIdx.x == 0)", spoilt)
    assert any(fault.kind == "input_changed" for fault in simulated(SUM_ROWS, cuda).faults)


def test_a_grid_of_nothing_is_a_fault_of_the_host_function() -> None:
    verdict = simulated(HISTOGRAM, replaced(HISTOGRAM_CUDA, "if (n > 0)", "if (n >= 0)"))
    assert verdict.faults[0].kind == "launch" and verdict.failing_case is not None
    assert verdict.failing_case.size["n"] == 0


def test_a_field_that_is_read_in_too_little_precision_is_caught() -> None:
    source, cuda = (text.replace("float x; double v", "double x; double v") for text in (PARTICLES, PARTICLES_CUDA))
    assert simulated(source, replaced(cuda, "dt * p[i].v", "dt * (float)p[i].v")).status == "mismatch"


def test_bytes_between_the_fields_of_an_input_mean_nothing() -> None:
    source = """typedef struct { char tag; double v; } item;
    void values(int n, const item p[n], double y[n]) { for (int i = 0; i < n; i++) y[i] = p[i].v + p[i].tag; }"""
    cuda = """typedef struct { char tag; double v; } item;
    __global__ void value(int n, const item *p, double *y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = p[i].v + p[i].tag;
    }
    void values(int n, const item *p, double *y) { if (n > 0) value<<<(n + 63) / 64, 64>>>(n, p, y); }"""
    verdict = simulated(source, cuda)
    assert verdict.ok, verdict.reason
