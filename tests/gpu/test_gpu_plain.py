"""The plain path on a real device: build, launch, compare. Run by tests/gpu/run.sh on a machine with a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cudaperf_magic.bench.gpu.running import available_devices, device_info, run_on_gpu
from cudaperf_magic.bench.launcher import device_source, read_plan
from cudaperf_magic.bench.nvrtc import build
from cudaperf_magic.bench.sandbox import Finished, run_in_child
from cudaperf_magic.records import Fault

pytestmark = pytest.mark.gpu

SOURCE = """
#include <cooperative_groups.h>
__global__ void scale(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
template <typename T, int B> __global__ void sum(const T *x, T *y, int n) {
  extern __shared__ unsigned char raw[];
  T *part = (T *)raw;
  T total = 0;
  for (int i = threadIdx.x; i < n; i += B) total += x[i];
  part[threadIdx.x] = total;
  __syncthreads();
  for (int s = B / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[0] = part[0];
}
__global__ void twice(float *y, int n) {
  auto grid = cooperative_groups::this_grid();
  int i = grid.thread_rank();
  if (i < n) y[i] += 1;
  grid.sync();
  if (i < n) y[i] += y[n - 1 - i] * 0;
}
__global__ void wild(float *y) { y[(size_t)1 << 40] = 1; }
__global__ void stop(float *y) { if (y) __trap(); }
__global__ void crooked(float *y) { *(float4 *)(y + 1) = make_float4(1, 2, 3, 4); }
__global__ void __cluster_dims__(1, 1, 1) alone(float *y) { y[0] += 1; }
__global__ void pair(float *y) { atomicAdd(y, 1.0f); }
struct Box { char tag; double low; int n; };
__global__ void boxed(Box box, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < box.n) y[i] = box.tag + box.low;
}
"""


def _run(body: str, n: int) -> tuple[tuple[Fault, ...], dict[str, np.ndarray]]:
    """In the child: reads, builds and runs one host function on the device."""
    source = SOURCE + "void f(int n, float a, const float *x, float *y) {" + body + "}"
    plan = read_plan(source, "f", {"n": n, "a": 2.0}, {"x": 4 * n, "y": 4 * n})
    compiled = build(device_source(source), device_info(0).arch, names=plan.kernels)
    assert compiled.build.ok, compiled.build.log
    arrays: dict[str, Any] = {"x": np.arange(n, dtype=np.float32), "y": np.ones(n, dtype=np.float32)}
    faults = run_on_gpu(compiled.cubin, dict(compiled.lowered), plan, arrays, 0)
    return faults, arrays


def run(body: str, n: int = 1000) -> tuple[tuple[Fault, ...], dict[str, np.ndarray]]:
    ended = run_in_child(_run, body, n, timeout_s=60, memory_bytes=None)
    assert isinstance(ended, Finished), ended
    found: tuple[tuple[Fault, ...], dict[str, np.ndarray]] = ended.value
    return found


def test_the_device_is_described() -> None:
    (first, *_) = available_devices()
    assert first.arch.startswith("sm_") and first.memory_bytes > 1 << 30 and first.multiprocessors > 1


@pytest.mark.parametrize("n", [1, 31, 1000, 100_003])
def test_a_plain_kernel_computes(n: int) -> None:
    faults, arrays = run("scale<<<(n + 255) / 256, 256>>>(n, a, x, y);", n)
    assert not faults
    assert np.array_equal(arrays["y"], 2 * np.arange(n, dtype=np.float32) + 1)


def test_templates_workspaces_fills_copies_and_dynamic_shared_memory_work() -> None:
    faults, arrays = run(
        """float *t; cudaMalloc(&t, 8); cudaMemset(t, 0, 8); cudaMemcpy(y + 1, t + 1, 4, cudaMemcpyDeviceToDevice);
        cudaFuncSetAttribute(sum<float, 256>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
        sum<float, 256><<<1, 256, 100000>>>(x, t, n); cudaMemcpy(y, t, 4, cudaMemcpyDeviceToDevice); cudaFree(t);"""
    )
    assert not faults and arrays["y"][0] == 499500 and arrays["y"][1] == 0


def test_a_struct_goes_to_a_kernel_by_value() -> None:
    faults, arrays = run("Box box; box.tag = 3; box.low = 0.5; box.n = n - 1; boxed<<<(n + 255) / 256, 256>>>(box, y);")
    assert not faults and set(arrays["y"][:-1]) == {3.5} and arrays["y"][-1] == 1


def test_cooperative_and_cluster_launches_work() -> None:
    faults, arrays = run(
        """void *args[] = {&y, &n}; cudaLaunchCooperativeKernel((void *)twice, 4, 256, args, 0, 0);
        cudaLaunchConfig_t config = {}; config.gridDim = 4; config.blockDim = 32;
        cudaLaunchAttribute at[1]; at[0].id = cudaLaunchAttributeClusterDimension;
        at[0].val.clusterDim.x = 2; at[0].val.clusterDim.y = 1; at[0].val.clusterDim.z = 1;
        config.attrs = at; config.numAttrs = 1; cudaLaunchKernelEx(&config, pair, y);"""
    )
    assert not faults and arrays["y"][0] == 2 + 128 and arrays["y"][999] == 2


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("wild<<<1, 1>>>(y);", "out_of_bounds"),
        ("stop<<<1, 1>>>(y);", "trap"),
        ("crooked<<<1, 1>>>(y);", "misaligned"),
        ("void *args[] = {&y, &n}; cudaLaunchCooperativeKernel((void *)twice, 100000, 1024, args, 0, 0);", "launch"),
    ],
)  # fmt: skip
def test_a_kernels_fault_is_a_value_with_its_kernel_and_line(body: str, kind: str) -> None:
    (fault,) = run(body)[0]
    assert fault.kind == kind and fault.kernel and fault.line == SOURCE.count("\n") + 1


def test_the_device_works_on_after_a_fault() -> None:
    assert run("wild<<<1, 1>>>(y);")[0]
    assert not run("scale<<<4, 256>>>(n, a, x, y);")[0]
