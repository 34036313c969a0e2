"""Occupancy, held against NVIDIA's own header, compiled."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path

import pytest

from cudaperf_magic.bench.nvrtc import include_folders
from cudaperf_magic.bench.occupancy import ARCHITECTURES, architecture, occupancy

REFERENCE = r"""
#include <stdio.h>
#include <stdlib.h>
struct cudaOccDeviceProp; struct cudaOccFuncAttributes; struct cudaOccDeviceState; struct cudaOccResult;
#include "cuda_occupancy.h"
/* Reads "major minor warps shared reserved threads registers shared_bytes" a line; writes resident blocks a line. */
int main(void) {
    int major, minor, warps, shared, reserved, threads, registers, bytes;
    while (scanf("%d %d %d %d %d %d %d %d", &major, &minor, &warps, &shared, &reserved, &threads, &registers,
                 &bytes) == 8) {
        struct cudaOccDeviceProp p = {0};
        struct cudaOccFuncAttributes a = {0};
        struct cudaOccDeviceState s = {CACHE_PREFER_NONE, SHAREDMEM_CARVEOUT_MAX_SHARED};
        struct cudaOccResult r = {0};
        p.computeMajor = major; p.computeMinor = minor; p.maxThreadsPerBlock = 1024; p.warpSize = 32;
        p.maxThreadsPerMultiprocessor = warps * 32; p.regsPerBlock = 65536; p.regsPerMultiprocessor = 65536;
        p.sharedMemPerBlock = 49152; p.sharedMemPerMultiprocessor = shared; p.numSms = 1;
        p.sharedMemPerBlockOptin = shared - reserved; p.reservedSharedMemPerBlock = reserved;
        a.maxThreadsPerBlock = 1024; a.numRegs = registers; a.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        a.maxDynamicSharedSizeBytes = shared - reserved; a.sharedSizeBytes = 0;
        cudaOccError e = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &a, &s, threads, bytes);
        printf("%d\n", e ? -(int)e : r.activeBlocksPerMultiprocessor);
    }
    return 0;
}
"""


def header_folder() -> Path:
    for folder in include_folders():
        if (Path(folder) / "cuda_occupancy.h").is_file():
            return Path(folder)
    pytest.skip("cuda_occupancy.h is not among the CUDA headers")


def test_resident_blocks_agree_with_nvidias_own_calculation_on_every_architecture(tmp_path: Path) -> None:
    (tmp_path / "reference.c").write_text(REFERENCE)
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler
    subprocess.run(
        [compiler, "-w", f"-I{header_folder()}", str(tmp_path / "reference.c"), "-o", str(tmp_path / "reference")],
        check=True,
    )
    launches = list(itertools.product((1, 32, 96, 128, 160, 256, 384, 512, 1000, 1024), (16, 24, 33, 64, 72, 128, 255),
                                      (0, 1024, 4224, 8192, 33000, 49152)))
    asked, ours = [], []
    for arch, (threads, registers, shared) in itertools.product(ARCHITECTURES, launches):
        number = arch.name.removeprefix("sm_")
        asked.append(f"{number[:-1]} {number[-1]} {arch.warps} {arch.shared_bytes} {arch.reserved_bytes} "
                     f"{threads} {registers} {shared}")
        ours.append(occupancy(arch, threads, registers, shared).blocks)
    done = subprocess.run([str(tmp_path / "reference")], input="\n".join(asked), capture_output=True, text=True,
                          check=True)
    theirs = [int(line) for line in done.stdout.split()]
    assert [(q, a, b) for q, a, b in zip(asked, ours, theirs, strict=True) if a != b] == []


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "warps", "limit"),
    [
        (256, 32, 0, 64, "block size"),
        (256, 64, 0, 32, "registers"),
        (32, 16, 0, 32, "blocks"),
        (128, 32, 48 * 1024, 16, "shared memory"),
        (1024, 255, 0, 0, "registers"),
        (768, 16, 0, 48, "block size"),
    ],
)
def test_the_resource_that_runs_out_first_is_named(
    threads: int, registers: int, shared: int, warps: int, limit: str
) -> None:
    found = occupancy(architecture("sm_90"), threads, registers, shared)
    assert (found.warps, found.limit) == (warps, limit)


def test_an_unknown_architecture_is_taken_for_the_nearest_older_one() -> None:
    named = {"sm_90a": "sm_90", "sm_121": "sm_120", "sm_88": "sm_87", "sm_200": "sm_120", "sm_60": "sm_75", "": "sm_75"}
    assert {name: architecture(name).name for name in named} == named
