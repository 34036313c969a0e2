"""NVRTC builds: logs in the candidate's own lines, resources of each kernel, and no file that is not CUDA's."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from cudaperf_magic.bench import nvrtc
from cudaperf_magic.bench.cache import Cache
from cudaperf_magic.bench.nvrtc import build, include_folders, read_log

REDUCE = """template <typename T, int size>
__global__ void reduce(const T* x, T* y) {
    __shared__ T s[size];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[size - 1 - threadIdx.x];
}
"""


def test_a_template_is_instantiated_by_the_name_it_is_launched_with() -> None:
    compiled = build(REDUCE, names=("reduce<float, 256>", "reduce<double, 64>"))
    assert compiled.build.ok
    assert {kernel.name for kernel in compiled.build.kernels} == set(compiled.mangled.values())
    shared = {kernel.name: kernel.shared_bytes for kernel in compiled.build.kernels}
    # ptxas counts a KiB that sm_90 keeps for itself.
    assert shared[compiled.mangled["reduce<float, 256>"]] - shared[compiled.mangled["reduce<double, 64>"]] == 1024 - 512
    assert all(kernel.registers > 0 and kernel.spill_bytes == 0 for kernel in compiled.build.kernels)
    assert compiled.cubin[:4] == b"\x7fELF" and ".loc" in compiled.ptx


def test_an_error_names_the_candidates_own_line() -> None:
    compiled = build("__global__ void k(int* x) {\n    x[0] = y;\n}\n")
    assert not compiled.build.ok
    assert 'kernel.cu(2): error: identifier "y" is undefined' in compiled.build.log


def test_the_log_shows_no_folder_of_this_machine() -> None:
    compiled = build("#include <cuda_fp16.h>\n__global__ void k(__half* x) { x[0] = __hadd(x); }\n")
    assert not compiled.build.ok
    assert not any(folder in compiled.build.log for folder in include_folders())


@pytest.mark.parametrize(
    "line",
    [
        '#include "/etc/passwd"', "#include </etc/passwd>", '#include "../secret.h"', '#incl\\\nude "/etc/passwd"',
        '%:include "/etc/passwd"', '#define F "/etc/passwd"\n#include F', '/* */ # /* */ include "/etc/passwd"',
        'const char* s = R"(" /* )";\n#include "/etc/passwd"\n/* */', '#include_next "/etc/passwd"',
        "#import </etc/passwd>",
        "#if __has_include(</etc/passwd>)\n#endif", '#embed "/etc/passwd"', "#include <no_such_header.h>",
    ],
)  # fmt: skip
def test_an_include_of_any_other_file_is_refused_and_shows_nothing_of_it(line: str) -> None:
    compiled = build(f"{line}\n__global__ void k(int* x) {{ x[0] = 1; }}\n")
    assert not compiled.build.ok
    assert "cannot include" in compiled.build.log
    assert "root:" not in compiled.build.log


def test_assembly_cannot_include_a_file_either() -> None:
    compiled = build('__global__ void k() { asm volatile(".include \\"/etc/passwd\\"\\n"); }')
    assert not compiled.build.ok and "root:" not in compiled.build.log


@pytest.mark.parametrize(
    "header",
    ["math.h", "cmath", "stdint.h", "stdio.h", "assert.h", "float.h", "limits.h", "cuda_runtime.h", "cuda_fp16.h"],
)
def test_headers_that_kernels_name_are_there(header: str) -> None:
    assert build(f"#include <{header}>\n__global__ void k(int* x) {{ x[0] = 1; }}\n").build.ok


def test_the_stand_ins_for_c_headers_define_what_kernels_use() -> None:
    source = """#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>
static_assert(sizeof(int8_t) == 1 && sizeof(uint16_t) == 2 && sizeof(int32_t) == 4 && sizeof(uint64_t) == 8, "");
static_assert(INT_MAX == 2147483647 && INT64_MAX == LLONG_MAX && UCHAR_MAX == 255, "");
__global__ void k(float* x, size_t n) {
    x[0] = FLT_MAX + INFINITY;
    x[1] = (float)(DBL_EPSILON * M_PI);
    assert(n > 0);
}
"""
    assert build(source).build.ok


def test_the_header_that_names_all_of_cub_gives_device_code_what_it_can_call() -> None:
    source = """#include <cub/cub.cuh>
__global__ void k(const int* x, int* y) {
    using Reduce = cub::BlockReduce<int, 128>;
    using Sort = cub::BlockRadixSort<int, 128, 1>;
    __shared__ union { Reduce::TempStorage reduce; Sort::TempStorage sort; } held;
    int own[] = {x[threadIdx.x]};
    Sort(held.sort).Sort(own);
    __syncthreads();
    int sum = Reduce(held.reduce).Sum(own[0]);
    if (threadIdx.x == 0) y[0] = sum;
}
"""
    assert build(source).build.ok


def test_a_comment_or_a_text_that_mentions_include_is_no_directive() -> None:
    source = '// not: include "/etc/passwd"\n__global__ void k() { printf("#include </x>"); }\n'
    assert build(source).build.ok


def test_the_second_build_comes_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    first = build(REDUCE, names=("reduce<int, 32>",), cache=cache)
    monkeypatch.setattr(nvrtc, "_compile", lambda *given: pytest.fail("compiled again"))
    assert build(REDUCE, names=("reduce<int, 32>",), cache=cache) == first


def test_a_damaged_file_of_the_cache_is_only_a_miss(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    first = build(REDUCE, cache=cache)
    for path in tmp_path.iterdir():
        path.write_bytes(b"\x80garbage")
    assert build(REDUCE, cache=cache).ptx == first.ptx


def test_a_compilation_can_be_pickled() -> None:
    compiled = build(REDUCE, names=("reduce<int, 32>",))
    assert pickle.loads(pickle.dumps(compiled)) == compiled


def test_spills_are_the_sum_of_stores_and_loads() -> None:
    log = """ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Function properties for k
ptxas         .     8 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 2048 bytes smem
kernel.cu(3): warning: unused"""
    words, (kernel,) = read_log(log)
    assert words == "kernel.cu(3): warning: unused"
    assert (kernel.registers, kernel.spill_bytes, kernel.shared_bytes) == (40, 32, 2048)
