"""The launcher: host functions are read into plans, never run."""

from __future__ import annotations

import ctypes
import random
import struct
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cudaperf_magic.bench.launcher import Limits, PlanError, device_source, host_signature, kernel_names, read_plan
from cudaperf_magic.bench.plan import Allocate, Copy, Fill, Free, Launch, LaunchPlan, Pointer, Scalar, Struct

KERNELS = """
__global__ void saxpy_kernel(int n, float a, const float *x, float *y) { }
__global__ void touch(float *p, int n) { }
__global__ void wide(double *p, unsigned long long n, bool flag, double v, short s) { }
template <typename T, int B = 128> __global__ void reduce(const T *x, T *y, int n) { }
"""


def read(body: str, n: int = 1000, a: float = 2.0, before: str = "", **limits: int) -> LaunchPlan:
    source = KERNELS + before + "\nvoid saxpy(int n, float a, const float *x, float *y) {" + body + "}\n"
    return read_plan(source, "saxpy", {"n": n, "a": a}, {"x": 4 * n, "y": 4 * n}, Limits(**limits) if limits else None)


def only_launch(body: str, **more: object) -> Launch:
    launches = read(body, **more).launches  # type: ignore[arg-type]
    assert len(launches) == 1
    return launches[0]


def value_of(expression: str, c_type: str = "long long", before: str = "", **more: object) -> int | float:
    """What an expression of host code comes to, seen through a kernel's argument."""
    kernel = f"__global__ void see({c_type} v) {{ }}\n"
    launch = only_launch(f"see<<<1, 1>>>({expression});", before=kernel + before, **more)
    argument = launch.arguments[0]
    assert isinstance(argument, Scalar)
    return argument.value


def refusal(body: str, **more: object) -> PlanError:
    with pytest.raises(PlanError) as caught:
        read(body, **more)  # type: ignore[arg-type]
    return caught.value


# What a launch becomes


def test_a_launch_becomes_a_step_with_its_shape_arguments_and_line() -> None:
    launch = only_launch("\n  saxpy_kernel<<<(n + 255) / 256, 256>>>(n, a, x, y);\n")
    assert launch.grid == (4, 1, 1) and launch.block == (256, 1, 1)
    assert launch.kernel == "saxpy_kernel" and launch.line == 8
    assert launch.arguments == (Scalar("int", 1000), Scalar("float", 2.0), Pointer("x"), Pointer("y"))


def test_arguments_take_the_types_of_the_kernels_parameters() -> None:
    launch = only_launch("double *d; cudaMalloc(&d, 8); wide<<<1, 1>>>(d, -1, n, a / 3, 70000);")
    single = ctypes.c_float(2.0 / 3).value
    assert launch.arguments == (
        Pointer("d"), Scalar("unsigned long long", 2**64 - 1), Scalar("bool", True), Scalar("double", single),
        Scalar("short", 4464),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("written", "kernel"),
    [
        ("reduce<float, 256><<<1, 32>>>(x, y, n);", "reduce<float, 256>"),
        ("reduce<float><<<1, 32>>>(x, y, n);", "reduce<float, 128>"),
        ("reduce<<<1, 32>>>(x, y, n);", "reduce<float, 128>"),
        ("const int B = 4 * 16; reduce<float, B><<<1, B>>>(x, y, n);", "reduce<float, 64>"),
        ("auto k = reduce<float, 32>; k<<<1, 32>>>(x, y, n);", "reduce<float, 32>"),
        ("auto k = n > 5 ? reduce<float, 1> : reduce<float, 2>; k<<<1, 32>>>(x, y, n);", "reduce<float, 1>"),
        ("using T = float; reduce<T, 8><<<1, 32>>>(x, y, n);", "reduce<float, 8>"),
    ],
)
def test_template_arguments_are_named_as_constants_or_deduced(written: str, kernel: str) -> None:
    assert only_launch(written).kernel == kernel


@pytest.mark.parametrize(
    ("written", "grid", "block"),
    [
        ("dim3 g(n / 10, 3), b(32, 8);", (100, 3, 1), (32, 8, 1)),
        ("dim3 g = {2, 3, 4}; dim3 b{64};", (2, 3, 4), (64, 1, 1)),
        ("dim3 g(n); dim3 b = dim3(16, 16);", (1000, 1, 1), (16, 16, 1)),
        ("dim3 g, b; g.x = 7; b.y = 9; g.x += b.y;", (16, 1, 1), (1, 9, 1)),
        ("int m = 3; dim3 g(n * m), b = 32;", (3000, 1, 1), (32, 1, 1)),
        ("dim3 b(8, 8); dim3 g((n + b.x - 1) / b.x, b.y); dim3 c = g; c.x = 1;", (125, 8, 1), (8, 8, 1)),
    ],
)
def test_dim3_is_read_in_every_way_it_is_written(written: str, grid: object, block: object) -> None:
    launch = only_launch(written + "touch<<<g, b>>>(y, n);")
    assert (launch.grid, launch.block) == (grid, block)


def test_shared_bytes_and_braces_and_streams_are_read() -> None:
    launch = only_launch(
        "cudaStream_t s; cudaStreamCreate(&s); touch<<<{2, 2}, {8, 4}, 32 * sizeof(float), s>>>(y, n);"
    )
    assert (launch.grid, launch.block, launch.shared_bytes) == ((2, 2, 1), (8, 4, 1), 128)


def test_workspaces_fills_copies_and_frees_are_steps_in_their_order() -> None:
    plan = read(
        """float *tmp; cudaMalloc((void **)&tmp, n * sizeof(float));
        cudaMemset(tmp, 0, sizeof(float) * n); cudaMemcpyAsync(y + 4, tmp + 1, 8, cudaMemcpyDeviceToDevice);
        touch<<<1, 1>>>(&tmp[10], n); cudaFree(tmp);"""
    )
    assert plan.steps[:3] == (
        Allocate("tmp", 4000), Fill(Pointer("tmp"), 0, 4000), Copy(Pointer("y", 16), Pointer("tmp", 4), 8),
    )  # fmt: skip
    assert plan.launches[0].arguments[0] == Pointer("tmp", 40)
    assert plan.steps[-1] == Free("tmp") and plan.peak_bytes == 4000


def test_two_workspaces_of_one_name_are_told_apart() -> None:
    plan = read("for (int i = 0; i < 2; i++) { float *t; cudaMalloc(&t, 4); touch<<<1, 1>>>(t, i); cudaFree(t); }")
    assert [s.buffer for s in plan.steps if isinstance(s, Allocate)] == ["t", "t_2"]
    assert [launch.arguments[0] for launch in plan.launches] == [Pointer("t"), Pointer("t_2")]


def test_pointers_are_swapped_in_a_time_loop() -> None:
    body = """float *t; cudaMalloc(&t, 4 * n); float *from = y, *to = t;
    for (int step = 0; step < 3; ++step) { touch<<<1, 1>>>(to, step); %s }"""
    for swap in ("float *k = from; from = to; to = k;", "std::swap(from, to);"):
        launches = read(body % swap).launches
        assert [launch.arguments[0] for launch in launches] == [Pointer("t"), Pointer("y"), Pointer("t")]


def test_casts_between_pointer_types_keep_the_offset_in_bytes() -> None:
    launch = only_launch("float4 *v = reinterpret_cast<float4 *>(y + 4) + 2; touch<<<1, 1>>>((float *)v, n);")
    assert launch.arguments[0] == Pointer("y", 48)


def test_cooperative_and_cluster_launches_are_marked() -> None:
    body = "void *args[] = {&y, (void *)&n}; cudaLaunchCooperativeKernel((void *)touch, dim3(4), 64, args, 16, 0);"
    launch = only_launch(body)
    assert (
        launch.is_cooperative and launch.arguments == (Pointer("y"), Scalar("int", 1000)) and launch.shared_bytes == 16
    )
    body = """cudaLaunchConfig_t config = {}; config.gridDim = dim3(8); config.blockDim = 32;
    config.dynamicSmemBytes = 4;
    cudaLaunchAttribute attribute[1]; attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 2; attribute[0].val.clusterDim.y = 1; attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute; config.numAttrs = 1; cudaLaunchKernelEx(&config, touch, y, n);"""
    launch = only_launch(body)
    assert launch.cluster == (2, 1, 1) and launch.grid == (8, 1, 1) and launch.shared_bytes == 4


def test_host_values_of_a_few_bytes_reach_the_device_as_fills() -> None:
    plan = read("float one = 1.0f; cudaMemcpy(y, &one, sizeof(float), cudaMemcpyHostToDevice);")
    memory = bytearray(4)
    for step in plan.steps:
        assert isinstance(step, Fill)
        memory[step.target.offset_bytes : step.target.offset_bytes + step.size_bytes] = (
            bytes([step.byte]) * step.size_bytes
        )
    assert memory == ctypes.c_float(1.0)


# What C it reads


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("7 / 2 * -1", -3), ("-7 / 2", -3), ("-7 % 3", -1), ("2147483647 + 1", -(2**31)),
        ("4000000000u + 500000000u", 205032704),
        ("1u - 2", 2**32 - 1), ("(1 << 20) * 4096", 0), ("(1LL << 20) * 4096", 2**32), ("-1 < 1u", 0),
        ("(size_t)n * n * n", 10**9),
        ("sizeof(float4) + sizeof(n) + sizeof(double)", 28), ("n > 5 && n < 2000 || false", 1), ("!n", 0), ("~0", -1),
        ("(char)300", 44), ("(unsigned char)-1", 255), ("int(2.9f) + (int)-2.9", 0), ("0x1F + 010 + 0b11", 42),
        ("'a'", 97),
        ("n > 100 ? 1 : 2", 1), ("1'000'000", 1000000), ("min(n, 7) + std::max(2, 3)", 10),
        ("std::min<long>(n, 7L)", 7),
        ("(n)-1", 999), ("(n) * (n)", 1000000), ("n < 5 && 7 > (3)", 0), ("abs(-n)", 1000), ("INT_MAX", 2**31 - 1),
        ("std::numeric_limits<unsigned>::max()", 2**32 - 1), ("(a > 1, n)", 1000), ("n & 0xff ^ 3 | 64", 235),
    ],
)  # fmt: skip
def test_an_expression_has_the_value_that_c_gives_it(expression: str, expected: int) -> None:
    assert value_of(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("0.1f + 0.2f", ctypes.c_float(ctypes.c_float(0.1).value + ctypes.c_float(0.2).value).value),
        ("0.1 + 0.2", 0.1 + 0.2),
        ("1.0f / 3", ctypes.c_float(1 / 3).value), ("sqrtf(2.0f)", ctypes.c_float(2**0.5).value), ("1 / 2", 0.0),
        ("1 / 2.0", 0.5),
        ("log(0.0)", float("-inf")), ("1.0 / 0.0", float("inf")), ("std::pow(2, 10)", 1024.0), ("ceil(n / 300.0)", 4.0),
        ("roundf(2.5f)", 3.0), ("fmax(1.0, 2.0f)", 2.0), ("(float)16777217", 16777216.0), ("-INFINITY", float("-inf")),
        ("1e40f", float("inf")), ("M_PI", 3.141592653589793), ("fabsf(-a)", 2.0), ("exp(1e9)", float("inf")),
    ],
)  # fmt: skip
def test_floating_point_is_rounded_as_c_rounds_it(expression: str, expected: float) -> None:
    assert value_of(expression, "double") == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int i = 0; while (true) { if (++i == 5) break; } v = i;", 5),
        ("v = 0; for (int i = 0; i < 10; i++) { if (i % 2) continue; v += i; }", 20),
        ("v = 0; do { v += 3; } while (v < 10);", 12),
        ("v = 1; { int v = 7; v++; } v += 1;", 2),
        ("switch (n % 3) { case 0: v = 1; break; case 1: v = 5; default: v += 100; }", 105),
        ("v = 1; for (int s = n / 2; s > 0; s >>= 1) v *= 2;", 512),
        ("int t[3] = {1, 2}; t[2] = 4; v = t[0] + t[1] + t[2];", 7),
        ("int m[2][3] = {{1, 2, 3}, {4, 5, 6}}; v = m[1][2] * 10 + m[0][1];", 62),
        ("int w = 3; int *p = &w; *p = 9; v = w;", 9),
        ("auto up = [&](int k) { return k + n; }; v = up(up(1));", 2001),
        ("int k = 1; auto f = [=](int q) { return q + k; }; k = 50; v = f(1);", 2),
        ("if (int r = n / 500; r > 1) v = r; else v = -1;", 2),
        ("v = 0; for (int b : {64, 128, 256}) v += b;", 448),
        ("int i = 3; v = i++ * 10 + i; v += --i;", 37),
        ("static int calls = 4; calls++; v = calls;", 5),
        ("struct Tile { int rows, columns; }; Tile t = {3, 4}; Tile u = t; u.rows = 100; v = t.rows * u.columns;", 12),
        ("enum { A, B = 7, C }; v = A + B + C;", 15),
        ("v = triangle(4) + twice(3) + half_of(9.0) * 2;", 25),
        ("bump(v); bump(v);", 2),
        ("int &r = v; r += 4; const int &five = 5; v += five;", 9),
        ("auto *p = &v; *p = 6; (*p)++;", 7),
        ("threads += 2; v = threads + steps[1] * 10 + up(1) + int(Kind::Late) + Shape::rows;", 258 + 70 + 2 + 5 + 9),
        ("v = WIDTH + CEIL(n, 300) + SQUARE(1 + 2);", 29),
        ("v = plus(3) + plus(3, 4); report(v, __FILE__);", 4 + 7),
        ("float3 w = make_float3(1, 2, 3); int2 q = make_int2(4, n); v = w.z * q.x + q.y;", 1012),
        ("if constexpr (WIDTH > 4) v = 1; else v = nonsense;", 1),
        ("constexpr int c = cube(3); float *t[c]; v = sizeof(t) / sizeof(t[0]);", 27),
    ],
)
def test_statements_do_what_c_says(body: str, expected: int) -> None:
    before = """
    #define CEIL(a, b) (((a) + (b) - 1) / (b))
    #define SQUARE(x) ((x) * (x))
    constexpr int WIDTH = 4 * 4;
    template <typename T> T half_of(T value) { return value / 2; }
    static int triangle(int k) { int sum = 0; for (int i = 1; i <= k; i++) sum += i; return sum; }
    __host__ __device__ inline int twice(const int &k) { return 2 * k; }
    void bump(int &k) { k++; }
    int plus(int k, int more = WIDTH / 16) { return k + more; }
    void report(int k, const char *file, bool loud = false) { if (loud) printf("%s %d", file, k); }
    int threads = 256;
    static const int steps[] = {3, 7};
    auto up = [](int k) { return k + 1; };
    enum class Kind { Early = 4, Late };
    struct Shape { static constexpr int rows = 9; float data[4]; };
    constexpr int cube(int k) { return k * k * k; }
    __global__ void see(long long v) { }
    """
    launch = only_launch(f"int v = 0; {body} see<<<1, 1>>>(v);", before=before)
    assert launch.arguments == (Scalar("long long", expected),)


def test_a_struct_by_value_is_its_bytes_with_the_addresses_that_it_holds() -> None:
    before = """
    typedef struct { char kind; float *data; int size[2]; double scale; } View;
    struct Nothing { };
    __global__ void see(View view, float3 shift, Nothing nothing) { }
    """
    body = "View view = {7, y + 2, {3, n}, 0.5}; see<<<1, 1>>>(view, make_float3(1, 2, 3), Nothing());"
    view, shift, nothing = only_launch(body, before=before).arguments
    assert isinstance(view, Struct) and isinstance(shift, Struct) and isinstance(nothing, Struct)
    assert view.pointers == ((8, Pointer("y", 8)),)
    placed = view.placed(lambda pointer: 4000 + pointer.offset_bytes)
    assert struct.unpack("<b7xQiid", placed) == (7, 4008, 3, 1000, 0.5)
    assert struct.unpack("<fff", shift.data) == (1, 2, 3) and nothing.data == b"\0"


def test_kernels_in_namespaces_and_enumerators_are_named_for_the_device_compiler() -> None:
    before = """
    namespace detail { enum class Mode { Add, Multiply }; template <Mode M> __global__ void apply(float *p) { } }
    """
    for name in ("Mode::Multiply", "detail::Mode::Multiply"):
        launch = only_launch(f"using detail::Mode; detail::apply<{name}><<<1, 1>>>(y);", before=before)
        assert launch.kernel == "detail::apply<(detail::Mode)1>"


def test_error_checking_macros_of_the_usual_kind_are_read() -> None:
    before = """
    #include <stdio.h>
    #define CHECK(call) do { cudaError_t status = (call); \\
        if (status != cudaSuccess) { \\
            fprintf(stderr, "%s: %s", #call, cudaGetErrorString(status)); exit(1); } } while (0)
    """
    plan = read(
        """
        float *t; CHECK(cudaMalloc(&t, sizeof(float) * n));
        touch<<<1, 32>>>(t, n); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
        CHECK(cudaFree(t));""",
        before=before,
    )
    assert [type(step) for step in plan.steps] == [Allocate, Launch, Free]


def test_macros_keep_every_line_at_its_number() -> None:
    before = "#define LONG_ONE(x) \\\n   (x) + \\\n   1\n#if 0\nint hidden;\n#else\n#define B 64\n#endif\n"
    launch = only_launch("\n\ntouch<<<LONG_ONE(n\n), B>>>(y, n);", before=before)
    assert launch.line == 7 + 8 + 2 and launch.block == (64, 1, 1) and launch.grid == (1001, 1, 1)


def test_conditions_of_the_preprocessor_are_those_of_a_host_compiler() -> None:
    before = """
    #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    #define B 1
    #elif (defined __CUDACC__) && !(2 > 3)
    #define B 2
    #endif
    """
    assert only_launch("touch<<<1, B>>>(y, n);", before=before).block == (2, 1, 1)


def test_parameters_may_have_other_names_than_the_tasks() -> None:
    source = KERNELS + "void saxpy(int count, float f, const float *in, float *out) { touch<<<1, 1>>>(out, count); }"
    plan = read_plan(source, "saxpy", {"n": 3, "a": 1.0}, {"x": 12, "y": 12})
    assert plan.launches[0].arguments == (Pointer("y"), Scalar("int", 3))


def test_one_text_is_read_for_many_sizes() -> None:
    for n in (1, 255, 256, 257):
        assert only_launch("saxpy_kernel<<<(n + 255) / 256, 256>>>(n, a, x, y);", n=n).grid == ((n + 255) // 256, 1, 1)


# What it refuses, and how it says so


@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        ("\n if (x[3] > 0) touch<<<1, 1>>>(y, n);", 8, "reads x[3], which lives on the device"),
        ("y[0] = 1;", 7, "writes y[0] = 1, which lives on the device"),
        ("float h; cudaMemcpy(&h, y, 4, cudaMemcpyDeviceToHost);", 7, "brings device data to the host"),
        ("touch<<<0, 1>>>(y, n);", 7, "a grid of (0, 1, 1), which CUDA refuses"),
        ("touch<<<n / 4096, 64>>>(y, n);", 7, "a grid of (0, 1, 1)"),
        ("touch<<<-1, 64>>>(y, n);", 7, "a negative number became a large one"),
        ("touch<<<1, 2048>>>(y, n);", 7, "2,048 threads"),
        ("touch<<<1, dim3(1, 1, 128)>>>(y, n);", 7, "at most (1024, 1024, 64)"),
        ("touch<<<1, 0>>>(y, n);", 7, "no threads"),
        ("touch<<<dim3(1, 70000), 1>>>(y, n);", 7, "more than CUDA's"),
        ("touch<<<1, 1, 60000>>>(y, n);", 7, "cudaFuncSetAttribute"),
        ("touch<<<1, 1, 400000>>>(y, n);", 7, "a block has 232,448"),
        ("touch<<<1, 1>>>(y);", 7, "takes 2 arguments, not 1"),
        ("touch<<<1, 1>>>(n, y);", 7, "argument p of touch: n is of type int"),
        ("double *d; cudaMalloc(&d, 8); touch<<<1, 1>>>(d, n);", 7, "is a double *, not a float *"),
        ("touch<<<1, 1>>>((float *)&n, n);", 7, "points to host memory"),
        ("touch<<<1, 1>>>(x, n);", 7, "keep the const"),
        ("float *t; touch<<<1, 1>>>(t, n);", 7, "t is read before it has a value"),
        ("float *t; cudaMalloc(&t, 4);\n cudaFree(t);\n touch<<<1, 1>>>(t, n);", 9, "t is used after cudaFree"),
        ("float *t; cudaMalloc(&t, 4); cudaFree(t); cudaFree(t);", 7, "freed twice"),
        ("cudaFree(y);", 7, "belongs to the caller"),
        ("cudaMemset(y, 0, 4 * n + 4);", 7, "writes 4,004 bytes of y, which holds 4,000"),
        ("cudaMemcpy(y + 1, x, 4 * n, cudaMemcpyDeviceToDevice);", 7, "from byte 4 on of y"),
        ("float *t = nullptr; cudaMemset(t, 0, 4);", 7, "null pointer"),
        ("float *t; cudaMalloc(&t, -4);", 7, "check the size for a negative number"),
        ("while (1) { }", 7, "still loops after"),
        ("for (;;) touch<<<1, 1>>>(y, n);", 7, "move the loop into a kernel"),
        ("int k = n / (n - 1000);", 7, "divides by zero"),
        ("int k; int m = k + 1;", 7, "k is read before it has a value"),
        ("int k = 1 << 32;", 7, "a shift by 32"),
        ("int t[4]; t[4] = 1;", 7, "element 4 of an array of 4"),
        ("touch<<<blocks, 1>>>(y, n);", 7, "blocks is not declared"),
        ("frobnicate(n);", 7, "frobnicate is not known"),
        ("cublasSaxpy(n, x, y);", 7, "is a library's function"),
        ("missing<<<1, 1>>>(y);", 7, "there is no kernel missing"),
        ("int B = n; reduce<float, B><<<1, 1>>>(x, y, n);", 7, "must be a constant"),
        ("const int k = 3; k = 4;", 7, "k is const"),
        ("std::list<int> v;", 7, "std::list<int> is not known"),
        ("goto end; end: ;", 7, "is not read"),
        ("float *p = x + 1.5;", 7, "has no meaning"),
        ("int k = n $ 3;", 7, ""),
        ("goto done; done: return;", 7, "is not read"),
        ("asm(\"nop\");", 7, ""),
        ("exit(1);", 7, "gives up here"),
        ("cudaMemcpyToSymbol(y, x, 4);", 7, "cudaMemcpyToSymbol is not read"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_in_one_sentence_with_its_line(body: str, line: int, words: str) -> None:
    error = refusal(body)
    assert words in error.message
    assert error.line == line
    assert "\n" not in str(error)


def test_a_missing_function_and_a_wrong_parameter_list_are_one_clear_sentence() -> None:
    with pytest.raises(PlanError, match=r"no host function named sgemm; the file has saxpy"):
        read_plan(KERNELS + "void saxpy(int n) {}", "sgemm", {}, {})
    with pytest.raises(
        PlanError, match=r"takes 1 scalar and 0 pointers, the task passes 1 scalar and 1 pointer \(n, x\)"
    ):
        read_plan("void saxpy(int n) {}", "saxpy", {"n": 1}, {"x": 4})
    with pytest.raises(PlanError, match="touch is a kernel"):
        read_plan(KERNELS, "touch", {}, {})


def test_a_plan_of_too_many_launches_is_refused_before_it_fills_memory() -> None:
    assert "more than 500" in refusal("for (int i = 0; i < 1000; i++) touch<<<1, 1>>>(y, i);", steps=500).message


@pytest.mark.parametrize("body", ["float *p; cudaMalloc(&p, 4);", "float *p; cudaMalloc(&p, 4); cudaFree(p);"])
def test_workspaces_without_end_are_refused_before_they_take_long(body: str) -> None:
    error = refusal(f"while (true) {{ {body} }}")
    assert error.message == "more than 1,000 cudaMalloc; allocate once, before the loop"


def test_macros_that_multiply_are_stopped() -> None:
    bomb = "#define A0 n\n" + "".join(f"#define A{i + 1} {' + '.join([f'A{i}'] * 10)}\n" for i in range(12))
    assert "400,000 tokens" in refusal("int k = A12;", before=bomb).message


def test_deep_nesting_is_refused_and_not_a_crash() -> None:
    assert refusal(f"int k = {'(' * 5000}1{')' * 5000};").message
    assert refusal("{" * 3000 + "}" * 3000).message


def test_dynamic_shared_memory_above_48_kib_is_accepted_once_it_was_asked_for() -> None:
    body = (
        "cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); touch<<<1, 1, 65536>>>(y, n);"
    )
    assert only_launch(body).shared_bytes == 65536


def test_a_call_outside_the_plan_that_is_not_reached_does_not_matter() -> None:
    assert only_launch("if (n < 0) { void *h = malloc(4); } touch<<<1, 1>>>(y, n);").grid == (1, 1, 1)


# The two other readings of a candidate


def test_device_source_keeps_device_code_and_every_line_and_column() -> None:
    source = """#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <vector>
using namespace std;
#define B 64
const int K = 4;
__constant__ float taps[3] = {1, 2, 3};
static float *workspace = nullptr;
struct Pair { float a; int b; };
__host__ __device__ inline int both(int k) { return k; }
static int cdiv(int a, int b) { return (a + b - 1) / b; }
template <typename T> __global__ void k(T *y) { y[0] = both(K); }
extern "C" {
void saxpy(int n, float *y) {
#define LATER 3
  k<float><<<cdiv(n, B), B>>>(y);
}
}
__global__ void last(int *p) { p[0] = LATER; }
"""
    found = device_source(source)
    kept = (
        "cuda_fp16",
        "define B",
        "K = 4",
        "taps[3]",
        "struct Pair",
        "both(int k)",
        "void k(T",
        "LATER 3",
        "void last",
    )
    for text in kept:
        line = next(i for i, row in enumerate(source.split("\n")) if text in row)
        assert text in found.split("\n")[line], text
        assert found.split("\n")[line].index(text) == source.split("\n")[line].index(text)
    for text in ("cuda_runtime", "<vector>", "using namespace", "workspace", "cdiv", "saxpy", "<<<"):
        assert text not in found
    assert len(found) == len(source)


def test_device_code_behind_macros_and_newer_attributes_is_kept() -> None:
    source = """
#define DEV __device__ __forceinline__
#define KERNEL __global__ void
DEV float f(float x) { return x; }
template <typename T> static DEV T g(T x) { return x; }
KERNEL __launch_bounds__(256) first(float *y) { y[0] = f(1); }
__global__ void __cluster_dims__(2, 1, 1) second(float *y) { y[0] = g(2.0f); }
static void host_only(float *y) { second<<<2, 1>>>(y); }
void f(float *y) { first<<<1, 1>>>(y); host_only(y); }
"""
    assert kernel_names(source) == ("first", "second")
    assert [launch.kernel for launch in read_plan(source, "f", {}, {"y": 4}).launches] == ["first", "second"]
    found, wanted = device_source(source).split("\n"), source.split("\n")
    assert found[:7] == wanted[:7] and not "".join(found[7:]).strip()


def test_kernel_names_and_the_host_signature_are_read_without_sizes() -> None:
    source = KERNELS + "void saxpy(int n, float a, const float *x, float *__restrict__ y) { }"
    assert kernel_names(source) == ("saxpy_kernel", "touch", "wide", "reduce")
    found = [(p.name, p.c_type, p.is_pointer) for p in host_signature(source, "saxpy")]
    assert found == [
        ("n", "int", False), ("a", "float", False), ("x", "const float *", True), ("y", "float *", True),
    ]  # fmt: skip


def test_a_plan_of_fifty_thousand_launches_is_read_quickly_enough_to_wait_for() -> None:
    body = """for (int k = 0; k < n; k++) for (int i = 0; i < 50; i++) {
      int rest = n - k; if (rest > 0) touch<<<(rest + 127) / 128, 128>>>(y + k, rest); }"""
    started = time.monotonic()
    assert len(read(body).launches) == 50_000
    assert time.monotonic() - started < 60  # a hang is caught, a slow machine is not


# Against a C compiler, and against everything


class CFunction:
    """A C expression compiled by the machine's compiler, to compare with."""

    def __init__(self, folder: Path, name: str, result: str, parameters: str, expression: str) -> None:
        source = folder / f"{name}.c"
        source.write_text(f"#include <math.h>\n{result} f({parameters}) {{ return {expression}; }}\n")
        library = folder / f"{name}.so"
        options = ["-shared", "-fPIC", "-O0", "-fwrapv", "-ffp-contract=off", "-w"]
        subprocess.run(["gcc", *options, "-o", str(library), str(source), "-lm"], check=True)
        self.function = ctypes.CDLL(str(library)).f


_TYPES = {
    "int": (ctypes.c_int, -(2**31), 2**31 - 1), "unsigned": (ctypes.c_uint, 0, 2**32 - 1),
    "long long": (ctypes.c_longlong, -(2**63), 2**63 - 1), "unsigned long long": (ctypes.c_ulonglong, 0, 2**64 - 1),
    "short": (ctypes.c_short, -(2**15), 2**15 - 1), "unsigned char": (ctypes.c_ubyte, 0, 255),
    "signed char": (ctypes.c_byte, -128, 127),
    "float": (ctypes.c_float, None, None), "double": (ctypes.c_double, None, None),
}  # fmt: skip
_INTEGER_EXPRESSIONS = [
    "p + q", "p - q", "p * q", "p & q", "p | q", "p ^ q", "p < q", "p >= q", "p == q", "-p + ~q", "(p > q ? p : q)",
    "q > 0 ? p / q : 0", "q < 0 && p > 0 ? p / q : 5",
    "q > 0 ? p % q : 7", "p >> 3", "(p << 2) + (short)q", "(p && q) + (p || q) * 2 + !p",
    "(unsigned char)p * (signed char)q", "(p + 1u) / 3", "(long long)p * (int)q",
]  # fmt: skip
_FLOAT_EXPRESSIONS = [
    "p + q",
    "p * q - p",
    "p / (q + 0.5f)", "1.0f * p / q",
    "p < q ? p : -q",
    "(float)p * (float)q",
    "(double)p + 1.0f / 3",
    "fabs(p) + sqrtf(2.0f)",
]


def _random_pairs(seed: int, count: int) -> list[tuple[str, str, str, str]]:
    chosen = random.Random(seed)
    integers = [name for name in _TYPES if name not in ("float", "double")]
    found = []
    for _ in range(count):
        is_float = chosen.random() < 0.3
        kinds = list(_TYPES) if is_float else integers
        left, right = chosen.choice(kinds), chosen.choice(kinds)
        expression = chosen.choice(_FLOAT_EXPRESSIONS if is_float else _INTEGER_EXPRESSIONS)
        result = "double" if is_float else chosen.choice(integers)
        found.append((left, right, result, expression))
    return found


def _values(name: str) -> st.SearchStrategy[int | float]:
    _, low, high = _TYPES[name]
    if low is None:
        return st.floats(
            width=32 if name == "float" else 64, allow_nan=False, min_value=-(2.0**60), max_value=2.0**60
        )
    near = [v for v in (low, low + 1, -1, 0, 1, 2, high - 1, high) if low <= v <= high]
    return st.one_of(st.sampled_from(near), st.integers(low, high))


@pytest.mark.parametrize(("left", "right", "result", "expression"), _random_pairs(1, 40))
def test_arithmetic_agrees_with_a_c_compiler(
    left: str, right: str, result: str, expression: str, tmp_path: Path
) -> None:
    reference = CFunction(tmp_path, "f", result, f"{left} p, {right} q", expression).function
    reference.argtypes = [_TYPES[left][0], _TYPES[right][0]]
    reference.restype = _TYPES[result][0]
    kernel = f"__global__ void see({result} v) {{}}\n"
    source = f"{kernel}void f({left} p, {right} q) {{ {result} v = {expression}; see<<<1, 1>>>(v); }}"

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(p=_values(left), q=_values(right))
    def agrees(p: int | float, q: int | float) -> None:
        expected = reference(p, q)
        found = read_plan(source, "f", {"p": p, "q": q}, {}).launches[0].arguments[0]
        assert isinstance(found, Scalar)
        assert found.value == expected or (found.value != found.value and expected != expected)

    agrees()


_WHOLE = """
#include <cuda_runtime.h>
#define TILE 16
#define CDIV(a, b) (((a) + (b) - 1) / (b))
template <typename T, int B> __global__ void reduce(const T *x, T *y, int n) { y[0] = x[n - 1]; }
__global__ void step(float *to, const float *from, int n, unsigned long long s) { to[0] = from[s]; }
static inline int levels(int n) { int k = 0; while (n > 1) { n = (n + 1) / 2; ++k; } return k; }
extern "C" void f(int n, float a, const float *x, float *y) {
  if (n <= 0) return;
  dim3 block(TILE, TILE), grid(CDIV(n, TILE), min(CDIV(n, 8), 65535));
  float *tmp, *turn[2];
  cudaMalloc((void **)&tmp, n * sizeof(float));
  cudaMemsetAsync(tmp, 0, sizeof(float) * (size_t)n, 0);
  turn[0] = tmp; turn[1] = y;
  for (int i = levels(n); i >= 0; --i) {
    step<<<grid, block, TILE * sizeof(float)>>>(turn[i & 1], turn[1 - (i & 1)], i, n * 2ull);
    float *t = turn[0]; turn[0] = turn[1]; turn[1] = t;
  }
  auto kernel = n > 100 ? reduce<float, 64> : reduce<float, 128>;
  kernel<<<1, 64>>>(tmp + n / 2, y, (int)(a * 2.5f));
  cudaMemcpy(y, tmp, n * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaFree(tmp);
}
"""


@pytest.mark.parametrize("seed", range(12))
def test_a_broken_text_never_ends_in_anything_but_a_plan_or_a_plan_error(seed: int) -> None:
    chosen = random.Random(seed)
    pieces = [
        "(",
        ")",
        "{",
        "}",
        ";",
        ",",
        "<<<",
        ">>>",
        "*",
        "&",
        "n",
        "x",
        "0",
        "float",
        "dim3",
        "#",
        '"',
        "'",
        "?",
        "template",
        "<",
        "::",
    ]
    for _ in range(40):
        text = list(_WHOLE)
        for _ in range(chosen.randint(1, 4)):
            at = chosen.randrange(len(text))
            kind = chosen.random()
            if kind < 0.4:
                del text[at : at + chosen.randint(1, 12)]
            elif kind < 0.8:
                text.insert(at, chosen.choice(pieces))
            else:
                start = chosen.randrange(len(text))
                text[at:at] = text[start : start + 30]
        mutant = "".join(text)
        try:
            plan = read_plan(
                mutant, "f", {"n": 33, "a": 1.5}, {"x": 132, "y": 132}, Limits(iterations=20_000, steps=5_000)
            )
        except PlanError as error:
            assert error.message and "\n" not in error.message
        else:
            assert isinstance(plan, LaunchPlan)
        assert len(device_source(mutant).split("\n")) == len(mutant.split("\n"))
