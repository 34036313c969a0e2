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


# What ncu's launch__shared_mem_config_size said on an H200: threads, registers, bytes of a block -> KiB of an SM.
CHOSEN = {
    (1024, 16, 0): 8, (1024, 32, 0): 8, (256, 40, 32): 16, (512, 53, 0): 16, (32, 53, 0): 32, (96, 53, 0): 32,
    (128, 16, 0): 32, (256, 16, 0): 32, (256, 53, 0): 32, (384, 53, 0): 32, (256, 16, 32): 32, (256, 16, 1024): 32,
    (256, 32, 512): 32, (32, 16, 1024): 64, (128, 16, 512): 64, (256, 16, 1032): 64, (256, 32, 2048): 64,
    (512, 16, 4096): 64, (768, 16, 8192): 64, (128, 30, 2048): 100, (256, 28, 4224): 100, (256, 48, 8192): 100,
    (128, 16, 3000): 132, (128, 30, 4096): 132, (256, 29, 8192): 132, (256, 16, 16384): 164, (192, 16, 16384): 196,
    (512, 16, 60000): 196, (32, 16, 232448): 228, (64, 16, 40000): 228, (256, 16, 100000): 228,
}  # fmt: skip


def test_the_driver_is_foreseen_to_turn_as_much_of_an_sm_into_shared_memory_as_it_did_on_an_h200() -> None:
    assert {launch: carveout(architecture("H200"), *launch) // 1024 for launch in CHOSEN} == CHOSEN


def test_resident_blocks_always_fit_in_what_the_driver_turns_into_shared_memory() -> None:
    for arch, threads, shared in itertools.product(ARCHITECTURES, (32, 96, 256, 1024), (0, 1, 5000, 33000, 65536)):
        blocks = occupancy(arch, threads, 32, shared).blocks
        each = -(-(shared + arch.reserved_bytes) // arch.shared_unit) * arch.shared_unit
        assert blocks * each <= carveout(arch, threads, 32, shared) <= arch.shared_bytes


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
