"""Whether this compiler's code can run on that device under that driver, and in one sentence what to install if not.

A cubin needs no compiler of the driver's, so a newer minor version of NVRTC works with an older driver of the same
major version (NVIDIA's "minor version compatibility"); a newer major version does not. It compiles nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

OLDEST_OF_12, NEWEST_OF_12 = 50, 121  # compute capabilities that NVRTC 12.9 knows
# The last of CUDA 12, by their names on the package index; those of CUDA 13 would be found before them.
CUDA_12 = (
    "pip uninstall -y nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl && pip install "
    '"nvidia-cuda-nvrtc-cu12==12.9.*" "nvidia-cuda-runtime-cu12==12.9.*" "nvidia-cuda-cccl-cu12==12.9.*"'
)
NEWEST = "pip install --upgrade nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl"
NEWER_DRIVER = "install a newer NVIDIA driver (https://www.nvidia.com/drivers), or use --device simulator"


@dataclass(frozen=True)
class Toolkit:
    """A compiler: its CUDA version, and the compute capabilities (75 for sm_75) that it compiles for."""

    version: tuple[int, int]
    architectures: tuple[int, ...]

    @property
    def words(self) -> str:
        return f"NVRTC {self.version[0]}.{self.version[1]}"


def mismatch(toolkit: Toolkit, arch: str, driver: tuple[int, int] | None) -> str | None:
    """Why what this toolkit compiles for `arch` ("sm_75") would not run, and what to do; None when it would.

    Args:
        driver: the CUDA version that the driver speaks; None where nothing is to be run on a device.
    """
    wanted = _number(arch)
    is_known_to_12 = OLDEST_OF_12 <= wanted <= NEWEST_OF_12 and wanted not in (88, 110)
    if wanted not in toolkit.architectures:
        why = f"{toolkit.words} does not compile for {arch}"
        if toolkit.architectures and wanted > max(toolkit.architectures):
            return f"{why}; {NEWEST}"
        if wanted < OLDEST_OF_12:
            return f"{why}, and no NVRTC since CUDA 12 does; use --device simulator"
        if toolkit.version[0] <= 12 or not is_known_to_12:
            return f"{why}; {NEWEST}"
        if driver is not None and driver[0] < 12:
            return f"{why}, and the driver knows only CUDA {_shown(driver)}; {NEWER_DRIVER}, then {CUDA_12}"
        return f"{why}; {CUDA_12}"
    if driver is None or driver[0] >= toolkit.version[0]:
        return None
    why = f"{toolkit.words} is newer than the driver, which knows CUDA {_shown(driver)}"
    if driver[0] == 12 and is_known_to_12:
        return f"{why}; {CUDA_12}"
    return f"{why}; {NEWER_DRIVER}"


def _number(arch: str) -> int:
    found = re.fullmatch(r"(?:sm|compute)_(\d+)[a-z]?", arch)
    if found is None:
        raise ValueError(f"{arch} is no architecture")
    return int(found[1])


def _shown(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
