"""What `inspect` runs, what it makes up and says, and what it finds: real compiler, real runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from cudaperf_magic import inspect, records_json
from cudaperf_magic.errors import TaskError, Unsupported, UsageError
from cudaperf_magic.inspected import Inspected
from cudaperf_magic.records_inspection import Inspection
from cudaperf_magic.records_schema import schema_path

PROGRAMS = Path(__file__).parent / "kernels" / "inspect"

SAXPY = """__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
UNGUARDED = """__global__ void shift(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i + 1];
}
"""
TRANSPOSE = """#define TILE 32
__global__ void transpose(const float *in, float *out, int width, int height) {
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x; y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
"""
TILES = "transpose<<<dim3((width + 31) / 32, (height + 31) / 32), dim3(32, 32)>>>(in, out, width, height)"
SUM = """template <typename T, int B> __global__ void sum(const T *x, T *out, int n) {
    __shared__ T s[B];
    int i = blockIdx.x * B + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : T(0);
    for (int k = B / 2; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
"""
SCAN = """__global__ void scan(float *out, const float *in, int n) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[2 * t] = in[2 * t];
    s[2 * t + 1] = in[2 * t + 1];
    __syncthreads();
    out[2 * t] = s[2 * t] + s[n - 1];
}
"""


def made(found: Inspected) -> dict[str, tuple[int, str]]:
    """Elements and extent of each array."""
    return {array.name: (array.elements, array.extent) for array in found.inspection.arrays}


def taken(found: Inspected) -> dict[str, tuple[str, str]]:
    return {scalar.name: (scalar.value, scalar.origin) for scalar in found.inspection.scalars}


def refusal(source: str, **settings: Any) -> str:
    with pytest.raises((UsageError, TaskError)) as caught:
        inspect(source, **settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ------------------------------------------------------------------ what is run


def test_the_only_kernel_is_launched_by_its_own_bound_and_the_report_says_how() -> None:
    found = inspect(SAXPY)
    assert found.ok
    assert taken(found)["n"] == ("1000", "made up")
    assert made(found) == {"x": (1000, "n"), "y": (1000, "n")}
    (launch,) = found.inspection.launches
    assert (launch.grid, launch.block) == ((4, 1, 1), (256, 1, 1))
    assert found.inspection.notes[0].startswith("launched as saxpy<<<(n + 255) / 256, 256>>>(n, a, x, y)")
    assert "launched as saxpy<<<(n + 255) / 256, 256>>>" in found.report.text


def test_a_kernel_of_a_plane_is_launched_in_two_dimensions_each_with_its_own_bound() -> None:
    source = """__global__ void add(const float *a, float *c, int rows, int cols) {
        int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
        if (row >= rows || col >= cols) return;
        c[row * cols + col] += a[row * cols + col];
    }"""
    found = inspect(source, sizes={"rows": "20", "cols": "50"})
    assert found.ok
    assert found.inspection.launches[0].grid == (4, 2, 1)
    assert made(found)["a"] == (1000, "rows * cols")


def test_a_kernel_with_a_shared_array_gets_blocks_of_its_size() -> None:
    source = """__global__ void turn(int *x) {
        __shared__ int s[64];
        s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = s[63 - threadIdx.x];
    }"""
    found = inspect(source)
    assert found.ok and found.inspection.launches[0].block == (64, 1, 1)
    assert made(found)["x"] == (64, "one for each of the 64 threads of a block")


MATMUL = """#define TILE 16
__global__ void matmul(const float *A, const float *B, float *C, int m, int n, int k) {
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int t = 0; t < k; t += TILE) {
        a[ty][tx] = row < m && t + tx < k ? A[row * k + t + tx] : 0;
        b[ty][tx] = col < n && t + ty < k ? B[(t + ty) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += a[ty][i] * b[i][tx];
        __syncthreads();
    }
    if (row < m && col < n) C[row * n + col] = sum;
}
"""
STEPS = """const int TILE = 32, ROWS = 8;
__global__ void turn(float *out, const float *in) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, width = gridDim.x * TILE;
    for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}
"""
HEAT = """__global__ void heat(const double *u, double *v, int nx, int ny, int nz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < nx && j < ny && k < nz) v[(k * ny + j) * nx + i] = 2 * u[(k * ny + j) * nx + i];
}
"""
DIGITS = """__global__ void digits(const unsigned *keys, unsigned *counts, int n, int shift) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[(keys[i] >> shift) & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}
"""
BODIES = """__global__ void pull(const float4 *p, float *f, int n) {
    extern __shared__ float4 s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? p[i] : make_float4(0, 0, 0, 0);
    __syncthreads();
    if (i < n) f[i] = s[blockDim.x - 1 - threadIdx.x].x;
}
"""

COUNTS = """__global__ void counts(const unsigned *in, unsigned *out, unsigned n, unsigned bins) {
    extern __shared__ unsigned own[];
    for (int b = threadIdx.x; b < bins; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&own[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&out[b], own[b]);
}
"""


@pytest.mark.parametrize(
    ("source", "grid", "block", "shared_bytes"),
    [
        (TRANSPOSE, (4, 3, 1), (32, 32, 1), 4096),
        (MATMUL, (3, 3, 1), (16, 16, 1), 2048),
        (STEPS, (4, 4, 1), (32, 8, 1), 4224),
        (HEAT, (5, 5, 13), (8, 8, 4), 0),
        (DIGITS, (4, 1, 1), (256, 1, 1), 64),
        (BODIES, (4, 1, 1), (256, 1, 1), 4096),
        (COUNTS, (1, 1, 1), (256, 1, 1), 280),
    ],
)
def test_tiles_steps_bins_and_dynamic_shared_memory_say_how_a_kernel_is_launched(
    source: str, grid: tuple[int, int, int], block: tuple[int, int, int], shared_bytes: int
) -> None:
    found = inspect(source)
    (launch,) = found.inspection.launches
    assert found.ok, found.report.text
    assert (launch.grid, launch.block, launch.shared_bytes) == (grid, block, shared_bytes)


OBJECTS = """#include <vector>
#include <memory>
#include <cuda_runtime.h>
template <class T> class Buffer {
    T *p = nullptr;
    size_t n;
public:
    explicit Buffer(const std::vector<T> &h) : n(h.size()) { cudaMalloc(&p, n * sizeof(T)); }
    ~Buffer() { cudaFree(p); }
    T *data() { return p; }
};
struct Freed { void operator()(void *p) const { cudaFree(p); } };
using Owned = std::unique_ptr<float[], Freed>;
struct Twice { __device__ float operator()(float x) const { return 2 * x; } };
struct Plain { static constexpr int shift = 3; };
template <class F, class P> __global__ void each(float *x, int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = f(x[i]) + P::shift;
}
__global__ void other(float *x) { x[0] = 1; }
int main() {
    std::vector<float> h(100, 1.0f);
    Buffer<float> d(h);
    each<Twice, Plain><<<1, 128>>>(d.data(), (int)h.size(), Twice{});
    other<<<1, 1>>>(d.data());
}
"""


def test_where_host_code_cannot_be_followed_the_kernel_runs_alone_and_that_is_said() -> None:
    found = inspect(OBJECTS.replace(", F f)", ")").replace("f(x", "F{}(x").replace(", Twice{}", ""))
    (note,) = (note for note in found.inspection.notes if "host code" in note)
    assert found.ok, found.report.text
    assert "not followed at line 23" in note and "each<Twice, Plain><<<(n + 255) / 256, 256>>>(x, n)" in note
    assert note.endswith("other did not run")


def test_vectors_of_the_host_give_their_sizes() -> None:
    main = """#include <vector>
int main() {
    int n = 300;
    std::vector<float> x(n), y(n, 2.0f), z = {1, 2, 3};
    for (int i = 0; i < n; i++) x[i] = i + y.size();
    for (auto &each : y) each = x.size();
    float *a, *b;
    cudaMalloc(&a, x.size() * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemcpy(a, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<z.size(), 128>>>((int)x.size(), 2.0f, a, b);
    cudaMemcpy(y.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
}"""
    found = inspect(SAXPY + main)
    assert found.ok, found.report.text
    assert found.inspection.launches[0].grid == (3, 1, 1) and made(found)["a"] == (300, "cudaMalloc")


def test_classes_that_only_the_host_uses_are_not_compiled_for_the_device() -> None:
    found = inspect(OBJECTS, launch="each<Twice, Plain><<<(n + 127) / 128, 128>>>(x, n, Twice{})")
    assert found.ok, found.report.text


SQUARE = """#define T 16
__global__ void product(const float *A, const float *B, float *C, int n) {
    __shared__ float a[T][T], b[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n / T; k++) {
        a[threadIdx.y][threadIdx.x] = A[row * n + k * T + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = B[(k * T + threadIdx.y) * n + col];
        __syncthreads();
        for (int i = 0; i < T; i++) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    C[row * n + col] = sum;
}
"""


def test_a_size_that_the_program_divides_without_a_rest_is_a_multiple_and_its_matrices_are_square() -> None:
    found = inspect(SQUARE)
    assert found.ok, found.report.text
    assert taken(found)["n"] == ("128", "made up")
    assert made(found)["A"] == (128 * 128, "n * n")


def test_a_size_is_made_up_smaller_where_the_grid_or_the_launches_grow_with_its_square() -> None:
    source = """__global__ void step(int *d, int n, int k) {
        int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
        if (j < n) d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j]);
    }
    void paths(int *d, int n) { for (int k = 0; k < n; k++) step<<<dim3((n + 127) / 128, n), 128>>>(d, n, k); }"""
    found = inspect(source)
    assert found.ok and taken(found)["n"] == ("100", "made up") and made(found)["d"] == (10_000, "n * n")


def test_blocks_and_threads_that_are_parameters_get_values_of_their_kind() -> None:
    source = SAXPY + "void run(int n, float *x, float *y, int blocks, int threads) {\n"
    found = inspect(source + "    saxpy<<<blocks, threads>>>(n, 2, x, y);\n}")
    assert (taken(found)["blocks"][0], taken(found)["threads"][0]) == ("8", "256")


def test_a_grid_that_falls_short_of_its_size_is_noted() -> None:
    found = inspect(SAXPY + "void run(int n, float *x, float *y) { saxpy<<<n / 256, 256>>>(n, 2, x, y); }")
    assert "saxpy has 768 threads, fewer than n = 1,000" in " ".join(found.inspection.notes)


def test_an_index_that_fits_no_size_is_noted() -> None:
    source = """__global__ void copy(const float *a, float *b, int rows, int cols) {
        int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
        if (r < rows && c < cols) b[r * rows + c] = a[r * cols + c];
    }"""
    assert "(b[9969]) fits no product of rows = 100, cols = 70" in " ".join(inspect(source).inspection.notes)


def test_memory_of_the_host_that_a_kernel_is_given_is_named_and_pinned_memory_is_taken() -> None:
    fill = "__global__ void fill(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }\n"
    main = "int main() { int n = 9; float *h; %s; fill<<<1, 32>>>(h, n); cudaDeviceSynchronize(); }"
    wrong = inspect(fill + main % "h = (float *)malloc(n * sizeof(float))")
    assert not wrong.ok and "given h in the host's memory, which it cannot reach" in wrong.inspection.notes[0]
    assert inspect(fill + main % "cudaMallocHost(&h, n * sizeof(float))").ok


def test_an_array_that_is_freed_before_the_launch_is_a_fault() -> None:
    main = "int main() {\n float *x; cudaMalloc(&x, 400);\n cudaFree(x);\n saxpy<<<1, 99>>>(99, 2, x, x);\n}"
    (fault,) = inspect(SAXPY + main).inspection.faults
    assert (fault.kind, fault.line, fault.message) == ("launch", 8, "x is used after cudaFree")


def test_the_compilers_warnings_and_launches_that_err_alike_are_shown_once() -> None:
    source = """__global__ void past(int *x, int n) {
        int unused;
        x[threadIdx.x + n] = 1;
    }
    void run(int *x, int n) { for (int i = 0; i < 3; i++) past<<<1, 32>>>(x, n); }"""
    found = inspect(source, sizes={"x": "n"})
    assert len(found.inspection.faults) == 1
    assert "the compiler's warnings" in found.report.text and "never referenced" in found.report.text


def test_what_nvcc_brings_in_unasked_is_there() -> None:
    source = """#include <cub/cub.cuh>
    __managed__ int smallest = INT_MAX;
    __global__ void least(const int *x, uint n) {
        using Reduce = cub::BlockReduce<int, 256>;
        __shared__ Reduce::TempStorage room;
        uint i = blockIdx.x * 256 + threadIdx.x;
        int found = Reduce(room).Reduce(i < n ? x[i] : INT_MAX, [](int a, int b) { return a < b ? a : b; });
        if (threadIdx.x == 0 && found < INFINITY) atomicMin(&smallest, found);
    }"""
    found = inspect(source, launch="least<<<(n + 255) / 256, 256>>>(x, n)")
    assert found.ok and not found.inspection.build.log, found.report.text


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (SCAN, "scan does not show how it is to be launched; say it: --launch 'scan<<<1, 256, 256 * sizeof(float)>>>("),
        (SUM, "sum is a template; say how it is launched: --launch 'sum<float, 256><<<"),
        (SAXPY + UNGUARDED, "there are 2 kernels (saxpy, shift); say what is launched: --launch 'saxpy<<<"),
        (
            "__global__ void k(float *x, int n, int m) { x[blockIdx.z * m + threadIdx.x] = n; }",
            "--launch 'k<<<dim3(1, 1, 4)",
        ),
    ],
)
def test_where_the_text_does_not_decide_the_launch_is_asked_for(source: str, words: str) -> None:
    assert words in refusal(source)


def test_a_launch_line_may_have_template_arguments_and_several_launches() -> None:
    line = (
        "sum<float, 256><<<(n + 255) / 256, 256>>>(x, part, n); sum<float, 64><<<1, 64>>>(part, out, (n + 255) / 256)"
    )
    x = np.arange(1000, dtype=np.float32)
    found = inspect(SUM, launch=line, arrays={"x": x})
    assert found.ok, found.report.text
    assert [launch.kernel for launch in found.inspection.launches] == ["sum<float, 256>", "sum<float, 64>"]
    assert taken(found)["n"] == ("1000", "notebook")
    assert made(found)["out"][0] == 1
    assert found.arrays["out"][0] == x.sum()


def test_a_launch_line_may_have_dim3_shared_bytes_and_expressions() -> None:
    found = inspect(TRANSPOSE, launch=TILES, sizes={"width": "64", "height": "2 * width"})
    assert found.ok and found.inspection.launches[0].grid == (2, 4, 1)
    assert made(found)["out"] == (8192, "width * height")
    source = """__global__ void k(float *x, int n) {
        extern __shared__ float s[];
        s[threadIdx.x] = x[threadIdx.x];
        if (threadIdx.x < n) x[threadIdx.x] = s[threadIdx.x] + 1;
    }"""
    found = inspect(source, launch="k<<<1, 32, m * sizeof(float)>>>(x + 4, m)", sizes={"m": "32", "x": "m + 4"})
    assert found.ok and found.inspection.launches[0].shared_bytes == 128
    assert made(found)["x"] == (36, "given with --size")


def test_one_array_may_be_read_and_written_by_one_launch() -> None:
    found = inspect(SAXPY, launch="saxpy<<<1, 32>>>(n, 3, v, v)", arrays={"v": np.ones(20, np.float32)})
    assert found.ok and found.arrays["v"].tolist() == [4] * 20


def test_rows_of_a_fixed_length_are_elements() -> None:
    source = """__global__ void rows(const float (*in)[8], float out[][8], int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) for (int k = 0; k < 8; k++) out[i][k] = in[i][7 - k];
    }"""
    found = inspect(source, sizes={"n": "30"})
    assert found.ok and made(found) == {"in": (30, "n"), "out": (30, "n")}
    np.testing.assert_array_equal(found.arrays["out"], found.arrays["in"][:, ::-1])


def test_a_template_takes_its_type_from_the_notebooks_array() -> None:
    source = "template <typename T> __global__ void twice(T *x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }"
    found = inspect(source, launch="twice<<<1, 32>>>(x, n)", arrays={"x": np.arange(5)})
    assert found.ok and found.inspection.launches[0].kernel == "twice<long>"
    assert found.arrays["x"].tolist() == [0, 2, 4, 6, 8]
    assert "write its arguments: twice<float>" in refusal(source, launch="twice<<<1, 32>>>(x, n)")


def test_a_host_function_is_followed_with_its_workspace_and_copies() -> None:
    found = inspect((PROGRAMS / "host_function.cu").read_text(), sizes={"n": "600"})
    assert found.ok, found.report.text
    assert [launch.kernel for launch in found.inspection.launches] == ["add"]
    by_origin = {array.name: array.origin for array in found.inspection.arrays}
    assert by_origin == {name: "made up" for name in ("a_h", "b_h", "c_h")} | {
        name: "workspace" for name in ("a_d", "b_d", "c_d")
    }
    np.testing.assert_array_equal(found.arrays["c_h"], found.arrays["a_h"] + found.arrays["b_h"])


def test_of_several_host_functions_one_is_named() -> None:
    source = (
        SAXPY
        + "void one(float *x) { saxpy<<<1, 1>>>(1, 2, x, x); }\nvoid two(float *x) { saxpy<<<1, 2>>>(2, 2, x, x); }"
    )
    assert refusal(source) == "one, two launch kernels; say which is run: --entry one"
    assert inspect(source, entry="two").inspection.launches[0].block == (2, 1, 1)
    assert "did you mean two?" in refusal(source, entry="twoo")
    assert "saxpy is a kernel" in refusal(source, entry="saxpy")


@pytest.mark.parametrize("name", ["main_checked.cu", "main_managed.cu", "main_helper.cu"])
def test_a_whole_program_is_read_for_what_its_device_sees(name: str) -> None:
    found = inspect((PROGRAMS / name).read_text())
    assert found.ok, found.report.text
    assert found.inspection.launches[0].blocks == 4
    assert all(array.extent == "cudaMalloc" and array.elements == 1000 for array in found.inspection.arrays)
    assert "the values are made up" in found.inspection.notes[0]


def test_structs_by_value_are_followed_with_the_arrays_that_they_point_to() -> None:
    found = inspect((PROGRAMS / "main_struct.cu").read_text())
    assert found.ok, found.report.text
    assert made(found) == {"in": (1000, "cudaMalloc"), "out": (4000, "cudaMalloc")}
    assert "host code copies to weights, and is not run here: zeros are there instead" in found.inspection.notes
    source = """struct Add { __device__ float operator()(float a, float b) const { return a + b; } };
    struct Affine { float scale; int n; };
    template <typename Op> __global__ void apply(float *x, Affine by, Op op) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < by.n) x[i] = op(by.scale * i, 1);
    }"""
    found = inspect(source, launch="apply<Add><<<1, 64>>>(x, Affine{2.0f, n}, Add())", sizes={"n": "40"})
    assert found.ok and found.arrays["x"].tolist() == [2 * i + 1 for i in range(40)]
    assert "write its value into the launch, Affine{...}" in refusal(
        source, launch="apply<Add><<<1, 1>>>(x, by, Add())"
    )


def test_a_program_that_computes_nothing_before_it_reads_is_caught() -> None:
    source = (PROGRAMS / "main_checked.cu").read_text()
    line = next(text for text in source.splitlines() if "HostToDevice" in text and "d_y" in text)
    found = inspect(source.replace(line, ""))
    assert [(fault.kind, "d_y" in fault.message) for fault in found.inspection.faults] == [("uninitialised", True)]


def test_a_main_that_is_asked_for_and_cannot_be_followed_offers_its_own_launch_as_a_line() -> None:
    source = SAXPY + "int main() { int n = read_it(); float *x; cudaMalloc(&x, n); saxpy<<<n, 1>>>(n, 2, x, x); }"
    found = refusal(source, entry="main")
    assert found.startswith("line 5: ") and "--launch 'saxpy<<<n, 1>>>(n, 2, x, x)'" in found


# ------------------------------------------------------------------ what it holds


def test_the_notebooks_arrays_are_used_by_name_and_never_altered() -> None:
    x, y = np.arange(500, dtype=np.float64), np.ones((50, 10), np.float32)
    found = inspect(SAXPY, arrays={"x": x, "y": y, "a": 2.0, "unrelated": "text"})
    assert found.ok
    assert taken(found) == {"n": ("500", "notebook"), "a": ("2.0", "notebook")}
    np.testing.assert_array_equal(found.arrays["y"], (2 * x + 1).astype(np.float32).reshape(50, 10))
    assert y.max() == 1.0
    assert {array.origin for array in found.inspection.arrays} == {"notebook"}


def test_arrays_that_only_look_like_arrays_are_read_too() -> None:
    class OnADevice:
        """What CuPy's array offers."""

        dtype, shape, __cuda_array_interface__ = np.dtype(np.float32), (3,), {}

        def __len__(self) -> int:
            return 3

        def get(self) -> Any:
            return np.array([1, 2, 3], np.float32)

    found = inspect(SAXPY, arrays={"x": OnADevice(), "y": np.zeros(3, np.float32)}, sizes={"a": "0.5"})
    assert found.arrays["y"].tolist() == [0.5, 1.0, 1.5]


def test_an_array_of_another_kind_is_refused_with_what_to_write() -> None:
    assert "write x = x.astype('float32')" in refusal(SAXPY, arrays={"x": np.arange(9)})


def test_a_size_that_the_notebooks_arrays_do_not_tell_is_asked_for() -> None:
    found = refusal(SAXPY, arrays={"x": np.ones(4, np.float32), "y": np.ones(5, np.float32)})
    assert "give --size n=..." in found


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"sizes": {"nn": "3"}}, "--size nn: saxpy has no nn; did you mean n?"),
        ({"ranges": {"z": "0:1"}}, "--range z: saxpy has no z"),
        ({"sizes": {"n": "m + 1"}}, "--size n=m + 1: m is not known"),
        ({"sizes": {"x": "n * q"}}, "q is not a number that is known here"),
        ({"sizes": {"n": "1 << 40"}}, "does not fit a C int"),
        ({"sizes": {"n": "0.5"}}, "n is a whole number"),
        ({"ranges": {"x": "3:1"}}, "its lower end is above its upper end"),
        ({"launch": "saxy<<<1, 1>>>(n, a, x, y)"}, "there is no kernel saxy; did you mean saxpy?"),
        ({"launch": "saxpy<<<1, 1>>>(n, a, x)"}, "saxpy takes 4 arguments, not 3"),
        ({"launch": "saxpy<<<1, 1>>(n, a, x, y)"}, "write it as 'kernel<<<blocks, threads>>>(x, y, n)'"),
        ({"launch": "n + 1"}, "launches nothing"),
        ({"launch": "saxpy<<<1, 1>>>(n, a, 5, y)"}, "--launch: argument x of saxpy: 5 is of type int"),
        ({"launch": "saxpy<<<f(n), 1>>>(n, a, x, y)"}, "--launch: the function f is not known"),
        ({"launch": "saxpy<<<1, 1>>>(n, a, x, y)", "entry": "f"}, "leave one out"),
        ({"device": "H101"}, "no GPU H101 is known"),
        ({"sizes": {"x": "1 << 30"}}, "take a smaller --size n=..."),
    ],
)
def test_a_refusal_is_one_sentence_that_says_what_to_write(settings: dict[str, Any], words: str) -> None:
    assert words in refusal(SAXPY, **settings)


def test_every_shape_of_matrix_product_is_told_from_the_trial() -> None:
    source = """__global__ void matmul(const float *A, const float *B, float *C, int n, int m, int k) {
        int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
        if (i < n && j < m) {
            float s = 0;
            for (int l = 0; l < k; l++) s += A[i * k + l] * B[l * m + j];
            C[i * m + j] = s;
        }
    }"""
    found = inspect(source)
    n, m, k = (int(taken(found)[name][0]) for name in "nmk")
    assert len({n, m, k}) == 3 and found.ok
    assert {name: count for name, (count, _) in made(found).items()} == {"A": n * k, "B": k * m, "C": n * m}
    a, b = found.arrays["A"].reshape(n, k), found.arrays["B"].reshape(k, m)
    np.testing.assert_allclose(found.arrays["C"].reshape(n, m), a @ b, rtol=1e-5, atol=1e-5)


def test_indices_that_are_made_up_stay_inside_and_rows_have_one_more_end() -> None:
    source = """__global__ void rows(const int *start, const int *idx, const float *x, float *y, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) { float s = x[idx[i]]; y[i] = s + (start[i + 1] - start[i]); }
    }"""
    found = inspect(source)
    assert found.ok
    assert made(found) == {"start": (1001, "n + 1"), "idx": (1000, "n"), "x": (1000, "n"), "y": (1000, "n")}
    assert found.arrays["idx"].min() >= 0 and found.arrays["idx"].max() < 1000


def test_ranges_bound_what_is_made_up() -> None:
    found = inspect(SAXPY, ranges={"x": "3:4", "y": "0:n:ascending"})
    source = """struct P { float x; int k; };
    __global__ void move(P *p, int n) { if (threadIdx.x < n) p[threadIdx.x].x += 1; }"""
    cloud = inspect(source, ranges={"p.k": "7:9", "p.x": "0:0"}).arrays["p"]
    assert set(cloud["k"]) == {7, 8, 9} and set(cloud["x"][:256]) == {1}
    assert found.arrays["x"].min() >= 3 and found.arrays["x"].max() <= 4
    assert found.ok


@pytest.mark.parametrize(
    ("element", "dtype", "name"),
    [
        ("float4", None, "float4"), ("double", np.float64, "float64"), ("unsigned char", np.uint8, "uint8"),
        ("__half", np.float16, "float16"), ("__nv_bfloat16", np.float32, "bfloat16"), ("Particle", None, "Particle"),
    ],
)  # fmt: skip
def test_arrays_of_any_plain_type_are_made_up(element: str, dtype: Any, name: str) -> None:
    source = f"""#include <cuda_fp16.h>
    #include <cuda_bf16.h>
    struct Particle {{ float3 at; int kind; double mass[2]; }};
    __global__ void copy(const {element} *x, {element} *y, int n) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = x[i];
    }}"""
    found = inspect(source, sizes={"n": "70"})
    assert found.ok and found.inspection.arrays[0].dtype == name
    assert found.arrays["y"].shape == (70,) and (found.arrays["x"] == found.arrays["y"]).all()
    assert dtype is None or found.arrays["x"].dtype == dtype


def test_the_same_seed_makes_the_same_values_and_another_makes_others() -> None:
    first, again, other = inspect(SAXPY), inspect(SAXPY), inspect(SAXPY, seed=1)
    np.testing.assert_array_equal(first.arrays["x"], again.arrays["x"])
    assert (first.arrays["x"] != other.arrays["x"]).any()


# ------------------------------------------------------------------ what it finds


def test_a_missing_guard_is_found_though_nobody_gave_a_size() -> None:
    found = inspect(UNGUARDED)
    assert not found.ok
    fault = found.inspection.faults[0]
    assert (fault.kind, fault.line) == ("out_of_bounds", 3) and "x[1000]" in fault.message
    assert "x was given 1,000 elements (n); if it is meant to have more, say --size x=..." in found.inspection.notes
    assert inspect(UNGUARDED, sizes={"x": "1025", "y": "1024"}).ok


@pytest.mark.parametrize(
    ("body", "kind", "line"),
    [
        ("x[threadIdx.x + 5000000] = 1;", "out_of_bounds", 4),
        ("*(float2 *)(x + 1 + 2 * threadIdx.x) = make_float2(1, 2);", "misaligned", 4),
        ("s[threadIdx.x] = x[0]; x[threadIdx.x] = s[255 - threadIdx.x];", "shared_race", 4),
        ("x[threadIdx.x] = s[threadIdx.x];", "uninitialised", 4),
        ("if (threadIdx.x < 32) __syncthreads();", "divergence", 4),
        ("assert(threadIdx.x < 100);", "trap", 4),
        ("__trap();", "trap", 4),
        ("while (threadIdx.x == 0) atomicAdd(x, 1.0f);", "limit", 4),
    ],
)
def test_every_kind_of_fault_is_told_with_its_line(body: str, kind: str, line: int) -> None:
    source = f"#include <cassert>\n__global__ void k(float *x) {{\n    __shared__ float s[256];\n    {body}\n}}\n"
    found = inspect(source)
    assert not found.ok
    assert (kind, line, "k") in {(fault.kind, fault.line, fault.kernel) for fault in found.inspection.faults}
    assert f"line {line}" in found.report.text


def test_the_kernel_that_the_readme_shows_is_wrong_in_three_ways() -> None:
    found = inspect((PROGRAMS / "blur.cu").read_text())
    assert {(fault.kind, fault.line) for fault in found.inspection.faults} >= {
        ("out_of_bounds", 6), ("shared_race", 6), ("uninitialised", 6),
    }  # fmt: skip
    assert "x[1024]" in found.report.text and "tile[1]" in found.report.text


def test_a_race_between_blocks_is_looked_for_when_asked() -> None:
    source = "__global__ void k(int *x, int n) { if (blockIdx.x * blockDim.x + threadIdx.x < n) x[0] += 1; }"
    assert inspect(source).ok
    found = inspect(source, check_global_races=True)
    assert "global_race" in {fault.kind for fault in found.inspection.faults}
    assert found.inspection.checks_global_races


@pytest.mark.parametrize("launch", ["saxpy<<<4, 2048>>>(n, a, x, y)", "saxpy<<<0, 32>>>(n, a, x, y)"])
def test_a_launch_that_cuda_refuses_is_a_fault_and_not_bad_input(launch: str) -> None:
    found = inspect(SAXPY, launch=launch)
    assert [fault.kind for fault in found.inspection.faults] == ["launch"]
    assert not found.inspection.is_complete and found.inspection.structure is None
    assert found.inspection.faults[0].line is None, "it stands in no line of the program"


def test_printf_is_shown() -> None:
    source = '#include <cstdio>\n__global__ void k() { printf("thread %d\\n", threadIdx.x); }'
    found = inspect(source, launch="k<<<1, 3>>>()")
    assert found.inspection.text == "thread 0\nthread 1\nthread 2\n" and "thread 2" in found.report.text


def test_a_kernel_that_launches_kernels_is_refused_by_that_name_with_its_line() -> None:
    source = """__global__ void child(int *x) { x[threadIdx.x] = 1; }
__device__ void start(int *x) {
    child<<<1, 32>>>(x);
}
__global__ void parent(int *x) { if (threadIdx.x == 0) start(x); }
"""
    build = inspect(source, launch="parent<<<1, 32>>>(x)", sizes={"x": "32"}).inspection.build
    assert not build.ok
    assert build.log.startswith("kernel.cu(3): error: a kernel that launches kernels (dynamic parallelism)")


def test_an_array_that_is_converted_or_has_another_name_is_said_to_be() -> None:
    source = "__global__ void k(float *x) { x[threadIdx.x] += 1; }"
    doubles = np.zeros(32)
    found = inspect(source, launch="k<<<1, 32>>>(x)", arrays={"x": doubles})
    assert "x holds float64 and was converted to float32" in found.inspection.notes
    assert not doubles.any()
    found = inspect(source, launch="k<<<1, 32>>>(data)", arrays={"x": doubles})
    assert "data is x of the notebook, which holds float64 and was converted to float32" in found.inspection.notes
    found = inspect(source, launch="k<<<1, 32>>>(data)", arrays={"x": doubles.astype(np.float32)})
    assert "data is x of the notebook" in found.inspection.notes


def test_an_array_of_another_kind_is_refused_by_the_name_it_has_in_the_notebook() -> None:
    source = "__global__ void k(int *x) { x[threadIdx.x] = 1; }"
    with pytest.raises(UsageError) as refused:
        inspect(source, launch="k<<<1, 32>>>(data)", arrays={"x": np.zeros(32)})
    assert str(refused.value) == (
        "x of the notebook holds float64, the kernel takes int32; write x = x.astype('int32')"
    )


def test_what_does_not_compile_is_told_in_the_persons_own_lines() -> None:
    found = inspect(SAXPY.replace("x[i]", "z[i]"))
    assert not found.inspection.build.ok and "kernel.cu(3): error" in found.inspection.build.log
    assert not inspect(SAXPY.replace("}", "")).inspection.build.ok


def test_textures_are_refused_by_name() -> None:
    with pytest.raises(Unsupported, match=r"textures and surfaces \(cudaTextureObject_t t of k\)"):
        inspect("__global__ void k(cudaTextureObject_t t, float *y) { y[0] = tex2D<float>(t, threadIdx.x, 0); }")
    only_device = "#include <cuda/std/complex>\n__global__ void k(cuda::std::complex<float> *y) { y[0] = 1; }"
    assert refusal(only_device).startswith("line 2: the type of parameter ")


@pytest.mark.parametrize("opening, closing", [("(", ")"), ("{", "}"), ("-", ""), ("if (n) ", ";")])
def test_a_program_that_nests_without_end_is_answered(opening: str, closing: str) -> None:
    deep = SAXPY.replace("int i =", f"float z = {opening * 4000}1{closing * 4000}; int i =", 1)
    for launch in (None, "saxpy<<<1, 1>>>(n, a, x, y)", f"saxpy<<<1, {'(' * 4000}1{')' * 4000}>>>(n, a, x, y)"):
        try:
            inspect(deep, launch=launch)
        except (UsageError, TaskError) as problem:
            assert "\n" not in str(problem)


def test_macros_from_outside_reach_the_kernel_and_its_launch() -> None:
    source = "__global__ void k(float *x) { x[threadIdx.x] = N; }"
    found = inspect(source, launch="k<<<1, N>>>(x)", defines=("N=24",))
    assert found.arrays["x"].tolist() == [24] * 24


def test_a_card_that_is_named_lends_its_limits() -> None:
    t4, h100 = inspect(SAXPY, device="T4").inspection, inspect(SAXPY).inspection
    assert (t4.device, t4.arch, t4.launches[0].occupancy.most_warps) == ("T4", "sm_75", 32)
    assert (h100.device, h100.arch, h100.launches[0].occupancy.most_warps) == ("H100", "sm_90", 64)


# ------------------------------------------------------------------ what it counts


def test_the_access_map_of_a_column_walk_has_a_sector_for_each_lane() -> None:
    source = """__global__ void turn(const float *in, float *out, int n) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x < n && y < n)
            out[y * n + x] =
                in[x * n + y];
    }"""
    launch = "turn<<<dim3(2, 2), dim3(32, 32)>>>(in, out, n)"
    found = inspect(source, launch=launch, sizes={"n": "64"})
    read, write = found.map(5), found.map(4)
    assert (read.space, read.operation, read.buffer, read.size_bytes) == ("global", "load", "in", 4)
    assert (read.units, read.ideal_units) == (32, 4)
    assert np.diff([lane for lane in read.lanes if lane is not None]).tolist() == [64 * 4] * 31
    assert (write.units, write.ideal_units, write.buffer) == (4, 4, "out")
    with pytest.raises(UsageError, match="line 2 accesses neither"):
        found.map(2)
    assert found.at(4).report.text != found.report.text


def test_the_access_map_of_a_bank_conflict_counts_its_wavefronts() -> None:
    found = inspect(TRANSPOSE, launch=TILES, sizes={"width": "64", "height": "64"})
    shared = next(m for m in found.inspection.maps if m.space == "shared" and m.operation == "load")
    assert (shared.line, shared.buffer, shared.units, shared.ideal_units) == (8, "tile", 32, 1)
    assert {lane // 4 % 32 for lane in shared.lanes if lane is not None} == {0}


def test_lanes_that_take_no_part_are_none_in_the_map() -> None:
    source = "__global__ void k(float *x) { if (threadIdx.x % 2) x[threadIdx.x] = 1; }"
    found = inspect(source, launch="k<<<1, 32>>>(x)")
    (only,) = found.inspection.maps
    assert [lane is not None for lane in only.lanes] == [False, True] * 16


def test_bytes_are_counted_and_structure_knows_what_had_to_move() -> None:
    found = inspect(SAXPY, sizes={"n": "4096"}).inspection
    (launch,) = found.launches
    assert launch.requested_bytes == launch.sector_bytes == 3 * 4096 * 4
    assert launch.dram_read_bytes >= 2 * 4096 * 4 and launch.l2_bytes > 0
    assert found.structure is not None
    intensity = found.structure.get("intensity")
    assert intensity is not None and intensity.score == 1.0
    assert launch.flops == 2 * 4096 and launch.traced_blocks == launch.blocks == 16


def test_an_inspection_is_published_json() -> None:
    found = inspect(UNGUARDED).inspection
    written = records_json.dumps(found)
    schema = json.loads(schema_path(Inspection).read_text())
    jsonschema.validate(json.loads(written), schema)
    data = json.loads(written)
    assert data["record"] == "inspection" and data["ok"] is False
    assert data["launches"][0]["occupancy"]["ratio"] == 1.0
    assert records_json.loads(Inspection, written) == found
