"""Which compiler fits which device and driver: a table, and a sentence that says what to install."""

from __future__ import annotations

import pytest

from cudaperf_magic.bench import compilers, nvrtc
from cudaperf_magic.bench.compilers import must_fit
from cudaperf_magic.bench.toolkit import Toolkit, mismatch
from cudaperf_magic.errors import ToolchainError

CUDA_13 = Toolkit((13, 2), (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121))
CUDA_12 = Toolkit((12, 4), (50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90))


@pytest.mark.parametrize(
    ("compiler", "arch", "driver"),
    [
        (CUDA_13, "sm_75", (13, 0)),  # a T4 with the newest toolkit
        (CUDA_13, "sm_90", (13, 0)),  # a newer minor version than the driver's: a cubin needs none of its compiler
        (CUDA_13, "sm_90a", (13, 1)),
        (CUDA_13, "sm_90", None),  # for the simulator no driver matters
        (CUDA_12, "sm_75", (12, 2)),
        (CUDA_12, "sm_70", (12, 8)),
        (CUDA_12, "sm_90", (13, 0)),  # an older toolkit than the driver's always works
    ],
)
def test_what_fits_is_not_complained_of(compiler: Toolkit, arch: str, driver: tuple[int, int] | None) -> None:
    assert mismatch(compiler, arch, driver) is None


@pytest.mark.parametrize(
    ("compiler", "arch", "driver", "why", "remedy"),
    [
        (CUDA_13, "sm_70", (12, 8), "NVRTC 13.2 does not compile for sm_70", "nvidia-cuda-nvrtc-cu12==12.9.*"),
        (CUDA_13, "sm_61", None, "NVRTC 13.2 does not compile for sm_61", "nvidia-cuda-nvrtc-cu12==12.9.*"),
        (CUDA_13, "sm_70", (11, 8), "the driver knows only CUDA 11.8", "install a newer NVIDIA driver"),
        (CUDA_13, "sm_37", (11, 4), "no NVRTC since CUDA 12 does", "--device simulator"),
        (CUDA_13, "sm_130", (13, 4), "NVRTC 13.2 does not compile for sm_130", "pip install --upgrade"),
        (CUDA_12, "sm_100", (13, 0), "NVRTC 12.4 does not compile for sm_100", "pip install --upgrade"),
        (CUDA_13, "sm_75", (12, 4), "newer than the driver, which knows CUDA 12.4", "nvidia-cuda-nvrtc-cu12==12.9.*"),
        (CUDA_13, "sm_110", (12, 8), "newer than the driver", "install a newer NVIDIA driver"),
        (CUDA_13, "sm_80", (11, 4), "newer than the driver, which knows CUDA 11.4", "install a newer NVIDIA driver"),
        (CUDA_12, "sm_80", (11, 4), "newer than the driver, which knows CUDA 11.4", "install a newer NVIDIA driver"),
    ],
)  # fmt: skip
def test_a_mismatch_is_one_sentence_with_what_to_do(
    compiler: Toolkit, arch: str, driver: tuple[int, int] | None, why: str, remedy: str
) -> None:
    said = mismatch(compiler, arch, driver)
    assert said is not None and why in said and remedy in said and "\n" not in said


def test_the_installed_compiler_says_what_it_compiles_for() -> None:
    assert 75 in nvrtc.toolkit().architectures and nvrtc.toolkit().version >= (12, 0)


def test_an_architecture_that_it_lacks_is_the_machines_fault_and_not_the_candidates() -> None:
    with pytest.raises(ToolchainError, match="does not compile for sm_35"):
        nvrtc.build("__global__ void k(int *x) { x[0] = 1; }", "sm_35")


def test_a_device_is_checked_against_the_compiler_before_anything_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers, "_toolkit", lambda: CUDA_13)
    must_fit("sm_75", "13.0")
    with pytest.raises(ToolchainError, match=r"nvidia-cuda-nvrtc-cu12"):
        must_fit("sm_75", "12.4")


def test_the_compiler_that_is_installed_here_fits_a_device_of_its_own_time() -> None:
    major, minor = nvrtc.toolkit().version
    must_fit("sm_90", f"{major}.{minor}")


def test_a_t4_gets_its_cubin_from_the_newest_compiler() -> None:
    built = nvrtc.build("__global__ void k(int *x) { x[0] = 1; }", "sm_75")
    assert built.build.ok and built.cubin[:4] == b"\x7fELF"
