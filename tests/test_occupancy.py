"""Occupancy, held against NVIDIA's own header, compiled."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path

import pytest

from cudaperf_magic.bench.architectures import ARCHITECTURES, Architecture, architecture
from cudaperf_magic.bench.nvrtc import include_folders
from cudaperf_magic.bench.occupancy import carveout, occupancy

REFERENCE = r"""
#include <stdio.h>
#include <stdlib.h>
struct cudaOccDeviceProp; struct cudaOccFuncAttributes; struct cudaOccDeviceState; struct cudaOccResult;
#include "cuda_occupancy.h"
/* Reads "major minor warps shared reserved threads registers shared_bytes" a line; writes resident blocks a line, and
   the shared memory that an SM is configured with so that these shared bytes fit. */
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
        size_t size = bytes;
        cudaOccError misfit = cudaOccAlignUpShmemSizeVoltaPlus(&size, &p);
        printf("%d %d\n", e ? -(int)e : r.activeBlocksPerMultiprocessor, misfit ? -1 : (int)size);
    }
    return 0;
}
"""


def header_folder() -> Path:
    for folder in include_folders():
        if (Path(folder) / "cuda_occupancy.h").is_file():
            return Path(folder)
    pytest.skip("cuda_occupancy.h is not among the CUDA headers")


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("occupancy")
    (folder / "reference.c").write_text(REFERENCE)
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler
    subprocess.run(
        [compiler, "-w", f"-I{header_folder()}", str(folder / "reference.c"), "-o", str(folder / "reference")],
        check=True,
    )
    return folder / "reference"


Question = tuple[Architecture, int, int, int]


def theirs(reference: Path, questions: list[Question]) -> list[tuple[int, int]]:
    lines = []
    for arch, threads, registers, shared in questions:
        number = arch.name.removeprefix("sm_")
        lines.append(f"{number[:-1]} {number[-1]} {arch.warps} {arch.shared_bytes} {arch.reserved_bytes} "
                     f"{threads} {registers} {shared}")
    done = subprocess.run([str(reference)], input="\n".join(lines), capture_output=True, text=True, check=True)
    answers = [line.split() for line in done.stdout.splitlines()]
    return [(int(blocks), int(size)) for blocks, size in answers]


def test_resident_blocks_agree_with_nvidias_own_calculation_on_every_architecture(reference: Path) -> None:
    launches = itertools.product((1, 32, 96, 128, 160, 256, 384, 512, 1000, 1024), (16, 24, 33, 64, 72, 128, 255),
                                 (0, 1024, 4224, 8192, 33000, 49152))
    questions = [(arch, *launch) for arch, launch in itertools.product(ARCHITECTURES, launches)]
    ours = [occupancy(*question).blocks for question in questions]
    answers = [blocks for blocks, _ in theirs(reference, questions)]
    assert [(q, a, b) for q, a, b in zip(questions, ours, answers, strict=True) if a != b] == []


def test_the_shared_memory_of_an_sm_comes_in_nvidias_own_steps_on_every_architecture(reference: Path) -> None:
    sizes = [kib * 1024 + more for kib in (1, 8, 9, 16, 32, 50, 64, 100, 132, 150, 164, 196, 220) for more in (0, 1024)]
    questions = [(arch, 32, 16, size) for arch in ARCHITECTURES for size in sizes if size <= arch.shared_bytes]
    ours = [next(c for c in arch.carveouts if c >= size) for arch, _, _, size in questions]
    assert ours == [size for _, size in theirs(reference, questions)]


def test_an_sm_gets_the_least_shared_memory_that_its_resident_blocks_fit_in() -> None:
    h100, t4 = architecture("sm_90"), architecture("sm_75")
    assert carveout(h100, 8, 0) == 8 * 1024  # what each block reserves
    assert carveout(h100, 8, 1) == 16 * 1024
    assert carveout(h100, 2, 48 * 1024) == 100 * 1024
    assert carveout(h100, 1, 227 * 1024) == 228 * 1024
    assert carveout(t4, 4, 0) == 32 * 1024
    assert carveout(t4, 2, 32 * 1024) == 64 * 1024


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
