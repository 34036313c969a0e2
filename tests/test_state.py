"""Which modules could remember an answer from one call to the next: read from the PTX that NVRTC made of them."""

from __future__ import annotations

import pytest

from cudaperf_magic.bench.gpu.state import HEAP, remembers
from cudaperf_magic.bench.nvrtc import build

FORGETFUL = {
    "no variables": "__global__ void k(float *x) { x[0] = 1; }",
    "a table that is read": (
        "__device__ const float t[4] = {1, 2, 3, 4}; __global__ void k(float *x) { x[0] = t[threadIdx.x]; }"
    ),
    "a local table": ("__global__ void k(float *x) { static const float t[4] = {1, 2, 3, 4}; x[0] = t[threadIdx.x]; }"),
    "the table of sin": "__global__ void k(double *x) { x[0] = sin(x[1]); }",
    "a constant table": "__constant__ float t[4]; __global__ void k(float *x) { x[0] = t[threadIdx.x]; }",
    "a text that is printed": '__global__ void k(float *x) { if (x[0] < 0) printf("%f\\n", x[0]); }',
    "an assertion": "#include <assert.h>\n__global__ void k(float *x) { assert(x[0] < 0); }",
    "a flag that nothing sets": "__device__ int seen; __global__ void k(int *x) { if (seen) x[0] = 1; }",
    "shared memory": "__global__ void k(float *x) { __shared__ float t[9]; t[threadIdx.x] = 1; x[0] = t[0]; }",
}
REMEMBERING = {
    "a counter": "__device__ int c; __global__ void k(float *x) { x[0] = c++; }",
    "an atomic": "static __device__ int c[9]; __global__ void k(float *x) { x[0] = atomicAdd(c + 1, 1); }",
    "a static local": "__global__ void k(float *x) { static int c; x[0] = c++; }",
    "one of two": (
        "__device__ float c[4], t[4];"
        "__global__ void k(float *x, int i) { float *p = i ? c : t; p[i] = x[0]; x[1] = p[2]; }"
    ),
    "through a function": (
        "__device__ float c[4]; __noinline__ __device__ void w(float *p, float v) { p[1] = v; }"
        "__global__ void k(float *x) { w(c, x[0]); x[1] = c[1]; }"
    ),
    "by disguised arithmetic": (
        "__device__ int c[4]; __global__ void k(int *x) { unsigned long long p = (unsigned long long)c ^ 85;"
        "p ^= x[9]; *(int *)p = x[0]; x[1] = c[0]; }"
    ),
    "in assembly": (
        '__device__ int c[4]; __global__ void k(int *x) { asm volatile("st.u32 [%0], %1;" :: "l"(c), "r"(x[0]));'
        "x[1] = c[3]; }"
    ),
    "by an address that is given away": "__device__ int c[4]; __global__ void k(int **x) { x[0] = c; }",
    "constant memory by its address": (
        "__constant__ int c[4]; __global__ void k(int *x) { int *p = (int *)c; asm volatile("
        '"st.u32 [%0], %1;" :: "l"(p), "r"(x[0])); x[1] = c[x[2]]; }'
    ),
    "through a pointer set from the start": (
        "__device__ int c[4]; __device__ int *q = c; __global__ void k(int *x) { q[0] = x[0]; x[1] = q[1]; }"
    ),
}


def test_a_kernel_that_allocates_on_the_device_may_remember() -> None:
    source = "__global__ void k(int **x) { int *p = (int *)malloc(64); if (p) p[1] = 3; x[0] = p; }"
    assert remembers(ptx(source)) == (HEAP,)


@pytest.mark.parametrize("name", FORGETFUL)
def test_a_module_that_only_reads_its_own_variables_remembers_nothing(name: str) -> None:
    assert remembers(ptx(FORGETFUL[name])) == ()


@pytest.mark.parametrize("name", REMEMBERING)
def test_a_variable_that_a_kernel_may_write_is_found(name: str) -> None:
    assert any("c" in variable for variable in remembers(ptx(REMEMBERING[name])))


def test_variables_that_assembly_declares_in_its_own_way_are_found() -> None:
    declared = "{ .reg .b32 r; .global .align 4 .u32 a[4], c[4];\nst.global.u32 [c], r;\n}\n"
    assert "c" in remembers(declared)


def ptx(source: str) -> str:
    compiled = build(source, "sm_90", names=("k",))
    assert compiled.build.ok, compiled.build.log
    return compiled.ptx
